"""Checkpoints of the base learners' predictions, and the tests that later answers make of them.

A row that was placed between two checkpoints is a test of the first: the learners predicted it without
knowing (prequential evaluation: Dawid 1984). Where many rows were known before the first checkpoint, such as
given labels, half of them is held out of another one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np

from sameornot.ensemble.geometry import Views
from sameornot.ensemble.learners import Ensemble, Graphs, base_proba
from sameornot.ensemble.stacking import (
    Forecasts,
    Stacking,
    fit_stacking,
    prior_inverse_temperatures,
    prior_weights,
)
from sameornot.ensemble.training import TrainingSet, all_rows, group_of_rows


@dataclass(frozen=True)
class PredictionCheckpoint:
    """What each base learner predicted at some step (learners × n × L), and the groups as they were known.

    Columns beyond `groups` are of placeholders. `map_groups` are the groups of the MAP assignment, where
    answers contradicted each other; else there are none. Later fits go on with the `graphs`. `held_out` is a
    checkpoint of half of the rows that were known before the first one, where there were many.
    """

    groups: Sequence[np.ndarray]
    proba: np.ndarray
    map_groups: Sequence[np.ndarray]
    graphs: Graphs | None = None
    held_out: Self | None = None

    @cached_property
    def group(self) -> np.ndarray:
        """The group that each row was known to be in, −1 for rows in none."""
        return group_of_rows(self.groups, self.proba.shape[1])

    @property
    def tests_of_given(self) -> list[Self]:
        """The checkpoint of half of the rows that were given, if there is one."""
        return [] if self.held_out is None else [self.held_out]


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
    prior = prior_inverse_temperatures(ensemble)
    return fit_stacking(tests, prior, prior_weights(ensemble), config, slip_rate)


def collect_tests(
    checkpoints: Sequence[PredictionCheckpoint], known: TrainingSet, ensemble: Ensemble
) -> Forecasts:
    """Predictions of rows that answers were first about after a checkpoint and before the next one."""
    if checkpoints:
        checkpoints = [*checkpoints[0].tests_of_given, *checkpoints]
    n_columns = max([1, *(checkpoint.proba.shape[2] for checkpoint in checkpoints)])
    now = group_of_rows(known.groups, len(known.excluded))
    then = [*(checkpoint.group for checkpoint in checkpoints), now]
    rows = [np.flatnonzero((after >= 0) & (before < 0) & (now >= 0)) for before, after in pairwise(then)]
    n_tests = sum(map(len, rows))
    found = Forecasts(
        np.zeros((n_tests, len(ensemble.learners), n_columns)),
        np.zeros((n_tests, n_columns), dtype=bool),
        np.zeros((n_tests, n_columns), dtype=bool),
    )
    start = 0
    for checkpoint, fresh in zip(checkpoints, rows, strict=True):
        if len(fresh):
            at, own = slice(start, start + len(fresh)), slice(checkpoint.proba.shape[2])
            column = columns_now(checkpoint, now, len(known.groups))
            found.proba[at, :, own] = checkpoint.proba[:, fresh].transpose(1, 0, 2)
            found.is_open[at, own] = columns_left_open(fresh, checkpoint, column, known)
            found.is_new[at, len(checkpoint.groups) : checkpoint.proba.shape[2]] = True
            start += len(fresh)
    tells = found.is_open.any(axis=1)
    return Forecasts(*(part[tells] for part in found))


def hold_out(
    views: Views,
    training: TrainingSet,
    n_known: int,
    ensemble: Ensemble,
    rng: np.random.Generator,
) -> PredictionCheckpoint | None:
    """Predictions by every other row of each of the `n_known` known groups; None if too few rows are left."""
    known, placeholders = training.groups[:n_known], training.groups[n_known:]
    halves = [members[::2] for members in known]
    if sum(map(len, known)) - sum(map(len, halves)) < len(training.groups):
        return None
    half = TrainingSet([*halves, *placeholders], training.excluded)
    return PredictionCheckpoint(halves, base_proba(views, half, ensemble, rng).astype(np.float32), [])


def columns_left_open(
    rows: np.ndarray, checkpoint: PredictionCheckpoint, column: np.ndarray, known: TrainingSet
) -> np.ndarray:
    """The columns of a checkpoint that the answers leave open for each row (rows × columns).

    Of a row in a group that had a column it is that one; of another row all but those of groups that it is
    known to differ from.
    """
    group = group_of_rows(known.groups, len(known.excluded))[rows]
    is_open = np.ones((len(rows), checkpoint.proba.shape[2]), dtype=bool)
    there = np.flatnonzero(column[:-1] >= 0)
    is_open[:, column[there]] = ~known.excluded[np.ix_(rows, there)]
    own = column[group]
    is_open[own >= 0] = np.arange(checkpoint.proba.shape[2]) == own[own >= 0, None]
    return is_open


def columns_now(checkpoint: PredictionCheckpoint, now: np.ndarray, n_groups: int) -> np.ndarray:
    """The column of a checkpoint that predicts each present group, −1 for none (the last one: no group).

    A column predicts the group that most of its rows are in now; of several columns, the first.
    """
    column = np.full(n_groups + 1, -1)
    if n_columns := len(checkpoint.groups):
        own = np.repeat(np.arange(n_columns), [len(members) for members in checkpoint.groups])
        places = own * (n_groups + 1) + now[all_rows(checkpoint.groups)] + 1
        counts = np.bincount(places, minlength=n_columns * (n_groups + 1))
        likeliest = counts.reshape(n_columns, n_groups + 1).argmax(axis=1) - 1
        column[likeliest[::-1]] = np.arange(n_columns)[::-1]
    column[-1] = -1
    return column
