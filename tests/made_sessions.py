"""What the tests of the session share: a small table, experts, and all that a caller can see of a session."""

from itertools import combinations

import numpy as np
import pytest

from sameornot import Answer
from sameornot.query import MinimumExpectedEntropy, RandomPairs, TwoStep

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE

# Nothing depends on how many trees a forest has.
STRATEGIES = {
    "mee": MinimumExpectedEntropy(n_trees=5),
    "random": RandomPairs(),
    "two_step": TwoStep(n_trees=5),
}
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)

Y = np.array([0, 1, 2, 0, 1, 2, 0, 1])
PAIRS = list(combinations(range(len(Y)), 2))


def table(y=Y, *, n_features=3, seed=0):
    """Overlapping groups: the data alone do not give the answers away."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(y), n_features)) + 1.5 * np.eye(n_features)[np.asarray(y) % n_features]


ODD_TABLES = {
    "one feature": np.linspace(0.0, 1.0, 8)[:, None],
    "a constant feature": np.column_stack([table(), np.full(8, 7.1)]),
    "only constant features": np.full((8, 2), 0.1),
    "duplicated rows": np.repeat(table()[:2], 4, axis=0),
    "all rows but one the same": np.eye(8)[:, :1],
    "more features than rows": np.random.default_rng(0).normal(size=(8, 30)),
}


def always(answer):
    return lambda pair: answer


def answer_all(session, oracle, limit=10_000):
    """Answer until nothing is left to ask; returns the pairs in order."""
    asked = []
    while len(asked) < limit and (pair := session.ask()) is not None:
        asked.append(pair)
        session.tell(oracle(pair))
    return asked


def state_of(session):
    """All that a caller can see of a session, with the result before and after a look at the question."""
    before = session.result()
    question = session.ask()
    after = session.result()
    return (
        session.answers,
        question,
        before.labels.tolist(),
        before.confidence.tolist(),
        before.feature_weights.tolist(),
        [members.tolist() for members in before.neighbourhoods],
        after.labels.tolist(),
        after.confidence.tolist(),
    )


class NaiveClosure:
    """What the answers settle, by going over all triples until nothing new comes out."""

    def __init__(self, n_points, log, n_clusters=None):
        self.same = np.eye(n_points, dtype=bool)
        self.apart = np.zeros((n_points, n_points), dtype=bool)
        for pair, answer, *_ in log:
            for i, j in (pair, pair[::-1]):
                self.same[i, j] |= answer is SAME
                self.apart[i, j] |= answer is DIFFERENT
        self._close()
        while n_clusters is not None and self._place_by_counting(n_clusters):
            self._close()

    def _close(self):
        for _ in self.same:
            self.same |= self.same @ self.same
            self.apart |= self.same @ self.apart @ self.same

    def _place_by_counting(self, n_clusters):
        """Whoever differs from all but one of K groups that differ from each other belongs to that one."""
        for groups in combinations(range(len(self.same)), n_clusters):
            if all(self.apart[i, j] for i, j in combinations(groups, 2)):
                for point in range(len(self.same)):
                    last = [group for group in groups if not self.apart[point, group]]
                    if len(last) == 1 and not self.same[point, last[0]]:
                        self.same[point, last[0]] = self.same[last[0], point] = True
                        return True
        return False

    def settles(self, i, j):
        return bool(self.same[i, j] or self.apart[i, j])
