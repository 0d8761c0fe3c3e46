"""Crescents and rings have their shapes, and the other features are irrelevant."""

import numpy as np
import pytest

from sameornot.datasets.curved import make_circles, make_moons

BOTH = pytest.mark.parametrize("make", [make_moons, make_circles])


@BOTH
def test_groups_are_equal_and_the_plane_comes_first(make):
    X, y = make(n_samples=101, n_irrelevant=3, random_state=0)
    assert X.shape == (101, 5)
    assert abs(np.diff(np.bincount(y))[0]) == 1


@BOTH
def test_same_seed_gives_the_same_points(make):
    first, again, other = (make(random_state=seed)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@BOTH
def test_generator_gives_new_data_at_each_call(make):
    rng = np.random.default_rng(0)
    assert not np.array_equal(make(random_state=rng)[0], make(random_state=rng)[0])


@BOTH
def test_irrelevant_features_have_the_variance_of_the_plane_and_no_group(make):
    X, y = make(n_samples=4000, n_irrelevant=3, random_state=0)
    assert X[:, 2:].var(axis=0) == pytest.approx(X[:, :2].var(axis=0).mean(), rel=0.1)
    assert np.abs(X[y == 0, 2:].mean(axis=0) - X[y == 1, 2:].mean(axis=0)).max() < 0.1


def test_without_noise_rings_are_circles():
    X, y = make_circles(n_samples=50, n_irrelevant=0, noise=0.0, factor=0.25, random_state=0)
    np.testing.assert_allclose(np.hypot(*X.T), np.where(y == 0, 1.0, 0.25))


def test_without_noise_moons_are_half_circles():
    X, y = make_moons(n_samples=50, n_irrelevant=0, noise=0.0, random_state=0)
    centers = np.array([[0.0, 0.0], [1.0, 0.5]])
    np.testing.assert_allclose(np.hypot(*(X - centers[y]).T), 1.0)


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (make_moons, "n_samples", 1),
        (make_moons, "n_irrelevant", -1),
        (make_moons, "noise", -0.1),
        (make_circles, "factor", 1.0),
        (make_circles, "factor", -0.5),
        (make_circles, "noise", np.nan),
        (make_circles, "random_state", "now"),
    ],
)
def test_error_names_the_argument_and_its_value(make, name, value):
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        make(**{name: value})
