"""Tables of every kind: arrays, data frames, odd ones, and row sources that are read when needed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from made_sessions import ODD_TABLES, Y, answer_all, each_strategy, table
from sameornot import ActiveSession, AugmentedClustering
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth


def test_a_data_frame_keeps_its_names():
    frame = pd.DataFrame(table(), columns=["length", "width", 3], index=list("abcdefgh"))
    session = ActiveSession(frame, n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 5)
    weights = session.result().feature_weights
    assert weights.index.tolist() == session.feature_names == ["length", "width", "3"]
    assert weights.sum() == pytest.approx(1.0)
    plain = ActiveSession(
        frame.to_numpy(), n_clusters=3, strategy="random", random_state=0, answers=session.answers
    )
    np.testing.assert_allclose(plain.result().feature_weights.to_numpy(), weights.to_numpy())


@pytest.mark.parametrize(
    "X",
    [
        np.round(10 * table()).astype(int),
        np.round(10 * table()).astype(np.float32),
        np.round(10 * table()).tolist(),
        np.asfortranarray(np.round(10 * table())),
        pd.DataFrame(np.round(10 * table())).astype("Int64"),
    ],
    ids=["int", "float32", "list", "fortran", "nullable"],
)
def test_numbers_of_every_kind_give_the_same_session(X):
    reference = ActiveSession(np.round(10 * table()), n_clusters=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    assert answer_all(session, truth(Y), 3) == answer_all(reference, truth(Y), 3)
    assert session.result().labels.tolist() == reference.result().labels.tolist()


def test_the_table_is_not_modified():
    X = table()
    session = ActiveSession(X, n_clusters=3, random_state=0)
    reference = ActiveSession(table(), n_clusters=3, random_state=0)
    answer_all(session, truth(Y), 2)
    session.result()
    np.testing.assert_array_equal(X, table())
    answer_all(reference, truth(Y), 2)
    assert len(session) == len(reference) == 8


@pytest.mark.parametrize(("metric", "penalty"), [("separable", "auto"), ("exact", None), ("full", None)])
@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables_are_grouped_as_the_expert_says(name, metric, penalty):
    X, clusterer = ODD_TABLES[name], AugmentedClustering(metric=metric, penalty=penalty)
    session = ActiveSession(X, n_clusters=3, strategy="random", clusterer=clusterer, random_state=0)
    for limit in (0, 2, 3, 1000):
        answer_all(session, truth(Y), limit)
        weights = session.result().feature_weights
        assert (weights >= 0).all()
        assert (weights[X.std(axis=0) < 1e-9] == 0).all()
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@pytest.mark.parametrize("strategy", ["mee", "two_step"])
@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables_are_asked_about_to_the_end(name, strategy):
    session = ActiveSession(ODD_TABLES[name], n_clusters=3, strategy=strategy, random_state=0)
    answer_all(session, truth(Y))
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@pytest.mark.parametrize("powers", [[-40, 0, 40], [-40] * 3, [200] * 3], ids=["mixed", "tiny", "huge"])
def test_the_units_of_the_features_do_not_matter(powers):
    X, y = table(np.tile(Y, 3)), np.tile(Y, 3)
    units = 2.0 ** np.array(powers)  # powers of two round nothing
    session, converted = (ActiveSession(rows, n_clusters=3, random_state=0) for rows in (X, X * units))
    assert answer_all(converted, truth(y), 6) == answer_all(session, truth(y), 6)
    assert converted.result().labels.tolist() == session.result().labels.tolist()
    np.testing.assert_allclose(converted.result().feature_weights, session.result().feature_weights)


def test_the_origin_of_the_features_does_not_matter():
    X = table(np.tile(Y, 3))
    known = [((0, 3), "same"), ((0, 6), "same"), ((1, 4), "same"), ((1, 7), "same"), ((2, 5), "same")]
    known += [((0, 1), "different"), ((0, 2), "different"), ((1, 2), "different")]
    for seed in range(3):
        session, shifted = (
            ActiveSession(rows, n_clusters=3, random_state=seed, answers=known)
            for rows in (X, np.add(X, [1e8, 0.0, -1e8]))
        )
        assert shifted.result().labels.tolist() == session.result().labels.tolist()
        assert shifted.ask() == session.ask()


@pytest.mark.parametrize("n_clusters", [1, None])
@each_strategy
def test_one_row_is_one_group_and_leaves_nothing_to_ask(strategy, n_clusters):
    session = ActiveSession([[1.0, 2.0]], n_clusters, strategy=strategy, random_state=0)
    assert session.ask() is None
    assert session.result().labels.tolist() == [0]
    assert session.result().confidence.tolist() == [1.0]


def test_a_data_frame_with_the_columns_of_a_row_source_is_a_table():
    names = ["available", "feature_names", "take"]
    session = ActiveSession(pd.DataFrame(table(), columns=names), 3, random_state=0)
    assert session.feature_names == names
    assert session.ask() == ActiveSession(table(), 3, random_state=0).ask()


# --- row sources ----------------------------------------------------------------------------------------


class Source:
    """A row source that counts the rows that were taken; only `available` ones can be drawn."""

    def __init__(self, X, available=None):
        self.X, self.available, self.n_taken = X, available, 0
        self.feature_names = ["a", "b", "c", "d", "e"][: X.shape[1]]

    def __len__(self):
        return len(self.X)

    def take(self, rows):
        self.n_taken += len(rows)
        return self.X[rows]


@pytest.fixture(scope="module")
def gaussian():
    return make_gaussian(n_samples=300, n_relevant=3, n_irrelevant=2, random_state=0)


@pytest.mark.parametrize("pool", [None, 50])
def test_a_session_on_a_row_source_is_that_on_its_array(gaussian, pool):
    X, y = gaussian
    on_array, on_source = (ActiveSession(rows, 3, pool=pool, random_state=0) for rows in (X, Source(X)))
    assert answer_all(on_source, truth(y), 12) == answer_all(on_array, truth(y), 12)
    assert on_source.ask() == on_array.ask()
    assert len(on_source) == 300
    assert on_source.feature_names == ["a", "b", "c", "d", "e"]
    array_result, result = on_array.result(), on_source.result()
    np.testing.assert_array_equal(result.labels, array_result.labels)
    np.testing.assert_array_equal(result.confidence, array_result.confidence)
    assert result.feature_weights.index.tolist() == ["a", "b", "c", "d", "e"]


def test_questions_take_the_rows_of_the_pool_alone(gaussian):
    X, y = gaussian
    source = Source(X)
    session = ActiveSession(source, 3, pool=50, random_state=0)
    answer_all(session, truth(y), 10)
    session.pool_result()
    assert source.n_taken == 50


def test_only_available_rows_are_drawn_and_the_others_are_predicted_by_the_final_clustering(gaussian):
    X, y = gaussian
    source = Source(X, available=np.arange(100, 180))
    session = ActiveSession(source, 3, pool=50, random_state=0)
    asked = answer_all(session, truth(y), 15)
    assert np.isin(session.pool, source.available).all()
    assert len(session.pool) == 50
    assert np.isin(asked, session.pool).all()
    with pytest.raises(ValueError, match=r"not all of its rows are at hand: take final_labels\(\)"):
        session.result()
    final = session.final_labels()
    assert np.isin(final.rows, source.available).all()
    assert final.clustering.predict(X).shape == (300,)
    pool_result, at = session.pool_result(), np.searchsorted(final.rows, session.pool)
    np.testing.assert_array_equal(final.labels[at], pool_result.labels)


@pytest.mark.parametrize("n_available", [30, 80])
def test_a_row_that_is_not_available_joins_the_pool_with_an_answer_about_it(gaussian, n_available):
    X, y = gaussian
    start = {"n_clusters": 3, "pool": 50, "random_state": 0}
    available = np.arange(100, 100 + n_available)
    session = ActiveSession(Source(X, available), **start)
    answer_all(session, truth(y), 5)
    session.tell("unsure", (7, 250))
    assert {7, 250} <= set(session.pool.tolist())
    resumed = ActiveSession(Source(X, available), **start, answers=session.answers)
    assert resumed.ask() == session.ask()
    session.undo()
    assert np.isin(session.pool, available).all()
