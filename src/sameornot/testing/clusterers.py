"""What every clusterer promises, whatever its algorithm."""

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sameornot._types import Answer
from sameornot.cluster.base import Clusterer, Clustering, Problem, State
from sameornot.constraints import Constraints
from sameornot.metric.learn import feature_scale
from sameornot.query import RandomPairs
from sameornot.testing._check import Check, assert_refuses, promise_of

N_ROWS = 60


class Case(NamedTuple):
    """How many rows the answers place, and the number of clusters."""

    n_placed: int
    n_clusters: int | None


CASES = {
    "no answers": Case(0, 3),
    "one group known": Case(1, 3),
    "groups known": Case(9, 3),
    "number unknown": Case(9, None),
    "nothing known": Case(0, None),
    "more clusters than groups": Case(9, 5),
    "one cluster": Case(0, 1),
}


def clusterer_checks(clusterer: Clusterer) -> Iterator[Check]:
    """The checks of `check_clusterer`, one promise each."""

    def check(function: Callable[..., None], *arguments: Any, case: str = "") -> Check:
        run = partial(function, clone(clusterer), *arguments)
        return Check(repr(clusterer), promise_of(function), run, case)

    free = takes_any_answers(clusterer)
    for name, case in CASES.items():
        for function in (*OF_EACH_FIT, *(OF_EACH_FIT_BY_ANY_ANSWERS if free else ())):
            yield check(function, make_case(case), case=name)
    for n_clusters in (1, 3, None):
        yield check(check_rows_that_are_all_the_same_are_grouped, n_clusters, case=f"{n_clusters=}")
    for function in (*OF_ESTIMATORS, *(OF_ESTIMATORS_BY_ANY_ANSWERS if free else ())):
        yield check(function)


def takes_any_answers(clusterer: Clusterer) -> bool:
    """False for those that group by the answers to their own questions: other answers leave rows apart."""
    try:
        clusterer.check_strategy(RandomPairs())
    except ValueError:
        return False
    return True


