"""Figures 1 to 4 of the paper and its tables as curves, from the rows of `bench/experiments.py`.

What is shown comes first, as plain tuples; the drawing follows. A method has one look in all pictures: a
variant, named in brackets behind its method, keeps its colour and shape and is dashed. ARI is the adjusted
Rand index: 1 for the true groups, 0 for what chance gives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from sameornot.bench import paper as published
from sameornot.plots.draw import COLOURS, GREY, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Points = Sequence[tuple[float, float]]


class Look(NamedTuple):
    """How a method is drawn."""

    colour: str
    marker: str
    width: float = 1.3
    dash: str = "-"


# Ours and the paper's method first and strongest, then rivals, then what the paper does not have.
LOOKS = {
    "Panel": Look("black", "o", 2.6),
    "AQM + MEE": Look(COLOURS[0], "o", 3.0),
    "AQM + NPU": Look(COLOURS[4], "s", 1.8),
    "MPCKMeans + NPU": Look(COLOURS[5], "^"),
    "COPKMeans + NPU": Look(COLOURS[2], "v"),
    "PCKMeans + NPU": Look(COLOURS[1], "D"),
    "COBRAS": Look(COLOURS[3], "P"),
    "COBRA": Look(COLOURS[3], "X"),
    "Label and classify": Look(GREY, "<", dash="--"),
    "Label and classify + MEE": Look(GREY, ">", dash=":"),
    "nCOBRAS": Look(COLOURS[3], "X", dash="--"),
    "A3S": Look(COLOURS[2], "*", dash="--"),
}
VARIANT_DASHES = {"automatic λ and q": "-.", "no penalty": ":", "strong price": "-."}

KINDS = {
    "exact": "The objective that the paper prints",
    "separable": "The objective of the paper's released code",
}
AUGMENTATION = {"without augmentation": COLOURS[1], "with augmentation": COLOURS[2]}  # as in the paper

# The paper's text says "all 147 features": both ways to give them to K-means are held against its number.
KMEANS = {
    "K-means, all, raw": ("all, raw", "all"),
    "K-means, all": ("all, scaled", "all"),
    "K-means, top three": ("top three", "top three"),
    "K-means, top group": ("top group", "top group"),
}
WEIGHT_OF = "weight of "
MARKED = "NDVI"  # the vegetation index, at seven scales

PANELS_A_ROW = 3
TITLE_WIDTH = 54


@dataclass(frozen=True)
class Curve:
    """Mean ARI of a method after so many questions, and its standard error."""

    method: str
    questions: tuple[float, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]
    n_replications: int


@dataclass(frozen=True)
class BoxPanel:
    """Figure 2 for one objective: for either way, the ARI of every replication at each number of pairs."""

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


def mean_curve(method: str, rows: pd.DataFrame) -> Curve:
    """Average the replications of one method.

    Questions are those allowed; for COBRA, which is told its super-instances, those it took on average.
    """
    at = rows.groupby("checkpoint")
    mean, error = at.ari.mean(), at.ari.sem().fillna(0.0)  # one replication has no spread
    questions = at.asked.mean() if is_cobra(method) else mean.index
    return Curve(method, _floats(questions), _floats(mean), _floats(error), int(rows.seed.nunique()))


def mean_curves(rows: pd.DataFrame, methods: Sequence[str] | None = None) -> tuple[Curve, ...]:
    """The curves of one data set, the paper's method first; of the methods named, those that have rows."""
    if rows.empty:
        return ()
    found = sorted(rows.method.unique(), key=_rank)
    shown = [method for method in found if methods is None or method in methods]
    return tuple(mean_curve(method, rows[rows.method == method]) for method in shown)


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
            _floats(rows.ari[(rows.method == f"{kind} {way}") & (rows.checkpoint == n)]) for n in n_pairs
        )
        for way in AUGMENTATION
    }
    return BoxPanel(title, tuple(n_pairs), agreement)


def weight_panels(rows: pd.DataFrame) -> tuple[WeightPanel, ...]:
    """A panel for each method that has rows, the paper's first."""
    _check_rows("Figure 4", rows)
    methods = sorted(rows.method.unique(), key=_rank)
    return tuple(_weight_panel(method, rows[rows.method == method]) for method in methods)


