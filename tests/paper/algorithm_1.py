"""Algorithm 1's book, kept beside a session: its neighbourhoods, its sweeps, and the forest of each."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from sameornot import Answer
from sameornot.query import _trees


class Sweep:
    """The questions about one row in turn, and what was known before them."""

    def __init__(self, row, neighbourhoods, forest):
        self.row, self.neighbourhoods, self.forest = row, neighbourhoods, forest
        self.asked: list[int] = []  # which neighbourhoods, in the order of their making
        self.representatives: list[int] = []
        self.answers: list[Answer] = []


def record_forests(monkeypatch) -> list:
    """What every forest from now on is fitted to: the same forest of scikit-learn, rows and labels."""
    fitted, grow_and_apply = [], _trees.grow_and_apply

    def recorded(rows, labels, n_trees, seed):
        forest = RandomForestClassifier(n_trees, random_state=seed).fit(rows, labels)
        fitted.append((forest, rows, np.array(labels)))
        return grow_and_apply(rows, labels, n_trees, seed)

    monkeypatch.setattr("sameornot.query._trees.grow_and_apply", recorded)
    return fitted


def play(session, forests, truth) -> list[Sweep]:
    """Answer every question truthfully."""
    sweeps: list[Sweep] = []
    neighbourhoods: list[list[int]] = []
    while (question := session.ask()) is not None:
        row, other = question
        if not sweeps:
            neighbourhoods.append([other])
        if not sweeps or sweeps[-1].row != row:
            settle(sweeps, neighbourhoods)
            sweeps.append(Sweep(row, [list(members) for members in neighbourhoods], forests[-1]))
        sweep = sweeps[-1]
        sweep.asked.append(next(m for m, members in enumerate(sweep.neighbourhoods) if other in members))
        sweep.representatives.append(other)
        sweep.answers.append(Answer.SAME if truth[row] == truth[other] else Answer.DIFFERENT)
        session.tell(sweep.answers[-1])
    return sweeps


def settle(sweeps: list[Sweep], neighbourhoods: list[list[int]]) -> None:
    """Put the row of the last sweep where its answers say (step 1c)."""
    if not sweeps:
        return
    last = sweeps[-1]
    if last.answers[-1] is Answer.SAME:
        neighbourhoods[last.asked[-1]].append(last.row)
    else:
        neighbourhoods.append([last.row])


def membership_matrix(sweep: Sweep, n_rows: int) -> np.ndarray:
    """R: the share of trees in which a row falls in the same leaf as a member, averaged over the members."""
    forest, rows, _ = sweep.forest
    leaves = forest.apply(rows)
    R = np.zeros((n_rows, len(sweep.neighbourhoods)))
    for i in range(n_rows):
        for m, members in enumerate(sweep.neighbourhoods):
            R[i, m] = np.mean([np.mean(leaves[i] == leaves[j]) for j in members])
    R[R.sum(axis=1) == 0] = 1.0
    R /= R.sum(axis=1, keepdims=True)
    for m, members in enumerate(sweep.neighbourhoods):
        R[members] = np.eye(len(sweep.neighbourhoods))[m]
    return R


def unplaced(sweep: Sweep, n_rows: int) -> list[int]:
    """The rows in no neighbourhood."""
    placed = {row for members in sweep.neighbourhoods for row in members}
    return [row for row in range(n_rows) if row not in placed]
