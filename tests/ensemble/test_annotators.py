"""Error rates of several annotators: recovered from answers that were made with known rates."""

import numpy as np
import pytest

from sameornot import ActiveSession, Answer
from sameornot._types import Pair
from sameornot.datasets import make_gaussian
from sameornot.ensemble.annotators import estimate_annotators, n_shared
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.noise import count_votes
from sameornot.ensemble.votes import VoteMatrix

NOISE = NoiseConfig()
SAYS = {True: Answer.SAME, False: Answer.DIFFERENT}


def made(errors, n_rows=200, n_groups=3, sure=0.6, seed=0):
    """Answers of several people about the same rows, each compared with the first row of some group."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n_rows)])
    prior = np.full((len(y), n_groups), (1.0 - sure) / (n_groups - 1))
    prior[np.arange(len(y)), y] = sure
    answers, annotators = [], []
    for row in range(n_groups, len(y)):
        group = int(rng.integers(n_groups))
        for name, error in errors.items():
            right = y[row] == group
            answers.append((Pair(row, group), SAYS[bool(right != (rng.random() < error))]))
            annotators.append(name)
    return answers, annotators, [np.array([m]) for m in range(n_groups)], prior


def test_rates_are_recovered():
    errors = {"ana": 0.02, "ben": 0.1, "eve": 0.35}
    answers, annotators, groups, prior = made(errors)
    found = estimate_annotators(answers, annotators, groups, prior, 0.1, NOISE)
    for name, error in errors.items():
        rate = found.rates[name]
        assert rate.estimate == pytest.approx(error, abs=0.06)
        assert rate.low <= error <= rate.high
    weight = dict(zip(annotators, found.weights, strict=True))
    assert weight["ana"] > weight["ben"] > weight["eve"] >= 0.0


def test_an_answer_of_somebody_who_guesses_counts_for_nearly_nothing():
    answers, annotators, groups, prior = made({"ana": 0.02, "ben": 0.02, "eve": 0.5})
    found = estimate_annotators(answers, annotators, groups, prior, 0.1, NOISE)
    assert dict(zip(annotators, found.weights, strict=True))["eve"] < 0.2


def test_little_shared_work_says_nothing():
    answers, annotators, groups, prior = made({"ana": 0.0, "ben": 0.0}, n_rows=NOISE.min_shared - 1)
    assert n_shared(answers, annotators) == NOISE.min_shared - 1
    assert estimate_annotators(answers, annotators, groups, prior, 0.1, NOISE) is None
    alone = ["ana"] * len(answers)
    assert estimate_annotators(answers, alone, groups, prior, 0.1, NOISE) is None


def test_weights_of_one_are_plain_votes():
    answers, _, groups, prior = made({"ana": 0.1, "ben": 0.2}, n_rows=30)
    ones = np.ones(len(answers))
    for plain, weighted in zip(
        count_votes(answers, groups, len(prior)), count_votes(answers, groups, len(prior), ones), strict=True
    ):
        assert np.array_equal(plain, weighted)
    plain, weighted = VoteMatrix.from_answers(answers), VoteMatrix.from_answers(answers, ones)
    assert np.array_equal(plain.net, weighted.net)
    assert (plain.n_same, plain.n_answers) == (weighted.n_same, weighted.n_answers)
    half = VoteMatrix.from_answers(answers, 0.5 * ones)
    assert np.array_equal(half.net, 0.5 * plain.net)
    assert half.n_answers == 0.5 * plain.n_answers


def session_of(X, y, n_clusters, *, is_named):
    """Ana is right about all rows; Eve guesses about half of them, and both answered these."""
    rng = np.random.default_rng(3)
    answers = [((row, int(np.flatnonzero(y == y[row])[0])), "same") for row in range(40)]
    answers = [(pair, said) for pair, said in answers if pair[0] != pair[1]]
    firsts = [int(np.flatnonzero(y == m)[0]) for m in np.unique(y)]
    told = [((a, b), "different") for n, a in enumerate(firsts) for b in firsts[:n]]
    log = [(pair, said, 1, False, (), "ana") for pair, said in (*told, *answers)]
    for pair, said in answers:
        wrong = rng.random() < 0.5
        log.append((pair, "different" if wrong else said, 1, True, (), "eve"))
    if not is_named:
        log = [line[:5] for line in log]
    return ActiveSession(X, n_clusters, random_state=0, answers=log)


@pytest.mark.parametrize("n_clusters", [3, None])
def test_the_session_believes_the_reliable_annotator(n_clusters):
    X, y = make_gaussian(n_samples=80, n_relevant=3, random_state=1)
    rows = np.arange(40)
    proba = {}
    for is_named in (True, False):
        session = session_of(X, y, n_clusters, is_named=is_named)
        people = session.result().clustering.posterior.annotators
        assert (people is not None) == is_named
        if is_named:
            assert people.rates["ana"].estimate < people.rates["eve"].estimate
        labels = session.result().labels
        truth = np.array([np.bincount(labels[y == m]).argmax() for m in np.unique(y)])
        confidence = session.result().confidence
        proba[is_named] = np.where(labels[rows] == truth[y[rows]], confidence[rows], 0.0).mean()
    assert proba[True] > proba[False]


def test_a_resumed_session_keeps_its_annotators():
    X, y = make_gaussian(n_samples=40, n_relevant=3, random_state=1)
    session = ActiveSession(X, 3, random_state=0)
    for n in range(6):
        left, right = session.ask()
        session.tell("same" if y[left] == y[right] else "different", annotator="ab"[n % 2])
    again = ActiveSession(X, 3, random_state=0, answers=session.answers)
    assert [reply.annotator for reply in again.answers] == list("ababab")
    assert again.ask() == session.ask()
