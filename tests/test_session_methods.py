"""The contract that every strategy keeps with every clusterer; new ones of the registries inherit it."""

from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sameornot.membership import augmentation
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, Constraints
from sameornot._types import Recheck
from sameornot.cluster import METHODS
from sameornot.metric.learn import feature_scale
from sameornot.oracles import truth, unsure
from sameornot.query import STRATEGIES
from sameornot.query.forest import forest_leaves

UNSURE = Answer.UNSURE
FLOWS = sorted(name for name, method in METHODS.items() if method.is_flow)
GROUPERS = sorted(METHODS.keys() - set(FLOWS))
COMBINATIONS = [
    (strategy, clusterer)
    for strategy in sorted(STRATEGIES)
    for clusterer in sorted(METHODS)
    if clusterer == strategy or not (clusterer in FLOWS or strategy == "panel")
]
# One partner each, for what does not depend on the other side.
EACH_ONCE = [(strategy, strategy if strategy in METHODS else "pckmeans") for strategy in sorted(STRATEGIES)]
EACH_ONCE += [("random", clusterer) for clusterer in GROUPERS]

# Nothing here depends on how much work goes into a fit.
CHEAP = {"n_trees": 3, "n_init": 1}

Y = np.tile([0, 1, 2], 3)

every_combination = pytest.mark.parametrize(("strategy", "clusterer"), COMBINATIONS)
every_one = pytest.mark.parametrize(("strategy", "clusterer"), EACH_ONCE)


