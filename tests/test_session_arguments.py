"""How a method is named: by objects or by their names, never by settings of the session itself."""

import copy
import pickle
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from made_sessions import Y, answer_all, state_of, table
from sameornot import (
    COBRA,
    NPU,
    ActiveSession,
    AugmentedClustering,
    COBRAQuestions,
    EnsembleClustering,
    MinimumExpectedEntropy,
    MPCKMeans,
    Question,
    RandomPairs,
    RecheckSchedule,
    TwoStep,
    UncertaintySampling,
    simulate,
)
from sameornot.oracles import truth
from sameornot.query import STRATEGIES
from sameornot.registry import CLUSTERERS

# --- objects and their names ----------------------------------------------------------------------------


def test_by_default_questions_are_chosen_by_uncertainty_and_rows_grouped_by_the_ensemble():
    session = ActiveSession(table())
    assert session.strategy == UncertaintySampling()
    assert session.clusterer.get_params() == EnsembleClustering().get_params()
    assert type(session.clusterer) is EnsembleClustering


def test_the_papers_method_is_there_by_name_and_by_its_clusterer():
    for method in ({"strategy": "mee"}, {"clusterer": "augmented"}, {"clusterer": AugmentedClustering()}):
        session = ActiveSession(table(), **method)
        assert session.strategy == MinimumExpectedEntropy()
        assert type(session.clusterer) is AugmentedClustering


def questions_and_state(n_answers=4, **method):
    session = ActiveSession(table(), 3, random_state=0, **method)
    return answer_all(session, truth(Y), n_answers), state_of(session)


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_the_name_of_a_strategy_stands_for_its_default_object(name):
    assert questions_and_state(strategy=name) == questions_and_state(strategy=STRATEGIES[name]())


@pytest.mark.parametrize("name", sorted(CLUSTERERS))
def test_the_name_of_a_clusterer_stands_for_its_default_object(name):
    assert questions_and_state(clusterer=name) == questions_and_state(clusterer=CLUSTERERS[name]())


def test_a_strategy_and_a_clusterer_are_used_as_they_are_given():
    strategy, clusterer = NPU(n_trees=3), MPCKMeans(n_init=1)
    session = ActiveSession(table(), 3, strategy=strategy, clusterer=clusterer, random_state=0)
    assert session.strategy is strategy
    assert session.clusterer.get_params() == clusterer.get_params()


@pytest.mark.parametrize("name", sorted(CLUSTERERS))
def test_the_estimator_that_was_given_is_not_modified(name):
    clusterer = CLUSTERERS[name]()
    attributes = copy.copy(vars(clusterer))
    session = ActiveSession(table(), 3, clusterer=clusterer, standardize=False, random_state=0)
    answer_all(session, truth(Y), 4)
    session.result()
    assert vars(clusterer) == attributes
    assert repr(clusterer) == repr(clone(clusterer))


def test_one_estimator_serves_several_sessions():
    clusterer = AugmentedClustering(penalty="auto", n_init=1)
    first, second = (
        ActiveSession(table(), 3, strategy=RandomPairs(), clusterer=clusterer, random_state=0)
        for _ in range(2)
    )
    for _ in range(4):
        for session in (first, second):
            session.tell(truth(Y)(session.ask()))
        assert state_of(first) == state_of(second)


@pytest.mark.parametrize("registry", [STRATEGIES, CLUSTERERS], ids=["strategy", "clusterer"])
@pytest.mark.parametrize("name", ["best", 3, ("mee",), NPU])
def test_an_unknown_name_is_answered_with_the_known_ones(registry, name):
    argument = "strategy" if registry is STRATEGIES else "clusterer"
    with pytest.raises(ValueError, match=rf"^{argument}=") as raised:
        ActiveSession(table(), 3, **{argument: name})
    assert repr(name) in str(raised.value)
    assert all(repr(option) in str(raised.value) for option in registry)


