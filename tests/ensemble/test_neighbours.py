"""The neighbours are those of a search that computes all distances."""

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from sameornot.ensemble.neighbours import find_nearest

RNG = np.random.default_rng(0)


def far_group():
    """A distant outlier and an offset, which single precision takes most digits from."""
    rows = RNG.normal(size=(200, 4))
    rows[7] = 1e4
    return rows


TABLES = {
    "gaussian": RNG.normal(size=(300, 12)),
    "more features than rows": RNG.normal(size=(40, 90)),
    "outlier": far_group(),
    "close pairs": np.repeat(RNG.normal(size=(50, 5)), 2, axis=0) + 1e-9 * RNG.normal(size=(100, 5)),
    "tiny": 1e-200 * RNG.normal(size=(60, 3)),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 10, 39])
def test_neighbours_are_those_of_an_exhaustive_search(name, k):
    rows = TABLES[name]
    if name == "tiny":
        rows = 1e150 * rows  # the squares themselves would be zero
    expected, _ = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(rows).kneighbors()
    squares, nearest = find_nearest(rows, k)
    np.testing.assert_allclose(np.sort(squares, axis=1), expected**2, rtol=1e-9)
    assert (nearest != np.arange(len(rows))[:, None]).all()
    assert (np.diff(nearest, axis=1) > 0).all()


def test_of_equally_distant_rows_those_with_the_lowest_numbers_are_taken():
    levels = RNG.integers(0, 3, size=(400, 3)).astype(float)
    distance = ((levels[:, None] - levels) ** 2).sum(axis=2)
    np.fill_diagonal(distance, np.inf)
    expected = np.sort(np.argsort(distance, axis=1, kind="stable")[:, :10], axis=1)
    _, nearest = find_nearest(levels, 10)
    np.testing.assert_array_equal(nearest, expected)
