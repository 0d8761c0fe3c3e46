import datetime as dt

import numpy as np
import pandas as pd
import pytest

from sameornot.table import TableEncoder, TableError

RNG = np.random.default_rng(0)
N = 60
BOOLEAN_WORDS = ["cough", "fever", "rash", "mild", "severe", "knee", "hand"]


def days(form):
    timestamps = pd.Timestamp("2019-03-01") + pd.to_timedelta(RNG.integers(0, 900, N), unit="D")
    return timestamps.strftime(form)


KINDS = {
    "number": [
        RNG.normal(size=N),  # all different, and still a measurement
        RNG.integers(0, 9, N),
        RNG.permutation(N) * 37,  # unique whole numbers, but not in a row
        RNG.choice([0, 1], N),
        [str(value) for value in RNG.normal(size=N)],
        ["unknown", *(str(value) for value in RNG.normal(size=N - 1))],
        pd.array([1, None, 3] * 20, dtype="Int64"),
        pd.to_timedelta(RNG.integers(0, 999, N), unit="s"),
    ],
    "yes/no": [
        RNG.choice([True, False], N),
        RNG.choice(["yes", "No", " YES"], N),
        RNG.choice(["ja", "nein", None], N),
        pd.array([True, None, False] * 20, dtype="boolean"),
    ],
    "date": [
        pd.date_range("2020-01-01", periods=N),
        pd.date_range("2020-01-01", periods=N, tz="Europe/Berlin"),
        days("%Y-%m-%d"),
        days("%Y-%m-%dT%H:%M:%SZ"),
        days("%d.%m.%Y"),
        days("%m/%d/%Y"),
        ["soon", *days("%Y-%m-%d")[1:]],
        [dt.date(2020, 1, 1) + dt.timedelta(days=int(day)) for day in RNG.integers(0, 99, N)],
    ],
    "category": [
        RNG.choice(["a", "b"], N),
        RNG.choice(["light blue", "dark red", "0"], N),
        pd.Categorical(RNG.choice([1, 2, 3], N)),
        RNG.choice([f"C{code}" for code in range(40)], N),
        [["list"], ["other", "list"], {"a": 1}] * 20,
        [1j, 2j] * 30,
    ],
    "text": [
        [" ".join(words) + f" {number}" for number, words in enumerate(RNG.choice(BOOLEAN_WORDS, (N, 5)))],
        [" ".join(words) for words in RNG.choice(BOOLEAN_WORDS, (N, 4))],
    ],
}
LEFT_OUT = {
    "no values": [[None] * N, [np.nan, np.inf] * 30, ["", "  "] * 30, [pd.NaT] * N],
    "always the same value": [[3] * N, ["x", " x"] * 30, [None, "x"] * 30, ["yes"] * N, [7.5, np.inf] * 30],
    "every value is different: an identifier": [
        range(N),
        RNG.permutation(N) + 1000,
        [f"P-{number:04}" for number in range(N)],
        [float(number) for number in range(N - 1)] + [np.nan],
    ],
    "nearly every value is different: an identifier": [[f"P{max(number, 1)}" for number in range(N)]],
}


def fitted(column, name="x"):
    return TableEncoder.fit(pd.DataFrame({"other": RNG.normal(size=N), name: column}))


@pytest.mark.parametrize(
    ("kind", "column"), [(kind, column) for kind, columns in KINDS.items() for column in columns]
)
def test_kind_of_a_column(kind, column):
    assert [found.kind for found in fitted(column).columns[1:]] == [kind]


@pytest.mark.parametrize(
    ("reason", "column"), [(reason, column) for reason, columns in LEFT_OUT.items() for column in columns]
)
def test_useless_column_is_left_out_with_its_reason(reason, column):
    encoder = fitted(column)
    assert encoder.left_out == [("x", reason)]
    assert f"Not used ({reason}): x." in encoder.notices


@pytest.mark.parametrize(
    "name", ["id", "ID", "patient_id", "patientId", "Patient ID", "case nr", "key", "No"]
)
def test_unique_integers_named_like_an_identifier_are_one(name):
    unique = RNG.permutation(N) * 37
    assert fitted(unique, name).left_out == [(name, "every value is different: an identifier")]
    assert fitted(unique + 0.5, name).left_out == []
    assert fitted(unique // 100, name).left_out == []


@pytest.mark.parametrize("name", ["acid", "humidity", "nodes", "monkey", "knr"])
def test_names_that_only_contain_these_letters_are_not_identifiers(name):
    assert fitted(RNG.permutation(N) * 37, name).left_out == []


def test_notices_list_ignored_columns_but_not_those_kept_out():
    frame = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.normal(size=N), "picture": ["x.png"] * N})
    encoder = TableEncoder.fit(frame, ignore=["b"], keep_out=["picture"])
    assert encoder.left_out == [("b", "ignored as asked")]
    assert [column.name for column in encoder.columns] == ["a"]
    assert not any("picture" in notice for notice in encoder.notices)


@pytest.mark.parametrize("option", ["ignore", "keep_out"])
def test_unknown_column_in_an_option_is_named(option):
    with pytest.raises(TableError, match="the table has no column 'agee': it has age"):
        TableEncoder.fit(pd.DataFrame({"age": [1.0, 2.0]}), **{option: ["agee"]})


def test_one_row_and_no_row_are_refused_in_one_sentence():
    with pytest.raises(TableError, match=r"no column can be used .*: a \(always the same value\); add a"):
        TableEncoder.fit(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(TableError, match="the table has no rows"):
        TableEncoder.fit(pd.DataFrame({"a": []}))
    with pytest.raises(TableError, match="no column can be used to tell the rows apart: the table has none"):
        TableEncoder.fit(pd.DataFrame(index=range(3)))


def test_notice_lists_filled_columns_worst_first():
    frame = pd.DataFrame({"a": [1.0, None, 3.0, 5.0], "b": ["x", None, None, "y"], "c": [1, 5, 7, 3]})
    notices = TableEncoder.fit(frame).notices
    assert notices == ["3 missing cells were filled: b (2 of 4, with x), a (1 of 4, with 3)."]


@pytest.mark.slow
def test_ten_thousand_columns_give_a_few_notices():
    frame = pd.DataFrame({f"c{number}": [1.0, None, number % 3] for number in range(10_000)})
    notices = TableEncoder.fit(frame).notices
    assert len(notices) == 2
    assert all(len(notice) < 300 for notice in notices)
    assert "and 3,329 more" in notices[0]
