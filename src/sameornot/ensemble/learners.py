"""The base learners: six views of which group each row belongs to.

    label_spreading  labels spread over a neighbour graph, features weighted by their Fisher ratio
    lda              semi-supervised LDA on the rows (`lda.py`)
    whitened_lda     the same in whitened axes: finds groups that hide in mixed features
    lda_spreading    labels spread over a neighbour graph in the discriminant axes of `lda`
    extra_trees      extremely randomised trees on the training rows (`trees.py`)
    least_squares    kernel ridge regression on the training rows (`least_squares.py`)

None of them is best everywhere; the answers tell how to weight them (`stacking.py`). A learner predicts every
row out of sample, as if nothing had been answered about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.geometry import Views
from sameornot.ensemble.graph import label_spreading, neighbour_graph
from sameornot.ensemble.lda import EM, LDA, exclude, semi_supervised_lda
from sameornot.ensemble.least_squares import least_squares
from sameornot.ensemble.training import TrainingSet
from sameornot.ensemble.trees import extra_trees

LEARNERS = ("label_spreading", "lda", "whitened_lda", "lda_spreading", "extra_trees", "least_squares")
# It cannot predict its own training rows out of sample, and needs two of them a group.
MEMORISING = "extra_trees"


@dataclass(frozen=True)
class Ensemble:
    """Which base learners there are, and the constants of all parts."""

    learners: tuple[str, ...] = LEARNERS
    config: EnsembleConfig = field(default_factory=EnsembleConfig)

    @property
    def generalising(self) -> list[int]:
        """Positions of the learners that predict training rows too; that of the only one if there is none."""
        return [k for k, name in enumerate(self.learners) if name != MEMORISING or len(self.learners) == 1]

    def subset(self, positions: Sequence[int]) -> "Ensemble":
        """Some of the learners."""
        return Ensemble(tuple(self.learners[k] for k in positions), self.config)


class Graphs(NamedTuple):
    """Neighbour graphs of the rows, scaled by Fisher ratios and in discriminant axes.

    `scale` (p) and `axes` (p × d) take rows to both spaces.
    """

    weighted: sp.csr_array
    discriminant: sp.csr_array
    scale: np.ndarray
    axes: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, scale: np.ndarray, axes: np.ndarray, n_neighbors: int) -> "Graphs":
        """The graphs of some rows."""
        weighted = neighbour_graph(rows * scale, n_neighbors)
        return cls(weighted, neighbour_graph(rows @ axes, n_neighbors), scale, axes)


class Learned(NamedTuple):
    """What each learner predicts for each row (learners × n × L), out of sample, and by which graphs."""

    proba: np.ndarray
    graphs: Graphs


def base_proba(
    views: Views, training: TrainingSet, ensemble: Ensemble, rng: np.random.Generator
) -> np.ndarray:
    """What each learner predicts for each row (learners × n × L), out of sample."""
    return learn(views, training, ensemble, rng).proba


def learn(
    views: Views,
    training: TrainingSet,
    ensemble: Ensemble,
    rng: np.random.Generator,
    graphs: Graphs | None = None,
) -> Learned:
    """What the learners predict: by new graphs, or by those of an earlier fit.

    A few more answers hardly change weights and axes, and a search for neighbours takes most of a fit.
    """
    rows, config, learners = views.rows, ensemble.config, ensemble.learners
    n_neighbors, groups = config.graph.n_neighbors, training.groups
    spread = None
    if graphs is not None:
        spread = label_spreading(graphs.weighted, groups, config.graph)
    lda = first_lda(views, training, config, spread)
    if graphs is None:
        ratio = fisher_ratio(rows, clamp(lda.memberships, training))
        graphs = Graphs.of(rows, np.sqrt(ratio), lda.axes, n_neighbors)
    found = {"lda": lda.memberships}
    if "label_spreading" in learners:
        if spread is None:
            spread = label_spreading(graphs.weighted, groups, config.graph)
        found["label_spreading"] = spread
    if "whitened_lda" in learners:
        em = EM(1.0, config.lda.n_whitened_iter, config.lda.prior_rows)
        found["whitened_lda"] = semi_supervised_lda(views.whitened, training, lda.memberships, em).memberships
    if "lda_spreading" in learners:
        found["lda_spreading"] = label_spreading(graphs.discriminant, groups, config.graph)
    if "extra_trees" in learners:
        found["extra_trees"] = extra_trees(rows, groups, config.trees, rng)
    if "least_squares" in learners:
        found["least_squares"] = least_squares(rows, groups, config.least_squares)
    return Learned(np.array([found[name] for name in learners]), graphs)


def first_lda(
    views: Views, training: TrainingSet, config: EnsembleConfig, spread: np.ndarray | None = None
) -> LDA:
    """LDA, started from labels that are spread over a graph of weighted features.

    Without such a `spread`, labels are spread twice: over the graph of all features, which weights them, and
    then over one of the weighted features.
    """
    if spread is None:
        groups = training.groups
        start = clamp(label_spreading(views.graph, groups, config.graph), training)
        graph = neighbour_graph(scale_by_fisher_ratio(views.rows, start), config.graph.n_neighbors)
        spread = label_spreading(graph, groups, config.graph)
    em = EM(config.lda.unlabelled_weight, config.lda.n_iter, config.lda.prior_rows)
    return semi_supervised_lda(views.rows, training, clamp(spread, training), em)


def clamp(memberships: np.ndarray, training: TrainingSet) -> np.ndarray:
    """Memberships without excluded groups; training rows belong to their own group."""
    clamped, one_hot = exclude(memberships, training.excluded), np.eye(len(training.groups))
    for m, members in enumerate(training.groups):
        clamped[members] = one_hot[m]
    return clamped


def scale_by_fisher_ratio(rows: np.ndarray, memberships: np.ndarray) -> np.ndarray:
    """Rows with each feature scaled by the root of its Fisher ratio."""
    return np.asarray(rows * np.sqrt(fisher_ratio(rows, memberships)))


def fisher_ratio(rows: np.ndarray, memberships: np.ndarray) -> np.ndarray:
    """Variance between groups over variance within them, by feature (Fisher 1936)."""
    mass = memberships.sum(axis=0) + 1e-9
    centers = memberships.T @ rows / mass[:, None]
    between = np.maximum(mass @ centers**2 / mass.sum() - rows.mean(axis=0) ** 2, 0.0)
    overall = rows.var(axis=0)
    within = np.maximum(overall - between, 1e-3 * np.maximum(overall, 1e-300))
    return np.asarray(between / within)
