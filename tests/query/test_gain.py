"""What placing a row is worth, against enumeration."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import ActiveSession, UncertaintySampling
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.query.gain import expected_gain, gain_of_any_sweep, representativeness, sweep_cost

seeds = st.integers(0, 2**32 - 1)


def beliefs(seed, n_rows=5, n_known=4, n_new=2):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n_known + n_new, rng.choice([0.2, 1.0, 5.0])), size=n_rows)


@settings(deadline=None, max_examples=40)
@given(seeds, st.integers(0, 5))
def test_representativeness_is_the_sum_over_rows_that_no_taken_row_is_like(seed, n_taken):
    rng = np.random.default_rng(seed)
    similar = rng.random((12, 12))
    taken, weight = rng.choice(12, n_taken, replace=False), rng.random(12)
    expected = [
        sum(weight[j] * max(similar[j, i] - max(similar[j, taken], default=0.0), 0.0) for j in range(12))
        for i in range(12)
    ]
    np.testing.assert_allclose(representativeness(similar, taken, weight), expected, atol=1e-12)


def questions_by_enumeration(proba, n_known, threshold, last_follows):
    """Expected questions: the true group is drawn, and the known ones are asked one by one."""
    order = np.argsort(-proba[:n_known], kind="stable")
    new, expected = max(1.0 - proba[:n_known].sum(), 0.0), 0.0
    for group, chance in [*enumerate(proba[:n_known]), (None, new)]:
        n_asked, left = 0, 1.0
        for at, asked in enumerate(order):
            is_last = last_follows and at == n_known - 1
            if at > 0 and (new >= threshold * left or left - new <= 1e-9 or is_last):
                break
            n_asked += 1
            if asked == group:
                break
            left -= proba[asked]
        expected += chance * n_asked
    return expected


@settings(deadline=None, max_examples=60)
@given(seeds, st.sampled_from([0.5, 0.8]), st.booleans())
def test_the_cost_of_a_sweep_is_the_expected_number_of_questions(seed, threshold, last_follows):
    proba = beliefs(seed, n_new=0 if last_follows else 2)
    expected = [questions_by_enumeration(row, 4, threshold, last_follows) for row in proba]
    found = sweep_cost(proba, 4, threshold, last_follows=last_follows)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def gain_by_enumeration(proba, n_known):
    """The best fall of the error per question, over how many groups are asked at most."""
    order = np.argsort(-proba[:n_known], kind="stable")
    gains = []
    for n_asked in range(1, n_known + 1):
        asked = order[:n_asked]
        rest = np.delete(proba, asked)
        error = rest.sum() - rest.max(
            initial=0.0
        )  # the row is right if "same", or else by its likeliest rest
        cost = sum((1.0 - proba[order[:k]].sum()) for k in range(n_asked))
        gains.append(((1.0 - proba.max()) - error) / cost)
    return max(gains)


@settings(deadline=None, max_examples=60)
@given(seeds)
def test_the_gain_without_a_number_is_that_of_the_best_number_of_groups_to_ask(seed):
    proba = beliefs(seed)
    expected = [gain_by_enumeration(row, 4) for row in proba]
    np.testing.assert_allclose(gain_of_any_sweep(proba, 4), expected, atol=1e-9)


def test_one_question_is_worth_the_probability_of_the_second_group():
    proba = np.array([[0.5, 0.3, 0.2, 0.0]])
    first = (0.3, (0.3 + 0.2) / (1 + 0.5))
    assert gain_of_any_sweep(proba, 4)[0] == pytest.approx(max(first))


def test_a_certain_row_is_worth_nothing_and_one_that_stands_for_many_is_worth_more():
    X, y = make_gaussian(n_samples=80, n_relevant=3, separation=2.5, random_state=0)
    session = ActiveSession(X, 3, random_state=0)
    for _ in range(12):
        session.tell(truth(y)(session.ask()))
    session.ask()
    view = session._dialogue._step.view
    worth = expected_gain(view, np.arange(80), 0.5)
    assert worth[view.placed].max() <= worth[~view.placed].max()
    wrong = 1.0 - view.clustering.posterior.proba.max(axis=1)
    assert (worth[~view.placed] >= 0).all()
    assert np.corrcoef(worth[~view.placed], wrong[~view.placed])[0, 1] > 0


@pytest.mark.parametrize("n_clusters", [3, None])
def test_the_row_that_is_asked_about_is_worth_most(n_clusters):
    X, y = make_gaussian(n_samples=80, n_relevant=3, separation=2.5, random_state=0)
    session = ActiveSession(X, n_clusters, random_state=0)
    n_tested = 0
    for _ in range(40):
        question = session.ask()
        begins = not session.answers or session.answers[-1].step < session.step
        view = session._dialogue._step.view
        if begins and question.proba and not question.is_recheck:
            candidates = view.candidates()
            worth = expected_gain(view, candidates, 0.5)
            assert worth[candidates == question.left] == pytest.approx(worth.max())
            n_tested += 1
        session.tell(truth(y)(question))
    assert n_tested > 5
    steps = [reply.step for reply in session.answers]
    assert all(a <= b for a, b in pairwise(steps))


def longest_sweep(patience):
    """The largest number of groups that one row was compared with in a step, with 40 groups that overlap."""
    rng = np.random.default_rng(0)
    y = np.arange(240) % 40
    X = rng.normal(size=(40, 4))[y] + 0.35 * rng.normal(size=(240, 4))
    session = ActiveSession(X, 40, strategy=UncertaintySampling(patience=patience), random_state=0)
    asked = Counter()
    for _ in range(150):
        question = session.ask()
        asked[session.step, question.left] += not question.is_recheck
        session.tell(truth(y)(question))
    return max(asked.values())


@pytest.mark.slow
def test_a_row_that_differs_from_many_groups_is_left_for_one_that_is_worth_more():
    assert longest_sweep(3) < longest_sweep(1000)
