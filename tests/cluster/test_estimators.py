"""The estimators are scikit-learn's citizens, and constraints make them better."""

import json
import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sameornot import AugmentedClustering, AugmentedMetric, Contradiction, COPKMeans, PCKMeans
from sameornot.datasets import make_gaussian

CLUSTERERS = [PCKMeans, AugmentedClustering]
ESTIMATORS = [*CLUSTERERS, AugmentedMetric]

CHECKED = [
    "PCKMeans()",
    "PCKMeans(standardize=False)",
    "COPKMeans()",
    "MPCKMeans()",
    "MPCKMeans(metric='full')",
    "MPCKMeans(metric='full', per_cluster=True)",
    "AugmentedClustering()",
    "AugmentedClustering(metric='full')",
    "AugmentedClustering(metric='exact', penalty='auto')",
    "AugmentedClustering(kernel='additive', penalty='auto')",
    "AugmentedMetric()",
    "AugmentedMetric(metric='full')",
    "ConstrainedSpectral()",
    "ConstrainedSpectral(kernel='additive', metric='full')",
    "ForestClassification()",
    "EnsembleClustering()",
    "EnsembleClustering(n_clusters=2)",
]
EXPECTED_FAILURES = {
    "ForestClassification()": {"check_clustering": "without any label there is nothing to train a forest on"},
}

