"""A general A: the best subspace first, then the printed weights in its axes (§4, general case)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_answers import Answered, completely_compared, too_many_groups, uniquely_colourable
from printed_formulas import descend, loss, separation, solve_diagonal, solve_semidefinite

from sameornot import AugmentedClustering

seeds = st.integers(0, 2**32 - 1)


def printed_matrix(answered: Answered, **changes) -> np.ndarray:
    """A of the printed preset for a general A, without penalty unless one is given."""
    settings = {"full": True, "penalty": None, "separation": 0.5, "random_state": 0} | changes
    return (
        AugmentedClustering.as_printed(answered.n_groups, **settings)
        .fit(answered.X, **answered.links)
        .metric_.matrix
    )


def assert_is_semidefinite_minimum(A, given_terms, *, rel=2e-3):
    np.testing.assert_allclose(A, A.T, atol=1e-12 * np.abs(A).max())
    assert np.linalg.eigvalsh(A)[0] >= -1e-9 * np.trace(A)
    assert separation(A, given_terms) == pytest.approx(1, abs=1e-6)
    lowest = solve_semidefinite(given_terms)
    assert loss(A, given_terms) == pytest.approx(lowest, rel=rel)


@settings(max_examples=15)
@given(seeds, st.integers(2, 3), st.integers(2, 4))
def test_the_general_metric_reaches_the_minimum_of_a_semidefinite_program(seed, n_groups, n_features):
    """The minimum in the rotated axes is at most that of the subspace step, so both steps are the best."""
    answered, H = completely_compared(seed, n_groups, n_features=n_features, n_rows=18, n_placed=15)
    assert_is_semidefinite_minimum(printed_matrix(answered), answered.terms(H))


@settings(max_examples=5)
@given(seeds, st.integers(2, 3))
def test_the_general_metric_is_trained_on_augmented_pairs_too(seed, n_groups):
    answered, H = uniquely_colourable(seed, n_groups, n_features=3, n_rows=18, n_placed=15)
    assert_is_semidefinite_minimum(printed_matrix(answered), answered.terms(H))


def test_the_general_metric_counts_pairs_by_their_certainty():
    answered, separation_weight = too_many_groups(3, (3, 2, 2), n_features=2), 0.25
    _, H = descend(7, 2, *answered.implied(), separation_weight)
    H = np.vstack([H[0], np.full((len(answered.X) - 7, 2), 0.5)])
    A = printed_matrix(answered, separation=separation_weight)
    lowest = solve_semidefinite(answered.terms(H))
    assert separation(A, answered.terms(H)) == pytest.approx(1, abs=2e-3)
    assert loss(A, answered.terms(H)) == pytest.approx(lowest, rel=1e-2)


def of_rank_two(seed: int, n_features: int) -> tuple[Answered, np.ndarray, np.ndarray]:
    """Answers about three groups, H, and a metric without penalty whose two weighed axes are clear."""
    answered, H = completely_compared(seed, 3, n_features=n_features, n_rows=18, n_placed=15)
    plain = printed_matrix(answered)
    falling = np.linalg.eigvalsh(plain)[::-1] / np.linalg.eigvalsh(plain)[-1]
    assert 1e-2 < falling[1] < 0.99
    assert (falling[2:] < 1e-6).all()
    return answered, H, plain


@pytest.mark.parametrize("gamma", [0.1, 30.0])
@pytest.mark.parametrize("q", [1, 2])
@pytest.mark.parametrize("seed", [0, 2, 5])
def test_penalised_weights_are_the_printed_ones_in_the_axes_of_the_subspace(seed, q, gamma):
    """A = P D Pᵀ: P are all p eigenvectors of the metric without penalty, D is from formula (9)."""
    answered, H, plain = of_rank_two(seed, 3)
    given_terms, (_, P) = answered.terms(H), np.linalg.eigh(plain)  # rising
    A = printed_matrix(answered, penalty=(gamma, q))
    D = P.T @ A @ P
    np.testing.assert_allclose(D, np.diag(np.diag(D)), atol=1e-4 * np.trace(A))
    assert separation(A, given_terms) == pytest.approx(1, abs=1e-6)
    penalised = np.arange(q)
    lowest, _ = solve_diagonal(given_terms, axes=P, penalised=penalised, gamma=gamma)
    assert loss(A, given_terms) + gamma * np.diag(D)[penalised].sum() == pytest.approx(lowest, rel=2e-3)


@pytest.mark.parametrize("q", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_axes_without_weight_are_the_first_to_be_penalised(seed, q):
    """Of five eigenvalues three are zero: a penalty on up to three of them takes nothing from the others."""
    answered, _, plain = of_rank_two(seed, 5)
    A = printed_matrix(answered, penalty=(30.0, q))
    np.testing.assert_allclose(A, plain, atol=1e-3 * np.abs(plain).max())


@settings(max_examples=10)
@given(seeds, st.integers(2, 3), st.integers(2, 6))
def test_with_few_answers_the_general_metric_still_meets_the_constraint(seed, n_groups, n_placed):
    """Fewer pairs than features: the scatter of S is singular and the minimum of the loss is 0."""
    answered, H = completely_compared(seed, n_groups, n_features=6, n_placed=n_placed)
    assume(answered.different)
    A = printed_matrix(answered)
    assert np.isfinite(A).all()
    assert np.linalg.eigvalsh(A)[0] >= -1e-9 * np.trace(A)
    assert separation(A, answered.terms(H)) == pytest.approx(1, abs=1e-6)


def test_with_a_singular_scatter_the_loss_is_zero():
    """Two groups that one direction tells apart, in which no "same" pair differs."""
    rng = np.random.default_rng(4)
    truth = np.repeat([0, 1], 5)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X = np.column_stack([truth, rng.normal(size=(10, 2))]) @ turn
    same = [(0, 1), (1, 2), (2, 3), (5, 6), (6, 7), (7, 8)]
    answered = Answered(X, 2, same, [(0, 5)])
    H = np.full((10, 2), 0.5)
    H[[0, 1, 2, 3]], H[[5, 6, 7, 8]] = [1, 0], [0, 1]
    given_terms = answered.terms(H)
    A = printed_matrix(answered)
    assert separation(A, given_terms) == pytest.approx(1, abs=1e-6)
    best_diagonal, _ = solve_diagonal(given_terms)
    assert loss(A, given_terms) < 1e-3 * best_diagonal
