"""Spectral clustering under a learned metric, with answers worked into the graph (the paper's discussion).

    w_ij = exp(−||x_i − x_j||² / s_i s_j)          for near rows; s_i is as far as these go
    F = (1 − a)² (I − aS)⁻¹ Z (I − aS)⁻¹           what answers say of all pairs
    w_ij ← 1 − (1 − f_ij)(1 − w_ij) if f_ij ≥ 0, else (1 + f_ij) w_ij

Z is 1 for pairs known to be the same, −1 for those known to differ; S = D^(−½) W D^(−½). F is Lu and Ip's
exhaustive propagation (2010), W has the local scaling of Zelnik-Manor and Perona (2004), and rows of the
leading eigenvectors of S, each of length 1, are clustered by `_pckmeans.py`. The metric is AQM's, from
`_augmented.py`. Groups are then what hangs together, of any shape.
"""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from scipy.linalg import eigh
from sklearn.neighbors import NearestNeighbors

from sameornot._validation import check_count, check_number
from sameornot.cluster._augmented import AugmentedSettings, fit_metric
from sameornot.cluster._pckmeans import Bindings, PCKMeansSettings, bind, pckmeans
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, identity_metric

# All pairs of rows are held in memory, a few times over.
MAX_ROWS = 5000

# A row that coincides with its neighbours is as wide as this share of the mean: its width divides.
LEAST_WIDTH = 1e-3

# Affinity of a row to all others together, near or not: the graph never falls apart.
BACKGROUND = 1e-3


@dataclass(frozen=True)
class Neighbours:
    """The rows of a graph and how wide each one's neighbourhood is."""

    rows: np.ndarray
    width: np.ndarray
    tree: NearestNeighbors = field(repr=False)

    def find(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The nearest rows of the graph, and the exponent: squared distances in units of both widths."""
        distance, index = self.tree.kneighbors(rows)
        width = np.maximum(distance[:, -1:], LEAST_WIDTH * self.width.mean())
        return index, distance**2 / (width * self.width[index])


def neighbours(rows: np.ndarray, n_neighbors: int) -> Neighbours:
    """The graph's rows, ready to be asked for the nearest ones; a row is its own first neighbour."""
    if len(rows) > MAX_ROWS:
        raise ValueError(
            f"X has {len(rows)} rows but spectral clustering compares all pairs: "
            f"at most {MAX_ROWS} rows are possible"
        )
    # Unlike the brute force that wide tables would get, a tree finds a row at distance 0 from itself.
    tree = NearestNeighbors(n_neighbors=min(n_neighbors + 1, len(rows)), algorithm="kd_tree").fit(rows)
    distance = tree.kneighbors(rows)[0][:, -1]
    mean = distance.mean()
    width = np.maximum(distance, LEAST_WIDTH * mean) if mean > 0 else np.ones(len(rows))
    return Neighbours(rows, width, tree)


def affinity(graph: Neighbours) -> np.ndarray:
    """W (n × n): 1 for a row and itself, next to 0 for rows of which neither is near the other."""
    n_rows = len(graph.rows)
    index, exponent = graph.find(graph.rows)
    near = np.zeros((n_rows, n_rows))
    near[np.arange(n_rows)[:, None], index] = np.exp(-exponent)
    np.fill_diagonal(near, 1.0)
    return np.maximum(np.maximum(near, near.T), BACKGROUND / n_rows)


def normalise(weights: np.ndarray) -> np.ndarray:
    """S = D^(−½) W D^(−½); every row has an affinity of 1 to itself, so no degree is 0."""
    root = np.sqrt(weights.sum(axis=1))
    return np.asarray(weights / root / root[:, None])


def constrain(weights: np.ndarray, bindings: Bindings, propagation: float) -> np.ndarray:
    """W after the answers: known pairs at 1 or 0, pairs near to them raised or lowered."""
    bound = np.flatnonzero(bindings.group >= 0)
    if len(bound) == 0:
        return weights
    relation = np.eye(len(bindings.size)) - bindings.apart.toarray()
    known = relation[np.ix_(bindings.group[bound], bindings.group[bound])]
    said = propagate(normalise(weights), bindings, relation, propagation)
    weights = np.where(said >= 0, 1.0 - (1.0 - said) * (1.0 - weights), (1.0 + said) * weights)
    block = np.ix_(bound, bound)
    weights[block] = np.where(known == 0, weights[block], known > 0)
    return weights


def propagate(walk: np.ndarray, bindings: Bindings, relation: np.ndarray, propagation: float) -> np.ndarray:
    """F, scaled to entries of at most 1; Z = M R Mᵀ has a column a group, so only those are propagated."""
    member = (bindings.group[:, None] == np.arange(len(relation))).astype(float)
    spread = np.linalg.solve(np.eye(len(walk)) - propagation * walk, member)
    said = spread @ relation @ spread.T
    return np.asarray(said / np.abs(said).max())


def embed(weights: np.ndarray, n_axes: int) -> np.ndarray:
    """Rows of the leading eigenvectors of S, each of length 1; an axis's largest entry is positive."""
    n_rows = len(weights)
    _, vectors = eigh(normalise(weights), subset_by_index=[n_rows - n_axes, n_rows - 1])
    vectors = vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_axes)]
    vectors = vectors * np.sign(largest)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0))


