"""What is said of the rows before any answer: which of them are close to each other."""

from dataclasses import replace

import numpy as np
import pytest

from sameornot import ActiveSession
from sameornot.datasets import make_gaussian
from sameornot.ensemble import preparation
from sameornot.ensemble.graph import closeness, neighbour_graph, representatives
from sameornot.ensemble.posterior import LEARNERS
from sameornot.ensemble.preparation import MEASURES, clarity, survey

X, Y = make_gaussian(n_samples=150, n_relevant=3, random_state=0)
SCALE = X.std(axis=0)
VOICES = LEARNERS[:4]


def test_closeness_is_the_one_by_which_groups_of_one_row_each_stand_out_most():
    plain = survey(X, SCALE)
    np.testing.assert_array_equal(plain.close, closeness(neighbour_graph(plain.rows)))
    ways = [replace(plain, close=measure(plain)) for measure in MEASURES]
    assert len({way.close.tobytes() for way in ways}) == 3
    clear = [clarity(way, 3, VOICES) for way in ways]
    np.testing.assert_array_equal(survey(X, SCALE, 3).close, ways[int(np.argmax(clear))].close)


def test_of_many_rows_some_tell_which_measure_to_take(monkeypatch):
    asked = []
    monkeypatch.setattr(preparation, "clarity", lambda around, *_: asked.append(len(around.rows)) or 0.0)
    monkeypatch.setattr(preparation, "N_TO_CHOOSE_BY", 40)
    assert survey(X, SCALE, 3).close.shape == (150, 150)
    assert asked == [40, 40, 40]


def test_rows_that_hold_places_are_of_more_kinds_where_features_are_mixed():
    """Five kinds that differ along directions in which rows vary least."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(5), 60)
    kinds, noise = 8.0 * rng.normal(size=(5, 4))[y], rng.normal(size=(300, 8))
    rows = np.hstack([0.1 * (kinds + noise[:, :4]), noise[:, 4:]])
    rows = rows @ np.linalg.qr(rng.normal(size=(8, 8)))[0]
    none = np.empty(0, dtype=np.intp)
    found = [
        len(set(y[representatives(survey(rows, rows.std(axis=0), n_groups).close, none, 5)]))
        for n_groups in (None, 5)
    ]
    assert found[0] < found[1] == 5


@pytest.mark.parametrize("n_clusters", [1, 2, 150])
def test_any_number_of_groups_can_be_asked_for(n_clusters):
    assert survey(X, SCALE, n_clusters).close.shape == (150, 150)


@pytest.mark.parametrize("learners", [("trees",), ("borders", "trees")])
def test_whoever_sits_on_the_panel_is_heard(learners):
    session = ActiveSession(X, 3, clusterer="panel", learners=learners, random_state=0)
    assert len(session.result().labels) == 150
