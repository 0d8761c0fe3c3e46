"""Known groups are compared where many rows depend on it and groups are often found to be one."""

import numpy as np
import pytest

from sameornot import ActiveSession, Answer, Pair
from sameornot.oracles import truth
from sameornot.query.group_comparison import rate_of_mergers

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT
PRIOR = (0.5, 1.5)


@pytest.mark.parametrize(
    ("answers", "n_same", "n_different"),
    [
        ([], 0, 0),
        # Row 2 is asked about against 0 and 1: it is placed, and no groups are compared.
        ([(0, 1, DIFFERENT), (2, 0, DIFFERENT), (2, 1, SAME)], 0, 0),
        # Then 0 and 1, known before, are compared with each other or with 3, which was found to be new.
        ([(0, 1, DIFFERENT), (3, 0, DIFFERENT), (1, 3, SAME)], 1, 0),
        ([(0, 1, DIFFERENT), (3, 0, DIFFERENT), (1, 3, DIFFERENT)], 0, 1),
        # The same pair once more is no further comparison.
        ([(0, 1, DIFFERENT), (3, 0, DIFFERENT), (1, 3, SAME), (4, 0, SAME), (1, 3, SAME)], 1, 0),
    ],
)
def test_comparisons_of_groups_are_told_from_questions_that_place_a_row(answers, n_same, n_different):
    facts = [(Pair(left, right), answer) for left, right, answer in answers]
    expected = (PRIOR[0] + n_same) / (sum(PRIOR) + n_same + n_different)
    assert rate_of_mergers(facts, PRIOR) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_separate_pieces_of_one_group_are_found_to_be_one(seed):
    """Four far pieces, two groups; the number is not given, and no learner confuses the pieces."""
    rng = np.random.default_rng(seed)
    piece = np.arange(160) % 4
    X = 20.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[piece] + rng.normal(size=(160, 2))
    y = piece % 2
    session = ActiveSession(X, random_state=seed)
    oracle = truth(y)
    while len(session.answers) < 15 and (question := session.ask()) is not None:
        session.tell(oracle(question))
    labels = session.result().labels
    assert len(np.unique(labels)) == 2
    assert (labels[y == 0] == labels[0]).all()
