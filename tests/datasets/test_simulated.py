"""The simulated data are the mixtures that §6 of the paper describes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from sameornot.datasets import make_gaussian, make_opposite, make_sphere

MAKERS = [make_gaussian, make_opposite, make_sphere]
FAR = 50.0  # a separation at which the nearest centre of a point is never in doubt


def assert_independent(first, second):
    table = np.zeros((first.max() + 1, second.max() + 1))
    np.add.at(table, (first, second), 1)
    assert chi2_contingency(table).pvalue > 0.01


def assert_standard_normal(noise):
    n_samples, n_features = noise.shape
    np.testing.assert_allclose(noise.mean(axis=0), 0.0, atol=5 / np.sqrt(n_samples))
    np.testing.assert_allclose(np.cov(noise.T), np.eye(n_features), atol=8 / np.sqrt(n_samples))


@pytest.mark.parametrize(
    ("maker", "shape", "n_clusters"),
    [(make_gaussian, (60, 9), 6), (make_opposite, (300, 35), 5), (make_sphere, (250, 500), 5)],
)
def test_defaults_are_those_of_the_paper(maker, shape, n_clusters):
    X, y = maker(random_state=0)
    assert X.shape == shape
    assert X.dtype == np.float64
    assert np.issubdtype(y.dtype, np.integer)
    assert np.unique(y).tolist() == list(range(n_clusters))


@pytest.mark.parametrize("maker", MAKERS)
def test_seed_determines_the_data(maker):
    X, y = maker(random_state=3)
    X_again, y_again = maker(random_state=np.random.default_rng(3))
    np.testing.assert_array_equal(X, X_again)
    np.testing.assert_array_equal(y, y_again)
    X_other, _ = maker(random_state=4)
    assert not np.any(X_other == X)


@pytest.mark.parametrize("maker", MAKERS)
def test_generator_gives_new_data_at_each_call(maker):
    rng = np.random.default_rng(0)
    assert not np.any(maker(random_state=rng)[0] == maker(random_state=rng)[0])


@pytest.mark.parametrize("maker", MAKERS)
def test_no_seed_gives_new_data_each_time(maker):
    assert not np.any(maker()[0] == maker()[0])


@pytest.mark.parametrize(
    ("maker", "option"),
    [(make_gaussian, {}), (make_opposite, {"mixing": True}), (make_sphere, {"rescale": True})],
)
def test_irrelevant_features_may_be_absent(maker, option):
    X, _ = maker(n_samples=20, n_relevant=4, n_irrelevant=0, random_state=0, **option)
    assert X.shape == (20, 4)
    assert np.isfinite(X).all()


def test_gaussian_centres_are_one_hot_and_its_covariance_the_identity():
    X, y = make_gaussian(n_samples=20000, n_relevant=4, n_irrelevant=3, separation=FAR, random_state=0)
    np.testing.assert_array_equal(X[:, :4].argmax(axis=1), y)
    centers = FAR * np.hstack([np.eye(4)[y], np.eye(3)[X[:, 4:].argmax(axis=1)]])
    assert_standard_normal(X - centers)


def test_gaussian_labels_are_drawn_uniformly():
    _, y = make_gaussian(n_samples=20000, n_relevant=4, random_state=0)
    np.testing.assert_allclose(np.bincount(y) / len(y), 0.25, atol=0.015)
    assert len(set(np.bincount(y))) > 1  # drawn, not dealt out


def test_gaussian_irrelevant_grouping_is_independent_of_the_clusters():
    X, y = make_gaussian(n_samples=20000, n_relevant=4, n_irrelevant=3, separation=FAR, random_state=0)
    axis = X[:, 4:].argmax(axis=1)
    np.testing.assert_allclose(np.bincount(axis) / len(axis), 1 / 3, atol=0.015)
    assert_independent(y, axis)


def test_opposite_centres_lie_on_both_sides_of_the_irrelevant_axes():
    X, y = make_opposite(n_samples=20000, n_relevant=3, n_irrelevant=4, separation=FAR, random_state=0)
    relevant, irrelevant = X[:, :3], X[:, 3:]
    axis = np.abs(irrelevant).argmax(axis=1)
    sign = np.sign(irrelevant[np.arange(len(axis)), axis])
    assert_standard_normal(
        np.hstack([relevant - FAR * np.eye(3)[y], irrelevant - (FAR * sign * np.eye(4)[axis].T).T])
    )
    side = (sign > 0).astype(int)
    np.testing.assert_allclose(side.mean(), 0.5, atol=0.015)
    assert_independent(y, side)
    assert_independent(y, axis)
    assert_independent(axis, side)


def test_mixing_multiplies_by_a_symmetric_root():
    plain, y = make_opposite(random_state=7)
    mixed, y_mixed = make_opposite(mixing=True, random_state=7)
    np.testing.assert_array_equal(y, y_mixed)
    root, residual, rank, _ = np.linalg.lstsq(plain, mixed, rcond=None)
    assert rank == plain.shape[1]
    np.testing.assert_allclose(residual, 0.0, atol=1e-18)
    np.testing.assert_allclose(root, root.T, atol=1e-9)
    assert np.linalg.eigvalsh(root).min() > 0


def test_mixing_matrix_is_wishart():
    # With G standard normal, the mean of R R = G Gᵀ over draws is p times the identity.
    squares = []
    for seed in range(400):
        options = {"n_samples": 30, "n_relevant": 2, "n_irrelevant": 2, "random_state": seed}
        root = np.linalg.lstsq(
            make_opposite(**options)[0], make_opposite(mixing=True, **options)[0], rcond=None
        )[0]
        squares.append(root @ root)
    np.testing.assert_allclose(np.mean(squares, axis=0), 4 * np.eye(4), atol=0.6)


def test_sphere_class_means_lie_at_the_radius():
    X, y = make_sphere(
        n_samples=20000, n_clusters=4, n_relevant=6, n_irrelevant=2, radius=FAR, random_state=0
    )
    means = np.array([X[y == k, :6].mean(axis=0) for k in range(4)])
    np.testing.assert_allclose(np.linalg.norm(means, axis=1), FAR, atol=0.06)
    axis = X[:, 6:].argmax(axis=1)
    assert_standard_normal(X[:, 6:] - FAR * np.eye(2)[axis])
    assert_independent(y, axis)


def test_sphere_centres_have_no_preferred_direction():
    X, y = make_sphere(
        n_samples=5000, n_clusters=5000, n_relevant=3, n_irrelevant=0, radius=1e6, random_state=0
    )
    np.testing.assert_array_equal(np.sort(y), np.arange(5000))
    directions = X / 1e6
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-5)
    np.testing.assert_allclose(directions.mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(directions.T @ directions / 5000, np.eye(3) / 3, atol=0.03)


def test_rescaling_multiplies_each_feature_by_a_positive_factor():
    plain, y = make_sphere(n_relevant=1000, n_irrelevant=4000, random_state=0)
    scaled, y_scaled = make_sphere(n_relevant=1000, n_irrelevant=4000, rescale=True, random_state=0)
    np.testing.assert_array_equal(y, y_scaled)
    factors = scaled[0] / plain[0]
    np.testing.assert_allclose(scaled, plain * factors)
    assert factors.min() > 0
    assert np.mean(factors**2) == pytest.approx(2.0, abs=0.15)  # E|N(1, 1)|² = 1 + 1
    assert np.mean(factors) == pytest.approx(1.1666, abs=0.05)  # the folded normal's mean


@given(n_clusters=st.integers(1, 12), extra=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_clusters_are_as_equal_as_the_samples_allow(n_clusters, extra, seed):
    n_samples = n_clusters + extra
    _, y_opposite = make_opposite(
        n_samples=n_samples, n_relevant=n_clusters, n_irrelevant=1, random_state=seed
    )
    _, y_sphere = make_sphere(
        n_samples=n_samples, n_clusters=n_clusters, n_relevant=2, n_irrelevant=1, random_state=seed
    )
    for y in (y_opposite, y_sphere):
        assert np.ptp(np.bincount(y, minlength=n_clusters)) <= 1


@pytest.mark.parametrize("maker", [make_opposite, make_sphere])
def test_rows_of_equal_clusters_are_shuffled(maker):
    _, y = maker(random_state=0)
    _, y_other = maker(random_state=1)
    assert not np.array_equal(y, np.sort(y))
    assert not np.array_equal(y, y_other)


@pytest.mark.parametrize(
    ("maker", "bad", "message"),
    [
        (make_gaussian, {"n_samples": 0}, "n_samples=0 but an integer of at least 1"),
        (make_gaussian, {"n_samples": 2.5}, "n_samples=2.5 but an integer of at least 1"),
        (make_gaussian, {"n_relevant": 0}, "n_relevant=0 but an integer of at least 1"),
        (make_gaussian, {"n_irrelevant": -1}, "n_irrelevant=-1 but an integer of at least 0"),
        (make_gaussian, {"separation": -1.0}, "separation=-1.0 but a finite number of at least 0"),
        (make_gaussian, {"separation": "5"}, "separation='5' but a finite number"),
        (make_gaussian, {"random_state": -1}, "random_state=-1 but None, a non-negative integer"),
        (make_gaussian, {"random_state": "seed"}, "random_state='seed' but None, a non-negative integer"),
        (make_opposite, {"n_samples": 4}, "n_samples=4 but at least n_relevant=5"),
        (make_opposite, {"n_relevant": None}, "n_relevant=None but an integer"),
        (make_opposite, {"n_irrelevant": 1.0}, "n_irrelevant=1.0 but an integer"),
        (make_opposite, {"separation": float("nan")}, "separation=nan but a finite number"),
        (make_sphere, {"n_samples": 4}, "n_samples=4 but at least n_clusters=5"),
        (make_sphere, {"n_samples": "many"}, "n_samples='many' but an integer"),
        (make_sphere, {"n_clusters": 0}, "n_clusters=0 but an integer of at least 1"),
        (make_sphere, {"n_relevant": 0}, "n_relevant=0 but an integer of at least 1"),
        (make_sphere, {"radius": float("inf")}, "radius=inf but a finite number"),
    ],
)
def test_invalid_argument_is_named(maker, bad, message):
    with pytest.raises(ValueError, match=message):
        maker(**bad)


@pytest.mark.parametrize("k", range(4))
def test_released_centres_lie_at_equal_steps_of_all_polar_angles(k):
    """All angles of centre k are kπ/K, the last is 2kπ/K (by hand, from the definition of polar angles)."""
    options = {"n_clusters": 4, "n_relevant": 5, "n_irrelevant": 0, "radius": 1e9, "centers": "released"}
    X, y = make_sphere(n_samples=8, random_state=0, **options)
    center = X[y == k].mean(axis=0) / 1e9
    angles = [np.pi * k / 4] * 3 + [2 * np.pi * k / 4]
    expected = [np.prod(np.sin(angles[:m])) * np.cos(angles[m]) for m in range(4)] + [np.prod(np.sin(angles))]
    np.testing.assert_allclose(center, expected, atol=1e-6)


def test_uniform_centres_depend_on_the_seed_and_released_ones_do_not():
    def first_center(centers, seed):
        X, y = make_sphere(centers=centers, n_samples=50, radius=1e9, random_state=seed)
        return X[y == 1, :100].mean(axis=0) / 1e9

    assert np.abs(first_center("released", 0) - first_center("released", 1)).max() < 1e-6
    assert np.abs(first_center("uniform", 0) - first_center("uniform", 1)).max() > 0.1
    with pytest.raises(ValueError, match="centers='even' but one of 'released', 'uniform' is needed"):
        make_sphere(centers="even")
