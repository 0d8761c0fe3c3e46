"""MAP assignment where answers contradict each other: the groups that answers and learners make likeliest.

    log posterior(z) = Σ over answers of log P(answer | z) + Σ over rows that answers mention of log r_i(z_i)
                       + u · Σ over all other rows of log max_m r_i(m)

z puts each row that an answer mentions in a group; an answer is wrong with probability ε; r is what the base
learners predict, trained on z. The last sum says how clearly the groups stand out among the rows that nobody
asked about: splitting a group makes it worse.

The closure of the answers is of no use here: one wrong "same" merges two groups. It is correlation clustering
(Bansal et al. 2004) with learned unary terms. Rows move one by one, as in iterated conditional modes (ICM:
Besag 1986), and in connected sets, alternating with refits of the learners. Rows in a wrong group teach the
learners that they belong there, so the assignment is perturbed a few times: iterated local search (Lourenço
et al. 2003). Finally the two groups that lose least by it are merged, and rows that fit nowhere start
another.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from sameornot.ensemble.config import NoiseConfig, SearchConfig
from sameornot.ensemble.noise import smooth_labels
from sameornot.ensemble.votes import VoteMatrix

Learn = Callable[[Sequence[np.ndarray]], np.ndarray]


@dataclass(frozen=True)
class AssignmentProblem:
    """Votes to agree with, and `learn`, which predicts all rows (n × L) from the rows of each group."""

    votes: VoteMatrix
    n_groups: int
    learn: Learn
    noise: NoiseConfig
    search: SearchConfig

    @property
    def vote_weight(self) -> float:
        """Log odds that an answer is right."""
        rate = self.noise.assumed_rate
        return float(np.log((1.0 - rate) / rate))

    def log_proba(self, proba: np.ndarray) -> np.ndarray:
        """Logarithms of smoothed predictions (log r)."""
        return np.asarray(np.log(smooth_labels(proba, self.noise.label_smoothing)))

    def unary(self, proba: np.ndarray) -> np.ndarray:
        """Log r of the rows that answers mention (a × L)."""
        return self.log_proba(proba[self.votes.rows])


class Solution(NamedTuple):
    """An assignment (z), what the learners predicted before the last move, and its log posterior."""

    assignment: np.ndarray
    proba: np.ndarray
    log_posterior: float


def map_assignment(
    problem: AssignmentProblem, starts: Sequence[np.ndarray], rng: np.random.Generator
) -> Solution:
    """The best assignment that is found from some starts."""
    best = likeliest([climb(problem, start) for start in starts])
    for _ in range(problem.search.n_perturbations):
        best = likeliest([best, climb(problem, perturb(problem, best.assignment, rng))])
    unary = problem.unary(best.proba)
    pairs = rank_mergers(problem, unary, best.assignment)
    if pairs:
        merged = merge_and_split(problem, unary, best.assignment, pairs[0])
        best = likeliest([best, climb(problem, merged)])
    return best


def likeliest(solutions: Sequence[Solution]) -> Solution:
    """The solution with the highest log posterior, the first of equals."""
    return max(solutions, key=lambda solution: solution.log_posterior)


def climb(problem: AssignmentProblem, start: np.ndarray) -> Solution:
    """Move rows and train the learners on where they are, in turn."""
    assignment, found = start, []
    for _ in range(problem.search.n_rounds):
        proba = problem.learn(problem.votes.supported_rows(assignment, problem.n_groups))
        before, assignment = assignment, icm(problem, problem.unary(proba), assignment)
        found.append(Solution(assignment, proba, log_posterior(problem, proba, assignment)))
        if (assignment == before).all():
            break
    return likeliest(found)


def log_posterior(problem: AssignmentProblem, proba: np.ndarray, assignment: np.ndarray) -> float:
    """The objective, up to a constant."""
    log_proba, asked = problem.log_proba(proba), problem.votes.rows
    is_unasked = np.ones(len(proba), dtype=bool)
    is_unasked[asked] = False
    clarity = problem.search.unasked_weight * log_proba[is_unasked].max(axis=1).sum()
    violations = problem.vote_weight * problem.votes.n_violated(assignment)
    return float(log_proba[asked, assignment].sum() + clarity - violations)


def icm(problem: AssignmentProblem, unary: np.ndarray, assignment: np.ndarray) -> np.ndarray:
    """Sweeps that move each row to where it fits best; when none moves, a connected set may.

    `unary` is log r of the rows that answers mention (a × L).
    """
    z, net, weight = assignment.copy(), problem.votes.net, problem.vote_weight
    for _ in range(problem.search.n_sweeps):
        before = z.copy()
        votes = problem.votes.for_groups(z, problem.n_groups)
        for row in range(len(z)):
            best = int((unary[row] + weight * votes[row]).argmax())
            if best != z[row]:
                votes[:, z[row]] -= net[:, row]
                votes[:, best] += net[:, row]
                z[row] = best
        if (z == before).all():
            z = move_subtree(problem, unary, z)
            if (z == before).all():
                break
    return z


def move_subtree(problem: AssignmentProblem, unary: np.ndarray, assignment: np.ndarray) -> np.ndarray:
    """The assignment in which the connected set has moved that gains most by it, if one does."""
    votes, weight = problem.votes, problem.vote_weight
    subtrees = votes.subtrees(assignment)
    if len(subtrees) == 0:
        return assignment
    own, each = assignment[subtrees.argmax(axis=1)], np.arange(len(subtrees))
    scores = subtrees @ (unary + weight * votes.for_groups(assignment, problem.n_groups))
    scores[each, own] -= weight * ((subtrees @ votes.net) * subtrees).sum(axis=1)
    gains = scores - scores[each, own][:, None]
    subtree, m = np.unravel_index(gains.argmax(), gains.shape)
    return np.where(subtrees[subtree], m, assignment) if gains[subtree, m] > 1e-9 else assignment


def perturb(problem: AssignmentProblem, assignment: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Another assignment to start from: some pieces stay, and the others go where these draw them.

    Pieces are connected by "same" votes, of which some are left out at random. Each group keeps at least one.
    """
    votes, search = problem.votes, problem.search
    same = np.triu((votes.net > 0) & (assignment[:, None] == assignment))
    same &= rng.random(same.shape) >= search.drop_rate
    n_pieces, piece = connected_components(same, directed=False)
    stays = rng.random(n_pieces) < search.keep_rate
    for m in np.unique(assignment):
        if not stays[piece[assignment == m]].any():
            stays[np.bincount(piece[assignment == m]).argmax()] = True
    kept = stays[piece]
    unary = problem.unary(
        problem.learn([votes.rows[(assignment == m) & kept] for m in range(problem.n_groups)])
    )
    one_hot = np.eye(problem.n_groups)[assignment[kept]]
    scores = np.zeros((n_pieces, problem.n_groups))
    np.add.at(scores, piece, unary + problem.vote_weight * votes.net[:, kept] @ one_hot)
    return icm(problem, unary, np.where(kept, assignment, scores.argmax(axis=1)[piece]))


