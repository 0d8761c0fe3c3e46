"""The block function against the clustering that it stands for."""

import numpy as np
import pytest
from array_api_compat import array_namespace
from hypothesis import given
from hypothesis import strategies as st

from sameornot.cluster.block import Rule, judge, judge_all, make_rule
from sameornot.cluster.clustering import Clustering, nearest_share
from sameornot.ensemble.prototypes import Prototypes, cover
from sameornot.metric.learn import Metric, feature_scale, identity_metric


def made(seed, *, n_rows=40, n_features=5, n_groups=3, shift=0.0):
    """Rows in round groups, and their groups."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_groups
    return shift + 3.0 * rng.normal(size=(n_groups, n_features))[y] + rng.normal(size=(n_rows, n_features)), y


def by_centres(X, y, *, rotation=None):
    metric = Metric(feature_scale(X), np.linspace(0.5, 2.0, X.shape[1]), rotation)
    space = metric.transform(X)
    return Clustering(y, np.array([space[y == m].mean(axis=0) for m in np.unique(y)]), metric, 0)


def several(X, y, seed=0):
    return cover(X, identity_metric(feature_scale(X)), y, np.random.default_rng(seed))


def rule_of(clustering, X):
    return make_rule(clustering, X.mean(axis=0), clustering.width(X))


KINDS = {"one centre": by_centres, "several centres": several}


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 200), shift=st.sampled_from([0.0, -3.0, 1e5]))
def test_labels_and_shares_are_those_of_the_clustering(kind, seed, shift):
    X, y = made(seed, shift=shift)
    clustering = KINDS[kind](X, y)
    new = made(seed + 1, shift=shift)[0]
    found = judge(new, rule_of(clustering, X))
    squares = clustering.distances(new)
    clear = np.sort(squares, axis=1)[:, 1] - squares.min(axis=1) > 1e-6
    assert np.array_equal(found.labels[clear], clustering.predict(new)[clear])
    assert np.allclose(found.shares, nearest_share(squares, clustering.width(X)), atol=1e-6)


@given(st.integers(0, 200))
def test_a_rotated_metric_is_one_product(seed):
    X, y = made(seed)
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(5, 5)))[0]
    clustering = by_centres(X, y, rotation=turn)
    assert np.array_equal(judge(X, rule_of(clustering, X)).labels, clustering.predict(X))


@given(st.integers(0, 200))
def test_counts_and_sums_add_up_over_blocks(seed):
    X, y = made(seed, n_rows=30)
    rule = rule_of(several(X, y), X)
    whole = judge(X, rule, with_sums=True)
    parts = [judge(X[at : at + 7], rule, with_sums=True) for at in range(0, 30, 7)]
    assert np.array_equal(sum(part.counts for part in parts), np.bincount(whole.labels, minlength=3))
    sums = np.array([X[whole.labels == m].sum(axis=0) for m in range(3)])
    assert np.allclose(sum(part.sums for part in parts), sums)


@given(seed=st.integers(0, 200), shift=st.sampled_from([0.0, -3.0, 20.0]))
def test_without_an_origin_it_is_the_same_rule(seed, shift):
    X, y = made(seed, shift=shift)
    rule = rule_of(several(X, y), X)
    found, plain = judge(X, rule), judge(X, rule.from_zero())
    assert np.array_equal(found.labels, plain.labels)
    np.testing.assert_allclose(found.shares, plain.shares, rtol=1e-9)


def test_single_precision_gives_the_same_groups():
    X, y = made(0, n_rows=300)
    rule = rule_of(several(X, y), X)
    single = judge(X.astype(np.float32), rule.as_arrays(lambda part: part.astype(np.float32)))
    assert single.shares.dtype == np.float32
    assert np.array_equal(single.labels, judge(X, rule).labels)


def test_another_namespace_of_the_array_api_gives_the_same():
    X, y = made(2, n_rows=200)
    rule = rule_of(several(X, y), X)
    found, expected = judge(X, rule, array_namespace(X), with_sums=True), judge(X, rule, with_sums=True)
    assert array_namespace(X) is not np
    assert np.array_equal(found.labels, expected.labels)
    assert np.array_equal(found.counts, expected.counts)
    np.testing.assert_allclose(found.shares, expected.shares)
    np.testing.assert_allclose(found.sums, expected.sums)


def test_groups_without_width_are_sure():
    X = np.array([[0.0], [0.0], [4.0]])
    rule = rule_of(
        Clustering(np.array([0, 0, 1]), np.array([[0.0], [4.0]]), Metric(np.ones(1), np.ones(1)), 0), X
    )
    found = judge(np.array([[1.0], [3.5]]), rule)
    assert rule.width == 0.0
    assert found.labels.tolist() == [0, 1]
    assert found.shares.tolist() == [1.0, 1.0]


def test_a_constant_feature_weighs_nothing():
    X, y = made(3)
    X[:, 2] = 7.0
    clustering = several(X, y)
    moved = X.copy()
    moved[:, 2] = -1e3
    rule = rule_of(clustering, X)
    assert np.array_equal(judge(X, rule).labels, judge(moved, rule).labels)


def test_all_rows_of_a_table_are_judged_block_by_block(monkeypatch):
    monkeypatch.setattr("sameornot.cluster.block.BLOCK", 16)
    X, y = made(1)
    clustering = by_centres(X, y)
    labels, shares = judge_all(clustering, X, X)
    assert np.array_equal(labels, clustering.predict(X))
    np.testing.assert_allclose(shares, clustering.confidence(X))


def test_a_grouping_without_centres_is_asked_itself():
    class Halves:
        labels, metric = np.array([0, 1]), Metric(np.ones(1), np.ones(1))

        def predict(self, X):
            return (X[:, 0] > 0).astype(int)

        def confidence(self, X):
            return np.full(len(X), 0.75)

    labels, shares = judge_all(Halves(), np.zeros((2, 1)), np.array([[-1.0], [2.0]]))
    assert labels.tolist() == [0, 1]
    assert shares.tolist() == [0.75, 0.75]


def test_a_rule_knows_its_number_of_groups():
    X, y = made(0)
    clustering = several(X, y)
    assert isinstance(clustering, Prototypes)
    assert isinstance(rule_of(clustering, X), Rule)
    assert rule_of(clustering, X).n_groups == 3
