"""What every strategy promises in sessions with a clusterer."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sameornot._types import Answer, Pair
from sameornot.cluster.base import Clusterer
from sameornot.oracles import Oracle, truth, unsure
from sameornot.query import Strategy
from sameornot.registry import choose_method
from sameornot.session import ActiveSession
from sameornot.testing._check import Check, promise_of
from sameornot.testing.clusterers import takes_any_answers

Y = np.tile([0, 1, 2], 3)
N_STATES = 7


def table(seed: int = 0) -> np.ndarray:
    """Overlapping groups: the data alone do not give the answers away."""
    return np.asarray(np.random.default_rng(seed).normal(size=(len(Y), 3)) + 1.5 * np.eye(3)[Y])


ODD_TABLES = {
    "equal rows": np.repeat(table()[:3], 3, axis=0),
    "only constant features": np.full((9, 2), 0.1),
    "one feature": np.arange(9.0)[:, None],
    "more features than rows": np.random.default_rng(0).normal(size=(9, 30)),
}


@dataclass(frozen=True)
class Method:
    """A strategy and a clusterer that are tried together."""

    strategy: Strategy
    clusterer: Clusterer

    @property
    def is_free(self) -> bool:
        """Whether the clusterer takes any answers."""
        return takes_any_answers(self.clusterer)

    def start(self, X: Any = None, n_clusters: int | None = 3, **session: Any) -> ActiveSession:
        """A session; a clusterer with questions of its own is named alone."""
        rows = table() if X is None else X
        clusterer = clone(self.clusterer)
        if not self.is_free:
            return ActiveSession(rows, n_clusters, clusterer=clusterer, random_state=3, **session)
        return ActiveSession(
            rows, n_clusters, strategy=self.strategy, clusterer=clusterer, random_state=3, **session
        )

    @cached_property
    def states(self) -> list[Any]:
        """The states of a session after each of its first answers, by an expert who is not always sure."""
        session, oracle = self.start(), half_sure()
        found = [state_of(session)]
        while len(found) < N_STATES and (question := session.ask()) is not None:
            session.tell(oracle(question))
            found.append(state_of(session))
        return found


def strategy_checks(strategy: Strategy | str, clusterer: Clusterer | str | None = None) -> Iterator[Check]:
    """The checks of `check_strategy`, one promise each."""
    chosen = choose_method(strategy, clusterer)
    method = Method(chosen.strategy, chosen.clusterer)
    subject = f"{method.strategy!r} with {method.clusterer!r}"
    for function in (*OF_EVERY_METHOD, *OF_EVERY_STRATEGY):
        yield Check(subject, promise_of(function), partial(function, method))
    odd = check_odd_tables_are_grouped_as_the_expert_says
    for name, X in ODD_TABLES.items():
        yield Check(subject, promise_of(odd), partial(odd, method, X), name)


def half_sure(seed: int = 0) -> Oracle:
    """An expert who does not know in a fifth of the cases."""
    return unsure(truth(Y), 0.2, np.random.default_rng(seed))


def never_sure(pair: Pair) -> Answer:
    """An expert who never knows."""
    return Answer.UNSURE


def answer(session: ActiveSession, oracle: Oracle, limit: int | None = None) -> ActiveSession:
    """The session after its questions were answered, each of which was open or is a recheck."""
    limit = len(session) * (len(session) - 1) // 2 if limit is None else limit
    seen = {frozenset(reply.pair) for reply in session.answers}
    for _ in range(limit):
        question = session.ask()
        if question is None:
            return session
        if question.is_recheck:
            assert session.constraints.was_answered(*question), f"{question} rechecks nothing"
        else:
            assert frozenset(question) not in seen, f"{question} was asked before"
            assert session.constraints.relation(*question) is None, f"{question} is settled already"
        seen.add(frozenset(question))
        session.tell(oracle(question))
    return session


def state_of(session: ActiveSession) -> tuple[Any, ...]:
    """What a caller sees: the result, the next question, and the result after a look at that."""
    before = session.result()
    question = session.ask()
    return (
        session.answers,
        question,
        None if question is None else (question.is_recheck, question.proba),
        before.labels.tolist(),
        before.confidence.tolist(),
        before.feature_weights.tolist(),
        session.result().labels.tolist(),
    )


# --- to the end -----------------------------------------------------------------------------------------


def check_when_everything_was_asked_the_groups_are_the_experts(method: Method) -> None:
    """No question is asked twice, and the last one settles everything."""
    session = answer(method.start(), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


def check_the_number_of_groups_is_found_where_it_is_not_given(method: Method) -> None:
    """The same without the number of groups."""
    session = answer(method.start(n_clusters=None), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


def check_with_unsure_answers_no_question_is_repeated_and_the_session_ends(method: Method) -> None:
    """Every row has a group in the end."""
    session = answer(method.start(n_clusters=None), half_sure(1))
    assert Answer.UNSURE in {reply.answer for reply in session.answers}
    assert session.ask() is None
    assert session.result().labels.shape == (len(Y),)


def check_an_expert_who_is_never_sure_is_asked_about_no_pair_twice(method: Method) -> None:
    """Nothing is known then, and there are no more groups than wanted."""
    session = answer(method.start(infer_last=False), never_sure)
    assert session.ask() is None
    assert session.result().neighbourhoods == []
    if method.is_free:  # the others merge groups, and so can end with more than were wanted
        assert set(session.result().labels.tolist()) <= {0, 1, 2}


# --- the log is the only state --------------------------------------------------------------------------


def check_the_same_seed_and_answers_give_the_same_session(method: Method) -> None:
    """Questions, probabilities and results."""
    again = answer(method.start(), half_sure(), limit=len(method.states) - 1)
    assert state_of(again) == method.states[-1]


def check_undo_equals_never_having_answered(method: Method) -> None:
    """One answer, two answers, and all of them."""
    expected = method.states
    session = answer(method.start(), half_sure(), limit=len(expected) - 1)
    for n_undone in (1, 2):
        session.undo(n_undone)
        assert state_of(session) == expected[len(session.answers)]
    session.undo(len(session.answers))
    assert state_of(session) == expected[0]


def check_a_resumed_session_stands_where_it_was_left(method: Method) -> None:
    """A strategy keeps nothing between steps."""
    for expected in method.states[2::3]:
        assert state_of(method.start(answers=expected[0])) == expected


def check_a_fork_goes_on_like_the_session_and_leaves_it_as_it_is(method: Method) -> None:
    """The twins share nothing that either changes."""
    session, oracle = method.start(), half_sure()
    for state in method.states[1:4]:
        fork = session.fork()
        before = state_of(session)
        question = session.ask()
        assert question is not None
        given = oracle(question)
        fork.tell(given)
        assert state_of(fork) == state
        assert state_of(session) == before
        session.tell(given)


def check_the_global_generator_is_not_moved(method: Method) -> None:
    """Randomness comes from the session's seed alone."""
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    answer(method.start(), truth(Y), limit=4).result()
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002


