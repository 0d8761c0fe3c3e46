"""The paper's clusterer: what the penalty may be, which trial wins, how sure a label is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, calinski_harabasz_score

from sameornot import Answer, Constraints
from sameornot.cluster.augmented import AugmentedClustering, calinski_harabasz, parse_penalty
from sameornot.cluster.base import Problem, State
from sameornot.cluster.clustering import CenterClustering
from sameornot.cluster.metric_learning import fit_pairs, settings_of
from sameornot.cluster.pckmeans import cluster_under
from sameornot.metric.learn import KINDS, Metric, feature_scale, identity_metric
from sameornot.metric.penalty import GAMMA_GRID


def case(seed=0, n_noise=6, n_placed=8):
    """Three clusters along two of the features; some points of each are placed, all of them compared."""
    rng = np.random.default_rng(seed)
    truth = np.arange(60) % 3
    X = rng.normal(size=(60, 2 + n_noise))
    X[:, :2] += np.array([[0, 0], [4, 0], [0, 4]])[truth]
    constraints = Constraints(60)
    for i, j in combinations(range(n_placed), 2):
        constraints.add((i, j), Answer.SAME if truth[i] == truth[j] else Answer.DIFFERENT)
    return X, truth, constraints


def problem(X, constraints, n_clusters=3, seed=0):
    return Problem(X, constraints, n_clusters, feature_scale(X), seed)


class SameRandomness(Problem):
    """A problem whose result is found with the same random numbers as its step."""

    def result_rng(self):
        return self.step_rng()


def fit_step(X, constraints, model, *, seed=0):
    return model.check().cluster(problem(X, constraints, seed=seed), State())


def fit_final(X, constraints, model, history=(), *, n_clusters=3, seed=0):
    return model.check().conclude(problem(X, constraints, n_clusters, seed), State(checkpoints=history))


def steps(X, model):
    """What a session remembers that placed one point after the other."""
    closures = [case(n_placed=n_placed)[2] for n_placed in range(3, 8)]
    return [model.remember(fit_step(X, constraints, model)) for constraints in closures]


def index_under_own_metric(X, clustering):
    return calinski_harabasz_score(clustering.metric.transform(X), clustering.labels)


@pytest.mark.parametrize(
    ("penalty", "parsed"),
    [
        (None, (0.0, 0)),
        ("auto", (None, None)),
        (0, (0.0, None)),
        (2, (2.0, None)),
        (np.float64(0.5), (0.5, None)),
        ((1.5, 3), (1.5, 3)),
        ((1.5, np.int64(3)), (1.5, 3)),
        ((1.5, "auto"), (1.5, None)),
        (("auto", 4), (None, 4)),
        (("auto", "auto"), (None, None)),
        ((0.0, 0), (0.0, 0)),
    ],
)
def test_a_penalty_may_be_written_in_many_ways(penalty, parsed):
    assert parse_penalty(penalty) == parsed


@pytest.mark.parametrize(
    "penalty",
    [
        -1,
        "yes",
        True,
        np.nan,
        np.inf,
        (1.0,),
        (1.0, 2, 3),
        (),
        [1.0, 2],
        {"gamma": 1.0},
        (-0.1, 2),
        (1.0, -1),
        (1.0, 2.5),
        (1.0, True),
        (1.0, None),
        (None, 2),
        ("cv", 2),
        (1.0, "elbow"),
    ],
)
def test_a_penalty_that_makes_no_sense_is_named(penalty):
    with pytest.raises(ValueError, match="penalty"):
        parse_penalty(penalty)
    with pytest.raises(ValueError, match="penalty"):
        AugmentedClustering(penalty=penalty).check()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("metric", "diagonal"),
        ("metric", None),
        ("separation", -0.5),
        ("separation", "auto"),
        ("weight", -1),
        ("weight", np.nan),
        ("answered_row_weight", 0.5),
        ("n_init", 0),
        ("max_iter", 1.5),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(name, value):
    with pytest.raises(ValueError, match=f"{name}="):
        AugmentedClustering(**{name: value}).check()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", [None, "auto", 1.0, ("auto", 3)])
def test_an_estimator_that_can_be_used_is_returned_as_it_is(kind, penalty):
    model = AugmentedClustering(metric=kind, penalty=penalty, separation="cv")
    assert model.check() is model


@pytest.mark.parametrize("kind", KINDS)
def test_an_automatic_penalty_wins_against_every_single_one(kind):
    # all centres are seeded by neighbourhoods, so no trial is left to chance
    X, _, constraints = case()
    history = steps(X, AugmentedClustering(metric=kind))

    def final(penalty):
        return fit_final(X, constraints, AugmentedClustering(metric=kind, penalty=penalty), history)

    n_axes = len(final(None).metric.weights)
    q = max(n_axes - 2, 1)
    best = index_under_own_metric(X, final(("auto", q)))
    trials = [index_under_own_metric(X, final((gamma, q))) for gamma in GAMMA_GRID]
    assert best == pytest.approx(max(trials), rel=1e-6)
    assert best >= index_under_own_metric(X, final(None)) * (1 - 1e-9)


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 1000), st.sampled_from(KINDS), st.sampled_from(["auto", ("auto", 4)]))
def test_an_automatic_penalty_is_never_worse_than_none(seed, kind, penalty):
    X, _, constraints = case(seed, n_placed=4)
    scale = feature_scale(X)
    history = [identity_metric(scale), None]
    plain, tuned = (
        fit_final(X, constraints, AugmentedClustering(metric=kind, penalty=chosen), history, seed=seed)
        for chosen in (None, penalty)
    )
    assert calinski_harabasz(X, tuned) >= calinski_harabasz(X, plain)


def test_a_penalty_takes_the_weight_of_features_that_ranked_low_at_every_step():
    X, _, constraints = case()
    history = steps(X, AugmentedClustering())
    results = [
        fit_final(X, constraints, AugmentedClustering(penalty=penalty), history)
        for penalty in (None, (0.5, 6), (50.0, 6))
    ]
    noise = [result.metric.feature_weights[2:].sum() for result in results]
    assert noise[0] > noise[1] > noise[2]
    assert noise[2] < 0.01


def test_a_given_penalty_falls_on_what_the_history_says_even_where_that_clusters_worse():
    X, _, constraints = case()
    scale = feature_scale(X)
    against = Metric(
        scale, np.array([0.0, 2, 3, 4, 5, 6, 7, 8])
    )  # the first feature, one of the two good ones
    plain, penalised = (
        fit_final(X, constraints, AugmentedClustering(penalty=penalty), [against] * 20)
        for penalty in (None, (100.0, 1))
    )
    assert plain.metric.feature_weights[0] > 0.1
    assert penalised.metric.feature_weights[0] < 0.01
    assert index_under_own_metric(X, penalised) < index_under_own_metric(X, plain)


def test_no_penalty_is_one_more_step():
    X, _, constraints = case()
    model = AugmentedClustering()
    given = SameRandomness(X, constraints, 3, feature_scale(X))
    step = model.cluster(given, State())
    final = model.conclude(given, State(checkpoints=steps(X, model)))
    np.testing.assert_array_equal(final.labels, step.labels)
    np.testing.assert_array_equal(final.metric.weights, step.metric.weights)


@pytest.mark.parametrize("penalty", [None, "auto", 1.0, (1.0, 2)])
@pytest.mark.parametrize("kind", KINDS)
def test_without_any_answer_the_clustering_is_under_the_identity(kind, penalty):
    X, _, _ = case()
    found = fit_final(X, Constraints(60), AugmentedClustering(metric=kind, penalty=penalty), n_clusters=3)
    np.testing.assert_allclose(found.metric.feature_weights, 1 / 8)
    assert len(np.unique(found.labels)) == 3


@pytest.mark.parametrize("penalty", [None, "auto", 1.0])
@pytest.mark.parametrize("kind", sorted({*KINDS} - {"released"}))  # that one trains on all pairs of rows
def test_different_rows_that_coincide_leave_the_identity(kind, penalty):
    X, _, _ = case()
    X[1] = X[0]
    constraints = Constraints(60)
    constraints.add((0, 1), Answer.DIFFERENT)
    found = fit_final(X, constraints, AugmentedClustering(metric=kind, penalty=penalty), n_clusters=3)
    np.testing.assert_allclose(found.metric.feature_weights, 1 / 8)


@pytest.mark.parametrize("kind", KINDS)
def test_answers_help_to_place_points_that_no_one_asked_about(kind):
    X, truth, constraints = case(n_noise=20, n_placed=30)
    found = fit_step(X, constraints, AugmentedClustering(metric=kind))
    plain = fit_step(X, Constraints(60), AugmentedClustering())
    asked_about = slice(30)
    scores = [adjusted_rand_score(truth[30:], clustering.labels[30:]) for clustering in (found, plain)]
    assert scores[0] > scores[1] + 0.2
    np.testing.assert_array_equal(found.labels[asked_about], found.labels[truth[asked_about]])


def test_the_metric_is_scaled_to_unit_total_variance():
    X, _, constraints = case()
    found = fit_step(X, constraints, AugmentedClustering())
    rows = found.metric.transform(X)
    assert np.mean(np.sum((rows - rows.mean(axis=0)) ** 2, axis=1)) == pytest.approx(1)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_scale_of_a_metric_does_not_change_the_clustering(factor):
    X, _, constraints = case()
    scale = feature_scale(X)
    first, again = (
        cluster_under(
            Metric(scale, unit * np.arange(1.0, 9.0)),
            problem(X, constraints),
            AugmentedClustering(),
            np.random.default_rng(0),
        )
        for unit in (1.0, factor)
    )
    np.testing.assert_array_equal(again.labels, first.labels)
    np.testing.assert_allclose(again.centers, first.centers)


def test_augmented_pairs_are_left_out_on_request():
    X, _, constraints = case()
    given = problem(X, constraints)
    answers = fit_pairs(given, settings_of(AugmentedClustering(augmentation=False)), np.random.default_rng(0))
    assert len(answers.similar) == len(constraints.must_link)
    assert len(answers.different) == len(constraints.cannot_link)
    augmented = fit_pairs(given, settings_of(AugmentedClustering()), np.random.default_rng(0))
    # every pair was asked and every pair is inferred: each stands there twice
    assert len(augmented.similar) == 2 * len(constraints.must_link)
    assert len(augmented.different) == 2 * len(constraints.cannot_link)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_predicted_to_be_in_the_cluster_of_the_nearest_centre(kind):
    X, _, constraints = case()
    found = fit_step(X, constraints, AugmentedClustering(metric=kind))
    rows = found.metric.transform(X)
    nearest = [min(range(3), key=lambda k: np.sum((row - found.centers[k]) ** 2)) for row in rows]
    np.testing.assert_array_equal(found.predict(X), nearest)


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(2, 20), st.sampled_from([1e-6, 1.0, 1e6]))
def test_confidence_is_a_share_of_at_least_one_over_k(seed, n_clusters, n_rows, unit):
    rng = np.random.default_rng(seed)
    metric = Metric(np.ones(3), rng.random(3))
    X = unit * rng.integers(3, size=(n_rows, 3)).astype(float)
    clustering = CenterClustering(
        np.zeros(n_rows, int), metric.transform(unit * rng.random((n_clusters, 3))), metric, 1
    )
    confidence = clustering.confidence(X)
    assert confidence.shape == (n_rows,)
    assert (confidence > 0).all()
    assert (confidence >= 1 / n_clusters - 1e-12).all()
    assert (confidence <= 1 + 1e-12).all()


def test_confidence_is_that_of_a_mixture_of_round_clusters():
    rng = np.random.default_rng(0)
    centers = np.array([[-3.0], [0.0], [2.0]])
    X = centers[np.arange(90) % 3] + rng.normal(scale=0.7, size=(90, 1))
    squares = (X - centers.T) ** 2
    residuals = (X - centers[squares.argmin(axis=1)])[:, 0]
    width = np.mean((residuals - residuals.mean()) ** 2)
    density = np.exp(-squares / (2 * width))
    expected = density.max(axis=1) / density.sum(axis=1)
    metric = Metric(np.ones(1), np.ones(1))
    found = CenterClustering(np.zeros(90, int), centers, metric, 1).confidence(X)
    np.testing.assert_allclose(found, expected)


def test_a_point_between_two_centres_is_half_sure_and_one_at_a_centre_surer():
    X = np.array([[-1.2], [-1.0], [-0.8], [0.0], [0.8], [1.0], [1.2]])
    metric = Metric(np.ones(1), np.ones(1))
    confidence = CenterClustering(np.zeros(7, int), np.array([[-1.0], [1.0]]), metric, 1).confidence(X)
    assert confidence[3] == pytest.approx(0.5)
    np.testing.assert_allclose(confidence, confidence[::-1])
    assert (np.diff(confidence[:4]) < 0).all()


def test_confidence_is_full_where_no_point_is_off_its_centre():
    X = np.array([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]])
    metric = Metric(np.ones(2), np.ones(2))
    clustering = CenterClustering(np.array([0, 1, 0]), X[:2], metric, 1)
    np.testing.assert_array_equal(clustering.confidence(X), 1.0)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("penalty", [None, "auto", 1.0])
def test_data_without_any_variation_end_without_a_warning(kind, penalty):
    X = np.full((6, 3), 0.7)
    constraints = Constraints(6)
    constraints.add((0, 1), Answer.SAME)
    constraints.add((0, 2), Answer.DIFFERENT)
    found = fit_final(X, constraints, AugmentedClustering(metric=kind, penalty=penalty), n_clusters=2)
    assert found.labels[0] == found.labels[1] != found.labels[2]
    np.testing.assert_array_equal(found.confidence(X), 1.0)


def test_the_index_of_a_single_cluster_is_below_every_other():
    X, _, _ = case()
    metric = identity_metric(feature_scale(X))
    single = CenterClustering(np.zeros(60, int), np.zeros((1, 8)), metric, 1)
    two = CenterClustering(np.arange(60) % 2, np.zeros((2, 8)), metric, 1)
    assert calinski_harabasz(X, single) == -np.inf
    assert calinski_harabasz(X, two) == pytest.approx(
        calinski_harabasz_score(metric.transform(X), two.labels)
    )


@pytest.mark.parametrize("penalty", [None, 1.0])
def test_only_a_penalty_needs_the_earlier_steps(penalty):
    steps_needed = list(AugmentedClustering(penalty=penalty).checkpoints(5))
    assert steps_needed == ([] if penalty is None else [1, 2, 3, 4])


@pytest.mark.parametrize("n_placed", [0, 8])
def test_the_metric_of_a_step_is_the_same_with_its_clustering_and_without(n_placed):
    X, _, constraints = case(n_placed=n_placed)
    model, given = AugmentedClustering(penalty="auto"), problem(X, constraints)
    remembered, alone = model.remember(model.cluster(given, State())), model.checkpoint(given, State())
    if n_placed == 0:
        assert remembered is alone is None
    else:
        np.testing.assert_array_equal(remembered.weights, alone.weights)


def test_probabilities_of_a_row_do_not_depend_on_the_rows_beside_it():
    X, _, constraints = case()
    found = fit_step(X, constraints, AugmentedClustering())
    np.testing.assert_allclose(found.predict_proba(X[:1]), found.predict_proba(X)[:1])
