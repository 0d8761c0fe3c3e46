"""Gaussian mixtures in which only some features separate the clusters (§6 of the paper).

    x = (x1, x2),   x1 ~ N(centre of the cluster, I),   x2 ~ N(centre drawn independently of it, I)

The irrelevant part x2 is as well separated as the relevant part x1, but into other groups: an unsupervised
method cannot know which of the two groupings is meant. Real tables are in `real.py`.
"""

import numpy as np

from sameornot._validation import check_option
from sameornot.datasets.checks import check_count, check_length, check_random_state, check_samples


def make_gaussian(
    *,
    n_samples: int = 60,
    n_relevant: int = 6,
    n_irrelevant: int = 3,
    separation: float = 5.0,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw clusters on the axes of the relevant features, and other groups on the irrelevant ones (§6.1).

    Parameters
    ----------
    n_samples : int
        Number of points (n).
    n_relevant : int
        Number of relevant features (p1), and number of clusters (K).
    n_irrelevant : int
        Number of irrelevant features (p2).
    separation : float
        Distance of every centre from the origin (c).
    random_state : int, Generator or None
        Seed or random generator.

    Returns
    -------
    X : ndarray of shape (n_samples, n_relevant + n_irrelevant)
        The points, relevant features first.
    y : ndarray of shape (n_samples,)
        The cluster of each point, 0 to n_relevant − 1, drawn uniformly: a small sample may lack a cluster.

    Examples
    --------
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(random_state=0)
    >>> X.shape, int(y.max())
    ((60, 9), 5)
    """
    check_count("n_samples", n_samples, 1)
    _check_parts(n_relevant, n_irrelevant)
    check_length("separation", separation)
    rng = check_random_state(random_state)
    labels = rng.integers(n_relevant, size=n_samples)
    centers = np.hstack([np.eye(n_relevant)[labels], _random_axes(rng, n_samples, n_irrelevant)])
    return _add_noise(rng, separation * centers), labels


def make_opposite(
    *,
    n_samples: int = 300,
    n_relevant: int = 5,
    n_irrelevant: int = 30,
    separation: float = 3.0,
    mixing: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw equal clusters among many irrelevant features with centres on both sides of 0 (§6.2).

    Parameters
    ----------
    n_samples : int
        Number of points (n).
    n_relevant : int
        Number of relevant features (p1), and number of clusters (K).
    n_irrelevant : int
        Number of irrelevant features (p2). Each point is centred on one of them,
        at plus or minus `separation` with probability one half.
    separation : float
        Distance of every centre from the origin (c).
    mixing : bool
        Whether to multiply the points by the symmetric square root of G Gᵀ, with G a standard normal
        p × p matrix, so that no single feature is relevant any more. The paper's text does not mention it,
        but the released code does it: compare the paper's Tables 1 and 2 with ``mixing=True``.
    random_state : int, Generator or None
        Seed or random generator. The mixing is drawn last: without it, the same seed gives the same
        points before mixing.

    Returns
    -------
    X : ndarray of shape (n_samples, n_relevant + n_irrelevant)
        The points, relevant features first unless mixed.
    y : ndarray of shape (n_samples,)
        The cluster of each point, 0 to n_relevant − 1. Sizes differ by one at most.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot.datasets import make_opposite
    >>> X, y = make_opposite(mixing=True, random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((300, 35), [60, 60, 60, 60, 60])
    """
    _check_parts(n_relevant, n_irrelevant)
    check_samples(n_samples, "n_relevant", n_relevant)
    check_length("separation", separation)
    rng = check_random_state(random_state)
    labels = _equal_labels(rng, n_samples, n_relevant)
    signs = rng.choice([-1.0, 1.0], size=(n_samples, 1))
    centers = np.hstack([np.eye(n_relevant)[labels], signs * _random_axes(rng, n_samples, n_irrelevant)])
    X = _add_noise(rng, separation * centers)
    return (X @ _random_root(rng, X.shape[1]) if mixing else X), labels


def make_sphere(
    *,
    n_samples: int = 250,
    n_clusters: int = 5,
    n_relevant: int = 100,
    n_irrelevant: int = 400,
    radius: float = 5.0,
    centers: str = "uniform",
    rescale: bool = False,
    random_state: int | np.random.Generator | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Draw equal clusters around centres on a sphere, in many dimensions (§6.2, Table 3).

    Parameters
    ----------
    n_samples : int
        Number of points (n).
    n_clusters : int
        Number of clusters (K).
    n_relevant : int
        Number of relevant features (p1), the dimension of the space of the sphere.
    n_irrelevant : int
        Number of irrelevant features (p2). Each point is centred on one of them.
    radius : float
        Distance of every centre from the origin (r), in both parts.
    centers : {"uniform", "released"}
        Whether the centres are uniform on the sphere, as the paper says, and depend on the seed; or lie at
        equal steps of all polar angles, as the released code takes them: the nearest two of five are then
        3.1 apart (radius 5), and uniform ones about 7.
    rescale : bool
        Whether to multiply each feature by a draw of ``|N(1, 1)|``, as the released code does.
    random_state : int, Generator or None
        Seed or random generator. The scales are drawn last: without them, the same seed gives the same
        points before rescaling.

    Returns
    -------
    X : ndarray of shape (n_samples, n_relevant + n_irrelevant)
        The points, relevant features first.
    y : ndarray of shape (n_samples,)
        The cluster of each point, 0 to n_clusters − 1. Sizes differ by one at most.

    Examples
    --------
    >>> import numpy as np
    >>> from sameornot.datasets import make_sphere
    >>> X, y = make_sphere(random_state=0)
    >>> X.shape, np.bincount(y).tolist()
    ((250, 500), [50, 50, 50, 50, 50])
    """
    check_count("n_clusters", n_clusters, 1)
    _check_parts(n_relevant, n_irrelevant)
    check_samples(n_samples, "n_clusters", n_clusters)
    check_length("radius", radius)
    rng = check_random_state(random_state)
    labels = _equal_labels(rng, n_samples, n_clusters)
    check_option("centers", centers, ("uniform", "released"))
    is_uniform = centers == "uniform"
    directions = (
        _random_directions(rng, n_clusters, n_relevant) if is_uniform else _angles(n_clusters, n_relevant)
    )
    means = np.hstack([directions[labels], _random_axes(rng, n_samples, n_irrelevant)])
    X = _add_noise(rng, radius * means)
    return (X * np.abs(rng.normal(1.0, 1.0, size=X.shape[1])) if rescale else X), labels


def _add_noise(rng: np.random.Generator, centers: np.ndarray) -> np.ndarray:
    return centers + rng.standard_normal(centers.shape)


def _equal_labels(rng: np.random.Generator, n_samples: int, n_clusters: int) -> np.ndarray:
    """Draw labels in random order with counts that differ by at most one."""
    return rng.permutation(np.arange(n_samples) % n_clusters)


def _random_axes(rng: np.random.Generator, n_samples: int, n_axes: int) -> np.ndarray:
    """Draw a one-hot row per sample; every axis is equally likely."""
    if n_axes == 0:
        return np.zeros((n_samples, 0))
    return np.eye(n_axes)[rng.integers(n_axes, size=n_samples)]


def _random_directions(rng: np.random.Generator, n_directions: int, n_features: int) -> np.ndarray:
    """Draw unit vectors uniformly: a standard normal vector has no preferred direction."""
    normal = rng.standard_normal((n_directions, n_features))
    directions: np.ndarray = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return directions


def _angles(n_directions: int, n_features: int) -> np.ndarray:
    """Points whose polar angles are all kπ/K, and the last one twice that; the first is the first axis."""
    step = np.pi * np.arange(n_directions)[:, None] / n_directions
    angles = np.tile(step, n_features - 1)
    angles[:, -1:] *= 2.0
    sines = np.cumprod(np.sin(angles), axis=1)
    before = np.hstack([np.ones((n_directions, 1)), sines])
    return np.asarray(before * np.hstack([np.cos(angles), np.ones((n_directions, 1))]))


def _random_root(rng: np.random.Generator, n_features: int) -> np.ndarray:
    """Draw G and return the symmetric R with R R = G Gᵀ: if G = U S Vᵀ then R = U S Uᵀ."""
    left, singular, _ = np.linalg.svd(rng.standard_normal((n_features, n_features)))
    root: np.ndarray = (left * singular) @ left.T
    return root


def _check_parts(n_relevant: int, n_irrelevant: int) -> None:
    check_count("n_relevant", n_relevant, 1)
    check_count("n_irrelevant", n_irrelevant, 0)
