"""Label and classify: the answers train a forest, and what they say is kept."""

import numpy as np
import pytest

from sameornot import ActiveSession, Constraints
from sameornot.cluster.base import Problem, State
from sameornot.cluster.forest import ForestClassification


def blobs(n_each=10, seed=0):
    """Three far groups in the first two features; the third says nothing."""
    rng = np.random.default_rng(seed)
    y = np.tile([0, 1, 2], n_each)
    X = rng.normal(size=(len(y), 3))
    X[:, :2] += np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[y]
    return X, y


def labelled(y, known):
    partial = np.full(len(y), -1)
    partial[known] = y[known]
    return Constraints.from_pairs(len(y), labels=partial)


def fit(X, constraints, *, n_clusters=3, seed=0, scale=None, **parameters):
    scale = np.ones(X.shape[1]) if scale is None else scale
    problem = Problem(X, constraints, n_clusters, scale, seed)
    return ForestClassification(**parameters).check().cluster(problem, State())


@pytest.mark.parametrize("known", [[], [0, 3, 6]], ids=["nothing known", "one neighbourhood"])
def test_all_rows_are_one_group_before_two_are_known(known):
    X, y = blobs()
    found = fit(X, labelled(y, known))
    assert found.labels.tolist() == [0] * 30
    assert found.predict(X[:4]).tolist() == [0] * 4
    assert found.confidence(X[:4]).tolist() == [1.0] * 4
    np.testing.assert_allclose(found.metric.feature_weights, 1 / 3)


def test_unsure_answers_alone_make_no_second_group():
    X, _ = blobs()
    session = ActiveSession(X, n_clusters=3, clusterer="forest", answers=[((0, 1), "unsure")], random_state=0)
    assert set(session.result().labels.tolist()) == {0}


def test_rows_of_far_groups_are_found_from_some_that_are_known():
    X, y = blobs()
    constraints = labelled(y, np.arange(15))
    found = fit(X, constraints)
    group = {int(y[members[0]]): m for m, members in enumerate(constraints.neighbourhoods())}
    assert found.labels.tolist() == [group[label] for label in y.tolist()]
    new, new_y = blobs(seed=1)
    assert np.mean(found.predict(new) == [group[label] for label in new_y.tolist()]) > 0.9


@pytest.mark.parametrize("seed", range(3))
def test_placed_rows_keep_their_groups_where_the_forest_would_not_have_it(seed):
    """Answers that the features speak against: two equal rows that are known to differ."""
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.normal(size=(6, 2)), 2, axis=0)
    y = np.tile([0, 1], 6)
    constraints = labelled(y, np.arange(8))
    found = fit(X, constraints, n_clusters=2, seed=seed)
    assert (found.predict(X)[0:8:2] == found.predict(X)[1:8:2]).all()
    for m, members in enumerate(constraints.neighbourhoods()):
        assert (found.labels[members] == m).all()


def test_groups_beyond_the_number_of_clusters_are_not_trained_on():
    X, y = blobs()
    constraints = labelled(y, np.arange(10))  # four rows of the first group, three of each other
    found = fit(X, constraints, n_clusters=2)
    assert set(found.labels.tolist()) == {0, 1}


def test_confidence_is_the_share_of_votes_and_lowest_between_the_groups():
    X, y = blobs()
    found = fit(X, labelled(y, np.arange(9)), n_trees=10)
    ways = np.array([[9.0, 0.0, 0.0], [6.6, 0.0, 0.0], [4.5, 0.0, 0.0]])
    confidence = found.confidence(ways)
    assert ((confidence > 1 / 3) & (confidence <= 1)).all()
    assert confidence[0] > confidence[2]
    np.testing.assert_allclose(10 * confidence, np.round(10 * confidence))  # so many of ten trees


def test_importances_are_the_weights_of_the_features():
    X, y = blobs()
    found = fit(X, labelled(y, np.arange(15)))
    assert found.forest is not None
    np.testing.assert_allclose(found.metric.feature_weights, found.forest.feature_importances_)
    assert found.metric.feature_weights.argmin() == 2
    assert found.metric.feature_weights.sum() == pytest.approx(1.0)


def test_a_constant_feature_weighs_nothing():
    X, y = blobs()
    X[:, 2] = 7.0
    session = ActiveSession(X, n_clusters=3, clusterer="forest", random_state=0, answers=facts_of(y[:9]))
    assert session.result().feature_weights.tolist()[2] == 0.0


def facts_of(y):
    return [((i, j), "same" if y[i] == y[j] else "different") for i in range(len(y)) for j in range(i)]


@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_seed_gives_the_same_forest(seed):
    X, y = blobs()
    first, again, other = (fit(X, labelled(y, np.arange(6)), seed=s, n_trees=5) for s in (seed, seed, 99))
    new = blobs(seed=1)[0]
    np.testing.assert_array_equal(first.confidence(new), again.confidence(new))
    np.testing.assert_array_equal(first.metric.weights, again.metric.weights)
    assert (first.metric.weights != other.metric.weights).any()


def test_new_rows_are_scaled_as_the_known_ones_were():
    X, y = blobs()
    units = np.array([1.0, 1024.0, 1.0 / 1024.0])
    plain = fit(X, labelled(y, np.arange(9)))
    scaled = fit(X * units, labelled(y, np.arange(9)), scale=units)
    np.testing.assert_array_equal(plain.confidence(X), scaled.confidence(X * units))
    np.testing.assert_array_equal(plain.predict(X), scaled.predict(X * units))


def test_the_size_of_the_forest_is_a_parameter_that_is_checked():
    X, y = blobs()
    found = fit(X, labelled(y, np.arange(9)), n_trees=4)
    assert found.forest is not None
    assert len(found.forest.estimators_) == 4
    with pytest.raises(ValueError, match="n_trees=0 but at least 1 is needed"):
        ForestClassification(n_trees=0).check()
    with pytest.raises(ValueError, match=r"n_trees=2\.5 but a whole number is needed"):
        ActiveSession(X, clusterer=ForestClassification(n_trees=2.5))