# With SCIPY_ARRAY_API unset, scikit-learn skips `check_array_api_input`, which is for every estimator: with
# array API dispatch on, NumPy input must give what it gives without. SciPy reads the variable when it is
# imported, so the checks run in a process of their own, where nothing is skipped.
CHECK_ALL = """
import json, sys
from sklearn.utils.estimator_checks import check_estimator
from sameornot import *
model, expected = eval(sys.argv[1]), json.loads(sys.argv[2])
checks = check_estimator(model, on_skip=None, on_fail=None, expected_failed_checks=expected)
json.dump([(c["check_name"], c["status"], str(c["exception"])) for c in checks], sys.stdout)
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", CHECKED)
def test_every_check_of_scikit_learn_passes(text):
    expected = EXPECTED_FAILURES.get(text, {})
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHECK_ALL, text, json.dumps(expected)],
        env={**os.environ, "SCIPY_ARRAY_API": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    checks = json.loads(done.stdout)
    assert len(checks) > 40
    assert [check for check in checks if check[1] != "passed" and check[0] not in expected] == []
    assert {name for name, status, _ in checks if status == "xfail"} == set(expected)


def blobs(n_per_group=12, *, seed=0):
    """Three groups, far apart, in two dimensions."""
    y = np.repeat([0, 1, 2], n_per_group)
    return np.random.default_rng(seed).normal(size=(len(y), 2)) + 12.0 * np.eye(3)[y][:, :2], y


def overlapping(seed=0):
    y = np.repeat([0, 1, 2], 12)
    return np.random.default_rng(seed).normal(size=(36, 4)) + 1.5 * np.eye(4)[y], y


def random_pairs(y, n_pairs, seed):
    """Pairs of rows drawn at random, by what the labels say of them."""
    rng = np.random.default_rng(seed)
    every = np.array(list(combinations(range(len(y)), 2)))
    drawn = every[rng.choice(len(every), size=n_pairs, replace=False)]
    same = y[drawn[:, 0]] == y[drawn[:, 1]]
    return {"must_link": drawn[same], "cannot_link": drawn[~same]}


def fitted_arrays(estimator):
    names = ["labels_", "cluster_centers_", "feature_weights_"]
    return [getattr(estimator, name) for name in names if hasattr(estimator, name)]


def assert_same_fit(first, second):
    for left, right in zip(fitted_arrays(first), fitted_arrays(second), strict=True):
        np.testing.assert_array_equal(left, right)


# --- constraints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_partial_labels_are_the_pairs_that_they_stand_for(estimator):
    X, y = overlapping()
    partial = np.full(36, -1)
    partial[[0, 1, 2, 12, 13, 24]] = y[[0, 1, 2, 12, 13, 24]]
    by_labels = estimator(n_clusters=3, random_state=0).fit(X, partial)
    by_pairs = estimator(n_clusters=3, random_state=0).fit(
        X,
        must_link=[(0, 1), (1, 2), (12, 13)],
        cannot_link=[(12, 0), (13, 1), (24, 0), (24, 12)],
    )
    assert_same_fit(by_labels, by_pairs)


def test_for_pckmeans_only_the_closure_of_the_pairs_counts():
    X, y = overlapping()
    by_labels = PCKMeans(3, random_state=0).fit(X, y)
    chain = [(i, i + 1) for i in range(35) if y[i] == y[i + 1]]
    by_chain = PCKMeans(3, random_state=0).fit(X, must_link=chain, cannot_link=[(5, 20), (22, 33), (30, 3)])
    assert_same_fit(by_labels, by_chain)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_unknown_labels_alone_are_no_constraint(estimator):
    X, _ = overlapping()
    without = estimator(n_clusters=3, random_state=0).fit(X)
    assert_same_fit(estimator(n_clusters=3, random_state=0).fit(X, np.full(36, -1)), without)


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("container", [list, lambda words: pd.Series(words, dtype=object)])
def test_labels_may_be_words_beside_minus_one(estimator, container):
    X, y = overlapping()
    known = [0, 1, 2, 12, 13, 24]
    numbers = [int(y[i]) if i in known else -1 for i in range(36)]
    words = [("ant", "bee", "cat")[label] if label >= 0 else -1 for label in numbers]
    by_numbers = estimator(n_clusters=3, random_state=0).fit(X, numbers)
    assert_same_fit(estimator(n_clusters=3, random_state=0).fit(X, container(words)), by_numbers)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_contradictory_pairs_are_refused_with_their_chain(estimator):
    X, _ = blobs()
    with pytest.raises(Contradiction, match="0 and 1 are same, 1 and 2 are same"):
        estimator(n_clusters=3).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("estimator", CLUSTERERS)
def test_complete_constraints_are_kept(estimator, seed):
    y = np.random.default_rng(seed).integers(3, size=30)
    X = np.random.default_rng(seed + 100).normal(size=(30, 3))  # says nothing about y
    model = estimator(n_clusters=3, weight=100.0, random_state=seed).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1.0


def squared_to_nearest(X, model):
    return ((X[:, None] - model.cluster_centers_) ** 2).sum(axis=2).min(axis=1)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_the_weight_of_pckmeans_does_not_depend_on_the_unit(factor):
    X, y = overlapping()
    pairs = random_pairs(y, 40, seed=0)
    raw = PCKMeans(3, weight=0.1, standardize=False, random_state=0)
    first = clone(raw).fit(X, **pairs)
    second = clone(raw).fit(factor * X, **pairs)
    np.testing.assert_array_equal(first.labels_, second.labels_)
    np.testing.assert_allclose(factor * first.cluster_centers_, second.cluster_centers_)
    assert second.objective_ == pytest.approx(factor**2 * first.objective_)


@pytest.mark.parametrize("estimator", [PCKMeans, COPKMeans])
def test_centres_are_rows_of_the_table_whatever_was_standardised(estimator):
    X, y = overlapping()
    X = np.column_stack([X * [1.0, 100.0, 0.01, 1.0], np.full(36, 7.0)])
    model = estimator(3, standardize=True, random_state=0).fit(X, **random_pairs(y, 15, seed=0))
    means = [X[model.labels_ == k].mean(axis=0) for k in range(3)]
    np.testing.assert_allclose(model.cluster_centers_, means)


def test_a_violated_constraint_costs_its_weight_in_total_variances():
    X, _ = overlapping()
    variance = X.var(axis=0).sum()
    must, cannot = [(0, 12), (1, 13), (2, 30)], [(3, 4), (5, 6), (14, 15)]
    model = PCKMeans(3, weight=0.3 / variance, standardize=False, random_state=0)
    model.fit(X, must_link=must, cannot_link=cannot)
    labels = model.labels_
    distances = sum(np.sum((X[i] - model.cluster_centers_[labels[i]]) ** 2) for i in range(36))
    broken = sum(labels[i] != labels[j] for i, j in must) + sum(labels[i] == labels[j] for i, j in cannot)
    assert 0 < broken < 6
    assert model.objective_ == pytest.approx(distances + 0.3 * broken)
    np.testing.assert_allclose(model.transform(X).min(axis=1) ** 2, squared_to_nearest(X, model))
    assert all(
        later <= earlier + 1e-9 for earlier, later in zip(model.history_, model.history_[1:], strict=False)
    )


# --- without constraints --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_pckmeans_without_constraints_is_as_good_as_k_means(seed):
    X, _ = overlapping(seed)
    reference = KMeans(3, n_init=20, random_state=seed).fit(X)
    model = PCKMeans(3, n_init=20, standardize=False, random_state=seed).fit(X)
    assert model.objective_ == pytest.approx(reference.inertia_, rel=0.02)
    assert model.objective_ == pytest.approx(np.sum((X - model.cluster_centers_[model.labels_]) ** 2))


def test_augmented_clustering_without_constraints_is_k_means_of_standardised_features():
    X, y = blobs()
    X = X * [1.0, 1000.0]
    model = AugmentedClustering(3, random_state=0).fit(X)
    reference = KMeans(3, n_init=10, random_state=0).fit(StandardScaler().fit_transform(X))
    assert adjusted_rand_score(reference.labels_, model.labels_) == 1.0
    assert adjusted_rand_score(y, model.labels_) == 1.0
    np.testing.assert_allclose(model.feature_weights_, 0.5)


def test_without_constraints_the_learned_space_is_standardised():
    X, _ = overlapping()
    rows = AugmentedMetric().fit_transform(X)
    expected = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(rows - rows.mean(axis=0), expected, atol=1e-12)


@pytest.mark.parametrize("estimator", CLUSTERERS)
def test_a_far_origin_does_not_blur_the_clusters(estimator):
    X, y = blobs()
    model = estimator(n_clusters=3, random_state=0).fit(X + 1e9)
    assert adjusted_rand_score(y, model.labels_) == 1.0


# --- prediction and transformation ----------------------------------------------------------------------


@pytest.mark.parametrize("estimator", CLUSTERERS)
def test_unconstrained_rows_are_predicted_as_they_were_clustered(estimator):
    X, y = overlapping()
    pairs = random_pairs(y, 15, seed=0)
    model = estimator(n_clusters=3, random_state=0).fit(X, **pairs)
    free = np.setdiff1d(np.arange(36), np.concatenate(list(pairs.values())))
    assert len(free) > 0
    np.testing.assert_array_equal(model.predict(X)[free], model.labels_[free])


@pytest.mark.parametrize("metric", ["separable", "exact", "full"])
def test_new_rows_go_to_the_nearest_centre_under_the_metric(metric):
    X, y = overlapping()
    new = overlapping(seed=1)[0][:7]
    model = AugmentedClustering(3, metric=metric, random_state=0).fit(X, **random_pairs(y, 60, seed=0))
    by_hand = np.empty((7, 3))
    for k in range(3):
        members = X[model.labels_ == k]
        by_hand[:, k] = [
            (row - members.mean(axis=0)) @ model.metric_.matrix @ (row - members.mean(axis=0)) for row in new
        ]
    np.testing.assert_allclose(model.transform(new), np.sqrt(by_hand), atol=1e-6)
    np.testing.assert_array_equal(model.predict(new), by_hand.argmin(axis=1))


@pytest.mark.parametrize("metric", ["separable", "exact", "full"])
def test_distances_in_the_learned_space_are_those_of_the_matrix(metric):
    X, y = overlapping()
    model = AugmentedMetric(3, metric=metric, random_state=0).fit(X, **random_pairs(y, 60, seed=0))
    rows = model.transform(X)
    for i, j in [(0, 1), (0, 20), (5, 35)]:
        expected = (X[i] - X[j]) @ model.metric_.matrix @ (X[i] - X[j])
        assert np.sum((rows[i] - rows[j]) ** 2) == pytest.approx(expected)
    assert model.feature_weights_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("estimator", CLUSTERERS)
def test_a_clusterer_gives_one_distance_a_cluster(estimator):
    X, y = blobs()
    model = estimator(n_clusters=3, random_state=0).fit(X)
    assert model.transform(X[:5]).shape == (5, 3)
    assert model.predict(X[:5]).shape == (5,)
    np.testing.assert_array_equal(model.transform(X).argmin(axis=1), model.predict(X))
    np.testing.assert_array_equal(estimator(n_clusters=3, random_state=0).fit_predict(X), model.labels_)
    by_fit_transform = estimator(n_clusters=3, random_state=0).fit_transform(X, y)
    np.testing.assert_array_equal(
        by_fit_transform, estimator(n_clusters=3, random_state=0).fit(X, y).transform(X)
    )


# --- names ----------------------------------------------------------------------------------------------


def frame():
    X, y = overlapping()
    return pd.DataFrame(
        X, columns=["length", "width", "depth", "mass"], index=[f"row{i}" for i in range(36)]
    ), y


@pytest.mark.parametrize(
    ("estimator", "names"),
    [
        (PCKMeans(3), ["pckmeans0", "pckmeans1", "pckmeans2"]),
        (AugmentedClustering(3), [f"augmentedclustering{k}" for k in range(3)]),
        (AugmentedMetric(3), ["length", "width", "depth", "mass"]),
    ],
)
def test_names_of_columns_go_in_and_come_out(estimator, names):
    X, y = frame()
    model = clone(estimator).set_params(random_state=0).fit(X, y)
    assert model.feature_names_in_.tolist() == ["length", "width", "depth", "mass"]
    assert model.n_features_in_ == 4
    assert model.get_feature_names_out().tolist() == names
    rows = model.set_output(transform="pandas").transform(X)
    assert rows.columns.tolist() == names
    assert rows.index.equals(X.index)
    np.testing.assert_array_equal(rows, model.set_output(transform="default").transform(X))


def test_axes_of_a_full_metric_are_numbered():
    X, y = frame()
    model = AugmentedMetric(3, metric="full", random_state=0).fit(X, y)
    rows = model.set_output(transform="pandas").transform(X)
    n_axes = model.metric_.rotation.shape[1]
    assert 1 <= n_axes <= 4
    assert rows.columns.tolist() == [f"augmentedmetric{axis}" for axis in range(n_axes)]
    assert len(model.feature_weights_) == 4


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_columns_in_another_order_are_refused(estimator):
    X, _ = frame()
    model = estimator(n_clusters=3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(X[["width", "length", "depth", "mass"]])


# --- scikit-learn's tools -------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_clone_has_the_parameters_and_nothing_fitted(estimator):
    X, _ = blobs()
    model = estimator(n_clusters=3, random_state=5).fit(X)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    assert_same_fit(copy.fit(X), model)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_random_state_repeats_the_fit(estimator):
    X, y = overlapping()
    pairs = random_pairs(y, 20, seed=1)
    first = estimator(n_clusters=3, random_state=3).fit(X, **pairs)
    np.random.seed(0)  # noqa: NPY002
    assert_same_fit(estimator(n_clusters=3, random_state=3).fit(X, **pairs), first)
    legacy = [
        estimator(n_clusters=3, random_state=np.random.RandomState(3)).fit(X, **pairs) for _ in range(2)
    ]
    assert_same_fit(*legacy)


def test_the_learned_space_feeds_any_clusterer_in_a_pipeline():
    X, y = make_gaussian(n_samples=60, n_relevant=3, n_irrelevant=3, random_state=0)
    partial = np.where(np.arange(60) < 20, y, -1)
    pipeline = make_pipeline(AugmentedMetric(3, random_state=0), KMeans(3, n_init=10, random_state=0))
    labels = pipeline.fit(X, partial).predict(X)
    by_hand = AugmentedMetric(3, random_state=0).fit(X, partial).transform(X)
    np.testing.assert_array_equal(labels, KMeans(3, n_init=10, random_state=0).fit_predict(by_hand))
    alone = KMeans(3, n_init=10, random_state=0).fit_predict(StandardScaler().fit_transform(X))
    assert adjusted_rand_score(y, labels) > adjusted_rand_score(y, alone)


@pytest.mark.parametrize("estimator", CLUSTERERS)
def test_pairs_are_routed_to_the_last_step_of_a_pipeline(estimator):
    X, y = overlapping()
    pairs = random_pairs(y, 40, seed=2)
    expected = estimator(n_clusters=3, random_state=0).fit(StandardScaler().fit_transform(X), **pairs)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = estimator(n_clusters=3, random_state=0).set_fit_request(must_link=True, cannot_link=True)
        pipeline = make_pipeline(StandardScaler(), asks).fit(X, **pairs)
    assert_same_fit(pipeline[-1], expected)


def test_pairs_are_routed_to_a_step_in_the_middle_of_a_pipeline():
    X, y = overlapping()
    pairs = random_pairs(y, 40, seed=2)
    expected = AugmentedMetric(3, random_state=0).fit(X, **pairs)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = AugmentedMetric(3, random_state=0).set_fit_request(must_link=True, cannot_link=True)
        pipeline = make_pipeline(asks, KMeans(3, n_init=10, random_state=0)).fit(X, **pairs)
    assert_same_fit(pipeline[0], expected)


# --- what constraints are good for ----------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["separable", "exact", "full"])
def test_pairs_tell_which_features_matter(metric):
    for seed in range(3):
        X, y = make_gaussian(n_samples=60, n_relevant=6, n_irrelevant=3, random_state=seed)
        pairs = random_pairs(y, 60, seed)
        weights = AugmentedClustering(6, metric=metric, random_state=seed).fit(X, **pairs).feature_weights_
        assert weights[:6].mean() > weights[6:].mean()


def test_separable_weights_of_all_relevant_features_exceed_those_of_the_others():
    for seed in range(5):
        X, y = make_gaussian(n_samples=60, n_relevant=3, n_irrelevant=3, random_state=seed)
        model = AugmentedMetric(3, random_state=seed).fit(X, **random_pairs(y, 60, seed))
        assert model.feature_weights_[:3].min() > model.feature_weights_[3:].max()


def test_pairs_improve_on_k_means():
    with_pairs, alone = [], []
    for seed in range(5):
        X, y = make_gaussian(n_samples=60, n_relevant=6, n_irrelevant=3, random_state=seed)
        model = AugmentedClustering(6, random_state=seed).fit(X, **random_pairs(y, 60, seed))
        kmeans = KMeans(6, n_init=10, random_state=seed).fit(StandardScaler().fit_transform(X))
        with_pairs.append(adjusted_rand_score(y, model.labels_))
        alone.append(adjusted_rand_score(y, kmeans.labels_))
    assert np.mean(with_pairs) > np.mean(alone)


def test_linked_pairs_that_may_be_of_one_cluster_do_not_split_it():
    # Nothing says that 0 = 1 and 2 = 3 differ. Centres that start at both stay there, and the far clusters
    # 4–5 and 6–7 are left with one between them.
    X = np.array([[0.0], [1.0], [4.0], [5.0], [50.0], [51.0], [100.0], [101.0]])
    model = PCKMeans(3, random_state=0).fit(X, must_link=[(0, 1), (2, 3), (4, 5)])
    assert adjusted_rand_score([0, 0, 0, 0, 1, 1, 2, 2], model.labels_) == 1.0
