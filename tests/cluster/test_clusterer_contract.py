"""What every clusterer promises, whatever its algorithm."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from sameornot import Answer, Constraints, EnsembleClustering
from sameornot.cluster import AugmentedClustering, MPCKMeans
from sameornot.cluster.base import Problem, State
from sameornot.metric.learn import feature_scale
from sameornot.registry import CLUSTERERS

# COBRA and COBRAS group by the answers to their own questions: other answers may leave rows apart.
ASKING = {"cobra", "cobras"}
VARIANTS = [AugmentedClustering(metric="full", penalty="auto"), MPCKMeans(metric="full", per_cluster=True)]
BY_ANY_ANSWERS = [clusterer() for name, clusterer in CLUSTERERS.items() if name not in ASKING] + VARIANTS
ALL = [CLUSTERERS[name]() for name in sorted(ASKING)] + BY_ANY_ANSWERS


@pytest.fixture(params=ALL, ids=repr)
def model(request):
    return clone(request.param)


@pytest.fixture(params=BY_ANY_ANSWERS, ids=repr)
def by_any_answers(request):
    return clone(request.param)


def groups_of_rows(n_rows=60, seed=0):
    """Three groups along two of four features."""
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % 3
    X = rng.normal(size=(n_rows, 4))
    X[:, :2] += np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])[y]
    return X, y


def answered(y, n_placed):
    """The closure of all pairs of the first rows."""
    constraints = Constraints(len(y))
    for i in range(n_placed):
        for j in range(i):
            constraints.add((i, j), Answer.SAME if y[i] == y[j] else Answer.DIFFERENT)
    return constraints


def make_problem(X, constraints, n_clusters, seed=0):
    return Problem(X, constraints, n_clusters, feature_scale(X), seed, n_answers=len(constraints.answers))


def conclude(model, problem):
    """The fit for a result before the second step."""
    state = State(model.check().prepare(problem.X, problem.scale, problem.n_clusters))
    found = model.conclude(problem, state)
    return model.cluster(problem, state) if found is None else found


CASES = {
    "no answers": (0, 3),
    "one group known": (1, 3),
    "groups known": (9, 3),
    "number unknown": (9, None),
    "nothing known": (0, None),
    "more clusters than groups": (9, 5),
    "one cluster": (0, 1),
}


@pytest.fixture(params=CASES)
def problem(request):
    n_placed, n_clusters = CASES[request.param]
    X, y = groups_of_rows()
    return make_problem(X, answered(y, n_placed), n_clusters)


# --- fits -----------------------------------------------------------------------------------------------


def test_every_row_has_one_of_the_groups(model, problem):
    found = conclude(model, problem)
    proba = found.predict_proba(problem.X)
    assert found.labels.shape == (60,)
    assert found.labels.dtype.kind == "i"
    assert found.labels.min() >= 0
    assert found.labels.max() < proba.shape[1]


def test_there_are_no_more_groups_than_asked_for(by_any_answers, problem):
    n_groups = conclude(by_any_answers, problem).predict_proba(problem.X).shape[1]
    if problem.n_clusters is None and isinstance(by_any_answers, EnsembleClustering):
        assert n_groups >= problem.n_groups  # it estimates the number from the rows too
    else:
        assert n_groups <= problem.n_groups


def test_probabilities_sum_to_one_and_agree_with_prediction_and_confidence(model, problem):
    found = conclude(model, problem)
    for rows in (problem.X, groups_of_rows(seed=1)[0]):
        proba = found.predict_proba(rows)
        assert (proba >= 0).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_array_equal(found.predict(rows), proba.argmax(axis=1))
        np.testing.assert_allclose(found.confidence(rows), proba.max(axis=1))


def test_the_same_problem_gives_the_same_fit(model, problem):
    for fit in (conclude, lambda model, problem: model.cluster(problem, state_of(model, problem))):
        first, again = fit(model, problem), fit(clone(model), problem)
        np.testing.assert_array_equal(first.labels, again.labels)
        np.testing.assert_array_equal(first.metric.weights, again.metric.weights)
        np.testing.assert_array_equal(first.predict_proba(problem.X), again.predict_proba(problem.X))


def state_of(model, problem):
    return State(model.prepare(problem.X, problem.scale, problem.n_clusters))


def test_answered_rows_keep_their_group_in_the_result(by_any_answers, problem):
    known = by_any_answers.neighbourhoods(problem.answers, problem.n_clusters)
    result = conclude(by_any_answers, problem).assign(problem.X, known)
    for m, members in enumerate(result.neighbourhoods):
        assert (result.labels[members] == m).all()
    for left, right in problem.answers.must_link:
        assert result.labels[left] == result.labels[right]
    for left, right in problem.answers.cannot_link:
        assert result.labels[left] != result.labels[right]
    assert ((result.confidence > 0) & (result.confidence <= 1)).all()


def test_answered_rows_keep_their_group_where_the_rows_contradict_them(by_any_answers):
    X = np.zeros((12, 2))
    X[::2] = 1.0
    constraints = answered(np.arange(12) // 2 % 2, 8)  # equal rows differ
    problem = make_problem(X, constraints, 2)
    result = conclude(by_any_answers, problem).assign(
        problem.X, by_any_answers.neighbourhoods(constraints, 2)
    )
    for m, members in enumerate(constraints.neighbourhoods()):
        assert (result.labels[members] == m).all()


def test_the_fit_of_a_step_leaves_the_problem_alone(model, problem):
    rows, n_answers = problem.X.copy(), len(problem.answers.answers)
    model.cluster(problem, state_of(model, problem))
    conclude(model, problem)
    np.testing.assert_array_equal(problem.X, rows)
    assert len(problem.answers.answers) == n_answers


# --- tables at the edge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [1, 3, None])
def test_rows_that_are_all_the_same_are_grouped(model, n_clusters):
    problem = make_problem(
        np.ones((12, 3)), answered(np.arange(12) % 3, 0 if n_clusters == 1 else 6), n_clusters
    )
    found = conclude(model, problem)
    assert np.isfinite(found.predict_proba(problem.X)).all()
    assert (found.metric.feature_weights == 0).all()


def test_duplicated_rows_are_grouped(by_any_answers):
    X, y = groups_of_rows(12)
    problem = make_problem(np.repeat(X, 4, axis=0), answered(np.repeat(y, 4), 16), 3)
    found = conclude(by_any_answers, problem)
    assert np.isfinite(found.predict_proba(problem.X)).all()
    assert set(found.labels) == {0, 1, 2}


def test_a_constant_feature_has_no_weight(model):
    X, y = groups_of_rows()
    X[:, 3] = 5.0
    found = conclude(model, make_problem(X, answered(y, 9), 3))
    assert found.metric.feature_weights[3] == 0.0
    assert found.metric.feature_weights.sum() == pytest.approx(1.0)


# --- estimators -----------------------------------------------------------------------------------------


def fitted(model, n_known=15, **parameters):
    X, y = groups_of_rows()
    partial = np.where(np.arange(60) < n_known, y, -1)
    return X, y, model.set_params(random_state=0, **parameters).fit(X, partial)


@pytest.mark.parametrize("n_clusters", [3, None])
def test_groups_are_found_from_partial_labels(by_any_answers, n_clusters):
    X, y, fit = fitted(by_any_answers, n_clusters=n_clusters)
    assert adjusted_rand_score(y, fit.labels_) > 0.8
    assert adjusted_rand_score(fit.labels_, fit.predict(X)) > 0.9
    np.testing.assert_array_equal(fit.predict_proba(X).argmax(axis=1), fit.predict(X))
    assert fit.metric_ is fit.clustering_.metric
    np.testing.assert_array_equal(fit.feature_weights_, fit.metric_.feature_weights)


def test_without_any_constraint_an_unknown_number_is_one_or_that_of_the_rows(by_any_answers):
    X, y = groups_of_rows()
    found = by_any_answers.set_params(n_clusters=None).fit_predict(X)
    if isinstance(by_any_answers, EnsembleClustering):
        assert adjusted_rand_score(y, found) == 1.0
    else:
        assert set(found) == {0}


def test_a_clone_has_the_parameters_and_nothing_fitted(model):
    X, _, fit = fitted(model, n_clusters=3)
    copy = clone(fit)
    assert copy.get_params() == fit.get_params()
    assert type(copy)(**fit.get_params()).get_params() == fit.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    np.testing.assert_array_equal(fitted(copy)[2].predict_proba(X), fit.predict_proba(X))


def test_what_it_transforms_to_is_named_and_comes_as_a_table_where_wanted(model):
    X, _, fit = fitted(model.set_output(transform="pandas"), n_clusters=3)
    table = fit.transform(X)
    prefix = type(fit).__name__.lower()
    assert table.columns.tolist() == [f"{prefix}{k}" for k in range(table.shape[1])]
    assert table.columns.tolist() == fit.get_feature_names_out().tolist()
    if not hasattr(fit, "cluster_centers_"):
        np.testing.assert_array_equal(table.to_numpy(), fit.predict_proba(X))


def test_every_default_standardises(model):
    assert type(model)().standardize is True


def test_a_fit_can_be_pickled(model):
    X, _, fit = fitted(model, n_clusters=3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fit)).predict_proba(X), fit.predict_proba(X))


def test_standardised_features_have_no_unit(model):
    X, y = groups_of_rows()
    partial = np.where(np.arange(60) < 15, y, -1)
    first, second = (
        clone(model).set_params(n_clusters=3, standardize=True, random_state=0).fit(rows, partial)
        for rows in (X, X * [1.0, 1024.0, 1.0 / 64.0, 1.0])
    )
    np.testing.assert_array_equal(first.labels_, second.labels_)


def test_more_clusters_than_rows_are_refused(model):
    with pytest.raises(ValueError, match="n_clusters=7 but only 5 rows"):
        model.set_params(n_clusters=7).fit(np.arange(5.0)[:, None])
