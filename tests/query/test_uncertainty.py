"""Uncertainty sampling, the default: finds groups, asks near even odds, rechecks answers, asks in batches."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, EnsembleClustering, simulate
from sameornot.datasets import make_gaussian
from sameornot.ensemble.fit import EnsembleFit
from sameornot.oracles import truth


def blobs(n_groups=4, n_each=15, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_groups), n_each)
    return 8.0 * rng.normal(size=(n_groups, 3))[y] + rng.normal(size=(len(y), 3)), y


def answer(session, y, n_questions):
    """The session after so many more answers, fewer where fewer questions are left."""
    for _ in range(n_questions):
        if (pair := session.ask()) is None:
            break
        session.tell(truth(y)(pair))
    return session


def test_well_separated_groups_are_found_with_the_fewest_possible_questions():
    X, y = blobs()
    session = answer(ActiveSession(X, 4, random_state=0), y, 3)
    assert len(session.result().neighbourhoods) == 4  # each new group was compared with the likeliest one
    assert adjusted_rand_score(y, session.result().labels) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_two_groups_that_are_one_are_merged(seed):
    """The halves of one group are as far apart as different groups: nothing but answers can tell."""
    rng = np.random.default_rng(seed)
    place = np.repeat(np.arange(6), 12)
    X = 6.0 * rng.normal(size=(6, 3))[place] + rng.normal(size=(72, 3))
    y = np.array([0, 0, 1, 2, 3, 4])[place]
    session = answer(ActiveSession(X, 5, random_state=seed), y, 60)
    assert adjusted_rand_score(y, session.result().labels) > 0.95
    groups = session.result().neighbourhoods
    assert [len(set(y[members])) for members in groups] == [1] * 5
    assert len({int(y[members[0]]) for members in groups}) == 5


def test_an_expert_who_cannot_compare_two_groups_is_asked_about_other_pairs():
    X, y = blobs(n_groups=5, n_each=4)
    session = ActiveSession(X, 5, random_state=0)
    n_asked = 0
    while (pair := session.ask()) is not None and n_asked < 150:
        session.tell("unsure" if {y[pair.left], y[pair.right]} == {0, 1} else truth(y)(pair))
        n_asked += 1
    assert n_asked < 150
    assert adjusted_rand_score(y, session.result().labels) == 1.0


@pytest.mark.parametrize("seed", range(3))
def test_the_number_of_groups_is_found_where_nobody_gives_it(seed):
    X, y = blobs(n_groups=5, seed=seed)
    session = answer(ActiveSession(X, random_state=seed), y, 60)
    assert adjusted_rand_score(y, session.result().labels) == 1.0


def test_once_all_groups_are_known_the_question_is_the_one_nearest_to_even_odds():
    X, y = make_gaussian(n_samples=80, n_relevant=3, separation=2.5, random_state=0)
    session = answer(ActiveSession(X, 3, random_state=0), y, 21)
    for _ in range(12):
        before = len(session.answers)
        if session.answers[-1].step == session.step:  # in the middle of placing a row
            answer(session, y, 1)
            continue
        question, proba = session.ask(), session.result().clustering.posterior.proba
        if not question.is_recheck:
            open_rows = np.setdiff1d(np.arange(len(y)), np.concatenate(session.result().neighbourhoods))
            certainty = np.abs(proba.max(axis=1) - 0.5)
            assert certainty[question.left] == pytest.approx(certainty[open_rows].min())
        answer(session, y, 1)
        assert len(session.answers) == before + 1


def test_rechecks_become_rarer_while_answers_hold():
    X, y = blobs()
    session = ActiveSession(X, 4, random_state=0)
    at = []
    while (question := session.ask()) is not None and len(session.answers) < 60:
        if question.is_recheck:
            at.append(len(session.answers))
        session.tell(truth(y)(question))
    assert at[0] <= 8
    assert np.all(np.diff(np.diff(at)) > 0)
    assert [n for n, reply in enumerate(session.answers) if reply.is_recheck] == at


def test_an_answer_that_does_not_hold_is_a_vote_and_no_contradiction():
    X, y = blobs()
    session = ActiveSession(X, 4, random_state=0)
    while not (question := session.ask()).is_recheck:
        session.tell(truth(y)(question))
    other = Answer.DIFFERENT if truth(y)(question) is Answer.SAME else Answer.SAME
    session.tell(other)
    assert session.answers[-1].is_recheck
    assert session.constraints.was_answered(*question)
    resumed = ActiveSession(X, 4, random_state=0, answers=session.answers)
    assert resumed.ask() == session.ask()
    session.undo()
    assert session.ask() == question
    assert session.ask().is_recheck


def test_ten_questions_at_once_are_about_ten_rows_and_may_be_answered_in_any_order():
    X, y = make_gaussian(n_samples=80, n_relevant=3, separation=3.0, random_state=0)
    session = answer(ActiveSession(X, 3, random_state=0), y, 12)
    pairs = session.ask(10)
    assert pairs[0] == session.ask()
    assert len({pair.left for pair in pairs if not pair.is_recheck}) >= 9
    for pair in reversed(pairs):
        session.tell(truth(y)(pair), pair)
    assert len(session.answers) == 22
    again = ActiveSession(X, 3, random_state=0, answers=session.answers)
    assert again.ask() == session.ask()


def test_questions_in_a_batch_find_the_groups_like_questions_one_by_one():
    X, y = blobs()
    session = ActiveSession(X, 4, random_state=0)
    pairs = session.ask(3)
    assert all({*pair} & {*pairs[0], *(other.left for other in pairs[:at])} for at, pair in enumerate(pairs))
    for pair in pairs:
        session.tell(truth(y)(pair), pair)
    assert {y[row] for pair in pairs for row in pair} == {0, 1, 2, 3}
    assert adjusted_rand_score(y, session.result().labels) == 1.0


@pytest.mark.parametrize("n_clusters", [4, None])
def test_a_batch_has_as_many_different_questions_as_are_wanted(n_clusters):
    X, y = make_gaussian(n_samples=120, n_relevant=4, separation=4.0, random_state=0)
    session = ActiveSession(X, n_clusters, random_state=0)
    for _ in range(4):
        pairs = session.ask(8)
        assert len({frozenset(pair) for pair in pairs}) == 8
        for pair in pairs:
            session.tell(truth(y)(pair), pair)


def test_a_batch_is_no_larger_than_what_is_left_to_ask():
    session = ActiveSession(np.arange(6.0).reshape(3, 2), 2, random_state=0)
    assert len(session.ask(10)) < 3


@pytest.mark.slow
def test_clear_groups_are_found_despite_wrong_answers():
    X, y = blobs(n_groups=2, n_each=60)
    curves = [
        simulate(X, y, 2, budget=80, checkpoints=[80], noise=0.1, random_state=seed) for seed in range(3)
    ]
    assert min(curve.ari.iloc[-1] for curve in curves) > 0.9


def test_groups_are_found_despite_unsure_answers():
    X, y = blobs()
    curve = simulate(X, y, 4, budget=40, checkpoints=[40], unsure=0.3, random_state=0)
    assert curve.ari.iloc[-1] == 1.0


def test_the_result_estimates_its_own_agreement():
    X, y = make_gaussian(n_samples=80, n_relevant=3, separation=3.0, random_state=0)
    session = ActiveSession(X, 3, random_state=0)
    early, late = (answer(session, y, n).result().agreement for n in (10, 60))
    assert 0.0 <= early.low <= early.estimate <= early.high <= 1.0
    assert early.estimate < late.estimate
    assert ActiveSession(X, 3, strategy="mee").result().agreement is None


def test_new_rows_are_predicted():
    X, y = blobs()
    session = answer(ActiveSession(X[::2], 4, random_state=0), y[::2], 20)
    clustering = session.result().clustering
    assert isinstance(clustering, EnsembleFit)
    assert adjusted_rand_score(y[1::2], clustering.predict(X[1::2])) == 1.0
    assert (clustering.confidence(X[1::2]) > 0.5).all()


def test_an_ensemble_of_one_or_two_learners_works_and_of_none_is_refused():
    X, y = blobs()
    for learners in (("extra_trees",), ("label_spreading", "whitened_lda")):
        clusterer = EnsembleClustering(learners=learners)
        session = answer(ActiveSession(X, 4, clusterer=clusterer, random_state=0), y, 25)
        assert adjusted_rand_score(y, session.result().labels) > 0.5
    for learners in ((), "extra_trees"):
        with pytest.raises(ValueError, match="learners"):
            ActiveSession(X, 4, clusterer=EnsembleClustering(learners=learners))
