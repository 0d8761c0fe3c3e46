"""Pair classifiers of Theorem 1, placements of Theorem 2, two clusters of Theorem 3, against plain loops."""

from itertools import combinations

import cvxpy as cp
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

from reproduction.enumeration import FACTS, draw_points, list_labelings
from reproduction.placements import KINDS, Kind, alternating, corollary1_rows, place_independent, place_listed
from reproduction.theorem1 import (
    METHODS,
    SETTINGS,
    all_pairs,
    best_limit,
    certainties,
    disjoint_pairs,
    error,
    incompatibility,
    memberships_of,
    problem_of,
    theorem1_rows,
)
from reproduction.theory import divergence_curve, two_step
from reproduction.two_clusters import theorem3_rows, two_step_loss
from sameornot import Constraints, State
from sameornot.datasets import make_gaussian


@pytest.fixture(scope="module")
def asked():
    """Rows, random answers about them, and what is learned from."""
    X, y = make_gaussian(n_samples=30, n_relevant=3, n_irrelevant=2, random_state=0)
    answered = all_pairs(y).shuffled(np.random.default_rng(0)).first(40)
    return X, y, answered, problem_of(X, answered, 3, seed=0)


def looped_certainty(h_i, h_j, K):
    """w_ij and on which side of 1/K the concordance is, as formula (3) says."""
    concordance = h_i @ h_j
    w = K / (K - 1) * max(concordance - 1 / K, 0) - K * min(concordance - 1 / K, 0)
    return w * np.sign(concordance - 1 / K)


def test_certainties_are_those_of_the_formula(asked):
    _, y, _, problem = asked
    H = memberships_of(problem)
    assert H.sum(axis=1) == pytest.approx(1.0)
    expected = [looped_certainty(H[i], H[j], 3) for i, j in combinations(range(len(y)), 2)]
    np.testing.assert_allclose(certainties(H, all_pairs(y)), expected, atol=1e-8)


@pytest.mark.parametrize("way", METHODS)
def test_the_metric_solves_the_printed_problem_at_its_own_scale(asked, way):
    """Formula (3) by cvxpy, from the memberships that the rows use."""
    X, y, answered, problem = asked
    everything = all_pairs(y)
    weight = certainties(memberships_of(problem), everything)
    squares = (X[everything.left] - X[everything.right]) ** 2
    told = (X[answered.left] - X[answered.right]) ** 2
    a = cp.Variable(X.shape[1], nonneg=True)
    loss = cp.sum(told[answered.same] @ a) / answered.same.sum()
    apart = cp.sum(cp.sqrt(told[~answered.same] @ a)) / (~answered.same).sum()
    if way == "with augmentation":
        likely, unlikely = weight > 0, weight < 0
        loss += weight[likely] @ squares[likely] @ a / likely.sum()
        apart += cp.sum(cp.multiply(-weight[unlikely], cp.sqrt(squares[unlikely] @ a))) / unlikely.sum()
    lowest = cp.Problem(cp.Minimize(loss), [apart >= 1]).solve()
    metric = METHODS[way].checkpoint(problem, State())
    a.value = np.diag(metric.matrix)
    assert apart.value == pytest.approx(1.0, abs=1e-6)
    assert loss.value == pytest.approx(lowest, rel=1e-4)


def test_an_error_is_far_and_the_same_or_near_and_different():
    distances, same = np.array([0.5, 2.0, 0.5, 2.0]), np.array([True, True, False, False])
    assert error(distances, same, 1.0) == 0.5
    assert error(distances, same, 0.1) == 0.5
    assert error(distances[[0, 3]], same[[0, 3]], 1.0) == 0.0


def test_the_printed_empirical_error_is_another_scale_of_the_share_of_errors(asked):
    X, _, answered, problem = asked
    metric = METHODS["with augmentation"].checkpoint(problem, State())
    distances = answered.distances(X, metric)
    h, y = np.sign(distances**2 - 1.0), answered.same.astype(float)
    share = error(distances, answered.same, 1.0)
    assert np.mean((2 * y - 1) * h) == pytest.approx(2 * share - 1)
    assert np.mean(h != 2 * y - 1) == pytest.approx(1 - share)


some_pairs = st.lists(
    st.tuples(st.integers(1, 50), st.booleans()), min_size=1, max_size=12, unique_by=lambda drawn: drawn[0]
)


@given(some_pairs)
def test_no_limit_has_fewer_errors_than_the_best(drawn):
    distances, same = (np.array(column) for column in zip(*drawn, strict=True))
    fewest = min(error(distances, same, limit) for limit in np.arange(0.0, 52.0, 0.5))
    assert error(distances, same, best_limit(distances, same)) == fewest


def test_incompatibility_is_its_sum_over_pairs():
    distances, weight = np.array([2.0, 3.0, 5.0]), np.array([0.5, -1.0, 0.0])
    assert incompatibility(distances, weight) == pytest.approx((0.5 * 4 - 3) / 3)


