"""MAP assignment for contradictory answers: what is counted, what may move, and what is found."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer
from sameornot._types import Pair
from sameornot.ensemble.config import NoiseConfig, SearchConfig
from sameornot.ensemble.map_assignment import (
    AssignmentProblem,
    icm,
    log_posterior,
    map_assignment,
    merge_and_split,
    perturb,
    rank_mergers,
)
from sameornot.ensemble.noise import smooth_labels
from sameornot.ensemble.votes import VoteMatrix

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
NOISE, SEARCH = NoiseConfig(), SearchConfig()
ERROR_RATE = NOISE.assumed_rate


def problem_of(votes, n_groups, learn=None):
    return AssignmentProblem(votes, n_groups, learn, NOISE, SEARCH)


def random_case(seed, n_rows=12, n_groups=3, n_answers=20):
    """Random answers and random predictions."""
    rng = np.random.default_rng(seed)
    pairs = [Pair(*rng.choice(n_rows, 2, replace=False).tolist()) for _ in range(n_answers)]
    answers = [(pair, SAME if rng.random() < 0.5 else DIFFERENT) for pair in pairs]
    proba = rng.dirichlet(np.ones(n_groups), size=n_rows)
    votes = VoteMatrix.from_answers(answers)
    return answers, votes, proba, rng.integers(n_groups, size=len(votes.rows))


def violated_by(answers, votes, z):
    """Answers that are violated, counted one by one."""
    group = dict(zip(votes.rows.tolist(), z.tolist(), strict=True))
    return sum((group[left] == group[right]) != (answer is SAME) for (left, right), answer in answers)


def log_posterior_of(answers, votes, proba, z):
    """The objective from its definition: answers, rows that they mention, and the others."""
    n_wrong = violated_by(answers, votes, z)
    of_answers = n_wrong * np.log(ERROR_RATE) + (len(answers) - n_wrong) * np.log(1 - ERROR_RATE)
    log_proba = np.log(smooth_labels(proba, NOISE.label_smoothing))
    others = set(range(len(proba))) - set(votes.rows.tolist())
    placed = sum(log_proba[row, m] for row, m in zip(votes.rows, z, strict=True))
    return of_answers + placed + SEARCH.unasked_weight * sum(log_proba[row].max() for row in others)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_votes_and_violated_answers_equal_counting_one_by_one(seed):
    answers, votes, _, z = random_case(seed)
    assert votes.n_violated(z) == violated_by(answers, votes, z)
    expected_errors = violated_by(answers, votes, z) + ERROR_RATE * SEARCH.prior_answers
    expected_rate = expected_errors / (20 + SEARCH.prior_answers)
    assert votes.error_rate(z, ERROR_RATE, SEARCH.prior_answers) == expected_rate
    at = {row: k for k, row in enumerate(votes.rows.tolist())}
    expected = np.zeros((len(z), 3))
    for (left, right), answer in answers:
        vote = 1 if answer is SAME else -1
        expected[at[left], z[at[right]]] += vote
        expected[at[right], z[at[left]]] += vote
    np.testing.assert_array_equal(votes.for_groups(z, 3), expected)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_log_posterior_equals_its_definition_up_to_a_constant(seed):
    answers, votes, proba, z = random_case(seed)
    another = np.random.default_rng([seed, 1]).permutation(z)
    problem = problem_of(votes, 3)
    difference = log_posterior(problem, proba, z) - log_posterior(problem, proba, another)
    expected = log_posterior_of(answers, votes, proba, z) - log_posterior_of(answers, votes, proba, another)
    np.testing.assert_allclose(difference, expected, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_icm_ends_where_no_row_alone_fits_better_elsewhere(seed):
    _, votes, proba, z = random_case(seed)
    problem = problem_of(votes, 3)
    settled = icm(problem, problem.unary(proba), z)
    best = log_posterior(problem, proba, settled)
    assert best >= log_posterior(problem, proba, z) - 1e-9
    for row, m in product(range(len(z)), range(3)):
        moved = settled.copy()
        moved[row] = m
        assert log_posterior(problem, proba, moved) <= best + 1e-9


def test_a_row_moves_with_all_rows_that_are_linked_to_it():
    """Alone, none of the star would leave; together they go where two answers want them."""
    answers = [(Pair(row, 0), SAME) for row in (1, 2, 3)]
    answers += [(Pair(0, 4), SAME), (Pair(0, 5), SAME)]
    votes = VoteMatrix.from_answers(answers)
    z = icm(problem_of(votes, 2), np.full((6, 2), np.log(0.5)), np.array([0, 0, 0, 0, 1, 1]))
    assert len(set(z.tolist())) == 1


def test_subtrees_are_connected_components_of_a_group_and_their_branches():
    """Row 0 has most "same" answers; 4 and 5 are connected to it by 3; 6 and 7 are elsewhere."""
    answers = [(Pair(0, row), SAME) for row in (1, 2, 3)] + [(Pair(3, 4), SAME), (Pair(4, 5), SAME)]
    answers += [(Pair(6, 7), SAME), (Pair(5, 6), SAME), (Pair(1, 2), DIFFERENT)]
    subtrees = VoteMatrix.from_answers(answers).subtrees(np.array([0, 0, 0, 0, 0, 0, 1, 1]))
    assert {tuple(np.flatnonzero(subtree)) for subtree in subtrees} == {
        (0, 1, 2, 3, 4, 5),
        (3, 4, 5),
        (4, 5),
        (6, 7),
    }


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_icm_ends_where_no_subtree_fits_better_elsewhere(seed):
    _, votes, proba, z = random_case(seed)
    problem = problem_of(votes, 3)
    settled = icm(problem, problem.unary(proba), z)
    best = log_posterior(problem, proba, settled)
    for subtree, m in product(votes.subtrees(settled), range(3)):
        assert len(set(settled[subtree])) == 1
        assert log_posterior(problem, proba, np.where(subtree, m, settled)) <= best + 1e-9


def test_a_branch_that_one_wrong_same_put_in_a_group_leaves_it():
    """Rows 4 to 6 are linked to each other, and one of them wrongly to a row of another group."""
    answers = [(Pair(0, row), SAME) for row in (1, 2, 3)]
    answers += [(Pair(3, 4), SAME), (Pair(4, 5), SAME), (Pair(5, 6), SAME)]
    votes = VoteMatrix.from_answers(answers)
    proba = np.array([[0.9, 0.1]] * 4 + [[0.2, 0.8]] * 3)
    z = icm(problem_of(votes, 2), np.log(proba), np.zeros(7, dtype=int))
    assert z.tolist() == [0, 0, 0, 0, 1, 1, 1]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_perturbation_trains_on_some_of_the_rows_of_each_group(seed):
    _, votes, proba, z = random_case(seed)
    trained_on = []

    def learn(groups):
        trained_on.append(groups)
        return proba

    perturbed = perturb(problem_of(votes, 3, learn), z, np.random.default_rng(seed))
    assert ((perturbed >= 0) & (perturbed < 3)).all()
    for m, rows in enumerate(trained_on[0]):
        own = votes.rows[z == m]
        assert set(rows) <= set(own)
        assert len(rows) or len(own) == 0


def test_supported_rows_have_more_votes_for_than_against_their_group_or_are_all_of_it():
    answers = [
        (Pair(0, 1), SAME),
        (Pair(1, 0), SAME),
        (Pair(2, 0), DIFFERENT),
        (Pair(3, 0), DIFFERENT),
        (Pair(4, 0), DIFFERENT),
    ]
    votes = VoteMatrix.from_answers(answers)
    groups = votes.supported_rows(np.array([0, 0, 1, 1, 0]), 3)
    assert [rows.tolist() for rows in groups] == [[0, 1], [2, 3], []]


def blobs_answers(wrong=()):
    """Three clear groups of four rows, each row linked to its own and apart from the next group."""
    y = np.repeat([0, 1, 2], 4)
    answers = [(Pair(row, row - row % 4), SAME) for row in range(12) if row % 4]
    answers += [(Pair(row, (row - row % 4 + 4) % 12), DIFFERENT) for row in range(12)]
    return y, [*answers, *wrong]


def knowing(y):
    """Learners that know the rows: they predict a group by the true kinds of its training rows."""

    def learn(groups):
        share = np.array(
            [[(y[rows] == kind).mean() if len(rows) else 1 / 3 for rows in groups] for kind in range(3)]
        )
        proba = share[y] + 0.1
        return proba / proba.sum(axis=1, keepdims=True)

    return learn


def same_groups(z, y):
    return len(set(zip(z.tolist(), y.tolist(), strict=True))) == len(set(z.tolist())) == len(set(y.tolist()))


def test_one_wrong_same_does_not_merge_two_groups():
    y, answers = blobs_answers(wrong=[(Pair(1, 5), SAME)])
    votes = VoteMatrix.from_answers(answers)
    merged = np.where(y == 1, 0, y)
    found = map_assignment(problem_of(votes, 3, knowing(y)), [merged], np.random.default_rng(0))
    assert same_groups(found.assignment, y)
    assert votes.n_violated(found.assignment) == 1


def test_two_halves_of_a_group_are_merged_and_a_lost_group_is_found():
    """From here neither a row nor a connected set gains by moving: two groups are one, one is two."""
    y, answers = blobs_answers()
    votes = VoteMatrix.from_answers(answers)
    start = np.array([0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2])
    found = map_assignment(problem_of(votes, 3, knowing(y)), [start], np.random.default_rng(0))
    assert same_groups(found.assignment, y)
    assert votes.n_violated(found.assignment) == 0


def test_the_better_of_several_starts_is_kept():
    y, answers = blobs_answers()
    votes = VoteMatrix.from_answers(answers)
    found = [
        map_assignment(problem_of(votes, 3, knowing(y)), [start], np.random.default_rng(0)).log_posterior
        for start in (y, np.zeros(12, dtype=int))
    ]
    assert map_assignment(
        problem_of(votes, 3, knowing(y)), [np.zeros(12, dtype=int), y], np.random.default_rng(0)
    ).log_posterior == max(found)


def test_groups_that_learners_and_answers_take_for_one_are_the_first_to_be_merged():
    y, answers = blobs_answers(wrong=[(Pair(0, 4), SAME), (Pair(1, 5), SAME)])
    votes = VoteMatrix.from_answers(answers)
    proba = np.full((12, 3), 0.05)
    proba[:8, :2] = 0.475
    proba[8:, 2] = 0.9
    problem, unary = problem_of(votes, 3), np.log(proba)
    assert rank_mergers(problem, unary, y)[0] == (0, 1)
    assert len(rank_mergers(problem, unary, np.zeros(12, dtype=int))) == 0
    found = merge_and_split(problem, unary, y, (0, 1))
    assert set(found.tolist()) == {0, 1, 2}
