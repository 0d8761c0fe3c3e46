"""Theorems 2 and 3 (§5) in pictures: the loss of each strategy, from the rows of `theory_rows.py`.

What is shown comes first, as plain tuples; the drawing follows. A loss is KL(ρ_*||ρ), in nats.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reproduction.plots.style import COLOURS, GREY, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A line style beside the colour, to be distinguishable in grey print too.
STYLES = {
    "active": (COLOURS[0], "-"),
    "random": (COLOURS[1], "--"),
    "two-step": (COLOURS[5], ":"),
    "two-step, skipping": (COLOURS[2], "-."),
}
NAMES = {
    "active": "active: minimum expected entropy",
    "random": "random open pairs",
    "two-step": "two-step, as published",
    "two-step, skipping": "two-step, skipping settled pairs",
}


@dataclass(frozen=True)
class LossCurve:
    """Mean loss over the problems after each number of questions, and its standard error."""

    method: str
    questions: tuple[int, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True)
class LossPanel:
    """Theorem 3 for one kind of problem."""

    n_clusters: int
    n_points: int
    separation: float
    curves: tuple[LossCurve, ...]


@dataclass(frozen=True)
class StepGains:
    """Theorem 2 for one kind of problem: loss of a random choice minus that of MEE's, for each problem.

    `holds` is the share of random choices for which it is not negative.
    """

    n_clusters: int
    separation: float
    gains: tuple[float, ...]
    holds: float


@dataclass(frozen=True)
class TheoryPicture:
    """All that the picture of the theorems shows."""

    panels: tuple[LossPanel, ...]
    steps: tuple[StepGains, ...]
    n_problems: int


def theory_picture(
    rows: pd.DataFrame, *, strength: float = np.inf, start: int = 0, placed: int = 1
) -> TheoryPicture:
    """Average the rows with one strength of answers.

    Theorem 3 is shown from neighbourhoods of `start` points, Theorem 2 from `placed` points in each.
    """
    rows = rows[rows.strength == strength]
    third = rows[(rows.experiment == "theorem3") & (rows.neighbourhood_size == start)]
    second = rows[(rows.experiment == "theorem2") & (rows.neighbourhood_size == placed)]
    kinds = ["n_clusters", "separation"]
    return TheoryPicture(
        panels=tuple(_loss_panel(kind) for _, kind in third.groupby(kinds)),
        steps=tuple(_step_gains(kind) for _, kind in second.groupby(kinds)),
        n_problems=rows.seed.nunique(),
    )


def _loss_panel(rows: pd.DataFrame) -> LossPanel:
    methods = [method for method in STYLES if (rows.method == method).any()]
    first = rows.iloc[0]
    curves = tuple(_loss_curve(method, rows[rows.method == method]) for method in methods)
    return LossPanel(int(first.n_clusters), int(first.n_points), float(first.separation), curves)


def _loss_curve(method: str, rows: pd.DataFrame) -> LossCurve:
    found = rows.groupby("questions").kl.agg(["mean", "sem"]).fillna(0.0)  # one problem has no error
    return LossCurve(
        method, tuple(found.index.tolist()), tuple(found["mean"].tolist()), tuple(found["sem"].tolist())
    )


def _step_gains(rows: pd.DataFrame) -> StepGains:
    loss = rows.pivot(index="seed", columns="method", values="kl")
    gains = tuple((loss["random"] - loss["active"]).tolist())
    first = rows.iloc[0]
    return StepGains(int(first.n_clusters), float(first.separation), gains, float(rows.holds.mean()))


def draw_theory(rows: pd.DataFrame) -> "Figure":
    """Loss against questions for every kind of problem (Theorem 3), and the gain of one step (Theorem 2)."""
    picture = theory_picture(rows)
    clusters = sorted({panel.n_clusters for panel in picture.panels})
    separations = sorted({panel.separation for panel in picture.panels})
    shape = len(clusters) + 1, len(separations)
    figure = new_figure(1.5 + 4.0 * shape[1], 1.0 + 3.1 * shape[0])
    grid = figure.add_gridspec(*shape)
    for panel in picture.panels:
        row, column = clusters.index(panel.n_clusters), separations.index(panel.separation)
        draw_losses(figure.add_subplot(grid[row, column]), panel)
    draw_gains(figure.add_subplot(grid[-1, :]), picture.steps)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, frameon=False, fontsize=11)
    return figure


def draw_losses(axes: "Axes", panel: LossPanel) -> None:
    """Mean loss of each method with a band of two standard errors; grey where the theorem applies."""
    from matplotlib.ticker import MaxNLocator

    lowest, highest = panel.n_clusters**2, panel.n_clusters * panel.n_points
    for curve in panel.curves:
        colour, dash = STYLES[curve.method]
        mean, error = np.array(curve.mean), np.array(curve.error)
        axes.fill_between(
            curve.questions, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, linewidth=0
        )
        axes.plot(
            curve.questions, mean, color=colour, linestyle=dash, linewidth=2.0, label=NAMES[curve.method]
        )
    range_label = "K² < T < K·n: the range of Theorem 3"
    axes.axvspan(lowest, highest, color="0.94", linewidth=0, zorder=0, label=range_label)
    axes.set_xlim(0, highest + 2)  # beyond, all is known
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=7, integer=True))
    axes.set_xlabel("questions answered (T)")
    axes.set_ylabel("divergence from the truth (nats)")
    title = f"{panel.n_clusters} clusters, centres {panel.separation:g} σ apart"
    axes.set_title(title, loc="left", fontsize=11)


def draw_gains(axes: "Axes", steps: tuple[StepGains, ...]) -> None:
    """A box for each kind of problem, and above it how often the theorem's inequality holds."""
    positions = range(len(steps))
    axes.axhline(0.0, color=GREY, linewidth=0.8)
    axes.boxplot(
        [step.gains for step in steps],
        positions=positions,
        widths=0.5,
        whis=(5, 95),
        showmeans=True,
        patch_artist=True,
        boxprops={"facecolor": COLOURS[4], "edgecolor": GREY},
        medianprops={"color": "black"},
        meanprops={"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black"},
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": GREY},
    )
    for position, step in zip(positions, steps, strict=True):
        axes.text(
            position,
            1.0,
            f"holds in {step.holds:.1%}",
            transform=axes.get_xaxis_transform(),
            ha="center",
            va="bottom",
        )
    axes.set_xticks(positions, [f"K = {step.n_clusters}, {step.separation:g} σ apart" for step in steps])
    axes.set_ylabel("divergence after a random choice\nminus after the active one (nats)")
    axes.set_title(
        "Theorem 2: one point placed, at random or by MEE (above 0: MEE is nearer; diamond: mean)\n",
        loc="left",
        fontsize=11,
    )
