"""What a strategy sees: neighbourhoods, candidates, representatives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_views import view_after

from sameornot import Answer, Pair, RandomPoints
from sameornot.query.sweep import Pick

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


def sweep(view, pick):
    """The questions that place a point."""
    return RandomPoints().sweep(view, pick, np.random.default_rng(0))


def rows(n=6):
    return np.arange(2.0 * n).reshape(n, 2)


def members(view):
    return [neighbourhood.tolist() for neighbourhood in view.neighbourhoods]


def test_before_the_first_answer_the_first_point_in_order_is_a_neighbourhood():
    view = view_after(X=rows(), order=[4, 2, 0, 1, 3, 5])
    assert members(view) == [[4]]
    assert view.placed.tolist() == [False, False, False, False, True, False]
    assert sorted(view.candidates()) == [0, 1, 2, 3, 5]


def test_a_point_that_cannot_be_compared_with_any_other_is_not_the_first_neighbourhood():
    unsure = [(4, other, UNSURE) for other in (0, 1, 2, 3, 5)]
    assert members(view_after(*unsure, X=rows(), order=[4, 2, 0, 1, 3, 5])) == [[2]]


def test_nothing_is_left_when_every_pair_was_answered_unsure():
    unsure = [(i, j, UNSURE) for i in range(4) for j in range(i)]
    view = view_after(*unsure, X=rows(4))
    assert members(view) == []
    assert len(view.candidates()) == 0


def test_one_row_leaves_nothing_to_place():
    assert len(view_after(X=rows(1)).candidates()) == 0


def test_neighbourhoods_are_those_of_the_answers():
    view = view_after((0, 1, SAME), (1, 2, DIFFERENT), (3, 4, UNSURE), X=rows())
    assert members(view) == [[0, 1], [2]]
    assert view.placed.tolist() == [True, True, True, False, False, False]


def test_there_are_never_more_neighbourhoods_than_clusters():
    facts = [(i, j, DIFFERENT) for i in range(3) for j in range(i)]
    assert members(view_after(*facts, X=rows(), n_clusters=2)) == [[0], [1]]


def test_ruled_out_is_what_the_closure_says_of_the_whole_group():
    view = view_after((0, 1, SAME), (1, 2, DIFFERENT), (3, 4, SAME), (4, 2, DIFFERENT), X=rows())
    column_of_2 = members(view).index([2])
    expected = np.zeros((6, len(view.neighbourhoods)), dtype=bool)
    for m, neighbourhood in enumerate(members(view)):
        for i in range(6):
            expected[i, m] = view.answers.relation(i, neighbourhood[0]) is DIFFERENT
    np.testing.assert_array_equal(view.ruled_out, expected)
    assert view.ruled_out[3, column_of_2]  # by 3 = 4 ≠ 2
    assert not view.ruled_out[5].any()


def test_points_with_fewer_unsure_answers_come_first():
    facts = [(0, 1, SAME), (2, 0, UNSURE), (2, 1, UNSURE), (3, 0, UNSURE), (4, 1, UNSURE)]
    assert view_after(*facts, X=rows()).candidates().tolist() == [5]
    facts.append((5, 0, SAME))
    assert view_after(*facts, X=rows()).candidates().tolist() == [3, 4]


def test_a_point_that_is_unsure_with_every_member_it_could_be_compared_with_is_no_candidate():
    facts = [(0, 1, SAME), (2, 0, UNSURE), (2, 1, UNSURE), (3, 0, SAME), (4, 0, SAME), (5, 0, SAME)]
    assert view_after(*facts, X=rows()).candidates().tolist() == [2]  # it can still be compared with 3, 4, 5
    facts += [(2, 3, UNSURE), (2, 4, UNSURE), (2, 5, UNSURE)]
    assert len(view_after(*facts, X=rows()).candidates()) == 0


def test_a_point_is_not_compared_with_a_neighbourhood_that_is_ruled_out():
    facts = [(0, 1, DIFFERENT), (2, 0, UNSURE), (2, 1, DIFFERENT)]
    facts += [(i, 1, SAME) for i in (3, 4, 5)]
    assert len(view_after(*facts, X=rows()).candidates()) == 0


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=20)
def test_the_representative_is_the_member_nearest_to_the_mean_under_the_metric(seed):
    rng = np.random.default_rng(seed)
    X, weights = rng.normal(size=(7, 3)), rng.exponential(size=3)
    view = view_after(*[(0, i, SAME) for i in range(1, 6)], X=X, weights=weights)
    mean = X[:6].mean(axis=0)
    nearest = min(range(6), key=lambda i: np.sum(weights * (X[i] - mean) ** 2))
    assert view.representative(0, 6) == nearest


def test_a_member_whose_pair_with_the_point_is_unsure_is_not_the_representative():
    X = np.array([[0.0], [1.0], [2.1], [9.0]])
    group = [(0, 1, SAME), (1, 2, SAME)]
    assert view_after(*group, X=X).representative(0, 3) == 1
    assert view_after(*group, (3, 1, UNSURE), X=X).representative(0, 3) in (0, 2)
    unsure = [(3, i, UNSURE) for i in range(3)]
    assert view_after(*group, *unsure, X=X).representative(0, 3) is None


def test_a_sweep_goes_from_the_likeliest_neighbourhood_down_until_same():
    facts = [(0, 1, DIFFERENT), (0, 2, DIFFERENT), (1, 2, DIFFERENT)]
    view = view_after(*facts, X=np.arange(6.0)[:, None])
    questions = sweep(view, Pick(5, np.array([0.2, 0.1, 0.7])))
    assert next(questions) == Pair(5, 2)
    assert questions.send(DIFFERENT) == Pair(5, 0)
    assert questions.send(UNSURE) == Pair(5, 1)
    with pytest.raises(StopIteration):
        questions.send(SAME)


def test_a_sweep_leaves_out_a_neighbourhood_whose_members_are_all_unsure():
    facts = [(0, 1, DIFFERENT), (5, 0, UNSURE)]
    view = view_after(*facts, X=rows())
    assert list(sweep(view, Pick(5, np.array([0.9, 0.1])))) == [Pair(5, 1)]


def test_a_sweep_says_how_likely_each_neighbourhood_is_if_its_scores_are_probabilities():
    facts = [(0, 1, SAME), (0, 2, DIFFERENT)]
    view, scores = view_after(*facts, X=rows()), np.array([0.3, 0.7])
    assert next(sweep(view, Pick(5, scores, scores))).proba == {0: 0.3, 2: 0.7}
    assert next(sweep(view, Pick(5, scores))).proba == {}


def test_rows_of_pending_questions_are_no_candidates_unless_they_are_placed():
    view = view_after((0, 1, DIFFERENT), X=rows()).beside([Pair(3, 0), Pair(2, 4)])
    assert view.pending_points == {2, 3, 4}
    assert view.candidates().tolist() == [5]
    assert view.beside([]).candidates().tolist() == [2, 3, 4, 5]


def test_a_result_is_computed_once_for_all_who_go_through_the_same_step():
    view = view_after(X=rows())
    assert view.cached("key", lambda: 1) == 1
    assert view.beside([Pair(1, 2)]).cached("key", lambda: 2) == 1
