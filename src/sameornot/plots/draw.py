"""Draw the figure of a session with matplotlib; its data comes from `session.py`.

Figures are made without pyplot: there is no global state, and no display is needed.
"""

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from sameornot.plots.session import (
    FeatureShares,
    LearnedMap,
    SessionPicture,
    Stage,
    feature_shares,
    pool_map,
)
from sameornot.session import SessionResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette for all kinds of colour vision (2008), without its black, which marks placed rows.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# Markers make groups differ in grey print too; with the colours, 63 groups differ.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
GREY = "#5A5A5A"

# Groups that the legend lists; it counts the others.
MAX_NAMED = 9
# Characters per line of a feature's name.
NAME_WIDTH = 24


def draw_session(picture: SessionPicture) -> "Figure":
    """Draw agreement against questions, the rows in the learned space, and the feature weights."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15.0, 5.2), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.0, 1.25, 0.85))
    draw_agreement(left, picture.stages)
    draw_map(middle, picture.learned_map)
    draw_features(right, picture.features)
    for axes in (left, middle, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def draw_result(result: SessionResult) -> "Figure":
    """Draw the rows of the pool in the learned space, and the feature weights; a notebook shows the figure.

    Groups have the numbers of ``result.labels``.
    """
    pool = result.pool
    figure = _shown_figure(figsize=(10.5, 4.6), dpi=100, layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.45, 1.0))
    draw_map(left, pool_map(pool.features, pool.rows, result.of_pool()), first_group=0)
    draw_features(right, feature_shares(result))
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _shown_figure(**options: Any) -> "Figure":
    """A figure that any notebook shows, whether or not pyplot is in use there."""
    from io import BytesIO

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        def _repr_png_(self) -> bytes:
            drawn = BytesIO()
            self.savefig(drawn, format="png")
            return drawn.getvalue()

    figure = ShownFigure(**options)
    FigureCanvasAgg(figure)
    return figure


def draw_agreement(axes: "Axes", stages: tuple[Stage, ...]) -> None:
    """Draw the learning curve of a session, from before the first question to the last."""
    from matplotlib.ticker import MaxNLocator

    questions = [stage.questions for stage in stages]
    agreement = [stage.agreement for stage in stages]
    ends = [0, -1] if len(stages) > 1 else [-1]
    axes.axhline(1.0, color=GREY, linewidth=0.8, linestyle=":")
    axes.plot(questions, agreement, "o-", color=COLOURS[0], linewidth=2.0, markevery=ends)
    for end, offset in zip(ends, [(0, 11), (7, 0)][-len(ends) :], strict=True):
        axes.annotate(
            f"{agreement[end]:.2f}",
            (questions[end], agreement[end]),
            xytext=offset,
            textcoords="offset points",
            verticalalignment="center",
            color=COLOURS[0],
        )
    width = max(questions[-1], 1)
    axes.set_xlim(-0.03 * width, 1.13 * width)  # room for the number at the end
    axes.set_ylim(min(0.0, *agreement) - 0.03, 1.04)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.set_xlabel("questions answered")
    axes.set_ylabel("adjusted Rand index (1: the true groups)")
    axes.set_title("Agreement after each answer", loc="left", fontsize=11)


def draw_map(axes: "Axes", learned_map: LearnedMap, *, first_group: int = 1) -> None:
    """Draw the rows, coloured by group; rows that answers placed have a black edge.

    The first group has the number `first_group`.
    """
    x, y, group = (np.array(column) for column in (learned_map.x, learned_map.y, learned_map.group))
    placed = np.array(learned_map.placed, dtype=bool)
    found = np.unique(group)
    for k, label in enumerate(found):
        style: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        by_model, by_answers = (group == label) & ~placed, (group == label) & placed
        axes.scatter(x[by_model], y[by_model], s=16, alpha=0.55, linewidths=0, **style)
        axes.scatter(x[by_answers], y[by_answers], s=44, edgecolors="black", linewidths=1.1, **style)
    sizes = {int(label) + first_group: int((group == label).sum()) for label in found}
    _name_groups(axes, sizes, int(placed.sum()))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(f"first principal axis ({learned_map.shares[0]:.0%} of variance)")
    axes.set_ylabel(f"second principal axis ({learned_map.shares[1]:.0%})")
    axes.set_title("The rows in the learned space", loc="left", fontsize=11)


def _name_groups(axes: "Axes", sizes: dict[int, int], n_placed: int) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D(
            [],
            [],
            linestyle="",
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
            label=f"group {number}: {size} rows",
        )
        for k, (number, size) in enumerate(list(sizes.items())[:MAX_NAMED])
    ]
    if len(sizes) > MAX_NAMED:
        keys.append(Line2D([], [], linestyle="", label=f"and {len(sizes) - MAX_NAMED} more groups"))
    black_edge: dict[str, Any] = {"marker": "o", "markerfacecolor": "white", "markeredgecolor": "black"}
    keys.append(Line2D([], [], linestyle="", label=f"placed by answers: {n_placed}", **black_edge))
    axes.legend(handles=keys, loc="best", fontsize=9, framealpha=0.9)


def draw_features(axes: "Axes", features: FeatureShares) -> None:
    """Draw the largest feature weights as bars, the largest on top."""
    positions = np.arange(len(features.names))
    bars = axes.barh(positions, features.weights, color=COLOURS[0], height=0.7)
    axes.bar_label(bars, labels=[f"{weight:.1%}" for weight in features.weights], padding=3, fontsize=9)
    axes.set_yticks(positions, [_wrap(name) for name in features.names])
    axes.set_ylim(max(len(features.names), 1) - 0.5, -0.5)
    axes.set_xlim(0, 1.2 * max(features.weights, default=1.0))
    axes.set_xticks([])
    axes.tick_params(axis="y", length=0)
    axes.spines["bottom"].set_visible(False)
    rest = 1.0 - sum(features.weights)
    axes.set_xlabel(f"share of the metric; {features.n_others} other features: {rest:.0%}")
    axes.set_title("The features of largest weight", loc="left", fontsize=11)


def _wrap(name: str) -> str:
    """Break a long name into two lines and cut the rest; a dollar sign does not start mathematics."""
    from textwrap import wrap

    lines = wrap(name.replace("$", r"\$"), NAME_WIDTH, max_lines=2, placeholder="…")
    return "\n".join(lines)


def save_png(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a PNG whose bytes depend on the figure only."""
    figure.savefig(path, format="png", metadata={"Software": None})
