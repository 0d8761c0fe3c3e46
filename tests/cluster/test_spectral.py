"""A graph is cut into groups of any shape, with answers worked into it and never against them."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics import adjusted_rand_score

from sameornot import simulate
from sameornot.cluster._constraint_graph import constraint_graph
from sameornot.cluster._spectral_graph import (
    MAX_DENSE_ROWS,
    affinity,
    constrain,
    neighbour_graph,
    normalise,
    propagate,
    solve_dense,
    solve_sparse,
)
from sameornot.cluster.base import Problem, State
from sameornot.cluster.spectral import (
    ConstrainedSpectral,
    cluster_embedding,
    embed,
    embed_graph,
    leading_eigenvectors,
)
from sameornot.constraints import Constraints
from sameornot.datasets.curved import make_circles, make_moons


def clean_moons(n_samples=200, seed=0):
    return make_moons(n_samples=n_samples, n_irrelevant=0, noise=0.0, random_state=seed)


def known(y, n_known):
    return np.where(np.arange(len(y)) < n_known, y, -1)


def closure(n_rows, must_link=(), cannot_link=()):
    return Constraints.from_pairs(n_rows, must_link=np.array(must_link), cannot_link=np.array(cannot_link))


# --- the graph ------------------------------------------------------------------------------------------


def test_affinity_is_symmetric_and_connects_near_rows_only():
    rows = np.r_[np.arange(10.0), 100 + np.arange(10.0)][:, None]
    weights = affinity(neighbour_graph(rows, 3))
    np.testing.assert_array_equal(weights, weights.T)
    np.testing.assert_array_equal(np.diag(weights), 1.0)
    assert weights[:10, 10:].max() < 1e-3 < np.exp(-1.0) < weights[4, 5] < 1.0


def test_affinity_does_not_depend_on_the_unit():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    np.testing.assert_allclose(affinity(neighbour_graph(rows, 5)), affinity(neighbour_graph(1e6 * rows, 5)))


def test_propagation_is_the_published_formula():
    rng = np.random.default_rng(0)
    constraints = closure(12, must_link=[(0, 1), (1, 2), (5, 6)], cannot_link=[(0, 5), (7, 2)])
    weights = affinity(neighbour_graph(rng.normal(size=(12, 2)), 4))
    walk = normalise(weights)
    said = np.zeros((12, 12))
    for i in range(12):
        for j in range(12):
            relation = constraints.relation(i, j) if i != j else None
            said[i, j] = {None: 0.0, "same": 1.0, "different": -1.0}[relation and relation.value]
    for i in (0, 1, 2, 5, 6, 7):
        said[i, i] = 1.0
    inverse = np.linalg.inv(np.eye(12) - 0.6 * walk)
    expected = inverse @ said @ inverse
    graph = constraint_graph(constraints)
    relation = np.eye(len(graph.size)) - graph.cannot_link.toarray()
    found = propagate(weights, graph, relation, 0.6)
    np.testing.assert_allclose(found, expected / np.abs(expected).max(), atol=1e-12)


@pytest.mark.parametrize("propagation", [0.0, 0.5, 0.99])
def test_the_sparse_solver_agrees_with_the_dense_one(propagation):
    rng = np.random.default_rng(0)
    weights, member = affinity(neighbour_graph(rng.normal(size=(80, 2)), 5)), np.eye(80)[:, :7]
    expected = solve_dense(weights, member, propagation)
    np.testing.assert_allclose(solve_sparse(weights, member, propagation), expected, atol=1e-9)


@pytest.mark.slow
def test_leading_eigenvectors_of_a_large_graph_are_those_of_the_dense_solver():
    n_rows = MAX_DENSE_ROWS + 1
    centers = 3.0 * np.eye(4)[np.arange(n_rows) % 4]
    rows = centers + np.random.default_rng(0).normal(size=(n_rows, 4))
    matrix = normalise(affinity(neighbour_graph(rows, 10)))
    expected = np.linalg.eigh(matrix)[1][:, :-5:-1]
    overlap = np.abs(leading_eigenvectors(matrix, 4).T @ expected)
    np.testing.assert_allclose(overlap, np.eye(4), atol=1e-6)


def test_without_propagation_answers_change_their_own_pairs_only():
    rows = np.random.default_rng(0).normal(size=(12, 2))
    weights = affinity(neighbour_graph(rows, 4))
    after = constrain(weights, constraint_graph(closure(12, must_link=[(0, 7)], cannot_link=[(0, 3)])), 0.0)
    changed = np.argwhere(np.triu(~np.isclose(after, weights)))
    assert set(map(tuple, changed.tolist())) == {(0, 3), (3, 7), (0, 7)}


def test_answers_raise_what_is_near_to_same_and_lower_what_is_near_to_different():
    rows = np.r_[np.arange(8.0), 50 + np.arange(8.0)][:, None]
    before = affinity(neighbour_graph(rows, 3))
    same = constrain(before, constraint_graph(closure(16, must_link=[(3, 11)])), 0.5)
    different = constrain(before, constraint_graph(closure(16, cannot_link=[(3, 5)])), 0.5)
    assert same[3, 11] == 1.0
    assert same[2, 10] > same[0, 8] >= before[0, 8]
    assert different[3, 5] == 0.0
    assert different[2, 5] / before[2, 5] < different[12, 13] / before[12, 13]


def test_rows_that_hang_together_are_one_point_of_the_embedding():
    rows = np.r_[np.arange(12.0), 1e3 + np.arange(12.0), 2e3 + np.arange(12.0)][:, None]
    points = embed(affinity(neighbour_graph(rows, 4)), 3)
    np.testing.assert_allclose(points @ points.T, np.kron(np.eye(3), np.ones((12, 12))), atol=0.02)


# --- groups ---------------------------------------------------------------------------------------------


def test_clean_moons_are_told_apart_by_a_few_labels_and_by_none():
    X, y = clean_moons()
    for n_known in (0, 6):
        model = ConstrainedSpectral(2, random_state=0).fit(X, known(y, n_known))
        assert adjusted_rand_score(y, model.labels_) == 1.0


@pytest.mark.parametrize("make", [make_moons, make_circles])
def test_relevant_features_are_found_among_irrelevant_ones(make):
    X, y = make(random_state=0)
    curved = ConstrainedSpectral(2, kernel="additive", random_state=0).fit(X, known(y, 60))
    straight = ConstrainedSpectral(2, random_state=0).fit(X, known(y, 60))
    assert adjusted_rand_score(y, curved.labels_) > 0.95 > 0.8 > adjusted_rand_score(y, straight.labels_)
    assert curved.feature_weights_[:2].sum() > 0.9


def random_pairs(y, n_pairs, seed):
    pairs = np.random.default_rng(seed).choice(len(y), size=(n_pairs, 2), replace=True)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same & (pairs[:, 0] != pairs[:, 1])], "cannot_link": pairs[~same]}


@pytest.mark.slow
@pytest.mark.parametrize("load", [load_digits, load_breast_cancer])
def test_pairs_do_not_lower_the_agreement(load):
    X, y = load(return_X_y=True)
    model = ConstrainedSpectral(len(set(y)), random_state=0)
    without = adjusted_rand_score(y, model.fit_predict(X))
    given = [adjusted_rand_score(y, model.fit_predict(X, **random_pairs(y, 50, seed))) for seed in range(3)]
    assert min(given) > without
    assert np.mean(given) > without + 0.05


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_constraints_with_a_high_price_are_kept(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), rng.integers(3, size=20)
    pairs = rng.permutation(20).reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    model = ConstrainedSpectral(3, weight=1e3, augmentation=False, random_state=seed)
    labels = model.fit_predict(X, must_link=pairs[same], cannot_link=pairs[~same])
    np.testing.assert_array_equal(labels[pairs[:, 0]] == labels[pairs[:, 1]], same)


def test_neighbourhood_m_is_group_m():
    X, y = make_moons(random_state=0)
    constraints = Constraints.from_pairs(len(X), labels=known(y, 40))
    found = ConstrainedSpectral().cluster(Problem(X, constraints, 2, X.std(axis=0)), State())
    for m, members in enumerate(constraints.neighbourhoods()):
        assert (found.labels[members] == m).all()


def test_more_islands_than_groups_do_no_harm():
    rows = (100.0 * np.arange(5)[:, None] + np.arange(4.0)).reshape(-1, 1)
    embedding = embed_graph(neighbour_graph(rows, 3), closure(20), 2)
    found = cluster_embedding(embedding, closure(20), ConstrainedSpectral(), np.random.default_rng(0))
    islands = found.labels.reshape(5, 4)
    assert (islands == islands[:, :1]).all()
    assert len(np.unique(found.labels)) == 2


def test_same_seed_same_groups():
    X, _ = make_moons(random_state=3)
    first, second = (ConstrainedSpectral(4, random_state=5).fit_predict(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_session_cuts_clean_moons_with_few_questions():
    X, y = clean_moons(120)
    clusterer = ConstrainedSpectral()
    curve = simulate(X, y, 2, budget=6, checkpoints=[6], clusterer=clusterer, random_state=0)
    assert curve.ari.iloc[-1] == 1.0


# --- new rows -------------------------------------------------------------------------------------------


def fitted_moons():
    X, y = make_moons(random_state=0)
    return X, y, ConstrainedSpectral(2, kernel="additive", random_state=0).fit(X, known(y, 60))


def test_prediction_agrees_with_the_groups_of_fitted_rows():
    X, _, model = fitted_moons()
    assert (model.predict(X) == model.labels_).mean() > 0.98


def test_new_rows_of_a_moon_are_put_with_it():
    _, _, model = fitted_moons()
    X, y = make_moons(random_state=99)
    assert adjusted_rand_score(y, model.predict(X)) > 0.9


def test_confidence_is_the_share_of_neighbours_and_lowest_between_groups():
    rows = np.r_[np.arange(10.0), 20 + np.arange(10.0)][:, None]
    model = ConstrainedSpectral(2, n_neighbors=9, random_state=0).fit(rows)
    between, within = model.clustering_.confidence(np.array([[14.5], [5.0]]))
    assert between == pytest.approx(0.5)
    assert within == 1.0


def test_rows_far_from_all_others_are_put_with_the_nearest():
    rows = np.r_[np.arange(10.0), 20 + np.arange(10.0)][:, None]
    model = ConstrainedSpectral(2, n_neighbors=4, random_state=0).fit(rows)
    far = np.array([[-1e9], [1e9]])
    np.testing.assert_array_equal(model.predict(far), model.labels_[[0, -1]])
    assert np.isfinite(model.clustering_.confidence(far)).all()


def test_a_fitted_model_can_be_pickled():
    X, _, model = fitted_moons()
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_the_old_name_of_the_clustering_warns():
    model = ConstrainedSpectral(2, random_state=0).fit(np.arange(6.0)[:, None])
    with pytest.warns(DeprecationWarning, match="clustering_"):
        assert model.grouping_ is model.clustering_


# --- odd input ------------------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=60)
def test_small_and_odd_tables_are_grouped(data):
    n_rows, n_features = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    values = st.sampled_from([0.0, 1.0, -3.0, 1e-9, 1e9])
    X = data.draw(arrays.arrays(float, (n_rows, n_features), elements=values))
    labels = data.draw(arrays.arrays(int, n_rows, elements=st.integers(-1, 2)))
    n_clusters = data.draw(st.integers(1, n_rows))
    options = {
        "kernel": data.draw(st.sampled_from([None, "additive"])),
        "n_neighbors": data.draw(st.integers(1, 12)),
        "propagation": data.draw(st.sampled_from([0.0, 0.5, 0.99])),
    }
    model = ConstrainedSpectral(n_clusters, random_state=0, **options).fit(X, labels)
    assert set(model.labels_) <= set(range(n_clusters))
    assert np.isfinite(model.clustering_.confidence(X)).all()
    assert set(model.predict(X)) <= set(model.labels_)


def test_equal_rows_are_one_group_or_any():
    model = ConstrainedSpectral(2, random_state=0).fit(np.ones((8, 2)), cannot_link=[(0, 1)])
    assert model.labels_[0] != model.labels_[1]


def test_too_many_rows_are_refused():
    rows = np.zeros((11, 1))
    with pytest.raises(ValueError, match=r"X has 11 rows .* at most 10"):
        neighbour_graph(rows, 3, max_rows=10)
    with pytest.raises(ValueError, match=r"X has 5001 rows .* at most 5000"):
        ConstrainedSpectral(2).fit(np.arange(5001.0)[:, None])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kernel", "linear"),
        ("metric", "round"),
        ("n_neighbors", 0),
        ("propagation", 1.0),
        ("propagation", -0.1),
        ("weight", -1.0),
    ],
)
def test_error_names_the_setting(name, value):
    with pytest.raises(ValueError, match=name):
        ConstrainedSpectral(2, **{name: value}).fit(np.arange(6.0)[:, None])
