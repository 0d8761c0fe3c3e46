"""How likely each answer is to be right, given what all the rest says of its row and of its groups."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sameornot._types import Answer, Fact
from sameornot.ensemble.noise import count_votes, posterior_proba

GroupPair = frozenset[int]


def answer_proba(
    answers: Sequence[Fact],
    neighbourhoods: Sequence[np.ndarray],
    prior: np.ndarray,
    error_rate: float,
    label_smoothing: float,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """How likely each answer is to be right, given all answers about its row.

    `prior` (n × at least L) is what the base learners predict without a row's own answers. `weights` are how
    many votes each answer counts for; 1 by default.
    """
    votes = count_votes(answers, neighbourhoods, len(prior), weights)
    prior = prior[:, : len(neighbourhoods)]
    normalised = prior / np.maximum(prior.sum(axis=1, keepdims=True), 1e-300)
    proba = posterior_proba(normalised, votes, error_rate, label_smoothing)
    group = {int(row): m for m, members in enumerate(neighbourhoods) for row in members}
    same = np.array([proba[row, group[other]] if other in group else np.nan for (row, other), _ in answers])
    right = np.where([answer is Answer.SAME for _, answer in answers], same, 1.0 - same)
    right = np.where(np.isnan(right), 1.0, right)
    between = votes_between_groups(answers, group)
    for at, (pair, _) in enumerate(answers):
        left, other = (group.get(row, -1) for row in pair)
        if left != other and min(left, other) >= 0:
            net_votes = between[frozenset((left, other))]
            merged = merge_proba((left, other), net_votes, prior, neighbourhoods, error_rate)
            right[at] = min(right[at], 1.0 - merged)
    return right


def votes_between_groups(answers: Sequence[Fact], group: Mapping[int, int]) -> Counter[GroupPair]:
    """Answers "same" less answers "different", by the groups of the two rows; −1 for a row in none."""
    between: Counter[GroupPair] = Counter()
    for pair, answer in answers:
        between[frozenset(group.get(row, -1) for row in pair)] += 1 if answer is Answer.SAME else -1
    return between


def merge_proba(
    pair: tuple[int, int],
    net_votes: int,
    prior: np.ndarray,
    groups: Sequence[np.ndarray],
    error_rate: float,
) -> float:
    """How likely two groups are one, by how much the learners confuse them and the votes between them.

    The squared confusion is the prior; a single row says nothing about confusion.
    """
    if min(len(groups[m]) for m in pair) < 2:
        return 0.0
    mean = np.array([prior[groups[m]].mean(axis=0)[list(pair)] for m in pair])
    confusion = min(2.0 * (mean[0, 1] + mean[1, 0]) / max(mean.sum(), 1e-300), 0.95) ** 2
    evidence = confusion * ((1.0 - error_rate) / error_rate) ** net_votes
    return float(evidence / (evidence + 1.0 - confusion))
