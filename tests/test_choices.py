"""A choice is one line of the log and all pairs that it implies; the log alone decides what comes next."""

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from made_sessions import DIFFERENT, SAME, STRATEGIES, UNSURE, NaiveClosure, Y, state_of, table
from sameornot import ActiveSession, Choice, Constraints, Contradiction, Pair, Reply, simulate
from sameornot.oracles import choosing, noisy_choosing, truth, unsure, unsure_choosing, without_twins
from sameornot.query import COBRASQuestions, MinimumExpectedEntropy, UncertaintySampling
from sameornot.session import Closure

MANY_Y = np.arange(80) % 8
MANY_X = np.random.default_rng(1).normal(size=(80, 8)) + 2.5 * np.eye(8)[MANY_Y]
METHODS = {
    "uncertainty": UncertaintySampling(),
    "mee": MinimumExpectedEntropy(n_trees=5),
    "cobras": COBRASQuestions(),
    "random": STRATEGIES["random"],
    "two_step": STRATEGIES["two_step"],
}
each_method = pytest.mark.parametrize("strategy", METHODS.values(), ids=METHODS)


def begin(strategy=None, n_clusters=8, **options):
    return ActiveSession(MANY_X, n_clusters, strategy=strategy, random_state=2, **options)


def answer_choices(session, n_screens, y=MANY_Y, choices=5):
    """Answer truthfully; returns the choices in order."""
    shown = []
    for _ in range(n_screens):
        choice = session.ask(choices=choices)
        if choice is None:
            break
        shown.append(choice)
        distinct = without_twins(choice, truth(y))
        session.tell(choosing(truth(y))(distinct), distinct)
    return shown


# --- what a choice shows --------------------------------------------------------------------------------


@each_method
@pytest.mark.parametrize("n_clusters", [8, None])
def test_a_choice_shows_members_of_groups_that_the_row_may_belong_to(strategy, n_clusters):
    session = begin(strategy, n_clusters)
    n_shown = []
    for _ in range(40):
        question, choice = session.ask(), session.ask(choices=4)
        assert (choice.row, choice.candidates[0]) == tuple(question) == choice.pair
        assert choice.is_recheck == question.is_recheck
        assert len(set(choice.candidates)) == len(choice.candidates) <= 4
        if not question.is_recheck:
            for candidate in choice.candidates:
                assert session.constraints.relation(choice.row, candidate) is None
        groups = [frozenset(session.constraints.group(row)) for row in choice.candidates]
        assert len(set(groups)) == len(groups)
        assert len(choice.proba) in (0, len(choice.candidates))
        assert all(likelier >= other for likelier, other in pairwise(choice.proba[1:]))
        n_shown.append(len(choice.candidates))
        distinct = without_twins(choice, truth(MANY_Y))
        session.tell(choosing(truth(MANY_Y))(distinct), distinct)
    assert n_shown[0] == 1
    if strategy not in (METHODS["random"], METHODS["two_step"]):  # few of their pairs place a row
        assert max(n_shown) == 4


def test_the_probabilities_are_those_of_the_question():
    session = begin()
    answer_choices(session, 30)
    question, choice = session.ask(), session.ask(choices=8)
    members = [set(session.constraints.group(row)) for row in choice.candidates]
    expected = [sum(p for row, p in question.proba.items() if row in group) for group in members]
    assert np.allclose(np.array(choice.proba) * sum(expected), expected)
    assert sum(choice.proba) == pytest.approx(1.0)


def test_the_choice_is_the_same_until_it_is_answered():
    session = begin()
    answer_choices(session, 12)
    choice = session.ask(choices=5)
    session.result()
    assert session.ask(choices=5) == choice
    assert session.choice(session.ask(), 5) == choice


def test_with_one_candidate_choices_are_pairs():
    session, pairs = begin(), begin()
    for _ in range(25):
        choice, question = session.ask(choices=1), pairs.ask()
        assert (choice.row, *choice.candidates) == tuple(question)
        same = MANY_Y[question.left] == MANY_Y[question.right]
        session.tell(choice.candidates[0] if same else None, choice)
        pairs.tell(SAME if same else DIFFERENT)
    assert session.answers == pairs.answers


