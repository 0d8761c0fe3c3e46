"""Constrained clusterers, one a file, each a scikit-learn estimator that a session can use too."""

from sameornot.cluster._coloring import Infeasible
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.base import Assignment, Clusterer, Clustering, Problem, State
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
from sameornot.cluster.copkmeans import COPKMeans
from sameornot.cluster.forest import ForestClassification
from sameornot.cluster.mpckmeans import MPCKMeans
from sameornot.cluster.pckmeans import PCKMeans
from sameornot.cluster.spectral import ConstrainedSpectral
from sameornot.cluster.transformer import AugmentedMetric

__all__ = [
    "COBRA",
    "COBRAS",
    "Assignment",
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
]
