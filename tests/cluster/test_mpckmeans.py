"""MPCKMeans lowers the published objective, its metric is the best one, and it finds what matters."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from sameornot import Answer, Constraints
from sameornot.cluster._constraint_graph import constraint_graph
from sameornot.cluster._local_clustering import LocalClustering
from sameornot.cluster._mpckmeans_metric import best_metric
from sameornot.cluster._mpckmeans_objective import (
    Objective,
    all_penalties,
    cluster_sums,
    distances,
    evaluate,
    farthest_pair,
    own_penalties,
    transform_rows,
)
from sameornot.cluster._mpckmeans_sweeps import sweep
from sameornot.cluster.base import Problem, State
from sameornot.cluster.clustering import CenterClustering
from sameornot.cluster.mpckmeans import MPCKMeans, match_clusters, mpckmeans
from sameornot.metric.learn import Metric, feature_scale, identity_metric

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
FORMS = [(kind, per_cluster) for kind in ("diagonal", "full") for per_cluster in (False, True)]
every_form = pytest.mark.parametrize(("kind", "per_cluster"), FORMS)


# --- the objective, pair by pair ------------------------------------------------------------------------


def random_case(seed, n, n_clusters, n_answers, n_features=3):
    """Rows that know nothing of the labels behind the answers, so that constraints are broken."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)) * rng.uniform(0.2, 5.0, size=n_features)
    truth = rng.integers(n_clusters, size=n)
    constraints = Constraints(n)
    for _ in range(n_answers):
        i, j = rng.choice(n, size=2, replace=False)
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    return X, constraints, rng


def unit_variance_matrices(result, X):
    """A of each cluster, for rows divided by their standard deviations."""
    spread = X.std(axis=0)
    matrices = [metric.matrix * np.outer(spread, spread) for metric in result.metrics]
    return matrices * len(result.means) if len(matrices) == 1 else matrices


def by_the_formula(result, X, constraints, weight, prior_rows):
    Z, means = (X - X.mean(axis=0)) / X.std(axis=0), (result.means - X.mean(axis=0)) / X.std(axis=0)
    A, labels = unit_variance_matrices(result, X), result.labels

    def d(i, j, matrix):
        return (Z[i] - Z[j]) @ matrix @ (Z[i] - Z[j])

    total = 0.0
    for z, k in zip(Z, labels, strict=True):
        total += (z - means[k]) @ A[k] @ (z - means[k]) - np.linalg.slogdet(A[k])[1]
    widths = [max(d(i, j, matrix) for i, j in combinations(range(len(Z)), 2)) for matrix in A]
    for i, j in combinations(range(len(Z)), 2):
        known, a, b = constraints.relation(i, j), labels[i], labels[j]
        if known is SAME and a != b:
            total += weight * (d(i, j, A[a]) + d(i, j, A[b])) / 2
        if known is DIFFERENT and a == b:
            total += weight * (widths[a] - d(i, j, A[a]))
    priors = A[:1] if len(result.metrics) == 1 else A
    return total + prior_rows * sum(np.trace(matrix) - np.linalg.slogdet(matrix)[1] for matrix in priors)


cases = st.tuples(st.integers(0, 2**32 - 1), st.integers(8, 25), st.integers(2, 4), st.integers(0, 30))
weights = st.sampled_from([0.0, 0.01, 0.1, 1.0])


@settings(max_examples=40)
@given(cases, weights, st.sampled_from(FORMS))
def test_the_last_objective_is_the_formulas(case, weight, form):
    X, constraints, rng = random_case(*case)
    kind, per_cluster = form
    found = mpckmeans(X, constraints, case[2], rng, metric=kind, per_cluster=per_cluster, weight=weight)
    expected = by_the_formula(found, X, constraints, weight, {"diagonal": 1, "full": 3}[kind])
    assert found.history[-1] == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_the_cases_above_break_constraints():
    n_broken = 0
    for seed in range(10):
        X, constraints, rng = random_case(seed, 20, 3, 25)
        labels = mpckmeans(X, constraints, 3, rng, weight=0.01).labels
        must, cannot = constraints.must_link, constraints.cannot_link
        n_broken += (labels[must[:, 0]] != labels[must[:, 1]]).any()
        n_broken += (labels[cannot[:, 0]] == labels[cannot[:, 1]]).any()
    assert n_broken > 10


