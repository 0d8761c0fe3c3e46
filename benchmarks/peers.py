"""The packages that `parity.py` compares with, imported as they are published and repaired where they break.

| package | what it needs here |
|---|---|
| active-semi-supervised-clustering 0.0.1 | its import sets `np.seterr("raise")` for all: undone |
| | an empty cluster ends a fit with an exception: started again, as its own NPU does |
| | its COPKMeans overlooks must-links to its cluster 0: as published, or with labels counted from 1 |
| cobras-ts 0.1.3 | `np.int`, gone since NumPy 1.24: put back |
| | `KMeans(k)` meant ten starts when it was published: ten again |
| | its queriers load a web page's packages: the one here only reads labels |
| metric-learn 0.7.0 | scikit-learn below 1.8: `parity/requirements.lock` |
| | its diagonal MMC clips Newton steps and stalls after two or three of them: left as it is |

All of them draw from NumPy's global generator, so that is what a seed is given to. No code of theirs is here.
"""

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

if not hasattr(np, "int"):
    np.int = int  # noqa: NPY001

with np.errstate():
    from active_semi_clustering.active.pairwise_constraints import NPU
    from active_semi_clustering.active.pairwise_constraints.example_oracle import ExampleOracle
    from active_semi_clustering.exceptions import ClusteringNotFoundException, EmptyClustersException
    from active_semi_clustering.semi_supervised.pairwise_constraints import COPKMeans, MPCKMeans, PCKMeans
from cobras_ts import cobras_kmeans
from metric_learn import MMC
from sklearn.cluster import KMeans

warnings.filterwarnings("ignore", "'force_all_finite' was renamed", FutureWarning)
cobras_kmeans.KMeans = partial(KMeans, n_init=10)

PACKAGES = ("active-semi-supervised-clustering", "cobras-ts", "metric-learn")
MAX_EMPTY = 20  # fits that end with an empty cluster, before the package counts as having no solution


class Links(NamedTuple):
    """Pairs of row numbers: must-link and cannot-link, as they were drawn."""

    must: np.ndarray
    cannot: np.ndarray


class Found(NamedTuple):
    """Labels, and the diagonal of the metric that they were found with."""

    labels: np.ndarray
    weights: np.ndarray


def seed_all(seed: int) -> None:
    np.random.seed(seed)  # noqa: NPY002 - the packages know no other source of randomness


def pckmeans(X: np.ndarray, n_clusters: int, links: Links, seed: int) -> Found | None:
    return fit_links(PCKMeans(n_clusters), X, links, seed)


def copkmeans(X: np.ndarray, n_clusters: int, links: Links, seed: int) -> Found | None:
    return fit_links(COPKMeans(n_clusters), X, links, seed)


def copkmeans_repaired(X: np.ndarray, n_clusters: int, links: Links, seed: int) -> Found | None:
    return fit_links(CountedFromOne(n_clusters), X, links, seed)


def mpckmeans(X: np.ndarray, n_clusters: int, links: Links, seed: int) -> Found | None:
    return fit_links(MPCKMeansWithMetric(n_clusters), X, links, seed)


class CountedFromOne(COPKMeans):
    """Label 0 passes for "not placed yet" in the must-link check, so that check is shown labels from 1 on."""

    def _violates_constraints(self, i: int, cluster: int, labels: np.ndarray, *graphs: Any) -> bool:
        return super()._violates_constraints(i, cluster + 1, labels + 1, *graphs)


class MPCKMeansWithMetric(MPCKMeans):
    """Keeps the metric, which the package learns and then forgets."""

    def _update_metrics(self, *args: Any) -> np.ndarray:
        metric = super()._update_metrics(*args)
        self.weights_ = np.diag(metric)
        return metric


def fit_links(model: Any, X: np.ndarray, links: Links, seed: int) -> Found | None:
    """Fit until no cluster is empty; None where the package finds no solution."""
    seed_all(seed)
    for _ in range(MAX_EMPTY):
        try:
            model.fit(X, ml=links.must.tolist(), cl=links.cannot.tolist())
        except EmptyClustersException:
            continue
        except ClusteringNotFoundException:
            return None
        return Found(model.labels_, getattr(model, "weights_", np.ones(X.shape[1])))
    return None


def npu(
    X: np.ndarray, y: np.ndarray, n_clusters: int, model: type, checkpoints: Iterable[int], seed: int
) -> list[np.ndarray]:
    """Labels after each number of questions: those of the last fit that the questions so far allowed."""
    checkpoints = list(checkpoints)
    seed_all(seed)
    oracle = ExampleOracle(y, max_queries_cnt=max(checkpoints))
    watched = Watched(model(n_clusters), oracle)
    NPU(watched).fit(X, oracle)
    return [
        next(labels for n_asked, labels in reversed(watched.fits) if n_asked <= limit)
        for limit in checkpoints
    ]


class Watched:
    """A clusterer that notes after how many questions it was fitted."""

    def __init__(self, model: Any, oracle: ExampleOracle) -> None:
        self.model, self.oracle = model, oracle
        self.fits: list[tuple[int, np.ndarray]] = []

    def fit(self, X: np.ndarray, **links: Any) -> None:
        self.model.fit(X, **links)
        self.labels_ = self.model.labels_
        self.fits.append((self.oracle.queries_cnt, self.labels_))


def cobras(X: np.ndarray, y: np.ndarray, checkpoints: Iterable[int], seed: int) -> list[np.ndarray]:
    """Labels after each number of questions."""
    checkpoints = list(checkpoints)
    seed_all(seed)
    flow = cobras_kmeans.COBRAS_kmeans(X, LabelQuerier(y), max(checkpoints))
    _, after_each, *_ = flow.cluster()
    return [np.asarray(after_each[min(limit, len(after_each)) - 1]) for limit in checkpoints]


class LabelQuerier:
    """Answers from labels and never stops the flow."""

    def __init__(self, labels: np.ndarray) -> None:
        self.labels = labels

    def query_points(self, left: int, right: int) -> bool:
        return bool(self.labels[left] == self.labels[right])

    def continue_cluster_process(self) -> bool:
        return True

    def update_clustering(self, clustering: Any) -> None:
        pass


def mmc(X: np.ndarray, links: Links, seed: int) -> np.ndarray:
    """Diagonal of the metric of Xing et al."""
    seed_all(seed)
    pairs = np.r_[links.must, links.cannot]
    same = np.r_[np.ones(len(links.must)), -np.ones(len(links.cannot))]
    return np.diag(MMC(diagonal=True, preprocessor=X).fit(pairs, same).get_mahalanobis_matrix())


FITS: dict[str, Callable[[np.ndarray, int, Links, int], Found | None]] = {
    "pckmeans": pckmeans,
    "copkmeans": copkmeans_repaired,
    "mpckmeans": mpckmeans,
}
ACTIVE = {"pckmeans": PCKMeans, "mpckmeans": MPCKMeans}
