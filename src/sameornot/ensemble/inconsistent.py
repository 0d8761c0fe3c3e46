"""The panel's word where answers do not all hold: the groups that learners and answers make likeliest.

The search for them (`membership/reconcile.py`) sets out from the groups that were found when the learners'
word was last taken down; the first time, from what closure makes of the answers and from what the rows alone
suggest.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.special import softmax

from sameornot.constraints import Fact
from sameornot.ensemble.geometry import Surroundings
from sameornot.ensemble.graph import representatives
from sameornot.ensemble.map_assignment import PRIOR_ERROR, Ballots, reconcile
from sameornot.ensemble.noise import tempered
from sameornot.ensemble.posterior import (
    Foretold,
    Opinion,
    foretell,
    group_of_rows,
    mix_opinions,
    track_record,
)

# Rows that the learners are heard about while groups are searched for, unless more are spoken of.
N_SEARCHED = 600


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

    searched = rows_searched(ballots.rows, n_rows, rng)
    few = around if len(searched) == n_rows else around.of(searched)
    of_few = replace(ballots, rows=np.searchsorted(searched, ballots.rows))

    def learn(by: Sequence[np.ndarray]) -> np.ndarray:
        by = fill(by, few, of_few.rows)
        return mix_opinions(foretell(few, by, nothing[searched], rng, heard), by, own, heard)

    if believed:
        starts = [carry_on(ballots, believed, n_rows)]
    else:
        unasked = representatives(few.close, of_few.rows[:0], n_groups)
        guessed = learn([np.array([row]) for row in unasked])
        starts = [opinion.memberships.argmax(axis=1)[ballots.rows], guessed.argmax(axis=1)[of_few.rows]]
    z = put_in_order(reconcile(of_few, starts, n_groups, learn, rng).z, ballots.rows, n_groups)
    groups = ballots.groups(z, n_groups)
    taught = fill(groups, around, ballots.rows)
    record = track_record(past, groups, nothing, learners, ballots.error(z))
    said = foretell(around, taught, nothing, rng, learners)
    odds = mix_opinions(said, taught, record, learners)
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
        foretold=Foretold([rows for rows in groups if len(rows)], said.astype(np.float32), groups),
        groups=groups,
    )


def rows_searched(asked: np.ndarray, n_rows: int, rng: np.random.Generator) -> np.ndarray:
    """The rows spoken of, and of the others as many as the learners are heard about during the search."""
    others = np.setdiff1d(np.arange(n_rows), asked)
    n_drawn = max(N_SEARCHED - len(asked), 0)
    drawn = others if len(others) <= n_drawn else rng.choice(others, n_drawn, replace=False)
    return np.union1d(asked, drawn)


def fill(by: Sequence[np.ndarray], around: Surroundings, asked: np.ndarray) -> list[np.ndarray]:
    """Groups by their rows; in an empty one a row that nobody spoke of holds the place."""
    n_empty = sum(len(rows) == 0 for rows in by)
    seeds = representatives(around.close, asked, n_empty)
    # Where all rows are spoken of, some of those hold the place.
    seeds += representatives(around.close, asked[:0], n_empty - len(seeds))
    free = iter(seeds)
    return [rows if len(rows) else np.array([next(free)]) for rows in by]


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