@settings(max_examples=60)
@given(cases, weights, st.sampled_from(FORMS))
def test_the_objective_never_rises(case, weight, form):
    X, constraints, rng = random_case(*case)
    kind, per_cluster = form
    found = mpckmeans(X, constraints, case[2], rng, metric=kind, per_cluster=per_cluster, weight=weight)
    assert (np.diff(found.history) <= 0).all()


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), weights, st.sampled_from(FORMS))
def test_no_move_of_a_row_or_of_a_groups_rows_lowers_the_final_objective(seed, weight, form):
    X, constraints, rng = random_case(seed, 12, 3, 12)
    kind, per_cluster = form
    found = mpckmeans(X, constraints, 3, rng, metric=kind, per_cluster=per_cluster, weight=weight)
    together = [g[found.labels[g] == k] for g in constraints.groups() for k in range(3)]
    for rows in [np.array([i]) for i in range(12)] + [rows for rows in together if len(rows) > 1]:
        if (found.labels == found.labels[rows[0]]).sum() == len(rows):
            continue  # the last rows of a cluster stay: no cluster may be empty
        for k in range(3):
            moved = found.labels.copy()
            moved[rows] = k
            trial = type(found)(moved, found.means, found.metrics, found.history)
            price = by_the_formula(trial, X, constraints, weight, {"diagonal": 1, "full": 3}[kind])
            assert price >= found.history[-1] - 1e-6 * abs(found.history[-1]) - 1e-6


@settings(max_examples=30)
@given(cases, weights, st.sampled_from(FORMS))
def test_the_price_of_moving_rows_together_is_what_the_objective_changes_by(case, weight, form):
    Z, constraints, rng = random_case(*case)
    kind, per_cluster = form
    given = Objective(Z, constraint_graph(constraints), case[2], kind == "full", per_cluster, weight)
    metrics = [Metric(np.ones(3), rng.uniform(0.2, 3.0, size=3)) for _ in range(given.n_metrics)]
    spaces, means = transform_rows(given, metrics), rng.normal(size=(case[2], 3))
    solution = evaluate(given, spaces, rng.integers(case[2], size=len(Z)), means)
    together = [g[solution.labels[g] == k] for g in constraints.groups() for k in range(case[2])]
    together = [rows for rows in together if len(rows)]
    assume(together)
    member = sparse.csr_array(np.array([np.isin(given.constrained, rows) for rows in together], dtype=float))
    blocks, here = spaces.constrained.merge(member), solution.labels[[rows[0] for rows in together]]
    prices = all_penalties(given, spaces, blocks, cluster_sums(given, spaces, solution.labels))
    prices -= own_penalties(given, blocks, here)
    costs = distances(given, spaces, means) - spaces.log_dets[given.metric_of]
    for rows, price, before in zip(together, prices, here, strict=True):
        for k in range(case[2]):
            moved = solution.labels.copy()
            moved[rows] = k
            change = evaluate(given, spaces, moved, means).value - solution.value
            total = (costs[rows, k] - costs[rows, before]).sum() + price[k] - price[before]
            assert total == pytest.approx(change, rel=1e-8, abs=1e-8 * abs(solution.value) + 1e-8)


def test_a_group_goes_where_no_row_of_it_would_go_alone():
    # Rows 4 and 5, one answer "same": 1² + 11² = 122 at the mean 0, 9² + 1² = 82 at the mean 10. Row 5 alone
    # would gain 11² − 1² = 120 and pay 2 · 10² for leaving row 4. The prior row costs 1.
    constraints = Constraints(6)
    constraints.add((4, 5), SAME)
    Z, means = np.array([[0.0], [0.0], [10.0], [10.0], [1.0], [11.0]]), np.array([[0.0], [10.0]])
    given = Objective(Z, constraint_graph(constraints), 2, full=False, per_cluster=False, weight=2.0)
    spaces, labels = transform_rows(given, [identity_metric(np.ones(1))]), np.array([0, 0, 1, 1, 0, 0])
    solution = evaluate(given, spaces, labels, means)
    assert solution.value == pytest.approx(122 + 1)
    others = labels ^ np.eye(6, dtype=int)  # each with one row in the other cluster
    alone = [evaluate(given, spaces, other, means).value for other in others]
    assert alone[5] == pytest.approx(122 + 1 - 120 + 200)
    assert min(alone) > solution.value
    after = sweep(given, solution, np.random.default_rng(0))
    np.testing.assert_array_equal(after.labels, [0, 0, 1, 1, 1, 1])
    assert after.value < 82 + 1


