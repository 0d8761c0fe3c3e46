"""Constrained clusterers, one a file; those that a session can use by name are in `METHODS`."""

from sameornot.cluster._augmented import AugmentedSettings
from sameornot.cluster._cobra import COBRASettings
from sameornot.cluster._cobras import COBRASSettings
from sameornot.cluster._coloring import Infeasible
from sameornot.cluster._copkmeans import COPKMeansSettings
from sameornot.cluster._mpckmeans import MPCKMeansSettings
from sameornot.cluster._pckmeans import PCKMeansSettings
from sameornot.cluster._spectral import SpectralSettings
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.clustering import Clustering
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
from sameornot.cluster.copkmeans import COPKMeans
from sameornot.cluster.forest import ForestSettings
from sameornot.cluster.method import Agreement, Grouping, Method, Past, Progress
from sameornot.cluster.mpckmeans import MPCKMeans
from sameornot.cluster.pckmeans import PCKMeans
from sameornot.cluster.spectral import ConstrainedSpectral
from sameornot.cluster.transformer import AugmentedMetric
from sameornot.ensemble.clustering import PanelSettings

METHODS: dict[str, type[Method]] = {
    "augmented": AugmentedSettings,
    "cobra": COBRASettings,
    "cobras": COBRASSettings,
    "copkmeans": COPKMeansSettings,
    "forest": ForestSettings,
    "mpckmeans": MPCKMeansSettings,
    "panel": PanelSettings,
    "pckmeans": PCKMeansSettings,
    "spectral": SpectralSettings,
}

__all__ = [
    "COBRA",
    "COBRAS",
    "METHODS",
    "Agreement",
    "AugmentedClustering",
    "AugmentedMetric",
    "AugmentedSettings",
    "COPKMeans",
    "Clustering",
    "ConstrainedSpectral",
    "Grouping",
    "Infeasible",
    "MPCKMeans",
    "Method",
    "PCKMeans",
    "Past",
    "Progress",
]
