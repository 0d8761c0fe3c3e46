"""Trees grown together in arrays split as they should, stop, and are as accurate as scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import ExtraTreesClassifier

from sameornot.ensemble.config import TreesConfig
from sameornot.ensemble.trees import Labelled, Nodes, extra_trees, grow, measure_purity, split

CONFIG = TreesConfig()
N_TREES = CONFIG.n_trees
thorough = settings(deadline=None, max_examples=60)
seeds = st.integers(0, 2**32 - 1)
# Values next to each other and far apart: a threshold between them must not be rounded onto one of them.
awkward = st.sampled_from([-1e6, -1.0, 0.0, 5e-324, 1e-300, 0.5, 1.0, float(np.nextafter(1.0, 2.0)), 1e6])


def blobs(n_groups=3, n_each=12, n_features=4, distance=10.0, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_groups), n_each)
    return rng.normal(size=(len(labels), n_features)) + distance * labels[:, None], labels


def mixture(seed):
    """Three overlapping groups that three of nine features tell apart, and a few rows of each placed."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=400)
    rows = rng.normal(size=(400, 9))
    rows[:, :3] += 1.8 * np.eye(3)[labels]
    groups = [np.flatnonzero(labels == m)[:20] for m in range(3)]
    return rows, labels, groups


def some_groups(rng, n_rows, sizes):
    return np.split(rng.permutation(n_rows)[: sum(sizes)], np.cumsum(sizes)[:-1])


@thorough
@given(seeds, st.lists(st.integers(0, 6), min_size=1, max_size=4), st.integers(1, 9), st.booleans())
def test_memberships_are_distributions(seed, sizes, n_features, is_coarse):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(30, n_features))
    rows = np.round(rows) if is_coarse else rows
    found = extra_trees(rows, some_groups(rng, 30, sizes), CONFIG, rng)
    assert found.shape == (30, len(sizes))
    assert (found >= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)


def test_predictions_are_uniform_before_two_rows_a_group():
    rows, _ = blobs()
    groups = [np.array([0, 1, 2]), np.array([12]), np.array([24])]
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(extra_trees(rows, groups, CONFIG, rng), np.full((36, 3), 1 / 3))
    groups[1] = np.array([12, 13])
    assert (extra_trees(rows, groups, CONFIG, rng) != 1 / 3).any()


def test_predictions_of_training_rows_are_uniform():
    rows, labels = blobs()
    groups = [np.flatnonzero(labels == m)[:5] for m in range(3)]
    found = extra_trees(rows, groups, CONFIG, np.random.default_rng(0))
    placed = np.concatenate(groups)
    np.testing.assert_array_equal(found[placed], np.full((15, 3), 1 / 3))
    assert (np.delete(found, placed, axis=0).max(axis=1) > 0.5).all()


def test_a_seed_decides_the_memberships():
    rows, _, groups = mixture(0)
    first, again, other = (
        extra_trees(rows, groups, CONFIG, np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("seed", range(5))
def test_groups_that_lie_apart_are_separated(seed):
    rows, labels = blobs(n_groups=4, seed=seed)
    groups = [np.flatnonzero(labels == m)[:4] for m in range(4)]
    found = extra_trees(rows, groups, CONFIG, np.random.default_rng(seed))
    others = np.delete(np.arange(len(labels)), np.concatenate(groups))
    np.testing.assert_array_equal(found[others].argmax(axis=1), labels[others])


def test_a_row_like_one_of_each_of_two_groups_is_half_of_each():
    rows = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [0.0, 0.0], [9.0, 9.0]])
    found = extra_trees(rows, [np.array([0, 2]), np.array([1, 3])], CONFIG, np.random.default_rng(0))
    np.testing.assert_array_equal(found[4], [0.5, 0.5])


def test_a_table_of_one_value_gives_the_shares_of_the_groups():
    groups = [np.arange(5), np.arange(5, 7), np.array([], dtype=np.intp)]
    found = extra_trees(np.ones((10, 3)), groups, CONFIG, np.random.default_rng(0))
    np.testing.assert_allclose(found[7:], np.tile([5 / 7, 2 / 7, 0.0], (3, 1)))


def test_a_group_without_rows_is_never_predicted():
    rows, labels = blobs(n_groups=2)
    groups = [np.flatnonzero(labels == 0)[:6], np.array([], dtype=np.intp), np.flatnonzero(labels == 1)[:6]]
    found = extra_trees(rows, groups, CONFIG, np.random.default_rng(0))
    others = np.delete(np.arange(len(labels)), np.concatenate(groups))
    np.testing.assert_array_equal(found[others].argmax(axis=1), 2 * labels[others])
    assert (found[others, 1] == 0).all()


def log_loss(memberships, labels):
    """Mean log loss, smoothed by one uniform tree: none of thirty may exclude a group."""
    held = memberships[np.arange(len(labels)), labels]
    return -np.log((N_TREES * held + 1 / memberships.shape[1]) / (N_TREES + 1)).mean()


def test_the_trees_are_about_as_accurate_as_scikit_learns():
    right, loss = [], []
    for seed in range(8):
        rows, labels, groups = mixture(seed)
        placed = np.concatenate(groups)
        others = np.delete(np.arange(len(labels)), placed)
        peers = ExtraTreesClassifier(N_TREES, random_state=seed).fit(rows[placed], labels[placed])
        ours = extra_trees(rows, groups, CONFIG, np.random.default_rng(seed))[others]
        theirs = peers.predict_proba(rows[others])
        right.append([(held.argmax(axis=1) == labels[others]).mean() for held in (ours, theirs)])
        loss.append([log_loss(held, labels[others]) for held in (ours, theirs)])
    assert np.mean(right, axis=0)[1] > 0.6  # there is something to learn, and not all of it
    assert np.abs(np.subtract(*np.mean(right, axis=0))) < 0.05
    assert np.abs(np.subtract(*np.mean(loss, axis=0))) < 0.05


