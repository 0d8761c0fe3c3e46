"""The panel's word where answers do not all hold: the groups that learners and answers make likeliest.

The search for them (`membership/reconcile.py`) sets out from the groups that were found when the learners'
word was last taken down; the first time, from what closure makes of the answers and from what the rows alone
suggest.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import softmax

from sameornot.cluster._panel import (
    Foretold,
    Opinion,
    Surroundings,
    foretell,
    group_of_rows,
    mix_opinions,
    track_record,
)
from sameornot.constraints import Fact
from sameornot.membership.graph import representatives
from sameornot.membership.reconcile import PRIOR_ERROR, Ballots, reconcile
from sameornot.membership.reliability import tempered


def weigh_answers(
    opinion: Opinion,
    around: Surroundings,
    told: Sequence[Fact],
    n_groups: int,
    past: Sequence[Foretold],
    rng: np.random.Generator,
    learners: Sequence[str],
) -> Opinion:
    """An opinion that believed all answers, put right."""
    n_rows = len(opinion.memberships)
    ballots = Ballots.count(told)
    nothing = np.zeros((n_rows, n_groups), dtype=bool)
    # Trees say nothing of the rows that they were grown on, and those are what is moved.
    voices = [k for k, name in enumerate(learners) if name != "trees" or len(learners) == 1]
    heard = [learners[k] for k in voices]
    believed = past[-1].believed if past else []
    record = track_record(past, believed, nothing, learners, PRIOR_ERROR) if believed else opinion.record
    own = record._replace(sharpness=record.sharpness[voices], weights=record.weights[voices])

    def fill(by: Sequence[np.ndarray]) -> list[np.ndarray]:
        n_empty = sum(len(rows) == 0 for rows in by)
        seeds = representatives(around.close, ballots.rows, n_empty)
        # Where all rows are spoken of, some of those hold the place.
        seeds += representatives(around.close, ballots.rows[:0], n_empty - len(seeds))
        free = iter(seeds)
        return [rows if len(rows) else np.array([next(free)]) for rows in by]

    def learn(by: Sequence[np.ndarray]) -> np.ndarray:
        by = fill(by)
        return mix_opinions(foretell(around, by, nothing, rng, heard), by, own, heard)

    if believed:
        starts = [carry_on(ballots, believed, n_rows)]
    else:
        unasked = representatives(around.close, ballots.rows[:0], n_groups)
        guessed = learn([np.array([row]) for row in unasked])
        starts = [held.argmax(axis=1)[ballots.rows] for held in (opinion.memberships, guessed)]
    z = put_in_order(reconcile(ballots, starts, n_groups, learn).z, ballots.rows, n_groups)
    groups = ballots.groups(z, n_groups)
    taught = fill(groups)
    record = track_record(past, groups, nothing, learners, ballots.error(z))
    odds = mix_opinions(foretell(around, taught, nothing, rng, learners), taught, record, learners)
    error = ballots.error(z)
    votes = np.log((1.0 - error) / error) * ballots.for_groups(z, n_groups)
    belief = odds.copy()
    belief[ballots.rows] = softmax(np.log(tempered(odds[ballots.rows])) + votes, axis=1)
    return opinion._replace(
        memberships=belief,
        odds=odds,
        record=record,
        seeds=[int(rows[0]) for rows, known in zip(taught, groups, strict=True) if len(known) == 0],
        error=error,
        settled=np.zeros(n_rows, dtype=bool),
        foretold=replace(opinion.foretold, believed=groups),
        groups=groups,
    )


def carry_on(ballots: Ballots, believed: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Groups that were found before, and for rows since then the group that most answers speak for."""
    z = group_of_rows(believed, n_rows)[ballots.rows]
    known = np.where(z[:, None] < 0, 0.0, np.eye(len(believed))[z])
    return np.where(z < 0, (ballots.net @ known).argmax(axis=1), z)


def put_in_order(z: np.ndarray, rows: np.ndarray, n_groups: int) -> np.ndarray:
    """The same groups, the largest first and of equal ones the one with the lowest row; empty ones last."""
    size = np.bincount(z, minlength=n_groups)
    lowest = np.array([rows[z == m].min(initial=rows.max()) for m in range(n_groups)])
    return np.argsort(np.lexsort((lowest, -size)))[z]
