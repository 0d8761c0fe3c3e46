"""Facts of the machine, and how a table is written beside them. No host name and no path is among them."""

import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn")


def one_core() -> threadpool_limits:
    """Keep linear algebra to one thread, as a context."""
    return threadpool_limits(limits=1)


def facts(*packages: str) -> str:
    """One line: processor, cores, Python, versions, and how busy the machine was."""
    versions = [f"{name} {version(name)}" for name in (*PACKAGES, *packages)]
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return ", ".join([cpu_model(), busy, f"Python {platform.python_version()}", *versions])


def cpu_model() -> str:
    """The processor by the name that it gives itself."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def seconds(work: Callable[[], object]) -> float:
    """Time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown, padded so that it also reads well in a terminal."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]
    ruled = [header, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in ruled
    )


def report(name: str, title: str, text: str, *packages: str) -> None:
    """Print a result and write it to results/<name>.md."""
    page = f"# {title}\n\n{text}\n\nMachine: {facts(*packages)}; one thread.\n"
    print(page)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(page, "utf-8")