# --- what comes out -------------------------------------------------------------------------------------


def check_answered_rows_are_in_the_groups_that_the_answers_say(method: Method) -> None:
    """With a confidence of 1."""
    session = method.start()
    for n_answers in (1, 3, 6):
        answer(session, truth(Y), limit=n_answers - len(session.answers))
        result = session.result()
        assert ((result.confidence > 0) & (result.confidence <= 1)).all()
        if not method.is_free:
            continue  # its groups are those of the last complete merging
        groups = [set(result.labels[members].tolist()) for members in result.neighbourhoods]
        assert all(len(labels) == 1 for labels in groups)
        assert all(a.isdisjoint(b) for a, b in combinations(groups, 2))
        assert (result.confidence[np.concatenate(result.neighbourhoods)] == 1.0).all()


def check_probabilities_of_new_rows_are_highest_for_the_predicted_group(method: Method) -> None:
    """They sum to 1, and the highest is the confidence."""
    clustering = answer(method.start(), truth(Y), limit=6).result().clustering
    new = table(seed=1)
    proba = clustering.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert proba.shape[0] == len(new)
    chosen = proba[np.arange(len(new)), clustering.predict(new)]
    np.testing.assert_allclose(chosen, proba.max(axis=1))
    np.testing.assert_allclose(clustering.confidence(new), proba.max(axis=1))


