"""The groups of a pool, fitted on more rows of the table.

Questions are chosen from a bounded pool, quickly; the result may take a second or two. So the base learners,
trained on the same rows and stacked the same way, predict some thousands of rows more: graphs and Gaussians
follow groups the better, the more rows there are. In the pool the hardest rows have been placed, so the
prototypes of the groups there count as much as the learners,

    proba = ½ (mixture of the learners + prototypes)

Rows beyond are assigned by the prototypes alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sameornot.cluster.clustering import group_shares
from sameornot.ensemble.lda import exclude
from sameornot.ensemble.learners import Ensemble, base_proba
from sameornot.ensemble.posterior import Posterior
from sameornot.ensemble.preparation import make_views
from sameornot.ensemble.prototypes import PrototypeClustering, Prototypes, fit_prototypes
from sameornot.ensemble.stacking import mixture_proba
from sameornot.ensemble.training import TrainingSet, all_rows
from sameornot.metric.learn import Metric


@dataclass(frozen=True)
class ExpandedFit(PrototypeClustering):
    """Groups of more rows than the ensemble was fitted on, and the prototypes of that fit."""

    pool_prototypes: Prototypes

    @property
    def prototypes(self) -> Prototypes:
        """What new rows are assigned by."""
        return self.pool_prototypes


def expand(
    posterior: Posterior, X: np.ndarray, fitted: np.ndarray, metric: Metric, ensemble: Ensemble
) -> ExpandedFit:
    """The same groups on rows X, of which ``X[fitted]`` are those of the posterior.

    Placed rows keep their probabilities, and no row gets a group that was excluded for it.
    """
    config, groups = ensemble.config, [fitted[rows] for rows in training_rows(posterior)]
    mixture = np.ones((len(X), 1))
    if len(groups) > 1:
        training = TrainingSet.without_exclusions(groups, len(X))
        views = make_views(X, metric.scale, config)
        predicted = base_proba(views, training, ensemble, np.random.default_rng(0))
        mixture = mixture_proba(predicted, groups, posterior.stacking, ensemble, len(posterior.placeholders))
    labels = mixture.argmax(axis=1)
    for m, members in enumerate(groups):
        labels[members] = m
    prototypes = fit_prototypes(X[fitted], labels[fitted], metric, config, np.random.default_rng(0))
    proba = mixture
    if len(groups) > 1:
        shares = group_shares(prototypes.distances(X), prototypes.width(X[fitted]))
        proba = (1.0 - config.prototype_weight) * mixture + config.prototype_weight * shares
        proba[fitted] = exclude(proba[fitted], posterior.proba == 0.0)
        placed = all_rows(training_rows(posterior))
        proba[fitted[placed]] = posterior.proba[placed]
    return ExpandedFit(proba.argmax(axis=1), metric, X, proba, prototypes)


def training_rows(posterior: Posterior) -> Sequence[np.ndarray]:
    """The rows that each group was learned from; of an unknown group, its placeholder."""
    free = iter(posterior.placeholders)
    return [rows if len(rows) else np.array([next(free)]) for rows in posterior.groups]
