"""Facts of the machine, and how a table is written beside them. No host name and no path is among them."""

import os
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_limits

from reproduction.machine import processor
from reproduction.markdown import markdown as table

RESULTS = Path(__file__).parent / "results"
__all__ = ["RESULTS", "facts", "one_core", "report", "seconds", "table"]
PACKAGES = ("numpy", "scipy", "scikit-learn")


def one_core() -> threadpool_limits:
    """Keep linear algebra to one thread, as a context."""
    return threadpool_limits(limits=1)


def facts(*packages: str) -> str:
    """One line: processor, cores, Python, versions, and how busy the machine was."""
    versions = [f"{name} {version(name)}" for name in (*PACKAGES, *packages)]
    busy = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
    return ", ".join([processor(), busy, f"Python {platform.python_version()}", *versions])


def seconds(work: Callable[[], object]) -> float:
    """Time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(name: str, title: str, text: str, *packages: str) -> None:
    """Print a result and write it to results/<name>.md."""
    page = f"# {title}\n\n{text}\n\nMachine: {facts(*packages)}; one thread.\n"
    print(page)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(page, "utf-8")
