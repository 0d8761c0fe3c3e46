"""NPU picks the point with the most uncertainty per question, counting the questions that a sweep asks."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import view_after

from sameornot import Answer, Pair
from sameornot.query import NPU
from sameornot.query.npu import normalised_uncertainty
from sameornot.query.sweep import Pick

APART = [(0, 1), (0, 2), (1, 2)]


def view_with(apart, *, n=9, same=()):
    """Rows on a line, of which some are known to differ."""
    facts = [(*pair, Answer.DIFFERENT) for pair in apart] + [(*pair, Answer.SAME) for pair in same]
    return view_after(*facts, X=np.arange(float(n))[:, None])


def questions_about(view, seed=0):
    return NPU().ask(view, np.random.default_rng(seed))


def questions_of_a_sweep(view, point, likelihood, m):
    """How many questions are asked about a point that belongs to the given neighbourhood."""
    asking = NPU().sweep(view, Pick(point, likelihood), np.random.default_rng(0))
    pair, n_questions = next(asking), 1
    while pair.right not in view.neighbourhoods[m]:
        pair, n_questions = asking.send(Answer.DIFFERENT), n_questions + 1
    with pytest.raises(StopIteration):
        asking.send(Answer.SAME)
    return n_questions


def entropy(row):
    return -sum(p * np.log(p) for p in row if p > 0)


def set_memberships(monkeypatch, R):
    monkeypatch.setattr(NPU, "memberships", lambda strategy, view, rng: R)


@given(st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from([0.05, 0.5, 1.0, 20.0]))
@settings(max_examples=60)
def test_score_is_entropy_over_the_mean_number_of_questions_of_simulated_sweeps(
    n_groups, seed, concentration
):
    view = view_with([(i, j) for i in range(n_groups) for j in range(i)])
    R = np.random.default_rng(seed).dirichlet(np.full(n_groups, concentration), size=4)
    expected = []
    for row in R:
        cost = sum(row[m] * questions_of_a_sweep(view, 8, row, m) for m in range(len(view.neighbourhoods)))
        expected.append(entropy(row) / cost)
    np.testing.assert_allclose(normalised_uncertainty(R), expected, atol=1e-12)


def test_score_does_not_depend_on_the_order_of_the_neighbourhoods():
    row = np.array([0.5, 0.1, 0.4])
    scores = normalised_uncertainty(np.array([row[list(order)] for order in permutations(range(3))]))
    np.testing.assert_allclose(scores, scores[0])


def test_score_worked_by_hand():
    scores = normalised_uncertainty(np.array([[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]))
    cost = 0.75 * 1 + 0.25 * 2
    np.testing.assert_allclose(scores, [0.0, np.log(2) / 1.5, entropy([0.25, 0.75]) / cost])


def test_costs_of_unsorted_probabilities_would_pick_another_point(monkeypatch):
    R = np.tile(np.eye(3)[0], (9, 1))
    R[4], R[6] = [0.1, 0.3, 0.6], [0.7, 0.2, 0.1]
    unsorted = {i: entropy(R[i]) / (R[i] @ [1, 2, 3]) for i in (4, 6)}
    assert unsorted[6] > unsorted[4]
    set_memberships(monkeypatch, R)
    assert next(questions_about(view_with(APART))).left == 4


def test_asks_about_the_best_point_and_each_neighbourhood_likeliest_first(monkeypatch):
    view = view_with(APART)
    R = np.random.default_rng(3).dirichlet(np.ones(3), size=9)
    set_memberships(monkeypatch, R)
    best = 3 + int(normalised_uncertainty(R[3:]).argmax())
    questions = questions_about(view)
    asked = [next(questions), questions.send(Answer.DIFFERENT), questions.send(Answer.UNSURE)]
    assert asked == [Pair(best, int(view.neighbourhoods[m][0])) for m in np.argsort(-R[best])]
    with pytest.raises(StopIteration):
        questions.send(Answer.DIFFERENT)


def test_placed_points_are_not_asked_about_however_uncertain(monkeypatch):
    R = np.tile([0.9, 0.1], (9, 1))
    R[:2] = 0.5
    set_memberships(monkeypatch, R)
    view = view_with([(0, 1)])
    asked = {next(questions_about(view, seed)).left for seed in range(20)}
    assert asked <= set(range(2, 9))


def test_ties_are_broken_at_random(monkeypatch):
    R = np.tile([0.5, 0.5], (9, 1))
    R[5:] = [0.99, 0.01]
    set_memberships(monkeypatch, R)
    view = view_with([(0, 1)])
    asked = {next(questions_about(view, seed)).left for seed in range(50)}
    assert asked == {2, 3, 4}


def test_before_the_first_answer_every_point_is_as_good_as_any_other():
    """One neighbourhood leaves no uncertainty, and so no point ahead of the others."""
    view = view_with([], n=4)
    asked = {next(questions_about(view, seed)) for seed in range(12)}
    assert asked == {Pair(i, 0) for i in range(1, 4)}


def test_asks_nothing_when_every_point_is_placed():
    view = view_with([], same=[(0, i) for i in range(1, 9)])
    assert list(questions_about(view)) == []
