"""How far people agree: Cohen's kappa of each two of them, and the pairs that they answered differently.

    kappa = (p_o - p_e) / (1 - p_e)

with the observed share p_o of equal answers and the share p_e that is expected by chance (Cohen 1960). Only
second opinions on pairs that were drawn at random count: questions that are asked again because they are in
doubt would make people seem to disagree. Answers count as their authors gave them, before they could know
what the other one says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.service.entry import Entry, Part

# Draws of the posterior that intervals are read from: their ends vary by about 0.01.
N_DRAWS = 4_000
# Counts that are added to each cell of a table before it is drawn (Perks 1947): one in all.
PRIOR_COUNT = 0.25
ORDER = (Answer.SAME, Answer.DIFFERENT)


class Kappa(NamedTuple):
    """Cohen's kappa with a 90 % interval."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class PairAgreement:
    """Two people: the questions that both answered, how often they agreed, and kappa.

    `kappa` is None where both always gave the same answer: chance alone explains it then.
    """

    people: tuple[str, str]
    n_both: int
    n_equal: int
    kappa: Kappa | None


@dataclass(frozen=True)
class Disagreement:
    """A pair that people answered differently, with every answer about it as it stands now."""

    pair: Pair
    parts: tuple[Part, ...]


def cohen_kappa(table: np.ndarray) -> float | None:
    """Kappa of a square table of counts or shares; None where it is not defined.

    >>> round(cohen_kappa(np.array([[20, 5], [10, 15]])), 3)
    0.4
    """
    shares = table / table.sum()
    by_chance = float(shares.sum(axis=1) @ shares.sum(axis=0))
    return None if by_chance >= 1.0 else (float(np.trace(shares)) - by_chance) / (1.0 - by_chance)


def kappa_interval(table: np.ndarray, level: float = 0.9) -> tuple[float, float]:
    """A credible interval of kappa: quantiles over tables drawn from the posterior of the shares.

    Unlike the interval by the asymptotic standard error (Fleiss et al. 1969), which it approaches with many,
    it is not empty where two people have never disagreed yet.
    """
    rng = np.random.default_rng(0)
    drawn = rng.dirichlet(table.ravel() + PRIOR_COUNT, N_DRAWS).reshape(-1, *table.shape)
    observed = np.trace(drawn, axis1=1, axis2=2)
    by_chance = (drawn.sum(axis=1) * drawn.sum(axis=2)).sum(axis=1)
    kappas = (observed - by_chance) / np.maximum(1.0 - by_chance, 1e-12)
    low, high = np.quantile(kappas, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def agreement_by_pair(entries: Sequence[Entry]) -> list[PairAgreement]:
    """The agreement of each two people who answered a question of the sample, by the number of these."""
    first: dict[frozenset[int], dict[str, Answer]] = {}
    tables: dict[tuple[str, str], np.ndarray] = {}
    for entry in entries:
        for pair, answer in entry.own_reply.facts:
            if answer is Answer.UNSURE:
                continue
            known = first.setdefault(frozenset(pair), {})
            if entry.is_second and known and entry.author not in known:
                other, said = next(iter(known.items()))
                people, cell = (other, entry.author), (ORDER.index(said), ORDER.index(answer))
                if people[::-1] in tables:
                    people, cell = people[::-1], cell[::-1]
                tables.setdefault(people, np.zeros((2, 2)))[cell] += 1
            known.setdefault(entry.author, answer)
    found = [_pair_agreement(people, table) for people, table in tables.items()]
    return sorted(found, key=lambda each: -each.n_both)


def _pair_agreement(people: tuple[str, str], table: np.ndarray) -> PairAgreement:
    estimate = cohen_kappa(table)
    kappa = None if estimate is None else Kappa(estimate, *kappa_interval(table))
    return PairAgreement(people, int(table.sum()), int(np.trace(table)), kappa)


def disagreements(entries: Iterable[Entry]) -> list[Disagreement]:
    """Pairs that different people answer differently, the latest first; corrected answers as they are now."""
    about: dict[frozenset[int], list[Part]] = {}
    for entry in entries:
        for part in entry.parts:
            if part.answer is not Answer.UNSURE:
                about.setdefault(frozenset(part.pair), []).append(part)
    found = [Disagreement(parts[0].pair, tuple(parts)) for parts in about.values() if _disagree(parts)]
    return sorted(found, key=lambda each: -each.parts[-1].seq)


def _disagree(parts: Sequence[Part]) -> bool:
    latest = {part.entry.author: part.answer for part in parts}
    return len(set(latest.values())) > 1
