"""The posterior of each row's group: base learners, stacked, and then conditioned on the answers.

Where fewer groups are known than there are, placeholders stand for the others: rows far from all known
groups, found by facility location. Where answers contradict each other, `inconsistent.py` takes over.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sameornot._types import Fact
from sameornot.ensemble.annotators import AnnotatorRates, estimate_annotators
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.geometry import Geometry
from sameornot.ensemble.graph import facility_location
from sameornot.ensemble.lda import exclude
from sameornot.ensemble.learners import Ensemble, Graphs, learn
from sameornot.ensemble.noise import GroupVotes, count_votes, estimate_error_rate, posterior_proba
from sameornot.ensemble.prequential import PredictionCheckpoint, hold_out, stack
from sameornot.ensemble.stacking import Stacking, mixture_proba
from sameornot.ensemble.structure import Granularity, blend_novelty
from sameornot.ensemble.training import TrainingSet, all_rows


@dataclass(frozen=True)
class Evidence:
    """What a fit is based on: the rows, the known groups, the answers, and earlier predictions.

    `granularity` is what is known of the number of groups where it is not given. `annotators` are who gave
    each answer; () if one person gave them all. `graphs` are those of an earlier fit that this one goes on
    with, if any.
    """

    geometry: Geometry
    known: TrainingSet
    answers: Sequence[Fact]
    checkpoints: Sequence[PredictionCheckpoint]
    n_groups: int
    granularity: Granularity | None = None
    annotators: Sequence[str] = ()
    graphs: Graphs | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.geometry.rows)


class Posterior(NamedTuple):
    """The probability of each group for each row (n × L), and what it is derived from.

    Attributes
    ----------
    proba : ndarray
        Given the base learners and all answers.
    prior : ndarray
        Given the base learners alone, without the row's own answers.
    groups : sequence of ndarray
        The rows that each group was learned from in the end.
    placeholders : list of int
        Rows that stand for groups that are not known yet.
    is_certain : ndarray of bool
        Rows whose group the answers settle beyond doubt.
    error_rate : float
        How often the expert seems to err.
    stacking : Stacking
    checkpoint : PredictionCheckpoint
        What each base learner predicted, with all answers taken as correct.
    granularity : Granularity or None
        What is known of the number of groups; None where it is given.
    annotators : AnnotatorRates or None
        How often each annotator errs; None where one person answers, or little is known.
    """

    proba: np.ndarray
    prior: np.ndarray
    groups: Sequence[np.ndarray]
    placeholders: list[int]
    is_certain: np.ndarray
    error_rate: float
    stacking: Stacking
    checkpoint: PredictionCheckpoint
    granularity: Granularity | None = None
    annotators: AnnotatorRates | None = None


def fit_ensemble(evidence: Evidence, ensemble: Ensemble, rng: np.random.Generator) -> Posterior:
    """The posterior, under the assumption that the known groups are nearly right."""
    noise = ensemble.config.noise
    training, placeholders = add_placeholders(evidence)
    groups = training.groups
    if len(groups) == 1:
        stacking = stack(evidence.checkpoints, evidence.known, ensemble)
        return single_group(evidence.n_rows, groups, placeholders, stacking, ensemble)
    votes = count_votes(evidence.answers, groups, evidence.n_rows)
    predicted, checkpoint = predict(evidence, training, ensemble, rng)
    stacking = stack(evidence.checkpoints or checkpoint.tests_of_given, evidence.known, ensemble)
    prior = mixture_proba(predicted, groups, stacking, ensemble, len(placeholders))
    if evidence.granularity is not None:
        known = evidence.granularity.known_proba(evidence.known.groups)
        prior = blend_novelty(prior, known, len(placeholders))
    error_rate = estimate_error_rate(prior, votes, noise)
    people = annotator_rates(evidence, groups, prior, error_rate, noise)
    if people is not None:
        votes = count_votes(evidence.answers, groups, evidence.n_rows, people.weights)
    proba = condition_on_answers(prior, votes, training, error_rate, noise)
    likely = [members[proba[members, m] >= 0.5] for m, members in enumerate(groups)]
    if any(len(rows) < len(members) for rows, members in zip(likely, groups, strict=True)):
        # A group of which no row is likely to be a member still has to be learned from something.
        believed = [rows if len(rows) else members for rows, members in zip(likely, groups, strict=True)]
        again = TrainingSet(believed, training.excluded)
        predicted = learn(evidence.geometry, again, ensemble, rng, checkpoint.graphs).proba
        prior = mixture_proba(predicted, believed, stacking, ensemble, len(placeholders))
        proba = condition_on_answers(prior, votes, training, error_rate, noise)
    is_certain = certain_rows(proba, groups, placeholders)
    return Posterior(
        proba,
        prior,
        groups,
        placeholders,
        is_certain,
        error_rate,
        stacking,
        checkpoint,
        evidence.granularity,
        people,
    )


def annotator_rates(
    evidence: Evidence,
    groups: Sequence[np.ndarray],
    prior: np.ndarray,
    error_rate: float,
    noise: NoiseConfig,
) -> AnnotatorRates | None:
    """How often each annotator errs; None where one person answers, or little is known."""
    if not evidence.annotators or not evidence.answers:
        return None
    return estimate_annotators(
        evidence.answers, evidence.annotators, groups, prior, max(error_rate, noise.assumed_rate), noise
    )


def first_checkpoint(
    evidence: Evidence, ensemble: Ensemble, rng: np.random.Generator
) -> PredictionCheckpoint:
    """What `fit_ensemble` would have checkpointed, without the rest of the fit."""
    training, _ = add_placeholders(evidence)
    if len(training.groups) == 1:
        return no_predictions(evidence.n_rows, ensemble)
    return predict(evidence, training, ensemble, rng)[1]


def predict(
    evidence: Evidence, training: TrainingSet, ensemble: Ensemble, rng: np.random.Generator
) -> tuple[np.ndarray, PredictionCheckpoint]:
    """What the learners predict, with all answers taken as correct, and what is kept of it."""
    proba, graphs = learn(evidence.geometry, training, ensemble, rng, evidence.graphs)
    groups, held_out = evidence.known.groups, None
    if not evidence.checkpoints:
        held_out = hold_out(evidence.geometry, training, len(groups), ensemble, rng)
    return proba, PredictionCheckpoint(groups, proba.astype(np.float32), [], graphs, held_out)


def add_placeholders(evidence: Evidence) -> tuple[TrainingSet, list[int]]:
    """A training set of all groups: of those that are not known, a row far from what is known."""
    known, n_missing = evidence.known, evidence.n_groups - len(evidence.known.groups)
    rows = facility_location(evidence.geometry.kernel, all_rows(known.groups), n_missing)
    groups = [*known.groups, *(np.array([row]) for row in rows)]
    free = np.zeros((evidence.n_rows, len(rows)), dtype=bool)
    return TrainingSet(groups, np.hstack([known.excluded, free])), rows


def single_group(
    n_rows: int,
    groups: Sequence[np.ndarray],
    placeholders: list[int],
    stacking: Stacking,
    ensemble: Ensemble,
) -> Posterior:
    """The posterior where there is one group: nothing to predict."""
    proba = np.ones((n_rows, 1))
    checkpoint = no_predictions(n_rows, ensemble)
    error_rate = ensemble.config.noise.error_rates[0]
    is_certain = certain_rows(proba, groups, placeholders)
    return Posterior(proba, proba, groups, placeholders, is_certain, error_rate, stacking, checkpoint)


def no_predictions(n_rows: int, ensemble: Ensemble) -> PredictionCheckpoint:
    """The checkpoint where there is one group."""
    return PredictionCheckpoint([], np.empty((len(ensemble.learners), n_rows, 0)), [])


def certain_rows(proba: np.ndarray, groups: Sequence[np.ndarray], placeholders: Sequence[int]) -> np.ndarray:
    """Whether each row is in a known group beyond doubt."""
    is_certain = np.zeros(len(proba), dtype=bool)
    is_certain[np.setdiff1d(all_rows(groups), placeholders)] = True
    return np.asarray(is_certain & (proba.max(axis=1) == 1.0))


def condition_on_answers(
    prior: np.ndarray, votes: GroupVotes, training: TrainingSet, error_rate: float, config: NoiseConfig
) -> np.ndarray:
    """The posterior: answers are facts unless the expert is known to err; then they are evidence."""
    groups, is_careful = training.groups, error_rate < config.negligible_rate
    if is_careful:
        proba = exclude(prior, training.excluded)
    else:
        proba = posterior_proba(prior, votes, error_rate, config.label_smoothing)
    was_asked = np.zeros(len(proba), dtype=bool)
    was_asked[votes.rows] = True
    was_asked &= ~votes.is_reference
    for m, members in enumerate(groups):
        is_asked = was_asked[members]
        sure = members if is_careful or len(members) == 1 else members[~is_asked]
        proba[sure] = 0.0
        proba[sure, m] = 1.0
    return proba
