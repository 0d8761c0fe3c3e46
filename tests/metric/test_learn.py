"""A metric follows from weighted pairs alone, whatever the data's units and gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot._types import TrainingPairs, WeightedPairs
from sameornot.metric.learn import (
    KINDS,
    Metric,
    SelectivePenalty,
    feature_scale,
    identity_metric,
    learn_metric,
    weigh_axes,
    within_cost,
    within_scatter,
)

NONE = WeightedPairs(np.array([], dtype=int), np.array([], dtype=int), np.array([]))


def pairs(*ends):
    """Pairs that all weigh the same, 1 in all."""
    left, right = np.array(ends).T
    return WeightedPairs(left, right, np.full(len(left), 1 / len(left)))


def training(similar, different, n_similar, *, background=NONE, n_different=10):
    return TrainingPairs(similar, different, background, n_similar=n_similar, n_different=n_different)


SIMILAR = pairs((0, 1), (1, 2), (5, 6), (6, 7))
DIFFERENT = pairs((0, 5), (1, 6), (2, 9), (3, 8))
BOTH = training(SIMILAR, DIFFERENT, 4)


def table(seed=0, n=12, p=5):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * rng.uniform(0.5, 4.0, size=p) + rng.normal(size=p)


def with_constants(X):
    return np.column_stack([X[:, 0], np.full(len(X), 0.1), X[:, 1:], np.zeros(len(X)), np.full(len(X), -1e9)])


CONSTANT = [1, 6, 7]  # of `with_constants` for five features


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture(params=[True, False], ids=["standardized", "raw"])
def standardize(request):
    return request.param


def test_without_a_cannot_link_the_metric_is_the_identity(kind):
    X = table()
    metric = learn_metric(X, training(SIMILAR, NONE, 4), kind=kind, scale=feature_scale(X))
    scaled = X / X.std(axis=0)
    for i, j in [(0, 1), (3, 9), (11, 4)]:
        found = np.linalg.norm(metric.transform(X[[i]]) - metric.transform(X[[j]]))
        assert found == pytest.approx(np.linalg.norm(scaled[i] - scaled[j]))


def test_pairs_that_differ_in_nothing_leave_the_identity(kind):
    X = table()
    X[[5, 6]] = X[[0, 1]]
    duplicates = training(SIMILAR, pairs((0, 5), (1, 6)), 4)
    metric = learn_metric(X, duplicates, kind=kind, scale=feature_scale(X))
    np.testing.assert_allclose(metric.matrix, np.diag(1 / X.var(axis=0)))


def test_without_a_must_link_the_cost_is_the_overall_variance():
    X = table()
    spread = np.mean([np.abs(X[i] - X[j]) for i, j in [(0, 5), (1, 6), (2, 9), (3, 8)]], axis=0)
    expected = (spread / X.var(axis=0)) ** 2
    raw = feature_scale(X, standardize=False)
    found = learn_metric(X, training(NONE, DIFFERENT, 0), kind="separable", scale=raw).weights
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum())


def test_without_a_must_link_a_feature_in_which_all_rows_vary_gets_no_more_than_it_separates(kind):
    # two features alike in all but that the second is the first in other rows: only what separates counts
    rng = np.random.default_rng(0)
    first = rng.permutation(np.repeat([-1.0, 1.0], 10))
    X = np.column_stack([first, rng.permutation(first)])
    ends = [(i, j) for i in range(20) for j in range(i) if X[i, 0] != X[j, 0]][:15]
    metric = learn_metric(X, training(NONE, pairs(*ends), 0), kind=kind, scale=feature_scale(X))
    assert metric.feature_weights[0] > metric.feature_weights[1]


def test_without_a_prior_the_cost_is_that_of_the_paper():
    X = table()
    expected = np.mean([(X[i] - X[j]) ** 2 for i, j in [(0, 1), (1, 2), (5, 6), (6, 7)]], axis=0)
    np.testing.assert_allclose(within_cost(X, BOTH, prior=0.0), expected)


@pytest.mark.parametrize(("n_answers", "share"), [(0, 0.0), (5, 0.5), (15, 0.9)])
def test_the_cost_moves_from_the_overall_variance_to_the_answers(n_answers, share):
    X = table()
    observed = within_cost(X, BOTH, prior=0.0)
    all_pairs = np.array([(X[i] - X[j]) ** 2 for i in range(12) for j in range(12)]).mean(axis=0)
    found = within_cost(X, training(SIMILAR, DIFFERENT, n_answers), prior=5.0)
    np.testing.assert_allclose(found, share * observed + (1 - share) * all_pairs)


@pytest.mark.parametrize(("n_answers", "share"), [(0, 0.0), (5, 0.5), (15, 0.9)])
def test_what_is_far_moves_from_random_pairs_to_the_answers(n_answers, share):
    X = table()
    anything = [(0, 1), (2, 7), (11, 3)]
    known = training(NONE, DIFFERENT, 0, background=pairs(*anything), n_different=n_answers)
    answered = np.mean([np.abs(X[i] - X[j]) for i, j in [(0, 5), (1, 6), (2, 9), (3, 8)]], axis=0)
    random = np.mean([np.abs(X[i] - X[j]) for i, j in anything], axis=0)
    expected = ((share * answered + (1 - share) * random) / X.var(axis=0)) ** 2
    raw = feature_scale(X, standardize=False)
    found = learn_metric(X, known, kind="separable", scale=raw, prior=5.0).weights
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum())


def test_features_that_agree_within_groups_and_differ_between_them_get_the_weight(kind):
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 20)
    X = rng.normal(size=(40, 6))
    X[:, 2] += 8.0 * truth
    similar = pairs(*[(i, i + 1) for i in range(39) if i != 19])
    different = pairs(*[(i, i + 20) for i in range(20)])
    metric = learn_metric(X, training(similar, different, 38), kind=kind, scale=feature_scale(X))
    assert metric.feature_weights[2] > 0.8


def test_constant_features_get_no_weight_and_no_warning(kind, standardize):
    X = with_constants(table())
    scale = feature_scale(X, standardize=standardize)
    for known in (BOTH, training(NONE, DIFFERENT, 0), training(SIMILAR, NONE, 4)):
        metric = learn_metric(X, known, kind=kind, scale=scale)
        np.testing.assert_allclose(metric.feature_weights[CONSTANT], 0.0, atol=1e-12)
        assert metric.feature_weights.sum() == pytest.approx(1)
        np.testing.assert_allclose(metric.matrix[CONSTANT], 0.0, atol=1e-12)
        assert np.isfinite(metric.transform(X)).all()


def test_constant_features_change_nothing_for_the_others(kind, standardize):
    X = table()
    wide = with_constants(X)
    metric, padded = (
        learn_metric(Z, BOTH, kind=kind, scale=feature_scale(Z, standardize=standardize)) for Z in (X, wide)
    )
    varying = np.setdiff1d(np.arange(wide.shape[1]), CONSTANT)
    expected = metric.matrix
    np.testing.assert_allclose(padded.matrix[np.ix_(varying, varying)], expected, rtol=1e-3, atol=1e-6)


def test_only_constant_features_leave_a_metric_that_is_zero(kind):
    X = np.full((12, 3), 0.1)
    metric = learn_metric(X, BOTH, kind=kind, scale=feature_scale(X))
    np.testing.assert_array_equal(metric.transform(X), 0.0)
    np.testing.assert_array_equal(metric.feature_weights, 0.0)


def assert_matrix_gives_the_distances_of_transform(metric, X):
    rows = metric.transform(X)
    for i in range(len(X)):
        for j in range(i):
            difference = X[i] - X[j]
            squared = difference @ metric.matrix @ difference
            assert np.sum((rows[i] - rows[j]) ** 2) == pytest.approx(squared, rel=1e-9, abs=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.sampled_from([None, 1, 2, 3]))
def test_the_matrix_gives_the_distances_of_transform(seed, n_features, n_axes):
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.1, 10.0, size=n_features)
    rotation = None
    if n_axes is not None:
        rotation = np.linalg.qr(rng.normal(size=(n_features, n_features)))[0][:, :n_axes]
    weights = rng.random(n_features if rotation is None else rotation.shape[1])
    assert_matrix_gives_the_distances_of_transform(
        Metric(scale, weights, rotation), rng.normal(size=(5, n_features))
    )


def test_the_matrix_of_a_learned_metric_gives_the_distances_of_transform(kind, standardize):
    X = with_constants(table())
    X[:, -1] = 0.3  # the square of a large constant would hide everything else in rounding
    metric = learn_metric(X, BOTH, kind=kind, scale=feature_scale(X, standardize=standardize))
    assert_matrix_gives_the_distances_of_transform(metric, X)


def test_feature_weights_are_the_shares_of_the_trace_per_standard_deviation(kind):
    X = table()
    metric = learn_metric(X, BOTH, kind=kind, scale=feature_scale(X))
    per_deviation = np.diag(metric.matrix) * X.var(axis=0)
    np.testing.assert_allclose(metric.feature_weights, per_deviation / per_deviation.sum(), atol=1e-12)
    assert metric.feature_weights.sum() == pytest.approx(1)
    assert (metric.feature_weights >= 0).all()


@pytest.mark.parametrize("factor", [1000.0, 1e-3])
def test_the_units_of_a_standardised_feature_do_not_matter(kind, factor):
    X = table()
    rescaled = X * [1, factor, 1, 1, 1]
    rows, again = (
        learn_metric(Z, BOTH, kind=kind, scale=feature_scale(Z)).transform(Z) for Z in (X, rescaled)
    )
    distances, distances_again = (np.linalg.norm(Z[:, None] - Z[None, :], axis=2) for Z in (rows, again))
    np.testing.assert_allclose(distances_again, distances, rtol=1e-4, atol=1e-6)


def test_the_origin_does_not_matter(kind, standardize):
    X = table()
    moved = X + np.array([0, 100, 0, -50, 7])
    metric, again = (
        learn_metric(Z, BOTH, kind=kind, scale=feature_scale(Z, standardize=standardize)) for Z in (X, moved)
    )
    np.testing.assert_allclose(again.matrix, metric.matrix, rtol=1e-3, atol=1e-6)


def test_the_scale_is_the_standard_deviation_and_infinite_for_constants():
    X = with_constants(table())
    varying = np.setdiff1d(np.arange(X.shape[1]), CONSTANT)
    for standardize in (True, False):
        scale = feature_scale(X, standardize=standardize)
        assert np.isinf(scale[CONSTANT]).all()
        expected = np.sqrt(((X - X.mean(axis=0)) ** 2).mean(axis=0))[varying] if standardize else 1.0
        np.testing.assert_allclose(scale[varying], expected)


def test_a_feature_that_varies_little_is_not_constant():
    X = np.column_stack([np.arange(6.0), 1e-6 * np.arange(6.0), 1000 + 1e-6 * np.arange(6.0)])
    assert np.isfinite(feature_scale(X)).all()


def test_the_identity_weighs_all_features_that_vary_the_same():
    metric = identity_metric(np.array([2.0, np.inf, 0.5]))
    np.testing.assert_allclose(metric.matrix, np.diag([0.25, 0.0, 4.0]))
    np.testing.assert_allclose(metric.feature_weights, [0.5, 0.0, 0.5])


@pytest.mark.parametrize("n_answers", [0, 1, 4, 1000])
def test_the_scatter_is_positive_definite_with_few_answers(n_answers):
    X = np.random.default_rng(0).normal(size=(12, 40))
    X[:, 3] = 1.0
    known = training(SIMILAR, DIFFERENT, n_answers)
    assert np.linalg.eigvalsh(within_scatter(X, known, prior=5.0))[0] > 0


def test_the_scatter_of_many_answers_is_that_of_the_similar_pairs():
    X = table()
    observed = np.mean(
        [np.outer(X[i] - X[j], X[i] - X[j]) for i, j in [(0, 1), (1, 2), (5, 6), (6, 7)]], axis=0
    )
    many = training(SIMILAR, DIFFERENT, 10**9)
    np.testing.assert_allclose(within_scatter(X, many, prior=5.0), observed, rtol=1e-4, atol=1e-6)


def test_similar_pairs_are_at_unit_squared_distance_on_average_without_a_prior(kind):
    X = table()
    ends = [(0, 1), (1, 2), (5, 6), (6, 7), (3, 4), (8, 9), (10, 11)]  # more than features: C is not singular
    known = training(pairs(*ends), DIFFERENT, 4)
    rows = learn_metric(X, known, kind=kind, scale=feature_scale(X), prior=0.0).transform(X)
    squares = [np.sum((rows[i] - rows[j]) ** 2) for i, j in ends]
    assert np.mean(squares) == pytest.approx(1)


def test_no_penalty_is_the_same_as_a_penalty_of_nothing(kind):
    X = table()
    metric = learn_metric(X, BOTH, kind=kind, scale=feature_scale(X))
    for penalised, gamma in ((np.array([0]), 0.0), (np.array([], dtype=int), 5.0)):
        again = weigh_axes(X, BOTH, metric, kind=kind, penalty=SelectivePenalty(penalised, gamma))
        np.testing.assert_allclose(again.matrix, metric.matrix, rtol=1e-6, atol=1e-9)
