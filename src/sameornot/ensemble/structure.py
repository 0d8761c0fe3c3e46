"""How many groups the rows alone suggest, and what answers say of it.

The rows are grouped by Ward's method (1963); each number K of a grid cuts the tree into K pieces. Before any
answer, K is near the smallest number whose gap is nearly the largest, or anywhere,

    gap(K) = silhouette of K pieces − silhouette of K pieces of normal rows with the same covariance

(silhouettes: Rousseeuw 1987; gap statistic: Tibshirani et al. 2001). Answers about pairs inside and across
pieces then tell how pure pieces are and how often two of them are one group: for each K two rates of "same"
with beta priors, whose evidence makes the posterior of K. How many of the pieces
without a known row are new groups is estimated as the number of unseen species is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import betaincinv, betaln
from sklearn.metrics import pairwise_distances, silhouette_score

from sameornot._types import Answer, Fact, GroupCount
from sameornot.cluster.clustering import squared_distances
from sameornot.ensemble.config import StructureConfig
from sameornot.ensemble.training import all_rows


@dataclass(frozen=True)
class Structure:
    """Pieces of the data: `piece` (n × G) for each of `numbers` (G), whose prior is `prior` (G).

    `n_groups` is the number that the rows alone suggest.
    """

    numbers: np.ndarray
    piece: np.ndarray
    prior: np.ndarray
    n_groups: int
    config: StructureConfig


@dataclass(frozen=True)
class Granularity:
    """The posterior of the number of pieces, and the chance of "same" inside of one and across two (G).

    `central` is the position of the median number; before any answer, of what the rows alone suggest.
    `is_sample`: the known groups are a sample of the groups, because questions found them.
    """

    proba: np.ndarray
    same_inside: np.ndarray
    same_across: np.ndarray
    central: int
    structure: Structure
    is_sample: bool = True

    @cached_property
    def deviation(self) -> float:
        """The deviation of log2 of the number of pieces."""
        logs = np.log2(self.structure.numbers)
        return float(np.sqrt(max(self.proba @ logs**2 - (self.proba @ logs) ** 2, 0.0)))

    @property
    def is_settled(self) -> bool:
        """Whether the number of pieces is known well enough."""
        return self.deviation < self.structure.config.enough

    def n_missing(self, groups: Sequence[np.ndarray]) -> int:
        """How many groups may be unknown besides the known `groups`; before the first one, at least one."""
        n_rows, n_known = len(self.structure.piece), len(all_rows(groups))
        n_unvisited, new = self._unvisited(self.central, groups)
        return min(max(round(n_unvisited * new), not groups), n_rows - n_known)

    def known_proba(self, groups: Sequence[np.ndarray]) -> np.ndarray:
        """The probability (n) that each row is of one of the known `groups`."""
        known, found = all_rows(groups), np.zeros(len(self.structure.piece))
        for at, (weight, inside) in enumerate(zip(self.proba, self.same_inside, strict=True)):
            piece = self.structure.piece[:, at]
            is_visited = np.isin(piece, piece[known])
            elsewhere = 1.0 - self._unvisited(at, groups)[1]
            found += weight * np.where(is_visited, inside + (1.0 - inside) * elsewhere, elsewhere)
        return found

    def _unvisited(self, at: int, groups: Sequence[np.ndarray]) -> tuple[int, float]:
        """How many pieces have no known row, and the share of them that may be of no known group."""
        piece = self.structure.piece[:, at]
        n_seen = [len(np.unique(piece[members])) for members in groups]
        n_unvisited = int(piece.max()) + 1 - len(np.unique(piece[all_rows(groups)]))
        if not self.is_sample:
            return n_unvisited, float((1.0 - self.same_across[at]) ** 2)
        return n_unvisited, share_of_new(n_seen, n_unvisited, self.structure.config.new_quantile)

    def count(self, n_groups: int) -> GroupCount:
        """An estimated number of groups, with the 90 % interval of the number of pieces about it."""
        places = np.minimum(self.proba.cumsum().searchsorted([0.05, 0.95]), len(self.proba) - 1)
        low, high = self.structure.numbers[places].tolist()
        return GroupCount(n_groups, min(low, n_groups), max(high, n_groups))

    def siblings(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Pairs of pieces that are one piece at the next smaller number, the largest pairs first."""
        fine = self.structure.piece[:, self.central]
        coarse = self.structure.piece[:, max(self.central - 1, 0)]
        pairs = []
        for piece in np.unique(coarse):
            rows = np.flatnonzero(coarse == piece)
            parts, sizes = np.unique(fine[rows], return_counts=True)
            first, *others = parts[np.argsort(-sizes, kind="stable")].tolist()
            pairs += [(rows[fine[rows] == first], rows[fine[rows] == other]) for other in others[:1]]
        return sorted(pairs, key=lambda pair: -min(len(part) for part in pair))


def share_of_new(n_seen: Sequence[int], n_unvisited: int, quantile: float) -> float:
    """The share of the unvisited pieces that may be new groups; `n_seen` are the pieces of each known one.

    A piece is new about as often as a visited one is the only one of its group (Good 1953). Once groups were
    met in three pieces on average, no more are expected than met once² / (2 · met twice) (Chao 1984).
    """
    once, twice = n_seen.count(1), n_seen.count(2)
    if len(n_seen) < 2 or n_unvisited == 0:
        return 1.0
    share = float(betaincinv(once + 1, sum(n_seen) - once + 1, quantile))
    if sum(n_seen) >= 3 * len(n_seen):
        share = min(share, once * (once - 1) / (2.0 * (twice + 1)) / n_unvisited)
    return share


