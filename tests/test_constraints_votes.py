"""Answers are votes: what most of them agree with is believed, and nothing that was told is forgotten."""

from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Contradiction

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
OPPOSITE = {SAME: DIFFERENT, DIFFERENT: SAME}
both = pytest.mark.parametrize("answer", [SAME, DIFFERENT])


def weighed(n_points, votes):
    constraints = Constraints(n_points)
    for pair, answer in votes:
        constraints.add_vote(pair, answer)
    return constraints


@both
def test_the_same_answer_again_is_kept(answer):
    known = weighed(3, [((0, 1), answer), ((1, 0), answer)])
    assert known.relation(0, 1) is answer
    assert known.answers == [((0, 1), answer), ((1, 0), answer)]


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
    assert [said for _, said in known.answers] == answers


def test_a_group_falls_apart_when_its_only_link_is_outvoted():
    known = weighed(5, [((0, 1), SAME), ((1, 2), SAME), ((3, 4), SAME), ((2, 3), DIFFERENT)])
    assert known.relation(0, 4) is DIFFERENT
    known.add_vote((0, 1), DIFFERENT)
    known.add_vote((0, 1), DIFFERENT)
    assert [members.tolist() for members in known.groups()] == [[1, 2], [3, 4], [0]]
    assert known.relation(0, 2) is DIFFERENT
    assert known.relation(0, 4) is None
    known.add_vote((0, 1), SAME)
    known.add_vote((0, 1), SAME)
    assert known.relation(0, 4) is DIFFERENT


def test_a_row_goes_with_a_group_by_all_votes_about_it_and_its_members():
    # 0 = 1, 1 = 2 and 0 ≠ 2 cannot be: 2 has one vote for the group of both and two against
    votes = [((0, 1), SAME), ((1, 2), SAME), ((2, 0), SAME), *[((2, 0), DIFFERENT)] * 3]
    known = weighed(3, votes)
    assert known.relation(0, 1) is SAME
    assert known.relation(2, 0) is DIFFERENT
    assert known.relation(2, 1) is DIFFERENT
    known.add_vote((1, 2), SAME)  # two for and two against, and it does not matter which came last
    assert known.relation(0, 1) is SAME
    assert known.relation(2, 0) is None
    assert known.relation(2, 1) is None
    known.add_vote((1, 2), SAME)
    assert known.relation(2, 0) is SAME
    assert len(known.answers) == 8


@pytest.mark.parametrize("n_apart", [0, 1, 2])
def test_a_row_that_two_groups_claim_does_not_join_them(n_apart):
    # 2 is told to be of 0's group and of 1's, by two votes of three each
    votes = [((3, 0), SAME), ((4, 1), SAME), *[((0, 1), DIFFERENT)] * n_apart]
    votes += [((2, 0), SAME), ((2, 1), DIFFERENT), ((2, 0), DIFFERENT), ((2, 0), SAME)]
    votes += [((2, 1), SAME)] * 2
    known = weighed(5, votes)
    assert known.relation(0, 3) is SAME
    assert known.relation(1, 4) is SAME
    assert known.relation(0, 1) is not SAME
    assert [known.relation(2, 0), known.relation(2, 1)].count(SAME) == 1


def test_a_row_that_two_groups_claim_goes_where_more_votes_have_it():
    votes = [((3, 0), SAME), ((4, 1), SAME), ((2, 0), SAME), ((2, 1), DIFFERENT), ((2, 0), DIFFERENT)]
    known = weighed(5, [*votes, *[((2, 0), SAME)], *[((2, 1), SAME)] * 3])
    assert known.relation(2, 4) is SAME
    assert known.relation(2, 3) is not SAME


def test_only_pairs_that_were_answered_themselves_were_told():
    known = weighed(4, [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 3), UNSURE), ((0, 1), DIFFERENT)])
    told = {pair for pair in combinations(range(4), 2) if known.was_answered(*pair)}
    assert told == {(0, 1), (1, 2)}
    assert known.was_answered(1, 0)
    assert known.is_unsure(3, 0)
    assert known.answers == [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 1), DIFFERENT)]


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


def relations(constraints):
    return {pair: constraints.relation(*pair) for pair in combinations(range(constraints.n_points), 2)}


