"""Points are taken in a random order; the answers decide only which neighbourhood is asked first."""

import numpy as np
import pytest
from made_views import view_after

from sameornot import ActiveSession, Answer, Pair
from sameornot.oracles import truth
from sameornot.query import RandomPoints

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
ORDER = [3, 0, 5, 1, 4, 2]


def questions_after(*facts, X=None, order=ORDER):
    X = np.arange(6.0)[:, None] if X is None else X
    return RandomPoints().ask(view_after(*facts, X=X, order=order), np.random.default_rng(0))


def test_points_are_taken_in_their_order_whatever_they_are_like():
    facts, points = [], []
    for _ in range(5):
        pair = next(questions_after(*facts))
        points.append(pair.left)
        facts.append((*pair, SAME))
    assert points == ORDER[1:]  # the first is the one that the others are compared with


def test_the_neighbourhood_with_the_nearest_centroid_comes_first():
    X = np.array([[0.0], [2.0], [13.0], [9.0], [40.0], [9.5]])
    facts = [(0, 1, SAME), (1, 3, SAME), (0, 2, DIFFERENT), (2, 4, DIFFERENT), (0, 4, DIFFERENT)]
    questions = questions_after(*facts, X=X)
    assert next(questions) == Pair(5, 2)
    assert questions.send(DIFFERENT).right in {0, 1, 3}
    assert questions.send(DIFFERENT) == Pair(5, 4)
    with pytest.raises(StopIteration):
        questions.send(DIFFERENT)


def test_a_point_with_an_unsure_answer_goes_to_the_end_of_the_queue():
    facts = [(3, 0, SAME), (5, 0, UNSURE)]
    assert next(questions_after(*facts)).left == 1
    facts += [(1, 0, SAME), (4, 0, SAME), (2, 0, SAME)]
    assert next(questions_after(*facts)) in {Pair(5, i) for i in (1, 2, 3, 4)}


def test_the_order_of_points_depends_neither_on_the_answers_nor_on_the_clusterer():
    X, y = np.random.default_rng(0).normal(size=(8, 2)), np.arange(8) % 3

    def points(y, clusterer):
        session = ActiveSession(
            X, n_clusters=3, strategy="random_points", clusterer=clusterer, infer_last=False, random_state=1
        )
        seen = []
        while (pair := session.ask()) is not None:
            seen.append(pair.left)
            session.tell(truth(y)(pair))
        return list(dict.fromkeys(seen))

    assert points(y, "pckmeans") == points(y[::-1], "pckmeans") == points(y, "augmented")


def test_asks_nothing_when_every_point_is_placed():
    facts = [(0, i, SAME) for i in range(1, 6)]
    assert list(questions_after(*facts)) == []
    assert list(questions_after(X=np.ones((1, 1)), order=[0])) == []
