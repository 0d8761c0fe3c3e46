"""PCKMeans lowers its objective with every sweep, and the objective is that of the paper."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from sameornot import Answer, Constraints
from sameornot.cluster._centers import fill_centers
from sameornot.cluster._constraint_graph import constraint_graph
from sameornot.cluster.clustering import squared_distances
from sameornot.cluster.pckmeans import pckmeans

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
HUGE = 1e6
exhaustive = settings(deadline=None, max_examples=60)


def answered(truth, pairs):
    constraints = Constraints(len(truth))
    for i, j in pairs:
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    return constraints


def random_case(seed, n, n_clusters, n_answers, *, grid=False):
    """Rows, of which many coincide on a `grid`, and true answers about random pairs."""
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=(n, 2)).astype(float) if grid else rng.normal(size=(n, 2))
    truth = rng.integers(n_clusters, size=n)
    pairs = [rng.choice(n, size=2, replace=False) for _ in range(n_answers)]
    return X, answered(truth, pairs), rng


def broken(labels, constraints):
    """How many pairs of the closure a labelling breaks, one pair at a time."""
    verdicts = [
        (constraints.relation(i, j), labels[i] == labels[j]) for i, j in combinations(range(len(labels)), 2)
    ]
    return sum(
        (known is SAME and not together) or (known is DIFFERENT and together) for known, together in verdicts
    )


def by_the_formula(X, labels, centers, constraints, weight):
    """The objective of §3.2, point by point and pair by pair."""
    scatter = sum(np.sum((x - centers[label]) ** 2) for x, label in zip(X, labels, strict=True))
    return scatter + weight * broken(labels, constraints)


def best_of_all_labellings(X, constraints, n_clusters, weight):
    lowest = np.inf
    for way in product(range(n_clusters), repeat=len(X)):
        labels = np.array(way)
        scatter = sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in set(way))
        lowest = min(lowest, scatter + weight * broken(way, constraints))
    return lowest


cases = st.tuples(st.integers(0, 2**32 - 1), st.integers(4, 25), st.integers(1, 5), st.integers(0, 30))
weights = st.sampled_from([0.0, 0.1, 1.0, 5.0, HUGE])


@exhaustive
@given(cases, weights, st.booleans())
def test_the_objective_never_rises(case, weight, grid):
    X, constraints, rng = random_case(*case, grid=grid)
    n_clusters = min(case[2], len(X))
    history = np.array(pckmeans(X, constraints, n_clusters, rng, weight=weight).history)
    assert (np.diff(history) <= 1e-9 * (1 + history[:-1])).all()


@exhaustive
@given(cases, weights, st.booleans())
def test_the_last_objective_is_the_formulas(case, weight, grid):
    X, constraints, rng = random_case(*case, grid=grid)
    found = pckmeans(X, constraints, min(case[2], len(X)), rng, weight=weight)
    expected = by_the_formula(X, found.labels, found.centers, constraints, weight)
    assert found.history[-1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@exhaustive
@given(cases, weights)
def test_centres_are_the_means_of_their_points(case, weight):
    X, constraints, rng = random_case(*case)
    found = pckmeans(X, constraints, min(case[2], len(X)), rng, weight=weight)
    for k in np.unique(found.labels):
        np.testing.assert_allclose(found.centers[k], X[found.labels == k].mean(axis=0), atol=1e-12)


@exhaustive
@given(cases, weights)
def test_no_single_move_lowers_the_final_objective(case, weight):
    X, constraints, rng = random_case(case[0], min(case[1], 12), *case[2:])
    n_clusters = min(case[2], len(X))
    found = pckmeans(X, constraints, n_clusters, rng, weight=weight, max_iter=1000)
    for point, k in product(range(len(X)), range(n_clusters)):
        moved = found.labels.copy()
        moved[point] = k
        price = by_the_formula(X, moved, found.centers, constraints, weight)
        assert price >= found.history[-1] * (1 - 1e-9) - 1e-9


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(3, 6), st.integers(1, 3), st.integers(0, 8), weights)
def test_no_result_is_below_the_best_of_all_labellings(seed, n, n_clusters, n_answers, weight):
    X, constraints, rng = random_case(seed, n, n_clusters, n_answers)
    best = best_of_all_labellings(X, constraints, n_clusters, weight)
    found = pckmeans(X, constraints, n_clusters, rng, weight=weight)
    assert found.history[-1] >= best - 1e-9 * (1 + best)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_answers_that_settle_everything_give_the_best_of_all_labellings(seed, n_clusters):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(7, 2))
    truth = rng.permutation(np.arange(7) % n_clusters)
    constraints = answered(truth, combinations(range(7), 2))
    found = pckmeans(X, constraints, n_clusters, rng, weight=100.0)
    assert found.history[-1] == pytest.approx(best_of_all_labellings(X, constraints, n_clusters, 100.0))
    np.testing.assert_array_equal(found.labels[:, None] == found.labels, truth[:, None] == truth)


@pytest.mark.parametrize("seed", range(5))
def test_a_few_starts_find_the_best_of_all_labellings_of_apart_blobs(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(scale=0.1, size=(7, 2)) + np.array([[0, 0], [5, 0], [0, 5]])[np.arange(7) % 3]
    constraints = answered(np.arange(7) % 3, [(0, 3), (1, 2)])
    found = pckmeans(X, constraints, 3, rng, n_init=10)
    assert found.history[-1] == pytest.approx(best_of_all_labellings(X, constraints, 3, 1.0))


@exhaustive
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(0, 20))
def test_no_cluster_is_empty_when_rows_suffice(seed, n_clusters, n_more):
    rng = np.random.default_rng(seed)
    n = n_clusters + n_more
    cells = rng.choice(10 * n, size=n, replace=False)  # distinct rows on a grid, so that ties abound
    X = np.column_stack([cells % 10, cells // 10]).astype(float)
    found = pckmeans(X, Constraints(n), n_clusters, rng, n_init=1)
    assert np.unique(found.labels).tolist() == list(range(n_clusters))


def test_an_emptied_cluster_gets_the_worst_fitted_point():
    # the first centre starts at 0, between two rows that are nearer to the other two: nothing stays with it
    X = np.array([[-10.0], [10.0], [-9.0], [9.0], [11.0], [20.0]])
    constraints = answered([0, 0, 1, 2, -1, -1], [(0, 1), (0, 2), (0, 3), (2, 3)])
    found = pckmeans(X, constraints, 3, np.random.default_rng(0), weight=0.0)
    assert sorted(X[found.labels == found.labels[5], 0]) == [20.0]
    assert len(np.unique(found.labels)) == 3


@pytest.mark.parametrize("n_distinct", [1, 2])
@pytest.mark.parametrize("pairs", [[], [(0, 2)], [(0, 1), (1, 2), (3, 4)], list(combinations(range(8), 2))])
def test_duplicated_rows_end_without_a_hang_or_a_warning(n_distinct, pairs):
    X = np.repeat(np.arange(n_distinct, dtype=float), 12 // n_distinct)[:, None] * np.ones(3)
    constraints = answered(np.arange(12) % 3, pairs)
    found = pckmeans(X, constraints, 4, np.random.default_rng(0))
    assert found.n_iter < 100
    assert np.isfinite(found.centers).all()
    expected = by_the_formula(X, found.labels, found.centers, constraints, 1.0)
    assert found.history[-1] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_without_constraints_it_is_as_good_as_kmeans(seed):
    X, _ = make_blobs(200, n_features=3, centers=5, cluster_std=2.0, random_state=seed)
    reference = KMeans(5, n_init=10, random_state=seed).fit(X).inertia_
    found = pckmeans(X, Constraints(200), 5, np.random.default_rng(seed), n_init=10)
    assert found.history[-1] <= 1.05 * reference


@exhaustive
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(0, 4), st.booleans())
def test_a_large_weight_makes_all_constraints_of_the_neighbourhoods_hold(
    seed, n_clusters, n_mates, all_found
):
    """Neighbourhoods as the query loop makes them: every placed point was compared with each of them."""
    rng = np.random.default_rng(seed)
    n_hoods = n_clusters if all_found else n_clusters - 1
    truth = rng.permutation(np.arange(30) % n_clusters)
    placed = [np.flatnonzero(truth == k)[: 1 + n_mates] for k in range(n_hoods)]
    constraints = answered(truth, combinations(np.concatenate(placed).tolist(), 2))
    found = pckmeans(rng.normal(size=(30, 2)), constraints, n_clusters, rng, weight=HUGE)
    assert broken(found.labels, constraints) == 0


def test_a_larger_weight_breaks_no_more_constraints():
    X, constraints, _ = random_case(0, 40, 3, 60)
    counts = [
        broken(pckmeans(X, constraints, 3, np.random.default_rng(0), weight=w).labels, constraints)
        for w in (0.0, 0.3, 1.0, 100.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0


@exhaustive
@given(cases)
def test_a_weight_of_zero_ends_where_kmeans_does(case):
    X, constraints, rng = random_case(*case)
    found = pckmeans(X, constraints, min(case[2], len(X)), rng, weight=0.0, max_iter=1000)
    squares = ((X[:, None] - found.centers) ** 2).sum(axis=2)
    own = squares[np.arange(len(X)), found.labels]
    np.testing.assert_allclose(own, squares.min(axis=1), atol=1e-9)
    used = np.unique(found.labels)
    again = KMeans(len(used), init=found.centers[used], n_init=1).fit(X)
    assert again.inertia_ == pytest.approx(found.history[-1], rel=1e-9, abs=1e-9)


def test_a_seed_decides_the_result_and_the_data_are_left_alone():
    X, constraints, _ = random_case(3, 40, 4, 10)
    before = X.copy()
    first, again = (pckmeans(X, constraints, 4, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(X, before)


def test_more_starts_never_end_higher():
    X, constraints, _ = random_case(1, 60, 6, 5)
    values = [pckmeans(X, constraints, 6, np.random.default_rng(0), n_init=n).history[-1] for n in (1, 4, 12)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("offset", [0.0, 1e4, 1e8])
def test_the_origin_does_not_matter(offset):
    X, _ = make_blobs(60, n_features=2, centers=[[0, 0], [9, 0], [0, 9]], random_state=0)
    X = np.round(64 * X) / 64  # so that the sum with the offset is exact
    reference = pckmeans(X, Constraints(60), 3, np.random.default_rng(0), n_init=5)
    moved = pckmeans(X + offset, Constraints(60), 3, np.random.default_rng(0), n_init=5)
    assert moved.history[-1] == pytest.approx(reference.history[-1], rel=1e-5)
    assert (np.diff(moved.history) <= 1e-9 * moved.history[0]).all()


def test_no_seeds_leave_all_centres_to_chance():
    X = np.arange(20.0).reshape(10, 2)
    centers = fill_centers(X, X[:0], 3, np.random.default_rng(0))
    assert len({tuple(center) for center in centers} & {tuple(x) for x in X}) == 3


def test_neighbourhood_m_is_cluster_m_where_nothing_speaks_against_it():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0], [9.2]])
    constraints = Constraints.from_pairs(7, labels=np.array([2, 2, 2, 0, 0, 1, -1]))
    labels = pckmeans(X, constraints, 3, np.random.default_rng(0)).labels
    assert labels.tolist() == [0, 0, 0, 1, 1, 2, 2]  # the largest neighbourhood is the first


def test_missing_centres_are_likelier_far_from_the_others():
    X = np.array([[0.0], [1.0], [3.0]])
    rng = np.random.default_rng(0)
    picked = [fill_centers(X, X[:1], 2, rng)[1, 0] for _ in range(3000)]
    # k-means++ draws them with chances 0, 1/10 and 9/10; the better of two draws is 3.0 unless both are 1.0
    assert picked.count(0.0) == 0
    assert picked.count(1.0) / 3000 == pytest.approx(0.01, abs=4 * np.sqrt(0.0099 / 3000))


def test_an_answered_row_counts_as_that_many_copies_of_it_in_its_centre():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, size=(20, 2)), rng.normal(8, 1, size=(20, 2))])
    pairs = {"must_link": np.array([[0, 1], [1, 2]]), "cannot_link": np.array([[0, 20]])}
    result = pckmeans(
        X, Constraints.from_pairs(40, **pairs), 2, np.random.default_rng(0), answered_row_weight=5.0
    )
    # 40 rows, 4 of them answered: at most 3 = 0.3 · 40 / 4 each, so 2 extra: half of it in a group of three,
    # a quarter in one of one
    copies = np.concatenate([np.repeat(np.arange(40), 2), np.repeat([0, 1, 2], 2), [20]])
    for k in range(2):
        members = copies[result.labels[copies] == k]
        np.testing.assert_allclose(result.centers[k], X[members].mean(axis=0))


def test_answered_rows_count_together_for_no_more_than_their_share():
    labels = np.r_[np.arange(10) % 2, np.full(90, -1)]
    weights = constraint_graph(Constraints.from_pairs(100, labels=labels), 1000.0).row_weight
    assert 10 < weights[:10].sum() < 0.3 * 100
    assert (weights[10:] == 1).all()
    all_known = constraint_graph(Constraints.from_pairs(100, labels=np.arange(100) % 2), 1000.0).row_weight
    assert (all_known == 1).all()


@given(st.integers(0, 10_000), st.floats(1, 50), st.floats(0, 10))
@settings(deadline=None, max_examples=30)
def test_the_objective_never_rises_with_a_row_weight(seed, row_weight, weight):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(30, 3)), rng.integers(3, size=30)
    labels = np.where(rng.random(30) < 0.4, y, -1)
    constraints = Constraints.from_pairs(30, labels=labels)
    result = pckmeans(X, constraints, 3, rng, weight=weight, answered_row_weight=row_weight)
    assert (np.diff(result.history) <= 1e-9 * np.abs(result.history[0])).all()


def test_squared_distances_are_sums_of_squares():
    rng = np.random.default_rng(0)
    X, centers = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    expected = [[sum((a - b) ** 2 for a, b in zip(x, c, strict=True)) for c in centers] for x in X]
    np.testing.assert_allclose(squared_distances(X, centers), expected)


@exhaustive
@given(cases)
def test_the_constraint_graph_holds_the_closure(case):
    _, constraints, _ = random_case(*case)
    graph = constraint_graph(constraints)
    apart = graph.cannot_link.toarray()
    for i, j in combinations(range(constraints.n_points), 2):
        a, b = graph.group[[i, j]]
        known = constraints.relation(i, j)
        assert bool(a == b != -1) is (known is SAME)
        if min(a, b) >= 0:
            assert apart[a, b] == apart[b, a] == (known is DIFFERENT)
    sizes = np.bincount(graph.group[graph.group >= 0], minlength=len(graph.size))
    np.testing.assert_array_equal(sizes, graph.size)