@st.composite
def true_log(draw):
    """True answers to some questions, each asked once or more often."""
    labels = draw(st.lists(st.integers(0, 2), min_size=7, max_size=7))
    asked = draw(st.lists(st.sampled_from(list(permutations(range(7), 2))), min_size=1, max_size=12))
    return [((i, j), SAME if labels[i] == labels[j] else DIFFERENT) for i, j in asked]


@st.composite
def log_and_repeats(draw):
    """True answers, and answers of any kind to some of the same questions put again."""
    log = draw(true_log())
    questions = st.sampled_from([pair for pair, _ in log])
    again = st.tuples(questions, st.sampled_from([SAME, DIFFERENT]))
    return log, draw(st.lists(again, min_size=1, max_size=8))


@settings(deadline=None, max_examples=100)
@given(facts)
def test_votes_are_all_told(answers):
    known, taken = take(answers, "weigh")
    assert known.answers == taken


@settings(deadline=None, max_examples=100)
@given(true_log())
def test_answers_that_agree_imply_as_votes_what_they_imply_without(log):
    added = Constraints(7)
    for pair, answer in log:
        added.add(pair, answer)
    known = weighed(7, [*log, log[0]])
    assert relations(known) == relations(added)
    assert [members.tolist() for members in known.groups()] == [m.tolist() for m in added.groups()]
    assert known.answers == [*added.answers, log[0]]


@settings(deadline=None, max_examples=100)
@given(log_and_repeats(), st.data())
def test_votes_count_the_same_in_any_order(case, data):
    log, repeats = case
    known = weighed(7, [*log, *repeats])
    log, repeats = data.draw(st.permutations(log)), data.draw(st.permutations(repeats))
    assert relations(weighed(7, [*log, *repeats])) == relations(known)


@settings(deadline=None, max_examples=100)
@given(log_and_repeats())
def test_two_groups_differ_where_more_of_the_answers_between_them_say_so(case):
    log, repeats = case
    known = weighed(7, [*log, *repeats])
    said = [(set(pair), 1 if answer is SAME else -1) for pair, answer in known.answers]
    for i, j in combinations(range(7), 2):
        across = [{a, b} for a, b in product(known.group(i), known.group(j))]
        net = sum(vote for pair, vote in said if pair in across)
        if known.relation(i, j) is not SAME:
            assert known.relation(i, j) is (DIFFERENT if net < 0 else None)


@settings(deadline=None, max_examples=100)
@given(log_and_repeats())
def test_a_group_is_held_together_by_questions_most_answers_to_which_say_same(case):
    log, repeats = case
    known = weighed(7, [*log, *repeats])
    for i, j in known.must_link.tolist():
        said = [answer for pair, answer in known.answers if set(pair) == {i, j}]
        assert said.count(SAME) > said.count(DIFFERENT)
        assert known.relation(i, j) is SAME


@settings(deadline=None, max_examples=60)
@given(st.permutations(range(9)), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.data())
def test_one_slip_in_three_about_any_row_leaves_every_group_as_it_is(rows, labels, data):
    # 0, 1 and 2 found the groups, the others are asked against them; `rows` says which number each has
    log = [((a, b), DIFFERENT) for a, b in combinations(range(3), 2)]
    log += [((row, own), SAME) for row, own in enumerate(labels, start=3)]
    log += [((row, (own + 1) % 3), DIFFERENT) for row, own in enumerate(labels, start=3)]
    slips = data.draw(st.sets(st.sampled_from(log)))
    for pair, answer in slips:
        log += [(pair, OPPOSITE[answer]), (pair, answer)]
    known = weighed(9, [((rows[i], rows[j]), answer) for (i, j), answer in log])
    group = [0, 1, 2, *labels]
    for i, j in combinations(range(9), 2):
        assert known.relation(rows[i], rows[j]) is (SAME if group[i] == group[j] else DIFFERENT)


@settings(deadline=None, max_examples=100)
@given(facts, st.sampled_from(["add", "weigh"]))
def test_told_apart_equals_the_relation_of_each_point_to_each_neighbourhood(answers, method):
    known, _ = take(answers, method)
    hoods = known.neighbourhoods()
    found = known.known_apart(hoods)
    assert found.shape == (7, len(hoods))
    for m, members in enumerate(hoods):
        for point in range(7):
            expected = {known.relation(point, int(member)) is DIFFERENT for member in members}
            assert {bool(found[point, m])} == expected
