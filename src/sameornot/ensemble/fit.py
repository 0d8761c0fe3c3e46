"""The fit of the ensemble: the most probable group of each row."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sameornot._types import Agreement, Fact, GroupCount
from sameornot.cluster.base import Assignment
from sameornot.ensemble.accuracy import accuracy_interval
from sameornot.ensemble.answer_proba import answer_proba
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.expansion import ExpandedFit, expand
from sameornot.ensemble.geometry import Geometry
from sameornot.ensemble.learners import Ensemble, fisher_ratio
from sameornot.ensemble.posterior import Posterior
from sameornot.ensemble.prototypes import PrototypeClustering, Prototypes, fit_prototypes
from sameornot.metric.learn import Metric, identity_metric


@dataclass(frozen=True)
class EnsembleFit(PrototypeClustering):
    """The most probable group of each row, with the posterior behind it.

    `metric` weights each feature by its Fisher ratio.
    """

    posterior: Posterior
    geometry: Geometry
    ensemble: Ensemble

    @cached_property
    def prototypes(self) -> Prototypes:
        """What new rows are assigned by."""
        rng = np.random.default_rng(0)
        return fit_prototypes(self.X, self.labels, self.metric, self.ensemble.config, rng)

    @property
    def noise(self) -> NoiseConfig:
        """The constants of the answer-noise model."""
        return self.ensemble.config.noise

    @property
    def expects_errors(self) -> bool:
        """Whether the expert errs often enough for answers to be doubted."""
        return self.posterior.error_rate >= self.noise.negligible_rate

    def assign(self, X: np.ndarray, neighbourhoods: list[np.ndarray]) -> Assignment:
        """The groups as they are, and the rows of each neighbourhood that are in its group.

        Where answers contradict each other, neighbourhoods are those of the MAP assignment.
        """
        found = [members for members in self.posterior.checkpoint.map_groups if len(members)]
        groups = found or neighbourhoods
        agreed = [members[self.labels[members] == m] for m, members in enumerate(groups)]
        kept = [own if len(own) else members for own, members in zip(agreed, groups, strict=True)]
        return super().assign(X, kept)

    def expand(self, X: np.ndarray, fitted: np.ndarray) -> ExpandedFit:
        """The same groups fitted on more rows, of which ``X[fitted]`` are those of this fit."""
        return expand(self.posterior, X, fitted, self.metric, self.ensemble)

    def accuracy_interval(self) -> Agreement:
        """Share of rows in the right group, by how good the predictions have been so far."""
        posterior = self.posterior
        in_doubt = self.fitted_confidence[~posterior.is_certain]
        n_certain = int(posterior.is_certain.sum())
        return accuracy_interval(posterior.stacking, in_doubt, n_certain, self.ensemble.config)

    def group_count(self) -> GroupCount | None:
        """The known groups and those that seem to be missing; None where the number is given."""
        found = self.posterior.granularity
        return None if found is None else found.count(len(self.posterior.groups))

    def answer_proba(self, answers: Sequence[Fact], neighbourhoods: Sequence[np.ndarray]) -> np.ndarray:
        """How likely each answer is to be right given all others."""
        posterior, noise = self.posterior, self.noise
        error_rate = max(posterior.error_rate, noise.assumed_rate)
        people, weights = posterior.annotators, None
        if people is not None and len(people.weights) <= len(
            answers
        ):  # the latest answers are not weighed yet
            weights = np.concatenate([people.weights, np.ones(len(answers) - len(people.weights))])
        smoothing = noise.label_smoothing
        return answer_proba(answers, neighbourhoods, posterior.prior, error_rate, smoothing, weights)


def fisher_metric(rows: np.ndarray, scale: np.ndarray, proba: np.ndarray) -> Metric:
    """Each feature weighted by its Fisher ratio; all equally while there is one group."""
    ratio = fisher_ratio(rows, proba)
    return Metric(scale, ratio) if ratio.any() else identity_metric(scale)
