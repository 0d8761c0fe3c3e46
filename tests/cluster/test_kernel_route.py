"""The paper's clusterer on curves: groups that no ellipsoid holds, in a session and as an estimator."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, AugmentedClustering, simulate
from sameornot.datasets.curved import make_circles, make_moons
from sameornot.oracles import truth


def known(y, n_known):
    return np.where(np.arange(len(y)) < n_known, y, -1)


def three_rings(n_samples=150, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n_samples) % 3
    angle = rng.uniform(0.0, 2.0 * np.pi, n_samples)
    radius = np.array([1.0, 2.0, 3.0])[y] + 0.05 * rng.normal(size=n_samples)
    plane = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.hstack([plane, 2.0 * rng.normal(size=(n_samples, 4))]), y


# --- what it is for -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("make", "seed"), [(make_moons, 1), (make_circles, 1)])
def test_a_session_finds_curved_groups_where_the_linear_metric_does_not(make, seed):
    X, y = make(n_samples=120, n_irrelevant=5, random_state=seed)
    curved, linear = (
        simulate(
            X,
            y,
            2,
            strategy="mee",
            clusterer=AugmentedClustering(kernel=kernel),
            budget=25,
            checkpoints=[25],
            random_state=seed,
        ).ari.iloc[-1]
        for kernel in ("additive", None)
    )
    assert curved > 0.9 > 0.85 > linear


def test_three_rings_are_told_apart():
    X, y = three_rings()
    curved, linear = (
        AugmentedClustering(3, kernel=kernel, random_state=0).fit(X, known(y, 75))
        for kernel in ("additive", None)
    )
    assert adjusted_rand_score(y[75:], curved.labels_[75:]) > 0.8
    assert adjusted_rand_score(y[75:], linear.labels_[75:]) < 0.2
    assert curved.feature_weights_[:2].sum() > 0.9


def test_new_rows_are_put_where_they_belong():
    X, y = make_circles(n_samples=400, random_state=0)
    model = AugmentedClustering(2, kernel="additive", random_state=0).fit(X[:200], known(y[:200], 80))
    assert adjusted_rand_score(y[200:], model.predict(X[200:])) > 0.9
    assert model.transform(X[200:]).shape == (200, 2)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_units_play_no_part_even_where_features_are_not_standardised():
    X, y = make_circles(random_state=0)
    units = np.array([1e3, 1e-3, *np.ones(10)])
    first, second = (
        AugmentedClustering(2, kernel="additive", standardize=False, random_state=0).fit(table, known(y, 60))
        for table in (X, X * units)
    )
    np.testing.assert_allclose(first.feature_weights_, second.feature_weights_, atol=1e-6)
    np.testing.assert_array_equal(first.labels_, second.labels_)


# --- beside the other settings --------------------------------------------------------------------------


def small_rings():
    return make_circles(n_samples=40, n_irrelevant=2, random_state=0)


def session_on_curves(X, **parameters):
    clusterer = AugmentedClustering(kernel="additive", **parameters)
    return ActiveSession(X, 2, strategy="mee", clusterer=clusterer, random_state=0)


@pytest.mark.parametrize("penalty", ["auto", 1.0, (3.0, 1)])
def test_a_penalty_falls_on_curved_axes(penalty):
    X, y = small_rings()
    session = session_on_curves(X, penalty=penalty)
    answer = truth(y)
    for _ in range(8):
        session.tell(answer(session.ask()))
    result = session.result()
    assert result.feature_weights.shape == (4,)
    assert result.feature_weights.sum() == pytest.approx(1.0)


def test_a_penalty_of_nothing_changes_nothing():
    X, y = three_rings(90)
    free, zero = (
        AugmentedClustering(3, kernel="additive", penalty=penalty, random_state=0).fit(X, known(y, 45))
        for penalty in (None, (1e-12, 1))
    )
    np.testing.assert_allclose(free.feature_weights_, zero.feature_weights_, atol=1e-6)


def test_undo_equals_never_having_answered_on_curves_too():
    X, y = small_rings()
    answer = truth(y)
    once, twice = (session_on_curves(X) for _ in range(2))
    for session, n_answers in ((once, 4), (twice, 6)):
        for _ in range(n_answers):
            session.tell(answer(session.ask()))
    twice.undo(2)
    assert once.ask() == twice.ask()
    np.testing.assert_array_equal(once.result().feature_weights, twice.result().feature_weights)


def test_before_any_answer_every_feature_counts():
    X, _ = small_rings()
    result = session_on_curves(X).result()
    np.testing.assert_allclose(result.feature_weights, 0.25)


def test_an_unknown_kernel_is_refused():
    X, _ = small_rings()
    with pytest.raises(ValueError, match="kernel='poly' but one of 'additive'"):
        ActiveSession(X, 2, strategy="mee", clusterer=AugmentedClustering(kernel="poly"))
    with pytest.raises(ValueError, match="kernel=3"):
        AugmentedClustering(2, kernel=3).fit(X)


@given(st.data())
@settings(max_examples=60)
def test_small_and_odd_tables_are_grouped(data):
    n_rows, n_features = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 3))
    values = st.sampled_from([0.0, 1.0, -3.0, 1e-9, 1e9])
    X = data.draw(arrays.arrays(float, (n_rows, n_features), elements=values))
    labels = data.draw(arrays.arrays(int, n_rows, elements=st.integers(-1, 2)))
    n_clusters = data.draw(st.integers(1, n_rows))
    penalty = data.draw(st.sampled_from([None, "auto", (1.0, 5)]))
    model = AugmentedClustering(n_clusters, kernel="additive", penalty=penalty, random_state=0)
    model.fit(X, labels)
    assert set(model.labels_) <= set(range(n_clusters))
    assert model.feature_weights_.shape == (n_features,)
    assert np.isfinite(model.transform(X)).all()