def groups_of_rows(n_rows: int = N_ROWS, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three groups along two of four features."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    X = rng.normal(size=(n_rows, 4))
    X[:, :2] += np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[y]
    return X, y


def answered(y: np.ndarray, n_placed: int) -> Constraints:
    """The closure of all pairs of the first rows."""
    constraints = Constraints(len(y))
    for i in range(n_placed):
        for j in range(i):
            constraints.add((i, j), Answer.SAME if y[i] == y[j] else Answer.DIFFERENT)
    return constraints


def make_problem(X: np.ndarray, answers: Constraints, n_clusters: int | None, seed: int = 0) -> Problem:
    """A problem with standardised features."""
    return Problem(X, answers, n_clusters, feature_scale(X), seed, n_answers=len(answers.answers))


def make_case(case: Case) -> Problem:
    """The problem of a case."""
    X, y = groups_of_rows()
    return make_problem(X, answered(y, case.n_placed), case.n_clusters)


def first_fit(model: Clusterer, problem: Problem) -> Clustering:
    """The fit that the first step begins with."""
    return model.cluster(problem, State(model.prepare(problem.X, problem.scale, problem.n_clusters)))


def conclude(model: Clusterer, problem: Problem) -> Clustering:
    """The fit for a result before the second step."""
    state = State(model.check().prepare(problem.X, problem.scale, problem.n_clusters))
    found = model.conclude(problem, state)
    return model.cluster(problem, state) if found is None else found


def fitted(model: Any, n_known: int = 15, **parameters: Any) -> tuple[np.ndarray, np.ndarray, Any]:
    """Rows, their groups, and the model that was fitted to partial labels."""
    X, y = groups_of_rows()
    partial_labels = np.where(np.arange(N_ROWS) < n_known, y, -1)
    return X, y, model.set_params(random_state=0, **parameters).fit(X, partial_labels)


# --- fits -----------------------------------------------------------------------------------------------


def check_every_row_has_one_of_the_groups(model: Clusterer, problem: Problem) -> None:
    """Labels are numbers from 0 to below the number of columns of the probabilities."""
    found = conclude(model, problem)
    proba = found.predict_proba(problem.X)
    assert found.labels.shape == (N_ROWS,)
    assert found.labels.dtype.kind == "i", f"labels have the type {found.labels.dtype}"
    assert found.labels.min() >= 0
    assert found.labels.max() < proba.shape[1]


def check_probabilities_sum_to_one_and_agree_with_prediction(model: Clusterer, problem: Problem) -> None:
    """`predict` is the likeliest group of `predict_proba`, and `confidence` its probability."""
    found = conclude(model, problem)
    for rows in (problem.X, groups_of_rows(seed=1)[0]):
        proba = found.predict_proba(rows)
        assert (proba >= 0).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_array_equal(found.predict(rows), proba.argmax(axis=1))
        np.testing.assert_allclose(found.confidence(rows), proba.max(axis=1))


def check_the_same_problem_gives_the_same_fit(model: Clusterer, problem: Problem) -> None:
    """All randomness comes from the problem."""
    for fit in (conclude, first_fit):
        first, again = fit(model, problem), fit(clone(model), problem)
        np.testing.assert_array_equal(first.labels, again.labels)
        np.testing.assert_array_equal(first.metric.weights, again.metric.weights)
        np.testing.assert_array_equal(first.predict_proba(problem.X), again.predict_proba(problem.X))


def check_a_fit_leaves_the_problem_alone(model: Clusterer, problem: Problem) -> None:
    """Rows and answers are as they were."""
    rows, n_answers = problem.X.copy(), len(problem.answers.answers)
    first_fit(model, problem)
    conclude(model, problem)
    np.testing.assert_array_equal(problem.X, rows)
    assert len(problem.answers.answers) == n_answers


def check_there_are_no_more_groups_than_asked_for(model: Clusterer, problem: Problem) -> None:
    """Or, where the number is unknown and the fit estimates it, no fewer than the answers tell apart."""
    found = conclude(model, problem)
    n_groups = found.predict_proba(problem.X).shape[1]
    if problem.n_clusters is None and found.group_count() is not None:
        assert n_groups >= problem.n_groups
    else:
        assert n_groups <= problem.n_groups


def check_answered_rows_keep_their_group(model: Clusterer, problem: Problem) -> None:
    """Neighbourhood m is group m in the result, and no answer is violated."""
    known = model.neighbourhoods(problem.answers, problem.n_clusters)
    result = conclude(model, problem).assign(problem.X, known)
    for m, members in enumerate(result.neighbourhoods):
        assert (result.labels[members] == m).all()
    for left, right in problem.answers.must_link:
        assert result.labels[left] == result.labels[right]
    for left, right in problem.answers.cannot_link:
        assert result.labels[left] != result.labels[right]
    assert ((result.confidence > 0) & (result.confidence <= 1)).all()


# --- tables at the edge ---------------------------------------------------------------------------------


def check_rows_that_are_all_the_same_are_grouped(model: Clusterer, n_clusters: int | None) -> None:
    """No feature has any weight then."""
    answers = answered(np.arange(12) % 3, 0 if n_clusters == 1 else 6)
    problem = make_problem(np.ones((12, 3)), answers, n_clusters)
    found = conclude(model, problem)
    assert np.isfinite(found.predict_proba(problem.X)).all()
    assert (found.metric.feature_weights == 0).all()


def check_answered_rows_keep_their_group_where_the_rows_contradict_them(model: Clusterer) -> None:
    """Equal rows can be told apart."""
    X = np.zeros((12, 2))
    X[::2] = 1.0
    constraints = answered(np.arange(12) // 2 % 2, 8)  # equal rows differ
    problem = make_problem(X, constraints, 2)
    result = conclude(model, problem).assign(problem.X, model.neighbourhoods(constraints, 2))
    for m, members in enumerate(constraints.neighbourhoods()):
        assert (result.labels[members] == m).all()


def check_duplicated_rows_are_grouped(model: Clusterer) -> None:
    """Each of three groups of repeated rows is found."""
    X, y = groups_of_rows(12)
    problem = make_problem(np.repeat(X, 4, axis=0), answered(np.repeat(y, 4), 16), 3)
    found = conclude(model, problem)
    assert np.isfinite(found.predict_proba(problem.X)).all()
    assert set(found.labels.tolist()) == {0, 1, 2}


def check_a_constant_feature_has_no_weight(model: Clusterer) -> None:
    """The weights of the others sum to 1."""
    X, y = groups_of_rows()
    X[:, 3] = 5.0
    found = conclude(model, make_problem(X, answered(y, 9), 3))
    assert found.metric.feature_weights[3] == 0.0
    np.testing.assert_allclose(found.metric.feature_weights.sum(), 1.0)


# --- estimators -----------------------------------------------------------------------------------------


def check_groups_are_found_from_partial_labels(model: Clusterer) -> None:
    """Three groups far apart are found, with their number and without."""
    for n_clusters in (3, None):
        X, y, fit = fitted(clone(model), n_clusters=n_clusters)
        assert adjusted_rand_score(y, fit.labels_) > 0.8
        assert adjusted_rand_score(fit.labels_, fit.predict(X)) > 0.9
        np.testing.assert_array_equal(fit.predict_proba(X).argmax(axis=1), fit.predict(X))
        assert fit.metric_ is fit.clustering_.metric
        np.testing.assert_array_equal(fit.feature_weights_, fit.metric_.feature_weights)


def check_without_any_constraint_an_unknown_number_is_one_or_that_of_the_rows(model: Any) -> None:
    """One that does not estimate the number makes a single group."""
    X, y = groups_of_rows()
    fit = model.set_params(n_clusters=None).fit(X)
    if fit.clustering_.group_count() is None:
        assert set(fit.labels_.tolist()) == {0}
    else:
        assert adjusted_rand_score(y, fit.labels_) == 1.0


def check_a_clone_has_the_parameters_and_nothing_fitted(model: Clusterer) -> None:
    """And the same parameters give the same fit."""
    X, _, fit = fitted(model, n_clusters=3)
    copy = clone(fit)
    assert copy.get_params() == fit.get_params()
    assert type(copy)(**fit.get_params()).get_params() == fit.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    np.testing.assert_array_equal(fitted(copy)[2].predict_proba(X), fit.predict_proba(X))


def check_a_fit_can_be_pickled(model: Clusterer) -> None:
    """And predicts the same."""
    X, _, fit = fitted(model, n_clusters=3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fit)).predict_proba(X), fit.predict_proba(X))


