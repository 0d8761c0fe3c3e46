"""MEE picks the point that the paper's u^t picks, and asks about it as Algorithm 1 says."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import view_after

from sameornot import Answer, Pair
from sameornot.query import MinimumExpectedEntropy
from sameornot.query.forest import current_memberships
from sameornot.query.mee import BLOCK, binary_entropy, expected_gain


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
def memberships_and_placed(draw):
    """Memberships with some placed points and, at small concentrations, many near-certain ones."""
    n_points = draw(st.integers(2, 8))
    n_groups = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    concentration = draw(st.sampled_from([0.05, 0.5, 1.0, 20.0]))
    R = rng.dirichlet(np.full(n_groups, concentration), size=n_points)
    placed = rng.permutation(n_points) < draw(st.integers(0, n_points - 1))
    R[placed] = np.eye(n_groups)[rng.integers(n_groups, size=placed.sum())]
    return R, placed


@given(memberships_and_placed())
@settings(deadline=None, max_examples=60)
def test_gain_is_the_fall_of_the_brute_force_expected_entropy(case):
    R, placed = case
    candidates = np.flatnonzero(~placed)
    gain = expected_gain(R, candidates, placed)
    brute_force = [expected_entropy(R, i) for i in candidates]
    np.testing.assert_allclose(entropy_of_all_pairs(R) - gain, brute_force, atol=1e-9)


@given(memberships_and_placed())
@settings(deadline=None, max_examples=60)
def test_largest_gain_is_smallest_expected_entropy(case):
    R, placed = case
    candidates = np.flatnonzero(~placed)
    brute_force = np.array([expected_entropy(R, i) for i in candidates])
    chosen = expected_gain(R, candidates, placed).argmax()
    assert brute_force[chosen] == pytest.approx(brute_force.min(), abs=1e-9)


@pytest.mark.parametrize("n_parts", [2, 7, 500])
def test_gain_does_not_depend_on_how_candidates_are_divided_into_blocks(n_parts):
    rng = np.random.default_rng(0)
    n_points = BLOCK + 20
    R = rng.dirichlet(np.ones(3), size=n_points)
    placed = np.arange(n_points) < 4
    R[placed] = np.eye(3)[[0, 1, 2, 2]]
    candidates = np.flatnonzero(~placed)
    by_parts = [expected_gain(R, part, placed) for part in np.array_split(candidates, n_parts)]
    np.testing.assert_allclose(np.concatenate(by_parts), expected_gain(R, candidates, placed), rtol=1e-12)


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


def blob_view(*facts):
    """The view after the given facts, with a clustering that finds the blobs."""
    return view_after(*facts, X=three_blobs(), n_clusters=3, labels=np.repeat([0, 1, 2], 4))


def questions_about(view, seed=0):
    return MinimumExpectedEntropy().ask(view, np.random.default_rng(seed))


def set_memberships(monkeypatch, R):
    monkeypatch.setattr(MinimumExpectedEntropy, "memberships", lambda strategy, view, rng: R)


APART = [(0, 4, Answer.DIFFERENT), (4, 8, Answer.DIFFERENT), (0, 8, Answer.DIFFERENT)]


def test_memberships_are_probabilities_that_agree_with_the_answers():
    view = blob_view(*APART, (1, 0, Answer.SAME), (5, 4, Answer.DIFFERENT))
    R = current_memberships(view, np.random.default_rng(0))
    np.testing.assert_allclose(R.sum(axis=1), 1.0)
    for m, members in enumerate(view.neighbourhoods):
        np.testing.assert_array_equal(R[members], np.tile(np.eye(3)[m], (len(members), 1)))
    own = [
        next(m for m, members in enumerate(view.neighbourhoods) if start in members) for start in (0, 4, 8)
    ]
    assert R[5, own[1]] == 0.0  # although it lies in the middle of that blob
    assert R[3].argmax() == own[0]
    assert R[6].argmax() == own[1]
    assert R[10].argmax() == own[2]


def test_asks_about_the_best_point_and_each_neighbourhood_likeliest_first(monkeypatch):
    view = blob_view(*APART)
    R = np.random.default_rng(3).dirichlet(np.ones(3), size=12)
    for m, members in enumerate(view.neighbourhoods):
        R[members] = np.eye(3)[m]
    set_memberships(monkeypatch, R)
    waiting = [i for i in range(12) if i not in (0, 4, 8)]
    best = min(waiting, key=lambda i: expected_entropy(R, i))
    questions = questions_about(view)
    asked = [next(questions), questions.send(Answer.DIFFERENT), questions.send(Answer.UNSURE)]
    expected = [Pair(best, int(view.neighbourhoods[m][0])) for m in np.argsort(-R[best])]
    assert asked == expected
    first = {int(members[0]): p for members, p in zip(view.neighbourhoods, R[best], strict=True)}
    assert [question.proba for question in asked] == [pytest.approx(first)] * 3
    with pytest.raises(StopIteration):
        questions.send(Answer.DIFFERENT)


def test_same_ends_the_sweep():
    questions = questions_about(blob_view(*APART))
    next(questions)
    with pytest.raises(StopIteration):
        questions.send(Answer.SAME)


def test_ties_are_broken_at_random(monkeypatch):
    # Before the first answer there is one neighbourhood, and nothing tells the points apart.
    set_memberships(monkeypatch, np.ones((12, 1)))
    asked = {next(questions_about(blob_view(), seed)) for seed in range(100)}
    assert asked == {Pair(i, 0) for i in range(1, 12)}


def test_asks_nothing_when_every_point_is_placed():
    facts = [(0, i, Answer.SAME) for i in range(1, 12)]
    assert list(questions_about(blob_view(*facts))) == []
