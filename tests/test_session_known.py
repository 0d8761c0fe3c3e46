"""Labels and pairs that are known before the first question."""

import numpy as np
import pandas as pd
import pytest

from sameornot import ActiveSession, Answer, Contradiction, Known, TooManyGroups, simulate
from sameornot.datasets import make_gaussian

X, Y = make_gaussian(n_samples=120, n_relevant=3, random_state=0)
K = len(set(Y))
FEW = np.where(np.arange(len(Y)) < 24, Y, -1)


def expert(session, n):
    for _ in range(n):
        question = session.ask()
        session.tell("same" if Y[question.left] == Y[question.right] else "different")
    return session


def test_labels_are_no_answers_and_hold_in_the_result():
    session = ActiveSession(X, K, labels=FEW, random_state=0)
    assert session.answers == []
    result = session.result()
    for rows in (np.flatnonzero(label == FEW) for label in range(K)):
        assert len(set(result.labels[rows])) == 1
        assert (result.confidence[rows] == 1).all()
    assert len({result.labels[np.flatnonzero(label == FEW)[0]] for label in range(K)}) == K


def test_nobody_is_asked_about_what_is_known():
    session = ActiveSession(X, K, labels=FEW, random_state=0)
    for _ in range(40):
        question = session.ask()
        assert not (FEW[list(question)] >= 0).all()
        session.tell("same" if Y[question.left] == Y[question.right] else "different")


@pytest.mark.parametrize("clusterer", [None, "augmented", "mpckmeans", "cobras"])
def test_every_method_respects_labels(clusterer):
    session = expert(ActiveSession(X, K, clusterer=clusterer, labels=FEW, random_state=0), 3)
    assert session.relation(0, int(np.flatnonzero(FEW[0] == FEW)[-1])) is Answer.SAME
    assert session.result().labels.shape == (len(X),)


def test_labels_help_before_the_first_question():
    noise = np.random.default_rng(0).normal(size=(len(X), 30))
    hidden = np.hstack([X, noise])

    def first(**known):
        return simulate(hidden, Y, K, budget=0, checkpoints=[0], random_state=0, **known).ari.iloc[0]

    assert first(labels=FEW) > first() + 0.1


def test_pairs_and_labels_are_one_closure():
    known = Known.of(
        8, labels=["a", "a", "b", None, None, None, None, np.nan], must_link=[(1, 3)], cannot_link=[(4, 5)]
    )
    assert known.groups == ((0, 1, 3), (2,), (4,), (5,))
    assert known.apart == ((0, 1), (2, 3))


@pytest.mark.parametrize("missing", [-1, None, np.nan, pd.NA])
def test_missing_labels_are_unknown(missing):
    labels = pd.Series(["x", missing, "y", missing], dtype=object)
    assert Known.of(4, labels=labels).groups == ((0,), (2,))


def test_undo_fork_and_copies_keep_what_is_known():
    import pickle

    session = expert(ActiveSession(X, K, labels=FEW, random_state=0), 5)
    session.undo(5)
    twins = [
        session.fork(),
        pickle.loads(pickle.dumps(session)),
        ActiveSession(X, K, labels=FEW, random_state=0),
    ]
    for twin in twins:
        assert twin.known == session.known
        assert twin.ask() == session.ask()


def test_contradictions_are_refused_with_their_rows():
    with pytest.raises(Contradiction, match="answer='same' for 0 and 2 contradicts"):
        ActiveSession(X, labels=["a", "a", "b"] + [None] * 117, must_link=[(0, 2)])
    session = ActiveSession(X, K, labels=FEW, random_state=0)
    other = int(np.flatnonzero(FEW[0] != FEW)[0])
    with pytest.raises(Contradiction):
        session.tell("same", (0, other))
    with pytest.raises(TooManyGroups):
        ActiveSession(X, K - 1, labels=FEW)
    with pytest.raises(ValueError, match=r"labels has shape \(3,\) but X has 120 rows"):
        ActiveSession(X, labels=[1, 2, 3])


def test_an_erring_expert_does_not_move_known_rows():
    session = ActiveSession(X, K, labels=FEW, random_state=0)
    rng = np.random.default_rng(0)
    for _ in range(40):
        question = session.ask()
        said = (Y[question.left] == Y[question.right]) ^ (rng.random() < 0.2)
        try:
            session.tell("same" if said else "different")
        except ValueError:
            session.tell("unsure")
    labels = session.result().labels
    for label in range(K):
        assert len(set(labels[label == FEW])) == 1


def test_all_known_rows_of_a_large_table_get_their_group():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(3, 4)) * 3
    y = rng.integers(3, size=12_000)
    rows = centers[y] + rng.normal(size=(12_000, 4))
    labels = np.where(rng.random(12_000) < 0.2, y, -1)
    session = ActiveSession(rows, 3, labels=labels, pool=200, random_state=0)
    assert 1_000 <= len(session.pool) <= 1_200
    result = session.result()
    for label in range(3):
        known = labels == label
        assert len(set(result.labels[known])) == 1
        assert (result.confidence[known] == 1).all()


def test_records_are_kept_beside_the_rows():
    records = pd.DataFrame({"text": [f"record {row}" for row in range(len(X))]})
    assert ActiveSession(X, records=records).records["text"].iloc[3] == "record 3"
    with pytest.raises(ValueError, match="records has 119 rows but X has 120: give one record a row of X"):
        ActiveSession(X, records=records[1:])
