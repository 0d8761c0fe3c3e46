"""Memberships explain the answers as well as a search over all memberships does."""

from itertools import combinations, product

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints
from sameornot.augmentation.links import Links, answered_pairs, links_between
from sameornot.augmentation.memberships import (
    SEPARATION_GRID,
    admm,
    augment,
    choose_separation,
    closure_start,
    fit_memberships,
    objective,
    project_simplex,
    prox_separation,
)

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT


def closed(n_points, *, same=(), different=()):
    constraints = Constraints(n_points)
    for pair in same:
        constraints.add(pair, SAME)
    for pair in different:
        constraints.add(pair, DIFFERENT)
    return constraints


def make_links(*quadruples):
    """Links from (left, right, target, count)."""
    left, right, target, count = np.array(quadruples, dtype=float).T
    return Links(left.astype(int), right.astype(int), target, count)


def all_compared(n_groups):
    """Links of groups of three points, every two groups known to differ."""
    apart = [(i, j, 0, 1) for i, j in combinations(range(n_groups), 2)]
    return make_links(*apart, *((i, i, 1, 2) for i in range(n_groups)))


def by_the_formula(links, rows, separation):
    """The objective of (§3.1), term by term."""
    total = 0.0
    for i, j, target, count in zip(links.left, links.right, links.target, links.count, strict=True):
        concordance = sum(rows[i][k] * rows[j][k] for k in range(len(rows[i])))
        total += count * (target - concordance) ** 2
    for row in rows:
        for h in row:
            total += separation * min(abs(h), abs(h - 1))
    return total


def simplex_grid(n_clusters, steps):
    counts = product(range(steps + 1), repeat=n_clusters)
    return np.array([c for c in counts if sum(c) == steps]) / steps


def grid_minimum(links, n_rows, n_clusters, separation, steps):
    """The least objective over every choice of rows from a grid on the simplex."""
    grid = simplex_grid(n_clusters, steps)
    concordance = grid @ grid.T
    penalty = np.minimum(grid, 1 - grid).sum(axis=1)
    choice = np.indices((len(grid),) * n_rows).reshape(n_rows, -1)
    total = separation * penalty[choice].sum(axis=0)
    for i, j, target, count in zip(links.left, links.right, links.target, links.count, strict=True):
        total = total + count * (target - concordance[choice[i], choice[j]]) ** 2
    return total.min()


def assert_on_simplex(rows):
    assert (rows >= 0).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=1e-9)


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.5, 1.0, 2.0])
def test_prox_is_the_grid_minimiser(threshold):
    v = np.linspace(-3, 4, 70_001)

    def cost(v, u):
        return threshold * np.minimum(np.abs(v), np.abs(v - 1)) + 0.5 * (v - u) ** 2

    points = np.linspace(-1.5, 2.5, 57)
    found = prox_separation(points, threshold)
    for u, value in zip(points, found, strict=True):
        assert cost(value, u) <= cost(v, u).min() + 1e-12
        if not np.isclose(u, 0.5):  # there both sides are as near
            assert value == pytest.approx(v[cost(v, u).argmin()], abs=1e-4)


@pytest.mark.parametrize(("n_columns", "spread"), [(1, 1.0), (2, 0.5), (3, 3.0), (6, 1.0), (6, 50.0)])
def test_projection_on_the_simplex_matches_a_quadratic_program(n_columns, spread):
    rows = np.random.default_rng(n_columns).normal(scale=spread, size=(8, n_columns))
    nearest = cp.Variable(rows.shape, nonneg=True)
    cp.Problem(cp.Minimize(cp.sum_squares(nearest - rows)), [cp.sum(nearest, axis=1) == 1]).solve(
        solver="CLARABEL"
    )
    projected = project_simplex(rows)
    assert_on_simplex(projected)
    np.testing.assert_allclose(projected, nearest.value, atol=1e-5)


def test_projection_leaves_the_simplex_as_it_is():
    rows = np.vstack([simplex_grid(3, 5), np.full((1, 3), 1 / 3)])
    np.testing.assert_allclose(project_simplex(rows), rows, atol=1e-15)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4), st.floats(0, 2))
def test_objective_equals_the_formula_term_by_term(seed, n_rows, n_clusters, separation):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(n_clusters), size=n_rows)
    n_links = int(rng.integers(1, 8))
    ends = rng.integers(n_rows, size=(2, n_links))
    links = Links(*ends, rng.integers(2, size=n_links).astype(float), rng.integers(1, 4, size=n_links) * 1.0)
    assert objective(links, rows, separation) == pytest.approx(by_the_formula(links, rows, separation))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_links_between_groups_carry_every_answer_once(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=8)
    constraints = Constraints(8)
    answers = [rng.choice(8, size=2, replace=False) for _ in range(10)]
    for i, j in answers:
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    groups = constraints.groups()
    rows = rng.dirichlet(np.ones(3), size=len(groups))
    of_point = {int(i): row for members, row in zip(groups, rows, strict=True) for i in members}
    misfit = sum((float(truth[i] == truth[j]) - of_point[i] @ of_point[j]) ** 2 for i, j in answers)
    assert objective(links_between(groups, answered_pairs(constraints)), rows, 0.0) == pytest.approx(misfit)


