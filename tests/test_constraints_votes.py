"""Answers are votes: the closure follows the majority, and every answer is kept."""

from itertools import combinations, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Contradiction

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
OPPOSITE = {SAME: DIFFERENT, DIFFERENT: SAME}
both = pytest.mark.parametrize("answer", [SAME, DIFFERENT])


def voted(n_points, votes):
    constraints = Constraints(n_points)
    for pair, answer in votes:
        constraints.add_vote(pair, answer)
    return constraints


@both
def test_a_repeated_answer_is_kept(answer):
    known = voted(3, [((0, 1), answer), ((1, 0), answer)])
    assert known.relation(0, 1) is answer
    assert known.answers == [((0, 1), answer), ((1, 0), answer)]


@both
def test_an_opposite_answer_leaves_the_pair_open(answer):
    known = voted(3, [((0, 1), answer), ((1, 0), OPPOSITE[answer])])
    assert known.relation(0, 1) is None
    assert known.groups() == []


@both
@pytest.mark.parametrize("position", [0, 1, 2])
def test_two_votes_against_one_decide_whatever_their_order(answer, position):
    answers = [answer] * 3
    answers[position] = OPPOSITE[answer]
    known = voted(2, [((0, 1), vote) for vote in answers])
    assert known.relation(0, 1) is answer
    assert [said for _, said in known.answers] == answers


def test_a_group_falls_apart_when_its_only_link_is_outvoted():
    known = voted(5, [((0, 1), SAME), ((1, 2), SAME), ((3, 4), SAME), ((2, 3), DIFFERENT)])
    assert known.relation(0, 4) is DIFFERENT
    known.add_vote((0, 1), DIFFERENT)
    known.add_vote((0, 1), DIFFERENT)
    assert [members.tolist() for members in known.groups()] == [[1, 2], [3, 4], [0]]
    assert known.relation(0, 2) is DIFFERENT
    assert known.relation(0, 4) is None
    known.add_vote((0, 1), SAME)
    known.add_vote((0, 1), SAME)
    assert known.relation(0, 4) is DIFFERENT


def test_a_row_belongs_to_a_group_by_all_votes_about_it_and_its_members():
    # 0 = 1, 1 = 2 and 0 ≠ 2 cannot be: 2 has one vote for the group of both and two against
    votes = [((0, 1), SAME), ((1, 2), SAME), ((2, 0), SAME), *[((2, 0), DIFFERENT)] * 3]
    known = voted(3, votes)
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
def test_a_row_with_votes_for_two_groups_does_not_merge_them(n_apart):
    # two votes of three say that 2 is in 0's group, and two of three that it is in 1's
    votes = [((3, 0), SAME), ((4, 1), SAME), *[((0, 1), DIFFERENT)] * n_apart]
    votes += [((2, 0), SAME), ((2, 1), DIFFERENT), ((2, 0), DIFFERENT), ((2, 0), SAME)]
    votes += [((2, 1), SAME)] * 2
    known = voted(5, votes)
    assert known.relation(0, 3) is SAME
    assert known.relation(1, 4) is SAME
    assert known.relation(0, 1) is not SAME
    assert [known.relation(2, 0), known.relation(2, 1)].count(SAME) == 1


def test_a_row_with_votes_for_two_groups_belongs_to_the_one_with_more():
    votes = [((3, 0), SAME), ((4, 1), SAME), ((2, 0), SAME), ((2, 1), DIFFERENT), ((2, 0), DIFFERENT)]
    known = voted(5, [*votes, *[((2, 0), SAME)], *[((2, 1), SAME)] * 3])
    assert known.relation(2, 4) is SAME
    assert known.relation(2, 3) is not SAME


def test_only_pairs_that_were_asked_count_as_answered():
    known = voted(4, [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 3), UNSURE), ((0, 1), DIFFERENT)])
    answered = {pair for pair in combinations(range(4), 2) if known.was_answered(*pair)}
    assert answered == {(0, 1), (1, 2)}
    assert known.was_answered(1, 0)
    assert known.is_unsure(3, 0)
    assert known.answers == [((0, 1), SAME), ((2, 1), DIFFERENT), ((0, 1), DIFFERENT)]


points = st.integers(0, 6)
facts = st.lists(st.tuples(points, points, st.sampled_from([SAME, DIFFERENT])), max_size=25)


