"""The labels after each log prefix, and the churn: the share of rows whose group changed within ten answers.

    churn = share of rows that are in another group than ten answers before, when groups are matched best

Labels and churn are kept under the key of the prefix, so what is known about the answers that undo takes back
is there again when they are repeated. The number of prefixes is bounded; the ones used last are kept.
"""

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from sameornot.service.log_key import LogKey

# Answers between the groupings that are compared, and for how many answers the churn is drawn.
WINDOW = 10
N_DRAWN = 60
# Prefixes that are kept: several times those that are drawn, as answers are undone and repeated.
N_KEPT = 400


class PoolLabels(NamedTuple):
    """Labels of the rows of a pool; the pool of a longer log may have more rows."""

    rows: np.ndarray
    labels: np.ndarray


@dataclass
class Record:
    """What is known about a prefix."""

    labels: PoolLabels
    churn: float | None = None


class LabelHistory:
    """Labels by log prefix; not safe for several threads at once."""

    def __init__(self, n_kept: int = N_KEPT) -> None:
        self._n_kept = n_kept
        self._records: OrderedDict[LogKey, Record] = OrderedDict()

    def __contains__(self, key: LogKey) -> bool:
        return key in self._records

    def record(self, key: LogKey, labels: PoolLabels) -> None:
        """Keep the labels after a prefix."""
        if key not in self._records:
            self._records[key] = Record(labels)
        self._records.move_to_end(key)
        while len(self._records) > self._n_kept:
            self._records.popitem(last=False)

    def churn(self, key: LogKey) -> list[tuple[int, float]]:
        """(number of answers, churn) after the latest answers, as far as it is known."""
        prefixes = list(islice(key.prefixes(), N_DRAWN + 1 + WINDOW))
        known = [
            (now.n_answers, self._churn_between(before, now))
            for now, before in zip(prefixes, prefixes[WINDOW:], strict=False)
            if now in self._records and before in self._records
        ]
        return known[::-1]

    def missing(self, key: LogKey) -> list[LogKey]:
        """The prefixes whose labels the churn after the latest answers needs, the longest first."""
        return [
            prefix for prefix in islice(key.prefixes(), N_DRAWN + 1 + WINDOW) if prefix not in self._records
        ]

    def _churn_between(self, before: LogKey, now: LogKey) -> float:
        record = self._records[now]
        if record.churn is None:
            record.churn = churn_between(self._records[before].labels, record.labels)
        return record.churn


def window_start(key: LogKey) -> LogKey | None:
    """The prefix that the churn after `key` compares with."""
    return next(islice(key.prefixes(), WINDOW, None), None)


def churn_between(before: PoolLabels, after: PoolLabels) -> float:
    """Share of the rows of both pools that changed group."""
    _, first, second = np.intersect1d(before.rows, after.rows, assume_unique=True, return_indices=True)
    return share_moved(before.labels[first], after.labels[second])


def share_moved(before: np.ndarray, after: np.ndarray) -> float:
    """Share of the rows that changed group, when groups are matched as well as they can be."""
    counts = np.zeros((before.max() + 1, after.max() + 1))
    np.add.at(counts, (before, after), 1)
    return float(1.0 - counts[linear_sum_assignment(counts, maximize=True)].sum() / len(before))
