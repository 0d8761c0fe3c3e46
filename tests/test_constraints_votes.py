"""Answers to one question are votes: the majority is believed, and nothing that was told is forgotten."""

from itertools import combinations

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Contradiction

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
OPPOSITE = {SAME: DIFFERENT, DIFFERENT: SAME}
both = pytest.mark.parametrize("answer", [SAME, DIFFERENT])


def weighed(n_points, votes):
    constraints = Constraints(n_points)
    for pair, answer in votes:
        constraints.weigh(pair, answer)
    return constraints


@both
def test_the_same_answer_again_is_kept(answer):
    known = weighed(3, [((0, 1), answer), ((1, 0), answer)])
    assert known.relation(0, 1) is answer
    assert known.told == [((0, 1), answer), ((1, 0), answer)]


@both
def test_an_opposite_answer_leaves_the_pair_open(answer):
    known = weighed(3, [((0, 1), answer), ((1, 0), OPPOSITE[answer])])
    assert known.relation(0, 1) is None
    assert known.groups() == []


@both
@pytest.mark.parametrize("dissent", [0, 1, 2])
def test_two_votes_against_one_decide_whatever_their_order(answer, dissent):
    answers = [answer] * 3
    answers[dissent] = OPPOSITE[answer]
    known = weighed(2, [((0, 1), vote) for vote in answers])
    assert known.relation(0, 1) is answer
    assert [said for _, said in known.told] == answers


def test_a_group_falls_apart_when_its_only_link_is_outvoted():
    known = weighed(5, [((0, 1), SAME), ((1, 2), SAME), ((3, 4), SAME), ((2, 3), DIFFERENT)])
    assert known.relation(0, 4) is DIFFERENT
    known.weigh((0, 1), DIFFERENT)
    known.weigh((0, 1), DIFFERENT)
    assert [members.tolist() for members in known.groups()] == [[1, 2], [3, 4], [0]]
    assert known.relation(0, 2) is DIFFERENT
    assert known.relation(0, 4) is None
    known.weigh((0, 1), SAME)
    known.weigh((0, 1), SAME)
    assert known.relation(0, 4) is DIFFERENT


def test_the_clearer_majority_stands_where_facts_cannot_all_be_true():
    # 0 = 1 = 2 and 0 ≠ 2 cannot be: the one link with a single vote gives way
    votes = [((0, 1), SAME), ((1, 2), SAME), ((0, 2), SAME)]
    votes += [((0, 2), DIFFERENT)] * 3 + [((0, 1), SAME)]
    known = weighed(3, votes)
    assert known.relation(0, 2) is DIFFERENT
    assert known.relation(0, 1) is SAME
    assert known.relation(1, 2) is DIFFERENT
    known.weigh((1, 2), SAME)
    known.weigh((1, 2), SAME)
    assert known.relation(1, 2) is SAME
    assert len(known.told) == 9


def test_of_equal_majorities_the_latest_stands():
    # each ends with two votes: 0 = 1, then 0 ≠ 2, then 1 = 2, of which the first gives way
    votes = [((0, 1), SAME), ((1, 2), SAME), ((0, 2), SAME), ((0, 1), SAME)]
    votes += [((0, 2), DIFFERENT)] * 3 + [((1, 2), SAME)]
    known = weighed(3, votes)
    assert known.relation(0, 2) is DIFFERENT
    assert known.relation(1, 2) is SAME
    assert known.relation(0, 1) is DIFFERENT


def test_only_pairs_that_were_answered_themselves_were_told():
    known = weighed(4, [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 3), UNSURE), ((0, 1), DIFFERENT)])
    told = {pair for pair in combinations(range(4), 2) if known.was_told(*pair)}
    assert told == {(0, 1), (1, 2)}
    assert known.was_told(1, 0)
    assert known.is_aside(3, 0)
    assert known.told == [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 1), DIFFERENT)]


points = st.integers(0, 6)
facts = st.lists(st.tuples(points, points, st.sampled_from([SAME, DIFFERENT])), max_size=25)


def take(answers, method):
    """Take in what can be true, by `add` or by `weigh`."""
    constraints, taken = Constraints(7), []
    for i, j, answer in answers:
        if i != j:
            try:
                getattr(constraints, method)((i, j), answer)
            except Contradiction:
                continue
            taken.append(((i, j), answer))
    return constraints, taken


@settings(deadline=None, max_examples=100)
@given(facts)
def test_votes_are_all_told_and_an_unopposed_majority_is_believed(answers):
    known, taken = take(answers, "weigh")
    assert known.told == taken
    balance = {}
    for pair, answer in taken:
        question = tuple(sorted(pair))
        balance[question] = balance.get(question, 0) + (1 if answer is SAME else -1)
    majorities = {pair: SAME if votes > 0 else DIFFERENT for pair, votes in balance.items() if votes}
    reference = Constraints(7)
    try:
        for pair, answer in majorities.items():
            reference.add(pair, answer)
    except Contradiction:
        reject()  # the majorities cannot all be true
    for pair in combinations(range(7), 2):
        assert known.relation(*pair) is reference.relation(*pair)


@settings(deadline=None, max_examples=100)
@given(facts, st.sampled_from(["add", "weigh"]))
def test_told_apart_equals_the_relation_of_each_point_to_each_neighbourhood(answers, method):
    known, _ = take(answers, method)
    hoods = known.neighbourhoods()
    found = known.told_apart(hoods)
    assert found.shape == (7, len(hoods))
    for m, members in enumerate(hoods):
        for point in range(7):
            expected = {known.relation(point, int(member)) is DIFFERENT for member in members}
            assert {bool(found[point, m])} == expected