@dataclass(frozen=True)
class SpectralResult:
    """Labels, the rows of the eigenvectors that were clustered, and the sweeps that this took."""

    labels: np.ndarray
    embedding: np.ndarray
    n_iter: int


def constrained_spectral(
    graph: Neighbours,
    constraints: Constraints,
    n_clusters: int,
    rng: np.random.Generator,
    *,
    propagation: float = 0.5,
    clustering: PCKMeansSettings | None = None,
) -> SpectralResult:
    """Cut the graph into groups; neighbourhood m becomes group m."""
    clustering = clustering or PCKMeansSettings()
    weights = constrain(affinity(graph), bind(constraints), propagation)
    embedding = embed(weights, n_clusters)
    variance = float(embedding.var(axis=0).sum())
    found = pckmeans(
        embedding / np.sqrt(variance) if variance > 0 else embedding,
        constraints,
        n_clusters,
        rng,
        weight=clustering.weight,
        emphasis=clustering.emphasis,
        n_init=clustering.n_init,
        max_iter=clustering.max_iter,
    )
    return SpectralResult(found.labels, embedding, found.n_iter)


@dataclass(frozen=True)
class SpectralGrouping:
    """Groups of a graph's rows; other rows belong where their neighbours do."""

    labels: np.ndarray
    metric: Metric
    graph: Neighbours
    n_iter: int

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group with the most affinity to each row."""
        return np.asarray(self.votes(X).argmax(axis=1))

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """Share of that group in a row's affinity to its neighbours."""
        return np.asarray(self.votes(X).max(axis=1))

    def votes(self, X: np.ndarray) -> np.ndarray:
        """Share of each group in the affinity of each row to its neighbours."""
        index, exponent = self.graph.find(self.metric.transform(X))
        weight = np.exp(
            exponent.min(axis=1, keepdims=True) - exponent
        )  # far from all rows, none would be left
        totals = np.zeros((len(index), int(self.labels.max()) + 1))
        np.add.at(totals, (np.arange(len(index))[:, None], self.labels[index]), weight)
        return np.asarray(totals / totals.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class SpectralSettings(PCKMeansSettings):
    """How to learn the metric and how to cut the graph (`clusterer="spectral"` of a session).

    Parameters
    ----------
    metric, separation, augmentation
        As for `AugmentedSettings`.
    kernel : "additive" or None
        How relevant features are found: along curves, as groups of any shape need, or along lines. The graph
        itself lies in the features, each weighed by its share.
    n_neighbors : int
        Neighbours that a row has in the graph.
    propagation : float
        How far answers reach along the graph, from 0 (their own pairs only) to below 1.
    weight, emphasis, n_init, max_iter
        As for `PCKMeansSettings`, in the space of the eigenvectors.
    """

    metric: str = "separable"
    separation: float | str = 0.5
    augmentation: bool = True
    kernel: str | None = "additive"
    n_neighbors: int = 10
    propagation: float = 0.5

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        self.metric_settings.check()
        check_count("n_neighbors", self.n_neighbors)
        if check_number("propagation", self.propagation) >= 1:
            raise ValueError(f"propagation={self.propagation} but a number below 1 is needed")
        return super().check()

    @property
    def metric_settings(self) -> AugmentedSettings:
        """Those of the metric alone."""
        return AugmentedSettings(
            metric=self.metric,
            separation=self.separation,
            augmentation=self.augmentation,
            kernel=self.kernel,
        )

    def fit_step(  # type: ignore[override]  # a grouping of another kind than PCKMeans's
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> SpectralGrouping:
        """Learn the metric, build the graph under it, and cut it."""
        learned = fit_metric(X, constraints, n_clusters, scale, self.metric_settings, rng)
        metric = graph_metric(learned)
        graph = neighbours(metric.transform(X), self.n_neighbors)
        found = constrained_spectral(
            graph, constraints, n_clusters, rng, propagation=self.propagation, clustering=self
        )
        return SpectralGrouping(found.labels, metric, graph, found.n_iter)


def graph_metric(learned: Metric) -> Metric:
    """The learned metric; of one on curves, the shares of the features, in the widths of the curves.

    Along the curves themselves rows lie where the metric wants them, and a graph would find nothing new.
    """
    if learned.mapping is None:
        return learned
    if learned.rotation is None:  # nothing was learned
        return identity_metric(learned.scale)
    return Metric(learned.scale * learned.mapping.widths, learned.feature_weights)
