"""Answers to a session: to its own questions, to others, wrong ones, and those that contradict each other."""

from functools import partial

import numpy as np
import pytest

from made_sessions import (
    DIFFERENT,
    SAME,
    STRATEGIES,
    UNSURE,
    Y,
    always,
    answer_all,
    each_strategy,
    state_of,
    table,
)
from sameornot import ActiveSession, Contradiction, Pair, Reply, TooManyGroups
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth

# --- answers to other questions than the open one -------------------------------------------------------


def session_in_mid_sweep():
    """Three neighbourhoods are known, and the pending point differs from the first of them."""
    session = ActiveSession(
        table(),
        n_clusters=4,
        strategy=STRATEGIES["mee"],
        random_state=0,
        answers=[((0, 1), "different"), ((1, 2), "different"), ((0, 2), "different")],
    )
    first = session.ask()
    session.tell(DIFFERENT)
    second = session.ask()
    assert second.left == first.left
    assert second.right != first.right
    return session


def test_an_answer_about_other_points_leaves_the_pending_question():
    session = session_in_mid_sweep()
    pending = session.ask()
    others = [i for i in range(8) if i not in {0, 1, 2, *pending}]
    session.tell(SAME, (others[0], others[1]))
    assert session.ask() == pending
    assert session.constraints.relation(others[0], others[1]) is SAME


def test_an_answer_that_settles_the_pending_question_moves_the_sweep_on():
    session = session_in_mid_sweep()
    point, known = session.ask()
    other = next(i for i in range(8) if i not in {0, 1, 2, point})
    session.tell(SAME, (other, known))
    session.tell(DIFFERENT, (other, point))
    assert session.constraints.relation(point, known) is DIFFERENT
    following = session.ask()
    assert following.left == point
    assert following.right in {0, 1, 2} - {known}


def test_the_pending_pair_in_the_other_order_is_the_same_question():
    session, mirrored = session_in_mid_sweep(), session_in_mid_sweep()
    pair = session.ask()
    session.tell(DIFFERENT)
    mirrored.tell(DIFFERENT, (pair.right, pair.left))
    assert mirrored.ask() == session.ask() != pair


def test_an_answer_that_places_the_pending_point_ends_its_sweep():
    session = session_in_mid_sweep()
    point, known = session.ask()
    session.tell(SAME, (known, point))
    assert session.ask().left != point


def test_a_budget_that_ends_in_the_middle_of_a_sweep_keeps_its_answers():
    session = session_in_mid_sweep()
    left, right = session.answers[-1].pair
    assert session.constraints.relation(left, right) is DIFFERENT
    assert [left, right] in session.constraints.cannot_link.tolist()
    without = ActiveSession(
        table(), n_clusters=4, strategy=STRATEGIES["mee"], random_state=0, answers=session.answers[:-1]
    )
    weights = [s.result().feature_weights.to_numpy() for s in (session, without)]
    assert not np.allclose(*weights)  # the metric has learned from an unfinished sweep


def test_initial_answers_are_accepted_in_any_of_their_forms():
    known = [((0, 3), "same"), (Pair(1, 4), SAME), Reply(Pair(0, 1), DIFFERENT, 0), ([2, 5], "unsure")]
    session = ActiveSession(table(), n_clusters=3, random_state=0, answers=known)
    assert session.answers == [
        Reply(Pair(0, 3), SAME, 0),
        Reply(Pair(1, 4), SAME, 0),
        Reply(Pair(0, 1), DIFFERENT, 0),
        Reply(Pair(2, 5), UNSURE, 0),
    ]
    assert session.constraints.relation(3, 4) is DIFFERENT
    one_by_one = ActiveSession(table(), n_clusters=3, random_state=0)
    for pair, answer in (line[:2] for line in known):
        one_by_one.tell(answer, pair)
    assert state_of(one_by_one) == state_of(session)


@pytest.mark.parametrize("answer", [SAME, "same"])
@pytest.mark.parametrize("pair", [(0, 1), [0, 1], Pair(0, 1), np.array([0, 1]), (np.int32(0), np.uint8(1))])
def test_answers_may_be_strings_and_pairs_any_two_row_numbers(answer, pair):
    session = ActiveSession(table(), random_state=0)
    session.tell(answer, pair)
    assert session.answers == [Reply(Pair(0, 1), SAME, 0)]
    assert type(session.answers[0].pair.left) is int


def test_a_pair_is_settled_once_its_answer_is_given_or_implied():
    session = ActiveSession(table(), strategy="random", random_state=0)
    assert not session.is_settled((0, 3))
    session.tell(SAME, (0, 3))
    session.tell(DIFFERENT, (3, 1))
    session.tell(UNSURE, (2, 5))
    for pair in ((0, 3), (3, 0), (3, 1), (0, 1), (1, 0), (2, 5), (5, 2)):
        assert session.is_settled(pair)
        assert session.is_settled(Pair(*pair))
    assert not session.is_settled((0, 2))
    session.undo()
    assert not session.is_settled((2, 5))


def test_a_pair_is_settled_once_the_number_of_groups_implies_its_answer():
    known = [((0, 1), "different"), ((2, 0), "different")]
    assert ActiveSession(table(), 2, random_state=0, answers=known).is_settled((1, 2))
    assert not ActiveSession(table(), 2, infer_last=False, random_state=0, answers=known).is_settled((1, 2))


# --- how likely answers are to be right -----------------------------------------------------------------


