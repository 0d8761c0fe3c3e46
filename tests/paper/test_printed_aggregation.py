"""The selective penalty of a session (§3.2, §4): average ranks, q by the elbow, γ by Calinski–Harabasz.

The metric of each step is made again, by an estimator, from the answers up to that step.
"""

from dataclasses import replace

import numpy as np
import pytest
from made_answers import Answered, one_hot, table
from printed_formulas import loss, separation, solve_diagonal

from sameornot import ActiveSession, Answer, AugmentedClustering, MinimumExpectedEntropy, as_printed
from sameornot.metric.penalty import GAMMA_GRID

K, N_FEATURES = 3, 6
FEW_TREES = replace(MinimumExpectedEntropy.as_printed(), n_trees=5)


class Played:
    """A session of so many whole sweeps, and the metric of each of its steps."""

    def __init__(self, seed: int, n_sweeps: int = 14, *, full: bool = False) -> None:
        rng = np.random.default_rng(seed)
        self.seed, self.full = seed, full
        self.truth = rng.permutation(np.repeat(np.arange(K), 8))
        self.X = table(rng, self.truth, 3 if full else N_FEATURES)
        session = self.session(None)
        while (question := session.ask()) is not None and session.step <= n_sweeps:
            session.tell(
                Answer.SAME if self.truth[question.left] == self.truth[question.right] else Answer.DIFFERENT
            )
        self.log = session.answers
        self.history = [self.metric_after(step) for step in range(1, n_sweeps + 1)]

    def session(self, penalty, answers=()) -> ActiveSession:
        """A printed session with another penalty."""
        clusterer = AugmentedClustering.as_printed(K, full=self.full, penalty=penalty)
        printed = as_printed(full=self.full) | {"clusterer": clusterer, "strategy": FEW_TREES}
        return ActiveSession(self.X, K, **printed, answers=answers, random_state=self.seed)

    def result(self, penalty):
        """What the answers lead to with this penalty."""
        return self.session(penalty, self.log).result()

    def answered(self, step: int) -> Answered:
        """The answers up to a step."""
        told = [(tuple(reply.pair), reply.answer) for reply in self.log if reply.step <= step]
        same, different = (
            [pair for pair, answer in told if answer is a] for a in (Answer.SAME, Answer.DIFFERENT)
        )
        return Answered(self.X, K, same, different)

    def metric_after(self, step: int) -> np.ndarray:
        """A^t, without penalty."""
        answered = self.answered(step)
        model = AugmentedClustering.as_printed(K, full=self.full, penalty=None, random_state=0)
        return model.fit(self.X, **answered.links).metric_.matrix

    def terms(self):
        """Formula (4) for all answers."""
        answered = self.answered(len(self.log))
        placed = sorted({row for pair in answered.same + answered.different for row in pair})
        return answered.terms(one_hot(self.truth, np.array(placed), K))

    def eigenvalues(self, axes=None) -> np.ndarray:
        """Eigenvalues of each step that has a D, along the axes of the last where A is general."""
        known = [A for t, A in enumerate(self.history, 1) if self.answered(t).different]
        axes = np.eye(self.X.shape[1]) if axes is None else axes
        return np.array([[axis @ A @ axis for axis in axes.T] for A in known])


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Mean over the steps of the rank of each value among those of its step, 1 for the smallest."""
    return np.mean([[np.sum(row < v) + (np.sum(row == v) + 1) / 2 for v in row] for row in values], axis=0)


def lowest_ranked(values: np.ndarray, q: int) -> set[int]:
    """The q places with the smallest average rank."""
    ranks = average_ranks(values)
    order = np.argsort(ranks, kind="stable")
    assert ranks[order[q]] > ranks[order[q - 1]], "the table is to leave no choice"
    return set(order[:q].tolist())


def elbow(values: np.ndarray) -> int:
    """How many values lie at or past the point of their falling curve that is farthest below its chord."""
    curve = np.sort(values)[::-1]
    heights = (curve - curve[-1]) / (curve[0] - curve[-1])
    points = np.column_stack([np.linspace(0, 1, len(curve)), heights])
    below = [(1 - x - y) / np.sqrt(2) for x, y in points]  # the chord goes from (0, 1) to (1, 0)
    return len(curve) - int(np.argmax(below))


def calinski_harabasz(rows: np.ndarray, labels: np.ndarray) -> float:
    """Variance between the clusters over variance within, each over its degrees of freedom."""
    between = within = 0.0
    for k in np.unique(labels):
        members = rows[labels == k]
        between += len(members) * np.sum((members.mean(axis=0) - rows.mean(axis=0)) ** 2)
        within += np.sum((members - members.mean(axis=0)) ** 2)
    n_found = len(np.unique(labels))
    return between / (n_found - 1) / (within / (len(rows) - n_found))


@pytest.fixture(scope="module", params=[6, 16])
def played(request):
    return Played(request.param)


@pytest.mark.parametrize(("gamma", "q"), [(0.5, 3), (1000.0, 3), (1000.0, 4)])
def test_the_penalty_falls_on_the_features_that_rank_lowest_over_the_steps(played, gamma, q):
    values = played.eigenvalues()
    penalised = lowest_ranked(values, q)
    # §3.2 counts T − 1 steps and Algorithm 1 counts T: here they agree. Average values would not.
    assert penalised == lowest_ranked(values[:-1], q)
    assert penalised != set(np.argsort(values.mean(axis=0))[:q].tolist())
    A, given_terms = played.result((gamma, q)).metric.matrix, played.terms()
    lowest, _ = solve_diagonal(given_terms, penalised=penalised, gamma=gamma)
    assert separation(A, given_terms) == pytest.approx(1, abs=1e-6)
    assert loss(A, given_terms) + gamma * sum(A[m, m] for m in penalised) == pytest.approx(lowest, rel=1e-3)


def test_the_number_of_penalised_features_is_at_the_elbow_of_the_average_eigenvalues(played):
    q = elbow(played.eigenvalues().mean(axis=0))
    assert 0 < q < N_FEATURES
    chosen, by_hand = (played.result((3.0, given)).metric.matrix for given in ("auto", q))
    np.testing.assert_array_equal(chosen, by_hand)
    assert (played.result((3.0, q - 1)).metric.matrix != chosen).any()


def test_the_strength_of_the_penalty_has_the_largest_calinski_harabasz_index(played):
    trials = [played.result((gamma, "auto")) for gamma in GAMMA_GRID]
    index = [calinski_harabasz(trial.metric.transform(played.X), trial.labels) for trial in trials]
    chosen = played.result("auto")
    found = calinski_harabasz(chosen.metric.transform(played.X), chosen.labels)
    assert found == pytest.approx(max(index), rel=1e-9)
    np.testing.assert_array_equal(chosen.metric.matrix, trials[int(np.argmax(index))].metric.matrix)


def test_the_printed_session_chooses_both():
    played = Played(16)
    printed = ActiveSession(played.X, K, **as_printed(), answers=played.log, random_state=16).result()
    chosen, plain = (played.result(penalty) for penalty in (("auto", "auto"), None))
    np.testing.assert_array_equal(printed.metric.matrix, chosen.metric.matrix)
    np.testing.assert_array_equal(printed.labels, chosen.labels)
    assert (printed.metric.matrix != plain.metric.matrix).any()


@pytest.mark.parametrize("seed", [0, 1])
def test_metrics_with_axes_of_their_own_are_ranked_along_the_axes_of_the_last(seed):
    played, gamma = Played(seed, full=True), 1.0
    plain, given_terms = played.history[-1], played.terms()
    _, P = np.linalg.eigh(plain)
    penalised = lowest_ranked(played.eigenvalues(P), 1)
    A = played.result((gamma, 1)).metric.matrix
    lowest, _ = solve_diagonal(given_terms, axes=P, penalised=penalised, gamma=gamma)
    paid = gamma * sum(P[:, k] @ A @ P[:, k] for k in penalised)
    assert loss(A, given_terms) + paid == pytest.approx(lowest, rel=5e-3)
