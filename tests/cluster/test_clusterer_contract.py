"""What every clusterer promises, whatever its algorithm (`sameornot.testing.clusterers`)."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from sameornot import Constraints, PCKMeans
from sameornot.cluster import AugmentedClustering, Clustering, MPCKMeans
from sameornot.registry import CLUSTERERS
from sameornot.testing import Check, check_clusterer, clusterer_checks
from sameornot.testing.clusterers import fitted, takes_any_answers

VARIANTS = [AugmentedClustering(metric="full", penalty="auto"), MPCKMeans(metric="full", per_cluster=True)]
ALL = [clusterer() for clusterer in CLUSTERERS.values()] + VARIANTS


@pytest.mark.parametrize("check", [check for model in ALL for check in clusterer_checks(model)], ids=str)
def test_promises(check):
    check()


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_every_default_standardises(model):
    assert type(model)().standardize is True


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_what_a_clusterer_without_centres_transforms_to_is_how_likely_each_group_is(model):
    X, _, fit = fitted(clone(model), n_clusters=3)
    if not hasattr(fit, "cluster_centers_"):
        np.testing.assert_array_equal(fit.transform(X), fit.predict_proba(X))


def test_those_with_questions_of_their_own_are_known():
    own = {name for name, clusterer in CLUSTERERS.items() if not takes_any_answers(clusterer())}
    assert own == {"cobra", "cobras"}


# --- the checks find what is wrong ----------------------------------------------------------------------


@dataclass(frozen=True)
class Doubtful(Clustering):
    """Another clustering whose probabilities do not sum to 1."""

    of: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)

    def predict_proba(self, X):
        return 0.9 * self.of.predict_proba(X)


class OverSure(PCKMeans):
    """Its probabilities do not sum to 1."""

    def cluster(self, problem, state):
        return Doubtful(super().cluster(problem, state))

    def conclude(self, problem, state):
        return None


class Restless(PCKMeans):
    """Its fits differ from one to the next."""

    n_fits = 0

    def cluster(self, problem, state):
        type(self).n_fits += 1
        return super().cluster(replace(problem, seed=problem.seed + self.n_fits), state)


class Deaf(PCKMeans):
    """It does not listen to answers."""

    def cluster(self, problem, state):
        return super().cluster(replace(problem, answers=Constraints(len(problem.X))), state)

    def conclude(self, problem, state):
        return None


@pytest.mark.parametrize(
    ("wrong", "promise"),
    [
        (OverSure(), "probabilities sum to one"),
        (Restless(n_init=1), "same problem gives the same fit"),
        (Deaf(keep_answers=False), "answered rows keep their group"),
    ],
    ids=repr,
)
def test_a_broken_promise_is_named(wrong, promise):
    with pytest.raises(AssertionError) as raised:
        check_clusterer(wrong)
    assert promise in raised.value.__notes__[0]


def test_a_check_says_what_it_is():
    check = Check("PCKMeans()", "a fit can be pickled", lambda: None, "no answers")
    assert str(check) == "PCKMeans(): a fit can be pickled [no answers]"
