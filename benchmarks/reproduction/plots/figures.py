"""Figures 1, 2 and 4 of the paper: the simulated data, random pairs, feature weights on urban land cover.

What is shown comes first, as plain tuples; the drawing follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
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
    hatch_of,
    hollow_marker,
    look_of,
    new_figure,
    sort_key,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = {
    "printed": "As printed",
    "printed K-means": "As printed, rows grouped by plain K-means",
    "exact": "The printed objective with our other defaults",
    "separable": "Ours",
}
PANELS_PER_ROW = 2
AUGMENTATION = {"without augmentation": COLOURS[1], "with augmentation": COLOURS[2]}  # as in the paper

# Figure 4: items, what they are called, and the paper's number. It says "all 147 features" and "the first 3
# features" without saying whether they are scaled.
REFERENCE = {
    "K-means, all, raw": ("all, raw", "all"),
    "K-means, all": ("all, scaled", "all"),
    "K-means, NDVI, raw": ("19, 40, 61, raw", "top three"),
    "K-means, random": ("28 at random", "top group"),
}
BY_METHOD = {
    "K-means, top three": ("top three", "top three"),
    "K-means, top group": ("top group", "top group"),
}
NO_METRIC = "K-means"  # the run whose features no method chose
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
    found = {kind: [f"{kind} {way}" for way in AUGMENTATION] for kind in KINDS}
    return tuple(
        _box_panel(KINDS[kind], kind, rows[rows.method.isin(names)])
        for kind, names in found.items()
        if rows.method.isin(names).any()
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
    """A panel for each method that has weights, the paper's first."""
    _check_rows("Figure 4", rows)
    weighed = rows[rows["item"].str.startswith(WEIGHT_OF)]
    methods = sorted(weighed.method.unique(), key=sort_key)
    return tuple(_weight_panel(method, rows[rows.method == method]) for method in methods)


def _weight_panel(method: str, rows: pd.DataFrame) -> WeightPanel:
    mean = rows.groupby("item", sort=False).value.mean()
    weights = mean[mean.index.str.startswith(WEIGHT_OF)].sort_values(ascending=False, kind="stable")
    features = tuple(item.removeprefix(WEIGHT_OF) for item in weights.index)
    marked = tuple(feature.partition(" ")[2].startswith(MARKED) for feature in features)
    return WeightPanel(method, features, floats(weights), marked, float(mean["size of top group"]))


def selection_bars(rows: pd.DataFrame) -> tuple[SelectionBar, ...]:
    """Plain K-means with features that no method chose, and with the heaviest of each method."""
    reference = rows.groupby("item").value.mean()
    bars = [
        SelectionBar(name, {NO_METRIC: float(reference[item])}, published.FIGURE4[key])
        for item, (name, key) in REFERENCE.items()
        if item in reference
    ]
    for item, (name, key) in BY_METHOD.items():
        mean = rows[rows["item"] == item].groupby("method").value.mean()
        heights = {method: float(mean[method]) for method in sorted(mean.index, key=sort_key)}
        bars += [SelectionBar(name, heights, published.FIGURE4[key])] if heights else []
    return tuple(bars)


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
    n_columns = min(len(panels), PANELS_PER_ROW)
    n_rows = -(-len(panels) // n_columns)
    figure = new_figure(1.0 + 6.0 * n_columns, 0.8 + 3.8 * n_rows)
    all_axes: list[Axes] = []
    for place, panel in enumerate(panels, start=1):
        shared = {"sharey": all_axes[0]} if all_axes else {}
        all_axes.append(figure.add_subplot(n_rows, n_columns, place, **shared))
        _draw_boxes(all_axes[-1], panel)
    for axes in all_axes[::n_columns]:
        axes.set_ylabel("adjusted Rand index")
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
    figure = new_figure(14.0, max(1.0 + 2.6 * len(panels), 4.6))
    widths = (1.7, 1.0) if panels else (1.0,)
    grid = figure.add_gridspec(max(len(panels), 1), len(widths), width_ratios=widths)
    for k, panel in enumerate(panels):
        _draw_weights(figure.add_subplot(grid[k, 0]), panel)
    if panels:
        figure.axes[0].legend(loc="upper right", ncols=2, frameon=False)
        figure.axes[-1].set_xlabel("features, heaviest first")
    _draw_selection(figure.add_subplot(grid[:, -1]), selection_bars(rows))
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
    named: set[str] = set()
    for place, bar in enumerate(bars):
        width = 0.8 / max(len(bar.mean), 2)
        for k, (method, height) in enumerate(bar.mean.items()):
            at = place + (k - (len(bar.mean) - 1) / 2) * width
            drawn = axes.bar(
                at,
                height,
                width=0.92 * width,
                label=None if method in named else method,
                color=look_of(method).colour,
                hatch=hatch_of(method),
                edgecolor="white",
            )
            axes.bar_label(drawn, [f"{height:.2f}"], padding=3, fontsize=8, rotation=90)
            named.add(method)
    mark = {**hollow_marker("black", "D"), "markerfacecolor": "white"}  # to be seen on a bar too
    axes.plot(places, [bar.paper for bar in bars], zorder=3, label="the paper's value", **mark)
    axes.set_xticks(places, [fill(bar.features, 10) for bar in bars])
    axes.set_xlabel("features given to K-means")
    axes.set_ylabel("adjusted Rand index")
    axes.set_ylim(top=1.6 * max(height for bar in bars for height in (bar.paper, *bar.mean.values())))
    axes.legend(loc="upper left", frameon=False, fontsize=9)
    finish_axes(axes, "Plain K-means with these features")
