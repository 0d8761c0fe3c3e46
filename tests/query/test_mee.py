"""MEE picks the point that the paper's u^t picks, and asks about it as Algorithm 1 says."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer, Constraints, Pair
from sameornot.cluster import AugmentedSettings, Clustering
from sameornot.metric.learn import identity_metric
from sameornot.query import Problem
from sameornot.query.mee import binary_entropy, current_memberships, expected_gain, mee

MODULE = import_module("sameornot.query.mee")


def entropy_of_all_pairs(R):
    """Q(R) of §4, pair by pair, with logarithms of positive numbers only."""
    total = 0.0
    for i in range(len(R)):
        for j in range(i):
            for p in (R[i] @ R[j], 1.0 - R[i] @ R[j]):
                total -= p * np.log(p) if p > 1e-15 else 0.0
    return total


def expected_entropy(R, i):
    """u^t(x_i) of §4: Q after the membership of i is known, averaged over what it may be."""
    total = 0.0
    for m, probability in enumerate(R[i]):
        known = R.copy()
        known[i] = np.eye(R.shape[1])[m]
        total += probability * entropy_of_all_pairs(known)
    return total


@st.composite
def membership_problems(draw):
    """Memberships with some placed points and, at small concentrations, many near-certain ones."""
    n_points = draw(st.integers(2, 8))
    n_hoods = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    concentration = draw(st.sampled_from([0.05, 0.5, 1.0, 20.0]))
    R = rng.dirichlet(np.full(n_hoods, concentration), size=n_points)
    placed = rng.permutation(n_points) < draw(st.integers(0, n_points - 1))
    R[placed] = np.eye(n_hoods)[rng.integers(n_hoods, size=placed.sum())]
    return R, placed


@given(membership_problems())
@settings(deadline=None, max_examples=60)
def test_gain_is_the_fall_of_the_brute_force_expected_entropy(problem):
    R, placed = problem
    candidates = np.flatnonzero(~placed)
    gain = expected_gain(R, candidates, placed)
    brute_force = [expected_entropy(R, i) for i in candidates]
    np.testing.assert_allclose(entropy_of_all_pairs(R) - gain, brute_force, atol=1e-9)


@given(membership_problems())
@settings(deadline=None, max_examples=60)
def test_largest_gain_is_smallest_expected_entropy(problem):
    R, placed = problem
    candidates = np.flatnonzero(~placed)
    brute_force = np.array([expected_entropy(R, i) for i in candidates])
    chosen = expected_gain(R, candidates, placed).argmax()
    assert brute_force[chosen] == pytest.approx(brute_force.min(), abs=1e-9)


@pytest.mark.parametrize("block", [1, 2, 7])
def test_gain_does_not_depend_on_the_block_size(monkeypatch, block):
    rng = np.random.default_rng(0)
    R = rng.dirichlet(np.ones(3), size=20)
    placed = np.arange(20) < 4
    R[placed] = np.eye(3)[[0, 1, 2, 2]]
    candidates = np.flatnonzero(~placed)
    at_once = expected_gain(R, candidates, placed)
    monkeypatch.setattr(MODULE, "BLOCK", block)
    np.testing.assert_allclose(expected_gain(R, candidates, placed), at_once, rtol=1e-12)


def test_gain_of_some_candidates_is_their_part_of_the_gain_of_all():
    R = np.random.default_rng(1).dirichlet(np.ones(3), size=9)
    placed = np.zeros(9, dtype=bool)
    gain = expected_gain(R, np.arange(9), placed)
    np.testing.assert_allclose(expected_gain(R, np.array([7, 2]), placed), gain[[7, 2]])


def test_binary_entropy_at_its_ends_and_its_top():
    np.testing.assert_allclose(binary_entropy(np.array([0.0, 0.5, 1.0])), [0.0, np.log(2.0), 0.0], atol=0)


@given(st.floats(0.0, 1.0))
@settings(deadline=None)
def test_binary_entropy_is_symmetric_and_between_0_and_log_2(p):
    here, mirrored = binary_entropy(np.array([p, 1.0 - p]))
    assert here == pytest.approx(mirrored, abs=1e-12)
    assert 0.0 <= here <= np.log(2.0) + 1e-15


def three_blobs():
    """Twelve points in three far groups: 0–3, 4–7 and 8–11."""
    centers = np.repeat([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], 4, axis=0)
    return centers + np.random.default_rng(0).normal(size=(12, 2))


def blob_problem(*facts):
    """The problem after the given facts, with a clustering that finds the blobs."""
    X = three_blobs()
    known = Constraints(12)
    for left, right, answer in facts:
        known.add((left, right), answer)
    clustering = Clustering(np.repeat([0, 1, 2], 4), np.zeros((3, 2)), identity_metric(np.ones(2)), 1)
    return Problem(X, known, 3, np.arange(12), np.ones(X.shape[1]), AugmentedSettings(), lambda: clustering)


APART = [(0, 4, Answer.DIFFERENT), (4, 8, Answer.DIFFERENT), (0, 8, Answer.DIFFERENT)]


def test_memberships_are_probabilities_that_know_the_answers():
    problem = blob_problem(*APART, (1, 0, Answer.SAME), (5, 4, Answer.DIFFERENT))
    R = current_memberships(problem, np.random.default_rng(0))
    np.testing.assert_allclose(R.sum(axis=1), 1.0)
    for m, members in enumerate(problem.hoods):
        np.testing.assert_array_equal(R[members], np.tile(np.eye(3)[m], (len(members), 1)))
    hood_of_4 = next(m for m, members in enumerate(problem.hoods) if 4 in members)
    assert R[5, hood_of_4] == 0.0  # although it lies in the middle of that blob
    own = [next(m for m, members in enumerate(problem.hoods) if start in members) for start in (0, 4, 8)]
    assert R[3].argmax() == own[0]
    assert R[6].argmax() == own[1]
    assert R[10].argmax() == own[2]


def test_asks_the_best_point_against_each_neighbourhood_likeliest_first(monkeypatch):
    problem = blob_problem(*APART)
    R = np.random.default_rng(3).dirichlet(np.ones(3), size=12)
    for m, members in enumerate(problem.hoods):
        R[members] = np.eye(3)[m]
    monkeypatch.setattr(MODULE, "current_memberships", lambda problem, rng: R)
    waiting = [i for i in range(12) if i not in (0, 4, 8)]
    best = min(waiting, key=lambda i: expected_entropy(R, i))
    questions = mee(problem, np.random.default_rng(0))
    asked = [next(questions), questions.send(Answer.DIFFERENT), questions.send(Answer.UNSURE)]
    expected = [Pair(best, int(problem.hoods[m][0])) for m in np.argsort(-R[best])]
    assert asked == expected
    with pytest.raises(StopIteration):
        questions.send(Answer.DIFFERENT)


def test_same_ends_the_sweep():
    questions = mee(blob_problem(*APART), np.random.default_rng(0))
    next(questions)
    with pytest.raises(StopIteration):
        questions.send(Answer.SAME)


def test_points_of_equal_gain_are_all_asked_about_in_the_long_run(monkeypatch):
    # Before the first answer there is one neighbourhood, and nothing tells the points apart.
    monkeypatch.setattr(MODULE, "current_memberships", lambda problem, rng: np.ones((12, 1)))
    asked = {next(mee(blob_problem(), np.random.default_rng(seed))) for seed in range(100)}
    assert asked == {Pair(i, 0) for i in range(1, 12)}


def test_asks_nothing_when_every_point_is_placed():
    facts = [(0, i, Answer.SAME) for i in range(1, 12)]
    assert list(mee(blob_problem(*facts), np.random.default_rng(0))) == []
