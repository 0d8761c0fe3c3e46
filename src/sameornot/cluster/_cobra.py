"""COBRA (Van Craenendonck, Dumančić and Blockeel 2017): K-means into many parts, then merging by questions.

The parts never change, so a wrong one stays wrong; their number sets the price. The merging is in
`_super_instances.py`; COBRAS, which refines the parts as it goes, is in `_cobras.py`.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np

from sameornot._validation import check_count
from sameornot.cluster._super_instances import (
    Flow,
    Pieces,
    SuperInstanceSettings,
    merge,
    split,
    super_instance,
)
from sameornot.cluster.method import Progress

# Costs about 100 questions where five groups overlap, and fewer where they do not.
N_SUPER_INSTANCES = 50


def cobra_flow(
    X: np.ndarray,
    rng: np.random.Generator,
    progress: Progress,
    *,
    n_super_instances: int = N_SUPER_INSTANCES,
    n_init: int = 10,
) -> Flow:
    """Ask about the closest groups of super-instances until all are joined or known to differ.

    There is nothing to fall back on, so the merging counts as it goes.
    """
    whole = super_instance(X, np.arange(len(X)))
    progress.pieces = Pieces(split(X, whole, n_super_instances, rng, n_init=n_init))
    yield from merge(progress.pieces)


@dataclass(frozen=True)
class COBRASettings(SuperInstanceSettings):
    """How to group by COBRA (`strategy="cobra"` of a session).

    Parameters
    ----------
    n_init : int
        Starts of K-means; the best is kept.
    n_super_instances : int
        Parts that are merged by questions. More cost more questions and follow the groups more closely.
    """

    n_super_instances: int = N_SUPER_INSTANCES

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        check_count("n_super_instances", self.n_super_instances)
        return super().check()

    def flow(self, X: np.ndarray, rng: np.random.Generator, progress: Progress) -> Flow:
        """The questions about rows in their own space."""
        return cobra_flow(X, rng, progress, n_super_instances=self.n_super_instances, n_init=self.n_init)