@pytest.mark.parametrize(("n_groups", "n_clusters"), [(2, 2), (2, 4), (3, 3), (3, 5), (4, 4)])
@pytest.mark.parametrize("separation", [0.0, 0.25, 0.5, 1.0])
def test_admm_reaches_the_closed_form_from_random_starts(n_groups, n_clusters, separation):
    links = all_compared(n_groups)
    one_hot = np.eye(n_groups, n_clusters)
    assert by_the_formula(links, one_hot, separation) == 0
    rng = np.random.default_rng(0)
    start = rng.dirichlet(np.ones(n_clusters), size=n_groups)
    rows = fit_memberships(links, start, separation, rng)
    assert_on_simplex(rows)
    assert by_the_formula(links, rows, separation) < 1e-6
    np.testing.assert_allclose(rows @ rows.T, one_hot @ one_hot.T, atol=1e-2)


@pytest.mark.parametrize("separation", [0.0, 0.5, 1.0])
def test_admm_never_ends_above_its_start(separation):
    rng = np.random.default_rng(1)
    links = make_links((0, 1, 1, 1), (1, 2, 1, 1), (0, 2, 0, 2), (2, 3, 0, 1), (3, 3, 1, 1))
    for _ in range(10):
        start = rng.dirichlet(np.ones(3), size=4)
        rows = admm(links, start, separation)
        assert_on_simplex(rows)
        assert by_the_formula(links, rows, separation) <= by_the_formula(links, start, separation) + 1e-12


CONSISTENT = {
    "same": (2, [(0, 1, 1, 1)]),
    "different": (2, [(0, 1, 0, 1)]),
    "groups apart": (2, [(0, 0, 1, 3), (0, 1, 0, 1), (1, 1, 1, 1)]),
    "not all compared": (3, [(0, 0, 1, 2), (0, 1, 0, 1), (1, 1, 1, 1), (1, 2, 0, 1)]),
    "same all round": (3, [(0, 1, 1, 1), (1, 2, 1, 2), (0, 2, 1, 1)]),
}
CONTRADICTORY = {
    "two against one": (2, [(0, 1, 1, 2), (0, 1, 0, 1)]),
    "not like itself": (2, [(0, 0, 1, 1), (0, 0, 0, 1), (0, 1, 0, 2)]),
    "broken chain": (3, [(0, 1, 1, 1), (1, 2, 1, 1), (0, 2, 0, 1)]),
    "three against one": (3, [(0, 1, 1, 1), (0, 1, 0, 3), (1, 2, 1, 2), (0, 2, 1, 1)]),
}
STEPS = {(2, 2): 100, (2, 3): 20, (3, 2): 30, (3, 3): 10}  # of the grid, for (rows, clusters)


def fit_and_grid(n_rows, quadruples, n_clusters, separation):
    links = make_links(*quadruples)
    rng = np.random.default_rng(0)
    rows = fit_memberships(links, rng.dirichlet(np.ones(n_clusters), size=n_rows), separation, rng)
    assert_on_simplex(rows)
    lowest = grid_minimum(links, n_rows, n_clusters, separation, STEPS[n_rows, n_clusters])
    return by_the_formula(links, rows, separation), lowest


