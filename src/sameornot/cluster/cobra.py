"""COBRA (Van Craenendonck, Dumančić and Blockeel 2017): K-means into many parts, then merging by questions.

The parts never change, so a wrong one stays wrong; their number sets the price. The merging is in
`super_instances.py`; COBRAS, which refines the parts on the way, is in `cobras.py`.
"""

from typing import Any, Self

import numpy as np

from sameornot._validation import check_count
from sameornot.cluster.super_instances import (
    Partition,
    SuperInstanceClusterer,
    SuperInstanceQuestions,
    merge,
    split,
    super_instance,
)

# Costs about 100 questions where five groups overlap, and fewer where they do not.
N_SUPER_INSTANCES = 50


class COBRA(SuperInstanceClusterer):
    """COBRA (Van Craenendonck et al. 2017): K-means into many parts, which answers then merge.

    It chooses its own questions and asks them of what `fit` is given. With all labels and a `budget` this is
    the published active run; to ask a person, use ``ActiveSession(X, strategy="cobra")``.

    Parameters
    ----------
    n_super_instances : int
        Parts that are merged by questions; fewer where `X` has fewer distinct rows. More cost more questions
        and follow the groups more closely.
    n_clusters : int, optional
        Groups that `fit` leaves when nothing more is known: the nearest ones not known to differ are joined.
        None leaves them apart, as published. A session leaves them apart.
    budget : int, optional
        Most questions of `fit`; those that earlier answers settle are free. None asks all.
    n_init : int
        Starts of K-means; the best is kept.
    standardize : bool
        Divide each feature by its standard deviation first.
    random_state : int, RandomState or None

    Attributes
    ----------
    labels_ : ndarray, one a row
    questions_ : ndarray, rows of two row numbers
        The pairs that were asked and answered.
    representatives_ : ndarray
        The row that stands for each super-instance.
    clustering_ : SuperInstanceClustering

    References
    ----------
    Van Craenendonck, T., Dumančić, S., and Blockeel, H. (2017). COBRA: a fast and simple method for
    active clustering with pairwise constraints. *IJCAI*.

    Examples
    --------
    >>> from sameornot import COBRA
    >>> X = [[0.0], [0.1], [4.0], [4.1], [8.0], [8.1]]
    >>> model = COBRA(n_super_instances=3, random_state=0).fit(X, y=["a", "a", "b", "b", "a", "a"])
    >>> model.labels_.tolist(), len(model.questions_)
    ([0, 0, 1, 1, 0, 0], 3)
    >>> model.predict([[7.0]]).tolist()
    [0]
    """

    def __init__(
        self,
        n_super_instances: int = N_SUPER_INSTANCES,
        *,
        n_clusters: int | None = None,
        budget: int | None = None,
        n_init: int = 10,
        standardize: bool = True,
        random_state: Any = None,
    ) -> None:
        self.n_super_instances = n_super_instances
        self.n_clusters = n_clusters
        self.budget = budget
        self.n_init = n_init
        self.standardize = standardize
        self.random_state = random_state

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_super_instances", self.n_super_instances)
        return super().check()

    def questions(self, X: np.ndarray, rng: np.random.Generator) -> SuperInstanceQuestions:
        """Ask about the closest groups of super-instances until all are joined or known to differ."""
        whole = super_instance(X, np.arange(len(X)))
        partition = Partition(split(X, whole, self.n_super_instances, rng, n_init=self.n_init))
        yield from merge(partition, reached=partition)
        return partition
