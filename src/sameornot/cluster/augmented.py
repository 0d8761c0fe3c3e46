"""The paper's clusterer (AQM): augment the answers, learn a metric, cluster under it.

Each step learns a metric without penalty and clusters under it (Algorithm 1, step 1d; §3.1). The result adds
the selective penalty, which falls on what mattered least over all steps (steps 2 and 3; §3.2). The defaults
deviate from the printed method; each deviation is a parameter, and `as_printed` sets them all.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from sklearn.metrics import calinski_harabasz_score

from sameornot._validation import check_count, check_number
from sameornot.augmentation.pairs import MAX_PAIRS
from sameornot.cluster.base import Problem, State
from sameornot.cluster.clustering import CenterClusterer, CenterClustering
from sameornot.cluster.metric_learning import check_metric, fit_metric, fit_pairs, settings_of
from sameornot.cluster.pckmeans import check_prices, cluster_under
from sameornot.metric.learn import PRIOR_COUNT, Metric, SelectivePenalty, learn_metric, weigh_axes
from sameornot.metric.penalty import GAMMA_GRID, penalised_axes


@dataclass(frozen=True)
class StepClustering(CenterClustering):
    """The clustering of a step; `learned` is its metric (A^t), None while there is no "different"."""

    learned: Metric | None


class AugmentedClustering(CenterClusterer):
    """Learn from pairs which features matter, and cluster under that metric (AQM, §3.1 and §3.2).

    Parameters
    ----------
    n_clusters : int, optional
        Number of clusters; None takes the number that the pairs tell apart.
    metric : {"separable", "exact", "full", "full_exact", "released"}
        Which metric is learned: weights of features in closed form, weights by the paper's own objective
        (sparse), a full matrix (weights in its axes by either), or what the authors' code solves.
    penalty : None, "auto", γ, or (γ, q)
        Selective penalty of the final metric: its strength γ and the number q of axes that it falls on.
        Either may be "auto": q by the elbow of the average eigenvalues, γ by the Calinski–Harabasz index.
    separation : float or "cv"
        λ of the augmentation, or "cv" to choose it by 5-fold cross-validation over the answers.
    closure : bool
        Whether all pairs that the answers imply are must-links and cannot-links (S, D), as printed, or the
        answered pairs alone.
    shared_memberships : bool
        Whether rows known to be the same share their memberships, so that λ counts once for them; as printed,
        each row has its own.
    augmentation : bool
        Whether pairs inferred from the answers train the metric too; without them it is Xing's.
    kernel : None or "additive"
        Learn the metric on curves along each feature, for groups that no ellipsoid holds: crescents, rings.
        Its axes are always those of a full metric, weighed as `metric` says ("full" as "separable").
    prior_count : float
        The data at large count as much as this number of answers (0: not at all, as printed).
    max_pairs : int, optional
        Most pairs of each kind that train the metric, a random sample; None takes all.
    pair_weight : float
        Weight of the pairs against the scatter around centres, for ``metric="released"`` alone.
    weight : float
        Price of a violated constraint.
    weight_unit : {"variance", "metric"}
        What `weight` is measured in: the data's total variance under the metric, or one squared unit of the
        metric, as printed. The metric is then scaled as in formula (3), and "released" to unit norm.
    answered_row_weight : float
        For how many rows one that the pairs are about counts in its centre; 1 is the paper's PCKMeans.
    keep_answers : bool
        Whether a session puts answered rows into their groups in the end; otherwise they stay where PCKMeans
        left them, as printed.
    standardize : bool
        Divide each feature by its standard deviation first.
    n_init, max_iter : int
        Starts where constraints leave centres to chance, and most sweeps of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    metric_ : Metric
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    cluster_centers_ : ndarray
        One row a cluster, in the space of ``metric_.transform(X)``.
    objective_ : float
        In that space, where the rows have unit total variance, unless `weight_unit` is "metric".
    n_iter_ : int
        Sweeps until no row moved.
    history_ : list of float
        The objective after each sweep; it never rises.

    References
    ----------
    Deng, Y., Yuan, Y., Fu, H., and Qu, A. (2023). Query-augmented active metric learning. *Journal of
    the American Statistical Association*, 118(543), 1862–1875.

    Examples
    --------
    >>> from sameornot import AugmentedClustering
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> partial = [label if row < 20 else -1 for row, label in enumerate(y)]
    >>> model = AugmentedClustering(n_clusters=3, random_state=0).fit(X, partial)
    >>> model.predict(X[:2]).shape, int(model.feature_weights_.argmax()) in (0, 1, 2)
    ((2,), True)
    """

    def __init__(
        self,
        n_clusters: int | None = 8,
        *,
        metric: str = "separable",
        penalty: Any = None,
        separation: float | str = 0.5,
        closure: bool = False,
        shared_memberships: bool = True,
        augmentation: bool = True,
        kernel: str | None = None,
        prior_count: float = PRIOR_COUNT,
        max_pairs: int | None = MAX_PAIRS,
        pair_weight: float = 1000.0,
        weight: float = 1.0,
        weight_unit: str = "variance",
        answered_row_weight: float = 5.0,
        keep_answers: bool = True,
        standardize: bool = True,
        n_init: int = 5,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.penalty = penalty
        self.separation = separation
        self.closure = closure
        self.shared_memberships = shared_memberships
        self.augmentation = augmentation
        self.kernel = kernel
        self.prior_count = prior_count
        self.max_pairs = max_pairs
        self.pair_weight = pair_weight
        self.weight = weight
        self.weight_unit = weight_unit
        self.answered_row_weight = answered_row_weight
        self.keep_answers = keep_answers
        self.standardize = standardize
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def as_printed(cls, n_clusters: int | None = 8, *, full: bool = False, **changes: Any) -> Self:
        """The method as the paper prints it, §3.1 to §4; `full` learns a general A. `changes` are parameters.

        λ by 5-fold cross-validation and summed over rows, S and D as §3.3 defines them, formulas (3) and (9)
        without any prior, q by the elbow and γ by the Calinski–Harabasz index, formula (5) with unit price.
        """
        printed: dict[str, Any] = {
            "metric": "full_exact" if full else "exact",
            "penalty": "auto",
            "separation": "cv",
            "closure": True,
            "shared_memberships": False,
            "prior_count": 0.0,
            "max_pairs": None,
            "weight_unit": "metric",
            "answered_row_weight": 1.0,
            "keep_answers": False,
            "standardize": False,
        }
        return cls(n_clusters, **(printed | changes))

    @classmethod
    def as_released(cls, n_clusters: int | None = 8, *, q: int, **changes: Any) -> Self:
        """What the authors' released code runs; `q` features are penalised. `changes` are parameters.

        It ran with q = p2 / 2 in the simulations and 10 on the real data, and with ``pair_weight=200`` on the
        sphere. Its interrupted searches and interrupted sweeps are not imitated.
        """
        released: dict[str, Any] = {
            "metric": "released",
            "penalty": (100.0, q),
            "separation": 0.0,
            "closure": True,
            "shared_memberships": False,
            "prior_count": 0.0,
            "max_pairs": None,
            "weight_unit": "metric",
            "answered_row_weight": 1.0,
            "keep_answers": False,
        }
        return cls(n_clusters, **(released | changes))

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_metric(settings_of(self))
        parse_penalty(self.penalty)
        check_prices(self)
        return self

    def checkpoints(self, step: int) -> Iterable[int]:
        """All earlier steps: the selective penalty falls on what mattered least in them."""
        return () if self.penalty is None else range(1, step)

    def remember(self, clustering: StepClustering) -> Metric | None:
        """The metric of a step."""
        return clustering.learned

    def checkpoint(self, problem: Problem, state: State) -> Metric | None:
        """The metric of a step, without its clustering."""
        learned = fit_metric(problem, settings_of(self), problem.step_rng())
        return learned if len(problem.answers.cannot_link) else None

    def cluster(self, problem: Problem, state: State) -> StepClustering:
        """Learn the metric without penalty and cluster under it (Algorithm 1, step 1d)."""
        rng = problem.step_rng()
        metric = fit_metric(problem, settings_of(self), rng)
        found = cluster_under(metric, problem, self, rng)
        parts = {part.name: getattr(found, part.name) for part in fields(found)}
        return StepClustering(**parts, learned=metric if len(problem.answers.cannot_link) else None)

    def conclude(self, problem: Problem, state: State) -> CenterClustering:
        """Learn the metric with the selective penalty and cluster under it (Algorithm 1, steps 2 and 3)."""
        rng, settings = problem.result_rng(), settings_of(self)
        pairs = fit_pairs(problem, settings, rng)
        metric = learn_metric(problem.X, pairs, scale=problem.scale, kernel=self.kernel, **settings.objective)
        plain = cluster_under(metric, problem, self, rng)
        gamma, q = parse_penalty(self.penalty)
        if gamma == 0.0 or not pairs.different.differences(problem.X / problem.scale).any():
            return plain
        history = [earlier for earlier in state.checkpoints if earlier is not None]
        axes = penalised_axes([*history, metric], metric.rotation, q)
        trials = [plain] if gamma is None else []
        for strength in GAMMA_GRID if gamma is None else (gamma,):
            penalty = SelectivePenalty(axes, strength)
            weighed = weigh_axes(problem.X, pairs, metric, penalty=penalty, **settings.objective)
            trials.append(cluster_under(weighed, problem, self, rng))
        return max(trials, key=lambda trial: calinski_harabasz(problem.X, trial))


def parse_penalty(penalty: Any) -> tuple[float | None, int | None]:
    """(γ, q), with None for what is to be chosen; γ = 0 is no penalty."""
    if penalty is None:
        return 0.0, 0
    gamma, q = penalty if isinstance(penalty, tuple) and len(penalty) == 2 else (penalty, "auto")
    return (
        None if isinstance(gamma, str) and gamma == "auto" else check_number("penalty", gamma),
        None if isinstance(q, str) and q == "auto" else check_count("penalty's q", q, at_least=0),
    )


def calinski_harabasz(X: np.ndarray, clustering: CenterClustering) -> float:
    """Variance between clusters over variance within, under the metric; −∞ for a single cluster."""
    n_found = len(np.unique(clustering.labels))
    if not 2 <= n_found < len(X):
        return -np.inf
    return float(calinski_harabasz_score(clustering.metric.transform(X), clustering.labels))