def test_several_people_choose_about_different_rows():
    session = begin()
    answer_choices(session, 20)
    several = session.ask(4, choices=5)
    assert len({choice.row for choice in several}) == 4
    assert [choice.pair for choice in several] == [tuple(question) for question in session.ask(4)]
    assert max(len(choice.candidates) for choice in several) == 5
    for choice in several:
        session.tell(choosing(truth(MANY_Y))(choice), choice)
    assert [reply.pair.left for reply in session.answers[-4:]] == [choice.row for choice in several]
    again = begin(answers=session.answers)
    assert state_of(again) == state_of(session)


# --- what an answer implies -----------------------------------------------------------------------------

CHOICE = Choice(0, (1, 2, 3))


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (1, Reply(Pair(0, 1), SAME, 0, others=(2, 3))),
        (np.int64(3), Reply(Pair(0, 3), SAME, 0, others=(1, 2))),
        (None, Reply(Pair(0, 1), DIFFERENT, 0, others=(2, 3))),
        ("different", Reply(Pair(0, 1), DIFFERENT, 0, others=(2, 3))),
        (UNSURE, Reply(Pair(0, 1), UNSURE, 0, others=(2, 3))),
    ],
)
def test_an_answer_is_one_line_and_counts_as_all_pairs(answer, reply):
    session = ActiveSession(table(), random_state=0)
    session.tell(answer, CHOICE)
    assert session.answers == [reply]
    relations = {
        1: {1: SAME, 2: DIFFERENT, 3: DIFFERENT},
        3: {1: DIFFERENT, 2: DIFFERENT, 3: SAME},
    }
    expected = relations.get(answer if isinstance(answer, int | np.integer) else 0)
    if expected is None:
        expected = dict.fromkeys((1, 2, 3), None if answer is UNSURE else DIFFERENT)
    assert {row: session.constraints.relation(0, row) for row in (1, 2, 3)} == expected
    assert [pair for pair, _ in reply.facts] == [(0, row) for row in reply.rows[1:]]
    assert all(session.is_settled((0, row)) for row in (1, 2, 3))


@pytest.mark.parametrize(
    ("answer", "choice", "message"),
    [
        (0, CHOICE, "answer=0 but one of the rows 1, 2, 3"),
        (SAME, CHOICE, "but one of the rows 1, 2, 3"),
        ("yes", CHOICE, "answer='yes' but one of the rows"),
        (1, Choice(0, (1, 1)), "different rows are needed"),
        (1, Choice(1, (1, 2)), "different rows are needed"),
        (1, Choice(0, (1, 99)), r"rows=\(0, 1, 99\) but points run from 0 to 7"),
        (None, Choice(0, ()), "at least one is needed"),
        (1, Choice(0, (1, 2.5)), "row numbers are needed"),
    ],
)
def test_an_answer_that_is_no_candidate_is_refused_and_changes_nothing(answer, choice, message):
    session = ActiveSession(table(), random_state=0)
    before = session.ask()
    with pytest.raises(ValueError, match=message):
        session.tell(answer, choice)
    assert session.answers == []
    assert session.ask() == before


@pytest.mark.parametrize("choices", [0, -1, 2.5, "all"])
def test_a_choice_of_nothing_is_refused(choices):
    with pytest.raises(ValueError, match="choices="):
        begin().ask(choices=choices)


@pytest.mark.parametrize(
    ("known", "answer", "chain"),
    [
        ([((0, 1), DIFFERENT)], 1, [((0, 1), DIFFERENT)]),
        ([((0, 2), SAME)], 1, [((0, 2), SAME)]),
        ([((0, 4), SAME), ((4, 3), SAME)], None, [((0, 4), SAME), ((4, 3), SAME)]),
        ([((1, 5), SAME), ((5, 3), SAME)], 1, [((1, 5), SAME), ((5, 3), SAME)]),
    ],
)
def test_a_choice_that_contradicts_in_any_pair_raises_the_chain_and_changes_nothing(known, answer, chain):
    session = ActiveSession(table(), random_state=0, answers=known)
    before = state_of(session)
    facts = session.constraints.answers
    with pytest.raises(Contradiction) as raised:
        session.tell(answer, CHOICE)
    assert raised.value.chain == chain
    assert session.constraints.answers == facts
    assert state_of(session) == before


