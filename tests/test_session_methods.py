"""The contract that every strategy keeps with every clusterer; new ones of the registries inherit it."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, Constraints
from sameornot.cluster.base import Problem, State
from sameornot.metric.learn import feature_scale
from sameornot.oracles import truth, unsure
from sameornot.query import STRATEGIES
from sameornot.registry import CLUSTERERS, choose_method

UNSURE = Answer.UNSURE
Y = np.tile([0, 1, 2], 3)


# Nothing here depends on how much work goes into a fit.
CHEAP = {"n_trees": 3, "n_init": 1}


def cheap_clusterer(name):
    made = CLUSTERERS[name]()
    return made.set_params(**{key: n for key, n in CHEAP.items() if key in made.get_params()})


def cheap_strategy(name):
    made = STRATEGIES[name]()
    if hasattr(made, "clusterer"):  # the one whose questions it asks
        return replace(made, clusterer=clone(made.clusterer).set_params(n_init=CHEAP["n_init"]))
    return replace(made, n_trees=CHEAP["n_trees"]) if hasattr(made, "n_trees") else made


def is_valid(strategy, clusterer):
    try:
        choose_method(strategy, clusterer)
    except ValueError:
        return False
    return True


COMBINATIONS = [
    (strategy, clusterer)
    for strategy in sorted(STRATEGIES)
    for clusterer in sorted(CLUSTERERS)
    if is_valid(strategy, clusterer)
]
# Clusterers that take any answers; the others group by the answers to their own questions.
FREE = [name for name in sorted(CLUSTERERS) if ("random", name) in COMBINATIONS]
BOUND = sorted(CLUSTERERS.keys() - set(FREE))
# One partner each, for what does not depend on the other side.
PARTNER = {
    strategy: next(name for name in ["pckmeans", *sorted(CLUSTERERS)] if (strategy, name) in COMBINATIONS)
    for strategy in sorted(STRATEGIES)
}
EACH_ONCE = sorted({*PARTNER.items(), *(("random", name) for name in FREE)})
EACH_ONCE += [(strategy, clusterer) for strategy, clusterer in COMBINATIONS if clusterer in BOUND]

every_combination = pytest.mark.parametrize(("strategy", "clusterer"), COMBINATIONS)
every_one = pytest.mark.parametrize(("strategy", "clusterer"), EACH_ONCE)


def test_every_strategy_and_every_clusterer_is_covered():
    for cases in (COMBINATIONS, EACH_ONCE):
        assert {strategy for strategy, _ in cases} == set(STRATEGIES)
        assert {clusterer for _, clusterer in cases} == set(CLUSTERERS)


def table(seed=0):
    """Overlapping groups: the data alone do not give the answers away."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(Y), 3)) + 1.5 * np.eye(3)[Y]


def start(strategy, clusterer, X=None, n_clusters=3, **session):
    """A session; a clusterer with questions of its own is named alone, so that both have its parameters."""
    method = {"clusterer": cheap_clusterer(clusterer)}
    if clusterer in FREE:
        method["strategy"] = cheap_strategy(strategy)
    return ActiveSession(table() if X is None else X, n_clusters, **method, random_state=3, **session)


def answer(session, oracle, limit=None):
    """The session after its questions were answered, each of which was open or is a recheck."""
    limit = len(session) * (len(session) - 1) // 2 if limit is None else limit
    seen = {frozenset(reply.pair) for reply in session.answers}
    for _ in range(limit):
        if (question := session.ask()) is None:
            return session
        if question.is_recheck:
            assert session.constraints.was_answered(*question)
        else:
            assert frozenset(question) not in seen
            assert session.constraints.relation(*question) is None
        seen.add(frozenset(question))
        session.tell(oracle(question))
    return session


def half_sure(seed=0):
    return unsure(truth(Y), 0.2, np.random.default_rng(seed))


def state_of(session):
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


@cache
def states(strategy, clusterer):
    """The states of a session after each of its first answers, by an expert who is not always sure."""
    session, oracle = start(strategy, clusterer), half_sure()
    found = [state_of(session)]
    while len(found) < 7 and (question := session.ask()) is not None:
        session.tell(oracle(question))
        found.append(state_of(session))
    return found


# --- to the end -----------------------------------------------------------------------------------------


