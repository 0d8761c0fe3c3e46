"""Figures of the report: the data of the small ones as plain tuples, the large ones drawn as SVG.

Figures contain numbers but no text of the table or of the expert: the page can show any script, the fonts of
a drawing cannot. They use the text colour of the page, so they are legible in both themes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sameornot.plots.draw import COLOURS, MARKERS
from sameornot.plots.session import LearnedMap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# A colour that nothing else has; it is replaced by the text colour of the page.
INK = "#010203"
# More points than this are drawn as one raster image within the SVG, which is smaller.
MAX_VECTOR_POINTS = 2_000
# Bins of a confidence histogram.
N_BINS = 10
# Shares of the rows that a range and the axis leave out at either end, so that outliers do not hide the rest.
RANGE_TAIL, AXIS_TAIL = 0.1, 0.01


@dataclass(frozen=True)
class ValueRanges:
    """First decile, median and last decile of a column, inside a group and outside.

    They are positions on one axis from 0 to 1, which spans nearly all values of the column.
    """

    inside: tuple[float, float, float]
    outside: tuple[float, float, float]


def value_ranges(values: np.ndarray, members: np.ndarray) -> ValueRanges | None:
    """The ranges of a column's finite values for members of a group and the others; None if one is empty."""
    values = values / 4.0  # so that the difference of the largest floats does not overflow
    known = np.isfinite(values)
    inside, outside = values[known & members], values[known & ~members]
    if len(inside) == 0 or len(outside) == 0:
        return None
    low, high = np.quantile(values[known], [AXIS_TAIL, 1.0 - AXIS_TAIL])
    width = high - low if high > low else 1.0

    def positions(part: np.ndarray) -> tuple[float, float, float]:
        quantiles = (np.quantile(part, [RANGE_TAIL, 0.5, 1.0 - RANGE_TAIL]) - low) / width
        first, median, last = quantiles.clip(0.0, 1.0).tolist()
        return first, median, last

    return ValueRanges(positions(inside), positions(outside))


def confidence_histogram(confidence: np.ndarray) -> tuple[int, ...]:
    """Number of rows in each of `N_BINS` equal intervals of confidence."""
    counts, _ = np.histogram(confidence, bins=N_BINS, range=(0.0, 1.0))
    return tuple(counts.tolist())


def group_colour(number: int) -> str:
    """The colour of a group, by its number (from 1), as a variable that the page's style sheet defines."""
    return f"var(--g{(number - 1) % len(COLOURS)})"


def group_marker(number: int) -> str:
    """The marker of a group; together with the colour, 63 groups differ."""
    return MARKERS[(number - 1) % len(MARKERS)]


def marker_polygon(number: int) -> str:
    """The corners of a group's marker, for an SVG polygon in a box from −1 to 1."""
    from matplotlib.markers import MarkerStyle

    style = MarkerStyle(group_marker(number))
    corners = style.get_path().transformed(style.get_transform()).to_polygons()[0]
    corners = corners / np.abs(corners).max()
    return " ".join(f"{x:.3g},{-y:.3g}" for x, y in corners)


def draw_report_map(rows: LearnedMap, numbers: Sequence[int]) -> "Figure":
    """Draw rows in the learned space; label m is group `numbers[m]`, and placed rows have an edge."""
    figure, axes = blank_figure(10.4, 5.6)
    x, y, group = (np.array(column) for column in (rows.x, rows.y, rows.group))
    placed = np.array(rows.placed, dtype=bool)
    is_image = len(x) > MAX_VECTOR_POINTS
    for label in np.unique(group):
        number = numbers[label]
        style: dict[str, Any] = {
            "color": COLOURS[(number - 1) % len(COLOURS)],
            "marker": group_marker(number),
        }
        by_model, by_answers = (group == label) & ~placed, (group == label) & placed
        edge: dict[str, Any] = {"edgecolors": INK, "linewidths": 1.1, "zorder": 3}
        axes.scatter(x[by_model], y[by_model], s=17, alpha=0.65, linewidths=0, rasterized=is_image, **style)
        axes.scatter(x[by_answers], y[by_answers], s=42, **edge, **style)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(f"first axis: {rows.shares[0]:.0%} of the variance")
    axes.set_ylabel(f"second axis: {rows.shares[1]:.0%}")
    return figure


def draw_churn(churn: Sequence[tuple[int, float]]) -> "Figure":
    """Draw the share of rows that changed group against the number of answers."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure, axes = blank_figure(10.4, 2.6)
    answers, shares = [n for n, _ in churn], [share for _, share in churn]
    axes.fill_between(answers, shares, color=COLOURS[0], alpha=0.18, linewidth=0)
    axes.plot(answers, shares, color=COLOURS[0], linewidth=1.8, marker="o", markersize=3)
    axes.set_xlim(min(answers) - 0.5, max(answers) + 0.5)
    axes.set_ylim(0, max(0.1, *shares) * 1.08)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    axes.grid(axis="y", color=INK, alpha=0.12)
    axes.set_xlabel("answers")
    axes.set_ylabel("rows that changed group")
    return figure


def blank_figure(width: float, height: float) -> tuple["Figure", Any]:
    """A transparent figure of this size in inches, with axes in the text colour."""
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=160, layout="constrained", facecolor="none")
    FigureCanvasSVG(figure)
    axes = figure.add_subplot(facecolor="none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.spines[["left", "bottom"]].set_alpha(0.5)
    axes.tick_params(color=INK, labelcolor=INK, labelsize=9)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(color=INK, fontsize=10)
    axes.set_axisbelow(True)
    return figure, axes


def inline_svg(figure: "Figure", name: str) -> str:
    """The figure as an SVG element for a page; `name` makes its ids unique there."""
    from io import StringIO

    from matplotlib import rc_context

    text = StringIO()
    with rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    drawn = text.getvalue().replace(INK, "currentColor")
    for k, colour in enumerate(COLOURS):
        drawn = drawn.replace(colour.lower(), f"var(--g{k})")
    drawn = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"font-family: [^;\"]*", "font-family: inherit", drawn)
    (box,) = re.findall(r'viewBox="[^"]*"', drawn)
    drawn = (
        f"<svg {box}>" + drawn[drawn.index(">", drawn.index("<svg")) + 1 :]
    )  # drop XML head and namespaces
    return _own_ids(drawn, name)


def _own_ids(drawn: str, name: str) -> str:
    """Drop ids without references, and prefix the others with the name of the figure."""
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', drawn))
    drawn = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", drawn)
    for each in sorted(used, key=len, reverse=True):
        drawn = re.sub(rf'(id="|href="#|url\(#){re.escape(each)}(?=["\)])', rf"\g<1>{name}-{each}", drawn)
    return drawn