def _weight_panel(method: str, rows: pd.DataFrame) -> WeightPanel:
    mean = rows.groupby("item", sort=False).value.mean()
    weights = mean[mean.index.str.startswith(WEIGHT_OF)].sort_values(ascending=False, kind="stable")
    features = tuple(item.removeprefix(WEIGHT_OF) for item in weights.index)
    marked = tuple(feature.partition(" ")[2].startswith(MARKED) for feature in features)
    return WeightPanel(method, features, _floats(weights), marked, float(mean["size of top group"]))


def selection_bars(rows: pd.DataFrame) -> tuple[SelectionBar, ...]:
    """Plain K-means with all features, raw and scaled, and with the heaviest of each method."""
    mean = rows.groupby(["item", "method"]).value.mean()
    methods = sorted(rows.method.unique(), key=_rank)
    return tuple(
        SelectionBar(name, {method: float(mean[item, method]) for method in methods}, published.FIGURE4[key])
        for item, (name, key) in KMEANS.items()
    )


def paper_points(experiment: str) -> dict[str, Points]:
    """What the paper says of an experiment in numbers: for each method, (questions, ARI) points.

    Examples
    --------
    >>> from sameornot.plots.bench import paper_points
    >>> paper_points("table1")["AQM + MEE"][0]
    (60, 0.474)
    >>> paper_points("figure3-cancer")
    {'AQM + MEE': [(80, 0.928)], 'MPCKMeans + NPU': [(80, 0.732)]}
    """
    points: dict[str, Points] = {
        method: [(n, cell.mean) for n, cell in zip(published.QUESTIONS, line, strict=True)]
        for method, line in published.TABLES.get(experiment, {}).items()
    }
    if experiment in published.COBRA:
        cells = published.COBRA[experiment].values()
        points["COBRA"] = [(cell.questions.mean, cell.ari.mean) for cell in cells]
    for (data, method, n), ari in published.FIGURE3.items():
        if experiment == f"figure3-{data}":
            points[method] = [(n, ari)]
    return points


def is_cobra(method: str) -> bool:
    """COBRA asks as much as its super-instances make it ask, so it has points and no curve."""
    return method.partition(" (")[0] == "COBRA"


def look_of(method: str) -> Look:
    """The look of a method; of a variant, that of its method, thin and dashed; grey if neither is known."""
    base, _, variant = method.partition(" (")
    look = LOOKS.get(base, Look(GREY, "*"))
    if method in LOOKS:
        return look
    return look._replace(width=1.3, dash=VARIANT_DASHES.get(variant.rstrip(")"), "--"))


def _rank(method: str) -> tuple[int, str]:
    """Methods as in LOOKS, each before its variants; others last, by name."""
    base = method.partition(" (")[0]
    return (list(LOOKS).index(base) if base in LOOKS else len(LOOKS), method)


def _check_rows(figure: str, rows: pd.DataFrame) -> None:
    if rows.empty:
        raise ValueError(f"there are no rows to draw {figure} from")


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def draw_figure1(X: np.ndarray, y: np.ndarray) -> "Figure":
    """The simulated data: the first three features tell the clusters apart, the last three do not."""
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[1] < 6:
        raise ValueError(f"X has shape {X.shape}, but two times three features are drawn")
    figure = _new_figure(10.0, 5.0)
    sides = {"The features that decide": X[:, :3], "The features that do not": X[:, -3:]}
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
    """Boxes of the ARI at each number of random pairs, with and without the pairs that are inferred."""
    panels = augmentation_panels(rows)
    figure = _new_figure(1.0 + 6.0 * len(panels), 4.6)
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
    _finish(axes, panel.title)


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
        By title and method, the paper's own (questions, ARI) points; drawn hollow beside what is drawn.

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
    n_columns = min(len(curves), PANELS_A_ROW)
    n_rows = -(-len(curves) // PANELS_A_ROW)
    figure = _new_figure(max(4.9 * n_columns, 7.5), 4.1 * n_rows + 1.0)
    for place, (title, found) in enumerate(curves.items(), start=1):
        axes = figure.add_subplot(n_rows, n_columns, place)
        _draw_panel(axes, found, (paper or {}).get(title, {}))
        _finish(axes, _fold(title))
    for axes in figure.axes[::PANELS_A_ROW]:
        axes.set_ylabel("adjusted Rand index")
    _name_methods(figure, [curve for found in curves.values() for curve in found], hollow=bool(paper))
    return figure


def _fold(title: str) -> str:
    """A title in lines: a new one for a colon, none within `n = 300`."""
    whole = title.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}").replace(": ", "\n", 1)
    return "\n".join(fill(line, TITLE_WIDTH) for line in whole.splitlines())