REPLIES = st.builds(
    lambda rows, n_others, answer: Reply(Pair(*rows[:2]), answer, 1, others=tuple(rows[2 : 2 + n_others])),
    st.permutations(range(7)),
    st.integers(0, 4),
    st.sampled_from([SAME, DIFFERENT, UNSURE]),
)


@given(st.lists(REPLIES, max_size=8))
def test_all_pairs_of_a_line_are_added_or_none(replies):
    closure, known, kept = Closure(7, None), Constraints(7), []
    for reply in replies:
        before = known.copy()
        naive = NaiveClosure(7, [*(fact for line in kept for fact in line.facts), *reply.facts])
        is_possible = not (naive.same & naive.apart).any()
        if is_possible:
            closure.add(known, reply)
            kept.append(reply)
            continue
        with pytest.raises(Contradiction):
            closure.add(known, reply)
        assert known.__dict__ == before.__dict__
    naive = NaiveClosure(7, [fact for line in kept for fact in line.facts])
    for i in range(7):
        for j in range(i):
            assert naive.settles(i, j) == (known.relation(i, j) is not None)


# --- the log is the only state --------------------------------------------------------------------------


def perform(session, actions, n_answers=None):
    """Carry out what a user does, until the log has `n_answers` lines where that is given."""
    for action, n_shown, is_sure in actions:
        if n_answers is not None and len(session.answers) >= n_answers:
            return
        if action == "look":
            session.ask(choices=n_shown)
            session.result()
        elif action == "pair" and (question := session.ask()) is not None:
            session.tell(truth(Y)(question) if is_sure else UNSURE)
        elif action == "choice" and (choice := session.ask(choices=n_shown)) is not None:
            distinct = without_twins(choice, truth(Y))
            session.tell(choosing(truth(Y))(distinct) if is_sure else UNSURE, distinct)


ACTIONS = st.tuples(
    st.sampled_from(["choice", "choice", "pair", "look"]),
    st.integers(1, 4),
    st.sampled_from([True, True, True, False]),
)


@pytest.mark.parametrize(("strategy", "max_examples"), [("uncertainty", 6), ("mee", 6), ("random", 15)])
def test_undo_and_resuming_equal_never_having_answered(strategy, max_examples):
    @given(
        actions=st.lists(ACTIONS, min_size=1, max_size=9),
        n_undone=st.integers(1, 4),
        n_clusters=st.sampled_from([3, None]),
    )
    @settings(deadline=None, max_examples=max_examples)
    def undo_equals_never_having_answered(actions, n_undone, n_clusters):
        start = partial(ActiveSession, table(), n_clusters, strategy=METHODS[strategy], random_state=4)
        undone = start()
        perform(undone, actions)
        n_left = len(undone.answers) - n_undone
        if n_left < 0:
            return
        shorter_log = undone.answers[:n_left]
        undone.undo(n_undone)
        never = start()
        perform(never, actions, n_answers=n_left)
        assert never.answers == shorter_log
        resumed = start(answers=shorter_log)
        assert undone.ask(choices=3) == never.ask(choices=3) == resumed.ask(choices=3)
        assert state_of(undone) == state_of(never) == state_of(resumed)

    undo_equals_never_having_answered()


@pytest.mark.slow
@each_method
def test_a_session_resumed_anywhere_shows_the_same_choice(strategy):
    session = begin(strategy)
    shown = answer_choices(session, 24)
    log = session.answers
    for n_answers, choice in enumerate(shown):
        assert begin(strategy, answers=log[:n_answers]).ask(choices=5) == choice
    for n_answers in reversed(range(len(shown))):
        session.undo()
        assert session.ask(choices=5) == shown[n_answers]


def test_a_fork_goes_on_with_the_same_choice():
    session = begin()
    answer_choices(session, 15)
    fork = session.fork()
    choice = session.ask(choices=5)
    assert fork.ask(choices=5) == choice
    fork.tell(UNSURE, choice)
    assert session.ask(choices=5) == choice
    assert fork.ask(choices=5) != choice


@each_method
def test_choices_lead_to_the_truth_in_the_end(strategy):
    y = np.arange(30) % 5
    session = ActiveSession(table(y, n_features=5), 5, strategy=strategy, random_state=0)
    answer_choices(session, 1000, y)
    assert adjusted_rand_score(y, session.result().labels) == 1.0