@every_combination
def test_when_everything_was_asked_the_groups_are_the_experts(strategy, clusterer):
    session = answer(start(strategy, clusterer), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_one
def test_the_number_of_groups_is_found_where_it_is_not_given(strategy, clusterer):
    session = answer(start(strategy, clusterer, n_clusters=None), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_combination
def test_with_unsure_answers_no_question_is_repeated_and_the_session_ends(strategy, clusterer):
    session = answer(start(strategy, clusterer, n_clusters=None), half_sure(1))
    assert UNSURE in {reply.answer for reply in session.answers}
    assert session.ask() is None
    assert session.result().labels.shape == (9,)


@every_one
def test_an_expert_who_is_never_sure_is_asked_about_no_pair_twice(strategy, clusterer):
    session = answer(start(strategy, clusterer, infer_last=False), lambda pair: UNSURE)
    assert session.ask() is None
    assert session.result().neighbourhoods == []
    if clusterer in FREE:  # the others merge groups, and so can end with more than were wanted
        assert set(session.result().labels.tolist()) <= {0, 1, 2}


# --- the log is the only state --------------------------------------------------------------------------


@every_combination
def test_the_same_seed_and_answers_give_the_same_session(strategy, clusterer):
    expected = states(strategy, clusterer)
    again = answer(start(strategy, clusterer), half_sure(), limit=len(expected) - 1)
    assert state_of(again) == expected[-1]


@every_combination
def test_undo_equals_never_having_answered(strategy, clusterer):
    expected = states(strategy, clusterer)
    session = answer(start(strategy, clusterer), half_sure(), limit=len(expected) - 1)
    for n_undone in (1, 2):
        session.undo(n_undone)
        assert state_of(session) == expected[len(session.answers)]
    session.undo(len(session.answers))
    assert state_of(session) == expected[0]


@every_combination
def test_a_resumed_session_stands_where_it_was_left(strategy, clusterer):
    for expected in states(strategy, clusterer)[2::3]:
        assert state_of(start(strategy, clusterer, answers=expected[0])) == expected


@every_one
def test_a_fork_goes_on_like_the_session_and_leaves_it_as_it_is(strategy, clusterer):
    expected = states(strategy, clusterer)
    session, oracle = start(strategy, clusterer), half_sure()
    for state in expected[1:4]:
        fork = session.fork()
        before = state_of(session)
        given = oracle(session.ask())
        fork.tell(given)
        assert state_of(fork) == state
        assert state_of(session) == before
        session.tell(given)


@every_one
def test_the_global_generator_is_not_moved(strategy, clusterer):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    answer(start(strategy, clusterer), truth(Y), limit=4).result()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


# --- what comes out -------------------------------------------------------------------------------------


@every_combination
def test_answered_rows_are_in_the_groups_that_the_answers_say(strategy, clusterer):
    session = start(strategy, clusterer)
    for n_answers in (1, 3, 6):
        answer(session, truth(Y), limit=n_answers - len(session.answers))
        result = session.result()
        assert ((result.confidence > 0) & (result.confidence <= 1)).all()
        if clusterer in BOUND:
            continue  # its groups are those of the last complete merging
        groups = [set(result.labels[members].tolist()) for members in result.neighbourhoods]
        assert all(len(labels) == 1 for labels in groups)
        assert all(a.isdisjoint(b) for a, b in combinations(groups, 2))
        assert (result.confidence[np.concatenate(result.neighbourhoods)] == 1.0).all()


def far_blobs(n_each=6):
    y = np.tile([0, 1, 2], n_each)
    noise = np.random.default_rng(0).normal(size=(len(y), 2))
    return 20.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y] + noise, y


@pytest.mark.parametrize("clusterer", FREE)
def test_each_neighbourhood_becomes_the_group_of_its_number_with_all_rows_around_it(clusterer):
    X, y = far_blobs()
    known = Constraints.from_pairs(len(y), labels=np.where(np.arange(len(y)) < 10, y, -1))
    groups, scale = CLUSTERERS[clusterer](), feature_scale(X)
    neighbourhoods = groups.neighbourhoods(known, 3)
    found = groups.cluster(Problem(X, known, 3, scale), State(groups.prepare(X, scale, 3)))
    number = {int(y[members[0]]): m for m, members in enumerate(neighbourhoods)}
    expected = [number[label] for label in y.tolist()]
    assert found.labels.tolist() == expected
    assert found.predict(X + 0.01).tolist() == expected
    assert ((found.confidence(X) > 0) & (found.confidence(X) <= 1)).all()


@every_one
def test_probabilities_of_new_rows_sum_to_one_and_are_highest_for_the_predicted_group(strategy, clusterer):
    clustering = answer(start(strategy, clusterer), truth(Y), limit=6).result().clustering
    new = table(seed=1)
    proba = clustering.predict_proba(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert proba.shape[0] == len(new)
    chosen = proba[np.arange(len(new)), clustering.predict(new)]
    np.testing.assert_allclose(chosen, proba.max(axis=1))
    np.testing.assert_allclose(clustering.confidence(new), proba.max(axis=1))


@every_one
def test_new_rows_may_come_as_a_data_frame(strategy, clusterer):
    clustering = answer(start(strategy, clusterer), truth(Y), limit=6).result().clustering
    new = pd.DataFrame(table(seed=1), columns=["a", "b", "c"])
    np.testing.assert_array_equal(clustering.predict(new), clustering.predict(new.to_numpy()))
    np.testing.assert_array_equal(clustering.confidence(new), clustering.confidence(new.to_numpy()))


@every_one
def test_shift_and_units_of_the_features_do_not_matter(strategy, clusterer):
    X = np.round(table() * 64) / 64  # so that no shift rounds anything
    plain, moved = (
        answer(start(strategy, clusterer, X=rows), truth(Y), limit=6)
        for rows in (X, np.add(X, [2.0**27, 0.0, -(2.0**27)]) * 2.0 ** np.array([-30, 0, 30]))
    )
    assert [reply.pair for reply in moved.answers] == [reply.pair for reply in plain.answers]
    assert moved.result().labels.tolist() == plain.result().labels.tolist()


ODD_TABLES = {
    "equal rows": np.repeat(table()[:3], 3, axis=0),
    "only constant features": np.full((9, 2), 0.1),
    "one feature": np.arange(9.0)[:, None],
    "more features than rows": np.random.default_rng(0).normal(size=(9, 30)),
}


@pytest.mark.parametrize("name", ODD_TABLES)
@every_one
def test_odd_tables_are_grouped_as_the_expert_says(strategy, clusterer, name):
    X = ODD_TABLES[name]
    session = start(strategy, clusterer, X=X)
    for limit in (0, 3, None):
        answer(session, truth(Y), limit=limit)
        assert session.result().labels.shape == (9,)
    assert session.ask() is None
    # Super-instances hold equal rows together, so some rows are never asked about.
    if not {strategy, clusterer} & set(BOUND) or len(np.unique(X, axis=0)) == 9:
        assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_one
def test_one_row_and_two_rows_are_enough(strategy, clusterer):
    alone = start(strategy, clusterer, X=[[1.0, 2.0]], n_clusters=None)
    assert alone.ask() is None
    assert alone.result().labels.tolist() == [0]
    two = answer(
        start(strategy, clusterer, X=[[1.0, 2.0], [1.5, 0.0]], n_clusters=None), lambda pair: Answer.DIFFERENT
    )
    assert len(two.answers) == 1
    assert sorted(two.result().labels.tolist()) == [0, 1]


# --- which pairs are valid ------------------------------------------------------------------------------


@pytest.mark.parametrize("clusterer", BOUND)
def test_a_clusterer_with_questions_of_its_own_takes_no_others(clusterer):
    own = [strategy for strategy, groups in COMBINATIONS if groups == clusterer]
    assert own == [clusterer]
    for strategy in sorted(STRATEGIES.keys() - set(own)):
        with pytest.raises(ValueError, match=r"clusterer=.* groups by the answers to its own questions"):
            ActiveSession(table(), 3, strategy=strategy, clusterer=clusterer)


def test_a_strategy_is_refused_where_the_clusterer_cannot_give_what_it_requires():
    for clusterer in sorted(set(FREE) - {"ensemble"}):
        with pytest.raises(
            ValueError, match=r"^strategy=UncertaintySampling.* needs a clusterer that"
        ) as raised:
            ActiveSession(table(), 3, strategy="uncertainty", clusterer=clusterer)
        assert f"clusterer={CLUSTERERS[clusterer].__name__}" in str(raised.value)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_by_default_the_clusterer_is_the_strategys_own_or_the_papers(strategy):
    own = {"cobra": "cobra", "cobras": "cobras", "uncertainty": "ensemble"}
    expected = CLUSTERERS[own.get(strategy, "augmented")]
    assert type(ActiveSession(table(), 3, strategy=strategy).clusterer) is expected


@pytest.mark.parametrize("clusterer", sorted(CLUSTERERS))
def test_by_default_the_strategy_is_the_clusterers_own_or_the_papers(clusterer):
    own = {"cobra": "cobra", "cobras": "cobras", "ensemble": "uncertainty"}
    expected = STRATEGIES[own.get(clusterer, "mee")]
    assert type(ActiveSession(table(), 3, clusterer=clusterer).strategy) is expected


def test_a_bound_strategy_that_is_named_takes_the_parameters_of_the_clusterer():
    for name in BOUND:
        clusterer = cheap_clusterer(name)
        by_both = ActiveSession(table(), 3, strategy=name, clusterer=clusterer, random_state=0)
        alone = ActiveSession(table(), 3, clusterer=clusterer, random_state=0)
        assert by_both.strategy == alone.strategy
        assert by_both.ask() == alone.ask()
