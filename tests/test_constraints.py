"""The closure is what the answers imply, and no more, whatever their order."""

from collections import deque
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Contradiction

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
OPPOSITE = {SAME: DIFFERENT, DIFFERENT: SAME}
thorough = settings(deadline=None, max_examples=80)


def closed(n_points, answers):
    constraints = Constraints(n_points)
    for pair, answer in answers:
        constraints.add(pair, answer)
    return constraints


def searched(n_points, answers):
    """Settle every pair by breadth-first search: along any "same" and across at most one "different"."""
    edges = {point: [] for point in range(n_points)}
    for (i, j), answer in answers:
        edges[i].append((j, answer))
        edges[j].append((i, answer))
    settled = {}
    for start in range(n_points):
        seen = {(start, 0)}
        queue = deque(seen)
        while queue:
            point, crossed = queue.popleft()
            for neighbour, answer in edges[point]:
                state = (neighbour, crossed + (answer is DIFFERENT))
                if state[1] <= 1 and state not in seen:
                    seen.add(state)
                    queue.append(state)
        for point, crossed in seen:
            settled[start, point] = DIFFERENT if crossed else SAME
    return settled


def all_relations(constraints):
    n = constraints.n_points
    return {
        (i, j): known
        for i, j in product(range(n), repeat=2)
        if (known := constraints.relation(i, j)) is not None
    }


def state(constraints):
    """Everything that a caller can see."""
    n = constraints.n_points
    return (
        all_relations(constraints),
        constraints.must_link.tolist(),
        constraints.cannot_link.tolist(),
        [members.tolist() for members in constraints.groups()],
        [members.tolist() for members in constraints.neighbourhoods()],
        [sorted(constraints.group(i)) for i in range(n)],
        constraints.unsure_counts().tolist(),
        [constraints.is_unsure(i, j) for i, j in product(range(n), repeat=2)],
    )


def agrees(labels, facts):
    return all((labels[i] == labels[j]) is (answer is SAME) for (i, j), answer in facts)


@st.composite
def truth_and_answers(draw, *, max_points=8, max_groups=4, max_answers=16):
    """Hidden labels, and true answers about some pairs in some order."""
    labels = draw(st.lists(st.integers(0, max_groups - 1), min_size=2, max_size=max_points))
    pairs = st.sampled_from(list(permutations(range(len(labels)), 2)))
    asked = draw(st.lists(pairs, max_size=max_answers))
    return labels, [((i, j), SAME if labels[i] == labels[j] else DIFFERENT) for i, j in asked]


@thorough
@given(truth_and_answers())
def test_closure_equals_breadth_first_search(case):
    labels, answers = case
    assert all_relations(closed(len(labels), answers)) == searched(len(labels), answers)


@thorough
@given(truth_and_answers(), st.data())
def test_closure_does_not_depend_on_answer_order(case, data):
    labels, answers = case
    constraints = closed(len(labels), answers)
    shuffled = closed(len(labels), data.draw(st.permutations(answers)))
    assert all_relations(shuffled) == all_relations(constraints)
    assert [g.tolist() for g in shuffled.groups()] == [g.tolist() for g in constraints.groups()]


@thorough
@given(truth_and_answers())
def test_relation_is_symmetric(case):
    labels, answers = case
    constraints = closed(len(labels), answers)
    for i, j in combinations(range(len(labels)), 2):
        assert constraints.relation(i, j) is constraints.relation(j, i)


@thorough
@given(truth_and_answers())
def test_answers_are_kept_as_they_were_given(case):
    labels, answers = case
    constraints = closed(len(labels), answers)
    assert constraints.must_link.tolist() == [list(pair) for pair, answer in answers if answer is SAME]
    assert constraints.cannot_link.tolist() == [list(pair) for pair, answer in answers if answer is DIFFERENT]


def follow(chain, start, given_answers):
    """Walk along a chain of given answers; returns where it ends and how often it crossed "different"."""
    here, crossed = start, 0
    for pair, answer in chain:
        assert (tuple(pair), answer) in given_answers or (tuple(pair)[::-1], answer) in given_answers
        assert here in pair
        here = pair.right if here == pair.left else pair.left
        crossed += answer is DIFFERENT
    return here, crossed