@pytest.mark.parametrize("separation", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("n_clusters", [2, 3])
@pytest.mark.parametrize("problem", CONSISTENT)
def test_memberships_fit_consistent_answers_as_well_as_a_grid(problem, n_clusters, separation):
    reached, lowest = fit_and_grid(*CONSISTENT[problem], n_clusters, separation)
    assert reached <= lowest + 1e-5


@pytest.mark.parametrize("separation", [0.0, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("n_clusters", [2, 3])
@pytest.mark.parametrize("problem", CONTRADICTORY)
def test_memberships_fit_contradictory_answers_nearly_as_well_as_a_grid(problem, n_clusters, separation):
    # no method finds the optimum of a problem that is not convex for sure: five in a hundred are granted
    reached, lowest = fit_and_grid(*CONTRADICTORY[problem], n_clusters, separation)
    assert reached <= 1.05 * lowest


@pytest.mark.parametrize("n_clusters", [3, 5])
def test_complete_answers_give_one_hot_rows_and_no_row_to_others(n_clusters):
    constraints = closed(9, same=[(4, 5), (5, 6), (1, 2)], different=[(4, 1), (4, 8), (8, 2)])
    constraints.add((0, 3), Answer.UNSURE)
    found = augment(constraints, n_clusters, np.random.default_rng(0))
    assert [members.tolist() for members in found.groups] == [[4, 5, 6], [1, 2], [8]]
    np.testing.assert_array_equal(np.sort(found.rows, axis=1)[:, -1], 1.0)
    np.testing.assert_array_equal(found.rows @ found.rows.T, np.eye(3))
    assert found.rows.shape == (3, n_clusters)
    assert_on_simplex(found.rows)


def test_incomplete_answers_give_no_row_to_points_without_one():
    constraints = closed(9, same=[(4, 5), (1, 2)], different=[(4, 8)])
    found = augment(constraints, 3, np.random.default_rng(0))
    assert sorted(np.concatenate(found.groups).tolist()) == [1, 2, 4, 5, 8]
    assert found.rows.shape == (3, 3)
    assert_on_simplex(found.rows)


@pytest.mark.parametrize("separation", [0.5, "cv"])
def test_no_answers_give_no_rows(separation):
    found = augment(Constraints(4), 3, np.random.default_rng(0), separation=separation)
    assert found.groups == []
    assert found.rows.shape == (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize(("n_clusters", "separation"), [(1, 0.0), (2, 0.0), (1, 0.5), (3, 0.5), (2, "cv")])
def test_more_groups_than_clusters_still_give_memberships(n_clusters, separation):
    constraints = closed(5, same=[(0, 4)], different=combinations(range(4), 2))
    found = augment(constraints, n_clusters, np.random.default_rng(0), separation=separation)
    assert len(found.groups) == 4
    assert_on_simplex(found.rows)


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_more_groups_than_clusters_break_as_few_answers_as_one_hot_rows_can(n_clusters):
    constraints = closed(5, different=combinations(range(5), 2))
    found = augment(constraints, n_clusters, np.random.default_rng(0), separation=1.0)
    links = links_between(found.groups, answered_pairs(constraints))
    labellings = product(range(n_clusters), repeat=5)
    fewest = min(by_the_formula(links, np.eye(n_clusters)[list(way)], 1.0) for way in labellings)
    assert by_the_formula(links, found.rows, 1.0) <= fewest + 1e-9


def test_the_start_rules_out_the_neighbourhoods_that_a_group_differs_from():
    # neighbourhoods {0, 1, 2} and {3, 4}; 5 and 6 differ from the first, 7 and 8 from nothing of them
    same = [(0, 1), (1, 2), (3, 4), (5, 6), (7, 8)]
    constraints = closed(9, same=same, different=[(0, 3), (5, 0)])
    start = closure_start(constraints.groups(), constraints, 4)
    np.testing.assert_allclose(start, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1 / 3, 1 / 3, 1 / 3], [0.25] * 4])


# The seeds are fixed: to satisfy all answers is to colour a graph, and a search misses that once in a while.
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("separation", [0.25, 0.5, 1.0])
def test_groups_known_to_differ_have_hardly_any_concordance(seed, separation):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.repeat(np.arange(3), 4))
    constraints = Constraints(12)
    for _ in range(14):
        i, j = rng.choice(12, size=2, replace=False)
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    found = augment(constraints, 3, rng, separation=separation)
    row_of = {int(i): row for members, row in zip(found.groups, found.rows, strict=True) for i in members}
    for i, j in constraints.cannot_link:
        assert row_of[i] @ row_of[j] < 0.05


def half_answered(seed, n_points=8, n_answers=8):
    """Two true groups of one size and true answers about some pairs."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_points) % 2
    constraints = Constraints(n_points)
    for i, j in rng.permutation(list(combinations(range(n_points), 2)))[:n_answers].tolist():
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    return constraints


@pytest.mark.slow
def test_the_chosen_separation_is_on_the_grid_and_decided_by_the_seed():
    constraints = half_answered(0)
    first, again = (choose_separation(constraints, 3, np.random.default_rng(5)) for _ in range(2))
    assert first == again
    assert first in SEPARATION_GRID
    assert choose_separation(constraints, 3, np.random.default_rng(0), grid=(0.3,)) == 0.3


@pytest.mark.parametrize("n_answers", [1, 2, 4, 5])
def test_a_separation_is_chosen_from_fewer_answers_than_folds_too(n_answers):
    pairs = [(2 * i, 2 * i + 1) for i in range(n_answers)]
    constraints = closed(10, same=pairs[::2], different=pairs[1::2])
    assert choose_separation(constraints, 2, np.random.default_rng(0)) in SEPARATION_GRID
