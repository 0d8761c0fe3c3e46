"""Theorem 1 in a picture: errors of the pair classifier and the bound against the number of answers.

What is shown comes first, as plain tuples; the drawing follows.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reproduction.plots.style import COLOURS, GREY, finish_axes, floats, new_figure
from reproduction.theorem1 import METHODS, SETTINGS
from reproduction.theorem1_sections import bounds_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colour: with or without augmentation. Full lines have the best limit, dotted ones the limit 1.
METHOD_COLOURS = dict(zip(METHODS, (COLOURS[2], COLOURS[1]), strict=True))
LIMITS = {"best limit": ("best_error", "-", "o"), "limit 1": ("error", ":", "s")}
BOUNDS = {
    "as printed": ("ê + ε as printed, D = p + 1", COLOURS[0], "-"),
    "general A": ("the same for a general A, D = p(p + 1)/2", COLOURS[5], "--"),
    "if ê > 0": ("valid for ê > 0, D = p + 1", COLOURS[3], "-."),
}
N_STEPS = 200


@dataclass(frozen=True)
class ErrorCurve:
    """Mean error on fresh pairs after each number of answers, and its standard error."""

    method: str
    limit: str
    answers: tuple[int, ...]
    mean: tuple[float, ...]
    error: tuple[float, ...]


@dataclass(frozen=True)
class BoundCurve:
    """What the error is below with probability .95, by a bound."""

    bound: str
    answers: tuple[float, ...]
    value: tuple[float, ...]


@dataclass(frozen=True)
class ErrorPanel:
    """One setting; `constant` is the error of calling every pair different, `n_pairs` all that there are."""

    title: str
    curves: tuple[ErrorCurve, ...]
    bounds: tuple[BoundCurve, ...]
    constant: float
    n_pairs: int
    n_replications: int


def error_panels(rows: pd.DataFrame) -> tuple[ErrorPanel, ...]:
    """A panel for each setting that has rows."""
    return tuple(_panel(run, rows[rows.run == run]) for run in SETTINGS if (rows.run == run).any())


def _panel(run: str, rows: pd.DataFrame) -> ErrorPanel:
    methods = [method for method in METHODS if (rows.method == method).any()]
    curves = [_curve(method, limit, rows[rows.method == method]) for method in methods for limit in LIMITS]
    best = rows[rows.method == methods[0]].groupby("answers").best_empirical.mean()
    answers = np.geomspace(best.index.min(), 10 * best.index.max(), N_STEPS)
    empirical = np.interp(np.log(answers), np.log(best.index.to_numpy(dtype=float)), best.to_numpy())
    bounds = [
        BoundCurve(
            name, floats(answers), floats(empirical + [bounds_of(SETTINGS[run])[name](n) for n in answers])
        )
        for name in BOUNDS
    ]
    constant = float(1.0 - rows.different.mean())
    n_points, n_seeds = SETTINGS[run].n_points, int(rows.seed.nunique())
    n_pairs = n_points * (n_points - 1) // 2
    return ErrorPanel(SETTINGS[run].title, tuple(curves), tuple(bounds), constant, n_pairs, n_seeds)


def _curve(method: str, limit: str, rows: pd.DataFrame) -> ErrorCurve:
    found = rows.groupby("answers")[LIMITS[limit][0]].agg(["mean", "sem"]).fillna(0.0)
    answers = tuple(int(count) for count in found.index)
    return ErrorCurve(method, limit, answers, floats(found["mean"]), floats(found["sem"]))


def draw_theorem1(rows: pd.DataFrame) -> "Figure":
    """Errors and bounds of every setting; the answers continue to ten times those of the rows."""
    panels = error_panels(rows)
    figure = new_figure(max(5.0 * len(panels), 9.0), 5.4)
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        _draw_panel(axes, panel)
    all_axes[0].set_ylabel("share of pairs in error")
    handles, labels = all_axes[0].get_legend_handles_labels()
    counts = sorted({panel.n_replications for panel in panels})
    several = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=3,
        frameon=False,
        title=f"mean of {several} replications ± 2 standard errors; ê is that of the best limit",
    )
    return figure


def _draw_panel(axes: "Axes", panel: ErrorPanel) -> None:
    for curve in panel.curves:
        _, dash, marker = LIMITS[curve.limit]
        colour, mean, error = METHOD_COLOURS[curve.method], np.array(curve.mean), np.array(curve.error)
        axes.fill_between(
            curve.answers, mean - 2 * error, mean + 2 * error, color=colour, alpha=0.2, linewidth=0
        )
        name = f"{curve.method}, {curve.limit}"
        axes.plot(curve.answers, mean, color=colour, linestyle=dash, marker=marker, markersize=4, label=name)
    axes.axhline(
        panel.constant, color=GREY, linewidth=1.0, linestyle=(0, (1, 3)), label="every pair called different"
    )
    for bound in panel.bounds:
        name, colour, dash = BOUNDS[bound.bound]
        axes.plot(bound.answers, bound.value, color=colour, linestyle=dash, linewidth=1.8, label=name)
    axes.axvline(panel.n_pairs, color=GREY, linewidth=0.8, label="all pairs of the table")
    axes.set_xscale("log")
    axes.set_ylim(0.0, 1.0)
    axes.set_xlabel("answers (n_l)")
    finish_axes(axes, panel.title.replace(": ", "\n", 1))
