"""Column names that every reader gives: text, not empty, unique."""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from sameornot._dataframes import as_pandas


def unique_names(names: Iterable[Any]) -> list[str]:
    """Make column names unique: a second `x` becomes `x.1`, a missing name `column 3` (counted from 1)."""
    given = [_text(name) or f"column {place}" for place, name in enumerate(names, start=1)]
    taken, used = set(given), set[str]()
    result = []
    for name in given:
        if name in used:
            name = _first_free(name, taken)
            taken.add(name)
        used.add(name)
        result.append(name)
    return result


def with_unique_names(frame: Any) -> pd.DataFrame:
    """The cells of a DataFrame of any library, with unique text names, and rows numbered from 0."""
    frame = as_pandas(frame)
    names = unique_names(frame.columns)
    result = frame.reset_index(drop=True)
    result.columns = pd.Index(names, dtype=object)
    return result


def _text(name: Any) -> str:
    missing = name is None or (isinstance(name, float) and name != name)
    return "" if missing else str(name).encode("utf-8", "replace").decode("utf-8").strip()


def _first_free(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    return f"{name}.{number}"
