"""Mean ARI against questions, with the numbers that the paper prints: Tables 1 to 3 and Figure 3 as pictures.

What is shown comes first, as plain tuples; the drawing follows. ARI is the adjusted Rand index: 1 for the
true groups, 0 for groups at random.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reproduction import paper as published
from reproduction.columns import table_of
from reproduction.plots.style import (
    finish_axes,
    floats,
    hollow_marker,
    is_cobra,
    line_style,
    look_of,
    new_figure,
    sort_key,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = Sequence[tuple[float, float]]

PANELS_PER_ROW = 3
TITLE_WIDTH = 54


@dataclass(frozen=True)
class Curve:
    """Mean ARI of a method after so many questions, and its standard error."""

    method: str
    questions: tuple[float, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]
    n_replications: int


def mean_curve(method: str, rows: pd.DataFrame) -> Curve:
    """Average the replications of one method.

    Questions are those allowed; for COBRA, which has no budget, the mean number asked.
    """
    at = rows.groupby("checkpoint")
    mean, error = at.ari.mean(), at.ari.sem().fillna(0.0)  # one replication has no error
    questions = at.asked.mean() if is_cobra(method) else mean.index
    return Curve(method, floats(questions), floats(mean), floats(error), int(rows.seed.nunique()))


def mean_curves(rows: pd.DataFrame, methods: Sequence[str] | None = None) -> tuple[Curve, ...]:
    """The curves of one data set, in the order of the legend; of the methods named, those that have rows."""
    if rows.empty:
        return ()
    found = sorted(rows.method.unique(), key=sort_key)
    shown = [method for method in found if methods is None or method in methods]
    return tuple(mean_curve(method, rows[rows.method == method]) for method in shown)


def paper_points(experiment: str) -> dict[str, Points]:
    """The numbers that the paper prints for an experiment: (questions, ARI) points of each method.

    Examples
    --------
    >>> from reproduction.plots.curves import paper_points
    >>> paper_points("table1")["AQM + MEE"][0]
    (60, 0.474)
    >>> paper_points("figure3-cancer")
    {'AQM + MEE': [(80, 0.928)], 'MPCKMeans + NPU': [(80, 0.732)]}
    """
    table = table_of(experiment)
    points: dict[str, Points] = {
        method: [(n, cell.mean) for n, cell in zip(published.QUESTIONS, line, strict=True)]
        for method, line in published.TABLES.get(table, {}).items()
    }
    if table in published.COBRA:
        cells = published.COBRA[table].values()
        points["COBRA"] = [(cell.questions.mean, cell.ari.mean) for cell in cells]
    for (data, method, n), ari in published.FIGURE3.items():
        if experiment == f"figure3-{data}":
            points[method] = [(n, ari)]
    return points


def draw_curves(
    panels: Mapping[str, pd.DataFrame],
    *,
    methods: Sequence[str] | None = None,
    paper: Mapping[str, Mapping[str, Points]] | None = None,
) -> "Figure":
    """Mean ARI against questions, a panel for each data set, with a band of ± 1 standard error.

    Parameters
    ----------
    panels : mapping of str to DataFrame
        The title of each panel, and its rows.
    methods : sequence of str or None
        The methods to draw, as far as they have rows; None draws all.
    paper : mapping or None
        By title and method, the paper's own (questions, ARI) points; drawn hollow beside ours.

    Returns
    -------
    figure : Figure
        With one legend for all panels.
    """
    if not panels:
        raise ValueError("no panel was given to draw")
    curves = {title: mean_curves(rows, methods) for title, rows in panels.items()}
    for title, found in curves.items():
        if not found:
            raise ValueError(f"the panel {title!r} has no rows of {methods or 'any method'}")
    n_columns = min(len(curves), PANELS_PER_ROW)
    n_rows = -(-len(curves) // PANELS_PER_ROW)
    figure = new_figure(max(4.9 * n_columns, 7.5), 4.1 * n_rows + 1.0)
    for place, (title, found) in enumerate(curves.items(), start=1):
        axes = figure.add_subplot(n_rows, n_columns, place)
        _draw_panel(axes, found, (paper or {}).get(title, {}))
        finish_axes(axes, _fold(title))
    for axes in figure.axes[::PANELS_PER_ROW]:
        axes.set_ylabel("adjusted Rand index")
    hollow = any((paper or {}).values())
    _name_methods(figure, [curve for found in curves.values() for curve in found], hollow)
    return figure


def _fold(title: str) -> str:
    """A title in lines: a new one for a colon, none within `n = 300`."""
    whole = title.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}").replace(": ", "\n", 1)
    return "\n".join(fill(line, TITLE_WIDTH) for line in whole.splitlines())


def _draw_panel(axes: "Axes", curves: Sequence[Curve], paper: Mapping[str, Points]) -> None:
    for place, curve in enumerate(curves):
        look = look_of(curve.method)
        above = 10.0 - place  # the first methods lie on top
        mean, error = np.array(curve.mean), np.array(curve.error)
        if is_cobra(curve.method):
            axes.errorbar(curve.questions, mean, error, fmt="none", ecolor=look.colour, zorder=above)
        else:
            low, high = mean - error, mean + error
            axes.fill_between(
                curve.questions, low, high, color=look.colour, alpha=0.15, linewidth=0, zorder=1
            )
        axes.plot(curve.questions, mean, zorder=above, **line_style(curve.method))
        if curve.method in paper:
            questions, agreement = zip(*paper[curve.method], strict=True)
            axes.plot(questions, agreement, zorder=20, **hollow_marker(look.colour, look.marker))
    axes.set_xlim(left=0)
    axes.set_xlabel("questions answered")


def _name_methods(figure: "Figure", curves: Sequence[Curve], hollow: bool) -> None:
    """One legend for all panels, which also says what the bands and the hollow marks mean."""
    from matplotlib.lines import Line2D

    methods = sorted({curve.method for curve in curves}, key=sort_key)
    keys = [Line2D([], [], label=method, **line_style(method)) for method in methods]
    if hollow:
        keys.append(Line2D([], [], label="hollow: the paper's value", **hollow_marker("black", "o")))
    counts = sorted({curve.n_replications for curve in curves})
    several = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    inches = 0.7 + 0.08 * max(len(str(key.get_label())) for key in keys)  # of a column, at the usual size
    figure.legend(
        handles=keys,
        loc="outside lower center",
        ncols=int(min(max(figure.get_figwidth() // inches, 1), 4)),
        frameon=False,
        title=f"mean of {several} replications ± 1 standard error",
    )
