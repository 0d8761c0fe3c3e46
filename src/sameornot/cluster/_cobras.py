"""COBRAS (Van Craenendonck, Dumančić, Van Wolputte and Blockeel 2018): COBRA that refines its parts.

    repeat:  split the largest super-instance into 2^d parts,  then merge by questions

d, the splitting level, is how often the super-instance can be halved before the halves are the same. Groups
count when a merging is complete: in the midst of one, the parts are not yet back where they belong. The
merging is in `_super_instances.py`.
"""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.cluster._super_instances import (
    Flow,
    Pieces,
    SuperInstance,
    SuperInstanceSettings,
    merge,
    split,
    super_instance,
)
from sameornot.cluster.method import Progress

# An expert who is unsure about all parts of a super-instance sees it again later in more parts, this often.
MAX_TRIES = 3


def cobras_flow(
    X: np.ndarray,
    rng: np.random.Generator,
    progress: Progress,
    *,
    n_init: int = 10,
    n_first_parts: int = 2,
) -> Flow:
    """Split and merge until nothing can be split; a round of which the expert knows nothing is taken back.

    Before the first merging is complete there is nothing to fall back on, so it counts as it goes. The first
    split makes at least two parts, however few are asked for: one part would be split again for ever.
    """
    pieces = progress.pieces = Pieces([super_instance(X, np.arange(len(X)))])
    tries: Counter[SuperInstance] = Counter()
    while (chosen := choose(pieces, tries)) is not None:
        whole = pieces.parts[chosen]
        is_first = len(pieces) == 1
        at_least = max(2, n_first_parts) if is_first else 2 ** (tries[whole] + 1)
        finer = pieces.replace(chosen, (yield from refine(X, whole, rng, at_least=at_least, n_init=n_init)))
        if is_first:
            progress.pieces = finer
        learned = yield from merge(finer)
        tries[whole] += 1
        if learned or is_first:
            pieces = progress.pieces = finer


def choose(pieces: Pieces, tries: Counter[SuperInstance]) -> int | None:
    """The largest super-instance that can be split, of those that were tried least often."""
    candidates = [
        (tries[part], -len(part.rows), i)
        for i, part in enumerate(pieces.parts)
        if not part.is_uniform and tries[part] < MAX_TRIES
    ]
    return min(candidates)[-1] if candidates else None


def refine(
    X: np.ndarray, whole: SuperInstance, rng: np.random.Generator, *, at_least: int, n_init: int
) -> Generator[Pair, Answer, list[SuperInstance]]:
    """Halve, and halve one of the halves, while the halves differ: d times makes 2^d parts."""
    first = halves = split(X, whole, 2, rng, n_init=n_init)
    level = 0
    while (yield Pair(halves[0].representative, halves[1].representative)) is Answer.DIFFERENT:
        level += 1
        divisible = [half for half in halves if not half.is_uniform]
        if not divisible:
            break
        halves = split(X, divisible[rng.integers(len(divisible))], 2, rng, n_init=n_init)
    n_parts = max(2**level, at_least)
    return first if n_parts == 2 else split(X, whole, n_parts, rng, n_init=n_init)


@dataclass(frozen=True)
class COBRASSettings(SuperInstanceSettings):
    """How to group by COBRAS (`strategy="cobras"` of a session).

    Parameters
    ----------
    n_init : int
        Starts of K-means wherever a super-instance is split; the best is kept.
    """

    def flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        """The questions about rows in their own space."""
        return cobras_flow(X, rng, progress, n_init=self.n_init)