# --- names and settings of version 0.1 ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argument", "old", "new"),
    [
        ("strategy", "panel", "uncertainty"),
        ("strategy", "in_turn", "random_points"),
        ("clusterer", "panel", "ensemble"),
    ],
)
def test_old_names_work_with_a_warning(argument, old, new):
    message = f"^{argument}='{old}' is deprecated: use {argument}='{new}'$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        session = ActiveSession(table(), 3, random_state=0, **{argument: old})
    assert [warning.filename for warning in caught] == [__file__]
    renamed = ActiveSession(table(), 3, random_state=0, **{argument: new})
    assert state_of(session) == state_of(renamed)


def test_new_names_give_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in STRATEGIES:
            ActiveSession(table(), 3, strategy=name)
        for name in CLUSTERERS:
            ActiveSession(table(), 3, clusterer=name)


# Each setting that `ActiveSession` took in version 0.1, with where it belongs now.
OLD_SETTINGS = {
    "weight": "clusterer=AugmentedClustering(weight=…)",
    "emphasis": "clusterer=AugmentedClustering(answered_row_weight=…)",
    "n_init": "clusterer=AugmentedClustering(n_init=…)",
    "max_iter": "clusterer=AugmentedClustering(max_iter=…)",
    "metric": "clusterer=AugmentedClustering(metric=…)",
    "penalty": "clusterer=AugmentedClustering(penalty=…)",
    "separation": "clusterer=AugmentedClustering(separation=…)",
    "augmentation": "clusterer=AugmentedClustering(augmentation=…)",
    "kernel": "clusterer=ConstrainedSpectral(kernel=…)",
    "n_super_instances": "clusterer=COBRA(n_super_instances=…)",
    "n_trees": "clusterer=ForestClassification(n_trees=…)",
    "per_cluster": "clusterer=MPCKMeans(per_cluster=…)",
    "learners": "clusterer=EnsembleClustering(learners=…)",
    "n_neighbors": "clusterer=ConstrainedSpectral(n_neighbors=…)",
    "propagation": "clusterer=ConstrainedSpectral(propagation=…)",
}


@pytest.mark.parametrize("start", [ActiveSession, lambda X, **options: simulate(X, Y, **options)])
@pytest.mark.parametrize("name", OLD_SETTINGS)
def test_a_setting_of_the_session_is_refused_with_where_it_belongs(name, start):
    with pytest.raises(TypeError, match=f"^'{name}' is no argument of ActiveSession: pass ") as raised:
        start(table(), **{name: 1})
    assert OLD_SETTINGS[name] in str(raised.value)


def test_a_parameter_of_strategies_and_clusterers_is_refused_with_all_of_them():
    with pytest.raises(TypeError) as raised:
        ActiveSession(table(), n_trees=3)
    for owner in ("NPU", "MinimumExpectedEntropy", "TwoStep"):
        assert f"strategy={owner}(n_trees=…)" in str(raised.value)


def test_an_argument_that_belongs_nowhere_is_refused():
    with pytest.raises(TypeError, match=r"^'n_cluster' is no argument of ActiveSession: it takes no such"):
        ActiveSession(table(), n_cluster=3)


def test_what_is_refused_can_be_passed_where_the_message_says():
    for where in OLD_SETTINGS.values():
        owner, parameter = where.removeprefix("clusterer=").removesuffix("=…)").split("(")
        (registered,) = (known for known in CLUSTERERS.values() if known.__name__ == owner)
        assert parameter in registered().get_params()


def test_old_methods_work_with_a_warning():
    y = np.tile(Y, 3)
    session = ActiveSession(table(y), 3, random_state=0)
    answer_all(session, truth(y), 5)
    while not (question := session.ask()).proba:
        session.tell(truth(y)(question))
    with pytest.warns(DeprecationWarning, match=r"session\.ask\(\)\.proba") as caught:
        assert session.odds() == question.proba
    assert [warning.filename for warning in caught] == [__file__]
    with pytest.warns(DeprecationWarning, match="answer_proba") as caught:
        assert session.credibility() == session.answer_proba()
    assert [warning.filename for warning in caught] == [__file__]


def test_odds_are_empty_when_nothing_is_left_to_ask():
    with pytest.warns(DeprecationWarning, match="proba"):
        assert ActiveSession([[1.0]], random_state=0).odds() == {}