def take(answers, method):
    """Add every answer that contradicts none of the earlier ones, by `add` or by `add_vote`."""
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
    """True answers to some questions, each asked at least once."""
    labels = draw(st.lists(st.integers(0, 2), min_size=7, max_size=7))
    asked = draw(st.lists(st.sampled_from(list(permutations(range(7), 2))), min_size=1, max_size=12))
    return [((i, j), SAME if labels[i] == labels[j] else DIFFERENT) for i, j in asked]


@st.composite
def log_and_repeats(draw):
    """True answers, and any answers to some of the same questions asked again."""
    log = draw(true_log())
    questions = st.sampled_from([pair for pair, _ in log])
    again = st.tuples(questions, st.sampled_from([SAME, DIFFERENT]))
    return log, draw(st.lists(again, min_size=1, max_size=8))


@settings(deadline=None, max_examples=100)
@given(facts)
def test_every_vote_is_kept(answers):
    known, taken = take(answers, "add_vote")
    assert known.answers == taken


@settings(deadline=None, max_examples=100)
@given(true_log())
def test_consistent_answers_imply_the_same_as_votes_and_as_facts(log):
    added = Constraints(7)
    for pair, answer in log:
        added.add(pair, answer)
    known = voted(7, [*log, log[0]])
    assert relations(known) == relations(added)
    assert [members.tolist() for members in known.groups()] == [m.tolist() for m in added.groups()]
    assert known.answers == [*added.answers, log[0]]


@settings(deadline=None, max_examples=100)
@given(log_and_repeats(), st.data())
def test_votes_count_the_same_in_any_order(case, data):
    log, repeats = case
    known = voted(7, [*log, *repeats])
    log, repeats = data.draw(st.permutations(log)), data.draw(st.permutations(repeats))
    assert relations(voted(7, [*log, *repeats])) == relations(known)


@settings(deadline=None, max_examples=100)
@given(log_and_repeats())
def test_two_groups_differ_if_most_answers_between_them_say_so(case):
    log, repeats = case
    known = voted(7, [*log, *repeats])
    said = [(set(pair), 1 if answer is SAME else -1) for pair, answer in known.answers]
    for i, j in combinations(range(7), 2):
        across = [{a, b} for a, b in product(known.group(i), known.group(j))]
        net = sum(vote for pair, vote in said if pair in across)
        if known.relation(i, j) is not SAME:
            assert known.relation(i, j) is (DIFFERENT if net < 0 else None)


@settings(deadline=None, max_examples=100)
@given(log_and_repeats())
def test_must_links_are_questions_whose_majority_says_same(case):
    log, repeats = case
    known = voted(7, [*log, *repeats])
    for i, j in known.must_link.tolist():
        said = [answer for pair, answer in known.answers if set(pair) == {i, j}]
        assert said.count(SAME) > said.count(DIFFERENT)
        assert known.relation(i, j) is SAME


@settings(deadline=None, max_examples=60)
@given(st.permutations(range(9)), st.lists(st.integers(0, 2), min_size=6, max_size=6), st.data())
def test_one_wrong_vote_in_three_about_any_question_changes_no_group(rows, labels, data):
    # 0, 1 and 2 found the groups, the others are asked against them; `rows` says which number each has
    log = [((a, b), DIFFERENT) for a, b in combinations(range(3), 2)]
    log += [((row, own), SAME) for row, own in enumerate(labels, start=3)]
    log += [((row, (own + 1) % 3), DIFFERENT) for row, own in enumerate(labels, start=3)]
    wrong = data.draw(st.sets(st.sampled_from(log)))
    for pair, answer in wrong:
        log += [(pair, OPPOSITE[answer]), (pair, answer)]
    known = voted(9, [((rows[i], rows[j]), answer) for (i, j), answer in log])
    group = [0, 1, 2, *labels]
    for i, j in combinations(range(9), 2):
        assert known.relation(rows[i], rows[j]) is (SAME if group[i] == group[j] else DIFFERENT)


@settings(deadline=None, max_examples=100)
@given(facts, st.sampled_from(["add", "add_vote"]))
def test_known_apart_is_the_relation_of_each_point_to_each_neighbourhood(answers, method):
    known, _ = take(answers, method)
    neighbourhoods = known.neighbourhoods()
    found = known.known_apart(neighbourhoods)
    assert found.shape == (7, len(neighbourhoods))
    for m, members in enumerate(neighbourhoods):
        for point in range(7):
            expected = {known.relation(point, int(member)) is DIFFERENT for member in members}
            assert {bool(found[point, m])} == expected
