"""Churn: the least share of rows that changed group, kept under the prefix of the log."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot._types import Answer, Pair, Reply
from sameornot.service.label_history import (
    N_DRAWN,
    WINDOW,
    LabelHistory,
    PoolLabels,
    share_moved,
    window_start,
)
from sameornot.service.log_key import LogKey

LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=12)


def key_of(n_answers, answer=Answer.SAME):
    return LogKey.of(2, [Reply(Pair(0, n + 1), answer, 1) for n in range(n_answers)])


def labels_after(n):
    return np.array([0] * (20 - n % 20) + [1] * (n % 20))


def pool_labels(n):
    return PoolLabels(np.arange(20), labels_after(n))


@given(LABELS, st.data())
def test_share_moved_is_the_least_over_all_ways_to_match_groups(before, data):
    after = data.draw(st.lists(st.integers(0, 3), min_size=len(before), max_size=len(before)))
    before, after = np.array(before), np.array(after)
    least = min(np.mean(np.array(names)[before] != after) for names in permutations(range(4)))
    assert share_moved(before, after) == pytest.approx(least)


@pytest.mark.parametrize("n_answers", [9, 10, 11, 100])
def test_churn_compares_each_of_the_latest_answers_with_ten_before(n_answers):
    history, key = LabelHistory(), key_of(n_answers)
    for prefix in key.prefixes():
        history.record(prefix, pool_labels(prefix.n_answers))
    expected = [
        (n, share_moved(labels_after(n - WINDOW), labels_after(n)))
        for n in range(max(WINDOW, n_answers - N_DRAWN), n_answers + 1)
    ]
    assert history.churn(key) == expected
    assert history.missing(key) == []


def test_only_what_is_known_is_drawn_and_the_rest_is_missing():
    history, key = LabelHistory(), key_of(12)
    for prefix in key.prefixes():
        if prefix.n_answers not in (0, 1):
            history.record(prefix, pool_labels(prefix.n_answers))
    assert [n for n, _ in history.churn(key)] == [12]
    assert [prefix.n_answers for prefix in history.missing(key)] == [1, 0]


def test_labels_of_answers_that_were_undone_are_there_again_when_they_are_repeated():
    history, key = LabelHistory(), key_of(10)
    for prefix in key.prefixes():
        history.record(prefix, pool_labels(prefix.n_answers))
    other = key.parent.then(Reply(Pair(0, 10), Answer.DIFFERENT, 1))
    assert history.churn(other) == []
    history.record(other, pool_labels(3))
    assert history.churn(other) != history.churn(key) != []


def test_the_prefixes_that_were_used_last_are_kept():
    history, key = LabelHistory(n_kept=5), key_of(9)
    for prefix in list(key.prefixes())[::-1]:
        history.record(prefix, pool_labels(prefix.n_answers))
        history.record(key_of(0), pool_labels(0))
    assert [prefix.n_answers for prefix in history.missing(key)] == [5, 4, 3, 2, 1]


def test_the_window_starts_ten_answers_before():
    assert window_start(key_of(9)) is None
    assert window_start(key_of(10)) == key_of(0)
    assert window_start(key_of(13)) == key_of(3)


def test_rows_that_an_answer_brought_into_the_pool_are_left_out_of_the_comparison():
    history, key = LabelHistory(), key_of(WINDOW)
    history.record(window_start(key), PoolLabels(np.array([3, 5, 8, 9]), np.array([0, 0, 1, 1])))
    history.record(key, PoolLabels(np.array([3, 4, 5, 8, 9]), np.array([1, 2, 1, 0, 1])))
    assert history.churn(key) == [(WINDOW, 0.25)]