def table(seed=0):
    """Overlapping groups: the data alone do not give the answers away."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(Y), 3)) + 1.5 * np.eye(3)[Y]


@pytest.fixture(autouse=True, scope="module")
def _little_work():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            import_module("sameornot.query.mee"), "forest_leaves", partial(forest_leaves, n_trees=3)
        )
        patch.setattr(import_module("sameornot.query.two_step"), "N_TREES", 3)
        patch.setattr(augmentation, "admm", partial(augmentation.admm, max_iter=10))
        yield


def start(strategy, clusterer, X=None, n_clusters=3, **session):
    known = {field.name for field in fields(METHODS[clusterer])}
    settings = {name: value for name, value in CHEAP.items() if name in known}
    return ActiveSession(
        table() if X is None else X,
        n_clusters,
        **{"strategy": strategy, "clusterer": clusterer, "random_state": 3, **settings, **session},
    )


def led(session, oracle, limit=None):
    """The session after its questions were answered, each of which was open or was asked again on purpose."""
    limit = len(session) * (len(session) - 1) // 2 if limit is None else limit
    seen = {frozenset(reply.pair) for reply in session.answers}
    for _ in range(limit):
        if (pair := session.ask()) is None:
            return session
        if isinstance(pair, Recheck):
            assert session.constraints.was_answered(*pair)
        else:
            assert frozenset(pair) not in seen
            assert session.constraints.relation(*pair) is None
        seen.add(frozenset(pair))
        session.tell(oracle(pair))
    return session


def half_sure(seed=0):
    return unsure(truth(Y), 0.2, np.random.default_rng(seed))


def standing(session):
    """What a caller sees: the grouping, the next question, and the grouping after a look at that."""
    before = session.result()
    question = session.ask()
    return (
        session.answers,
        question,
        before.labels.tolist(),
        before.confidence.tolist(),
        before.feature_weights.tolist(),
        session.result().labels.tolist(),
    )


@cache
def course(strategy, clusterer):
    """Where a session stood after each of its first answers, given by an expert who is not always sure."""
    session, oracle = start(strategy, clusterer), half_sure()
    stations = [standing(session)]
    while len(stations) < 7 and (pair := session.ask()) is not None:
        session.tell(oracle(pair))
        stations.append(standing(session))
    return stations


# --- to the end -----------------------------------------------------------------------------------------


@every_combination
def test_when_everything_was_asked_the_groups_are_the_experts(strategy, clusterer):
    session = led(start(strategy, clusterer), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_one
def test_the_number_of_groups_is_found_where_it_is_not_given(strategy, clusterer):
    session = led(start(strategy, clusterer, n_clusters=None), truth(Y))
    assert session.ask() is None
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_combination
def test_doubts_neither_repeat_a_question_nor_go_round_in_circles(strategy, clusterer):
    session = led(start(strategy, clusterer, n_clusters=None), half_sure(1))
    assert UNSURE in {reply.answer for reply in session.answers}
    assert session.ask() is None
    assert session.result().labels.shape == (9,)


@every_one
def test_an_expert_who_is_never_sure_sees_no_pair_twice(strategy, clusterer):
    session = led(start(strategy, clusterer, infer_last=False), lambda pair: UNSURE)
    assert session.ask() is None
    assert session.result().neighbourhoods == []
    if clusterer not in FLOWS:  # which join groups, and so can end with more than were wanted
        assert set(session.result().labels.tolist()) <= {0, 1, 2}


# --- the log is the only truth --------------------------------------------------------------------------


@every_combination
def test_the_same_seed_and_answers_give_the_same_session(strategy, clusterer):
    stations = course(strategy, clusterer)
    again = led(start(strategy, clusterer), half_sure(), limit=len(stations) - 1)
    assert standing(again) == stations[-1]


@every_combination
def test_undo_equals_never_having_answered(strategy, clusterer):
    stations = course(strategy, clusterer)
    session = led(start(strategy, clusterer), half_sure(), limit=len(stations) - 1)
    for n_undone in (1, 2):
        session.undo(n_undone)
        assert standing(session) == stations[len(session.answers)]
    session.undo(len(session.answers))
    assert standing(session) == stations[0]


@every_combination
def test_a_resumed_session_stands_where_it_was_left(strategy, clusterer):
    stations = course(strategy, clusterer)
    for expected in stations[2::3]:
        assert standing(start(strategy, clusterer, answers=expected[0])) == expected


@every_one
def test_the_global_generator_is_not_moved(strategy, clusterer):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    led(start(strategy, clusterer), truth(Y), limit=4).result()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


# --- what comes out -------------------------------------------------------------------------------------


@every_combination
def test_answers_are_kept_by_the_groups(strategy, clusterer):
    session = start(strategy, clusterer)
    for n_answers in (1, 3, 6):
        led(session, truth(Y), limit=n_answers - len(session.answers))
        result = session.result()
        assert ((result.confidence > 0) & (result.confidence <= 1)).all()
        if clusterer in FLOWS:
            continue  # its groups are those that it had when they last made a whole
        groups = [set(result.labels[members].tolist()) for members in result.neighbourhoods]
        assert all(len(labels) == 1 for labels in groups)
        assert all(a.isdisjoint(b) for a, b in combinations(groups, 2))
        assert (result.confidence[np.concatenate(result.neighbourhoods)] == 1.0).all()


def far_blobs(n_each=6):
    y = np.tile([0, 1, 2], n_each)
    noise = np.random.default_rng(0).normal(size=(len(y), 2))
    return 20.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y] + noise, y


@pytest.mark.parametrize("clusterer", GROUPERS)
def test_each_neighbourhood_becomes_the_group_of_its_number_with_all_that_lie_around_it(clusterer):
    X, y = far_blobs()
    known = Constraints.from_pairs(len(y), labels=np.where(np.arange(len(y)) < 10, y, -1))
    hoods = known.neighbourhoods()
    found = METHODS[clusterer]().fit_step(X, known, 3, feature_scale(X), np.random.default_rng(0))
    number = {int(y[members[0]]): m for m, members in enumerate(hoods)}
    expected = [number[label] for label in y.tolist()]
    assert found.labels.tolist() == expected
    assert found.predict(X + 0.01).tolist() == expected
    assert ((found.confidence(X) > 0) & (found.confidence(X) <= 1)).all()


@every_one
def test_new_rows_may_come_as_a_table(strategy, clusterer):
    clustering = led(start(strategy, clusterer), truth(Y), limit=6).result().clustering
    new = pd.DataFrame(table(seed=1), columns=["a", "b", "c"])
    np.testing.assert_array_equal(clustering.predict(new), clustering.predict(new.to_numpy()))
    np.testing.assert_array_equal(clustering.confidence(new), clustering.confidence(new.to_numpy()))


@every_one
def test_shift_and_units_of_the_features_do_not_matter(strategy, clusterer):
    X = np.round(table() * 64) / 64  # so that no shift rounds anything
    plain, moved = (
        led(start(strategy, clusterer, X=rows), truth(Y), limit=6)
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
        led(session, truth(Y), limit=limit)
        assert session.result().labels.shape == (9,)
    assert session.ask() is None
    if clusterer not in FLOWS or len(np.unique(X, axis=0)) == 9:  # flows take equal rows for one
        assert adjusted_rand_score(Y, session.result().labels) == 1.0


@every_one
def test_one_row_and_two_rows_are_enough(strategy, clusterer):
    alone = start(strategy, clusterer, X=[[1.0, 2.0]], n_clusters=None)
    assert alone.ask() is None
    assert alone.result().labels.tolist() == [0]
    two = led(
        start(strategy, clusterer, X=[[1.0, 2.0], [1.5, 0.0]], n_clusters=None), lambda pair: Answer.DIFFERENT
    )
    assert len(two.answers) == 1
    assert sorted(two.result().labels.tolist()) == [0, 1]


# --- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize("registry", [STRATEGIES, METHODS], ids=["strategy", "clusterer"])
@pytest.mark.parametrize("name", ["best", 3, ("mee",)])
def test_an_unknown_name_is_answered_with_those_that_there_are(registry, name):
    argument = "strategy" if registry is STRATEGIES else "clusterer"
    with pytest.raises(ValueError, match=rf"^{argument}=") as raised:
        ActiveSession(table(), 3, **{argument: name})
    assert repr(name) in str(raised.value)
    assert all(repr(option) in str(raised.value) for option in registry)


@pytest.mark.parametrize("clusterer", sorted(METHODS))
def test_an_unknown_setting_is_answered_with_those_of_the_clusterer(clusterer):
    strategy = clusterer if clusterer in FLOWS else "random"
    with pytest.raises(TypeError, match=f"'n_cluster' is no setting of clusterer='{clusterer}'") as raised:
        start(strategy, clusterer, n_cluster=3)
    assert all(field.name in str(raised.value) for field in fields(METHODS[clusterer]))


def test_settings_of_one_clusterer_are_not_those_of_another():
    with pytest.raises(TypeError, match="'penalty' is no setting of clusterer='pckmeans', which has"):
        ActiveSession(table(), 3, clusterer="pckmeans", penalty="auto")


@pytest.mark.parametrize("clusterer", FLOWS)
def test_a_clusterer_with_questions_of_its_own_takes_no_others(clusterer):
    for strategy in sorted(STRATEGIES.keys() - {clusterer}):
        with pytest.raises(ValueError, match=f"strategy='{clusterer}' is needed, not '{strategy}'"):
            ActiveSession(table(), 3, strategy=strategy, clusterer=clusterer)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_unless_one_is_named_the_clusterer_is_the_strategys_own_or_the_papers(strategy):
    expected = strategy if strategy in METHODS else "augmented"
    assert ActiveSession(table(), 3, strategy=strategy).clusterer == expected
