"""COBRA and COBRAS in a session: the log alone says what was asked and what the groups are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, Constraints, Pair, simulate
from sameornot.cluster import METHODS, AugmentedSettings
from sameornot.cluster._cobra import COBRASettings
from sameornot.cluster._cobras import COBRASSettings
from sameornot.cluster._super_instances import Progress, follow, grouping
from sameornot.datasets import make_gaussian, make_opposite
from sameornot.metric.learn import feature_scale, identity_metric
from sameornot.oracles import truth, unsure
from sameornot.query import STRATEGIES, Problem
from sameornot.query.cobra import cobra
from sameornot.query.cobras import cobras

FLOWS = {"cobra": (cobra, COBRASettings(2, 12)), "cobras": (cobras, COBRASSettings(2))}
SETTINGS = {"cobra": {"n_init": 2, "n_super_instances": 12}, "cobras": {"n_init": 2}}


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(METHODS, "cobra", COBRASettings)
    monkeypatch.setitem(METHODS, "cobras", COBRASSettings)
    monkeypatch.setitem(STRATEGIES, "cobra", cobra)
    monkeypatch.setitem(STRATEGIES, "cobras", cobras)


def rows(seed=0, n_samples=40):
    return make_gaussian(n_samples=n_samples, n_relevant=3, n_irrelevant=2, random_state=seed)


def begin(X, name, answers=(), **options):
    options = {"random_state": 3, **SETTINGS[name], **options}
    return ActiveSession(X, strategy=name, answers=answers, **options)


def answer(session, oracle, n_answers=10_000):
    while n_answers and (pair := session.ask()) is not None:
        session.tell(oracle(pair))
        n_answers -= 1
    return session


def state(session):
    result = session.result()
    return session.ask(), result.labels.tolist(), result.confidence.tolist()


def problem_of(X, method):
    def fit():
        raise AssertionError("this strategy learns nothing on the way")

    return Problem(X, Constraints(len(X)), None, np.arange(len(X)), feature_scale(X), method, fit)


@pytest.mark.parametrize("name", FLOWS)
def test_the_same_seed_and_answers_give_the_same_questions(name):
    X, y = rows()
    strategy, method = FLOWS[name]

    def asked(seed):
        flow = strategy(problem_of(X, method), np.random.default_rng(seed))
        pairs = []
        follow(flow, lambda pair: pairs.append(pair) or truth(y)(pair))
        return pairs

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@pytest.mark.parametrize("name", FLOWS)
def test_with_another_clusterer_it_asks_with_its_own_defaults(name):
    X, _ = rows()
    strategy, method = FLOWS[name]
    default = type(method)()

    def first(settings):
        return next(strategy(problem_of(X, settings), np.random.default_rng(0)))

    assert first(AugmentedSettings()) == first(default)
    session = ActiveSession(X, 3, strategy=name, clusterer="pckmeans", random_state=0)
    assert session.ask() is not None


@pytest.mark.parametrize("name", FLOWS)
def test_gone_through_again_it_stands_where_the_live_run_stood(name):
    X, y = rows()
    method = FLOWS[name][1]
    metric = identity_metric(feature_scale(X))
    known, progress = Constraints(len(X)), Progress()
    flow = method.ask(X, feature_scale(X), np.random.default_rng(5), progress)
    pair, oracle = next(flow), unsure(truth(y), 0.2, np.random.default_rng(0))
    for _ in range(40):
        settled = Answer.UNSURE if known.is_unsure(*pair) else known.relation(*pair)
        reply = settled or oracle(pair)
        if settled is None:
            known.add(pair, reply)
        try:
            pair = flow.send(reply)
        except StopIteration:
            break
        if known.is_unsure(*pair) or known.relation(*pair) is not None:
            continue  # the other run would go past this question, as it needs no one to answer it
        live = grouping(metric.transform(X), progress.pieces, metric)
        again = method.fit_step(X, known, 1, feature_scale(X), np.random.default_rng(5))
        np.testing.assert_array_equal(again.labels, live.labels)
        np.testing.assert_array_equal(again.confidence(X), live.confidence(X))


@pytest.mark.parametrize("name", FLOWS)
@given(n_answers=st.integers(1, 40), n_back=st.integers(1, 40), seed=st.integers(0, 3))
@settings(max_examples=6)
def test_undo_and_resume_stand_where_the_shorter_log_stands(name, n_answers, n_back, seed):
    X, y = rows()
    session = answer(begin(X, name), unsure(truth(y), 0.15, np.random.default_rng(seed)), n_answers)
    log = session.answers
    assert state(begin(X, name, log)) == state(session)
    n_back = min(n_back, len(log))
    session.undo(n_back)
    assert state(session) == state(begin(X, name, log[: len(log) - n_back]))


@pytest.mark.parametrize("name", FLOWS)
@pytest.mark.parametrize("n_clusters", [None, 3])
def test_a_run_ends_and_then_nothing_is_left_to_ask(name, n_clusters):
    X, y = rows()
    session = answer(begin(X, name, n_clusters=n_clusters), truth(y))
    assert session.ask() is None
    assert {reply.step for reply in session.answers} == {1}
    assert begin(X, name, session.answers, n_clusters=n_clusters).ask() is None
    result = session.result()
    asked = np.unique([reply.pair for reply in session.answers])
    assert adjusted_rand_score(y[asked], result.labels[asked]) == 1.0
    if name == "cobras":
        assert adjusted_rand_score(y, result.labels) == 1.0


@pytest.mark.parametrize("name", FLOWS)
def test_no_pair_is_asked_that_the_answers_settle(name):
    X, y = rows(seed=1)
    session = begin(X, name)
    while (pair := session.ask()) is not None:
        assert session.constraints.relation(*pair) is None
        assert not session.constraints.is_unsure(*pair)
        session.tell(truth(y)(pair))
    assert len(session.answers) < 3 * len(X)


@pytest.mark.parametrize("name", FLOWS)
def test_unsure_to_everything_ends_with_groups(name):
    X, _ = rows()
    session = answer(begin(X, name), lambda pair: Answer.UNSURE)
    assert session.ask() is None
    assert len(set(session.result().labels)) == {"cobra": 12, "cobras": 2}[name]


@pytest.mark.parametrize("name", FLOWS)
def test_answers_of_ones_own_choice_are_taken_in(name):
    X, y = rows()
    session = answer(begin(X, name), truth(y), 5)
    pending = session.ask()
    rest = [i for i in range(len(X)) if i not in pending]
    for left, right in zip(rest[:-1:3], rest[1::3], strict=False):
        session.tell(truth(y)(Pair(left, right)), (left, right))
    assert session.ask() == pending
    assert state(begin(X, name, session.answers)) == state(session)


@pytest.mark.parametrize("name", FLOWS)
def test_confidence_is_one_for_rows_that_were_asked_about_as_representatives(name):
    X, y = rows()
    session = answer(begin(X, name), truth(y))
    confidence = session.result().confidence
    assert ((confidence > 0) & (confidence <= 1)).all()
    if name == "cobra":
        assert (confidence[np.unique([reply.pair for reply in session.answers])] == 1.0).all()
        assert confidence.min() < 1.0
    else:  # at the end of COBRAS every row is a super-instance
        assert (confidence == 1.0).all()


@pytest.mark.parametrize("name", FLOWS)
def test_a_session_predicts_new_rows(name):
    X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=2)
    session = answer(begin(X[:60], name), truth(y[:60]), 60)
    assert adjusted_rand_score(y[60:], session.result().clustering.predict(X[60:])) > 0.5


def test_a_constant_column_and_one_row_are_no_trouble():
    X, y = rows()
    X[:, -1] = 4.0
    for name in FLOWS:
        assert answer(begin(X, name), truth(y), 10).result().labels.shape == (len(X),)
        alone = begin(X[:1], name)
        assert alone.ask() is None
        assert alone.result().labels.tolist() == [0]


def test_cobras_improves_with_answers():
    X, y = make_opposite(n_samples=100, mixing=True, random_state=0)
    curve = simulate(X, y, 5, budget=120, checkpoints=[20, 120], strategy="cobras", random_state=0, n_init=2)
    assert curve.ari.iloc[1] > curve.ari.iloc[0] + 0.1
