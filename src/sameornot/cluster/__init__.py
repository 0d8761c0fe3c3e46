"""Constrained clusterers, one a file."""

from sameornot.cluster._augmented import Clustering, Settings
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.pckmeans import PCKMeans
from sameornot.cluster.transformer import AugmentedMetric

__all__ = ["AugmentedClustering", "AugmentedMetric", "Clustering", "PCKMeans", "Settings"]