def test_the_answer_least_likely_to_be_right_is_about_a_row_of_the_wrong_one():
    X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    session = ActiveSession(X, 3, random_state=0)
    wrong = None
    for n_asked in range(60):
        pair = session.ask()
        same = bool(y[pair.left] == y[pair.right])
        if wrong is None and n_asked > 20 and same:
            wrong = pair
        same = same and (wrong is None or set(pair) != set(wrong))  # the same again in a recheck
        session.tell("same" if same else "different", pair)
    proba = session.answer_proba()
    assert set(proba) == {reply.pair for reply in session.answers}
    assert all(0 <= p <= 1 for p in proba.values())
    worst = min(proba, key=proba.get)
    assert set(wrong) & set(worst)  # it, or one that would be wrong if it were right
    assert proba[worst] < 0.5
    assert ActiveSession(X, 3, strategy="mee").answer_proba() == {}


# --- contradictions -------------------------------------------------------------------------------------


@each_strategy
def test_a_contradiction_names_its_chain_and_changes_nothing(strategy):
    known = [((0, 3), "same"), ((3, 6), "same"), ((6, 1), "different")]
    start = partial(ActiveSession, table(), n_clusters=3, strategy=strategy, random_state=0, answers=known)
    session, untouched = start(), start()
    for _ in range(2):
        session.tell(truth(Y)(session.ask()))
        untouched.tell(truth(Y)(untouched.ask()))
    question = session.ask()
    with pytest.raises(
        Contradiction, match="0 and 3 are same, 3 and 6 are same, 6 and 1 are different"
    ) as raised:
        session.tell(SAME, (0, 1))
    assert raised.value.chain == [(Pair(0, 3), SAME), (Pair(3, 6), SAME), (Pair(6, 1), DIFFERENT)]
    with pytest.raises(Contradiction, match="6 and 3 are same, 3 and 0 are same"):
        session.tell(DIFFERENT, (6, 0))
    assert session.ask() == question
    assert state_of(session) == state_of(untouched)


def test_an_implied_answer_is_proved_by_the_answers_behind_it():
    known = [((0, 1), "different"), ((2, 0), "different")]
    session = ActiveSession(table(), n_clusters=2, random_state=0, answers=known)
    assert session.constraints.relation(1, 2) is SAME
    with pytest.raises(Contradiction) as raised:
        session.tell(DIFFERENT, (1, 2))
    assert {(tuple(sorted(pair)), answer) for pair, answer in raised.value.chain} == {
        ((0, 1), DIFFERENT),
        ((0, 2), DIFFERENT),
    }


@pytest.mark.parametrize("infer_last", [True, False])
def test_one_group_too_many_names_n_clusters_and_changes_nothing(infer_last):
    start = partial(ActiveSession, table(), n_clusters=2, infer_last=infer_last, random_state=0)
    known = [((0, 1), "different")]
    session, untouched = start(answers=known), start(answers=known)
    for each in (session, untouched):
        each.ask()
        each.tell(DIFFERENT, (5, 0))
    if infer_last:  # then 5 is known to be with 1
        assert session.constraints.relation(5, 1) is SAME
    with pytest.raises(ValueError, match="n_clusters=2" if not infer_last else "contradicts") as raised:
        session.tell(DIFFERENT, (5, 1))
    assert type(raised.value) is (Contradiction if infer_last else TooManyGroups)
    assert state_of(session) == state_of(untouched)


def test_one_group_too_many_is_refused_as_soon_as_counting_proves_it():
    # 2, 3 and 4 all differ; as soon as one of them is placed, so are the others, and one is left over.
    triangle = [((0, 1), "different"), ((2, 3), "different"), ((3, 4), "different"), ((2, 4), "different")]
    session = ActiveSession(table(Y[:5]), n_clusters=2, random_state=0, answers=triangle)
    untouched = ActiveSession(table(Y[:5]), n_clusters=2, random_state=0, answers=triangle)
    with pytest.raises(ValueError, match="n_clusters=2"):
        session.tell(DIFFERENT, (2, 0))
    assert state_of(session) == state_of(untouched)


def test_a_log_with_one_group_too_many_cannot_be_resumed():
    apart = [((0, 1), "different"), ((1, 2), "different"), ((0, 2), "different")]
    with pytest.raises(ValueError, match=r"n_clusters=2 .* 3 groups"):
        ActiveSession(table(), n_clusters=2, infer_last=False, answers=apart)


def test_an_answer_past_the_end_needs_a_pair():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y))
    before = state_of(session)
    with pytest.raises(ValueError, match="answer='same' but nothing is left to ask"):
        session.tell(SAME)
    assert state_of(session) == before
    session.tell(SAME, (0, 3))  # true and known: it may be given again
    assert session.ask() is None


def test_no_more_can_be_undone_than_was_answered():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 2)
    before = state_of(session)
    with pytest.raises(ValueError, match="n_answers=3 but only 2 were given"):
        session.undo(3)
    assert state_of(session) == before
    session.undo(2)
    with pytest.raises(ValueError, match="n_answers=1 but only 0 were given"):
        session.undo()


# --- unsure ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [None, 2])
@each_strategy
def test_an_expert_who_is_never_sure_is_asked_about_each_pair_once(strategy, n_clusters):
    session = ActiveSession(table(Y[:6]), n_clusters, strategy=strategy, random_state=0)
    asked = answer_all(session, always(UNSURE), limit=16)
    assert session.ask() is None
    assert len({frozenset(pair) for pair in asked}) == len(asked) == 15
    result = session.result()
    assert result.neighbourhoods == []
    assert len(set(result.labels.tolist())) == (n_clusters or 1)


def test_after_unsure_a_point_is_compared_with_another_member():
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    known = [((0, 1), "same"), ((1, 2), "same")]
    session = ActiveSession(X, n_clusters=2, random_state=0, answers=known)
    asked = answer_all(session, always(UNSURE))
    assert sorted(tuple(sorted(pair)) for pair in asked) == [(0, 3), (1, 3), (2, 3)]
    assert session.constraints.relation(0, 3) is None
