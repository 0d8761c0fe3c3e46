"""Numbers and tables in Markdown."""

from collections.abc import Sequence

import pandas as pd

from reproduction.paper import Cell

NONE = "–"


def number(value: float) -> str:
    """Three decimals without the leading zero, as is usual in tables of this field."""
    text = f"{round(value, 3) + 0.0:.3f}"  # + 0.0: no minus before zero
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def mean_and_deviation(cell: Cell) -> str:
    """Mean and standard deviation."""
    return f"{number(cell.mean)} ({number(cell.deviation)})"


def mean_and_error(values: pd.Series, *, signed: bool = False) -> str:
    """Mean ± standard error; one value has none."""
    found = values.dropna().to_numpy(dtype=float)
    if not len(found):
        return NONE
    mean = ("+" if signed and found.mean() > 0 else "") + number(float(found.mean()))
    error = float(found.std(ddof=1)) / len(found) ** 0.5 if len(found) > 1 else None
    return mean if error is None else f"{mean} ± {number(error)}"


def markdown(header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table, padded so that it also reads well in a terminal."""
    widths = [max(len(row[column]) for row in [header, *body]) for column in range(len(header))]
    ruled = [header, ["-" * width for width in widths], *body]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in ruled
    )
