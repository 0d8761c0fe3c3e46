"""`result.summary()`: what there is to say of each group."""

import numpy as np
import pandas as pd
import pytest

from made_sessions import answer_all
from sameornot import ActiveSession
from sameornot.oracles import truth

# Group 0 has a small weight and group 1 a large one; the length tells nothing.
FRAME = pd.DataFrame(
    {"weight": [1.0, 1.1, 0.9, 1.0, 5.0, 5.1, 4.9, 5.0], "length": [1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 3.0, 2.0]}
)
KIND = np.array([0, 0, 0, 0, 1, 1, 1, 1])


@pytest.fixture(scope="module")
def answered():
    session = ActiveSession(FRAME, 2, random_state=0)
    answer_all(session, truth(KIND), limit=3)
    return session


def test_there_is_a_line_for_each_label(answered):
    result = answered.result()
    summary = result.summary()
    assert summary.index.name == "group"
    assert summary.index.tolist() == sorted(set(result.labels.tolist())) == [0, 1]
    assert summary["size"].tolist() == [4, 4]
    assert summary["share"].tolist() == [0.5, 0.5]
    assert summary["placed"].sum() == sum(len(members) for members in result.neighbourhoods)
    assert summary["confidence"].between(0.0, 1.0).all()


def test_a_group_differs_in_the_feature_that_tells_it_apart(answered):
    summary = answered.result().summary(n_features=1)
    labels = answered.result().labels
    light, heavy = summary.differs[labels[0]], summary.differs[labels[4]]
    assert (light, heavy) == ("weight 1 (others 5)", "weight 5 (others 1)")


def test_typical_rows_are_near_the_mean_and_doubtful_ones_were_placed_by_the_model(answered):
    result = answered.result()
    summary = result.summary(n_rows=4)
    placed = np.concatenate(result.neighbourhoods).tolist()
    for label, line in summary.iterrows():
        members = np.flatnonzero(result.labels == label).tolist()
        assert sorted(line.typical) == members
        assert sorted(line.doubtful) == sorted(set(members) - set(placed))
        confidence = result.confidence[line.doubtful]
        assert (np.diff(confidence) >= 0).all()
        space = result.metric.transform(FRAME.to_numpy())
        distance = ((space[line.typical] - space[members].mean(axis=0)) ** 2).sum(axis=1)
        assert (np.diff(distance) >= -1e-9).all()


RECORDS = pd.DataFrame(
    {
        "note": [
            "red apple",
            "red pear",
            "green apple",
            "red plum",
            "blue sky",
            "grey sky",
            "blue sea",
            "dark sky",
        ],
        "kind": list("aaabbbbb"),
        "year": pd.to_datetime([f"200{n}-01-01" for n in range(8)]),
        "scan": [np.zeros((2, 2))] * 8,
        "same": [1.0] * 8,
    }
)


def test_with_records_what_stands_out_is_told_in_their_terms():
    session = ActiveSession(FRAME, 2, records=RECORDS, random_state=0)
    answer_all(session, truth(KIND), limit=3)
    result = session.result()
    summary = result.summary(n_features=4)
    light, heavy = (summary.differs[result.labels[row]].split("; ") for row in (0, 4))
    assert light == [
        "year 2001-07-02 (others 2005-07-02)",
        "note with “red” 75% (others 0%)",
        "kind a 75% (others 0%)",
        "note with “apple” 50% (others 0%)",
    ]
    assert "note with “sky” 75% (others 0%)" in heavy
    assert "kind b 100% (others 25%)" in heavy


def test_records_without_anything_that_stands_out_say_nothing():
    records = pd.DataFrame({"empty": [None] * 8, "unique": [f"w{n}" for n in range(8)]})
    session = ActiveSession(FRAME, 2, records=records, random_state=0)
    answer_all(session, truth(KIND), limit=3)
    assert session.result().summary().differs.tolist() == ["", ""]


def test_of_a_table_larger_than_the_pool_sizes_count_all_rows():
    X, y = np.repeat(FRAME.to_numpy(), 10, axis=0), np.repeat(KIND, 10)
    session = ActiveSession(X, 2, pool=16, random_state=0)
    answer_all(session, truth(y), limit=6)
    summary = session.result().summary()
    assert summary["size"].sum() == 80
    assert {row for rows in summary.typical for row in rows} <= set(session.pool.tolist())
    assert session.pool_result().summary()["size"].sum() == len(session.pool)


def test_one_group_differs_from_nothing():
    session = ActiveSession(FRAME, 1, random_state=0)
    summary = session.result().summary()
    assert summary.differs.tolist() == [""]
    assert summary["size"].tolist() == [8]


@pytest.mark.parametrize("wrong", [{"n_rows": -1}, {"n_features": 1.5}])
def test_a_wrong_count_is_named(answered, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        answered.result().summary(**wrong)
