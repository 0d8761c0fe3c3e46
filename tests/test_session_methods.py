"""The contract that every strategy keeps with every clusterer; new ones of the registries inherit it.

The promises are those of `sameornot.testing.strategies`.
"""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from sklearn.base import clone

from sameornot import ActiveSession, Constraints, Question, RandomPairs
from sameornot.cluster.base import Problem, State
from sameornot.metric.learn import feature_scale
from sameornot.query import STRATEGIES
from sameornot.registry import CLUSTERERS, choose_method
from sameornot.testing import check_strategy, strategy_checks
from sameornot.testing._check import promise_of
from sameornot.testing.strategies import OF_EVERY_METHOD, table

# Nothing here depends on how much work goes into a fit.
CHEAP = {"n_trees": 3, "n_init": 1}


def cheap_clusterer(name):
    made = CLUSTERERS[name]()
    return made.set_params(**{key: n for key, n in CHEAP.items() if key in made.get_params()})


def cheap_strategy(name):
    made = STRATEGIES[name]()
    if hasattr(made, "clusterer"):  # the one whose questions it asks
        return replace(made, clusterer=clone(made.clusterer).set_params(n_init=CHEAP["n_init"]))
    return replace(made, n_trees=CHEAP["n_trees"]) if hasattr(made, "n_trees") else made


def is_valid(strategy, clusterer):
    try:
        choose_method(strategy, clusterer)
    except ValueError:
        return False
    return True


COMBINATIONS = [
    (strategy, clusterer)
    for strategy in sorted(STRATEGIES)
    for clusterer in sorted(CLUSTERERS)
    if is_valid(strategy, clusterer)
]
# Clusterers that take any answers; the others group by the answers to their own questions.
FREE = [name for name in sorted(CLUSTERERS) if ("random", name) in COMBINATIONS]
BOUND = sorted(CLUSTERERS.keys() - set(FREE))
# One partner each, for what does not depend on the other side.
PARTNER = {
    strategy: next(name for name in ["pckmeans", *sorted(CLUSTERERS)] if (strategy, name) in COMBINATIONS)
    for strategy in sorted(STRATEGIES)
}
EACH_ONCE = sorted({*PARTNER.items(), *(("random", name) for name in FREE)})
EACH_ONCE += [(strategy, clusterer) for strategy, clusterer in COMBINATIONS if clusterer in BOUND]


def checks_of(strategy, clusterer):
    """All checks once for each strategy and clusterer; the others with every partner."""
    wanted = {promise_of(function) for function in OF_EVERY_METHOD}
    made = cheap_clusterer(clusterer)
    asks = cheap_strategy(strategy) if clusterer in FREE else strategy
    for check in strategy_checks(asks, made):
        if (strategy, clusterer) in EACH_ONCE or check.promise in wanted:
            yield replace(check, subject=f"{strategy} with {clusterer}")


ALL_CHECKS = list(chain.from_iterable(checks_of(*both) for both in COMBINATIONS))


@pytest.mark.parametrize("check", ALL_CHECKS, ids=str)
def test_promises(check):
    check()


def test_every_strategy_and_every_clusterer_is_covered():
    for cases in (COMBINATIONS, EACH_ONCE):
        assert {strategy for strategy, _ in cases} == set(STRATEGIES)
        assert {clusterer for _, clusterer in cases} == set(CLUSTERERS)


def far_blobs(n_each=6):
    y = np.tile([0, 1, 2], n_each)
    noise = np.random.default_rng(0).normal(size=(len(y), 2))
    return 20.0 * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])[y] + noise, y


@pytest.mark.parametrize("clusterer", FREE)
def test_each_neighbourhood_becomes_the_group_of_its_number_with_all_rows_around_it(clusterer):
    X, y = far_blobs()
    known = Constraints.from_pairs(len(y), labels=np.where(np.arange(len(y)) < 10, y, -1))
    groups, scale = CLUSTERERS[clusterer](), feature_scale(X)
    neighbourhoods = groups.neighbourhoods(known, 3)
    found = groups.cluster(Problem(X, known, 3, scale), State(groups.prepare(X, scale, 3)))
    number = {int(y[members[0]]): m for m, members in enumerate(neighbourhoods)}
    expected = [number[label] for label in y.tolist()]
    assert found.labels.tolist() == expected
    assert found.predict(X + 0.01).tolist() == expected
    assert ((found.confidence(X) > 0) & (found.confidence(X) <= 1)).all()


# --- which pairs are valid ------------------------------------------------------------------------------


@pytest.mark.parametrize("clusterer", BOUND)
def test_a_clusterer_with_questions_of_its_own_takes_no_others(clusterer):
    own = [strategy for strategy, groups in COMBINATIONS if groups == clusterer]
    assert own == [clusterer]
    for strategy in sorted(STRATEGIES.keys() - set(own)):
        with pytest.raises(ValueError, match=r"clusterer=.* groups by the answers to its own questions"):
            ActiveSession(table(), 3, strategy=strategy, clusterer=clusterer)


def test_a_strategy_is_refused_where_the_clusterer_cannot_give_what_it_requires():
    for clusterer in sorted(set(FREE) - {"ensemble"}):
        with pytest.raises(
            ValueError, match=r"^strategy=UncertaintySampling.* needs a clusterer that"
        ) as raised:
            ActiveSession(table(), 3, strategy="uncertainty", clusterer=clusterer)
        assert f"clusterer={CLUSTERERS[clusterer].__name__}" in str(raised.value)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_by_default_the_clusterer_is_the_strategys_own_or_the_papers(strategy):
    own = {"cobra": "cobra", "cobras": "cobras", "uncertainty": "ensemble"}
    expected = CLUSTERERS[own.get(strategy, "augmented")]
    assert type(ActiveSession(table(), 3, strategy=strategy).clusterer) is expected


@pytest.mark.parametrize("clusterer", sorted(CLUSTERERS))
def test_by_default_the_strategy_is_the_clusterers_own_or_the_papers(clusterer):
    own = {"cobra": "cobra", "cobras": "cobras", "ensemble": "uncertainty"}
    expected = STRATEGIES[own.get(clusterer, "mee")]
    assert type(ActiveSession(table(), 3, clusterer=clusterer).strategy) is expected


def test_a_bound_strategy_that_is_named_takes_the_parameters_of_the_clusterer():
    for name in BOUND:
        clusterer = cheap_clusterer(name)
        by_both = ActiveSession(table(), 3, strategy=name, clusterer=clusterer, random_state=0)
        alone = ActiveSession(table(), 3, clusterer=clusterer, random_state=0)
        assert by_both.strategy == alone.strategy
        assert by_both.ask() == alone.ask()


# --- the checks find what is wrong ----------------------------------------------------------------------


class Forgetful(RandomPairs):
    """It asks about the same two rows again and again, and says that this is a recheck."""

    def ask(self, view, rng):
        yield Question(0, 1, is_recheck=True)


class Stateful(RandomPairs):
    """What it asks depends on how often it was called."""

    n_calls = 0

    def ask(self, view, rng):
        type(self).n_calls += 1
        yield from super().ask(view, np.random.default_rng(self.n_calls))


@pytest.mark.parametrize("wrong", [Forgetful(), Stateful()], ids=["forgetful", "stateful"])
def test_a_broken_promise_is_found(wrong):
    with pytest.raises(AssertionError) as raised:
        check_strategy(wrong, "pckmeans")
    assert "in the check" in raised.value.__notes__[0]
