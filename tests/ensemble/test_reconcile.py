"""Groups for answers that do not all hold: what is counted, what may move, and what is found."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer
from sameornot._types import Pair
from sameornot.ensemble.map_assignment import (
    CLARITY,
    PRIOR_ANSWERS,
    PRIOR_ERROR,
    Ballots,
    fit,
    mergers,
    reconcile,
    regroup,
    settle,
    shake,
)
from sameornot.ensemble.noise import tempered

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
WEIGHT = float(np.log((1 - PRIOR_ERROR) / PRIOR_ERROR))


def random_case(seed, n_rows=12, n_groups=3, n_answers=20):
    """Answers of somebody who guesses, and odds of learners who do."""
    rng = np.random.default_rng(seed)
    pairs = [Pair(*rng.choice(n_rows, 2, replace=False).tolist()) for _ in range(n_answers)]
    told = [(pair, SAME if rng.random() < 0.5 else DIFFERENT) for pair in pairs]
    odds = rng.dirichlet(np.ones(n_groups), size=n_rows)
    ballots = Ballots.count(told)
    return told, ballots, odds, rng.integers(n_groups, size=len(ballots.rows))


def wrong_of(told, ballots, z):
    """Answers that cannot be true, one by one."""
    group = dict(zip(ballots.rows.tolist(), z.tolist(), strict=True))
    return sum((group[left] == group[right]) != (answer is SAME) for (left, right), answer in told)


def fit_of(told, ballots, odds, z):
    """What the groups explain, from the definition: answers, rows spoken of, and the others."""
    n_wrong = wrong_of(told, ballots, z)
    answers = n_wrong * np.log(PRIOR_ERROR) + (len(told) - n_wrong) * np.log(1 - PRIOR_ERROR)
    held = np.log(tempered(odds))
    others = set(range(len(odds))) - set(ballots.rows.tolist())
    placed = sum(held[row, m] for row, m in zip(ballots.rows, z, strict=True))
    return answers + placed + CLARITY * sum(held[row].max() for row in others)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_votes_and_wrong_answers_are_those_counted_one_by_one(seed):
    told, ballots, _, z = random_case(seed)
    assert ballots.n_wrong(z) == wrong_of(told, ballots, z)
    assert ballots.error(z) == (wrong_of(told, ballots, z) + PRIOR_ERROR * PRIOR_ANSWERS) / (
        20 + PRIOR_ANSWERS
    )
    at = {row: k for k, row in enumerate(ballots.rows.tolist())}
    expected = np.zeros((len(z), 3))
    for (left, right), answer in told:
        vote = 1 if answer is SAME else -1
        expected[at[left], z[at[right]]] += vote
        expected[at[right], z[at[left]]] += vote
    np.testing.assert_array_equal(ballots.for_groups(z, 3), expected)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_fit_is_the_likelihood_of_answers_and_rows_up_to_a_constant(seed):
    told, ballots, odds, z = random_case(seed)
    another = np.random.default_rng([seed, 1]).permutation(z)
    difference = fit(ballots, odds, z, WEIGHT) - fit(ballots, odds, another, WEIGHT)
    expected = fit_of(told, ballots, odds, z) - fit_of(told, ballots, odds, another)
    np.testing.assert_allclose(difference, expected, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_moving_rows_ends_where_no_row_alone_fits_better_elsewhere(seed):
    _, ballots, odds, z = random_case(seed)
    logs = np.log(tempered(odds[ballots.rows]))
    settled = settle(ballots, logs, z, WEIGHT)
    best = fit(ballots, odds, settled, WEIGHT)
    assert best >= fit(ballots, odds, z, WEIGHT) - 1e-9
    for row, m in product(range(len(z)), range(3)):
        moved = settled.copy()
        moved[row] = m
        assert fit(ballots, odds, moved, WEIGHT) <= best + 1e-9


def test_a_row_moves_with_all_that_were_called_the_same_as_it():
    """Alone, none of the star would leave; together they go where two answers want them."""
    told = [(Pair(row, 0), SAME) for row in (1, 2, 3)]
    told += [(Pair(0, 4), SAME), (Pair(0, 5), SAME)]
    ballots = Ballots.count(told)
    z = settle(ballots, np.full((6, 2), np.log(0.5)), np.array([0, 0, 0, 0, 1, 1]), WEIGHT)
    assert len(set(z.tolist())) == 1


def test_a_lump_is_all_that_hangs_together_in_a_group_and_each_branch_of_it():
    """0 is the row with most answers "same"; 4 and 5 hang on it over 3, 6 and 7 are elsewhere."""
    told = [(Pair(0, row), SAME) for row in (1, 2, 3)] + [(Pair(3, 4), SAME), (Pair(4, 5), SAME)]
    told += [(Pair(6, 7), SAME), (Pair(5, 6), SAME), (Pair(1, 2), DIFFERENT)]
    lumps = Ballots.count(told).lumps(np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    assert {tuple(np.flatnonzero(lump)) for lump in lumps} == {(0, 1, 2, 3, 4, 5), (3, 4, 5), (4, 5), (6, 7)}


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_moving_rows_ends_where_no_lump_fits_better_elsewhere(seed):
    _, ballots, odds, z = random_case(seed)
    settled = settle(ballots, np.log(tempered(odds[ballots.rows])), z, WEIGHT)
    best = fit(ballots, odds, settled, WEIGHT)
    for lump, m in product(ballots.lumps(settled), range(3)):
        assert len(set(settled[lump])) == 1
        assert fit(ballots, odds, np.where(lump, m, settled), WEIGHT) <= best + 1e-9


def test_a_branch_that_one_wrong_same_put_in_a_group_leaves_it():
    """Rows 4 to 6 were called the same as each other, and one of them the same as a row of another group."""
    told = [(Pair(0, row), SAME) for row in (1, 2, 3)]
    told += [(Pair(3, 4), SAME), (Pair(4, 5), SAME), (Pair(5, 6), SAME)]
    ballots = Ballots.count(told)
    odds = np.array([[0.9, 0.1]] * 4 + [[0.2, 0.8]] * 3)
    z = settle(ballots, np.log(odds), np.zeros(7, dtype=int), WEIGHT)
    assert z.tolist() == [0, 0, 0, 0, 1, 1, 1]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_shaken_groups_are_taught_by_some_of_the_rows_of_each(seed):
    _, ballots, odds, z = random_case(seed)
    taught = []

    def learn(groups):
        taught.append(groups)
        return odds

    shaken = shake(ballots, z, 3, learn, np.random.default_rng(seed))
    assert ((shaken >= 0) & (shaken < 3)).all()
    for m, rows in enumerate(taught[0]):
        own = ballots.rows[z == m]
        assert set(rows) <= set(own)
        assert len(rows) or len(own) == 0


def test_what_teaches_are_rows_that_more_call_the_same_than_not_or_else_the_whole_group():
    told = [
        (Pair(0, 1), SAME),
        (Pair(1, 0), SAME),
        (Pair(2, 0), DIFFERENT),
        (Pair(3, 0), DIFFERENT),
        (Pair(4, 0), DIFFERENT),
    ]
    ballots = Ballots.count(told)
    groups = ballots.groups(np.array([0, 0, 1, 1, 0]), 3)
    assert [rows.tolist() for rows in groups] == [[0, 1], [2, 3], []]


def blobs_told(wrong=()):
    """Three clear groups of four rows, each row told to be of its own and apart from the next group."""
    y = np.repeat([0, 1, 2], 4)
    told = [(Pair(row, row - row % 4), SAME) for row in range(12) if row % 4]
    told += [(Pair(row, (row - row % 4 + 4) % 12), DIFFERENT) for row in range(12)]
    return y, [*told, *wrong]


def nearest(y):
    """Learners who know the rows: odds of a group are by the true kinds of the rows that it is taught by."""

    def learn(groups):
        share = np.array(
            [[(y[rows] == kind).mean() if len(rows) else 1 / 3 for rows in groups] for kind in range(3)]
        )
        odds = share[y] + 0.1
        return odds / odds.sum(axis=1, keepdims=True)

    return learn


def same_groups(z, y):
    return len(set(zip(z.tolist(), y.tolist(), strict=True))) == len(set(z.tolist())) == len(set(y.tolist()))


def test_one_wrong_same_does_not_weld_two_groups():
    y, told = blobs_told(wrong=[(Pair(1, 5), SAME)])
    ballots = Ballots.count(told)
    welded = np.where(y == 1, 0, y)
    found = reconcile(ballots, [welded], 3, nearest(y), np.random.default_rng(0))
    assert same_groups(found.z, y)
    assert ballots.n_wrong(found.z) == 1


def test_a_group_in_two_halves_is_made_one_and_what_was_lost_in_another_is_found():
    """From here no row, nor a row with its adherents, gains by moving: two groups are one, one is two."""
    y, told = blobs_told()
    ballots = Ballots.count(told)
    start = np.array([0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2])
    found = reconcile(ballots, [start], 3, nearest(y), np.random.default_rng(0))
    assert same_groups(found.z, y)
    assert ballots.n_wrong(found.z) == 0


def test_the_better_of_several_starts_is_kept():
    y, told = blobs_told()
    ballots = Ballots.count(told)
    fits = [
        reconcile(ballots, [start], 3, nearest(y), np.random.default_rng(0)).fit
        for start in (y, np.zeros(12, dtype=int))
    ]
    assert reconcile(
        ballots, [np.zeros(12, dtype=int), y], 3, nearest(y), np.random.default_rng(0)
    ).fit == max(fits)


def test_groups_that_learners_and_answers_hold_for_one_are_the_first_to_be_merged():
    y, told = blobs_told(wrong=[(Pair(0, 4), SAME), (Pair(1, 5), SAME)])
    ballots = Ballots.count(told)
    odds = np.full((12, 3), 0.05)
    odds[:8, :2] = 0.475
    odds[8:, 2] = 0.9
    logs = np.log(odds)
    assert mergers(ballots, logs, y, WEIGHT)[0] == (0, 1)
    assert len(mergers(ballots, logs, np.zeros(12, dtype=int), WEIGHT)) == 0
    made = regroup(ballots, logs, y, WEIGHT, 0, 1)
    assert set(made.tolist()) == {0, 1, 2}