@thorough
@given(truth_and_answers())
def test_a_contradiction_is_raised_with_a_chain_that_proves_it(case):
    labels, answers = case
    constraints = closed(len(labels), answers)
    for (i, j), known in searched(len(labels), answers).items():
        if i == j:
            continue
        with pytest.raises(Contradiction) as caught:
            constraints.add((i, j), OPPOSITE[known])
        assert isinstance(caught.value, ValueError)
        assert (caught.value.pair, caught.value.answer) == ((i, j), OPPOSITE[known])
        assert follow(caught.value.chain, i, answers) == (j, int(known is DIFFERENT))
        for pair, answer in caught.value.chain:
            assert f"{pair.left} and {pair.right} are {answer.value}" in str(caught.value)


@thorough
@given(truth_and_answers())
def test_a_contradiction_changes_nothing(case):
    labels, answers = case
    constraints = closed(len(labels), answers)
    before = state(constraints)
    for (i, j), known in before[0].items():
        if i != j:
            with pytest.raises(Contradiction):
                constraints.add((i, j), OPPOSITE[known])
    assert state(constraints) == before


@thorough
@given(truth_and_answers(max_points=6, max_groups=3), st.booleans())
def test_a_chain_through_implied_links_shows_answers_that_prove_it_by_counting(case, at_each_answer):
    labels, answers = case
    n_clusters = max(labels) + 1
    constraints = Constraints(len(labels))
    for pair, answer in answers:
        constraints.add(pair, answer)
        if at_each_answer:
            constraints.imply_last(n_clusters)
    constraints.imply_last(n_clusters)
    before = state(constraints)
    for (i, j), known in before[0].items():
        if i == j:
            continue
        with pytest.raises(Contradiction) as caught:
            constraints.add((i, j), OPPOSITE[known])
        chain = caught.value.chain
        for pair, answer in chain:
            assert (tuple(pair), answer) in answers or (tuple(pair)[::-1], answer) in answers
        refused = [*chain, ((i, j), OPPOSITE[known])]
        assert not any(agrees(way, refused) for way in product(range(n_clusters), repeat=len(labels)))
    assert state(constraints) == before


def test_the_chain_through_an_implied_link_is_the_reason_for_it():
    # two groups: 2 differs from 0, so it is in 1's group
    answers = [((0, 1), DIFFERENT), ((2, 0), DIFFERENT), ((2, 3), SAME)]
    constraints = closed(4, answers)
    constraints.imply_last(2)
    assert constraints.relation(1, 3) is SAME
    with pytest.raises(Contradiction) as caught:
        constraints.add((1, 3), DIFFERENT)
    assert {(frozenset(pair), answer) for pair, answer in caught.value.chain} == {
        (frozenset(pair), answer) for pair, answer in answers
    }


def test_the_chain_through_an_implied_link_says_that_the_other_groups_differ():
    # three groups: 3 differs from 0 and 1, and is in 2's group only because 0 and 1 differ
    answers = [((0, 1), DIFFERENT), ((0, 2), DIFFERENT), ((1, 2), DIFFERENT)]
    answers += [((3, 0), DIFFERENT), ((3, 1), DIFFERENT)]
    constraints = closed(4, answers)
    constraints.imply_last(3)
    with pytest.raises(Contradiction) as caught:
        constraints.add((2, 3), DIFFERENT)
    refused = [*caught.value.chain, ((2, 3), DIFFERENT)]
    assert not any(agrees(way, refused) for way in product(range(3), repeat=4))


def test_with_a_single_group_no_chain_shows_a_link_that_was_not_answered():
    answers = [((0, 1), SAME), ((2, 3), SAME)]
    constraints = closed(4, answers)
    constraints.imply_last(1)
    with pytest.raises(Contradiction) as caught:
        constraints.add((1, 3), DIFFERENT)
    assert {(tuple(sorted(pair)), answer) for pair, answer in caught.value.chain} <= set(answers)


