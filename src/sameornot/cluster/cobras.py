"""COBRAS (Van Craenendonck, Dumančić, Van Wolputte and Blockeel 2018): COBRA that refines its parts.

    repeat:  split the largest super-instance into 2^d parts,  then merge by questions

d, the splitting level, is how often the super-instance can be halved before the halves are the same. The
smaller half is halved again each time, as in the authors' package. The larger one often stays almost as
large: where K-means parts a few rows at a time from the rest, d grows with every few of them, and merging
2^d parts takes more questions than anyone answers.

Groups count when a merging is complete: in the midst of one, the parts are not yet back where they belong. A
single group is given up earlier, at the first "different", which it would contradict. The merging is in
`super_instances.py`.
"""

from collections import Counter
from collections.abc import Generator
from typing import Any

import numpy as np

from sameornot._types import Answer, Question
from sameornot.cluster.super_instances import (
    Partition,
    SuperInstance,
    SuperInstanceClusterer,
    SuperInstanceQuestions,
    merge,
    split,
    super_instance,
)

# An expert who is unsure about all parts of a super-instance sees it again later in more parts, this often.
MAX_TRIES = 3


class COBRAS(SuperInstanceClusterer):
    """COBRAS (Van Craenendonck et al. 2018): super-instances that are split and merged by answers.

    It chooses its own questions and asks them of what `fit` is given. With all labels and a `budget` this is
    the published active run; to ask a person, use ``ActiveSession(X, strategy="cobras")``. With nothing known
    it is K-means with `n_clusters`, or two, clusters.

    Parameters
    ----------
    n_clusters : int, optional
        Parts to begin with in `fit`, and groups that it leaves when nothing more is known: the nearest ones
        not known to differ are joined. None begins with at least two and leaves groups as they are, as
        published. A session does the latter.
    budget : int, optional
        Most questions of `fit`; those that earlier answers settle are free. None asks all.
    n_init : int
        Starts of K-means wherever a super-instance is split; the best is kept.
    standardize : bool
        Divide each feature by its standard deviation first.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
        The groups of the last merging that was complete, or of the present one if that was a single group.
    questions_ : ndarray, rows of two row numbers
        The pairs that were asked and answered.
    representatives_ : ndarray
        The row that stands for each super-instance.
    clustering_ : SuperInstanceClustering

    References
    ----------
    Van Craenendonck, T., Dumančić, S., Van Wolputte, E., and Blockeel, H. (2018). COBRAS: interactive
    clustering with pairwise queries. *Intelligent Data Analysis*.

    Examples
    --------
    >>> from sameornot import COBRAS
    >>> X = [[0.0], [0.1], [4.0], [4.1], [8.0], [8.1]]
    >>> model = COBRAS(random_state=0).fit(X, y=["a", "a", "b", "b", "a", "a"])
    >>> model.labels_.tolist()
    [0, 0, 1, 1, 0, 0]
    >>> model.predict([[7.0]]).tolist()
    [0]
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        budget: int | None = None,
        n_init: int = 10,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.budget = budget
        self.n_init = n_init
        self.standardize = standardize
        self.random_state = random_state

    def questions_of_fit(self, X: np.ndarray, rng: np.random.Generator) -> SuperInstanceQuestions:
        """Begin with as many parts as there are clusters."""
        return self.questions(X, rng, n_first_parts=self.n_clusters or 2)

    def questions(
        self, X: np.ndarray, rng: np.random.Generator, n_first_parts: int = 2
    ) -> SuperInstanceQuestions:
        """Split and merge until nothing can be split; a round without a known answer is taken back.

        Before the first merging is complete there is nothing to fall back on, so it counts at once.
        """
        reached = Partition([super_instance(X, np.arange(len(X)))])
        tries: Counter[SuperInstance] = Counter()
        while (chosen := choose(reached, tries)) is not None:
            whole, is_first = reached.parts[chosen], len(reached) == 1
            at_least = n_first_parts if is_first else 2 ** (tries[whole] + 1)
            parts = yield from self._refine(X, whole, reached, rng, at_least)
            finer = reached.replace(chosen, parts)
            if is_first:
                reached = finer
            learned = yield from merge(finer, reached)
            tries[whole] += 1
            if learned:
                reached = finer
        return reached

    def _refine(
        self, X: np.ndarray, whole: SuperInstance, reached: Partition, rng: np.random.Generator, at_least: int
    ) -> Generator[Question, Answer, list[SuperInstance]]:
        """Halve, and halve the smaller half, while the halves differ: d times makes 2^d parts."""
        first = halves = split(X, whole, 2, rng, n_init=self.n_init)
        level = 0
        while True:
            left, right = (half.representative for half in halves)
            if (yield Question(left, right, reached=reached)) is not Answer.DIFFERENT:
                break
            level += 1
            divisible = [half for half in halves if not half.is_uniform]
            if not divisible:
                break
            smaller = min(divisible, key=lambda half: len(half.rows))
            halves = split(X, smaller, 2, rng, n_init=self.n_init)
        n_parts = max(2, 2**level, at_least)  # one part would be the same super-instance again
        return first if n_parts == 2 else split(X, whole, n_parts, rng, n_init=self.n_init)


def choose(partition: Partition, tries: Counter[SuperInstance]) -> int | None:
    """The largest super-instance that can be split, of those that were tried least often."""
    candidates = [
        (tries[part], -len(part.rows), i)
        for i, part in enumerate(partition.parts)
        if not part.is_uniform and tries[part] < MAX_TRIES
    ]
    return min(candidates)[-1] if candidates else None
