"""Group data with the fewest questions to a person: same kind, or not."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sameornot._types import Agreement, Answer, Choice, Pair, Question, Reply
    from sameornot.cluster import (
        COBRA,
        COBRAS,
        AugmentedClustering,
        AugmentedMetric,
        Clusterer,
        Clustering,
        ConstrainedSpectral,
        COPKMeans,
        ForestClassification,
        Infeasible,
        MPCKMeans,
        PCKMeans,
        Problem,
        State,
    )
    from sameornot.constraints import Constraints, Contradiction
    from sameornot.ensemble import EnsembleClustering, EnsembleConfig
    from sameornot.metric import Metric
    from sameornot.presets import as_printed, as_released
    from sameornot.query import (
        NPU,
        COBRAQuestions,
        COBRASQuestions,
        ExploreConsolidate,
        MinimumExpectedEntropy,
        MinMax,
        RandomPairs,
        RandomPoints,
        RecheckSchedule,
        Strategy,
        TwoStep,
        UncertaintySampling,
        View,
    )
    from sameornot.scoring import known_rows_scorer
    from sameornot.session import (
        ActiveSession,
        Explanation,
        FinalLabels,
        Known,
        RowSource,
        SessionResult,
        TooManyGroups,
    )
    from sameornot.simulation import simulate

__version__ = "0.1.0"

# Where each public name lives. They are imported when first used, so that the command answers at once.
_HOMES = {
    "_types": ("Agreement", "Answer", "Choice", "Pair", "Question", "Reply"),
    "cluster": (
        "COBRA",
        "COBRAS",
        "AugmentedClustering",
        "AugmentedMetric",
        "COPKMeans",
        "Clusterer",
        "Clustering",
        "ConstrainedSpectral",
        "ForestClassification",
        "Infeasible",
        "MPCKMeans",
        "PCKMeans",
        "Problem",
        "State",
    ),
    "constraints": ("Constraints", "Contradiction"),
    "ensemble": ("EnsembleClustering", "EnsembleConfig"),
    "metric": ("Metric",),
    "presets": ("as_printed", "as_released"),
    "query": (
        "NPU",
        "COBRAQuestions",
        "COBRASQuestions",
        "ExploreConsolidate",
        "MinMax",
        "MinimumExpectedEntropy",
        "RandomPairs",
        "RandomPoints",
        "RecheckSchedule",
        "Strategy",
        "TwoStep",
        "UncertaintySampling",
        "View",
    ),
    "scoring": ("known_rows_scorer",),
    "session": (
        "ActiveSession",
        "Explanation",
        "FinalLabels",
        "Known",
        "RowSource",
        "SessionResult",
        "TooManyGroups",
    ),
    "simulation": ("simulate",),
}

__all__ = [
    "COBRA",
    "COBRAS",
    "NPU",
    "ActiveSession",
    "Agreement",
    "Answer",
    "AugmentedClustering",
    "AugmentedMetric",
    "COBRAQuestions",
    "COBRASQuestions",
    "COPKMeans",
    "Choice",
    "Clusterer",
    "Clustering",
    "ConstrainedSpectral",
    "Constraints",
    "Contradiction",
    "EnsembleClustering",
    "EnsembleConfig",
    "Explanation",
    "ExploreConsolidate",
    "FinalLabels",
    "ForestClassification",
    "Infeasible",
    "Known",
    "MPCKMeans",
    "Metric",
    "MinMax",
    "MinimumExpectedEntropy",
    "PCKMeans",
    "Pair",
    "Problem",
    "Question",
    "RandomPairs",
    "RandomPoints",
    "RecheckSchedule",
    "Reply",
    "RowSource",
    "SessionResult",
    "State",
    "Strategy",
    "TooManyGroups",
    "TwoStep",
    "UncertaintySampling",
    "View",
    "as_printed",
    "as_released",
    "known_rows_scorer",
    "simulate",
]

if not TYPE_CHECKING:  # for a type checker, a name that is not imported above does not exist

    def __getattr__(name: str) -> object:
        for home, names in _HOMES.items():
            if name in names:
                return getattr(import_module(f"sameornot.{home}"), name)
        raise AttributeError(f"module 'sameornot' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted([*globals(), *__all__])