def rank_mergers(
    problem: AssignmentProblem, unary: np.ndarray, assignment: np.ndarray
) -> list[tuple[int, int]]:
    """Pairs of groups, those first that would gain most or lose least if they were merged."""
    gains = {}
    for a in range(problem.n_groups):
        for b in range(a + 1, problem.n_groups):
            in_a, in_b = assignment == a, assignment == b
            if in_a.any() and in_b.any():
                both = np.logaddexp(unary[:, a], unary[:, b])
                gain = (both - unary[:, a])[in_a].sum() + (both - unary[:, b])[in_b].sum()
                gains[a, b] = gain + problem.vote_weight * problem.votes.net[in_a][:, in_b].sum()
    return sorted(gains, key=lambda pair: -gains[pair])


def merge_and_split(
    problem: AssignmentProblem, unary: np.ndarray, assignment: np.ndarray, pair: tuple[int, int]
) -> np.ndarray:
    """Two groups merged, and another one started by the row that fits worst where it is."""
    (a, b), votes, n_groups = pair, problem.votes, problem.n_groups
    each = np.arange(len(assignment))
    z = np.where(assignment == b, a, assignment)
    log_proba = np.where(z == a, np.logaddexp(unary[:, a], unary[:, b]), unary[each, z])
    gap = -np.log(n_groups) - log_proba - problem.vote_weight * votes.for_groups(z, n_groups)[each, z]
    worst = int(gap.argmax())
    is_linked = (votes.net[worst] > 0) & (z == z[worst])
    fits_nowhere = (gap > 0) & (votes.net[worst] >= 0)
    return np.where(is_linked | fits_nowhere | (each == worst), b, z)
