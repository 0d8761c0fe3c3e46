"""What comes from outside is checked once, and a refusal says what came and what was expected."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from sameornot._validation import (
    check_count,
    check_labels,
    check_n_clusters,
    check_number,
    check_option,
    check_pairs,
    check_table,
)


def test_a_table_keeps_its_values_and_names():
    values, names = check_table(pd.DataFrame({"a": [1, 2], 7: [0.5, -1.0]}))
    np.testing.assert_array_equal(values, [[1.0, 0.5], [2.0, -1.0]])
    assert values.dtype == np.float64
    assert names == ["a", "7"]


def test_an_array_has_numbered_names():
    assert check_table([[1, 2, 3]])[1] == ["x0", "x1", "x2"]


@pytest.mark.parametrize(
    "X",
    [
        [[True, False]],
        np.array([[1, 0]], dtype=np.int8),
        [[Decimal("1"), Decimal("0")]],
        pd.DataFrame({"a": pd.array([1], dtype="Int64"), "b": [0]}),
        pd.DataFrame({"a": [True], "b": [False]}),
    ],
    ids=["bool", "int8", "Decimal", "nullable", "bool frame"],
)
def test_anything_that_is_a_number_is_taken(X):
    values, _ = check_table(X)
    np.testing.assert_array_equal(values, [[1.0, 0.0]])
    assert values.dtype == np.float64


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, np.nan]], "X holds nan in row 0, column 1"),
        ([[1.0], [np.inf]], "X holds inf in row 1, column 0"),
        ([[1.0], [-np.inf]], "X holds -inf in row 1, column 0"),
        ([[1.0, None]], "X holds nan in row 0, column 1"),
        ([["red"], ["blue"]], "X must hold numbers only: .*'red'"),
        (pd.DataFrame({"colour": ["red"], "size": [1]}), "X must hold numbers only: .*'red'"),
        (pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}), "X "),
        ([[1.0 + 2.0j]], "X must hold numbers only"),
        (np.array([[1.0 + 2.0j]]), "X must hold numbers only"),
        ([[1.0, 2.0], [3.0]], "X must hold numbers only"),
        (None, "X "),
        (3.0, r"X has 0 dimension\(s\) but a table"),
        ([1.0, 2.0], r"X has 1 dimension\(s\) but a table"),
        (np.zeros((2, 2, 2)), r"X has 3 dimension\(s\) but a table"),
        (np.zeros((0, 2)), "X has 0 rows and 2 columns but needs at least one of each"),
        (np.zeros((2, 0)), "X has 2 rows and 0 columns but needs at least one of each"),
        (pd.DataFrame(), "X has 0 rows and 0 columns but needs at least one of each"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        check_table(X)


@pytest.mark.parametrize("value", [1, 7, np.int64(3), np.uint8(3)])
def test_a_count_is_any_whole_number(value):
    assert check_count("n_init", value) == value
    assert type(check_count("n_init", value)) is int


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "n_init=0 but at least 1 is needed"),
        (-3, "n_init=-3 but at least 1 is needed"),
        (2.0, "n_init=2.0 but a whole number is needed"),
        (True, "n_init=True but a whole number is needed"),
        ("2", "n_init='2' but a whole number is needed"),
        (None, "n_init=None but a whole number is needed"),
        (np.nan, "n_init=nan but a whole number is needed"),
    ],
)
def test_what_is_no_count_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        check_count("n_init", value)


def test_a_count_may_start_elsewhere():
    assert check_count("budget", 0, at_least=0) == 0
    with pytest.raises(ValueError, match="budget=2 but at least 3 is needed"):
        check_count("budget", 2, at_least=3)


def test_clusters_must_be_fillable():
    assert check_n_clusters(3, 3) == 3
    with pytest.raises(ValueError, match="n_clusters=4 but only 3 rows were given"):
        check_n_clusters(4, 3)


@pytest.mark.parametrize("value", [0, 0.0, 2, 0.25, np.float32(0.5), np.int64(3)])
def test_a_number_is_any_finite_one(value):
    assert check_number("weight", value) == value
    assert type(check_number("weight", value)) is float


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (-0.5, "weight=-0.5 but at least 0 is needed"),
        (np.inf, "weight=inf but a finite number is needed"),
        (np.nan, "weight=nan but a finite number is needed"),
        ("1", "weight='1' but a finite number is needed"),
        (True, "weight=True but a finite number is needed"),
        (None, "weight=None but a finite number is needed"),
        (1j, "weight=1j but a finite number is needed"),
    ],
)
def test_what_is_no_number_is_refused(value, message):
    with pytest.raises(ValueError, match=message):
        check_number("weight", value)


@pytest.mark.parametrize("value", ["median", None, 3, ["mean"]])
def test_a_word_that_is_no_option_is_refused_with_the_options(value):
    assert check_option("by", "mean", {"mean", "max"}) == "mean"
    with pytest.raises(ValueError, match=r"by=.* but one of 'max', 'mean' is needed"):
        check_option("by", value, {"mean", "max"})


@pytest.mark.parametrize(
    "labels", [[0, 1, -1], ["a", "b", "b"], np.array([1.0, 2.0, 2.0]), pd.Series([3, 3, 4])]
)
def test_labels_are_one_a_row(labels):
    np.testing.assert_array_equal(check_labels(labels, 3), np.asarray(labels))


@pytest.mark.parametrize("words", [["cat", -1, "dog"], pd.Series(["cat", -1, "dog"], dtype=object)])
def test_a_label_that_is_not_known_stays_minus_one_beside_words(words):
    assert check_labels(words, 3).tolist() == ["cat", -1, "dog"]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"y has shape \(2,\) but X has 3 rows: one label a row is needed"),
        ([0, 1, 1, 0], r"y has shape \(4,\) but X has 3 rows"),
        ([[0], [1], [1]], r"y has shape \(3, 1\) but X has 3 rows"),
        (None, r"y has shape \(\) but X has 3 rows"),
        (1, r"y has shape \(\) but X has 3 rows"),
        ([0, 1, np.nan], "y holds a missing label: write -1"),
        (["a", None, "b"], "y holds a missing label: write -1"),
        (pd.array([0, 1, None], dtype="Int64"), "y holds a missing label: write -1"),
    ],
)
def test_labels_that_cannot_be_used_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        check_labels(labels, 3)


@pytest.mark.parametrize(
    "pairs", [[(0, 1), (2, 0)], np.array([[0, 1], [2, 0]], dtype=np.uint8), ((0, 1), (2, 0))]
)
def test_pairs_are_rows_of_two_row_numbers(pairs):
    np.testing.assert_array_equal(check_pairs("must_link", pairs, 3), [[0, 1], [2, 0]])


@pytest.mark.parametrize("pairs", [None, [], (), np.empty((0, 2))])
def test_no_pair_is_an_empty_array(pairs):
    assert check_pairs("must_link", pairs, 3).shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 3)], r"must_link holds the pair \(0, 3\) but two different rows from 0 to 2 are needed"),
        ([(0, 1), (-1, 0)], r"must_link holds the pair \(-1, 0\) but two different rows from 0 to 2"),
        ([(1, 1)], r"must_link holds the pair \(1, 1\) but two different rows"),
        ([(0.0, 1.0)], "must_link has shape .* and type float64 but rows of two row numbers are needed"),
        ([("a", "b")], "must_link has shape .* but rows of two row numbers are needed"),
        ([(True, False)], "must_link has shape .* and type bool but rows of two row numbers"),
        ([(0, 1, 2)], r"must_link has shape \(1, 3\) .* but rows of two row numbers are needed"),
        ((0, 1), r"must_link has shape \(2,\) .* but rows of two row numbers are needed"),
        (3, r"must_link has shape \(\) .* but rows of two row numbers are needed"),
        ([(0, 1), (2,)], "must_link .* rows of two row numbers are needed"),
    ],
)
def test_pairs_that_cannot_be_used_are_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        check_pairs("must_link", pairs, 3)