def check_what_it_transforms_to_is_named_and_may_be_a_table(model: Any) -> None:
    """`set_output` gives a DataFrame whose columns are named after the class."""
    X, _, fit = fitted(model.set_output(transform="pandas"), n_clusters=3)
    table = fit.transform(X)
    prefix = type(fit).__name__.lower()
    assert table.columns.tolist() == [f"{prefix}{k}" for k in range(table.shape[1])]
    assert table.columns.tolist() == fit.get_feature_names_out().tolist()


def check_standardised_features_have_no_unit(model: Clusterer) -> None:
    """`standardize=True` makes units irrelevant."""
    X, y = groups_of_rows()
    partial_labels = np.where(np.arange(N_ROWS) < 15, y, -1)
    first, second = (
        clone(model).set_params(n_clusters=3, standardize=True, random_state=0).fit(rows, partial_labels)
        for rows in (X, X * [1.0, 1024.0, 1.0 / 64.0, 1.0])
    )
    np.testing.assert_array_equal(first.labels_, second.labels_)


def check_more_clusters_than_rows_are_refused(model: Clusterer) -> None:
    """In a sentence that names both numbers."""
    rows = np.arange(5.0)[:, None]
    fit = model.set_params(n_clusters=7).fit
    assert_refuses(ValueError, "n_clusters=7 but only 5 rows", lambda: fit(rows))


OF_EACH_FIT = (
    check_every_row_has_one_of_the_groups,
    check_probabilities_sum_to_one_and_agree_with_prediction,
    check_the_same_problem_gives_the_same_fit,
    check_a_fit_leaves_the_problem_alone,
)
OF_EACH_FIT_BY_ANY_ANSWERS = (
    check_there_are_no_more_groups_than_asked_for,
    check_answered_rows_keep_their_group,
)
OF_ESTIMATORS = (
    check_a_constant_feature_has_no_weight,
    check_a_clone_has_the_parameters_and_nothing_fitted,
    check_a_fit_can_be_pickled,
    check_what_it_transforms_to_is_named_and_may_be_a_table,
    check_standardised_features_have_no_unit,
    check_more_clusters_than_rows_are_refused,
)
OF_ESTIMATORS_BY_ANY_ANSWERS = (
    check_answered_rows_keep_their_group_where_the_rows_contradict_them,
    check_duplicated_rows_are_grouped,
    check_groups_are_found_from_partial_labels,
    check_without_any_constraint_an_unknown_number_is_one_or_that_of_the_rows,
)