# --- questions ------------------------------------------------------------------------------------------


def test_a_question_is_a_pair_of_row_numbers():
    question = ActiveSession(table(), 3, random_state=0).ask()
    left, right = question
    assert (question.left, question.right) == (left, right) == question
    assert question == (left, right)
    assert {question: "a key"}[(left, right)] == "a key"
    assert type(left) is type(right) is int
    assert question.is_recheck is False


def test_a_question_is_made_without_probabilities():
    first, second = Question(1, 2), Question(1, 2)
    assert first.proba == {}
    assert first.proba is not second.proba
    assert (first.is_recheck, first.reached) == (False, None)


@pytest.mark.parametrize(
    "copied",
    [lambda q: pickle.loads(pickle.dumps(q)), copy.copy, copy.deepcopy],
    ids=["pickle", "copy", "deep"],
)
@pytest.mark.parametrize("is_recheck", [True, False])
def test_a_copied_question_keeps_all_that_belongs_to_it(copied, is_recheck):
    question = Question(4, 7, is_recheck=is_recheck, proba={0: 0.25, 3: 0.75})
    again = copied(question)
    assert type(again) is Question
    assert again == question
    assert (again.left, again.right) == (4, 7)
    assert again.is_recheck is is_recheck
    assert again.proba == {0: 0.25, 3: 0.75}


def test_a_question_of_a_session_can_be_pickled_and_answered():
    """Also one that carries the groups that COBRA has reached."""
    for method in ({}, {"clusterer": COBRA(n_init=1)}):
        session = ActiveSession(table(), 3, random_state=0, **method)
        answer_all(session, truth(Y), 5)
        question = pickle.loads(pickle.dumps(session.ask()))
        assert question == session.ask()
        assert question.proba == session.ask().proba
        session.tell(truth(Y)(question), question)
        assert session.answers[-1].pair == question


def test_an_answer_to_a_recheck_is_logged_as_one():
    X = np.random.default_rng(0).normal(size=(30, 2)) + 6.0 * np.eye(2)[np.arange(30) % 2]
    session = ActiveSession(X, 2, random_state=0)
    oracle = truth(np.arange(30) % 2)
    while not (question := session.ask()).is_recheck:
        session.tell(oracle(question))
    by_argument, in_place = session.fork(), session
    by_argument.tell(oracle(question), question)
    in_place.tell(oracle(question))
    assert by_argument.answers == in_place.answers
    assert in_place.answers[-1].is_recheck
    assert [reply.is_recheck for reply in in_place.answers[:-1]] == [False] * (len(in_place.answers) - 1)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        (MinimumExpectedEntropy(n_trees=0), "n_trees=0 but at least 1 is needed"),
        (NPU(n_trees=2.5), "n_trees=2.5 but a whole number is needed"),
        (TwoStep(max_points=1), "max_points=1 but at least 2 is needed"),
        (UncertaintySampling(n_representatives=0), "n_representatives=0 but at least 2 is needed"),
        (UncertaintySampling(patience=0), "patience=0 but at least 1 is needed"),
        (UncertaintySampling(merge_threshold=2.0), "merge_threshold=2.0 but at most 1 is allowed"),
        (UncertaintySampling(recheck=RecheckSchedule(first=0)), "first=0 but at least 1 is needed"),
        (COBRAQuestions(COBRA(n_init=0)), "n_init=0 but at least 1 is needed"),
    ],
    ids=repr,
)
def test_a_parameter_of_a_strategy_that_cannot_be_used_is_named(strategy, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ActiveSession(table(), 3, strategy=strategy)


def test_cobra_groups_by_the_questions_of_an_equal_cobra():
    session = ActiveSession(table(), strategy=COBRAQuestions(COBRA(5)), clusterer=COBRA(5), random_state=0)
    same = ActiveSession(table(), clusterer=COBRA(5), random_state=0)
    assert session.ask() == same.ask()
    with pytest.raises(ValueError, match="groups by the answers to its own questions"):
        ActiveSession(table(), strategy=COBRAQuestions(COBRA(6)), clusterer=COBRA(5))