@st.composite
def placed_rows(draw):
    """Rows of small whole numbers, many of them alike, some of them placed in up to three groups."""
    n_features = draw(st.sampled_from([1, 2, 4]))
    n_rows = draw(st.integers(4, 16))
    row = st.lists(st.integers(0, 3), min_size=n_features, max_size=n_features)
    rows = np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)), dtype=float)
    placed = np.array(draw(st.lists(st.integers(0, n_rows - 1), min_size=2, max_size=10, unique=True)))
    group = draw(st.lists(st.integers(0, 2), min_size=len(placed), max_size=len(placed)))
    return rows, placed, np.array(group), np.random.default_rng(draw(seeds))


@thorough
@given(placed_rows())
def test_only_rows_that_are_alike_share_a_leaf_with_another_group(case):
    rows, placed, group, rng = case
    leaves, n_nodes = grow(rows, Labelled(placed, group), CONFIG, rng)
    assert leaves.shape == (N_TREES, len(rows))
    assert 0 <= leaves.min() <= leaves.max() < n_nodes
    for own in leaves:
        for leaf in np.unique(own):
            inside = own[placed] == leaf
            assert inside.any()  # a row that nobody placed ends beside rows that somebody did
            assert len(set(group[inside])) == 1 or len(np.unique(rows[placed[inside]], axis=0)) == 1


@thorough
@given(placed_rows())
def test_no_two_trees_share_a_leaf_and_rows_that_are_alike_are_never_parted(case):
    rows, placed, group, rng = case
    leaves, _ = grow(rows, Labelled(placed, group), CONFIG, rng)
    assert sum(len(np.unique(own)) for own in leaves) == len(np.unique(leaves))
    _, kind = np.unique(rows, axis=0, return_inverse=True)
    for of_kind in (leaves[:, kind.ravel() == k] for k in range(kind.max() + 1)):
        assert (of_kind == of_kind[:, :1]).all()


@st.composite
def nodes_of_rows(draw):
    """Rows of awkward values, each at a node, with a group; the nodes rise and each has a row."""
    n_features = draw(st.integers(1, 5))
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    row = st.lists(awkward, min_size=n_features, max_size=n_features)
    rows = np.array(draw(st.lists(row, min_size=sum(sizes), max_size=sum(sizes))))
    group = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    sample = np.array(draw(st.permutations(range(len(rows)))))
    return rows, sample, np.repeat(np.arange(len(sizes)), sizes), np.array(group)


@thorough
@given(nodes_of_rows(), seeds)
def test_a_threshold_always_leaves_rows_on_both_sides(case, seed):
    rows, sample, node, group = case
    feature, threshold = split(rows, Nodes(sample, node, group), np.random.default_rng(seed))
    assert len(feature) == len(threshold) == node[-1] + 1
    for at, chosen in enumerate(feature):
        inside = rows[sample[node == at]]
        varies = (inside != inside[0]).any(axis=0)
        if chosen < 0:
            assert not varies.all()
        else:
            above = inside[:, chosen] > threshold[at]
            assert varies[chosen]
            assert above.any()
            assert not above.all()


@pytest.mark.parametrize("low", [-1.0, 0.0, 1.0, 1e6])
def test_two_values_with_none_between_them_are_separated(low):
    # half of all thresholds between them are rounded onto the upper one
    rows, node = np.array([[low], [np.nextafter(low, np.inf)]] * 20), np.repeat(np.arange(20), 2)
    feature, threshold = split(
        rows, Nodes(np.arange(40), node, np.tile([0, 1], 20)), np.random.default_rng(0)
    )
    assert (feature == 0).all()
    np.testing.assert_array_equal(rows[:, 0] > threshold[node], np.tile([False, True], 20))


def test_of_the_features_that_are_drawn_the_one_that_separates_the_groups_is_taken():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 20)
    rows = rng.normal(size=(40, 4))
    rows[:, 2] = group  # any threshold parts the groups by this one
    at_root = np.zeros(40, dtype=np.intp)
    taken = [split(rows, Nodes(np.arange(40), at_root, group), rng)[0][0] for _ in range(400)]
    # two of four are drawn, the same twice one time in four: it is among them in 7 of 16
    assert np.mean(np.array(taken) == 2) == pytest.approx(7 / 16, abs=0.1)


@thorough
@given(seeds, st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
def test_purity_equals_counting_side_by_side(seed, n_nodes, n_groups, n_tried):
    rng = np.random.default_rng(seed)
    node = np.sort(np.r_[np.arange(n_nodes), rng.integers(n_nodes, size=12)])
    group = rng.integers(n_groups, size=len(node))
    above = rng.random((len(node), n_tried)) < rng.random()
    expected = np.zeros((n_nodes, n_tried))
    for at in range(n_nodes):
        for tried in range(n_tried):
            for is_above in (True, False):
                side = group[(node == at) & (above[:, tried] == is_above)].tolist()
                expected[at, tried] += sum(side.count(m) ** 2 for m in set(side)) / max(len(side), 1)
    np.testing.assert_allclose(measure_purity(above, Nodes(node, node, group)), expected)
