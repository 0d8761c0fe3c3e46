"""What to ask next: one strategy a file, found here by name."""

from functools import singledispatch

from sameornot.cluster.base import Clusterer
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.query.base import Questions, Strategy, View, pick_best
from sameornot.query.cobra import COBRAQuestions, COBRASQuestions
from sameornot.query.explore_consolidate import ExploreConsolidate
from sameornot.query.forest import neighbourhood_memberships
from sameornot.query.mee import MinimumExpectedEntropy, expected_gain
from sameornot.query.min_max import MinMax
from sameornot.query.npu import NPU
from sameornot.query.random import RandomPairs
from sameornot.query.random_points import RandomPoints
from sameornot.query.recheck import RecheckSchedule
from sameornot.query.sweep import Pick, PointStrategy
from sameornot.query.two_step import TwoStep
from sameornot.query.uncertainty import UncertaintySampling

STRATEGIES: dict[str, type[Strategy]] = {
    "cobra": COBRAQuestions,
    "cobras": COBRASQuestions,
    "explore_consolidate": ExploreConsolidate,
    "mee": MinimumExpectedEntropy,
    "min_max": MinMax,
    "npu": NPU,
    "random": RandomPairs,
    "random_points": RandomPoints,
    "two_step": TwoStep,
    "uncertainty": UncertaintySampling,
}


@singledispatch
def default_strategy(clusterer: Clusterer) -> Strategy:
    """The strategy of a session where only a clusterer is named: MEE, unless it has one of its own."""
    return MinimumExpectedEntropy()


@default_strategy.register
def _(clusterer: EnsembleClustering) -> Strategy:
    return UncertaintySampling()


@default_strategy.register
def _(clusterer: COBRA) -> Strategy:
    return COBRAQuestions(clusterer)


@default_strategy.register
def _(clusterer: COBRAS) -> Strategy:
    return COBRASQuestions(clusterer)


__all__ = [
    "NPU",
    "STRATEGIES",
    "COBRAQuestions",
    "COBRASQuestions",
    "ExploreConsolidate",
    "MinMax",
    "MinimumExpectedEntropy",
    "Pick",
    "PointStrategy",
    "Questions",
    "RandomPairs",
    "RandomPoints",
    "RecheckSchedule",
    "Strategy",
    "TwoStep",
    "UncertaintySampling",
    "View",
    "default_strategy",
    "expected_gain",
    "neighbourhood_memberships",
    "pick_best",
]