def check_new_rows_may_come_as_a_data_frame(method: Method) -> None:
    """And get the same groups."""
    clustering = answer(method.start(), truth(Y), limit=6).result().clustering
    new: Any = pd.DataFrame(table(seed=1), columns=["a", "b", "c"])
    np.testing.assert_array_equal(clustering.predict(new), clustering.predict(new.to_numpy()))
    np.testing.assert_array_equal(clustering.confidence(new), clustering.confidence(new.to_numpy()))


def check_shift_and_units_of_the_features_do_not_matter(method: Method) -> None:
    """A session standardises by default."""
    X = np.round(table() * 64) / 64  # so that no shift rounds anything
    plain, moved = (
        answer(method.start(X=rows), truth(Y), limit=6)
        for rows in (X, np.add(X, [2.0**27, 0.0, -(2.0**27)]) * 2.0 ** np.array([-30, 0, 30]))
    )
    assert [reply.pair for reply in moved.answers] == [reply.pair for reply in plain.answers]
    assert moved.result().labels.tolist() == plain.result().labels.tolist()


def check_odd_tables_are_grouped_as_the_expert_says(method: Method, X: np.ndarray) -> None:
    """Equal rows, constant features, one feature, or more features than rows."""
    session = method.start(X=X)
    for limit in (0, 3, None):
        answer(session, truth(Y), limit=limit)
        assert session.result().labels.shape == (len(Y),)
    assert session.ask() is None
    # Super-instances hold equal rows together, so some rows are never asked about.
    asks_about_each_row = method.is_free and not hasattr(method.strategy, "clusterer")
    if asks_about_each_row or len(np.unique(X, axis=0)) == len(Y):
        assert adjusted_rand_score(Y, session.result().labels) == 1.0


def check_one_row_and_two_rows_are_enough(method: Method) -> None:
    """One row needs no question, two rows need one."""
    alone = method.start(X=[[1.0, 2.0]], n_clusters=None)
    assert alone.ask() is None
    assert alone.result().labels.tolist() == [0]
    two = method.start(X=[[1.0, 2.0], [1.5, 0.0]], n_clusters=None)
    answer(two, lambda pair: Answer.DIFFERENT)
    assert len(two.answers) == 1
    assert sorted(two.result().labels.tolist()) == [0, 1]


# Promises that depend on both sides, and those for which one clusterer a strategy is enough.
OF_EVERY_METHOD: tuple[Callable[[Method], None], ...] = (
    check_when_everything_was_asked_the_groups_are_the_experts,
    check_with_unsure_answers_no_question_is_repeated_and_the_session_ends,
    check_the_same_seed_and_answers_give_the_same_session,
    check_undo_equals_never_having_answered,
    check_a_resumed_session_stands_where_it_was_left,
    check_answered_rows_are_in_the_groups_that_the_answers_say,
)
OF_EVERY_STRATEGY: tuple[Callable[[Method], None], ...] = (
    check_the_number_of_groups_is_found_where_it_is_not_given,
    check_an_expert_who_is_never_sure_is_asked_about_no_pair_twice,
    check_a_fork_goes_on_like_the_session_and_leaves_it_as_it_is,
    check_the_global_generator_is_not_moved,
    check_probabilities_of_new_rows_are_highest_for_the_predicted_group,
    check_new_rows_may_come_as_a_data_frame,
    check_shift_and_units_of_the_features_do_not_matter,
    check_one_row_and_two_rows_are_enough,
)