# --- the metric -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_features_are_the_best_by_a_numerical_solver(seed):
    rng = np.random.default_rng(seed)
    spread, n_rows, prior = rng.uniform(0.1, 50.0, size=4), 30.0, 1.0

    def cost(log_weights):
        a = np.exp(log_weights)
        return spread @ a - n_rows * log_weights.sum() + prior * (a.sum() - log_weights.sum())

    solved = minimize(cost, np.zeros(4), tol=1e-12)
    np.testing.assert_allclose(best_metric(spread, n_rows, prior).weights, np.exp(solved.x), rtol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_a_full_metric_is_the_best_by_a_numerical_solver(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(20, 3)) @ rng.normal(size=(3, 3))
    spread, n_rows, prior = rows.T @ rows, 20.0, 3.0
    lower = np.tril_indices(3)

    def matrix(numbers):
        root = np.zeros((3, 3))
        root[lower] = numbers
        return root @ root.T

    def cost(numbers):
        A = matrix(numbers)
        log_det = np.linalg.slogdet(A)[1]
        return np.sum(spread * A) - n_rows * log_det + prior * (np.trace(A) - log_det)

    solved = minimize(cost, np.eye(3)[lower], tol=1e-12, options={"gtol": 1e-7})
    np.testing.assert_allclose(
        best_metric(spread, n_rows, prior).matrix, matrix(solved.x), rtol=1e-3, atol=1e-4
    )


def test_a_negative_scatter_counts_as_none():
    scatter = np.array([[4.0, 0.0], [0.0, -7.0]])
    np.testing.assert_allclose(best_metric(scatter, 10, 2.0).matrix, np.diag([12 / 6, 12 / 2]))
    np.testing.assert_allclose(best_metric(np.diag(scatter), 10, 2.0).weights, [12 / 6, 12 / 2])


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 1200), st.integers(1, 6), st.booleans())
def test_the_farthest_pair_is_the_farthest(seed, n, n_features, heavy):
    rng = np.random.default_rng(seed)
    space = rng.standard_cauchy(size=(n, n_features)) if heavy else rng.normal(size=(n, n_features))
    i, j = farthest_pair(space)
    every = ((space[:, None] - space[None]) ** 2).sum(axis=2) if n <= 300 else None
    farthest = (
        every.max() if every is not None else max(((space - row) ** 2).sum(axis=1).max() for row in space)
    )
    assert ((space[i] - space[j]) ** 2).sum() == pytest.approx(farthest)


@every_form
def test_the_feature_that_tells_groups_apart_weighs_most(kind, per_cluster):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 60)
    X = rng.normal(size=(180, 4))
    X[:, 1] += 6.0 * y
    X *= [1.0, 0.01, 100.0, 1.0]
    partial = np.where(rng.random(180) < 0.3, y, -1)
    model = MPCKMeans(3, metric=kind, per_cluster=per_cluster, random_state=0).fit(X, partial)
    assert model.feature_weights_.argmax() == 1
    assert model.feature_weights_[1] > 0.6
    assert adjusted_rand_score(y, model.labels_) > 0.95


