"""Small tables with answers, made up for the tests of the paper's formulas."""

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from printed_formulas import Augmented, Pairs, Terms, augmented_pairs, implied_pairs, terms


@dataclass(frozen=True)
class Answered:
    """Rows, pairs answered "same" and "different", and the number of groups (K)."""

    X: np.ndarray
    n_groups: int
    same: Pairs
    different: Pairs

    @property
    def links(self) -> dict[str, Pairs | None]:
        """The answers as arguments of `fit`."""
        return {"must_link": self.same or None, "cannot_link": self.different or None}

    def implied(self) -> tuple[Pairs, Pairs]:
        """S and D."""
        return implied_pairs(len(self.X), self.same, self.different)

    def terms(self, H: np.ndarray) -> Terms:
        """Formula (3) with the memberships H of all rows."""
        return terms(self.X, *self.implied(), augmented_pairs(H))

    def terms_without_augmentation(self) -> Terms:
        """Formula (3) with neither S~ nor D~."""
        none = np.array([])
        return terms(self.X, *self.implied(), Augmented([], none, [], none))


def table(rng: np.random.Generator, truth: np.ndarray, n_features: int, *, apart: float = 1.0) -> np.ndarray:
    """Groups that differ in their first two features, in unequal units; they overlap unless far `apart`."""
    centers = np.zeros((truth.max() + 1, n_features))
    centers[:, :2] = 2.0 * apart * rng.normal(size=(len(centers), min(2, n_features)))
    return (centers[truth] + rng.normal(size=(len(truth), n_features))) * rng.uniform(0.5, 3.0, n_features)


def one_hot(truth: np.ndarray, placed: np.ndarray, n_groups: int) -> np.ndarray:
    """H: certain rows for those that were placed, 1/K for all others."""
    H = np.full((len(truth), n_groups), 1.0 / n_groups)
    H[placed] = np.eye(n_groups)[truth[placed]]
    return H


def completely_compared(
    seed: int,
    n_groups: int,
    *,
    n_rows: int = 14,
    n_placed: int = 10,
    n_features: int = 4,
    apart: float = 1.0,
) -> tuple[Answered, np.ndarray]:
    """Answers as Algorithm 1 collects them, every two groups compared, and the one H that they allow.

    Each row is asked against one member of each group until the answer is "same".
    """
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(n_groups), rng.integers(n_groups, size=n_rows - n_groups)]
    members: dict[int, list[int]] = {}
    same, different = [], []
    for row in range(n_placed):
        for group in rng.permutation(list(members)) if members else []:
            pair = (row, int(rng.choice(members[group])))
            (same if group == truth[row] else different).append(pair)
            if group == truth[row]:
                break
        members.setdefault(int(truth[row]), []).append(row)
    X = table(rng, truth, n_features, apart=apart)
    return Answered(X, n_groups, same, different), one_hot(truth, np.arange(n_placed), n_groups)


def uniquely_colourable(
    seed: int, n_groups: int, *, n_rows: int = 14, n_placed: int = 10, n_features: int = 4
):
    """Answers of which transitivity settles only a part and K settles all the rest, and the one H they allow.

    The first K rows all differ. Each further row is answered to be "same" as one row, or to differ from one
    row of each other group: with K groups, its own is the only one left.
    """
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(n_groups), rng.integers(n_groups, size=n_rows - n_groups)]
    same: Pairs = []
    different = list(combinations(range(n_groups), 2))
    for row in range(n_groups, n_placed):
        members = [np.flatnonzero(truth[:row] == group) for group in range(n_groups)]
        if rng.random() < 0.4:
            same.append((row, int(rng.choice(members[truth[row]]))))
        else:
            others = [group for group in range(n_groups) if group != truth[row]]
            different += [(row, int(rng.choice(members[group]))) for group in others]
    X = table(rng, truth, n_features)
    return Answered(X, n_groups, same, different), one_hot(truth, np.arange(n_placed), n_groups)


def too_many_groups(seed: int, sizes: tuple[int, ...], *, n_rows: int = 12, n_features: int = 4) -> Answered:
    """More groups that all differ than the K = 2 there are: no memberships agree with all answers."""
    rng = np.random.default_rng(seed)
    ends = np.cumsum(sizes)
    groups = [list(range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
    same = [pair for members in groups for pair in pairwise(members)]
    different = [(a[0], b[0]) for a, b in combinations(groups, 2)]
    truth = np.r_[np.repeat(np.arange(len(sizes)), sizes), rng.integers(len(sizes), size=n_rows - ends[-1])]
    return Answered(table(rng, truth, n_features), 2, same, different)
