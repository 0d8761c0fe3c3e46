"""Figures 1, 2 and 4 of the paper: the simulated data, random pairs, feature weights on urban land cover.

What is shown comes first, as plain tuples; the drawing follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reproduction import paper as published
from reproduction.plots.style import (
    COLOURS,
    GREY,
    MARKERS,
    finish_axes,
    floats,
    hollow_marker,
    look_of,
    new_figure,
    sort_key,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = {
    "exact": "The objective that the paper prints",
    "separable": "The objective of the paper's released code",
}
AUGMENTATION = {"without augmentation": COLOURS[1], "with augmentation": COLOURS[2]}  # as in the paper

# The paper says "all 147 features": K-means on raw and on scaled features is compared with its number.
KMEANS = {
    "K-means, all, raw": ("all, raw", "all"),
    "K-means, all": ("all, scaled", "all"),
    "K-means, top three": ("top three", "top three"),
    "K-means, top group": ("top group", "top group"),
}
WEIGHT_OF = "weight of "
MARKED = "NDVI"  # the vegetation index, at seven scales


@dataclass(frozen=True)
class BoxPanel:
    """Figure 2 for one objective: ARI of every replication at each number of pairs, for both ways."""

    title: str
    n_pairs: tuple[int, ...]
    agreement: dict[str, tuple[tuple[float, ...], ...]]


@dataclass(frozen=True)
class WeightPanel:
    """Figure 4 for one method: features by mean weight, heaviest first; mean size of the top group."""

    method: str
    features: tuple[str, ...]
    weights: tuple[float, ...]
    marked: tuple[bool, ...]
    top_group: float


@dataclass(frozen=True)
class SelectionBar:
    """Mean ARI of plain K-means with the features that each method leaves, and the paper's number."""

    features: str
    mean: dict[str, float]
    paper: float


def augmentation_panels(rows: pd.DataFrame) -> tuple[BoxPanel, ...]:
    """A panel for each objective that has rows."""
    _check_rows("Figure 2", rows)
    return tuple(
        _box_panel(title, kind, rows[rows.method.str.startswith(kind)])
        for kind, title in KINDS.items()
        if rows.method.str.startswith(kind).any()
    )


def _box_panel(title: str, kind: str, rows: pd.DataFrame) -> BoxPanel:
    n_pairs = sorted(rows.checkpoint.unique().tolist())
    agreement = {
        way: tuple(
            floats(rows.ari[(rows.method == f"{kind} {way}") & (rows.checkpoint == n)]) for n in n_pairs
        )
        for way in AUGMENTATION
    }
    return BoxPanel(title, tuple(n_pairs), agreement)


def weight_panels(rows: pd.DataFrame) -> tuple[WeightPanel, ...]:
    """A panel for each method that has rows, the paper's first."""
    _check_rows("Figure 4", rows)
    methods = sorted(rows.method.unique(), key=sort_key)
    return tuple(_weight_panel(method, rows[rows.method == method]) for method in methods)


def _weight_panel(method: str, rows: pd.DataFrame) -> WeightPanel:
    mean = rows.groupby("item", sort=False).value.mean()
    weights = mean[mean.index.str.startswith(WEIGHT_OF)].sort_values(ascending=False, kind="stable")
    features = tuple(item.removeprefix(WEIGHT_OF) for item in weights.index)
    marked = tuple(feature.partition(" ")[2].startswith(MARKED) for feature in features)
    return WeightPanel(method, features, floats(weights), marked, float(mean["size of top group"]))


def selection_bars(rows: pd.DataFrame) -> tuple[SelectionBar, ...]:
    """Plain K-means with all features, raw and scaled, and with the heaviest of each method."""
    mean = rows.groupby(["item", "method"]).value.mean()
    methods = sorted(rows.method.unique(), key=sort_key)
    return tuple(
        SelectionBar(name, {method: float(mean[item, method]) for method in methods}, published.FIGURE4[key])
        for item, (name, key) in KMEANS.items()
    )


def _check_rows(figure: str, rows: pd.DataFrame) -> None:
    if rows.empty:
        raise ValueError(f"there are no rows to draw {figure} from")


def draw_figure1(X: np.ndarray, y: np.ndarray) -> "Figure":
    """The simulated data: the first three features separate the clusters, the last three do not."""
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] < 6:
        raise ValueError(f"X has shape {X.shape}, but two times three features are drawn")
    figure = new_figure(10.0, 5.0)
    sides = {"Relevant features": X[:, :3], "Irrelevant features": X[:, -3:]}
    for place, (title, side) in enumerate(sides.items(), start=1):
        axes = figure.add_subplot(1, 2, place, projection="3d")
        _draw_cloud(axes, side, y, first=1 if place == 1 else X.shape[1] - 2)
        axes.set_title(title, fontsize=11)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def _draw_cloud(axes: Any, points: np.ndarray, y: np.ndarray, first: int) -> None:
    from matplotlib.ticker import MaxNLocator

    for k, label in enumerate(np.unique(y)):
        style = {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}
        axes.scatter(*points[y == label].T, s=22, depthshade=False, label=f"cluster {k + 1}", **style)
    axes.set(xlabel=f"feature {first}", ylabel=f"feature {first + 1}", zlabel=f"feature {first + 2}")
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_major_locator(MaxNLocator(4, integer=True, steps=(1, 2, 5, 10)))
    axes.set_box_aspect(None, zoom=0.9)  # or the label of the upright axis is cut off


