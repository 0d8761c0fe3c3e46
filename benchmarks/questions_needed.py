"""The chart of the README: questions until the grouping is good, beside rivals, with error bars.

python benchmarks/questions_needed.py    docs/images/questions_needed.png, from the rows in benchmarks/rows
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from generated import record
from reproduction.plots.style import finish_axes, look_of, new_figure, save_png
from reproduction.questions import DEFAULT, SETTINGS, rows_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "benchmarks" / "rows"
PICTURE = ROOT / "docs" / "images" / "questions_needed.png"
LEVEL = 0.8  # the ARI to be reached
LABELS = {
    DEFAULT: "sameornot (default)",
    "AQM + MEE": "the paper's method",
    "MPCKMeans + NPU": "MPCKMeans + NPU",
    "COBRAS": "COBRAS",
    "A3S": "A3S",
    "Label and classify": "label and classify",
}


class Needed(NamedTuple):
    """Questions until the level is reached, over seeds; where some did not, a lower bound."""

    mean: float
    error: float
    n_reached: int
    n_seeds: int


def main() -> None:
    """Draw the chart."""
    paths = {setting.title: ROWS / f"{rows_name(name)}.csv" for name, setting in SETTINGS.items()}
    tables = {title: pd.read_csv(path) for title, path in paths.items()}
    save_png(draw(tables), PICTURE)
    record("needed")


def needed(rows: pd.DataFrame, run: str, level: float = LEVEL) -> Needed | None:
    """The first checkpoint at the level, averaged over seeds, with its standard error; None without rows."""
    curves = rows[rows.run == run]
    if curves.empty:
        return None
    first = curves[curves.ari >= level].groupby("seed").checkpoint.min()
    last = curves.groupby("seed").checkpoint.max()
    counts = first.reindex(last.index).fillna(last).to_numpy(dtype=float)
    error = float(counts.std(ddof=1) / np.sqrt(len(counts))) if len(counts) > 1 else 0.0
    return Needed(float(counts.mean()), error, len(first), len(last))


def draw(tables: dict[str, pd.DataFrame]) -> "Figure":
    """One line a table, one mark a method."""
    figure = new_figure(9.0, 5.6)
    axes: Axes = figure.subplots()
    for place, rows in enumerate(tables.values()):
        if place % 2:
            axes.axhspan(place - 0.5, place + 0.5, color="0.96", zorder=0)
        for n, run in enumerate(LABELS):
            draw_mark(axes, needed(rows, run), place + (n - (len(LABELS) - 1) / 2) * 0.13, run)
    finish_axes(axes, f"Questions until the groups agree with the true ones (ARI {LEVEL}); fewer is better")
    axes.set_yticks(range(len(tables)), list(tables))
    axes.set_ylim(len(tables) - 0.5, -0.5)
    axes.set_xlim(-6, 312)
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", color="0.9")
    axes.set_xlabel(
        "questions: mean and standard error over seeds; hollow: some seeds do not get there (up to 300)"
    )
    for run, label in LABELS.items():
        look = look_of(run)
        axes.plot([], [], marker=look.marker, color=look.colour, linestyle="", label=label)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncol=3, frameon=False)
    return figure


def draw_mark(axes: "Axes", found: Needed | None, height: float, run: str) -> None:
    """A mark with its error bar, hollow where it is a lower bound."""
    if found is None:
        return
    look = look_of(run)
    axes.errorbar(
        [found.mean],
        [height],
        xerr=[found.error],
        marker=look.marker,
        markersize=8 if run == DEFAULT else 5.5,
        markerfacecolor=look.colour if found.n_reached == found.n_seeds else "white",
        color=look.colour,
        linestyle="",
        capsize=2,
        zorder=3,
    )


if __name__ == "__main__":
    main()
