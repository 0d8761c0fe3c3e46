"""Typical values of a group beside those of the others."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot.service.differences import compare, few_digits, shorten
from sameornot.table import TableEncoder

INSIDE = np.array([True, True, True, False, False, False])


def difference(cells, members=INSIDE):
    frame = pd.DataFrame({"c": cells})
    (known,) = TableEncoder.fit(frame).columns
    return compare(frame["c"], known, 0.5, members)


def test_numbers_are_told_by_their_middle():
    found = difference([1.0, 2.0, 9.0, 20.0, 30.0, 31.5])
    assert (found.here, found.others) == ("2", "30")
    assert found.spread.inside[1] < found.spread.outside[1]


def test_numbers_written_as_text_are_numbers():
    found = difference(
        [*["1", "2", "9", "20", "30", "31"] * 10, "oops"], np.append(np.tile(INSIDE, 10), False)
    )
    assert (found.here, found.others) == ("2", "30")


def test_dates_are_told_by_their_middle_as_they_were_written():
    found = difference(["01.02.2020", "13.03.2020", "14.04.2021", "01.02.2022", "13.03.2022", "14.04.2023"])
    assert (found.here, found.others) == ("13.03.2020", "13.03.2022")
    assert found.spread is not None


def test_categories_are_told_by_the_commonest_and_its_share():
    found = difference(["a", "a", "b", "b", "b", "a"])
    assert (found.here, found.others) == ("a (67%)", "b (67%)")
    assert (found.shares.inside, found.shares.outside) == pytest.approx((2 / 3, 1 / 3))


def test_yes_and_no_are_words():
    found = difference([True, True, True, False, False, True])
    assert (found.here, found.others) == ("yes (100%)", "no (67%)")


def test_missing_cells_do_not_count():
    found = difference(["a", None, None, "b", "b", None])
    assert (found.here, found.others) == ("a (100%)", "b (100%)")
    assert difference([None, None, None, "a", "b", "a"]).here == "no value"
    assert difference([np.nan, np.nan, np.nan, 1.0, 2.0, 4.5]).spread is None


def test_texts_that_are_all_different_have_no_commonest_one():
    texts = [f"note number {k} of many" for k in range(6)]
    assert difference(texts).here == "all different"


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12))
def test_few_digits_are_near(value):
    assert few_digits(value) == pytest.approx(value, rel=1e-3, abs=1e-300)


@given(st.text(), st.integers(1, 100))
def test_shortened_text_is_one_line_of_that_length(text, length):
    short = shorten(text, length)
    assert len(short) <= length
    assert short == " ".join(short.split())
    if len(text) <= length:
        assert short == " ".join(text.split())
