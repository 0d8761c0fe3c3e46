"""COBRA and COBRAS in a session: the log alone decides what is asked and what the groups are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import unfitted_view
from sklearn.metrics import adjusted_rand_score

from sameornot import COBRA, COBRAS, ActiveSession, Answer, Constraints, Pair, simulate
from sameornot.cluster.base import Problem, State
from sameornot.cluster.super_instances import SuperInstanceClustering, replay
from sameornot.datasets import make_gaussian, make_opposite
from sameornot.metric.learn import feature_scale, identity_metric
from sameornot.oracles import truth, unsure
from sameornot.query import COBRAQuestions, COBRASQuestions

CLUSTERERS = {"cobra": COBRA(12, n_init=2), "cobras": COBRAS(n_init=2)}
QUESTIONS = {"cobra": COBRAQuestions, "cobras": COBRASQuestions}
each_method = pytest.mark.parametrize("name", CLUSTERERS)


def rows(seed=0, n_samples=40):
    return make_gaussian(n_samples=n_samples, n_relevant=3, n_irrelevant=2, random_state=seed)


def begin(X, name, answers=(), **options):
    return ActiveSession(X, clusterer=CLUSTERERS[name], answers=answers, **{"random_state": 3, **options})


def answer(session, oracle, n_answers=10_000):
    while n_answers and (pair := session.ask()) is not None:
        session.tell(oracle(pair))
        n_answers -= 1
    return session


def state(session):
    result = session.result()
    return session.ask(), result.labels.tolist(), result.confidence.tolist()


def view_of(X, seed=0):
    return unfitted_view(X, n_clusters=None, scale=feature_scale(X), seed=seed)


def questions_of(strategy, X, seed=0):
    return strategy.ask(view_of(X, seed), np.random.default_rng(0))


@each_method
def test_the_same_seed_and_answers_give_the_same_questions(name):
    X, y = rows()
    strategy = QUESTIONS[name](CLUSTERERS[name])

    def asked(seed):
        pairs = []
        replay(questions_of(strategy, X, seed), lambda pair: pairs.append(pair) or truth(y)(pair))
        return pairs

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


@each_method
def test_with_another_clusterer_it_asks_with_its_own_defaults(name):
    X, _ = rows()
    strategy = QUESTIONS[name]
    default = strategy(type(CLUSTERERS[name])())
    assert next(questions_of(strategy(), X)) == next(questions_of(default, X))
    session = ActiveSession(X, 3, strategy=name, clusterer="pckmeans", random_state=0)
    assert session.ask() == ActiveSession(X, strategy=default, random_state=0).ask()


@each_method
def test_replaying_the_answers_leads_to_the_groups_of_the_live_run(name):
    X, y = rows()
    clusterer, scale = CLUSTERERS[name], feature_scale(X)
    known = Constraints(len(X))
    questions = questions_of(QUESTIONS[name](clusterer), X, seed=5)
    question, oracle = next(questions), unsure(truth(y), 0.2, np.random.default_rng(0))
    n_compared = 0
    for _ in range(40):
        settled = Answer.UNSURE if known.is_unsure(*question) else known.relation(*question)
        reply = settled or oracle(question)
        if settled is None:
            known.add(question, reply)
        try:
            question = questions.send(reply)
        except StopIteration:
            break
        if known.is_unsure(*question) or known.relation(*question) is not None:
            continue  # the replayed run goes past this question, as it needs no one to answer it
        live = SuperInstanceClustering(X, question.reached, identity_metric(scale))
        again = clusterer.cluster(Problem(X, known, None, scale, seed=5), State())
        np.testing.assert_array_equal(again.labels, live.labels)
        np.testing.assert_array_equal(again.confidence(X), live.confidence(X))
        n_compared += 1
    assert n_compared > 5


@each_method
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


def test_a_resumed_session_stands_where_one_group_was_given_up():
    """The halves are the same; later one of them turns out to be mixed, and is split into many parts."""
    X, y = np.arange(64.0)[:, None], np.r_[np.zeros(32), np.arange(32) % 3]
    session, n_groups = begin(X, "cobras"), []
    for _ in range(8):
        answer(session, truth(y), 3)
        assert state(begin(X, "cobras", session.answers)) == state(session)
        n_groups.append(len(set(session.result().labels)))
    assert n_groups[0] == 1
    assert max(n_groups) > 3


@each_method
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


@each_method
def test_no_pair_is_asked_that_the_answers_settle(name):
    X, y = rows(seed=1)
    session = begin(X, name)
    while (pair := session.ask()) is not None:
        assert session.constraints.relation(*pair) is None
        assert not session.constraints.is_unsure(*pair)
        session.tell(truth(y)(pair))
    assert len(session.answers) < 3 * len(X)


@each_method
def test_unsure_to_everything_ends_with_groups(name):
    X, _ = rows()
    session = answer(begin(X, name), lambda pair: Answer.UNSURE)
    assert session.ask() is None
    assert len(set(session.result().labels)) == {"cobra": 12, "cobras": 2}[name]


@each_method
def test_answers_to_questions_of_ones_own_are_used(name):
    X, y = rows()
    session = answer(begin(X, name), truth(y), 5)
    pending = session.ask()
    rest = [i for i in range(len(X)) if i not in pending]
    for left, right in zip(rest[:-1:3], rest[1::3], strict=False):
        session.tell(truth(y)(Pair(left, right)), (left, right))
    assert session.ask() == pending
    assert state(begin(X, name, session.answers)) == state(session)


@each_method
def test_only_one_question_is_open_at_a_time(name):
    """Each question depends on the answer to the one before."""
    X, y = rows()
    session = answer(begin(X, name), truth(y), 5)
    assert session.ask(4) == [session.ask()]


@each_method
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


@each_method
def test_a_session_predicts_new_rows(name):
    X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=2)
    session = answer(begin(X[:60], name), truth(y[:60]), 60)
    assert adjusted_rand_score(y[60:], session.result().clustering.predict(X[60:])) > 0.5


def test_a_constant_column_and_a_single_row_are_accepted():
    X, y = rows()
    X[:, -1] = 4.0
    for name in CLUSTERERS:
        assert answer(begin(X, name), truth(y), 10).result().labels.shape == (len(X),)
        alone = begin(X[:1], name)
        assert alone.ask() is None
        assert alone.result().labels.tolist() == [0]


def test_cobras_improves_with_answers():
    X, y = make_opposite(n_samples=100, mixing=True, random_state=0)
    curve = simulate(X, y, 5, budget=120, checkpoints=[20, 120], clusterer=COBRAS(n_init=2), random_state=0)
    assert curve.ari.iloc[1] > curve.ari.iloc[0] + 0.1
