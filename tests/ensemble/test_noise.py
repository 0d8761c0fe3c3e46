"""The posterior follows Bayes' rule answer by answer, and the error rate the contradictions of answers."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sameornot import Answer
from sameornot._types import Pair
from sameornot.ensemble.config import NoiseConfig
from sameornot.ensemble.noise import GroupVotes, count_votes, estimate_error_rate, posterior_proba

CONFIG = NoiseConfig()
SMOOTHING = CONFIG.label_smoothing
SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT


def random_votes(seed, n_rows=8, n_groups=3):
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(n_groups, 0.3), size=n_rows)
    counts = rng.integers(3, size=(2, n_rows, n_groups)) * (rng.random((2, n_rows, n_groups)) < 0.4)
    return prior, GroupVotes(*counts.astype(float), np.zeros(counts.shape[1], dtype=bool))


def likelihood(votes, row, group, error):
    """How likely the answers about a row are if it is of that group, one answer after the other."""
    chance = 1.0
    for other in range(votes.same.shape[1]):
        for _ in range(int(votes.same[row, other])):
            chance *= 1 - error if other == group else error
        for _ in range(int(votes.different[row, other])):
            chance *= error if other == group else 1 - error
    return chance


def joint(prior, votes, row, error):
    """Smoothed prior times likelihood of each group."""
    n_groups = prior.shape[1]
    smoothed = [(1 - SMOOTHING) * share + SMOOTHING / n_groups for share in prior[row]]
    return np.array([p * likelihood(votes, row, m, error) for m, p in enumerate(smoothed)])


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0.001, 0.45), st.integers(1, 5))
def test_posterior_equals_bayes_rule_written_out(seed, error, n_groups):
    prior, votes = random_votes(seed, n_groups=n_groups)
    found = posterior_proba(prior, votes, error, SMOOTHING)
    for row in range(len(prior)):
        if (votes.same + votes.different)[row].any():
            expected = joint(prior, votes, row, error)
            np.testing.assert_allclose(found[row], expected / expected.sum(), rtol=1e-9)
        else:
            np.testing.assert_array_equal(found[row], prior[row])


def repeated(n_contradictions, n_rows=40):
    """Each row is answered twice to be of its group; some get one answer of each kind."""
    same = np.zeros((n_rows, 2))
    same[:, 0] = 2.0
    different = np.zeros((n_rows, 2))
    same[:n_contradictions, 0] = different[:n_contradictions, 0] = 1.0
    return GroupVotes(same, different, np.zeros(n_rows, dtype=bool))


def test_error_grows_with_contradictory_repeats():
    prior = np.full((40, 2), 0.5)
    errors = [estimate_error_rate(prior, repeated(n), CONFIG) for n in range(0, 21, 2)]
    assert (np.diff(errors) > 0).all()
    # of 80 answers 8 must be slips: the rate is about that, held down by the belief in a careful expert
    assert 0.04 < estimate_error_rate(prior, repeated(8), CONFIG) < 0.12


def test_consistent_answers_leave_hardly_any_error():
    assert estimate_error_rate(np.full((40, 2), 0.5), repeated(0), CONFIG) < 0.01


def test_votes_of_a_worked_example():
    answers = [
        (Pair(0, 1), SAME),
        (Pair(3, 1), DIFFERENT),
        (Pair(3, 2), SAME),
        (Pair(3, 1), DIFFERENT),
        (Pair(1, 4), SAME),  # row 4 is in no group: the answer says nothing
        (Pair(4, 2), DIFFERENT),
    ]
    votes = count_votes(answers, [np.array([0, 1]), np.array([2])], 6)
    np.testing.assert_array_equal(votes.same, [[1, 0], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(votes.different, [[0, 0], [0, 0], [0, 0], [2, 0], [0, 1], [0, 0]])
    assert votes.rows.tolist() == [0, 3, 4]
