"""The clustering of the printed preset is a minimum of formula (5): distances under Â, price 1."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_answers import Answered, completely_compared, too_many_groups, uniquely_colourable
from printed_formulas import clustering_objective

from sameornot import ActiveSession, Answer, AugmentedClustering, as_printed

seeds = st.integers(0, 2**32 - 1)


def printed_fit(answered: Answered, **changes) -> AugmentedClustering:
    """The printed preset on some answers, without penalty unless one is given."""
    settings = {"penalty": None, "separation": 0.5, "random_state": 0} | changes
    return AugmentedClustering.as_printed(answered.n_groups, **settings).fit(answered.X, **answered.links)


def value_of(model: AugmentedClustering, answered: Answered, labels=None) -> float:
    """Formula (5) under the metric of a fit, for its own labels unless others are given."""
    labels = model.labels_ if labels is None else np.asarray(labels)
    return clustering_objective(answered.X, labels, model.metric_.matrix, *answered.implied())


def lowest_value(model: AugmentedClustering, answered: Answered) -> float:
    """The minimum of formula (5) over all labels."""
    return min(
        value_of(model, answered, labels)
        for labels in product(range(answered.n_groups), repeat=len(answered.X))
        if labels[0] == 0  # labels that only change names have the same value
    )


def problems(seed: int) -> Answered:
    """Complete, incomplete and contradictory answers in turn."""
    if seed % 3 == 0:
        return completely_compared(seed, 3)[0]
    if seed % 3 == 1:
        return uniquely_colourable(seed, 3)[0]
    return too_many_groups(seed, (3, 2, 2))


@settings(max_examples=20)
@given(seeds, st.booleans())
def test_the_objective_is_formula_5_with_every_implied_pair_at_a_price_of_one(seed, full):
    answered = problems(seed)
    model = printed_fit(answered, full=full)
    assert model.objective_ == pytest.approx(value_of(model, answered), rel=1e-6)


@settings(max_examples=30)
@given(seeds, st.booleans())
def test_no_row_is_better_off_in_another_cluster(seed, full):
    """Distances to the means and the violations of the row, all other rows where they are."""
    answered = problems(seed)
    model = printed_fit(answered, full=full)
    X, A, labels = answered.X, model.metric_.matrix, model.labels_
    S, D = answered.implied()
    means = [X[labels == k].mean(axis=0) if (labels == k).any() else None for k in range(answered.n_groups)]
    for row in range(len(X)):
        cost = []
        for k, mean in enumerate(means):
            if mean is None:
                cost.append(np.inf)
                continue
            violated = sum(labels[i + j - row] != k for i, j in S if row in (i, j))
            violated += sum(labels[i + j - row] == k for i, j in D if row in (i, j))
            cost.append((X[row] - mean) @ A @ (X[row] - mean) + violated)
        assert cost[labels[row]] <= min(cost) + 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_seven_rows_get_the_best_of_all_their_labels(seed):
    """Under a learned Â where groups lie apart; under A = I, with many starts, wherever they lie."""
    if seed % 2:
        answered = completely_compared(seed, 2, n_rows=7, n_placed=5, n_features=2, apart=3.0)[0]
    else:
        overlapping = completely_compared(seed, 2, n_rows=7, n_placed=7, n_features=2)[0]
        answered = Answered(overlapping.X, 2, [(0, 1), (1, 2), (3, 4)], [])
    model = printed_fit(answered, n_init=50)
    assert value_of(model, answered) == pytest.approx(lowest_value(model, answered), rel=1e-9)


# The price


def far_friends(distance: float) -> np.ndarray:
    """Two heaps on a line; the rows 0 and 1, one of each, are known to be the same."""
    return np.r_[0.0, distance, np.zeros(4), np.full(4, distance)][:, None]


@pytest.mark.parametrize(("distance", "is_kept"), [(0.5, True), (20.0, False)])
def test_a_violation_costs_one_squared_unit_of_the_rows_while_the_metric_is_the_identity(distance, is_kept):
    """To move one row over to the other heap of five costs d²·5/6."""
    answered = Answered(far_friends(distance), 2, [(0, 1)], [])
    model = printed_fit(answered, n_init=20)
    np.testing.assert_array_equal(model.metric_.matrix, [[1.0]])
    assert (model.labels_[0] == model.labels_[1]) == is_kept
    assert value_of(model, answered) == pytest.approx(lowest_value(model, answered))


def test_an_answer_that_is_cheap_to_violate_is_violated():
    """Under a learned Â: the rows 0 and 1 are the same, but each lies in the heap of another group."""
    X = np.r_[0.0, 30.0, 0.2, 1.2, np.full(8, 0.1), np.full(8, 30.0)][:, None]
    answered = Answered(X, 2, [(0, 1)], [(2, 3)])
    model = printed_fit(answered, augmentation=False, n_init=20)
    assert model.metric_.matrix[0, 0] == pytest.approx(1.0)  # rows 2 and 3 are at distance 1, the only D
    assert model.labels_[0] != model.labels_[1]
    assert model.labels_[0] == model.labels_[4]
    assert model.labels_[1] == model.labels_[-1]


def test_the_result_of_a_session_leaves_answered_rows_where_the_clustering_put_them():
    X = far_friends(20.0)
    log = [((0, 1), Answer.SAME)]
    printed = ActiveSession(X, 2, **as_printed(), random_state=0, answers=log).result().labels
    assert printed[0] != printed[1]
    assert printed[0] == printed[2]
    forced = as_printed() | {"clusterer": AugmentedClustering.as_printed(2, keep_answers=True)}
    kept = ActiveSession(X, 2, **forced, random_state=0, answers=log).result().labels
    assert kept[0] == kept[1]


def test_every_row_counts_once_in_its_centre():
    answered = completely_compared(3, 3, n_rows=14, n_placed=10)[0]
    model = printed_fit(answered)
    rows = model.metric_.transform(answered.X)
    for k, center in enumerate(model.cluster_centers_):
        np.testing.assert_allclose(center, rows[model.labels_ == k].mean(axis=0), atol=1e-9)
