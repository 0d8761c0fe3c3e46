"""The posterior where answers contradict each other: conditioned on the MAP assignment of the rows.

The search (`map_assignment.py`) starts from the groups of the latest checkpoint; the first time, from the
closure of the answers and from what the rows alone suggest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from sameornot.ensemble.annotators import AnnotatorRates
from sameornot.ensemble.geometry import Geometry
from sameornot.ensemble.graph import facility_location
from sameornot.ensemble.learners import Ensemble, base_proba, learn
from sameornot.ensemble.map_assignment import AssignmentProblem, Learn, map_assignment
from sameornot.ensemble.noise import smooth_labels
from sameornot.ensemble.posterior import Evidence, Posterior, annotator_rates, fit_ensemble
from sameornot.ensemble.prequential import PredictionCheckpoint, stack
from sameornot.ensemble.stacking import Stacking, mixture_proba
from sameornot.ensemble.training import TrainingSet, group_of_rows
from sameornot.ensemble.votes import VoteMatrix


class Start(NamedTuple):
    """What a search goes on with; the `posterior`, if it was needed, takes all answers as correct."""

    stacking: Stacking
    posterior: Posterior | None
    people: AnnotatorRates | None


@dataclass(frozen=True)
class Search:
    """What the search for the MAP assignment works on: some of the rows, predicted by all learners but trees.

    `votes` are at table positions, `local_votes` at positions among the searched rows, whose `geometry` this
    is. `earlier` are the groups of the MAP assignment at the latest checkpoint, if answers were inconsistent
    then.
    """

    votes: VoteMatrix
    local_votes: VoteMatrix
    geometry: Geometry
    earlier: Sequence[np.ndarray]
    stacking: Stacking
    ensemble: Ensemble
    n_groups: int
    rng: np.random.Generator
    people: AnnotatorRates | None

    def learn(self, groups: Sequence[np.ndarray]) -> np.ndarray:
        """What the learners predict for the searched rows, trained on some of them.

        Trees are left out: they cannot predict their training rows, and those are the ones that move.
        """
        filled = fill_empty(groups, self.geometry.kernel, self.local_votes.rows)
        training = TrainingSet.without_exclusions(filled, len(self.geometry.rows))
        predicted = base_proba(self.geometry, training, self.ensemble, self.rng)
        return mixture_proba(predicted, filled, self.stacking, self.ensemble)

    def starts(self, posterior: Posterior | None, n_rows: int) -> list[np.ndarray]:
        """Assignments to start from; the `posterior` takes all answers as correct."""
        if self.earlier or posterior is None:
            return [continue_groups(self.votes, self.earlier, n_rows)]
        kernel, asked = self.geometry.kernel, self.local_votes.rows
        representatives = facility_location(kernel, asked[:0], self.n_groups)
        by_rows = self.learn([np.array([row]) for row in representatives])
        return [posterior.proba.argmax(axis=1)[self.votes.rows], by_rows.argmax(axis=1)[asked]]


def prepare_search(start: Start, evidence: Evidence, ensemble: Ensemble, rng: np.random.Generator) -> Search:
    """Draw the rows of the search."""
    config, n_rows, checkpoints = ensemble.config, evidence.n_rows, evidence.checkpoints
    votes = VoteMatrix.from_answers(evidence.answers, None if start.people is None else start.people.weights)
    geometry = evidence.geometry
    searched = sample_rows(votes.rows, n_rows, config.search.n_rows, rng)
    if len(searched) < n_rows:
        geometry = geometry.subset(searched, config.graph.n_neighbors)
    return Search(
        votes=votes,
        local_votes=replace(votes, rows=np.searchsorted(searched, votes.rows)),
        geometry=geometry,
        earlier=checkpoints[-1].map_groups if checkpoints else [],
        stacking=start.stacking.subset(ensemble.generalising),
        ensemble=ensemble.subset(ensemble.generalising),
        n_groups=evidence.n_groups,
        rng=rng,
        people=start.people,
    )


def fit_inconsistent(evidence: Evidence, ensemble: Ensemble, rng: np.random.Generator) -> Posterior:
    """The posterior given the MAP assignment."""
    start = find_start(evidence, ensemble, rng)
    if start is None:
        return fit_ensemble(replace(evidence, answers=[]), ensemble, rng)
    search = prepare_search(start, evidence, ensemble, rng)
    starts = search.starts(start.posterior, evidence.n_rows)
    config, votes, n_groups = ensemble.config, search.votes, evidence.n_groups
    learn_once = remembering(search.learn)
    problem = AssignmentProblem(search.local_votes, n_groups, learn_once, config.noise, config.search)
    found = map_assignment(problem, starts, rng)
    assignment = order_by_size(found.assignment, votes.rows, n_groups)
    return condition_on_assignment(assignment, votes, evidence, ensemble, rng)._replace(
        annotators=search.people
    )


def remembering(learn: Learn) -> Learn:
    """The same function, which remembers what it found: a search often comes back to where it was."""
    found: dict[tuple[bytes, ...], np.ndarray] = {}

    def look_up(groups: Sequence[np.ndarray]) -> np.ndarray:
        key = tuple(rows.tobytes() for rows in groups)
        if key not in found:
            found[key] = learn(groups)
        return found[key]

    return look_up


def find_start(evidence: Evidence, ensemble: Ensemble, rng: np.random.Generator) -> Start | None:
    """What the search goes on with; None where there is one group.

    It goes on with groups that were found before, unless several people answer. Else it starts from the
    posterior that takes all answers as correct.
    """
    noise, posterior, people = ensemble.config.noise, None, None
    earlier = evidence.checkpoints[-1].map_groups if evidence.checkpoints else []
    if not earlier or evidence.annotators:
        posterior = fit_ensemble(replace(evidence, answers=[]), ensemble, rng)
        if len(posterior.groups) == 1:
            return None
        people = annotator_rates(evidence, posterior.groups, posterior.prior, noise.assumed_rate, noise)
    if posterior is not None and not earlier:
        return Start(posterior.stacking, posterior, people)
    known = TrainingSet.without_exclusions(earlier, evidence.n_rows)
    return Start(stack(evidence.checkpoints, known, ensemble, noise.assumed_rate), posterior, people)


def condition_on_assignment(
    assignment: np.ndarray,
    votes: VoteMatrix,
    evidence: Evidence,
    ensemble: Ensemble,
    rng: np.random.Generator,
) -> Posterior:
    """The posterior of all rows, the learners being trained on the rows that the votes support."""
    config, n_groups = ensemble.config, evidence.n_groups
    groups = votes.supported_rows(assignment, n_groups)
    trained = fill_empty(groups, evidence.geometry.kernel, votes.rows)
    error_rate = votes.error_rate(assignment, config.noise.assumed_rate, config.search.prior_answers)
    stacking = stack(
        evidence.checkpoints, TrainingSet.without_exclusions(groups, evidence.n_rows), ensemble, error_rate
    )
    training = TrainingSet.without_exclusions(trained, evidence.n_rows)
    predicted, graphs = learn(evidence.geometry, training, ensemble, rng, evidence.graphs)
    prior = mixture_proba(predicted, trained, stacking, ensemble)
    evidence_of_votes = np.log((1.0 - error_rate) / error_rate) * votes.for_groups(assignment, n_groups)
    log_prior = np.log(smooth_labels(prior[votes.rows], config.noise.label_smoothing))
    proba = prior.copy()
    proba[votes.rows] = softmax(log_prior + evidence_of_votes, axis=1)
    known = [rows for rows in groups if len(rows)]
    return Posterior(
        proba=proba,
        prior=prior,
        groups=groups,
        placeholders=[int(rows[0]) for rows, own in zip(trained, groups, strict=True) if len(own) == 0],
        is_certain=np.zeros(evidence.n_rows, dtype=bool),
        error_rate=error_rate,
        stacking=stacking,
        checkpoint=PredictionCheckpoint(known, predicted.astype(np.float32), groups, graphs),
    )


def sample_rows(asked: np.ndarray, n_rows: int, n_wanted: int, rng: np.random.Generator) -> np.ndarray:
    """The rows that answers mention, and others up to the wanted number."""
    others = np.setdiff1d(np.arange(n_rows), asked)
    n_drawn = max(n_wanted - len(asked), 0)
    drawn = others if len(others) <= n_drawn else rng.choice(others, n_drawn, replace=False)
    return np.union1d(asked, drawn)


def fill_empty(groups: Sequence[np.ndarray], kernel: np.ndarray, asked: np.ndarray) -> list[np.ndarray]:
    """Groups by their rows, with a placeholder in each empty one: a row that no answer mentions."""
    n_empty = sum(len(rows) == 0 for rows in groups)
    placeholders = facility_location(kernel, asked, n_empty)
    # Where the answers mention all rows, some of those are placeholders.
    placeholders += facility_location(kernel, asked[:0], n_empty - len(placeholders))
    free = iter(placeholders)
    return [rows if len(rows) else np.array([next(free)]) for rows in groups]


def continue_groups(votes: VoteMatrix, groups: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Groups that were found before, extended to newly mentioned rows by the votes on these."""
    assignment = group_of_rows(groups, n_rows)[votes.rows]
    one_hot = np.where(assignment[:, None] < 0, 0.0, np.eye(len(groups))[assignment])
    return np.where(assignment < 0, (votes.net @ one_hot).argmax(axis=1), assignment)


def order_by_size(assignment: np.ndarray, rows: np.ndarray, n_groups: int) -> np.ndarray:
    """The same groups, numbered by falling size, then by lowest row; empty ones last."""
    size = np.bincount(assignment, minlength=n_groups)
    lowest = np.array([rows[assignment == m].min(initial=rows.max()) for m in range(n_groups)])
    return np.argsort(np.lexsort((lowest, -size)))[assignment]
