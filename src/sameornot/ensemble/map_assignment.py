"""Groups for answers that do not all hold: the ones that answers and learners together make likeliest.

    fit(z) = Σ over answers of log P(answer | z) + Σ over rows spoken of of log r_i(z_i)
             + CLARITY · Σ over other rows of log max_m r_i(m)

z puts each row that some answer speaks of in a group; an answer is wrong with probability ε, whatever it is
about; r is what the learners hold each row for, taught by z. The last sum says how clearly the groups stand
out among the rows that nobody asked about: of two groups made of one it does not speak well.

Closure cannot be used here: one wrong "same" welds two groups. Rows move one by one and in lumps that hang
together by answers, by turns with the learners. Rows in a wrong group teach the learners that this is where
they belong; so the groups are shaken a few times: some pieces stay, and the rest goes where these draw it.
Last, the two groups that lose least by it are made one, and rows that fit nowhere begin another. The best of
all these is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from sameornot._types import Answer
from sameornot.constraints import Fact
from sameornot.ensemble.noise import tempered

CLARITY = 0.3
# Rounds of moving rows and teaching the learners, sweeps over the rows in each, times that groups are shaken.
N_ROUNDS = 2
N_SWEEPS = 20
N_SHAKEN = 3
# Shaken, so many of the answers "same" are left out, and so many of the pieces stay where they are.
LEFT_OUT = 0.3
STAY = 0.25
# Answers one in ten of which is wrong, that the estimate of the rate of errors begins with.
PRIOR_ANSWERS = 100.0
PRIOR_ERROR = 0.1

Learn = Callable[[Sequence[np.ndarray]], np.ndarray]


@dataclass(frozen=True)
class Ballots:
    """The answers by the rows that they speak of: `net` (a × a) is "same" less "different"."""

    rows: np.ndarray
    net: np.ndarray
    n_same: int
    n_answers: int

    @classmethod
    def count(cls, told: Sequence[Fact]) -> "Ballots":
        """Of every answer that was given."""
        rows = np.unique([row for pair, _ in told for row in pair])
        at = {row: k for k, row in enumerate(rows.tolist())}
        net = np.zeros((len(rows), len(rows)))
        for (left, right), answer in told:
            vote = 1.0 if answer is Answer.SAME else -1.0
            net[at[left], at[right]] += vote
            net[at[right], at[left]] += vote
        return cls(rows, net, sum(answer is Answer.SAME for _, answer in told), len(told))

    def for_groups(self, z: np.ndarray, n_groups: int) -> np.ndarray:
        """Answers for less answers against each row being of each group (a × L), all others being as in z."""
        return np.asarray(self.net @ np.eye(n_groups)[z])

    def groups(self, z: np.ndarray, n_groups: int) -> list[np.ndarray]:
        """Rows that more answers call the same as others of their group than not; all where none is."""
        each = np.arange(len(z))
        supported = self.for_groups(z, n_groups)[each, z] > 0
        return [self.rows[(z == m) & (supported | ~supported[z == m].any())] for m in range(n_groups)]

    def lumps(self, z: np.ndarray) -> np.ndarray:
        """Rows of one group that hang together (lumps × a): one wrong "same" may be all that put them there.

        All that were called the same, directly or over others, and each branch of them, seen from the row
        with most such answers.
        """
        same = sp.csr_array((self.net > 0) & (z[:, None] == z))
        below = np.eye(len(z), dtype=bool)
        seen = np.zeros(len(z), dtype=bool)
        for root in np.argsort(-same.sum(axis=1, dtype=int), kind="stable").tolist():
            if not seen[root]:
                order, parents = breadth_first_order(same, root, directed=False)
                seen[order] = True
                for row in order[:0:-1]:
                    below[parents[row]] |= below[row]
        return np.unique(below[below.sum(axis=1) > 1], axis=0)

    def n_wrong(self, z: np.ndarray) -> float:
        """How many answers cannot be true if z is."""
        inside = 0.5 * float(self.net[z[:, None] == z].sum())
        return self.n_same - inside

    def error(self, z: np.ndarray) -> float:
        """How often the expert errs, if z is true (ε)."""
        wrong = self.n_wrong(z) + PRIOR_ERROR * PRIOR_ANSWERS
        return float(wrong / (self.n_answers + PRIOR_ANSWERS))


class Reconciled(NamedTuple):
    """Groups `z` of the rows spoken of, what learners taught so hold all rows for, and how well it fits."""

    z: np.ndarray
    odds: np.ndarray
    fit: float


def reconcile(
    ballots: Ballots, starts: Sequence[np.ndarray], n_groups: int, learn: Learn, rng: np.random.Generator
) -> Reconciled:
    """The groups that fit best of those found from some `starts`; `learn` gives r for rows in groups."""
    weight = np.log((1.0 - PRIOR_ERROR) / PRIOR_ERROR)
    best = max((climb(ballots, z, n_groups, learn) for z in starts), key=lambda found: found.fit)
    for _ in range(N_SHAKEN):
        found = climb(ballots, shake(ballots, best.z, n_groups, learn, rng), n_groups, learn)
        best = max(best, found, key=lambda one: one.fit)
    logs = np.log(tempered(best.odds[ballots.rows]))
    pairs = mergers(ballots, logs, best.z, weight)
    if pairs:
        found = climb(ballots, regroup(ballots, logs, best.z, weight, *pairs[0]), n_groups, learn)
        best = max(best, found, key=lambda one: one.fit)
    return best


def climb(ballots: Ballots, z: np.ndarray, n_groups: int, learn: Learn) -> Reconciled:
    """Rows move to where they fit, learners are taught by where they are, by turns."""
    weight = np.log((1.0 - PRIOR_ERROR) / PRIOR_ERROR)
    found = []
    for _ in range(N_ROUNDS):
        odds = learn(ballots.groups(z, n_groups))
        logs = np.log(tempered(odds[ballots.rows]))
        before, z = z, settle(ballots, logs, z, weight)
        found.append(Reconciled(z, odds, fit(ballots, odds, z, weight)))
        if (z == before).all():
            break
    return max(found, key=lambda one: one.fit)


def fit(ballots: Ballots, odds: np.ndarray, z: np.ndarray, weight: float) -> float:
    """How well groups go together with answers and learners, up to a constant."""
    held = np.log(tempered(odds))
    nobody_asked = np.ones(len(odds), dtype=bool)
    nobody_asked[ballots.rows] = False
    clear = CLARITY * held[nobody_asked].max(axis=1).sum()
    return float(held[ballots.rows, z].sum() + clear - weight * ballots.n_wrong(z))


def settle(ballots: Ballots, logs: np.ndarray, z: np.ndarray, weight: float) -> np.ndarray:
    """Move rows, one by one and in lumps, while that fits better; `logs` are log r."""
    z, n_groups = z.copy(), logs.shape[1]
    for _ in range(N_SWEEPS):
        before = z.copy()
        votes = ballots.for_groups(z, n_groups)
        for row in range(len(z)):
            best = int((logs[row] + weight * votes[row]).argmax())
            if best != z[row]:
                votes[:, z[row]] -= ballots.net[:, row]
                votes[:, best] += ballots.net[:, row]
                z[row] = best
        if (z == before).all():
            z = move_lump(ballots, logs, z, weight)
            if (z == before).all():
                break
    return z


def move_lump(ballots: Ballots, logs: np.ndarray, z: np.ndarray, weight: float) -> np.ndarray:
    """Groups in which the lump is elsewhere that gains most by it, if one does."""
    lumps = ballots.lumps(z)
    if len(lumps) == 0:
        return z
    own, each = z[lumps.argmax(axis=1)], np.arange(len(lumps))
    held = lumps @ (logs + weight * ballots.for_groups(z, logs.shape[1]))
    held[each, own] -= weight * ((lumps @ ballots.net) * lumps).sum(axis=1)
    gains = held - held[each, own][:, None]
    lump, m = np.unravel_index(gains.argmax(), gains.shape)
    return np.where(lumps[lump], m, z) if gains[lump, m] > 1e-9 else z


def shake(
    ballots: Ballots, z: np.ndarray, n_groups: int, learn: Learn, rng: np.random.Generator
) -> np.ndarray:
    """Other groups to set out from: some pieces stay, and the rest goes where these draw it.

    Pieces are what hangs together by answers "same" of which some are left out at random. Where a wrong one
    put rows in a group, those teach the learners that this is where they belong.
    """
    weight = np.log((1.0 - PRIOR_ERROR) / PRIOR_ERROR)
    same = np.triu((ballots.net > 0) & (z[:, None] == z))
    n_pieces, piece = connected_components(same & (rng.random(same.shape) >= LEFT_OUT), directed=False)
    stays = rng.random(n_pieces) < STAY
    for m in np.unique(z):
        if not stays[piece[z == m]].any():
            stays[np.bincount(piece[z == m]).argmax()] = True
    kept = stays[piece]
    odds = learn([ballots.rows[(z == m) & kept] for m in range(n_groups)])
    logs = np.log(tempered(odds[ballots.rows]))
    drawn = np.zeros((n_pieces, n_groups))
    np.add.at(drawn, piece, logs + weight * ballots.net[:, kept] @ np.eye(n_groups)[z[kept]])
    return settle(ballots, logs, np.where(kept, z, drawn.argmax(axis=1)[piece]), weight)


def mergers(ballots: Ballots, logs: np.ndarray, z: np.ndarray, weight: float) -> list[tuple[int, int]]:
    """Pairs of groups, the one first that would gain most or lose least if the two were one."""
    n_groups = logs.shape[1]
    gains = {}
    for a in range(n_groups):
        for b in range(a + 1, n_groups):
            in_a, in_b = z == a, z == b
            if in_a.any() and in_b.any():
                both = np.logaddexp(logs[:, a], logs[:, b])
                held = (both - logs[:, a])[in_a].sum() + (both - logs[:, b])[in_b].sum()
                gains[a, b] = held + weight * ballots.net[in_a][:, in_b].sum()
    return sorted(gains, key=lambda pair: -gains[pair])


def regroup(ballots: Ballots, logs: np.ndarray, z: np.ndarray, weight: float, a: int, b: int) -> np.ndarray:
    """Two groups made one, and another begun by the row that fits worst where it is, with its like."""
    n_groups, each = logs.shape[1], np.arange(len(z))
    z = np.where(z == b, a, z)
    held = np.where(z == a, np.logaddexp(logs[:, a], logs[:, b]), logs[each, z])
    gap = -np.log(n_groups) - held - weight * ballots.for_groups(z, n_groups)[each, z]
    worst = int(gap.argmax())
    its_like = (ballots.net[worst] > 0) & (z == z[worst])
    unhappy = (gap > 0) & (ballots.net[worst] >= 0)
    return np.where(its_like | unhappy | (each == worst), b, z)
