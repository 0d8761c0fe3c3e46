"""Where a session stands: the same however it got there."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot import ActiveSession, Answer, Pair
from sameornot._types import Recheck, Reply
from sameornot.datasets import make_gaussian
from sameornot.oracles import noisy, truth
from sameornot.service.standing import follow, share_moved, stand

X, TRUTH = make_gaussian(n_samples=40, n_relevant=3, random_state=1)
LABELS = st.lists(st.integers(0, 3), min_size=1, max_size=12)


def reply_to(standing, answer):
    again = isinstance(standing.pair, Recheck)
    return Reply(Pair(*standing.pair), answer, standing.session.step, again)


def begin(n_clusters=3, **options):
    return stand(ActiveSession(X, n_clusters, random_state=0, **options))


@pytest.mark.parametrize("n_clusters", [3, None])
def test_a_standing_that_followed_equals_one_made_from_the_answers(n_clusters):
    oracle = truth(TRUTH)
    standing = begin(n_clusters)
    for n in range(18):
        answer = Answer.UNSURE if n % 7 == 3 else oracle(standing.pair)
        standing = follow(standing, reply_to(standing, answer))
        if n % 3 == 0:
            afresh = begin(n_clusters, answers=standing.session.answers)
            assert standing.pair == afresh.pair
            assert standing.numbers == afresh.numbers
            assert standing.group_numbers == afresh.group_numbers
            assert (standing.result.labels == afresh.result.labels).all()
            assert standing.odds == pytest.approx(afresh.odds)


def test_with_answers_that_do_not_hold_a_standing_is_the_same_however_it_got_there():
    oracle = noisy(truth(TRUTH), 0.2, np.random.default_rng(0))
    standing = begin()
    for n in range(36):
        standing = follow(standing, reply_to(standing, oracle(standing.pair)))
        if n > 18 and n % 6 == 0:
            afresh = begin(answers=standing.session.answers)
            assert (standing.pair, standing.numbers) == (afresh.pair, afresh.numbers)
            assert standing.group_numbers == afresh.group_numbers
            assert (standing.result.labels == afresh.result.labels).all()
    assert standing.session.constraints.is_inconsistent
    groups = standing.result.neighbourhoods
    assert len(set(standing.group_numbers)) == len(standing.group_numbers) >= len(groups)
    for m, members in enumerate(groups):
        assert set(standing.result.labels[members].tolist()) == {m}


def test_a_standing_does_not_hear_what_follows_it():
    standing = begin()
    for answer in Answer:
        follow(standing, reply_to(standing, answer))
    assert standing.session.answers == []
    assert standing.session.ask() == standing.pair


def test_numbers_are_told_once_and_stay_with_their_group():
    oracle = truth(TRUTH)
    standing = begin()
    seen = {}
    for _ in range(25):
        standing = follow(standing, reply_to(standing, oracle(standing.pair)))
        numbers = standing.group_numbers
        assert len(set(numbers)) == len(numbers)
        for members, number in zip(standing.result.neighbourhoods, numbers, strict=False):
            kind = TRUTH[members[0]]
            assert seen.setdefault(number, kind) == kind


def test_the_question_for_one_more_person_is_about_another_point():
    oracle = truth(TRUTH)
    standing = begin()
    for _ in range(8):
        standing = follow(standing, reply_to(standing, oracle(standing.pair)))
        held = [standing.pair]
        for _ in range(3):
            beside = standing.session.ask_beside(held)
            assert beside.left not in {pair.left for pair in held}
            assert standing.session.constraints.relation(*beside) is None
            held.append(beside)
    assert standing.session.ask() == standing.pair


def test_nothing_is_left_beside_the_only_question():
    session = ActiveSession(X[:2], random_state=0)
    pair = session.ask()
    assert session.ask_beside([pair]) is None
    assert session.ask_beside([Pair(*reversed(pair))]) is None


@given(LABELS, st.data())
def test_share_moved_is_the_least_over_all_ways_to_match_groups(before, data):
    after = data.draw(st.lists(st.integers(0, 3), min_size=len(before), max_size=len(before)))
    before, after = np.array(before), np.array(after)
    least = min(np.mean(np.array(names)[before] != after) for names in permutations(range(4)))
    assert share_moved(before, after) == pytest.approx(least)
