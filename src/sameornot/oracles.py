"""Experts for simulations: each is a function from a pair to an answer, or from a choice to an answer."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sameornot._types import Answer, Choice, Pair

Oracle = Callable[[Pair], Answer]
Pointed = int | Answer
"""The answer to a choice: the row of a candidate, DIFFERENT for none of them, or UNSURE."""
ChoiceOracle = Callable[[Choice], Pointed]


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


def choosing(oracle: Oracle) -> ChoiceOracle:
    """An expert who points at the first candidate that is the same, and is unsure where that may be hidden.

    That is: none fits, and `oracle` is unsure about some candidate.
    """

    def answer(choice: Choice) -> Pointed:
        said = [oracle(Pair(choice.row, candidate)) for candidate in choice.candidates]
        if Answer.SAME in said:
            return choice.candidates[said.index(Answer.SAME)]
        return Answer.UNSURE if Answer.UNSURE in said else Answer.DIFFERENT

    return answer


def noisy_choosing(oracle: ChoiceOracle, rate: float, rng: np.random.Generator) -> ChoiceOracle:
    """An expert who, in a share `rate` of the choices, says another answer: a wrong candidate or none."""

    def answer(choice: Choice) -> Pointed:
        given = oracle(choice)
        if given is Answer.UNSURE or rng.random() >= rate:
            return given
        options: list[Pointed] = [*choice.candidates, Answer.DIFFERENT]
        wrong = [option for option in options if option != given]
        return wrong[int(rng.integers(len(wrong)))]

    return answer


def unsure_choosing(oracle: ChoiceOracle, rate: float, rng: np.random.Generator) -> ChoiceOracle:
    """An expert who does not know in a share `rate` of the choices."""

    def answer(choice: Choice) -> Pointed:
        return Answer.UNSURE if rng.random() < rate else oracle(choice)

    return answer


def without_twins(choice: Choice, oracle: Oracle) -> Choice:
    """The choice without candidates that are the same as the row beside the first that is.

    Two groups that no answer has told apart may be one. An expert who sees that answers about one of them.
    """
    fits = [oracle(Pair(choice.row, candidate)) is Answer.SAME for candidate in choice.candidates]
    if fits.count(True) < 2:
        return choice
    first = fits.index(True)
    kept = [n for n, is_same in enumerate(fits) if n == first or not is_same]
    proba = tuple(choice.proba[n] for n in kept) if choice.proba else ()
    return replace(choice, candidates=tuple(choice.candidates[n] for n in kept), proba=proba)
