"""Constrained spectral clustering under a learned metric (the paper's discussion).

The graph of near rows (`_spectral_graph.py`) lies in the space of AQM's metric, and answers change its
weights. Rows of the leading eigenvectors of its normalised weights, each of length 1, are clustered by
PCKMeans (after Ng, Jordan and Weiss 2002). Groups are then connected parts of any shape.
"""

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from sameornot._validation import check_count, check_number
from sameornot.cluster._constraint_graph import constraint_graph
from sameornot.cluster._spectral_graph import (
    MAX_DENSE_ROWS,
    NeighbourGraph,
    affinity,
    constrain,
    neighbour_graph,
    normalise,
)
from sameornot.cluster.base import Clusterer, Clustering, Problem, State
from sameornot.cluster.metric_learning import check_metric, fit_metric, settings_of
from sameornot.cluster.pckmeans import SweepParameters, SweepResult, check_sweeps, pckmeans
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, identity_metric


class ConstrainedSpectral(Clusterer):
    """Learn from pairs which features matter, and cut a graph of near rows into groups of any shape.

    Parameters
    ----------
    n_clusters : int, optional
        Number of groups; None takes the number that the pairs tell apart.
    metric : {"separable", "exact", "full"}
        Which metric is learned.
    kernel : "additive" or None
        How relevant features are found: along lines (None), or along curves, for crescents and rings among
        irrelevant features. Curves have many more weights to learn, and take about a hundred pairs and ten
        features at most: with fewer pairs they lower the agreement, and the time grows with the cube of the
        number of features. The graph itself lies in the features, each weighted by its share.
    separation, augmentation
        As for `AugmentedClustering`.
    n_neighbors : int
        Neighbours that a row has in the graph.
    propagation : float
        How far constraints reach along the graph, from 0 (their own pairs only) to below 1.
    weight : float
        Price of a violated constraint, in units of the total variance of the eigenvectors' rows.
    answered_row_weight : float
        For how many rows one that the pairs are about counts in the centre of its group.
    standardize : bool
        Divide each feature by its standard deviation first.
    n_init, max_iter : int
        Starts where constraints leave centres to chance, and most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
        The space that the graph lies in.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    clustering_ : GraphClustering
        ``clustering_.confidence(X)`` is the share of a row's affinity that is to its own group.
    n_iter_ : int
        Sweeps until no row moved.

    Notes
    -----
    All pairs of rows are held in memory: at most 5000 rows can be fitted. `predict` goes by the neighbours of
    a row, so a fitted row on the edge of its group may get the group of the rows around it.

    References
    ----------
    Ng, A. Y., Jordan, M. I., and Weiss, Y. (2002). On spectral clustering: analysis and an algorithm.
    *NIPS*.

    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import ConstrainedSpectral
    >>> from sameornot.datasets import make_moons
    >>> X, y = make_moons(random_state=0)
    >>> partial = [label if row < 60 else -1 for row, label in enumerate(y)]
    >>> model = ConstrainedSpectral(n_clusters=2, kernel="additive", random_state=0).fit(X, partial)
    >>> bool((model.labels_ == model.predict(X)).mean() > 0.95), bool(model.feature_weights_[:2].sum() > 0.9)
    (True, True)
    """

    clustering_: "GraphClustering"

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        metric: str = "separable",
        kernel: str | None = None,
        separation: float | str = 0.5,
        augmentation: bool = True,
        n_neighbors: int = 10,
        propagation: float = 0.5,
        weight: float = 1.0,
        answered_row_weight: float = 1.0,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.kernel = kernel
        self.separation = separation
        self.augmentation = augmentation
        self.n_neighbors = n_neighbors
        self.propagation = propagation
        self.weight = weight
        self.answered_row_weight = answered_row_weight
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_metric(settings_of(self))
        check_count("n_neighbors", self.n_neighbors)
        if check_number("propagation", self.propagation) >= 1:
            raise ValueError(f"propagation={self.propagation} but a number below 1 is needed")
        check_sweeps(self)
        return self

    def cluster(self, problem: Problem, state: State) -> "GraphClustering":
        """Learn the metric, build the graph under it, and cut it."""
        return self._cut(problem, problem.step_rng())

    def conclude(self, problem: Problem, state: State) -> "GraphClustering":
        """The same with the randomness of the result."""
        return self._cut(problem, problem.result_rng())

    @property
    def grouping_(self) -> "GraphClustering":
        """The old name of `clustering_`."""
        warnings.warn("grouping_ is clustering_ now", DeprecationWarning, stacklevel=2)
        return self.clustering_

    def _cut(self, problem: Problem, rng: np.random.Generator) -> "GraphClustering":
        metric = graph_metric(fit_metric(problem, settings_of(self), rng))
        graph = neighbour_graph(metric.transform(problem.X), self.n_neighbors)
        embedding = embed_graph(graph, problem.answers, problem.n_groups, self.propagation)
        found = cluster_embedding(embedding, problem.answers, self, rng)
        return GraphClustering(found.labels, metric, graph, found.n_iter, problem.n_groups)

    def _store(self, clustering: "GraphClustering", problem: Problem) -> Self:
        super()._store(clustering, problem)
        self.n_iter_ = clustering.n_iter
        return self


