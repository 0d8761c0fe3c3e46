"""Group data with the fewest questions to a person: same kind, or not."""

from sameornot._types import Answer, Pair, Reply
from sameornot.cluster import AugmentedClustering, AugmentedMetric, PCKMeans
from sameornot.constraints import Constraints, Contradiction
from sameornot.session import ActiveSession
from sameornot.simulation import simulate

__version__ = "0.1.0"

__all__ = [
    "ActiveSession",
    "Answer",
    "AugmentedClustering",
    "AugmentedMetric",
    "Constraints",
    "Contradiction",
    "PCKMeans",
    "Pair",
    "Reply",
    "simulate",
]
