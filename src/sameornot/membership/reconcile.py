"""Groups for answers that do not all hold: the ones that answers and learners together make likeliest.

    fit(z) = Σ over answers of log P(answer | z) + Σ over rows spoken of of log r_i(z_i)
             + CLARITY · Σ over other rows of log max_m r_i(m)

z puts each row that some answer speaks of in a group; an answer is wrong with probability ε, whatever it is
about; r is what the learners hold each row for, taught by z. The last sum says how clearly the groups stand
out among the rows that nobody asked about: of two groups made of one it does not speak well.

Closure cannot be used here: one wrong "same" welds two groups. Rows move one by one and with all that were
called the same as them, by turns with the learners; then the two groups that lose least by it are made one,
rows that fit nowhere begin another, and the better of the two is kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sameornot._types import Answer
from sameornot.constraints import Fact
from sameornot.membership.reliability import tempered

CLARITY = 0.3
# Rounds of moving rows and teaching the learners, times that two groups are made one, sweeps over the rows.
N_ROUNDS = 2
N_REGROUPED = 2
N_SWEEPS = 20
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


def reconcile(ballots: Ballots, starts: Sequence[np.ndarray], n_groups: int, learn: Learn) -> Reconciled:
    """The groups that fit best of those found from some `starts`; `learn` gives r for rows in groups."""
    weight = np.log((1.0 - PRIOR_ERROR) / PRIOR_ERROR)
    best = max((climb(ballots, z, n_groups, learn) for z in starts), key=lambda found: found.fit)
    tried: set[tuple[int, int]] = set()
    for _ in range(N_REGROUPED):
        logs = np.log(tempered(best.odds[ballots.rows]))
        pairs = [pair for pair in mergers(ballots, logs, best.z, weight) if pair not in tried]
        if not pairs:
            break
        tried.add(pairs[0])
        found = climb(ballots, regroup(ballots, logs, best.z, weight, *pairs[0]), n_groups, learn)
        if found.fit > best.fit:
            best, tried = found, set()
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
    """Move rows, alone or with those called the same as them, while that fits better; `logs` are log r."""
    z, n_groups = z.copy(), logs.shape[1]
    adherents = ballots.net > 0
    hubs = np.flatnonzero(adherents.sum(axis=1) > 1).tolist()
    for _ in range(N_SWEEPS):
        before = z.copy()
        votes = ballots.for_groups(z, n_groups)
        for row in range(len(z)):
            best = int((logs[row] + weight * votes[row]).argmax())
            if best != z[row]:
                votes[:, z[row]] -= ballots.net[:, row]
                votes[:, best] += ballots.net[:, row]
                z[row] = best
        for hub in hubs:
            moved = adherents[hub] & (z == z[hub])
            moved[hub] = True
            outside = ballots.net[moved][:, ~moved] @ np.eye(n_groups)[z[~moved]]
            gain = logs[moved].sum(axis=0) + weight * outside.sum(axis=0)
            if gain.max() > gain[z[hub]] + 1e-9:
                z[moved] = int(gain.argmax())
        if (z == before).all():
            break
    return z


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
