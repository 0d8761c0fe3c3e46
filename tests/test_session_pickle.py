"""A session that was pickled, or copied, is the session that it was made from."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

from made_sessions import UNSURE, Y, answer_all, each_strategy, state_of, table
from sameornot import ActiveSession
from sameornot.oracles import truth

Y_LONG = np.arange(60) % 3
X_LONG = table(Y_LONG)
OPTIONS = {
    "default": {},
    "n_clusters": {"n_clusters": 3},
    "cobras": {"strategy": "cobras"},
    "mee": {"strategy": "mee", "n_clusters": 3},
    "pool": {"pool": 20, "n_clusters": 3, "random_state": 7},
}


def pickled(session):
    return pickle.loads(pickle.dumps(session))


def check_copy(how, options):
    session = ActiveSession(X_LONG, **{"random_state": 0, **options})
    answer_all(session, truth(Y_LONG), limit=7)
    session.tell(UNSURE)
    session.undo(2)
    twin = how(session)
    assert answer_all(twin, truth(Y_LONG), limit=5) == answer_all(session, truth(Y_LONG), limit=5)
    assert state_of(twin) == state_of(session)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_an_unpickled_session_asks_the_same_questions_and_groups_the_same(options):
    check_copy(pickled, options)


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_so_does_a_copy(how):
    check_copy(how, OPTIONS["n_clusters"])


@each_strategy
def test_a_copy_is_independent(strategy):
    session = ActiveSession(table(), 3, strategy=strategy, random_state=0)
    answer_all(session, truth(Y), limit=4)
    before = state_of(session)
    answer_all(pickled(session), truth(Y), limit=4)
    assert state_of(session) == before


def test_a_choice_and_a_row_from_outside_of_the_pool_survive():
    session = ActiveSession(X_LONG, 3, pool=20, random_state=0)
    answer_all(session, truth(Y_LONG), limit=12)
    outside = next(row for row in range(60) if row not in session.pool)
    session.tell("different", (outside, int(session.pool[0])))
    assert state_of(pickled(session)) == state_of(session)


def test_what_was_known_before_and_the_records_survive():
    labels = np.where(np.arange(60) < 9, Y_LONG, -1)
    records = pd.DataFrame({"name": [f"row {n}" for n in range(60)]})
    session = ActiveSession(X_LONG, 3, labels=labels, records=records, random_state=0)
    answer_all(session, truth(Y_LONG), limit=3)
    twin = pickled(session)
    assert state_of(twin) == state_of(session)
    assert twin.known == session.known
    assert twin.records.equals(records)


def test_a_pickle_holds_the_rows_and_the_answers_and_no_fits():
    session = ActiveSession(X_LONG, 3, random_state=0)
    answer_all(session, truth(Y_LONG), limit=20)
    session.result()
    assert len(pickle.dumps(session)) < X_LONG.nbytes + 10_000


def test_a_result_survives_with_what_predicts_new_rows():
    session = ActiveSession(X_LONG, 3, random_state=0)
    answer_all(session, truth(Y_LONG), limit=10)
    result = session.result()
    twin = pickled(result)
    assert twin.labels.tolist() == result.labels.tolist()
    assert twin.summary().equals(result.summary())
    assert twin.clustering.predict(X_LONG).tolist() == result.clustering.predict(X_LONG).tolist()
