"""Constrained clusterers, one a file; those that a session can use by name are in `METHODS`."""

from sameornot.cluster._augmented import AugmentedSettings
from sameornot.cluster._pckmeans import PCKMeansSettings
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.clustering import Clustering
from sameornot.cluster.forest import ForestSettings
from sameornot.cluster.method import Grouping, Method
from sameornot.cluster.pckmeans import PCKMeans
from sameornot.cluster.transformer import AugmentedMetric

METHODS: dict[str, type[Method]] = {
    "augmented": AugmentedSettings,
    "forest": ForestSettings,
    "pckmeans": PCKMeansSettings,
}

__all__ = [
    "METHODS",
    "AugmentedClustering",
    "AugmentedMetric",
    "AugmentedSettings",
    "Clustering",
    "Grouping",
    "Method",
    "PCKMeans",
]
