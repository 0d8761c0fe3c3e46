"""Simulated experts answer as they claim to."""

from itertools import combinations

import numpy as np
import pytest

from sameornot import Answer, Pair
from sameornot.oracles import noisy, truth, unsure

LABELS = np.array(["a", "b", "a", "c", "b", "a"])
PAIRS = [Pair(i, j) for i, j in combinations(range(6), 2)]
TRUE = [Answer.SAME if LABELS[i] == LABELS[j] else Answer.DIFFERENT for i, j in PAIRS]


def swapped(answer):
    return Answer.DIFFERENT if answer is Answer.SAME else Answer.SAME


def test_truth_is_always_right():
    oracle = truth(LABELS)
    assert [oracle(pair) for pair in PAIRS] == TRUE
    assert [oracle(Pair(right, left)) for left, right in PAIRS] == TRUE


@pytest.mark.parametrize("wrap", [noisy, unsure])
def test_at_rate_0_nothing_changes(wrap):
    oracle = wrap(truth(LABELS), 0.0, np.random.default_rng(0))
    assert [oracle(pair) for pair in PAIRS] == TRUE


def test_at_rate_1_noise_is_always_wrong():
    oracle = noisy(truth(LABELS), 1.0, np.random.default_rng(0))
    assert [oracle(pair) for pair in PAIRS] == [swapped(answer) for answer in TRUE]


def test_at_rate_1_every_answer_is_unsure():
    oracle = unsure(truth(LABELS), 1.0, np.random.default_rng(0))
    assert {oracle(pair) for pair in PAIRS} == {Answer.UNSURE}


@pytest.mark.parametrize("rate", [0.1, 0.5])
@pytest.mark.parametrize("wrap", [noisy, unsure])
def test_the_rate_is_the_share_of_changed_answers(wrap, rate):
    oracle = wrap(truth(LABELS), rate, np.random.default_rng(0))
    n_asked = 4000
    changed = sum(oracle(PAIRS[k % 15]) is not TRUE[k % 15] for k in range(n_asked))
    assert changed == pytest.approx(rate * n_asked, abs=5 * np.sqrt(n_asked * rate * (1 - rate)))


def test_noise_leaves_unsure_answers_alone():
    never_sure = unsure(truth(LABELS), 1.0, np.random.default_rng(0))
    oracle = noisy(never_sure, 1.0, np.random.default_rng(1))
    assert {oracle(pair) for pair in PAIRS} == {Answer.UNSURE}


@pytest.mark.parametrize("wrap", [noisy, unsure])
def test_the_seed_decides_the_answers(wrap):
    def answers(seed):
        oracle = wrap(truth(LABELS), 0.5, np.random.default_rng(seed))
        return [oracle(pair) for pair in PAIRS]

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)