def test_of_a_larger_table_a_choice_names_rows_of_the_table():
    session = ActiveSession(MANY_X, 8, pool=50, random_state=0)
    answer_choices(session, 25)
    choice = session.ask(choices=5)
    assert np.isin((choice.row, *choice.candidates), session.pool).all()
    assert all(np.isin(reply.rows, session.pool).all() for reply in session.answers)
    outside = np.setdiff1d(np.arange(80), session.pool)[:3].tolist()
    log, pool = session.answers, session.pool
    session.tell(UNSURE, Choice(outside[0], tuple(outside[1:])))
    assert set(outside) <= set(session.pool.tolist())
    again = ActiveSession(MANY_X, 8, pool=50, random_state=0, answers=session.answers)
    assert again.ask(choices=5) == session.ask(choices=5)
    session.undo()
    assert (session.answers, session.pool.tolist()) == (log, pool.tolist())


# --- simulated experts ----------------------------------------------------------------------------------

SHOWN = Choice(0, (3, 1, 4), (0.5, 0.3, 0.2))
LABELS = np.array([0, 0, 1, 2, 3, 0])


def test_an_expert_points_at_the_candidate_that_is_the_same_or_at_none():
    expert = choosing(truth(LABELS))
    assert expert(SHOWN) == 1
    assert expert(Choice(2, (0, 3))) is DIFFERENT
    never = choosing(unsure(truth(LABELS), 1.0, np.random.default_rng(0)))
    assert never(SHOWN) is UNSURE


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_a_noisy_expert_says_another_answer_at_that_rate(rate):
    expert = noisy_choosing(choosing(truth(LABELS)), rate, np.random.default_rng(0))
    said = [expert(SHOWN) for _ in range(2000)]
    wrong = [answer for answer in said if answer != 1]
    assert len(wrong) == pytest.approx(2000 * rate, abs=5 * np.sqrt(2000 * rate * (1 - rate)))
    assert {3, 4, DIFFERENT} == set(wrong) or rate == 0.0


def test_an_unsure_expert_is_unsure_at_that_rate():
    expert = unsure_choosing(choosing(truth(LABELS)), 0.25, np.random.default_rng(0))
    n_unsure = sum(expert(SHOWN) is UNSURE for _ in range(2000))
    assert n_unsure == pytest.approx(500, abs=5 * np.sqrt(2000 * 0.25 * 0.75))


def test_of_two_candidates_that_both_fit_one_is_answered_about():
    assert without_twins(SHOWN, truth(LABELS)) == SHOWN
    both = Choice(0, (3, 1, 4, 5), (0.4, 0.3, 0.2, 0.1))
    assert without_twins(both, truth(LABELS)) == Choice(0, (3, 1, 4), (0.4, 0.3, 0.2))


def test_a_simulation_with_choices_counts_screens_and_pairs():
    sessions = []
    options = {"budget": 30, "checkpoints": [0, 10, 30], "random_state": 2}
    curve = simulate(MANY_X, MANY_Y, 8, choices=5, progress=sessions.append, **options)
    assert curve.questions.tolist() == [0, 10, 30]
    log = sessions[-1].answers
    assert curve.pairs.tolist() == [sum(len(reply.facts) for reply in log[:n]) for n in (0, 10, 30)]
    assert curve.pairs[2] > 60
    by_pairs = simulate(MANY_X, MANY_Y, 8, **options)
    assert by_pairs.pairs.tolist() == by_pairs.questions.tolist()
    assert curve.ari[2] > by_pairs.ari[2]


@pytest.mark.parametrize("strategy", [None, "mee", "npu"])
def test_an_expert_who_errs_and_is_unsure_can_always_answer(strategy):
    sessions = []
    options = {"strategy": strategy, "noise": 0.2, "unsure": 0.1, "progress": sessions.append}
    simulate(MANY_X, MANY_Y, 8, choices=5, budget=40, checkpoints=[40], random_state=0, **options)
    log = sessions[-1].answers
    assert len(log) == 40
    assert any(reply.answer is UNSURE and reply.others for reply in log)
    false = [pair for reply in log for pair, answer in reply.facts if answer is SAME]
    assert any(MANY_Y[left] != MANY_Y[right] for left, right in false)
