"""The metric of the printed preset is the minimum of formulas (3) and (4), diagonal case (8)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from made_answers import Answered, completely_compared, one_hot, too_many_groups, uniquely_colourable
from printed_formulas import descend, implied_pairs, loss, separation, solve_diagonal

from sameornot import AugmentedClustering

seeds = st.integers(0, 2**32 - 1)


def printed_metric(given_answers: Answered, **changes) -> np.ndarray:
    """A of the printed preset without penalty, the metric of a step of Algorithm 1."""
    model = AugmentedClustering.as_printed(
        given_answers.n_groups, **{"penalty": None, "random_state": 0} | changes
    )
    return model.fit(given_answers.X, **given_answers.links).metric_.matrix


def assert_is_minimum(A, given_terms, *, rel=1e-3, equality=1e-6, **penalty):
    """A is diagonal, meets the constraint of (3) with equality, and no A has a lower loss."""
    np.testing.assert_array_equal(A, np.diag(np.diag(A)))
    assert (np.diag(A) >= 0).all()
    assert separation(A, given_terms) == pytest.approx(1, abs=equality)
    lowest, _ = solve_diagonal(given_terms, **penalty)
    paid = penalty.get("gamma", 0.0) * np.diag(A)[list(penalty.get("penalised", ()))].sum()
    assert loss(A, given_terms) + paid == pytest.approx(lowest, rel=rel, abs=1e-9)


@settings(max_examples=25)
@given(seeds, st.integers(2, 4))
def test_after_whole_sweeps_the_metric_is_the_minimum_of_formula_3(seed, n_groups):
    answered, H = completely_compared(seed, n_groups)
    assert_is_minimum(printed_metric(answered), answered.terms(H))


@settings(max_examples=15)
@given(seeds, st.integers(2, 3), st.sampled_from([0.0, 0.3, 1.0]))
def test_pairs_that_only_the_number_of_groups_settles_are_augmented(seed, n_groups, separation_weight):
    answered, H = uniquely_colourable(seed, n_groups)
    S, D = answered.implied()
    settled = len(S) + len(D)
    assume(settled < 45)  # of the 45 pairs of the ten answered rows
    assert_is_minimum(printed_metric(answered, separation=separation_weight), answered.terms(H))


@pytest.mark.parametrize("separation_weight", [0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("sizes", [(3, 1, 1), (3, 2, 2)])
def test_answers_that_cannot_all_hold_count_by_the_certainty_of_formula_2(sizes, separation_weight):
    answered = too_many_groups(3, sizes)
    S, D = answered.implied()
    n_answered = sum(sizes)
    reached, H = descend(n_answered, 2, S, D, separation_weight)
    concordances = np.array([rows @ rows.T for rows in H[reached < reached[0] + 1e-6]])
    spread = np.ptp(concordances, axis=0).max()
    assert spread < 1e-3  # the best memberships are the same but for the order of their columns
    H = np.vstack([H[0], np.full((len(answered.X) - n_answered, 2), 0.5)])
    A = printed_metric(answered, separation=separation_weight)
    assert_is_minimum(A, answered.terms(H), rel=2e-3, equality=1e-3)  # as exact as H is


def test_the_separation_is_summed_over_rows_and_not_over_groups_of_rows():
    """Certainties of groups of two, on which λ falls twice as hard as if each group were one row."""
    answered, separation_weight = too_many_groups(3, (3, 2, 2)), 0.5
    S, D = answered.implied()
    _, by_rows = descend(7, 2, S, D, separation_weight)
    _, by_groups = descend(7, 2, S, D, separation_weight / 2)  # groups of two counted once
    rest = np.full((len(answered.X) - 7, 2), 0.5)
    right, wrong = (answered.terms(np.vstack([H[0], rest])) for H in (by_rows, by_groups))
    lowest, _ = solve_diagonal(right)
    _, mistaken = solve_diagonal(wrong)
    mistaken = np.diag(mistaken) / separation(np.diag(mistaken), right) ** 2
    A = printed_metric(answered, separation=separation_weight)
    assert separation(A, right) == pytest.approx(1, abs=1e-3)
    assert separation(A, wrong) != pytest.approx(1, abs=2e-3)
    assert abs(loss(A, right) - lowest) < abs(loss(mistaken, right) - lowest) + 1e-6


@settings(max_examples=10)
@given(seeds, st.integers(2, 4), st.sampled_from([0.0, 0.2, 1.0]))
def test_where_the_answers_agree_the_separation_changes_nothing(seed, n_groups, separation_weight):
    answered, _ = completely_compared(seed, n_groups)
    np.testing.assert_allclose(
        printed_metric(answered, separation=separation_weight), printed_metric(answered, separation="cv")
    )


def test_similar_and_different_are_all_pairs_that_follow_from_the_answers():
    """Without augmentation: four answers, of which ten pairs follow."""
    rng = np.random.default_rng(5)
    answered = Answered(rng.normal(size=(9, 3)), 2, [(0, 1), (1, 2), (3, 4)], [(2, 3)])
    S, D = answered.implied()
    assert (len(S), len(D)) == (3 + 1, 6)
    assert implied_pairs(5, S, D) == (S, D)
    A = printed_metric(answered, augmentation=False)
    assert_is_minimum(A, answered.terms_without_augmentation())


def test_no_pair_is_left_out_however_many_there_are():
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=400)
    truth[:2] = [0, 1]
    X = rng.normal(size=(400, 2)) + np.outer(truth, [2.0, 0.0])
    first = np.array([truth.tolist().index(label) for label in truth])
    same = [(int(row), int(start)) for row, start in enumerate(first) if row != start]
    A = printed_metric(Answered(X, 2, same, [(0, 1)]))
    halves = X[truth == 0], X[truth == 1]
    across = (halves[0][:, None] - halves[1][None]).reshape(-1, 2)
    assert len(across) + sum(len(half) * (len(half) - 1) // 2 for half in halves) == 400 * 399 // 2
    # D and D~ are the same pairs, each with certainty 1
    assert 2 * np.sqrt((across**2) @ np.diag(A)).mean() == pytest.approx(1, abs=1e-9)


# Few answers: no prior stands behind them


def test_without_any_different_pair_the_metric_is_the_identity():
    """A⁰ = I: the constraint of (3) has no pair yet."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8, 3)) * [1.0, 5.0, 0.2]
    for same in ([], [(0, 1)], [(0, 1), (1, 2)]):
        np.testing.assert_array_equal(printed_metric(Answered(X, 2, same, [])), np.eye(3))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("n_groups", [2, 3])
