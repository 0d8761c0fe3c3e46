"""The machine that rows were made on, without host name and paths."""

import os
import platform
from pathlib import Path

from reproduction.rows import RowsNotSaved


def note_machine(rows: Path) -> None:
    """Add this machine to those that made the rows."""
    path = rows / "machines.txt"
    known = path.read_text("utf-8").splitlines() if path.exists() else []
    facts = f"{processor()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    if facts not in known:
        try:
            path.write_text("\n".join([*known, facts]) + "\n", "utf-8")
        except OSError as error:
            raise RowsNotSaved(path, error) from error


def processor() -> str:
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text("utf-8").splitlines() if info.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
