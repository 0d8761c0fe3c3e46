"""The default clusterer: an ensemble of base learners, stacked by how well they predicted the answers."""

from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.fit import EnsembleFit
from sameornot.ensemble.learners import LEARNERS

__all__ = ["LEARNERS", "EnsembleClustering", "EnsembleConfig", "EnsembleFit"]