def test_a_single_different_pair_is_at_distance_one_half(n_groups, full):
    """It is in D and in D~ with certainty 1; S and S~ are empty, so every A with this distance has loss 0."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 3))
    model = AugmentedClustering.as_printed(n_groups, full=full, penalty=None, random_state=0)
    A = model.fit(X, cannot_link=[(2, 5)]).metric_.matrix
    d = X[2] - X[5]
    assert np.sqrt(d @ A @ d) == pytest.approx(0.5)
    assert np.linalg.eigvalsh(A)[0] >= -1e-12


@settings(max_examples=15)
@given(seeds, st.integers(3, 5))
def test_with_few_answers_no_prior_takes_part(seed, n_placed):
    answered, H = completely_compared(seed, 2, n_rows=40, n_placed=n_placed)
    assume(answered.same)
    assert_is_minimum(printed_metric(answered), answered.terms(H))
    others = np.random.default_rng(seed).normal(size=(40 - n_placed, 4)) * 50.0
    elsewhere = Answered(np.vstack([answered.X[:n_placed], others]), 2, answered.same, answered.different)
    np.testing.assert_allclose(printed_metric(elsewhere), printed_metric(answered), rtol=1e-6)


def test_a_feature_that_never_differs_within_groups_makes_the_loss_zero():
    """Its weight costs nothing and separates: formula (3) has no lower value than 0."""
    rng = np.random.default_rng(2)
    truth = np.repeat([0, 1], 5)
    X = rng.normal(size=(10, 3))
    X[:, 1] = truth
    answered = Answered(X, 2, [(0, 1), (5, 6)], [(0, 5), (1, 6)])
    H = one_hot(truth, np.array([0, 1, 5, 6]), 2)
    assert solve_diagonal(answered.terms(H))[0] == pytest.approx(0, abs=1e-6)
    A = printed_metric(answered)
    assert separation(A, answered.terms(H)) == pytest.approx(1, abs=1e-6)
    assert loss(A, answered.terms(H)) == pytest.approx(0, abs=1e-6)


# Scale


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_the_scale_of_the_metric_undoes_the_units_of_the_rows(unit):
    answered, _ = completely_compared(7, 3)
    rescaled = Answered(unit * answered.X, 3, answered.same, answered.different)
    np.testing.assert_allclose(
        unit**2 * printed_metric(rescaled), printed_metric(answered), rtol=1e-3, atol=1e-6
    )


def test_features_are_not_divided_by_their_standard_deviation():
    """The penalty is the one part that units change: γ on raw features is not γ on standardised ones."""
    answered, H = completely_compared(8, 3)
    stretched = Answered(answered.X * [10.0, 1.0, 1.0, 0.1], 3, answered.same, answered.different)
    plain = np.diag(printed_metric(stretched))
    penalised = np.argsort(plain, kind="stable")[:3]
    A = printed_metric(stretched, penalty=(2.0, 3))
    assert_is_minimum(A, stretched.terms(H), penalised=penalised, gamma=2.0)


# The selective penalty


@settings(max_examples=25)
@given(seeds, st.integers(2, 4), st.integers(1, 5), st.sampled_from([0.1, 1.0, 10.0, 1000.0]))
def test_the_penalised_metric_is_the_minimum_of_formula_4(seed, n_groups, q, gamma):
    """A fit has one step, so G are the q features with the smallest weights in it."""
    answered, H = completely_compared(seed, n_groups, n_features=6, n_placed=12)
    weights = np.diag(printed_metric(answered))
    ranked = np.sort(weights)
    assume(ranked[q] > ranked[q - 1] + 1e-4 * ranked[-1])
    A = printed_metric(answered, penalty=(gamma, q))
    penalised = np.argsort(weights)[:q]
    assert_is_minimum(A, answered.terms(H), penalised=penalised, gamma=gamma)
