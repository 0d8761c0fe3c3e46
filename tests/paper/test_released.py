"""The released preset minimises what the authors' code minimises, and asks as it asks."""

import numpy as np
import pytest
from algorithm_1 import membership_matrix, play, record_forests, unplaced
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_answers import Answered, completely_compared
from printed_formulas import expected_entropy
from released_formulas import released_metric

from sameornot import ActiveSession, AugmentedClustering, as_released

seeds = st.integers(0, 2**32 - 1)


def placed_rows(seed: int, n_groups: int, n_features: int = 4) -> tuple[Answered, np.ndarray]:
    """Answers that place all of twelve rows, and their groups: no membership is left to chance."""
    answered, H = completely_compared(seed, n_groups, n_rows=12, n_placed=12, n_features=n_features)
    return answered, H.argmax(axis=1)


def released_fit(answered: Answered, q: int, **changes) -> AugmentedClustering:
    """The released preset on some answers."""
    model = AugmentedClustering.as_released(answered.n_groups, q=q, **{"random_state": 0} | changes)
    return model.fit(answered.X, **answered.links)


@settings(max_examples=20)
@given(seeds, st.integers(2, 4), st.sampled_from([1000.0, 200.0]))
def test_the_metric_of_a_step_is_the_minimum_of_the_released_objective(seed, n_groups, pair_weight):
    answered, truth = placed_rows(seed, n_groups)
    found = released_fit(answered, 2, penalty=None, pair_weight=pair_weight).metric_.matrix
    expected = released_metric(answered.X, truth, n_groups, pair_weight=pair_weight)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)


@settings(max_examples=20)
@given(seeds, st.integers(2, 4), st.integers(1, 4))
def test_a_hundred_is_added_to_the_cost_of_the_q_smallest_weights(seed, n_groups, q):
    answered, truth = placed_rows(seed, n_groups, n_features=5)
    plain = released_metric(answered.X, truth, n_groups)
    weights = np.diag(plain) * answered.X.var(axis=0)
    ranked = np.sort(weights)
    assume(ranked[q] > 1.01 * ranked[q - 1])
    expected = released_metric(answered.X, truth, n_groups, penalised=np.argsort(weights)[:q], gamma=100.0)
    found = released_fit(answered, q).metric_.matrix
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-6)


def test_the_metric_has_unit_norm_on_features_in_units_of_their_standard_deviation():
    answered, _ = placed_rows(0, 3)
    deviation = answered.X.std(axis=0)
    A = released_fit(answered, 2).metric_.matrix * np.outer(deviation, deviation)
    assert np.linalg.norm(A) == pytest.approx(1)
    rescaled = Answered(answered.X * [1e3, 1.0, 1e-3, 7.0], 3, answered.same, answered.different)
    again, first = released_fit(rescaled, 2), released_fit(answered, 2)
    np.testing.assert_array_equal(again.labels_, first.labels_)


def test_rows_without_answers_take_part_with_random_memberships():
    """The same answers about rows that are not all the rows: only the random state tells two fits apart."""
    answered, _ = completely_compared(1, 3)
    first, again, other = (released_fit(answered, 2, penalty=None, random_state=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.metric_.matrix, again.metric_.matrix)
    assert (first.metric_.matrix != other.metric_.matrix).any()


# Questions

K = 3
TRUTH = np.random.default_rng(5).permutation(np.repeat(np.arange(K), 6))
X = np.random.default_rng(6).normal(size=(18, 3)) + 1.2 * np.eye(3)[TRUTH]


@pytest.fixture(scope="module")
def sweeps():
    """The sweeps of a released session with each strategy."""
    found = {}
    for strategy in ("mee", "npu"):
        with pytest.MonkeyPatch.context() as patch:
            session = ActiveSession(X, K, **as_released(q=1, strategy=strategy), random_state=0)
            found[strategy] = play(session, record_forests(patch), TRUTH)
    return found


def unsorted_score(chances: np.ndarray) -> float:
    """Entropy over Σ k r_k, where k counts the possible neighbourhoods in the order of their making."""
    possible = [p for p in chances if p > 0]
    entropy = -sum(p * np.log2(p) for p in possible)
    return entropy / sum(k * p for k, p in enumerate(possible, 1))


def test_npu_counts_questions_in_the_order_of_the_neighbourhoods_and_takes_the_first_of_ties(sweeps):
    for sweep in sweeps["npu"]:
        if len(sweep.neighbourhoods) > 1:  # with one, any row is as good
            R = membership_matrix(sweep, len(X))
            score = {row: unsorted_score(R[row]) for row in unplaced(sweep, len(X))}
            best = max(score.values())
            assert sweep.row == min(row for row, value in score.items() if value >= best - 1e-12)


def test_mee_takes_the_first_of_ties(sweeps):
    for sweep in sweeps["mee"]:
        if len(sweep.neighbourhoods) > 1:
            R = membership_matrix(sweep, len(X))
            entropy = {row: expected_entropy(R, row) for row in unplaced(sweep, len(X))}
            lowest = min(entropy.values())
            assert sweep.row == min(row for row, value in entropy.items() if value <= lowest + 1e-9)


@pytest.mark.parametrize("strategy", ["mee", "npu"])
def test_rows_are_compared_with_the_first_row_of_each_neighbourhood(sweeps, strategy):
    for sweep in sweeps[strategy]:
        for m, representative in zip(sweep.asked, sweep.representatives, strict=True):
            assert representative == sweep.neighbourhoods[m][0]
