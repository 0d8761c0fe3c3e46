"""Answers are asked for again more and more rarely while they hold, the least credible ones first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_opinions import held

from sameornot import Answer
from sameornot._types import Pair, Recheck
from sameornot.ensemble.answer_proba import PRESUMED, credibility, one_group
from sameornot.query.recheck import (
    MOST_VOTES,
    doubtful_answer,
    last_repeats,
    routine_recheck,
    told_pair,
)

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
NOBODY = np.array([], dtype=np.intp)


def even_table(n_rows=60):
    """Rows that are all of the first of two groups, as told by their first, and an opinion without a view."""
    hoods = [np.arange(n_rows), NOBODY]
    told = [(Pair(row, 0), SAME) for row in range(1, n_rows)]
    return told, hoods, held(np.full((n_rows, 2), 0.5))


def asked(told, hoods, opinion, n_answers, answer_again):
    """Go through a log, answering as it is asked for again; returns new answers before each such time."""
    log, new, gaps = [], iter(told), [0]
    while len(log) < n_answers:
        again = routine_recheck(log, hoods, opinion)
        if again is None:
            log.append(next(new))
            gaps[-1] += 1
        else:
            log.append((Pair(*again), answer_again(len(gaps))))
            gaps.append(0)
    return gaps[:-1]


def test_while_answers_hold_a_question_is_asked_again_after_twice_as_many_each_time():
    assert asked(*even_table(100), n_answers=90, answer_again=lambda _: SAME) == [5, 10, 20, 40]


def test_an_answer_that_does_not_hold_begins_the_series_anew():
    told = even_table(100)
    gaps = asked(*told, n_answers=90, answer_again=lambda nth: DIFFERENT if nth in (3, 4) else SAME)
    assert gaps[:7] == [5, 10, 20, 5, 5, 10, 20]


def test_the_routine_puts_no_question_three_times():
    told, hoods, opinion = even_table(40)
    first, later = told[:2], told[2:]
    opinion.odds[1:3] = [0.01, 0.99]  # the first two are the least credible, but were asked twice
    assert routine_recheck([*first, *first, *later[:19]], hoods, opinion) is None  # 2 held: after 20 more
    again = routine_recheck([*first, *first, *later[:20]], hoods, opinion)
    assert isinstance(again, Recheck)
    assert again.left > 2
    assert routine_recheck([], hoods, opinion) is None


@pytest.mark.parametrize("odd", [1, 3, 6])
def test_the_least_credible_answer_is_asked_for_again(odd):
    told, hoods, opinion = even_table(8)
    opinion.odds[odd] = [0.1, 0.9]
    assert routine_recheck(told, hoods, opinion) == (odd, 0)
    told, hoods, opinion = even_table(8)
    opinion.odds[:] = [0.9, 0.1]
    told[odd - 1] = (Pair(odd, 0), DIFFERENT)
    assert routine_recheck(told, hoods, opinion) == (odd, 0)


def test_before_five_answers_nothing_is_asked_again():
    told, hoods, opinion = even_table()
    assert [routine_recheck(told[:n], hoods, opinion) is None for n in range(7)] == [True] * 5 + [False] * 2


answers = st.tuples(st.integers(0, 4), st.integers(5, 7), st.booleans(), st.sampled_from([SAME, DIFFERENT]))


@settings(deadline=None, max_examples=100)
@given(st.lists(answers, max_size=20))
def test_repeats_are_counted_whichever_way_a_question_is_put(log):
    told = [(Pair(i, j) if forth else Pair(j, i), answer) for i, j, forth, answer in log]
    questions = [(i, j) for i, j, _, _ in log]
    repeats = [at for at, question in enumerate(questions) if question in questions[:at]]
    holds = [log[at][3] is log[questions.index(questions[at])][3] for at in repeats]
    since, in_a_row = last_repeats(told)
    assert since == len(log) - 1 - (repeats[-1] if repeats else -1)
    assert in_a_row == ([*holds[::-1], False].index(False))


@settings(deadline=None, max_examples=60)
@given(st.floats(0.02, 0.98), st.floats(0.01, 0.4), st.booleans())
def test_an_answer_about_a_row_is_as_credible_as_bayes_rule_makes_it(share, error, says_same):
    # row 2 is asked about against row 0 of the first group, and is in no group itself
    answer = SAME if says_same else DIFFERENT
    opinion = held([[1.0, 0.0], [0.0, 1.0], [share, 1.0 - share]])
    found = credibility([(Pair(2, 0), answer)], [np.array([0]), np.array([1])], opinion.odds, error)
    prior = 0.99 * share + 0.005  # no odds are taken to be longer than a hundredth
    if not says_same:
        prior = 1.0 - prior
    right, wrong = prior * (1.0 - error), (1.0 - prior) * error
    np.testing.assert_allclose(found, right / (right + wrong))


def test_an_answer_about_rows_of_no_group_is_not_doubted():
    opinion = held(np.full((4, 2), 0.5))
    hoods = [np.array([0]), np.array([1])]
    found = credibility([(Pair(2, 3), SAME), (Pair(0, 3), DIFFERENT)], hoods, opinion.odds, PRESUMED)
    assert found.tolist() == [1.0, 1.0]


@settings(deadline=None, max_examples=60)
@given(st.floats(0.0, 0.5), st.integers(-4, 0), st.floats(0.01, 0.3))
def test_two_groups_are_likelier_one_the_more_they_are_mixed_up_and_the_fewer_votes_part_them(
    mixed, balance, error
):
    hoods = [np.array([0, 1]), np.array([2, 3])]

    def chance(mixed, balance):
        odds = np.array([[1 - mixed, mixed]] * 2 + [[mixed, 1 - mixed]] * 2)
        return one_group(0, 1, balance, odds, hoods, error)

    assert 0.0 <= chance(mixed, balance - 1) <= chance(mixed, balance) <= 1.0
    assert chance(mixed / 2, balance) <= chance(mixed, balance)
    assert chance(0.0, balance) == 0.0


def test_an_answer_likelier_wrong_than_right_is_asked_for_again_until_it_has_three_votes():
    told, hoods, opinion = even_table(6)
    opinion.odds[3] = [0.0, 1.0]
    opinion = opinion._replace(error=0.1)
    candidates = np.array([5])  # as doubtful as can be, and yet it waits
    while (again := doubtful_answer(told, hoods, opinion, candidates)) is not None:
        assert again == (3, 0)
        told.append((Pair(*again), SAME))
    assert [pair for pair, _ in told].count((3, 0)) == MOST_VOTES


@pytest.mark.parametrize(("share", "is_asked"), [(0.99, True), (0.6, False)])
def test_a_credible_answer_is_asked_for_again_only_if_no_open_row_is_in_more_doubt(share, is_asked):
    told, hoods, opinion = even_table(6)
    odds = np.vstack([opinion.odds, [[share, 1 - share]]])
    again = doubtful_answer(told, hoods, held(odds, error=0.2), np.array([6]))
    assert (again is not None) is is_asked  # the answers are right with odds of 0.8


def test_a_question_about_a_row_is_found_by_the_group_of_the_other():
    told = [(Pair(4, 0), SAME), (Pair(1, 4), DIFFERENT), (Pair(4, 2), DIFFERENT), (Pair(4, 3), SAME)]
    assert told_pair(told, 4, np.array([2, 3])) == (4, 2)
    assert told_pair(told, 4, np.array([1])) is None
