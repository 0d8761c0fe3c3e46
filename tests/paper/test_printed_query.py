"""The questions of the printed preset: Algorithm 1, with formula (7) by brute force (§3.3, §4)."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from algorithm_1 import membership_matrix, play, record_forests, unplaced
from printed_formulas import entropy_of_pairs, expected_entropy

from sameornot import ActiveSession, Answer, AugmentedClustering, MinimumExpectedEntropy, as_printed, simulate

K = 3
TRUTH = np.random.default_rng(3).permutation(np.repeat(np.arange(K), 6))
X = np.random.default_rng(4).normal(size=(18, 3)) + 1.2 * np.eye(3)[TRUTH]

# For what does not depend on the forest.
ONE_TREE = replace(MinimumExpectedEntropy.as_printed(), n_trees=1)


def members_of(group: int) -> list[int]:
    return [row for row, own in enumerate(TRUTH) if own == group]


def printed_session(seed, **changes):
    return ActiveSession(X, K, **as_printed() | changes, random_state=seed)


class Played:
    """A session that was answered to its end, with Algorithm 1's book."""

    def __init__(self, seed: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            self.session = printed_session(seed)
            self.sweeps = play(self.session, record_forests(patch), TRUTH)


@pytest.fixture(scope="module", params=[0, 1])
def played(request):
    return Played(request.param)


def links(log) -> dict:
    """Answers as arguments of `fit`."""
    same, different = ([pair for pair, a, *_ in log if a is kind] for kind in (Answer.SAME, Answer.DIFFERENT))
    return {"must_link": same or None, "cannot_link": different or None}


def test_the_row_asked_about_has_the_lowest_expected_entropy(played):
    assert sum(len(sweep.neighbourhoods) > 1 for sweep in played.sweeps) >= 10
    for sweep in played.sweeps:
        R = membership_matrix(sweep, len(X))
        entropy = {row: expected_entropy(R, row) for row in unplaced(sweep, len(X))}
        assert entropy[sweep.row] == pytest.approx(min(entropy.values()), abs=1e-9)


def test_a_sweep_goes_from_the_likeliest_neighbourhood_on_until_same_and_leaves_none_out(played):
    for sweep in played.sweeps:
        chances = membership_matrix(sweep, len(X))[sweep.row]
        assert (np.diff(chances[sweep.asked]) <= 1e-12).all()
        assert len(set(sweep.asked)) == len(sweep.asked)
        left_out = set(range(len(chances))) - set(sweep.asked)
        assert all(chances[m] <= chances[sweep.asked].min() + 1e-12 for m in left_out)
        assert sweep.answers[:-1] == [Answer.DIFFERENT] * (len(sweep.answers) - 1)
        assert sweep.answers[-1] is Answer.SAME or not left_out


def test_the_last_neighbourhood_is_asked_too_where_its_answer_follows_from_the_number_of_groups(played):
    assert any(len(sweep.asked) == K and sweep.answers[-1] is Answer.SAME for sweep in played.sweeps)


def test_a_row_that_differs_from_all_neighbourhoods_is_a_new_one(played):
    new = [sweep for sweep in played.sweeps if sweep.answers[-1] is Answer.DIFFERENT]
    assert [len(sweep.asked) for sweep in new] == [1, 2]
    found = sorted(sorted(members.tolist()) for members in played.session.result().neighbourhoods)
    assert found == sorted(members_of(k) for k in range(K))


def test_the_forest_has_fifty_trees_and_is_fitted_to_the_clustering_of_the_answers_so_far(played):
    at = 0
    for sweep in played.sweeps:
        forest, rows, labels = sweep.forest
        assert len(forest.estimators_) == 50
        assert rows.shape == X.shape
        if len(sweep.neighbourhoods) == K:  # every centre has its seed, nothing is left to chance
            model = AugmentedClustering.as_printed(K, penalty=None, random_state=0)
            fitted = model.fit(X, **links(played.session.answers[:at])).labels_
            np.testing.assert_array_equal(labels[:, None] == labels[None], fitted[:, None] == fitted[None])
        at += len(sweep.answers)


def test_when_every_row_is_placed_nothing_is_left_to_ask_and_no_entropy_is_left(played):
    assert played.session.ask() is None
    assert len(played.sweeps) == len(X) - 1
    assert entropy_of_pairs(np.eye(K)[TRUTH]) == 0.0


def test_the_session_starts_from_one_row_drawn_at_random():
    """Nothing tells rows apart yet: neither the first neighbourhood nor the row asked about is preferred."""
    first = [printed_session(seed, strategy=ONE_TREE).ask() for seed in range(60)]
    for counts in (Counter(q.left for q in first), Counter(q.right for q in first)):
        assert len(counts) > 12  # of 18 rows: of 60 fair draws, hardly any would leave out six
        assert max(counts.values()) < 14


def test_the_representative_is_any_member_of_its_neighbourhood():
    members = members_of(0)[:4]
    log = [((members[0], row), Answer.SAME) for row in members[1:]]
    sessions = (printed_session(seed, strategy=ONE_TREE, answers=log) for seed in range(80))
    asked = Counter(session.ask().right for session in sessions)
    assert set(asked) == set(members)
    deviation = np.sqrt(80 * 1 / 4 * 3 / 4)
    assert all(abs(count - 80 / 4) < 4 * deviation for count in asked.values())


def test_memberships_are_those_of_the_forest_for_neighbourhoods_that_are_ruled_out_too(monkeypatch):
    """All rows but one are placed, and one question about it was answered."""
    forests = record_forests(monkeypatch)
    first = [members_of(k)[0] for k in range(K)]
    row = members_of(0)[-1]
    log = [((first[k], other), Answer.SAME) for k in range(K) for other in members_of(k)[1:] if other != row]
    log += [((first[a], first[b]), Answer.DIFFERENT) for a, b in [(0, 1), (0, 2), (1, 2)]]
    question = printed_session(0, answers=[*log, ((row, first[1]), Answer.DIFFERENT)]).ask()
    assert question.left == row
    forest, rows, _ = forests[-1]
    leaves = forest.apply(rows)
    shares = np.array(
        [np.mean([np.mean(leaves[row] == leaves[j]) for j in members_of(k) if j != row]) for k in range(K)]
    )
    assert shares[1] > 0
    found = {int(TRUTH[member]): p for member, p in question.proba.items()}
    np.testing.assert_allclose([found[k] for k in range(K)], shares / shares.sum())


# The budget


def test_every_question_counts_and_the_answers_of_an_unfinished_sweep_are_kept(played):
    log, sweeps = played.session.answers, played.sweeps
    ends = np.cumsum([len(sweep.answers) for sweep in sweeps])
    assert len(log) == ends[-1]
    within = next(n for n in range(8, 30) if n not in ends)
    model = AugmentedClustering.as_printed(K, penalty=None, separation=0.5, random_state=0)
    fitted = model.fit(X, **links(log[:within])).metric_.matrix
    without = model.fit(X, **links(log[: ends[ends < within][-1]])).metric_.matrix
    clusterer = AugmentedClustering.as_printed(K, penalty=None, separation=0.5)
    found = printed_session(0, clusterer=clusterer, answers=log[:within]).result().metric.matrix
    np.testing.assert_allclose(found, fitted, rtol=1e-6, atol=1e-9)
    assert np.abs(found - without).max() > 1e-3 * np.abs(found).max()


def test_simulate_spends_exactly_the_budget():
    counted = []
    curve = simulate(
        X,
        TRUTH,
        K,
        **as_printed() | {"strategy": ONE_TREE},
        budget=7,
        checkpoints=[5, 7],
        random_state=0,
        progress=lambda session: counted.append(len(session.answers)),
    )
    assert counted == list(range(1, 8))
    assert curve.questions.tolist() == [5, 7]
