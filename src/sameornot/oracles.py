"""Experts for simulations: each is a function from a pair to an answer."""

from collections.abc import Callable

import numpy as np

from sameornot._types import Answer, Pair

Oracle = Callable[[Pair], Answer]


def truth(labels: np.ndarray) -> Oracle:
    """An expert who is always right."""

    def answer(pair: Pair) -> Answer:
        return Answer.SAME if labels[pair.left] == labels[pair.right] else Answer.DIFFERENT

    return answer


def noisy(oracle: Oracle, rate: float, rng: np.random.Generator) -> Oracle:
    """An expert whose "same" and "different" are swapped in a share `rate` of the answers."""
    swapped = {Answer.SAME: Answer.DIFFERENT, Answer.DIFFERENT: Answer.SAME, Answer.UNSURE: Answer.UNSURE}

    def answer(pair: Pair) -> Answer:
        given = oracle(pair)
        return swapped[given] if rng.random() < rate else given

    return answer


def unsure(oracle: Oracle, rate: float, rng: np.random.Generator) -> Oracle:
    """An expert who does not know in a share `rate` of the cases."""

    def answer(pair: Pair) -> Answer:
        return Answer.UNSURE if rng.random() < rate else oracle(pair)

    return answer