@dataclass(frozen=True)
class GraphClustering(Clustering):
    """Groups of a graph's rows; other rows belong where their neighbours do."""

    labels: np.ndarray
    metric: Metric
    graph: NeighbourGraph
    n_iter: int
    n_groups: int

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Share of each group in the affinity of each row to its neighbours."""
        index, exponent = self.graph.find(self.metric.transform(X))
        nearest = exponent.min(axis=1, keepdims=True)
        weight = np.exp(nearest - exponent)  # far from all rows, all weights would underflow
        totals = np.zeros((len(index), self.n_groups))
        np.add.at(totals, (np.arange(len(index))[:, None], self.labels[index]), weight)
        return np.asarray(totals / totals.sum(axis=1, keepdims=True))


def embed_graph(
    graph: NeighbourGraph, constraints: Constraints, n_axes: int, propagation: float = 0.5
) -> np.ndarray:
    """Rows of the leading eigenvectors of the graph after the answers."""
    return embed(constrain(affinity(graph), constraint_graph(constraints), propagation), n_axes)


def embed(weights: np.ndarray, n_axes: int) -> np.ndarray:
    """Rows of the leading eigenvectors of S, each of length 1; an axis's largest entry is positive."""
    vectors = leading_eigenvectors(normalise(weights), n_axes)
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_axes)]
    vectors = vectors * np.sign(largest)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))


def leading_eigenvectors(matrix: np.ndarray, n_axes: int) -> np.ndarray:
    """Eigenvectors of the largest eigenvalues of a symmetric matrix, falling."""
    n_rows = len(matrix)
    if n_rows > MAX_DENSE_ROWS and n_axes < n_rows // 20:
        start = np.full(n_rows, n_rows**-0.5)  # else ARPACK would draw one from global state
        try:
            values, vectors = eigsh(matrix, k=n_axes, which="LA", v0=start)
            return np.asarray(vectors[:, np.argsort(-values)])
        except ArpackNoConvergence:
            pass  # many groups without any connection: their eigenvalues are next to equal
    _, vectors = eigh(matrix, subset_by_index=[n_rows - n_axes, n_rows - 1])
    return np.asarray(vectors[:, ::-1])


def cluster_embedding(
    embedding: np.ndarray, constraints: Constraints, parameters: SweepParameters, rng: np.random.Generator
) -> SweepResult:
    """PCKMeans of the embedding, one cluster an axis; neighbourhood m becomes group m."""
    variance = float(embedding.var(axis=0).sum())
    return pckmeans(
        embedding / np.sqrt(variance) if variance > 0 else embedding,
        constraints,
        embedding.shape[1],
        rng,
        weight=parameters.weight,
        answered_row_weight=parameters.answered_row_weight,
        n_init=parameters.n_init,
        max_iter=parameters.max_iter,
    )


def graph_metric(learned: Metric) -> Metric:
    """The learned metric; of one on curves, the shares of the features, in the widths of the curves.

    Along the curves themselves rows already lie where the metric wants them, and a graph would add nothing.
    """
    if learned.mapping is None:
        return learned
    if learned.rotation is None:  # nothing was learned
        return identity_metric(learned.scale)
    return Metric(learned.scale * learned.mapping.widths, learned.feature_weights)
