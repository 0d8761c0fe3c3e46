"""Min-max places the point whose largest similarity to the placed ones is smallest."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_views import view_after

from sameornot import Answer, Pair
from sameornot.query import MinMax

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT


def questions_about(view, seed=0):
    return MinMax().ask(view, np.random.default_rng(seed))


def gaussian_similarity(space, width):
    squares = ((space[:, None, :] - space[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squares / (2.0 * width**2))


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.5, 1.0, 3.0]), st.integers(2, 5))
def test_the_point_and_the_order_are_those_of_the_kernel_whatever_its_width(seed, width, n_clusters):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(12, 3)), rng.exponential(size=3)
    facts = [(0, 1, DIFFERENT), (0, 2, SAME), (0, 3, SAME), (1, 4, SAME)]
    view = view_after(*facts, X=X, n_clusters=n_clusters, weights=weights)
    similarity = gaussian_similarity(X * np.sqrt(weights), width)
    least_like = min(range(5, 12), key=lambda i: similarity[i, :5].max())
    likeliest = max(view.neighbourhoods, key=lambda members: similarity[least_like, members].max())
    questions = questions_about(view)
    first, second = next(questions), questions.send(DIFFERENT)
    assert first.left == second.left == least_like
    assert first.right in likeliest
    assert second.right not in likeliest


def test_the_most_similar_member_decides_and_not_the_centroid():
    # The first group reaches as far as 9, though its centroid is far from 9.5.
    X = np.array([[0.0], [2.0], [13.0], [9.0], [9.5]])
    facts = [(0, 1, SAME), (1, 3, SAME), (0, 2, DIFFERENT)]
    questions = questions_about(view_after(*facts, X=X, n_clusters=2))
    point, known = next(questions)
    assert point == 4
    assert known in {0, 1, 3}
    assert questions.send(DIFFERENT) == Pair(4, 2)
    with pytest.raises(StopIteration):
        questions.send(SAME)


def test_the_traversal_goes_on_when_all_groups_are_known():
    X = np.array([[0.0], [1.0], [10.0], [13.0]])
    view = view_after((0, 2, DIFFERENT), X=X, n_clusters=2)
    assert {next(questions_about(view, seed)).left for seed in range(20)} == {3}


def test_ties_are_broken_at_random():
    view = view_after(X=np.zeros((5, 2)), n_clusters=2)
    asked = {next(questions_about(view, seed)) for seed in range(40)}
    assert asked == {Pair(i, 0) for i in range(1, 5)}


def test_asks_nothing_when_every_point_is_placed():
    X = np.arange(4.0)[:, None]
    facts = [(0, i, SAME) for i in range(1, 4)]
    assert list(questions_about(view_after(*facts, X=X))) == []
    assert list(questions_about(view_after(X=[[1.0]]))) == []
