"""Label spreading solves its linear system, and facility location is the greedy one."""

import numpy as np
import pytest

from sameornot.ensemble.config import GraphConfig
from sameornot.ensemble.graph import facility_location, label_spreading, laplacian_kernel, neighbour_graph

CONFIG = GraphConfig()
ALPHA = CONFIG.alpha


def cloud(n_rows=40, seed=0):
    return np.random.default_rng(seed).normal(size=(n_rows, 3))


def brute_similarities(rows, k):
    """S by loops: each row's k nearest, the formula, either direction, then both ends' degrees."""
    n = len(rows)
    distance = np.array([[np.linalg.norm(a - b) for b in rows] for a in rows])
    nearest = [sorted(set(range(n)) - {i}, key=lambda j, i=i: distance[i, j])[:k] for i in range(n)]
    width = [distance[i, nearest[i][-1]] for i in range(n)]
    weight = np.zeros((n, n))
    for i in range(n):
        for j in nearest[i]:
            weight[i, j] = weight[j, i] = np.exp(-(distance[i, j] ** 2) / (width[i] * width[j]))
    degree = weight.sum(axis=1)
    return weight / np.sqrt(np.outer(degree, degree))


@pytest.mark.parametrize("n_neighbours", [1, 4, 10, 60])
def test_similarities_equal_the_formula_written_out(n_neighbours):
    rows = cloud()
    found = neighbour_graph(rows, n_neighbours).toarray()
    np.testing.assert_allclose(found, brute_similarities(rows, min(n_neighbours, 39)), atol=1e-10)
    np.testing.assert_allclose(found, found.T, atol=1e-15)


@pytest.mark.parametrize("times", [2, 12])
def test_equal_rows_leave_the_graph_finite_and_symmetric(times):
    found = neighbour_graph(np.repeat(cloud(6).round(1), times, axis=0), 10).toarray()
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, found.T, atol=1e-15)
    assert np.abs(np.linalg.eigvalsh(found)).max() == pytest.approx(1)  # so that I − α S has an inverse


def test_label_spreading_equals_the_dense_solution_without_each_rows_own_source():
    graph = neighbour_graph(cloud(), 10)
    groups = [np.array([3]), np.array([8, 1, 30]), np.array([12, 20])]
    sources = np.zeros((40, 3))
    for m, members in enumerate(groups):
        sources[members, m] = 1 / len(members)
    reached = np.linalg.solve(np.eye(40) - ALPHA * graph.toarray(), sources) - sources
    found = label_spreading(graph, groups, GraphConfig(tol=1e-13))
    np.testing.assert_allclose(found, reached / reached.sum(axis=1, keepdims=True), rtol=1e-7)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_one_member_each_gives_two_far_blobs_to_their_groups():
    blob = np.repeat([0, 1], 25)
    rows = np.random.default_rng(1).normal(size=(50, 2)) + 100 * blob[:, None]
    found = label_spreading(neighbour_graph(rows, 10), [np.array([4]), np.array([40])], CONFIG)
    np.testing.assert_array_equal(found.argmax(axis=1), blob)
    assert found.max(axis=1).min() > 0.99


def test_one_row_has_no_neighbour():
    graph = neighbour_graph(np.array([[3.0, 4.0]]), 10)
    assert graph.toarray().tolist() == [[0]]
    assert label_spreading(graph, [np.array([0])], CONFIG).tolist() == [[1]]


@pytest.mark.parametrize("rows", [[[0.0], [7.0]], [[2.0], [2.0]]])
def test_two_rows_pass_all_they_pass_on_to_each_other(rows):
    graph = neighbour_graph(np.array(rows), 10)
    np.testing.assert_allclose(graph.toarray(), [[0, 1], [1, 0]])
    # (I − α S)⁻¹ − I is (α², α; α, α²) / (1 − α²)
    own = ALPHA / (1 + ALPHA)
    found = label_spreading(graph, [np.array([0]), np.array([1])], CONFIG)
    np.testing.assert_allclose(found, [[own, 1 - own], [1 - own, own]], atol=1e-3)


@pytest.mark.parametrize("known", [[], [5], [5, 17, 2]])
@pytest.mark.parametrize("among", [None, [1, 2, 5, 9, 10, 11]])
def test_facility_location_equals_a_brute_force_greedy_search(known, among):
    kernel = np.random.default_rng(2).random((20, 20))  # without ties

    def represented(rows):
        return sum(max((kernel[i, j] for j in rows), default=0.0) for i in range(20))

    expected = []
    for _ in range(4):
        open_to = set(range(20) if among is None else among) - set(known) - set(expected)
        if open_to:
            expected.append(max(open_to, key=lambda j: represented([*known, *expected, j])))
    limited = None if among is None else np.array(among)
    found = facility_location(kernel, np.array(known, dtype=int), 4, limited)
    assert found == expected


def test_the_kernel_is_the_inverse_scaled_to_one_on_the_diagonal():
    graph = neighbour_graph(cloud(12), 3)
    inverse = np.linalg.inv(np.eye(12) - 0.7 * graph.toarray())
    expected = [
        [inverse[i, j] / np.sqrt(inverse[i, i] * inverse[j, j]) for j in range(12)] for i in range(12)
    ]
    np.testing.assert_allclose(laplacian_kernel(graph, 0.7), expected)