@thorough
@given(truth_and_answers(), st.integers(1, 4))
def test_neighbourhoods_are_disjoint_and_all_different(case, at_most):
    labels, answers = case
    settled = searched(len(labels), answers)
    constraints = closed(len(labels), answers)
    for found in (constraints.neighbourhoods(), constraints.neighbourhoods(at_most=at_most)):
        members = np.concatenate([*found, []]).tolist()
        assert len(set(members)) == len(members)
        for a, b in combinations(found, 2):
            assert {settled.get(pair) for pair in product(a.tolist(), b.tolist())} == {DIFFERENT}
            assert len(a) >= len(b)
    assert len(found) <= at_most


@thorough
@given(truth_and_answers())
def test_a_group_outside_the_neighbourhoods_was_not_compared_with_one_of_them(case):
    labels, answers = case
    settled = searched(len(labels), answers)
    constraints = closed(len(labels), answers)
    neighbourhoods = constraints.neighbourhoods()
    inside = {int(members[0]) for members in neighbourhoods}
    outside = [int(group[0]) for group in constraints.groups() if int(group[0]) not in inside]
    assert all(
        any((point, int(members[0])) not in settled for members in neighbourhoods) for point in outside
    )


@thorough
@given(truth_and_answers())
def test_groups_are_the_classes_of_the_points_in_the_answers(case):
    labels, answers = case
    settled = searched(len(labels), answers)
    asked = {point for pair, _ in answers for point in pair}
    classes = {frozenset(j for j in range(len(labels)) if settled.get((i, j)) is SAME) for i in asked}
    groups = [frozenset(group.tolist()) for group in closed(len(labels), answers).groups()]
    assert len(groups) == len(classes)
    assert set(groups) == classes


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_the_last_group_is_implied_only_for_a_point_that_differs_from_all_others(n_clusters):
    anchors = range(n_clusters)
    point = n_clusters
    for compared in product([False, True], repeat=n_clusters):
        constraints = closed(n_clusters + 1, [(pair, DIFFERENT) for pair in combinations(anchors, 2)])
        for anchor in anchors:
            if compared[anchor]:
                constraints.add((anchor, point), DIFFERENT)
        before = all_relations(constraints)
        constraints.imply_last(n_clusters)
        if sum(compared) == n_clusters - 1:
            assert constraints.relation(point, compared.index(False)) is SAME
        else:
            assert all_relations(constraints) == before


def test_nothing_is_implied_before_all_groups_are_known():
    constraints = closed(4, [((0, 1), DIFFERENT), ((0, 2), DIFFERENT)])
    before = state(constraints)
    constraints.imply_last(3)
    assert state(constraints) == before


def test_an_implied_link_can_imply_another_one():
    # 3 is in 2's group by counting; 4 differs from 3 and from 0, and is in 1's group only because of that
    answers = [((0, 1), DIFFERENT), ((0, 2), DIFFERENT), ((1, 2), DIFFERENT)]
    answers += [((4, 0), DIFFERENT), ((4, 3), DIFFERENT), ((3, 0), DIFFERENT), ((3, 1), DIFFERENT)]
    constraints = closed(5, answers)
    constraints.imply_last(3)
    assert constraints.relation(3, 2) is SAME
    assert constraints.relation(4, 1) is SAME


@thorough
@given(truth_and_answers())
def test_what_counting_implies_is_true_when_the_number_of_groups_is(case):
    labels, answers = case
    constraints = closed(len(labels), answers)
    constraints.imply_last(len(set(labels)))
    facts = [(pair, known) for pair, known in all_relations(constraints).items()]
    assert agrees(labels, facts)


@thorough
@given(
    truth_and_answers(),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 7), st.integers(0, 7)), max_size=6),
)
def test_unsure_is_recorded_and_implies_nothing(case, unsure):
    labels, answers = case
    n = len(labels)
    unsure_pairs = {(i % n, j % n) for _, i, j in unsure if i % n != j % n}
    log = [*answers]
    for (where, _, _), pair in zip(unsure, unsure_pairs, strict=False):
        log.insert(where % (len(log) + 1), (pair, UNSURE))
    recorded = {frozenset(pair) for pair, answer in log if answer is UNSURE}
    constraints = closed(n, log)
    assert state(constraints)[:6] == state(closed(n, answers))[:6]
    for i, j in product(range(n), repeat=2):
        assert constraints.is_unsure(i, j) is (frozenset((i, j)) in recorded)
    for i in range(n):
        assert constraints.unsure_counts()[i] == sum(i in pair for pair in recorded)