def find_structure(rows: np.ndarray, config: StructureConfig) -> Structure:
    """The pieces of the rows, and the prior of their number."""
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(rows))[: config.n_rows])
    few = rows[chosen]
    numbers = [1, *(k for k in config.numbers if k <= len(few) // config.min_size)]
    if len(numbers) == 1:
        return Structure(np.ones(1, np.intp), np.zeros((len(rows), 1), np.intp), np.ones(1), 1, config)
    tree = linkage(few, "ward")
    n_groups = number_of_groups(few, tree, numbers[1:], config, rng)
    if n_groups is None:
        n_groups = min(config.no_structure, numbers[-1])
        numbers = [n_groups]
    columns = [extend(fcluster(tree, k, "maxclust") - 1, chosen, rows) for k in numbers]
    near = np.exp(-0.5 * (np.log2(np.array(numbers) / n_groups) / config.deviation) ** 2)
    prior = config.trust * near / near.sum() + (1.0 - config.trust) / len(numbers)
    return Structure(np.array(numbers), np.column_stack(columns), prior, n_groups, config)


def extend(piece: np.ndarray, chosen: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The piece of every row, of which those of the chosen ones are known: that with the nearest centre."""
    if len(chosen) == len(rows):
        return piece
    centers = np.array([rows[chosen[piece == k]].mean(axis=0) for k in range(piece.max() + 1)])
    extended = squared_distances(rows, centers).argmin(axis=1)
    extended[chosen] = piece
    return np.asarray(extended)


def number_of_groups(
    rows: np.ndarray,
    tree: np.ndarray,
    numbers: Sequence[int],
    config: StructureConfig,
    rng: np.random.Generator,
) -> int | None:
    """The smallest number whose gap is nearly the largest; None where none stands out."""
    spread = np.linalg.svd(rows - rows.mean(axis=0), compute_uv=False) / np.sqrt(len(rows))
    without_groups = rng.standard_normal((len(rows), len(spread))) * spread
    expected = silhouettes(without_groups, linkage(without_groups, "ward"), numbers)
    gap = silhouettes(rows, tree, numbers) - expected
    if gap.max() < config.least_gap:
        return None
    return numbers[int(np.argmax(gap >= config.share_of_gap * gap.max()))]


def silhouettes(rows: np.ndarray, tree: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    """The mean silhouette of each cut of a tree; 0 where it is not defined, as where all rows are equal."""
    distances = pairwise_distances(rows)
    np.fill_diagonal(distances, 0.0)
    cuts = [fcluster(tree, k, "maxclust") for k in numbers]
    return np.array(
        [
            silhouette_score(distances, cut, metric="precomputed")
            if 1 < len(np.unique(cut)) < len(cut)
            else 0.0
            for cut in cuts
        ]
    )


def granularity(structure: Structure, answers: Sequence[Fact], *, is_sample: bool = True) -> Granularity:
    """What answers say of the number of pieces."""
    left = np.array([pair.left for pair, _ in answers], dtype=np.intp)
    right = np.array([pair.right for pair, _ in answers], dtype=np.intp)
    is_same = np.array([answer is Answer.SAME for _, answer in answers], dtype=bool)[:, None]
    inside = structure.piece[left] == structure.piece[right]
    log_evidence, rates = np.log(structure.prior), []
    priors = structure.config.prior_inside, structure.config.prior_across
    for where, (a, b) in zip((inside, ~inside), priors, strict=True):
        n_same, n_different = (where & is_same).sum(axis=0), (where & ~is_same).sum(axis=0)
        log_evidence = log_evidence + betaln(a + n_same, b + n_different) - betaln(a, b)
        rates.append((a + n_same) / (a + b + n_same + n_different))
    proba = np.exp(log_evidence - log_evidence.max())
    proba /= proba.sum()
    central = int(structure.numbers.searchsorted(structure.n_groups))
    if len(answers):
        central = min(int(proba.cumsum().searchsorted(0.5)), len(proba) - 1)
    return Granularity(proba, rates[0], rates[1], central, structure, is_sample)


def blend_novelty(proba: np.ndarray, known: np.ndarray, n_new: int) -> np.ndarray:
    """Probabilities (n × L) with the odds of the last `n_new` groups together blended with those of `known`.

    `known` (n) is the probability of the other groups by the structure of the rows. The blend is the
    geometric mean of both odds.
    """
    is_new = np.arange(proba.shape[1]) >= proba.shape[1] - n_new
    if is_new.all() or not is_new.any():
        return proba
    smooth = proba + 1e-9
    by_kind = [np.where(kind, smooth, 0.0) for kind in (is_new, ~is_new)]
    mass = (by_kind[0].sum(axis=1) / smooth.sum(axis=1)).clip(1e-9, 1.0 - 1e-9)
    known = known.clip(1e-9, 1.0 - 1e-9)
    odds = np.sqrt(mass / (1.0 - mass) * (1.0 - known) / known)
    share = (odds / (1.0 + odds))[:, None]
    new, old = (part / part.sum(axis=1, keepdims=True) for part in by_kind)
    return np.asarray(share * new + (1.0 - share) * old)
