"""The vote matrix: all answers as a signed graph on the rows that they are about.

Entry (i, j) is the number of "same" answers less the number of "different" ones, as in correlation clustering
(Bansal et al. 2004). An assignment puts each of these rows in a group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from sameornot._types import Answer, Fact


@dataclass(frozen=True)
class VoteMatrix:
    """Net votes (a × a) on the `rows` that the answers are about, and how many answers there are."""

    rows: np.ndarray
    net: np.ndarray
    n_same: float
    n_answers: float

    @classmethod
    def from_answers(cls, answers: Sequence[Fact], weights: np.ndarray | None = None) -> "VoteMatrix":
        """The votes of all answers, each counted by its weight, 1 by default."""
        counted = np.ones(len(answers)) if weights is None else weights
        rows = np.unique([row for pair, _ in answers for row in pair])
        position = {row: k for k, row in enumerate(rows.tolist())}
        net = np.zeros((len(rows), len(rows)))
        n_same = 0.0
        for ((left, right), answer), weight in zip(answers, counted.tolist(), strict=True):
            vote = weight if answer is Answer.SAME else -weight
            n_same += max(vote, 0.0)
            net[position[left], position[right]] += vote
            net[position[right], position[left]] += vote
        return cls(rows, net, n_same, float(counted.sum()))

    def for_groups(self, assignment: np.ndarray, n_groups: int) -> np.ndarray:
        """Net votes for each row being in each group (a × L), all other rows staying where they are."""
        return np.asarray(self.net @ np.eye(n_groups)[assignment])

    def supported_rows(self, assignment: np.ndarray, n_groups: int) -> list[np.ndarray]:
        """The rows of each group whose votes are for it; all of its rows where there are none."""
        each = np.arange(len(assignment))
        is_supported = self.for_groups(assignment, n_groups)[each, assignment] > 0
        members = [assignment == m for m in range(n_groups)]
        return [self.rows[own & (is_supported | ~is_supported[own].any())] for own in members]

    def subtrees(self, assignment: np.ndarray) -> np.ndarray:
        """Sets of rows of one group that are connected by "same" votes (sets × a).

        For each connected component, the subtrees of its breadth-first tree, rooted in the row with most such
        votes: one wrong "same" may be all that connects a subtree to the rest.
        """
        same = sp.csr_array((self.net > 0) & (assignment[:, None] == assignment))
        below = np.eye(len(assignment), dtype=bool)
        seen = np.zeros(len(assignment), dtype=bool)
        for root in np.argsort(-same.sum(axis=1, dtype=int), kind="stable").tolist():
            if not seen[root]:
                order, parents = breadth_first_order(same, root, directed=False)
                seen[order] = True
                for row in order[:0:-1]:
                    below[parents[row]] |= below[row]
        return np.unique(below[below.sum(axis=1) > 1], axis=0)

    def n_violated(self, assignment: np.ndarray) -> float:
        """How many answers the assignment violates."""
        inside = 0.5 * float(self.net[assignment[:, None] == assignment].sum())
        return self.n_same - inside

    def error_rate(self, assignment: np.ndarray, assumed_rate: float, prior_answers: float) -> float:
        """How often the expert errs if the assignment is true; the assumed rate counts for some answers."""
        wrong = self.n_violated(assignment) + assumed_rate * prior_answers
        return float(wrong / (self.n_answers + prior_answers))
