"""The questions of COBRA and COBRAS (Van Craenendonck et al. 2017, 2018); the methods are in `cluster/`.

Nothing is fitted between the questions. Each question carries the groups that the method has reached.
"""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sameornot.cluster.base import Clusterer, step_rngs
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
from sameornot.cluster.super_instances import SuperInstanceClusterer
from sameornot.query.base import Questions, Strategy, View


class SuperInstanceQuestions(Strategy):
    """Ask what a clusterer by super-instances wants to know; the whole run is a single step."""

    requires: ClassVar[type | None] = None

    clusterer: SuperInstanceClusterer

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Go through the clusterer's questions; a run that has ended is gone through again, all settled."""
        rows = self.clusterer.scaled(view.X, view.scale)
        return self.clusterer.questions(rows, step_rngs(view.seed, 1)[1])

    def ask_beside(self, view: View, rng: np.random.Generator) -> Questions:
        """Go through the questions with "unsure" for those that are pending.

        Nothing where the clusterer itself groups: it needs the answers in the order of its questions.
        """
        if not self.clusterer.asks_like(view.clusterer):
            yield from self.ask(view, rng)

    def default_clusterer(self) -> Clusterer:
        """The clusterer itself, which groups by the same answers."""
        return self.clusterer


@dataclass(frozen=True)
class COBRAQuestions(SuperInstanceQuestions):
    """Ask whether the closest groups of super-instances are one.

    References
    ----------
    Van Craenendonck, T., Dumančić, S., and Blockeel, H. (2017). COBRA: a fast and simple method for
    active clustering with pairwise constraints. *IJCAI*.

    Examples
    --------
    >>> from sameornot import COBRAQuestions, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = COBRAQuestions()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    clusterer: COBRA = field(default_factory=COBRA)


@dataclass(frozen=True)
class COBRASQuestions(SuperInstanceQuestions):
    """Ask whether the halves of a super-instance are the same, and which groups are one.

    References
    ----------
    Van Craenendonck, T., Dumančić, S., Van Wolputte, E., and Blockeel, H. (2018). COBRAS: interactive
    clustering with pairwise queries. *Intelligent Data Analysis*.

    Examples
    --------
    >>> from sameornot import COBRASQuestions, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = COBRASQuestions()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    clusterer: COBRAS = field(default_factory=COBRAS)