@pytest.mark.parametrize("pair", [(1, 1), (-1, 2), (2, -1), (0, 5), (5, 0)])
@pytest.mark.parametrize("answer", Answer)
def test_a_pair_that_cannot_be_asked_is_named_and_changes_nothing(pair, answer):
    constraints = closed(5, [((0, 1), SAME), ((1, 2), DIFFERENT)])
    before = state(constraints)
    with pytest.raises(ValueError, match=rf"pair=\({pair[0]}, {pair[1]}\)"):
        constraints.add(pair, answer)
    assert state(constraints) == before


def test_a_string_is_never_read_as_the_opposite_answer():
    constraints = Constraints(2)
    try:
        constraints.add((0, 1), "same")
    except (TypeError, ValueError):
        assert constraints.relation(0, 1) is None
    else:
        assert constraints.relation(0, 1) is SAME


@pytest.mark.parametrize("n_points", [0, -3])
def test_without_points_there_is_an_error_that_names_the_number(n_points):
    with pytest.raises(ValueError, match=f"n_points={n_points}"):
        Constraints(n_points)


@thorough
@given(st.lists(st.integers(-1, 3), min_size=1, max_size=8), st.sampled_from([int, float, "names"]))
def test_labels_equal_all_their_pairs(labels, kind):
    values = np.array(labels)
    known = [i for i, label in enumerate(labels) if label != -1]
    pairs = [((i, j), SAME if labels[i] == labels[j] else DIFFERENT) for i, j in combinations(known, 2)]
    if kind == "names":
        values = np.array(["a", "b", "c", "d"])[values[known]]
        pairs = [((known.index(i), known.index(j)), answer) for (i, j), answer in pairs]
    else:
        values = values.astype(kind)
    n_points = max(len(values), 1)
    constraints = Constraints.from_pairs(n_points, labels=values)
    assert all_relations(constraints) == all_relations(closed(n_points, pairs))


@thorough
@given(truth_and_answers())
def test_labels_and_pairs_are_closed_together(case):
    labels, answers = case
    half = [label if i % 2 else -1 for i, label in enumerate(labels)]
    known = range(1, len(labels), 2)
    of_labels = [((i, j), SAME if labels[i] == labels[j] else DIFFERENT) for i, j in combinations(known, 2)]
    links = {
        kind: np.array([pair for pair, answer in answers if answer is kind], dtype=int).reshape(-1, 2)
        for kind in (SAME, DIFFERENT)
    }
    constraints = Constraints.from_pairs(
        len(labels), must_link=links[SAME], cannot_link=links[DIFFERENT], labels=np.array(half)
    )
    assert all_relations(constraints) == searched(len(labels), answers + of_labels)


def test_pairs_that_contradict_labels_raise():
    with pytest.raises(Contradiction):
        Constraints.from_pairs(3, labels=np.array([0, 0, 1]), cannot_link=np.array([[0, 1]]))


def test_proven_neighbourhoods_come_before_provisional_ones():
    """Row 5 was asked about before row 2, and may belong to the second group."""
    known = Constraints(8)
    for pair in ((0, 1), (5, 0), (2, 0), (2, 1)):
        known.add(pair, Answer.DIFFERENT)
    assert [members.tolist() for members in known.provisional_neighbourhoods(3)] == [[0], [1], [2]]
    assert [members.tolist() for members in known.provisional_neighbourhoods(4)] == [[0], [1], [5], [2]]


