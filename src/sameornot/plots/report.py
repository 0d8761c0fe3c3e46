"""Pictures of a report: what they show as plain tuples, and the larger ones drawn as SVG.

No word of the table or of the expert is drawn, only numbers: any script can be shown by the page around it,
few by a drawing's fonts. Ink is the colour of the text around a picture, so it is seen on light and on dark.
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

# A colour that nothing else has, replaced by that of the text around the picture.
INK = "#010203"
# Points that are drawn one by one; more of them become an image within the picture, which is smaller.
MAX_VECTOR_POINTS = 2_000
# Bars that show how sure the rows of a group are, from 0 to 1.
N_BINS = 10
# A range leaves out this share of the rows at either end, an axis that much: single odd values hide the rest.
OUTSIDE, BEYOND = 0.1, 0.01


@dataclass(frozen=True)
class Spread:
    """Values of a column inside a group and outside: where most begin, the middle one, where most end.

    All are places on one axis from 0 to 1, which spans nearly all values of the column.
    """

    inside: tuple[float, float, float]
    outside: tuple[float, float, float]


def spread(values: np.ndarray, members: np.ndarray) -> Spread | None:
    """The ranges of a column's finite values for members of a group and the others; None if one is empty."""
    values = values / 4.0  # so that the difference of the largest numbers there are is one
    known = np.isfinite(values)
    inside, outside = values[known & members], values[known & ~members]
    if len(inside) == 0 or len(outside) == 0:
        return None
    low, high = np.quantile(values[known], [BEYOND, 1.0 - BEYOND])
    width = high - low if high > low else 1.0

    def places(part: np.ndarray) -> tuple[float, float, float]:
        marks = (np.quantile(part, [OUTSIDE, 0.5, 1.0 - OUTSIDE]) - low) / width
        first, middle, last = marks.clip(0.0, 1.0).tolist()
        return first, middle, last

    return Spread(places(inside), places(outside))


def sureness(confidence: np.ndarray) -> tuple[int, ...]:
    """How many rows are how sure, in `N_BINS` steps from 0 to 1."""
    counts, _ = np.histogram(confidence, bins=N_BINS, range=(0.0, 1.0))
    return tuple(counts.tolist())


def group_paint(number: int) -> str:
    """The colour of a group, by its number (from 1), as a name that the page's style sheet has to know."""
    return f"var(--g{(number - 1) % len(COLOURS)})"


def group_marker(number: int) -> str:
    """The shape of a group's points; with the colour it tells 63 groups apart."""
    return MARKERS[(number - 1) % len(MARKERS)]


def swatch(number: int) -> str:
    """Corners of that shape for a polygon in a box from −1 to 1."""
    from matplotlib.markers import MarkerStyle

    style = MarkerStyle(group_marker(number))
    corners = style.get_path().transformed(style.get_transform()).to_polygons()[0]
    corners = corners / np.abs(corners).max()
    return " ".join(f"{x:.3g},{-y:.3g}" for x, y in corners)


def draw_report_map(rows: LearnedMap, numbers: Sequence[int]) -> "Figure":
    """The rows in the learned space; label m of the map is group `numbers[m]`, placed rows have an edge."""
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
        free, bound = (group == label) & ~placed, (group == label) & placed
        axes.scatter(x[free], y[free], s=17, alpha=0.65, linewidths=0, rasterized=is_image, **style)
        axes.scatter(x[bound], y[bound], s=42, edgecolors=INK, linewidths=1.1, zorder=3, **style)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(f"first axis: {rows.shares[0]:.0%} of the variance")
    axes.set_ylabel(f"second axis: {rows.shares[1]:.0%}")
    return figure


def draw_moves(moves: Sequence[tuple[int, float]]) -> "Figure":
    """How much of the grouping changed, against the number of answers."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    figure, axes = blank_figure(10.4, 2.6)
    answers, shares = [n for n, _ in moves], [share for _, share in moves]
    axes.fill_between(answers, shares, color=COLOURS[0], alpha=0.18, linewidth=0)
    axes.plot(answers, shares, color=COLOURS[0], linewidth=1.8, marker="o", markersize=3)
    axes.set_xlim(min(answers) - 0.5, max(answers) + 0.5)
    axes.set_ylim(0, max(0.1, *shares) * 1.08)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    axes.yaxis.set_major_formatter(PercentFormatter(xmax=1.0, decimals=0))
    axes.grid(axis="y", color=INK, alpha=0.12)
    axes.set_xlabel("answers")
    axes.set_ylabel("rows that moved")
    return figure


def blank_figure(width: float, height: float) -> tuple["Figure", Any]:
    """A transparent figure of this size in inches, and its axes in ink."""
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
    """The figure as an element for a page; `name` keeps its ids apart from those of other pictures there."""
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
    drawn = f"<svg {box}>" + drawn[drawn.index(">", drawn.index("<svg")) + 1 :]  # without head and namespaces
    return _own_ids(drawn, name)


def _own_ids(drawn: str, name: str) -> str:
    """Drop the ids that nothing refers to, and begin the others with the picture's name."""
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', drawn))
    drawn = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", drawn)
    for each in sorted(used, key=len, reverse=True):
        drawn = re.sub(rf'(id="|href="#|url\(#){re.escape(each)}(?=["\)])', rf"\g<1>{name}-{each}", drawn)
    return drawn