def draw_figure2(rows: pd.DataFrame) -> "Figure":
    """Boxes of the ARI at each number of random pairs, with and without augmentation."""
    panels = augmentation_panels(rows)
    figure = new_figure(1.0 + 6.0 * len(panels), 4.6)
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw_boxes(axes, panel)
    all_axes[0].set_ylabel("adjusted Rand index")
    handles, labels = all_axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=11)
    return figure


def _draw_boxes(axes: "Axes", panel: BoxPanel) -> None:
    places = np.arange(len(panel.n_pairs))
    for offset, (way, colour) in zip((-0.2, 0.2), AUGMENTATION.items(), strict=True):
        axes.boxplot(
            panel.agreement[way],
            positions=places + offset,
            widths=0.34,
            patch_artist=True,
            label=way,
            boxprops={"facecolor": colour, "edgecolor": "black", "linewidth": 0.8},
            medianprops={"color": "black", "linewidth": 1.8},
            flierprops={"marker": ".", "markersize": 5, "markeredgecolor": GREY},
        )
    axes.set_xticks(places, [str(n) for n in panel.n_pairs])
    axes.set_xlabel("number of random pairs answered")
    finish_axes(axes, panel.title)


def draw_figure4(rows: pd.DataFrame) -> "Figure":
    """The weights of all features in decreasing order, and the agreement of K-means with the heaviest."""
    panels = weight_panels(rows)
    figure = new_figure(14.0, 1.0 + 3.0 * len(panels))
    grid = figure.add_gridspec(len(panels), 2, width_ratios=(2.1, 1.0))
    for k, panel in enumerate(panels):
        _draw_weights(figure.add_subplot(grid[k, 0]), panel)
    figure.axes[0].legend(loc="upper right", ncols=2, frameon=False)
    figure.axes[-1].set_xlabel("features, heaviest first")
    _draw_selection(figure.add_subplot(grid[:, 1]), selection_bars(rows))
    return figure


def _draw_weights(axes: "Axes", panel: WeightPanel) -> None:
    ranks, weights = np.arange(1, len(panel.weights) + 1), np.array(panel.weights)
    marked = np.array(panel.marked)
    for chosen, colour, name in ((~marked, "0.72", "other features"), (marked, COLOURS[2], MARKED)):
        axes.bar(ranks[chosen], weights[chosen], width=0.85, color=colour, label=name)
    axes.set_xlim(0, len(ranks) + 1)
    axes.set_ylim(0, 1.3 * weights.max())  # room for what is written above the bars
    heaviest = ", ".join(panel.features[:3])
    axes.text(0.01, 0.98, f"heaviest: {heaviest}", transform=axes.transAxes, va="top")
    axes.axvline(panel.top_group + 0.5, ymax=0.86, color="black", linewidth=1.0, linestyle=":")
    on_the_left = panel.top_group < len(ranks) / 2
    axes.annotate(
        f"top group: {panel.top_group:.3g} features",
        (panel.top_group + 0.5, 0.86),
        xycoords=axes.get_xaxis_transform(),
        xytext=(5 if on_the_left else -5, 0),
        textcoords="offset points",
        horizontalalignment="left" if on_the_left else "right",
        verticalalignment="top",
    )
    axes.set_ylabel("mean weight")
    finish_axes(axes, f"Weights of {len(ranks)} features: {panel.method}")


def _draw_selection(axes: "Axes", bars: Sequence[SelectionBar]) -> None:
    places = np.arange(len(bars))
    methods = list(bars[0].mean)
    width = 0.8 / len(methods)
    for k, method in enumerate(methods):
        heights = [bar.mean[method] for bar in bars]
        at = places + (k - (len(methods) - 1) / 2) * width
        drawn = axes.bar(at, heights, width=0.92 * width, color=look_of(method).colour, label=method)
        axes.bar_label(drawn, [f"{height:.2f}" for height in heights], padding=3, fontsize=9)
    mark = {**hollow_marker("black", "D"), "markerfacecolor": "white"}  # to be seen on a bar too
    axes.plot(places, [bar.paper for bar in bars], zorder=3, **mark)
    axes.set_xticks(places, [f"{bar.features}\n◇ {bar.paper:.2f}" for bar in bars])
    axes.set_xlabel("features given to K-means; ◇: the paper's value")
    axes.set_ylabel("adjusted Rand index")
    axes.margins(y=0.25)  # room for the legend
    axes.legend(loc="upper center", ncols=len(methods), frameon=False)
    finish_axes(axes, "Plain K-means with these features")
