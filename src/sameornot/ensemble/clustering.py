"""`clusterer="panel"`: groups by what a panel of learners holds each row for (`_panel.py`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from sameornot.cluster.method import Agreement, Method, Past
from sameornot.constraints import Constraints, Fact
from sameornot.ensemble.answer_proba import PRESUMED, credibility
from sameornot.ensemble.geometry import Surroundings
from sameornot.ensemble.inconsistent import weigh_answers
from sameornot.ensemble.posterior import (
    LEARNERS,
    Foretold,
    Opinion,
    consult,
    variance_ratio,
)
from sameornot.ensemble.preparation import survey
from sameornot.ensemble.prototypes import Covered
from sameornot.ensemble.stacking import forecast
from sameornot.metric.learn import Metric, identity_metric

# Each step at which the learners' word is taken down is later than the one before by this factor.
PACE = 1.25


@dataclass(frozen=True)
class PanelGrouping(Covered):
    """The likeliest group of each row; `opinion` says how likely, `metric` which features tell most."""

    opinion: Opinion
    around: Surroundings
    learners: tuple[str, ...]


@dataclass(frozen=True)
class PanelSettings(Method):
    """Who sits on the panel (`clusterer="panel"` of a session).

    Parameters
    ----------
    learners : tuple of str
        One or more of `sameornot.ensemble.clustering.LEARNERS`.
    """

    learners: tuple[str, ...] = LEARNERS

    remembers: ClassVar[bool] = True

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        if isinstance(self.learners, str) or not self.learners or set(self.learners) - set(LEARNERS):
            raise ValueError(f"learners={self.learners!r} but some of {', '.join(LEARNERS)} are needed")
        return self

    def neighbourhoods(self, constraints: Constraints, n_clusters: int | None) -> list[np.ndarray]:
        """The groups that are known.

        Where their number is given they are presumed to differ until answers say otherwise, unless the
        expert was seen to err: then only what differs from all of them is one.
        """
        if n_clusters is None or constraints.is_inconsistent:
            return constraints.neighbourhoods(at_most=n_clusters)
        return constraints.provisional_neighbourhoods(n_clusters)

    def known_groups(self, grouping: Any, hoods: list[np.ndarray]) -> list[np.ndarray]:
        """Where answers did not all hold, the groups that are believed; rows held for others are left out."""
        believed = [members for members in grouping.opinion.foretold.believed if len(members)]
        groups = believed or hoods
        agreed = [members[grouping.labels[members] == m] for m, members in enumerate(groups)]
        return [own if len(own) else members for own, members in zip(agreed, groups, strict=True)]

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> PanelGrouping:
        """The panel's word without a track record."""
        return self.fit_after(X, constraints, n_clusters, scale, rng, Past(self.survey(X, scale, n_clusters)))

    def survey(self, X: np.ndarray, scale: np.ndarray, n_clusters: int | None) -> Surroundings:
        """What can be said of the rows before any answer."""
        return survey(X, scale, n_clusters, self.learners)

    def recalls(self, step: int) -> Iterable[int]:
        """Steps 2, 3, 4, 5, 6, 7, 8, 10, 12, … before the given one."""
        at = 2
        while at < step:
            yield at
            at = max(at + 1, int(at * PACE))

    def kept_of(self, grouping: Any) -> Foretold:
        """What the learners held each row for at this time."""
        foretold: Foretold = grouping.opinion.foretold
        return foretold

    def fit_after(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int | None,
        scale: np.ndarray,
        rng: np.random.Generator,
        past: Past,
    ) -> PanelGrouping:
        """The panel's word, weighed by what it has foretold so far."""
        groups = self.neighbourhoods(constraints, n_clusters)
        in_doubt = n_clusters is not None and constraints.is_inconsistent
        opinion = consult(
            past.around,
            groups,
            constraints.known_apart(groups),
            [] if in_doubt else constraints.answers,
            n_clusters or max(1, len(groups)),
            past.kept,
            rng,
            self.learners,
        )
        if n_clusters is not None and in_doubt and len(opinion.groups) > 1:
            opinion = weigh_answers(
                opinion, past.around, constraints.answers, n_clusters, past.kept, rng, self.learners
            )
        labels = opinion.memberships.argmax(axis=1)
        metric = telling_metric(past.around.rows, scale, opinion)
        return PanelGrouping(labels, metric, X, opinion, past.around, self.learners)

    def credibility(self, grouping: Any, told: Sequence[Fact], hoods: Sequence[np.ndarray]) -> np.ndarray:
        """How likely each answer is to be right by what the rest says."""
        opinion: Opinion = grouping.opinion
        return credibility(told, hoods, opinion.odds, max(opinion.error, PRESUMED))

    def sureness(self, X: np.ndarray, grouping: Any) -> np.ndarray:
        """How likely the panel holds each row to be of its group."""
        return np.asarray(grouping.opinion.memberships.max(axis=1))

    def forecast(self, grouping: Any) -> Agreement | None:
        """How many rows are in the right group, by how good the panel has been so far."""
        opinion, settled = grouping.opinion, grouping.opinion.settled
        sure = opinion.memberships.max(axis=1)
        return Agreement(*forecast(opinion.record, sure[~settled], int(settled.sum())))


def telling_metric(rows: np.ndarray, scale: np.ndarray, opinion: Opinion) -> Metric:
    """Each feature weighed by how far apart it keeps the groups; all alike while there is one group."""
    ratio = variance_ratio(rows, opinion.memberships)
    return Metric(scale, ratio) if ratio.any() else identity_metric(scale)
