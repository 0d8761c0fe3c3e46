import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot.table import display, fingerprint


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.299999999, "12.3"),
        (np.float32(12.3), "12.3"),
        (4.0, "4"),
        (-0.0, "0"),
        (1234567.25, "1234567"),
        (123456.75, "123456.8"),
        (1e-9, "1e-09"),
        (1.5e300, "1.5e+300"),
        (np.int64(7), "7"),
        (True, "yes"),
        (np.False_, "no"),
        (None, ""),
        (np.nan, ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (np.inf, "inf"),
        (pd.Timestamp("2024-02-03"), "2024-02-03"),
        (pd.Timestamp("2024-02-03 04:05:06.7"), "2024-02-03 04:05:06"),
        (dt.date(2024, 2, 3), "2024-02-03"),
        (np.datetime64("2024-02-03"), "2024-02-03"),
        ([1, None], "[1, None]"),
        (b"\xffa", "\ufffda"),
    ],
)
def test_cell_is_formatted_as_people_write_it(value, text):
    assert display(value) == text


@pytest.mark.parametrize(
    "cell", ["<script>alert(1)</script>", "=1+1", "+1", "-x", "@SUM(A1)", "a\nb", " x ", "&amp;"]
)
def test_text_is_unchanged(cell):
    assert display(cell) == cell


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_formatted_number_is_exact_to_seven_digits(value):
    assert float(display(value)) == pytest.approx(value, rel=1e-6)


@pytest.mark.slow
@given(st.text())
def test_formatted_text_can_be_encoded(text):
    assert display(text).encode("utf-8").decode("utf-8") == display(text)


BASE = {"a": [1.0, 2.0, np.nan], "b": ["x", "y", None], "c": pd.to_datetime(["2020", "2021", None])}


def test_fingerprint_depends_on_the_contents_only():
    frame = pd.DataFrame(BASE)
    assert fingerprint(frame) == fingerprint(pd.DataFrame(BASE, index=[5, 6, 7]))
    assert fingerprint(frame) == fingerprint(frame.astype({"b": object}))
    assert len(fingerprint(frame)) == 32


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.assign(a=[1.0, 2.0, 0.0]),
        lambda frame: frame.assign(b=["x", "y", ""]),
        lambda frame: frame.assign(b=["xy", None, None]),
        lambda frame: frame.assign(b=["y", "x", None]),
        lambda frame: frame.assign(a=[1, 2, 3]),
        lambda frame: frame.assign(c=frame["c"] + pd.Timedelta(1, "s")),
        lambda frame: frame.rename(columns={"a": "d"}),
        lambda frame: frame[["b", "a", "c"]],
        lambda frame: frame.iloc[:2],
        lambda frame: frame.iloc[::-1],
        lambda frame: frame.drop(columns="a"),
    ],
)
def test_fingerprint_changes_with_any_cell_name_type_or_order(change):
    frame = pd.DataFrame(BASE)
    assert fingerprint(change(frame)) != fingerprint(frame)


def test_texts_and_numbers_that_look_alike_have_different_fingerprints():
    columns = [[1, 2], ["1", "2"], [1.0, 2.0], [True, 2], ["1", 2], [[1], [2]], ["[1]", "[2]"], ["12", ""]]
    assert len({fingerprint(pd.DataFrame({"a": column})) for column in columns}) == len(columns)


def test_any_cell_has_a_fingerprint():
    odd = pd.Series(["\ud800", [1], {"a": 2}, b"\xff", None], dtype=object)
    assert fingerprint(pd.DataFrame({"a": odd})) != fingerprint(pd.DataFrame({"a": odd[::-1]}))
