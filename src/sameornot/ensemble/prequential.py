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
from sameornot.ensemble.training import TrainingSet, group_of_rows


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
    known: TrainingSet,
    ensemble: Ensemble,
    slip_rate: float | None = None,
) -> Stacking:
    """The stacking by all checkpoints; `known` are the groups and the exclusions as they are now."""
    config = ensemble.config.stacking
    slip_rate = config.slip_rate if slip_rate is None else slip_rate
    tests = collect_tests(checkpoints, known, ensemble)
    return fit_stacking(tests, prior_inverse_temperatures(ensemble), config, slip_rate)


def collect_tests(
    checkpoints: Sequence[PredictionCheckpoint], known: TrainingSet, ensemble: Ensemble
) -> Forecasts:
    """Predictions of rows that answers were first about after a checkpoint and before the next one."""
    n_columns = max([1, *(checkpoint.proba.shape[2] for checkpoint in checkpoints)])
    proba = [np.empty((0, len(ensemble.learners), n_columns))]
    is_open, is_new = [np.empty((0, n_columns), dtype=bool)], [np.empty((0, n_columns), dtype=bool)]
    n_rows = len(known.excluded)
    now = group_of_rows(known.groups, n_rows)
    then = [*(group_of_rows(checkpoint.groups, n_rows) for checkpoint in checkpoints), now]
    for checkpoint, (before, after) in zip(checkpoints, pairwise(then), strict=True):
        fresh = np.flatnonzero((after >= 0) & (before < 0) & (now >= 0))
        column = columns_now(checkpoint, now, len(known.groups))
        open_columns = columns_left_open(fresh, checkpoint, column, known)
        wide = (0, 0), (0, n_columns - checkpoint.proba.shape[2])
        new_columns = np.arange(checkpoint.proba.shape[2]) >= len(checkpoint.groups)
        predicted = checkpoint.proba[:, fresh].transpose(1, 0, 2)
        proba.append(np.pad(predicted, ((0, 0), *wide)))
        is_open.append(np.pad(open_columns, wide))
        is_new.append(np.pad(np.tile(new_columns, (len(fresh), 1)), wide))
    found = Forecasts(np.concatenate(proba), np.concatenate(is_open), np.concatenate(is_new))
    tells = found.is_open.any(axis=1)
    return Forecasts(*(part[tells] for part in found))


def columns_left_open(
    rows: np.ndarray, checkpoint: PredictionCheckpoint, column: np.ndarray, known: TrainingSet
) -> np.ndarray:
    """The columns of a checkpoint that the answers leave open for each row (rows × columns).

    Of a row in a group that had a column it is that one; of another row all but those of groups that it is
    known to differ from.
    """
    group = group_of_rows(known.groups, len(known.excluded))[rows]
    is_open = np.ones((len(rows), checkpoint.proba.shape[2]), dtype=bool)
    for m, at in enumerate(column[:-1].tolist()):
        if at >= 0:
            is_open[known.excluded[rows, m], at] = False
    own = column[group]
    is_open[own >= 0] = np.arange(checkpoint.proba.shape[2]) == own[own >= 0, None]
    return is_open


def columns_now(checkpoint: PredictionCheckpoint, now: np.ndarray, n_groups: int) -> np.ndarray:
    """The column of a checkpoint that predicts each present group, −1 for none (the last one: no group).

    A column predicts the group that most of its rows are in now; of several columns, the first.
    """
    column = np.full(n_groups + 1, -1)
    for m, members in reversed(list(enumerate(checkpoint.groups))):
        column[np.bincount(now[members] + 1).argmax() - 1] = m
    column[-1] = -1
    return column
