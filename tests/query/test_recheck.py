"""Answers are asked for again, more rarely while they hold, the least likely ones first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_fits import made_fit

from sameornot import Answer
from sameornot._types import Pair
from sameornot.ensemble.answer_proba import answer_proba, merge_proba
from sameornot.ensemble.config import NoiseConfig
from sameornot.query.recheck import (
    RecheckSchedule,
    answered_pair,
    doubtful_answer,
    last_rechecks,
    routine_recheck,
)

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
NOISE = NoiseConfig()
NOTHING = np.array([], dtype=np.intp)
DEFAULT = RecheckSchedule()


def even_table(n_rows=60):
    """Rows that were all said to be the same as the first; to the learners, two groups are equally likely."""
    answers = [(Pair(row, 0), SAME) for row in range(1, n_rows)]
    return answers, [np.arange(n_rows), NOTHING], np.full((n_rows, 2), 0.5)


def waits(n_answers, answer_again, schedule=DEFAULT):
    """Go through a log with its rechecks; returns the number of new answers before each of them."""
    answers, neighbourhoods, proba = even_table(100)
    log, new, counts = [], iter(answers), [0]
    while len(log) < n_answers:
        again = routine_recheck(log, neighbourhoods, made_fit(proba), schedule)
        if again is None:
            log.append(next(new))
            counts[-1] += 1
        else:
            log.append((Pair(*again), answer_again(len(counts))))
            counts.append(0)
    return counts[:-1]


@pytest.mark.parametrize("first", [2, 5])
def test_while_answers_hold_the_wait_for_the_next_recheck_doubles(first):
    expected = [first * 2**n for n in range(4)]
    assert waits(18 * first, lambda _: SAME, RecheckSchedule(first=first)) == expected


def test_by_default_the_first_recheck_comes_after_five_answers():
    assert waits(90, lambda _: SAME) == [5, 10, 20, 40]


def test_after_an_answer_that_does_not_hold_the_waits_start_again():
    found = waits(90, lambda nth: DIFFERENT if nth in (3, 4) else SAME)
    assert found[:7] == [5, 10, 20, 5, 5, 10, 20]


def test_no_question_is_asked_three_times_by_the_schedule():
    answers, neighbourhoods, proba = even_table(40)
    first, later = answers[:2], answers[2:]
    proba[1:3] = [0.01, 0.99]  # the first two are the least likely to be right, but were asked twice
    fit = made_fit(proba)
    again = routine_recheck([*first, *first, *later[:19]], neighbourhoods, fit, DEFAULT)
    assert again is None  # two held: the next recheck comes after 20 more
    again = routine_recheck([*first, *first, *later[:20]], neighbourhoods, fit, DEFAULT)
    assert again.is_recheck
    assert again.left > 2
    assert routine_recheck([], neighbourhoods, fit, DEFAULT) is None


@pytest.mark.parametrize("odd", [1, 3, 6])
def test_the_answer_least_likely_to_be_right_is_asked_for_again(odd):
    answers, neighbourhoods, proba = even_table(8)
    proba[odd] = [0.1, 0.9]
    assert routine_recheck(answers, neighbourhoods, made_fit(proba), DEFAULT) == (odd, 0)
    answers, neighbourhoods, proba = even_table(8)
    proba[:] = [0.9, 0.1]
    answers[odd - 1] = (Pair(odd, 0), DIFFERENT)
    assert routine_recheck(answers, neighbourhoods, made_fit(proba), DEFAULT) == (odd, 0)


def test_before_five_answers_nothing_is_asked_again():
    answers, neighbourhoods, proba = even_table()
    again = [routine_recheck(answers[:n], neighbourhoods, made_fit(proba), DEFAULT) for n in range(7)]
    assert [question is None for question in again] == [True] * 5 + [False] * 2


answer_log = st.lists(
    st.tuples(st.integers(0, 4), st.integers(5, 7), st.booleans(), st.sampled_from([SAME, DIFFERENT])),
    max_size=20,
)


@settings(deadline=None, max_examples=100)
@given(answer_log)
def test_rechecks_are_counted_whatever_the_order_within_a_pair(log):
    answers = [(Pair(i, j) if is_forward else Pair(j, i), answer) for i, j, is_forward, answer in log]
    questions = [(i, j) for i, j, _, _ in log]
    repeats = [at for at, question in enumerate(questions) if question in questions[:at]]
    holds = [log[at][3] is log[questions.index(questions[at])][3] for at in repeats]
    since, in_a_row = last_rechecks(answers)
    assert since == len(log) - 1 - (repeats[-1] if repeats else -1)
    assert in_a_row == ([*holds[::-1], False].index(False))


@settings(deadline=None, max_examples=60)
@given(st.floats(0.02, 0.98), st.floats(0.01, 0.4), st.booleans())
def test_an_answer_about_a_row_is_as_likely_to_be_right_as_bayes_rule_says(share, error_rate, says_same):
    # row 2 is compared with row 0 of the first group, and is in no group itself
    answer = SAME if says_same else DIFFERENT
    prior = np.array([[1.0, 0.0], [0.0, 1.0], [share, 1.0 - share]])
    groups = [np.array([0]), np.array([1])]
    found = answer_proba([(Pair(2, 0), answer)], groups, prior, error_rate, NOISE.label_smoothing)
    smoothed = 0.99 * share + 0.005  # no prediction is taken to be surer than a hundredth allows
    if not says_same:
        smoothed = 1.0 - smoothed
    right, wrong = smoothed * (1.0 - error_rate), (1.0 - smoothed) * error_rate
    np.testing.assert_allclose(found, right / (right + wrong))


def test_an_answer_about_rows_of_no_group_is_not_doubted():
    answers = [(Pair(2, 3), SAME), (Pair(0, 3), DIFFERENT)]
    found = made_fit(np.full((4, 2), 0.5)).answer_proba(answers, [np.array([0]), np.array([1])])
    assert found.tolist() == [1.0, 1.0]


@settings(deadline=None, max_examples=60)
@given(st.floats(0.0, 0.5), st.integers(-4, 0), st.floats(0.01, 0.3))
def test_two_groups_are_likelier_one_the_more_they_are_confused_and_the_fewer_votes_part_them(
    confusion, net_votes, error_rate
):
    groups = [np.array([0, 1]), np.array([2, 3])]

    def chance(confusion, net_votes):
        prior = np.array([[1 - confusion, confusion]] * 2 + [[confusion, 1 - confusion]] * 2)
        return merge_proba((0, 1), net_votes, prior, groups, error_rate)

    assert 0.0 <= chance(confusion, net_votes - 1) <= chance(confusion, net_votes) <= 1.0
    assert chance(confusion / 2, net_votes) <= chance(confusion, net_votes)
    assert chance(0.0, net_votes) == 0.0


@pytest.mark.parametrize(("max_votes", "error_rate"), [(2, 0.1), (3, 0.1), (3, 0.2), (4, 0.2)])
def test_an_answer_likelier_wrong_than_right_is_asked_for_again_until_it_has_enough_votes(
    max_votes, error_rate
):
    answers, neighbourhoods, proba = even_table(6)
    proba[3] = [0.0, 1.0]
    fit = made_fit(proba, error_rate)
    candidates = np.array([5])  # as uncertain as can be, and yet it comes later
    schedule = RecheckSchedule(max_votes=max_votes)
    while (again := doubtful_answer(answers, neighbourhoods, fit, candidates, schedule)) is not None:
        assert again == (3, 0)
        assert again.is_recheck
        answers.append((Pair(*again), SAME))
    assert [pair for pair, _ in answers].count((3, 0)) == max_votes


@pytest.mark.parametrize(("share", "is_asked"), [(0.99, True), (0.6, False)])
def test_a_likely_answer_is_asked_for_again_only_if_no_open_row_is_more_uncertain(share, is_asked):
    answers, neighbourhoods, proba = even_table(6)
    fit = made_fit(np.vstack([proba, [[share, 1 - share]]]), error_rate=0.2)
    again = doubtful_answer(answers, neighbourhoods, fit, np.array([6]), DEFAULT)
    assert (again is not None) is is_asked  # the answers are right with probability 0.8


def test_a_question_about_a_row_is_found_by_the_group_of_the_other():
    answers = [(Pair(4, 0), SAME), (Pair(1, 4), DIFFERENT), (Pair(4, 2), DIFFERENT), (Pair(4, 3), SAME)]
    assert answered_pair(answers, 4, np.array([2, 3])) == (4, 2)
    assert answered_pair(answers, 4, np.array([1])) is None
