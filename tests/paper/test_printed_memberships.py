"""Memberships (H) are the minimum of formula (2), with λ on every row.

No public result shows H itself, so these tests call the function that the printed preset calls. What H does
to the metric is tested through the preset, in `test_printed_metric.py`.
"""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_answers import Answered, too_many_groups, uniquely_colourable
from printed_formulas import best_one_hot, descend, implied_pairs, membership_objective

from sameornot import Answer, Constraints, Contradiction
from sameornot.augmentation.memberships import augment

SEPARATIONS = [0.0, 0.25, 0.5, 1.0]


def printed_memberships(answered: Answered, separation: float, seed: int = 0) -> np.ndarray:
    """The rows of H that answers are about, by row number."""
    same, different = (
        np.array(pairs, dtype=int).reshape(-1, 2) for pairs in (answered.same, answered.different)
    )
    constraints = Constraints.from_pairs(len(answered.X), must_link=same, cannot_link=different)
    rng = np.random.default_rng(seed)
    found = augment(constraints, answered.n_groups, rng, separation=separation, shared=False, closure=True)
    assert all(len(members) == 1 for members in found.groups)
    return found.rows[np.argsort([members[0] for members in found.groups])]


def value_of(H: np.ndarray, answered: Answered, separation: float) -> float:
    """Formula (2) over all implied pairs; answers are about the first rows."""
    return membership_objective(H, *answered.implied(), separation)


@st.composite
def some_answers(draw) -> Answered:
    """Answers about six rows, some of them wrong; those that transitivity refutes are left out."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_groups = draw(st.integers(2, 3))
    truth = rng.integers(n_groups, size=6)
    constraints = Constraints(6)
    same, different = [], []
    pairs = rng.permutation(list(combinations(range(6), 2)))[: draw(st.integers(4, 12))]
    for i, j in pairs.tolist():
        is_same = bool(truth[i] == truth[j]) != (rng.random() < 0.2)
        try:
            constraints.add((i, j), Answer.SAME if is_same else Answer.DIFFERENT)
        except Contradiction:
            continue
        (same if is_same else different).append((i, j))
    told = {row for pair in same + different for row in pair}
    different += [(row, (row + 1) % 6) for row in range(6) if row not in told]
    return Answered(np.zeros((6, 1)), n_groups, same, different)


@settings(max_examples=20)
@given(some_answers(), st.sampled_from(SEPARATIONS))
def test_no_memberships_are_better_than_those_found(answered, separation):
    """One-hot rows by enumeration, any rows by projected gradient from random ones."""
    S, D = answered.implied()
    reached, _ = descend(6, answered.n_groups, S, D, separation, n_starts=20, n_steps=150)
    best = min(best_one_hot(6, answered.n_groups, S, D), reached[0])
    found = value_of(printed_memberships(answered, separation), answered, separation)
    assert found <= best + 1e-4 * max(best, 1.0)


@pytest.mark.parametrize("separation", SEPARATIONS)
@pytest.mark.parametrize("sizes", [(3, 1, 1), (2, 3, 1), (3, 2, 2), (4, 3, 3)])
def test_more_groups_than_there_are_find_the_best_compromise(sizes, separation):
    answered = too_many_groups(0, sizes)
    S, D = answered.implied()
    best = min(descend(sum(sizes), 2, S, D, separation, n_starts=20)[0][0], best_one_hot(sum(sizes), 2, S, D))
    found = value_of(printed_memberships(answered, separation), answered, separation)
    assert found <= best * (1 + 1e-4)


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from(SEPARATIONS))
def test_answers_that_can_all_hold_leave_nothing_whatever_the_separation(seed, n_groups, separation):
    answered, H = uniquely_colourable(seed, n_groups)
    found = printed_memberships(answered, separation)
    assert value_of(found, answered, separation) == pytest.approx(0, abs=1e-6)
    np.testing.assert_allclose(found @ found.T, H[:10] @ H[:10].T, atol=1e-3)


def test_every_row_that_an_answer_is_about_has_memberships_and_no_other_row():
    answered = Answered(np.zeros((9, 1)), 3, [(7, 2), (2, 5)], [(0, 7)])
    H = printed_memberships(answered, 0.5)
    assert H.shape == (4, 3)  # the rows 0, 2, 5 and 7
    np.testing.assert_allclose(H.sum(axis=1), 1.0)
    np.testing.assert_allclose(H @ H.T, [[1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]], atol=1e-6)


def test_implied_pairs_take_part():
    """Five answers, of which ten pairs follow: groups that were compared once differ in up to three pairs."""
    same, different = [(0, 1), (1, 2)], [(0, 3), (3, 4), (4, 0)]
    S, D = implied_pairs(5, same, different)
    assert (len(S), len(D)) == (3, 7)
    answered = Answered(np.zeros((5, 1)), 2, same, different)
    H = printed_memberships(answered, 0.25)
    answers_alone = descend(5, 2, same, different, 0.25)[1][0]
    assert membership_objective(H, S, D, 0.25) < membership_objective(answers_alone, S, D, 0.25) - 0.01
