"""Group data with the fewest questions to a person: same kind, or not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sameornot._types import Answer, Pair, Reply
    from sameornot.cluster import (
        COBRA,
        COBRAS,
        AugmentedClustering,
        AugmentedMetric,
        COPKMeans,
        MPCKMeans,
        PCKMeans,
    )
    from sameornot.constraints import Constraints, Contradiction
    from sameornot.session import ActiveSession
    from sameornot.simulation import simulate

__version__ = "0.1.0"

__all__ = [
    "COBRA",
    "COBRAS",
    "ActiveSession",
    "Answer",
    "AugmentedClustering",
    "AugmentedMetric",
    "COPKMeans",
    "ConstrainedSpectral",
    "Constraints",
    "Contradiction",
    "MPCKMeans",
    "PCKMeans",
    "Pair",
    "Reply",
    "simulate",
]

# Where each name lives: imported when first used, so that the command answers before scikit-learn is there.
_HOMES = {
    "ActiveSession": "session",
    "Answer": "_types",
    "AugmentedClustering": "cluster",
    "AugmentedMetric": "cluster",
    "COBRA": "cluster",
    "COBRAS": "cluster",
    "COPKMeans": "cluster",
    "ConstrainedSpectral": "cluster",
    "Constraints": "constraints",
    "Contradiction": "constraints",
    "MPCKMeans": "cluster",
    "PCKMeans": "cluster",
    "Pair": "_types",
    "Reply": "_types",
    "simulate": "simulation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sameornot' has no attribute {name!r}")
    return getattr(import_module(f"sameornot.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
