"""Experiments in which methods ask and are compared with the truth at checkpoints: Tables 1–3, Figure 3."""

from pathlib import Path
from typing import Any, NamedTuple

from reproduction.answering import Curves, Measure, agreement, cobra_rows, curve_rows
from reproduction.columns import COBRA
from reproduction.experiment import Experiment, Load, Run
from reproduction.methods import Terms, extra_methods, in_form, main_methods
from reproduction.rows import Row
from sameornot.datasets import make_opposite

COBRA_RAW = in_form(COBRA, "raw")

# Tables 1 to 3, and the real data.
OPPOSITE_5 = Terms(q=15)
OPPOSITE_10 = Terms(q=15)
SPHERE = Terms(q=200, pair_weight=200.0)
CANCER = Terms(q=10, separation="cv")
MEU = Terms(q=10, separation="cv")
URBAN = Terms(q=10, separation="cv")


class Extent(NamedTuple):
    """How far an experiment goes: numbers of questions, and of super-instances for COBRA."""

    checkpoints: tuple[int, ...]
    cobra: tuple[int, ...] = ()


def opposite(n_relevant: int, *, mixing: bool = True) -> Load:
    """The data of Tables 1 and 2, new for each seed."""
    return lambda seed, _: make_opposite(n_relevant=n_relevant, mixing=mixing, random_state=seed)


def curves(
    title: str,
    load: Load,
    n_clusters: int,
    terms: Terms,
    *,
    extent: Extent,
    quick: Extent,
    quick_runs: tuple[str, ...] = (),
    measure: Measure = agreement,
    **options: Any,
) -> Experiment:
    """All methods on one kind of data; `options` are those of `Experiment`.

    `quick` and `quick_runs` are for `--quick`: how far it goes, and with which runs if not all.
    """
    main, extras = main_methods(terms), extra_methods(terms)

    def run(extent: Extent) -> Run:
        asked = Curves(main | extras, n_clusters, extent.checkpoints, measure)
        return curve_run(load, asked, extent.cobra)

    with_cobra = bool(extent.cobra)
    runs = (*main, COBRA) if with_cobra else tuple(main)
    return Experiment(
        title,
        runs,
        run(extent),
        extras=(*extras, COBRA_RAW) if with_cobra else tuple(extras),
        quick=Experiment(title, quick_runs or runs, run(quick), replications=1),
        **options,
    )


def curve_run(load: Load, curves: Curves, cobra: tuple[int, ...] = ()) -> Run:
    """The rows of a method, or of COBRA, on the data of one seed."""

    def run(name: str, seed: int, folder: Path | None) -> list[Row]:
        data = load(seed, folder)
        if name in (COBRA, COBRA_RAW):
            standardize = name == COBRA
            return cobra_rows(data, cobra, name, seed, standardize=standardize, measure=curves.measure)
        return curve_rows(data, curves, name, seed)

    return run
