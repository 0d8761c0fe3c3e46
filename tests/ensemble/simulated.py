"""Answers for tests of the ensemble: a small loop of uncertainty sampling, without a session."""

from typing import NamedTuple

import numpy as np

from sameornot import Answer
from sameornot._types import Pair
from sameornot.cluster.base import Problem, State
from sameornot.constraints import Constraints
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.fit import EnsembleFit
from sameornot.metric.learn import feature_scale
from sameornot.oracles import noisy, truth


class Simulated(NamedTuple):
    """The fit after some answers, what these imply, and the known groups."""

    fit: EnsembleFit
    answers: Constraints
    neighbourhoods: list[np.ndarray]


class Simulation:
    """One row a step, the most uncertain one of a fit of every third step.

    If answers can be wrong, one is asked for again every third step.
    """

    def __init__(self, X, y, n_clusters, *, noise=0.0, model=None):
        self.X, self.n_clusters = X, n_clusters
        self.oracle = noisy(truth(y), noise, np.random.default_rng(1)) if noise else truth(y)
        self.is_noisy = noise > 0
        self.model = EnsembleClustering(n_clusters) if model is None else model
        self.scale = feature_scale(X)
        self.prepared = self.model.prepare(X, self.scale, n_clusters)
        self.answers, self.kept, self.step = Constraints(len(X)), {}, 0

    def fit(self, step):
        state = State(self.prepared, [self.kept[at] for at in self.model.checkpoints(step)])
        return self.model.cluster(Problem(self.X, self.answers, self.n_clusters, self.scale, 0, step), state)

    def tell(self, left, right):
        pair = Pair(int(left), int(right))
        answer = self.oracle(pair)
        self.answers.add_vote(pair, answer)
        return answer

    def place(self, clustering):
        """Ask about one row against each known group, likeliest first, until "same"."""
        known = self.model.neighbourhoods(self.answers, self.n_clusters)
        placed = np.concatenate([np.empty(0, dtype=int), *known])
        row = int(
            np.where(np.isin(np.arange(len(self.X)), placed), 2.0, clustering.fitted_confidence).argmin()
        )
        for m in np.argsort(-clustering.proba[row, : len(known)]) if known else []:
            other = int(known[m][0])
            if self.answers.relation(row, other) is None and self.tell(row, other) is Answer.SAME:
                return
        if not known:
            self.tell(row, (row + 1) % len(self.X))

    def run(self, n_answers):
        while len(self.answers.answers) < n_answers:
            self.step += 1
            is_checkpoint = self.step in self.model.checkpoints(self.step + 1)
            if is_checkpoint or self.step % 3 == 1:
                clustering = self.fit(self.step)
            if is_checkpoint:
                self.kept[self.step] = self.model.remember(clustering)
            self.place(clustering)
            if self.is_noisy and self.step % 3 == 0:
                given = self.answers.answers
                self.tell(*given[self.step % len(given)][0])
        fit = self.fit(self.step + 1)
        known = self.model.neighbourhoods(self.answers, self.n_clusters)
        return Simulated(fit, self.answers, fit.assign(None, known).neighbourhoods)


def simulate(X, y, n_answers, *, n_clusters=3, noise=0.0, model=None):
    """The fit after so many answers."""
    return Simulation(X, y, n_clusters, noise=noise, model=model).run(n_answers)
