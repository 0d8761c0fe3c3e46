"""`EnsembleClustering`: base learners, stacked by how well they predict the answers (our default)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from sameornot.cluster.base import Clusterer, Clustering, Problem, State
from sameornot.constraints import Constraints
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.fit import EnsembleFit, fisher_metric
from sameornot.ensemble.geometry import Geometry
from sameornot.ensemble.given_pairs import (
    N_ROUNDS,
    leaves_sets_open,
    pair_log_likelihood,
    place_sets,
)
from sameornot.ensemble.inconsistent import fit_inconsistent
from sameornot.ensemble.learners import LEARNERS, Ensemble, Graphs
from sameornot.ensemble.linking import respect_constraints
from sameornot.ensemble.posterior import Evidence, Posterior, first_checkpoint, fit_ensemble
from sameornot.ensemble.preparation import prepare
from sameornot.ensemble.prequential import PredictionCheckpoint
from sameornot.ensemble.structure import granularity
from sameornot.ensemble.training import TrainingSet, all_rows

# All pairs of rows are held in memory, a few times over: some 3 GB for this many.
MAX_ROWS = 10_000
# Votes of what is known without an answer, where answers contradict each other.
N_KNOWN_VOTES = 3


class EnsembleClustering(Clusterer):
    """Cluster rows by partial labels or pairs, with an ensemble of six semi-supervised learners.

    In a session, each learner is weighted by how well it predicted the answers; without a session, all weigh
    the same. All pairs of rows are compared, so at most 10,000 rows can be fitted; a session draws a pool of
    a larger table and groups all of its rows: ``ActiveSession(X, n_clusters, answers=pairs).result()``.

    Parameters
    ----------
    n_clusters : int, optional
        Number of groups. If omitted, it is estimated from the rows and the constraints.
    learners : tuple of str
        One or more of `sameornot.ensemble.learners.LEARNERS`.
    config : EnsembleConfig, optional
        All numeric constants. The default ones if omitted.
    standardize : bool
        Divide each feature by its standard deviation first.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
        All constraints hold, unless they tell more than `n_clusters` groups apart.
    metric_ : Metric
        Features weighted by their Fisher ratio.
    feature_weights_ : ndarray
        Share of each feature in the metric, per standard deviation.
    clustering_ : EnsembleFit
        The fit: `clustering_.proba` are the probabilities of the fitted rows.

    References
    ----------
    Zhou, D., Bousquet, O., Lal, T. N., Weston, J., and Schölkopf, B. (2004). Learning with local and
    global consistency. *NIPS*.

    Geurts, P., Ernst, D., and Wehenkel, L. (2006). Extremely randomized trees. *Machine Learning*,
    63(1).

    Dawid, A. P. (1984). Statistical theory: the prequential approach. *Journal of the Royal Statistical
    Society A*, 147(2).

    Wolpert, D. H. (1992). Stacked generalization. *Neural Networks*, 5(2).

    Examples
    --------
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    >>> partial = [label if row < 20 else -1 for row, label in enumerate(y)]
    >>> model = EnsembleClustering(n_clusters=3, random_state=0).fit(X, partial)
    >>> model.predict_proba(X[:2]).shape, int(model.feature_weights_.argmax()) in (0, 1, 2)
    ((2, 3), True)
    """

    produces: ClassVar[type] = EnsembleFit

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        learners: tuple[str, ...] = LEARNERS,
        config: EnsembleConfig | None = None,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.learners = learners
        self.config = config
        self.standardize = standardize
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        if isinstance(self.learners, str) or not self.learners or set(self.learners) - set(LEARNERS):
            raise ValueError(f"learners={self.learners!r} but some of {', '.join(LEARNERS)} are needed")
        if not isinstance(self.config, EnsembleConfig | None):
            raise ValueError(f"config={self.config!r} but an EnsembleConfig or None is needed")
        return self

    def prepare(self, X: np.ndarray, scale: np.ndarray, n_clusters: int | None) -> Geometry:
        """The views of the rows, and the kernel that suits them."""
        if len(X) > MAX_ROWS:
            raise ValueError(
                f"X has {len(X)} rows but the ensemble compares all pairs: at most {MAX_ROWS} rows can be "
                "fitted; ActiveSession(X, n_clusters, answers=pairs).result() groups all of a larger table"
            )
        return prepare(X, scale, n_clusters, self._ensemble)

    def neighbourhoods(self, answers: Constraints, n_clusters: int | None) -> list[np.ndarray]:
        """The groups that the answers make known.

        Groups are provisionally taken to differ until answers say otherwise, unless the expert was seen to
        err.
        """
        if answers.is_inconsistent:
            return answers.neighbourhoods(at_most=n_clusters)
        return answers.provisional_neighbourhoods(n_clusters or answers.n_points)

    def checkpoints(self, step: int) -> Iterator[int]:
        """Steps 2, 3, 4, 5, 6, 7, 8, 10, 12, … before the given one."""
        at = 2
        while at < step:
            yield at
            at = max(at + 1, int(at * self._ensemble.config.checkpoint_growth))

    def remember(self, clustering: EnsembleFit) -> PredictionCheckpoint:
        """What each base learner predicted."""
        return clustering.posterior.checkpoint

    def checkpoint(self, problem: Problem, state: State) -> PredictionCheckpoint:
        """What each base learner predicts, without the stacking, which takes no part in it."""
        if problem.n_clusters is not None and problem.answers.is_inconsistent:
            return self.remember(self.cluster(problem, state))
        return first_checkpoint(self._evidence(problem, state), self._ensemble, problem.step_rng())

    def cluster(self, problem: Problem, state: State) -> EnsembleFit:
        """The posterior given all answers, the learners being weighted by their checkpoints."""
        ensemble, rng = self._ensemble, problem.step_rng()
        evidence = self._evidence(problem, state)
        is_inconsistent = problem.n_clusters is not None and problem.answers.is_inconsistent
        if is_inconsistent:
            # What is known counts as answered more often than anybody is asked.
            known = problem.answers.known * N_KNOWN_VOTES
            posterior = fit_inconsistent(
                replace(evidence, answers=[*known, *evidence.answers]), ensemble, rng
            )
        else:
            posterior = fit_ensemble(evidence, ensemble, rng)
        return self._clustering(problem, posterior, state.prepared)

    def _cluster_given(self, problem: Problem, state: State) -> Clustering:
        """That of `cluster`, unless pairs leave open which group their rows are in."""
        answers, n_clusters = problem.answers, problem.n_clusters
        if n_clusters is None or not leaves_sets_open(answers, n_clusters):
            return super()._cluster_given(problem, state)
        nothing = TrainingSet.without_exclusions([], len(problem.X))
        evidence = Evidence(state.prepared, nothing, [], (), n_clusters)

        def train(known: TrainingSet) -> Posterior:
            return fit_ensemble(replace(evidence, known=known), self._ensemble, problem.step_rng())

        first = self.neighbourhoods(answers, n_clusters)
        guesses = [train(nothing), train(TrainingSet(first, answers.known_apart(first)))]
        seen = all_rows(first)
        posterior = max(guesses, key=lambda guess: pair_log_likelihood(guess.prior, answers, seen))
        for _ in range(N_ROUNDS):
            posterior = train(place_sets(posterior.prior, answers))
        return self._clustering(problem, posterior, state.prepared)

    def _clustering(self, problem: Problem, posterior: Posterior, prepared: Geometry) -> EnsembleFit:
        metric = fisher_metric(prepared.rows, problem.scale, posterior.proba)
        labels = posterior.proba.argmax(axis=1)
        return EnsembleFit(labels, metric, problem.X, posterior.proba, posterior, prepared, self._ensemble)

    def _evidence(self, problem: Problem, state: State) -> Evidence:
        answers, n_groups, found = problem.answers, problem.n_clusters, None
        groups = self.neighbourhoods(answers, n_groups)
        if n_groups is None:
            found = granularity(state.prepared.structure, answers.facts, is_sample=not answers.known)
            n_groups = len(groups) + found.n_missing(groups)
        known = TrainingSet(groups, answers.known_apart(groups))
        is_inconsistent = problem.n_clusters is not None and answers.is_inconsistent
        graphs = None if is_inconsistent else self._graphs(problem.step, state)
        return Evidence(
            state.prepared,
            known,
            answers.answers,
            state.checkpoints,
            n_groups,
            found,
            problem.annotators,
            graphs,
        )

    def _graphs(self, step: int, state: State) -> Graphs | None:
        """The graphs of the latest checkpoint; a step that is one itself makes new ones."""
        if not state.checkpoints or step in self.checkpoints(step + 1):
            return None
        latest: PredictionCheckpoint = state.checkpoints[-1]
        return latest.graphs

    @property
    def _ensemble(self) -> Ensemble:
        return Ensemble(tuple(self.learners), self.config or EnsembleConfig())

    def _store(self, clustering: EnsembleFit, problem: Problem) -> Self:
        is_open = leaves_sets_open(problem.answers, problem.n_clusters)
        known = [] if is_open else self.neighbourhoods(problem.answers, problem.n_clusters)
        may_add = problem.n_clusters is None
        proba = respect_constraints(clustering.proba, problem.answers, known, may_add=may_add)
        return super()._store(replace(clustering, proba=proba, labels=proba.argmax(axis=1)), problem)
