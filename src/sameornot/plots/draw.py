"""Drawing with matplotlib, imported when something is drawn: what is drawn comes from `session.py`.

Figures are made by hand and not by pyplot, so nothing is kept anywhere and no display is needed.
"""

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from sameornot.plots.session import FeatureShares, LearnedMap, SessionPicture, Stage

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by every kind of colour vision; black marks the placed rows instead.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
# With a shape beside the colour a group is known in grey print too, and there are enough of them for 63.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
GREY = "#5A5A5A"

# Groups that the legend names; of more, it says how many.
MAX_NAMED = 9
# Longest line of a feature's name beside its bar.
NAME_WIDTH = 24


def draw_session(picture: SessionPicture) -> "Figure":
    """Agreement against questions, the rows in the learned space, and the features that matter."""
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


def draw_agreement(axes: "Axes", stages: tuple[Stage, ...]) -> None:
    """The curve of a session, from before the first question to the last."""
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
    axes.set_ylabel("adjusted Rand index (1: as the true groups)")
    axes.set_title("Agreement after each answer", loc="left", fontsize=11)


def draw_map(axes: "Axes", learned_map: LearnedMap) -> None:
    """The rows, coloured by group; those that the answers placed have a black edge."""
    x, y, group = (np.array(column) for column in (learned_map.x, learned_map.y, learned_map.group))
    placed = np.array(learned_map.placed, dtype=bool)
    found = np.unique(group)
    for k, label in enumerate(found):
        style: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        open_rows, placed_rows = (group == label) & ~placed, (group == label) & placed
        axes.scatter(x[open_rows], y[open_rows], s=16, alpha=0.55, linewidths=0, **style)
        axes.scatter(x[placed_rows], y[placed_rows], s=44, edgecolors="black", linewidths=1.1, **style)
    _name_groups(axes, [int((group == label).sum()) for label in found], int(placed.sum()))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_xlabel(f"first principal axis ({learned_map.shares[0]:.0%} of variance)")
    axes.set_ylabel(f"second principal axis ({learned_map.shares[1]:.0%})")
    axes.set_title("The rows in the learned space", loc="left", fontsize=11)


def _name_groups(axes: "Axes", sizes: list[int], n_placed: int) -> None:
    from matplotlib.lines import Line2D

    keys = [
        Line2D(
            [],
            [],
            linestyle="",
            color=COLOURS[k % len(COLOURS)],
            marker=MARKERS[k % len(MARKERS)],
            label=f"group {k + 1}: {size} rows",
        )
        for k, size in enumerate(sizes[:MAX_NAMED])
    ]
    if len(sizes) > MAX_NAMED:
        keys.append(Line2D([], [], linestyle="", label=f"and {len(sizes) - MAX_NAMED} more groups"))
    black_edge: dict[str, Any] = {"marker": "o", "markerfacecolor": "white", "markeredgecolor": "black"}
    keys.append(Line2D([], [], linestyle="", label=f"placed by answers: {n_placed}", **black_edge))
    axes.legend(handles=keys, loc="best", fontsize=9, framealpha=0.9)


def draw_features(axes: "Axes", features: FeatureShares) -> None:
    """The heaviest features as bars, heaviest on top."""
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
    axes.set_title("The features that matter most", loc="left", fontsize=11)


def _wrap(name: str) -> str:
    """A long name on two lines, the rest cut off; dollar signs are meant, not mathematics."""
    from textwrap import wrap

    lines = wrap(name.replace("$", r"\$"), NAME_WIDTH, max_lines=2, placeholder="…")
    return "\n".join(lines)


def save_png(figure: "Figure", path: str | PathLike[str]) -> None:
    """Write a PNG whose bytes depend on the figure alone."""
    figure.savefig(path, format="png", metadata={"Software": None})