def crossed(seed=0):
    """Two groups, one wide along the first feature and the other along the second."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) * np.where(y[:, None] == 0, [4.0, 0.5], [0.5, 4.0]) + 4.0 * y[:, None]
    return X, y, np.where(rng.random(300) < 0.1, y, -1)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_different_shape_need_metrics_of_their_own(seed):
    X, y, partial = crossed(seed)
    unknown = partial == -1
    alone = MPCKMeans(2, random_state=0).fit(X, partial)
    each = MPCKMeans(2, per_cluster=True, random_state=0).fit(X, partial)
    assert adjusted_rand_score(y[unknown], alone.labels_[unknown]) < 0.6
    assert adjusted_rand_score(y[unknown], each.labels_[unknown]) > 0.75
    wide_first = int(each.labels_[np.flatnonzero(partial == 0)[0]])
    wide_second = each.metrics_[1 - wide_first]
    assert each.metrics_[wide_first].weights[0] < each.metrics_[wide_first].weights[1]
    assert wide_second.weights[1] < wide_second.weights[0]


def test_a_full_metric_sees_a_slanted_axis():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 100)
    along, across = 6.0 * rng.normal(size=200), 0.7 * rng.normal(size=200) + 3.0 * y
    X = np.column_stack([along + across, along - across])
    partial = np.where(rng.random(200) < 0.15, y, -1)
    full = MPCKMeans(2, metric="full", random_state=0).fit(X, partial)
    assert adjusted_rand_score(y, full.labels_) > 0.9


# --- constraints ----------------------------------------------------------------------------------------


@every_form
def test_complete_constraints_are_kept(kind, per_cluster):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 3)), rng.integers(3, size=30)
    model = MPCKMeans(3, metric=kind, per_cluster=per_cluster, weight=100.0, random_state=0).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1.0


@every_form
@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_neighbourhood_that_moved_to_another_cluster_takes_its_number_along(kind, per_cluster, seed):
    X, constraints, rng = random_case(seed, 40, 3, 60)
    found = mpckmeans(X, constraints, 3, rng, metric=kind, per_cluster=per_cluster, weight=100.0)
    hoods = constraints.neighbourhoods(at_most=3)
    assert len(hoods) == 3
    kept = [len(set(found.labels[members])) == 1 for members in hoods]
    assert all(kept)
    for m, members in enumerate(hoods):
        assert (found.labels[members] == m).all()
    for k in range(3):
        np.testing.assert_allclose(found.means[k], X[found.labels == k].mean(axis=0), atol=1e-9)


def test_clusters_are_named_after_the_neighbourhoods_they_hold():
    labels = np.array([2, 2, 0, 2, 0, 1, 1])
    order = match_clusters(labels, [np.array([0, 1, 2]), np.array([3, 4])], 3)
    np.testing.assert_array_equal(order, [2, 0, 1])


def test_only_the_closure_of_the_pairs_counts():
    X, _, rng = random_case(0, 30, 3, 0)
    y = rng.integers(3, size=30)
    by_labels = MPCKMeans(3, random_state=0).fit(X, y)
    firsts = [int(np.flatnonzero(y == k)[0]) for k in range(3)]
    chain = [(firsts[k], int(i)) for k in range(3) for i in np.flatnonzero(y == k)[1:]]
    by_pairs = MPCKMeans(3, random_state=0).fit(X, must_link=chain, cannot_link=list(combinations(firsts, 2)))
    np.testing.assert_array_equal(by_labels.labels_, by_pairs.labels_)
    assert by_labels.objective_ == pytest.approx(by_pairs.objective_)


# --- data at the edge -----------------------------------------------------------------------------------


@every_form
@pytest.mark.parametrize(
    "X",
    [
        np.ones((12, 3)),
        np.repeat(np.eye(3), 4, axis=0),
        np.column_stack([np.arange(12.0), np.full(12, 1e6 + 0.1), 2.0 * np.arange(12.0)]),
        np.random.default_rng(0).normal(size=(12, 30)),
        np.arange(12.0)[:, None],
    ],
    ids=["all the same", "duplicates", "a constant and a copy", "more features than rows", "one feature"],
)
def test_singular_data_are_clustered(X, kind, per_cluster):
    model = MPCKMeans(3, metric=kind, per_cluster=per_cluster, random_state=0)
    model.fit(X, must_link=[(0, 1), (4, 5)], cannot_link=[(0, 4), (5, 8), (2, 9)])
    assert np.isfinite(model.history_).all()
    assert np.isfinite(model.feature_weights_).all()
    assert np.isfinite(model.transform(X)).all()
    constant = X.std(axis=0) < 1e-9
    assert (model.feature_weights_[constant] == 0).all()
    if not constant.all():
        assert len(np.unique(model.labels_)) == 3


@every_form
def test_scale_and_origin_of_features_do_not_matter(kind, per_cluster):
    X, constraints, _ = random_case(2, 40, 3, 30)
    moved = X * [1e-3, 1.0, 1e4] + [5.0, 1e5, -3.0]
    model = MPCKMeans(metric=kind, per_cluster=per_cluster)
    first, second = (
        model.cluster(Problem(rows, constraints, 3, feature_scale(rows)), State()) for rows in (X, moved)
    )
    np.testing.assert_array_equal(first.labels, second.labels)
    np.testing.assert_allclose(first.history, second.history, rtol=1e-6)


def test_without_standardising_the_start_follows_the_wide_feature():
    rng = np.random.default_rng(0)
    y, z = rng.integers(2, size=(2, 100))
    X = 0.1 * rng.normal(size=(100, 2)) + np.column_stack([100.0 * y, z])
    raw = MPCKMeans(2, standardize=False, max_iter=1, random_state=0).fit(X)
    assert adjusted_rand_score(y, raw.labels_) == 1.0


# --- what is handed over --------------------------------------------------------------------------------


@every_form
def test_free_rows_are_predicted_as_they_were_clustered(kind, per_cluster):
    X, constraints, rng = random_case(1, 60, 3, 15)
    found = mpckmeans(X, constraints, 3, rng, metric=kind, per_cluster=per_cluster).clustering
    assert isinstance(found, LocalClustering) == per_cluster
    spoken_of = np.concatenate(constraints.groups())
    free = np.setdiff1d(np.arange(60), spoken_of)
    np.testing.assert_array_equal(found.predict(X)[free], found.labels[free])
    confidence = found.confidence(X)
    assert ((confidence > 0) & (confidence <= 1)).all()
    assert (found.distances(X) >= 0).all()
    assert found.metric.feature_weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(
        found.metric.transform(X)[found.labels == 0].mean(axis=0), found.centers[0], atol=1e-9
    )


@pytest.mark.parametrize("kind", ["diagonal", "full"])
def test_the_average_metric_is_the_mean_of_the_metrics_by_rows(kind):
    X, _, partial = crossed()
    model = MPCKMeans(2, metric=kind, per_cluster=True, random_state=0).fit(X, partial)
    share = np.bincount(model.labels_) / len(X)
    expected = sum(part * metric.matrix for part, metric in zip(share, model.metrics_, strict=True))
    np.testing.assert_allclose(model.metric_.matrix, expected, atol=1e-10)


def test_distances_with_a_metric_a_cluster_are_those_of_the_formula():
    X, _, partial = crossed()
    model = MPCKMeans(2, metric="full", per_cluster=True, random_state=0).fit(X, partial)
    A = [metric.matrix for metric in model.metrics_]
    log_dets = [np.linalg.slogdet(matrix)[1] for matrix in A]
    for k in range(2):
        offset = X - X[model.labels_ == k].mean(axis=0)
        expected = ((offset @ A[k]) * offset).sum(axis=1) + max(log_dets) - log_dets[k]
        np.testing.assert_allclose(model.transform(X)[:, k] ** 2, expected, rtol=1e-6, atol=1e-6)


def test_a_single_metric_gives_a_plain_clustering():
    X, constraints, _ = random_case(1, 60, 3, 15)
    found = MPCKMeans().check().cluster(Problem(X, constraints, 3, feature_scale(X)), State())
    assert type(found) is CenterClustering
    by_estimator = MPCKMeans(3, random_state=0).fit(X)
    assert len(by_estimator.metrics_) == 1
    assert by_estimator.metrics_[0] is by_estimator.metric_
    assert by_estimator.n_iter_ == len(by_estimator.history_) - 1


@pytest.mark.parametrize(
    ("name", "value"), [("metric", "round"), ("weight", -1.0), ("n_init", 0), ("max_iter", 1.5)]
)
def test_parameters_that_cannot_be_used_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        MPCKMeans(**{name: value}).check()
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        MPCKMeans(2, **{name: value}).fit(np.eye(4))


@every_form
def test_random_state_repeats_the_fit(kind, per_cluster):
    X, _, rng = random_case(0, 40, 3, 0)
    partial = np.where(rng.random(40) < 0.4, rng.integers(3, size=40), -1)
    first, second = (
        MPCKMeans(3, metric=kind, per_cluster=per_cluster, random_state=3).fit(X, partial) for _ in range(2)
    )
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_array_equal(first.history_, second.history_)