def _draw_panel(axes: "Axes", curves: Sequence[Curve], paper: Mapping[str, Points]) -> None:
    for rank, curve in enumerate(curves):
        look = look_of(curve.method)
        above = 10.0 - rank  # the paper's method comes first and lies on top
        mean, error = np.array(curve.mean), np.array(curve.error)
        if is_cobra(curve.method):
            axes.errorbar(curve.questions, mean, error, fmt="none", ecolor=look.colour, zorder=above)
        else:
            low, high = mean - error, mean + error
            axes.fill_between(
                curve.questions, low, high, color=look.colour, alpha=0.15, linewidth=0, zorder=1
            )
        axes.plot(curve.questions, mean, zorder=above, **_line(curve.method))
        if curve.method in paper:
            questions, agreement = zip(*paper[curve.method], strict=True)
            axes.plot(questions, agreement, zorder=20, **_hollow(look.colour, look.marker))
    axes.set_xlim(left=0)
    axes.set_xlabel("questions answered")


def _line(method: str) -> dict[str, Any]:
    look = look_of(method)
    return {
        "color": look.colour,
        "linestyle": "" if is_cobra(method) else look.dash,
        "linewidth": look.width,
        "marker": look.marker,
        "markersize": 6.5 if look.width > 2 or is_cobra(method) else 4.0,
    }


def _hollow(colour: str, marker: str) -> dict[str, Any]:
    return {
        "linestyle": "",
        "marker": marker,
        "markersize": 7.5,
        "markerfacecolor": "none",
        "markeredgecolor": colour,
        "markeredgewidth": 1.2,
    }


def _name_methods(figure: "Figure", curves: Sequence[Curve], hollow: bool) -> None:
    """One legend for all panels, which also says what the bands and the hollow marks mean."""
    from matplotlib.lines import Line2D

    methods = sorted({curve.method for curve in curves}, key=_rank)
    keys = [Line2D([], [], label=method, **_line(method)) for method in methods]
    if hollow:
        keys.append(Line2D([], [], label="hollow: the paper's value", **_hollow("black", "o")))
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


def draw_figure4(rows: pd.DataFrame) -> "Figure":
    """The weights of all features in decreasing order, and what K-means makes of the heaviest."""
    panels = weight_panels(rows)
    figure = _new_figure(14.0, 1.0 + 3.0 * len(panels))
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
    _finish(axes, f"Weights of {len(ranks)} features: {panel.method}")


def _draw_selection(axes: "Axes", bars: Sequence[SelectionBar]) -> None:
    places = np.arange(len(bars))
    methods = list(bars[0].mean)
    width = 0.8 / len(methods)
    for k, method in enumerate(methods):
        heights = [bar.mean[method] for bar in bars]
        at = places + (k - (len(methods) - 1) / 2) * width
        drawn = axes.bar(at, heights, width=0.92 * width, color=look_of(method).colour, label=method)
        axes.bar_label(drawn, [f"{height:.2f}" for height in heights], padding=3, fontsize=9)
    mark = {**_hollow("black", "D"), "markerfacecolor": "white"}  # to be seen on a bar too
    axes.plot(places, [bar.paper for bar in bars], zorder=3, **mark)
    axes.set_xticks(places, [f"{bar.features}\n◇ {bar.paper:.2f}" for bar in bars])
    axes.set_xlabel("features given to K-means; ◇: the paper's value")
    axes.set_ylabel("adjusted Rand index")
    axes.margins(y=0.25)  # room for the legend
    axes.legend(loc="upper center", ncols=len(methods), frameon=False)
    _finish(axes, "Plain K-means with these features")


def _new_figure(width: float, height: float) -> "Figure":
    """A figure that pyplot knows nothing of, as in `draw.py`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _finish(axes: "Axes", title: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.92")
    axes.set_axisbelow(True)
    axes.set_title(title, loc="left", fontsize=11)
