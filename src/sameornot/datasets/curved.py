"""Two curved clusters among irrelevant features: no ellipsoid contains one of them without the other.

    x = (x1, x2),   x1 on a crescent or a ring of the plane, plus noise,   x2 ~ N(0, variance of x1)

The shapes are those of scikit-learn. Gaussian mixtures are in `simulated.py`.
"""

import numpy as np
from sklearn import datasets

from sameornot.datasets.checks import check_count, check_length, check_random_state, check_samples


def make_moons(
    *,
    n_samples: int = 200,
    n_irrelevant: int = 10,
    noise: float = 0.1,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw two interleaving crescents, and irrelevant features.

    Parameters
    ----------
    n_samples : int
        Number of points (n).
    n_irrelevant : int
        Number of irrelevant features, normal with the variance of the plane.
    noise : float
        Standard deviation around the curves, whose radius is 1.
    random_state : int, Generator or None
        Seed or random generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_irrelevant)
        The points, the plane of the crescents first.
    y : ndarray of shape (n_samples,)
        The crescent of each point, 0 or 1. Sizes differ by one at most.

    Examples
    --------
    >>> from sameornot.datasets import make_moons
    >>> X, y = make_moons(random_state=0)
    >>> X.shape, int(y.sum())
    ((200, 12), 100)
    """
    rng = _check_plane(n_samples, n_irrelevant, noise, random_state)
    plane, labels = datasets.make_moons(n_samples, noise=noise, random_state=int(rng.integers(2**31)))
    return _add_irrelevant(rng, plane, n_irrelevant), labels


def make_circles(
    *,
    n_samples: int = 200,
    n_irrelevant: int = 10,
    noise: float = 0.05,
    factor: float = 0.5,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a ring inside another one, and irrelevant features.

    Parameters
    ----------
    n_samples : int
        Number of points (n).
    n_irrelevant : int
        Number of irrelevant features, normal with the variance of the plane.
    noise : float
        Standard deviation around the curves.
    factor : float
        Radius of the inner ring, at least 0 and below 1; the outer radius is 1.
    random_state : int, Generator or None
        Seed or random generator.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_irrelevant)
        The points, the plane of the rings first.
    y : ndarray of shape (n_samples,)
        The ring of each point, 0 for the outer and 1 for the inner one. Sizes differ by one at most.

    Examples
    --------
    >>> from sameornot.datasets import make_circles
    >>> X, y = make_circles(random_state=0)
    >>> X.shape, int(y.sum())
    ((200, 12), 100)
    """
    rng = _check_plane(n_samples, n_irrelevant, noise, random_state)
    check_length("factor", factor)
    if factor >= 1:
        raise ValueError(f"factor={factor!r} but a number below 1 was expected")
    seed = int(rng.integers(2**31))
    plane, labels = datasets.make_circles(n_samples, noise=noise, factor=factor, random_state=seed)
    return _add_irrelevant(rng, plane, n_irrelevant), labels


def _check_plane(
    n_samples: int, n_irrelevant: int, noise: float, random_state: int | np.random.Generator | None
) -> np.random.Generator:
    check_samples(n_samples, "number of groups", 2)
    check_count("n_irrelevant", n_irrelevant, 0)
    check_length("noise", noise)
    return check_random_state(random_state)


def _add_irrelevant(rng: np.random.Generator, plane: np.ndarray, n_irrelevant: int) -> np.ndarray:
    scale = np.sqrt(plane.var(axis=0).mean())
    return np.hstack([plane, scale * rng.standard_normal((len(plane), n_irrelevant))])