def test_known_pairs_make_only_groups_that_all_differ_from_each_other():
    """Rows of pairs that nobody chose are no groups of their own; rows that were asked about may be."""
    known = Constraints(8)
    for pair, answer in [((0, 1), SAME), ((0, 2), DIFFERENT), ((3, 4), DIFFERENT), ((5, 0), DIFFERENT)]:
        known.add(pair, answer, is_known=True)
    assert [members.tolist() for members in known.provisional_neighbourhoods(8)] == [[0, 1], [2]]
    known.add((5, 3), DIFFERENT)
    known.add((6, 0), DIFFERENT)
    found = [members.tolist() for members in known.provisional_neighbourhoods(8)]
    assert found == [[0, 1], [2], [5], [6]]  # 3 differs from none that is mentioned before it


def test_provisional_neighbourhoods_are_in_the_order_of_the_answers():
    known = Constraints(12)
    for pair, answer in [((7, 3), DIFFERENT), ((9, 7), DIFFERENT), ((1, 2), DIFFERENT), ((2, 4), SAME)]:
        known.add(pair, answer)
    assert [members.tolist() for members in known.provisional_neighbourhoods(2)] == [[3], [7]]
    assert [members.tolist() for members in known.provisional_neighbourhoods(9)] == [
        [3],
        [7],
        [9],
    ]  # 1 and 2 may be any of them
    known.add((1, 9), DIFFERENT)
    assert [members.tolist() for members in known.provisional_neighbourhoods(9)] == [[3], [7], [9], [1]]
    assert [members.tolist() for members in known.neighbourhoods(at_most=3)] == [[2, 4], [1]]


def test_answers_are_inconsistent_once_a_question_was_answered_both_ways():
    known = Constraints(5)
    known.add((0, 1), SAME)
    known.add((1, 2), DIFFERENT)
    known.add_vote((1, 0), SAME)
    assert not known.is_inconsistent
    known.add_vote((2, 1), SAME)
    assert known.is_inconsistent


@thorough
@given(truth_and_answers())
def test_a_provisional_neighbourhood_differs_from_an_earlier_one_and_they_are_disjoint(case):
    truth, answers = case
    known = closed(len(truth), answers)
    provisional = known.provisional_neighbourhoods(len(truth))
    for n, members in enumerate(provisional[1:], start=1):
        earlier = [known.relation(int(members[0]), int(other[0])) for other in provisional[:n]]
        assert DIFFERENT in earlier
    rows = [row for members in provisional for row in members]
    assert len(rows) == len(set(rows))
    for one, other in combinations(provisional, 2):
        assert known.relation(int(one[0]), int(other[0])) is not SAME


ops = st.lists(
    st.tuples(
        st.sampled_from(["add", "add_vote", "imply_last"]),
        st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(lambda pair: pair[0] != pair[1]),
        st.sampled_from([SAME, DIFFERENT, UNSURE]),
    ),
    max_size=12,
)


def perform(constraints, operations):
    """Carry out some operations; answers that contradict the earlier ones are left out."""
    for operation, pair, answer in operations:
        try:
            if operation == "imply_last":
                constraints.imply_last(3)
            else:
                getattr(constraints, operation)(pair, answer)
        except Contradiction:
            continue
    return constraints


def everything(constraints):
    """All that a caller can see, with the answers and the chains behind every relation."""
    chains = {
        pair: constraints.proof(*pair)
        for pair in combinations(range(constraints.n_points), 2)
        if constraints.relation(*pair) is not None
    }
    return state(constraints), chains, constraints.answers, constraints.is_inconsistent


@thorough
@given(ops, ops, ops)
@example([], [("add", (0, 2), SAME)], [("add", (0, 1), SAME), ("add", (1, 2), SAME)])  # another chain
def test_a_copy_and_its_original_are_independent(before, to_copy, to_original):
    original = perform(Constraints(7), before)
    copy, untouched = original.copy(), everything(original)
    assert everything(copy) == untouched
    perform(copy, to_copy)
    assert everything(original) == untouched
    assert everything(copy) == everything(perform(perform(Constraints(7), before), to_copy))
    changed = everything(copy)
    perform(original, to_original)
    assert everything(copy) == changed
    assert everything(original) == everything(perform(perform(Constraints(7), before), to_original))
