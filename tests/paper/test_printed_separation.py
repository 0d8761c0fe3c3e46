"""λ of the printed preset is the one whose memberships predict held-out answers best (5 folds, §4)."""

from itertools import combinations, product

import numpy as np
import pytest
from made_answers import Answered
from printed_formulas import descend, implied_pairs

from sameornot import AugmentedClustering

GRID = (0.0, 0.25, 0.5, 0.75, 1.0)

ACROSS = list(product(range(4), range(4, 8)))
ANSWERS = {
    # Five rows of two groups that are all said to differ: the less sure the memberships, the better.
    "no separation": (list(combinations(range(5), 2)), 0.0),
    # Two groups of four, and in each a pair that is said to differ: the surer, the better.
    "full separation": ([*ACROSS, (0, 1), (4, 5)], 1.0),
}


def held_out_error(pairs, fold: np.ndarray, separation: float) -> float:
    """Sum over all answers of (y − h_i·h_j)², each by memberships that its fold had no part in."""
    n_rows, error = 1 + max(max(pair) for pair in pairs), 0.0
    for left_out in range(5):
        kept = [pair for pair, number in zip(pairs, fold, strict=True) if number != left_out]
        told = sorted({row for pair in kept for row in pair})
        place = {row: at for at, row in enumerate(told)}
        S, D = implied_pairs(len(told), [], [(place[i], place[j]) for i, j in kept])
        H = np.full((n_rows, 2), 0.5)
        H[told] = descend(len(told), 2, S, D, separation, n_starts=15, n_steps=100)[1][0]
        error += sum(
            (H[i] @ H[j]) ** 2 for (i, j), number in zip(pairs, fold, strict=True) if number == left_out
        )
    return error


@pytest.mark.parametrize("case", ANSWERS)
def test_the_separation_predicts_held_out_answers_best(case):
    pairs, best = ANSWERS[case]
    for seed in range(2):
        fold = np.random.default_rng(seed).permutation(len(pairs)) % 5
        errors = {value: held_out_error(pairs, fold, value) for value in (0.0, 0.5, 1.0)}
        assert min(errors, key=errors.__getitem__) == best
    X = np.random.default_rng(7).normal(size=(10, 4))
    answered = Answered(X, 2, [], pairs)
    by_value = {value: metric(answered, value) for value in GRID}
    chosen = metric(answered, "cv")
    distance = {value: np.abs(A - chosen).sum() for value, A in by_value.items()}
    assert min(distance, key=distance.__getitem__) == best
    assert distance[best] < 0.1 * min(far for value, far in distance.items() if value != best)


def metric(answered: Answered, separation) -> np.ndarray:
    """A of the printed preset with a given λ, or one that is chosen."""
    model = AugmentedClustering.as_printed(2, penalty=None, separation=separation, random_state=0)
    return model.fit(answered.X, **answered.links).metric_.matrix


def test_the_printed_preset_chooses_it():
    assert AugmentedClustering.as_printed().separation == "cv"
