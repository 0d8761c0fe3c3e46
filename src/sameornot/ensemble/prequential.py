"""Checkpoints of the base learners' predictions, and the tests that later answers make of them.

A row that was placed between two checkpoints is a test of the first: the learners predicted it without
knowing (prequential evaluation: Dawid 1984).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sameornot.ensemble.learners import Ensemble
from sameornot.ensemble.stacking import Forecasts, Stacking, fit_stacking, prior_inverse_temperatures
from sameornot.ensemble.training import group_of_rows


@dataclass(frozen=True)
class PredictionCheckpoint:
    """What each base learner predicted at some step (learners × n × L), and the groups as they were known.

    Columns beyond `groups` are of placeholders. `map_groups` are the groups of the MAP assignment, where
    answers contradicted each other; else there are none.
    """

    groups: Sequence[np.ndarray]
    proba: np.ndarray
    map_groups: Sequence[np.ndarray]


def stack(
    checkpoints: Sequence[PredictionCheckpoint],
    groups: Sequence[np.ndarray],
    n_rows: int,
    ensemble: Ensemble,
    slip_rate: float | None = None,
) -> Stacking:
    """The stacking by all checkpoints; `groups` is what is known now."""
    config = ensemble.config.stacking
    slip_rate = config.slip_rate if slip_rate is None else slip_rate
    tests = collect_tests(checkpoints, groups, n_rows, ensemble)
    return fit_stacking(tests, prior_inverse_temperatures(ensemble), config, slip_rate)


def collect_tests(
    checkpoints: Sequence[PredictionCheckpoint],
    groups: Sequence[np.ndarray],
    n_rows: int,
    ensemble: Ensemble,
) -> Forecasts:
    """Predictions of rows that were placed after a checkpoint and before the next one."""
    n_columns = max([1, *(checkpoint.proba.shape[2] for checkpoint in checkpoints)])
    proba = [np.empty((0, len(ensemble.learners), n_columns))]
    truth = [np.empty(0, dtype=np.intp)]
    now = group_of_rows(groups, n_rows)
    then = [*(group_of_rows(checkpoint.groups, n_rows) for checkpoint in checkpoints), now]
    for checkpoint, (before, after) in zip(checkpoints, pairwise(then), strict=True):
        column = columns_now(checkpoint, now, len(groups))
        fresh = np.flatnonzero((after >= 0) & (before < 0) & (column[now] >= 0))
        predicted = checkpoint.proba[:, fresh].transpose(1, 0, 2)
        proba.append(np.pad(predicted, ((0, 0), (0, 0), (0, n_columns - predicted.shape[2]))))
        truth.append(column[now[fresh]])
    return Forecasts(np.concatenate(proba), np.concatenate(truth))


def columns_now(checkpoint: PredictionCheckpoint, now: np.ndarray, n_groups: int) -> np.ndarray:
    """The column of a checkpoint that predicts each present group, −1 for none (the last one: no group).

    A column predicts the group that most of its rows are in now; of several columns, the first.
    """
    column = np.full(n_groups + 1, -1)
    for m, members in reversed(list(enumerate(checkpoint.groups))):
        column[np.bincount(now[members] + 1).argmax() - 1] = m
    column[-1] = -1
    return column
