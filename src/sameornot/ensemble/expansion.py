"""The panel's word on more rows than questions are about.

A question is chosen among a bounded pool, and must come at once; how all rows are grouped may take a second
or two. So the panel, taught by the same placed rows and believed as far, is heard about some thousands of
rows more in the end: the more rows groups spread over, the better graphs and clouds follow them. In the pool
the rows that were hardest to tell are placed: what the centres of the groups there say of a row counts as
much as what the learners say,

    r = ½ (odds of the learners + shares of the groups by their centres)

Rows beyond go by those centres alone.
"""

from dataclasses import dataclass

import numpy as np

from sameornot.cluster.block import judge_all
from sameornot.cluster.clustering import group_shares
from sameornot.cluster.method import Grouping
from sameornot.ensemble.clustering import PanelGrouping
from sameornot.ensemble.discriminant import rule_out
from sameornot.ensemble.posterior import Opinion, foretell, mix_opinions, rows_of
from sameornot.ensemble.preparation import lay_out
from sameornot.ensemble.prototypes import Covered, Prototypes, cover


@dataclass(frozen=True)
class Widened(Covered):
    """Groups of more rows, how sure each row is to be of its own, and the centres that new rows go by."""

    sure: np.ndarray
    centres: Prototypes

    @property
    def rule(self) -> Prototypes:
        """Where new rows belong."""
        return self.centres


def widen(grouping: Grouping, X: np.ndarray, at: np.ndarray) -> Widened | None:
    """The same groups on rows X, of which X[at] are those that the grouping is of.

    Rows that answers placed stay in their groups, and no row goes to one that it was told apart from. None
    for a grouping that has no word on others than by its centres.
    """
    if not isinstance(grouping, PanelGrouping):
        return None
    opinion = grouping.opinion
    if opinion.memberships.shape[1] == 1:
        odds, centres = np.ones((len(X), 1)), grouping.rule
    else:
        groups = [at[rows] for rows in teachers(opinion)]
        nothing = np.zeros((len(X), len(groups)), dtype=bool)
        around = lay_out(X, grouping.metric.scale)
        heard = foretell(around, groups, nothing, np.random.default_rng(0), grouping.learners)
        odds = mix_opinions(heard, groups, opinion.record, grouping.learners)
        held = odds.argmax(axis=1)
        for m, members in enumerate(groups):
            held[members] = m
        centres = cover(X[at], grouping.metric, held[at], np.random.default_rng(0))
        odds = 0.5 * (odds + group_shares(centres.distances(X), centres.width(X[at])))
        odds[at] = rule_out(odds[at], opinion.memberships == 0.0)
        placed = rows_of(teachers(opinion))
        odds[at[placed]] = opinion.memberships[placed]
    return Widened(odds.argmax(axis=1), grouping.metric, X, odds.max(axis=1), centres)


def extend(
    grouping: Grouping, X: np.ndarray, pool: np.ndarray, wide: np.ndarray
) -> tuple[Grouping, np.ndarray, np.ndarray]:
    """Groups of all rows X and how sure they are, by a grouping of the rows `pool` of X, some of the `wide`.

    With them comes the grouping that says so of others than the `wide` rows.
    """
    more = widen(grouping, X[wide], np.searchsorted(wide, pool))
    if more is None:
        return grouping, *judge_all(grouping, X[pool], X)
    if len(wide) == len(X):
        return more, more.labels.copy(), more.sure.copy()
    labels, sure = judge_all(more, more.X, X)
    labels[wide], sure[wide] = more.labels, more.sure
    return more, labels, sure


def teachers(opinion: Opinion) -> list[np.ndarray]:
    """The rows that each group was learnt from: of one that is not known, the row that held its place."""
    free = iter(opinion.seeds)
    return [rows if len(rows) else np.array([next(free)]) for rows in opinion.groups]
