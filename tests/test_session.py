"""A session asks only what it does not know, and its answer log alone decides what it asks and finds."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_sessions import (
    DIFFERENT,
    PAIRS,
    SAME,
    STRATEGIES,
    UNSURE,
    NaiveClosure,
    Y,
    answer_all,
    each_strategy,
    state_of,
    table,
)
from sameornot import ActiveSession, Answer, AugmentedClustering, Pair, Reply
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth, unsure

# --- what is asked --------------------------------------------------------------------------------------


@each_strategy
def test_the_question_is_the_same_until_it_is_answered(strategy):
    session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
    for _ in range(4):
        pair = session.ask()
        session.result()
        assert session.ask() == pair
        session.tell(truth(Y)(pair))
        assert session.answers[-1][:2] == (pair, truth(Y)(pair))


@pytest.mark.parametrize("infer_last", [True, False])
@pytest.mark.parametrize("n_clusters", [3, None])
@each_strategy
def test_no_question_is_settled_or_was_answered_unsure_before(strategy, n_clusters, infer_last):
    session = ActiveSession(table(), n_clusters, strategy=strategy, infer_last=infer_last, random_state=1)
    oracle = unsure(truth(Y), 0.3, np.random.default_rng(2))
    while (pair := session.ask()) is not None:
        log = session.answers
        known = NaiveClosure(len(Y), log, n_clusters if infer_last else None)
        assert not known.settles(*pair)
        assert set(pair) not in [set(reply.pair) for reply in log]
        session.tell(oracle(pair))


@each_strategy
def test_the_seed_decides_the_questions(strategy):
    def questions(seed):
        session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=seed)
        return answer_all(session, truth(Y), limit=5)

    assert questions(5) == questions(5)
    assert len({tuple(questions(seed)) for seed in range(5)}) > 1


def test_without_a_seed_the_drawn_one_repeats_the_session():
    first = ActiveSession(table(), n_clusters=3)
    again = ActiveSession(table(), n_clusters=3, random_state=first.seed)
    assert answer_all(first, truth(Y), 4) == answer_all(again, truth(Y), 4)
    assert ActiveSession(table()).seed != first.seed


def test_a_generator_gives_each_session_another_seed():
    rng = np.random.default_rng(0)
    seeds = [ActiveSession(table(), random_state=rng).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert ActiveSession(table(), random_state=np.random.default_rng(0)).seed == seeds[0]


@each_strategy
def test_the_global_generator_is_neither_read_nor_moved(strategy):
    runs = []
    for global_seed in (0, 1):
        np.random.seed(global_seed)  # noqa: NPY002
        before = np.random.get_state()[1].tolist()  # noqa: NPY002
        session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
        runs.append((answer_all(session, truth(Y), 4), session.result().labels.tolist()))
        assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert runs[0] == runs[1]


def test_a_question_says_which_groups_its_row_may_belong_to():
    X, y = make_gaussian(n_samples=40, n_relevant=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    answer_all(session, truth(y), 12)
    proba = session.ask().proba
    assert sum(proba.values()) == pytest.approx(1.0)
    groups = {session.constraints.group(row)[0] for row in proba}
    assert len(groups) == len(proba) == len(session.result().neighbourhoods)
    assert ActiveSession(X, strategy="random", random_state=0).ask().proba == {}


# --- the log is the only state --------------------------------------------------------------------------


def perform(session, actions, n_answers=None):
    """Carry out what a user does, until the log has `n_answers` lines where that is given."""
    for action, pair, is_sure in actions:
        if n_answers is not None and len(session.answers) >= n_answers:
            return
        shown = session.ask() if action == "answer" else pair
        if action == "look":
            session.ask()
            session.result()
        elif shown is not None:
            answer = (SAME if Y[shown[0]] == Y[shown[1]] else DIFFERENT) if is_sure else UNSURE
            session.tell(answer, None if action == "answer" else shown)


ACTIONS = st.tuples(
    st.sampled_from(["answer", "answer", "answer own question", "look"]),
    st.sampled_from(PAIRS),
    st.sampled_from([True, True, True, False]),
)


@pytest.mark.parametrize(
    ("strategy", "penalty", "max_examples"), [("mee", None, 6), ("random", "auto", 15), ("two_step", None, 5)]
)
def test_undo_equals_never_having_answered(strategy, penalty, max_examples):
    @given(
        actions=st.lists(ACTIONS, min_size=1, max_size=8),
        n_undone=st.integers(1, 4),
        n_clusters=st.sampled_from([3, None]),
        infer_last=st.booleans(),
    )
    @settings(deadline=None, max_examples=max_examples)
    def undo_equals_never_having_answered(actions, n_undone, n_clusters, infer_last):
        start = partial(
            ActiveSession,
            table(),
            n_clusters,
            strategy=STRATEGIES[strategy],
            clusterer=AugmentedClustering(penalty=penalty),
            infer_last=infer_last,
            random_state=4,
        )
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
        expected = state_of(never)
        assert state_of(undone) == expected
        assert state_of(start(answers=shorter_log)) == expected

    undo_equals_never_having_answered()


def test_undo_of_one_at_a_time_is_undo_of_all():
    session = ActiveSession(table(), n_clusters=3, random_state=0)
    fresh = state_of(session)
    answer_all(session, truth(Y), 5)
    for _ in range(5):
        session.undo()
    assert state_of(session) == fresh


def test_an_undone_answer_may_be_given_the_other_way():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    pair = session.ask()
    session.tell(SAME)
    session.undo()
    session.tell(DIFFERENT)
    assert session.answers == [Reply(pair, DIFFERENT, 1)]
    assert session.constraints.relation(*pair) is DIFFERENT


@each_strategy
def test_a_session_resumed_anywhere_asks_the_same_next_question(strategy):
    start = partial(ActiveSession, table(), n_clusters=3, strategy=strategy, infer_last=False, random_state=3)
    session = start()
    asked = answer_all(session, unsure(truth(Y), 0.2, np.random.default_rng(0)))
    steps = [reply.step for reply in session.answers]
    if strategy is not STRATEGIES["random"]:
        assert len(set(steps)) < len(steps)  # some of these are in the middle of a sweep
    for n_answers, pair in enumerate(asked):
        assert start(answers=session.answers[:n_answers]).ask() == pair


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [None, "auto", 1.0, (1.0, 1)])
def test_a_session_resumed_anywhere_has_the_same_result(penalty):
    start = partial(
        ActiveSession,
        table(),
        n_clusters=3,
        strategy="random",
        clusterer=AugmentedClustering(penalty=penalty),
        random_state=3,
    )
    session = start()
    for _ in range(8):
        session.tell(truth(Y)(session.ask()))
        found, resumed = session.result(), start(answers=session.answers).result()
        np.testing.assert_array_equal(resumed.labels, found.labels)
        np.testing.assert_array_equal(resumed.confidence, found.confidence)
        np.testing.assert_array_equal(resumed.metric.matrix, found.metric.matrix)


@pytest.mark.parametrize("penalty", [None, "auto"])
def test_looking_at_the_next_question_does_not_change_the_result(penalty):
    start = partial(
        ActiveSession,
        table(),
        n_clusters=3,
        strategy="random",
        clusterer=AugmentedClustering(penalty=penalty),
    )
    for seed in range(5):
        answers = answer_all(start(random_state=seed), truth(Y), 3)
        log = [(pair, truth(Y)(pair)) for pair in answers]
        looked, unlooked = (start(random_state=seed, answers=log) for _ in range(2))
        looked.ask()
        assert looked.result().labels.tolist() == unlooked.result().labels.tolist()
        assert looked.result().confidence.tolist() == unlooked.result().confidence.tolist()


@pytest.mark.parametrize(
    "other",
    [
        {"strategy": "random"},
        {"strategy": "two_step"},
        {"strategy": "random", "n_clusters": None},
        {"strategy": "mee", "n_clusters": 5},
        {"strategy": "mee", "infer_last": False},
        {"strategy": "random", "clusterer": AugmentedClustering(metric="full", penalty="auto")},
        {"strategy": "random", "clusterer": AugmentedClustering(metric="exact", separation="cv")},
        {
            "strategy": "random",
            "random_state": 9,
            "standardize": False,
            "clusterer": AugmentedClustering(augmentation=False),
        },
    ],
)
def test_a_log_resumed_with_another_method_keeps_all_its_answers(other):
    session = ActiveSession(table(), n_clusters=3, strategy=STRATEGIES["two_step"], random_state=0)
    answer_all(session, unsure(truth(Y), 0.2, np.random.default_rng(1)), 7)
    resumed = ActiveSession(table(), **{"n_clusters": 3, "random_state": 0, **other}, answers=session.answers)
    assert resumed.result().labels.shape == (8,)
    asked = answer_all(resumed, truth(Y), 3)
    assert not {frozenset(pair) for pair in asked} & {frozenset(r.pair) for r in session.answers}
    for i, j in PAIRS:
        if session.constraints.relation(i, j) is not None:
            assert resumed.constraints.relation(i, j) is session.constraints.relation(i, j)


def test_concatenated_logs_lose_no_answer():
    """Their steps are not in rising order."""
    log = [
        (Pair(1, 7), SAME),
        Reply(Pair(0, 3), SAME, 2),
        Reply(Pair(1, 4), SAME, 3),
        Reply(Pair(2, 5), SAME, 1),
        Reply(Pair(0, 6), SAME, 3),
    ]
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0, answers=log)
    assert session.ask() is not None
    assert [reply[:2] for reply in session.answers] == [line[:2] for line in log]
    assert [session.constraints.relation(*line[0]) for line in log] == [SAME] * 5


def test_the_log_that_is_returned_is_a_copy():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 2)
    session.answers.clear()
    assert len(session.answers) == 2


# --- forks ----------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("answer", list(Answer))
def test_a_fork_goes_on_as_the_session_would_and_does_not_change_it(answer):
    X, y = make_gaussian(n_samples=40, n_relevant=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    oracle = truth(y)
    for _ in range(12):
        pair = session.ask()
        fork = session.fork()
        fork.tell(answer, pair)
        resumed = ActiveSession(X, n_clusters=3, random_state=0, answers=fork.answers)
        assert fork.ask() == resumed.ask()
        assert fork.step == resumed.step
        assert session.ask() == pair
        session.tell(oracle(pair))


@each_strategy
def test_a_fork_and_its_session_are_independent(strategy):
    start = partial(ActiveSession, table(), 3, strategy=strategy, random_state=1)
    session = start()
    answer_all(session, truth(Y), 3)
    fork, before = session.fork(), state_of(session)
    assert state_of(fork) == before
    fork.undo()
    answer_all(fork, truth(Y), 3)
    assert state_of(session) == before
    assert state_of(fork) == state_of(start(answers=fork.answers))
    fork_before = state_of(fork)
    answer_all(session, truth(Y), 2)
    session.undo(4)
    assert state_of(fork) == fork_before
    assert state_of(session) == state_of(start(answers=session.answers))