def test_disjoint_pairs_share_no_row():
    pairs = disjoint_pairs(np.zeros(9))
    assert sorted([*pairs.left, *pairs.right]) == list(range(8))


@pytest.mark.slow
def test_rows_of_theorem_1_hold_both_ways_and_are_the_same_again():
    rows, again = (theorem1_rows("gaussian", 0, None, n_fresh=200, counts=(20, 40)) for _ in range(2))
    assert repr(rows) == repr(again)
    table = pd.DataFrame(rows)
    assert set(table.method) == set(METHODS)
    assert table.answers.tolist() == [20, 20, 40, 40]
    assert (table.best_empirical <= table.empirical).all()
    assert "," not in "".join(SETTINGS)  # names of runs go into the first column


@pytest.mark.slow
def test_a_general_metric_is_learned_where_it_is_wanted():
    rows = theorem1_rows("gaussian", 0, None, n_fresh=200, counts=(80,))
    assert {row["method"] for row in rows} == {*METHODS, *(f"general A {way}" for way in METHODS)}


@pytest.mark.slow
@given(seed=st.integers(0, 200), size=st.integers(1, 2), separation=st.sampled_from([1.0, 2.0]))
def test_independent_points_give_what_enumeration_gives(seed, size, separation):
    rng = np.random.default_rng(seed)
    points = alternating(draw_points(7, 2, separation, rng, neighbourhood_size=2), 2)
    listed = place_listed(points, 2 * size, np.random.default_rng(0), strength=FACTS)
    alone = place_independent(points, 2 * size, np.random.default_rng(0))
    assert alone == pytest.approx(listed)


def test_alternating_points_start_with_one_of_each_cluster():
    drawn = draw_points(10, 3, 2.0, np.random.default_rng(0), neighbourhood_size=2)
    points = alternating(drawn, 2)
    assert points.truth[:6].tolist() == [0, 1, 2, 0, 1, 2]
    assert sorted(map(tuple, points.X)) == sorted(map(tuple, drawn.X))
    assert all(points.X[1] == drawn.X[2])


def test_mees_point_is_one_whose_clusters_are_about_equally_likely():
    points = alternating(draw_points(300, 2, 2.0, np.random.default_rng(0), neighbourhood_size=1), 1)
    R = softmax(-((points.X[:, None] - points.centers) ** 2).sum(axis=2), axis=1)
    truth = R[np.arange(300), points.truth]
    found = place_independent(points, 2, np.random.default_rng(0))
    most = np.abs(R[2:, 0] - 0.5).argmin() + 2
    others = np.delete(truth, [0, 1, most])
    assert found.holds == pytest.approx(np.mean(others >= truth[most]))


def test_sizes_of_neighbourhoods_leave_two_points_and_share_the_points():
    kind = Kind(8, 3, 2.0, FACTS)
    assert kind.sizes == [1, 2]
    assert all(kind.draw(4).X[0] == Kind(8, 3, 2.0, 1.0).draw(4).X[0])
    assert {kind.n_points for kind in KINDS["independent"]} == {30, 300}


@pytest.mark.slow
@pytest.mark.parametrize("run", KINDS)
def test_rows_of_corollary_1_hold_every_size(run):
    table = pd.DataFrame(corollary1_rows(run, 0, None, n_worlds=2))
    kinds = ["n_points", "n_clusters", "separation", "strength", "neighbourhood_size"]
    assert len(table) == len(table[kinds].drop_duplicates()) == sum(len(kind.sizes) for kind in KINDS[run])
    assert table.holds.between(0, 1).all()


@given(seed=st.integers(0, 100), separation=st.sampled_from([0.5, 2.0]))
def test_two_cluster_losses_are_those_of_enumeration(seed, separation):
    points = draw_points(6, 2, separation, np.random.default_rng(seed))
    world = list_labelings(points, naming=np.arange(0))
    beforehand = two_step(world, Constraints(6))
    expected = divergence_curve(world, Constraints(6), beforehand, np.random.default_rng(0), ask_settled=True)
    found = two_step_loss(points, 15)
    assert found[[0, -1]] == pytest.approx(expected[[0, -1]], abs=1e-9)
    assert all(np.diff(found) < 1e-9)
    chances = np.sort(np.abs(world.together @ softmax(world.evidence) - 0.5))
    if np.diff(chances).min() > 1e-9:  # the order of the questions has no ties
        assert found == pytest.approx(expected, abs=1e-9)


def test_rows_of_theorem_3_refute_it_for_two_clusters():
    table = pd.DataFrame([row for seed in range(3) for row in theorem3_rows("two-step", seed, None)])
    last = table[(table.n_points == 200) & (table.separation == 0.5) & (table.questions == 399)]
    assert (last.bound < -last.kl).all()
    assert (table.kl <= table.start).all()
    assert (table.kl >= -1e-9).all()
