"""The number of groups: what the rows suggest, and what answers say of it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta

from sameornot import ActiveSession, Answer
from sameornot._types import Pair
from sameornot.ensemble.config import StructureConfig
from sameornot.ensemble.structure import blend_novelty, find_structure, granularity, share_of_new
from sameornot.oracles import truth

CONFIG = StructureConfig()
SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT


def blobs(n_groups, n_each=20, apart=12.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_groups), n_each)
    return apart * np.eye(n_groups)[y] + rng.normal(size=(len(y), n_groups)), y


@pytest.mark.parametrize("n_groups", [2, 5, 12, 40])
def test_far_groups_are_counted(n_groups):
    X, y = blobs(n_groups)
    found = find_structure(X, CONFIG)
    assert found.n_groups == n_groups
    pieces = found.piece[:, list(found.numbers).index(n_groups)]
    assert len(set(zip(pieces.tolist(), y.tolist(), strict=True))) == n_groups


@pytest.mark.parametrize("seed", range(3))
def test_normal_rows_suggest_nothing_and_no_question_is_spent_on_their_number(seed):
    X = np.random.default_rng(seed).normal(size=(200, 5)) * [1.0, 2.0, 0.3, 1.0, 1.0]
    found = find_structure(X, CONFIG)
    assert found.numbers.tolist() == [CONFIG.no_structure]
    assert granularity(found, []).is_settled


@pytest.mark.parametrize("rows", [np.zeros((40, 3)), np.zeros((3, 2)), np.arange(5.0)[:, None]])
def test_few_or_equal_rows_are_no_trouble(rows):
    found = find_structure(rows, CONFIG)
    assert found.piece.shape == (len(rows), len(found.numbers))


def test_rows_beyond_the_sample_join_the_nearest_piece():
    X, y = blobs(6, n_each=60)
    found = find_structure(X, StructureConfig(n_rows=120))
    pieces = found.piece[:, list(found.numbers).index(6)]
    assert len(set(zip(pieces.tolist(), y.tolist(), strict=True))) == 6


def facts(rng, n_rows, n_answers):
    pairs = [rng.choice(n_rows, 2, replace=False) for _ in range(n_answers)]
    return [(Pair(int(a), int(b)), SAME if rng.random() < 0.5 else DIFFERENT) for a, b in pairs]


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_the_posterior_of_the_number_is_that_of_two_rates_integrated_out(seed, n_answers):
    X, _ = blobs(4, n_each=10)
    structure = find_structure(X, CONFIG)
    answers = facts(np.random.default_rng(seed), len(X), n_answers)
    evidence = []
    for g in range(len(structure.numbers)):
        piece, product = structure.piece[:, g], structure.prior[g]
        for inside, prior in ((True, CONFIG.prior_inside), (False, CONFIG.prior_across)):
            said = [
                answer is SAME for (a, b), answer in answers if (piece[a] == piece[b]) is np.bool_(inside)
            ]
            n_same, n_different = sum(said), len(said) - sum(said)

            def likelihood(rate, n_same=n_same, n_different=n_different, prior=prior):
                return rate**n_same * (1 - rate) ** n_different * beta.pdf(rate, *prior)

            product *= quad(likelihood, 0, 1, points=[1e-4, 1e-2, 0.5, 0.99], limit=200)[0]
        evidence.append(product)
    expected = np.array(evidence) / sum(evidence)
    np.testing.assert_allclose(granularity(structure, answers).proba, expected, atol=2e-3)


def test_same_across_pieces_asks_for_fewer_and_different_inside_for_more():
    X, _ = blobs(8, n_each=12)
    structure = find_structure(X, CONFIG)
    at = list(structure.numbers).index(8)
    piece = structure.piece[:, at]
    first = [int(np.flatnonzero(piece == k)[0]) for k in range(8)]
    second = [int(np.flatnonzero(piece == k)[-1]) for k in range(8)]
    start = granularity(structure, [])
    assert structure.numbers[start.central] == 8
    joined = granularity(structure, [(Pair(a, b), SAME) for a, b in pairwise(first)])
    split = granularity(structure, [(Pair(a, b), DIFFERENT) for a, b in zip(first, second, strict=True)])
    assert joined.central < start.central < split.central


def test_a_row_in_a_visited_piece_is_likelier_of_a_known_group():
    X, y = blobs(5)
    found = granularity(find_structure(X, CONFIG), [(Pair(0, 20), DIFFERENT)])
    groups = [np.array([0]), np.array([20])]
    known = found.known_proba(groups)
    assert ((known > 0) & (known < 1)).all()
    assert known[y < 2].min() > known[y >= 2].max()
    assert granularity(found.structure, []).n_missing(groups) == 3


@pytest.mark.parametrize(
    ("n_seen", "low", "high"),
    [
        ([], 1.0, 1.0),
        ([1], 1.0, 1.0),
        # Each group was met in one piece: nearly all other pieces may be new.
        ([1] * 10, 0.95, 1.0),
        # Each was met in several: none is missing.
        ([3] * 6, 0.0, 0.0),
        # Too few pieces a group to tell.
        ([1, 2, 2], 0.4, 1.0),
        # One of six was met once: Chao's bound is 1 · 0 / (2 · 2).
        ([1, 2, 4, 4, 4, 4], 0.0, 0.0),
        # Two once, one twice: 2 · 1 / (2 · 2) of twenty pieces.
        ([1, 1, 2, 5, 5, 5], 0.025, 0.025),
    ],
)
def test_pieces_are_new_groups_as_often_as_unseen_species(n_seen, low, high):
    found = share_of_new(n_seen, 20, 0.9)
    assert low - 1e-12 <= found <= high + 1e-12


def test_given_labels_are_no_sample_of_the_groups():
    """Two groups given in three pieces each say nothing of how many more there are."""
    X, y = blobs(8)
    groups = [np.flatnonzero(y < 3), np.flatnonzero((y >= 3) & (y < 6))]
    structure = find_structure(X, CONFIG)
    assert granularity(structure, []).n_missing(groups) == 0
    assert granularity(structure, [], is_sample=False).n_missing(groups) == 2


def test_siblings_are_two_pieces_that_the_next_smaller_number_joins():
    X, _ = blobs(10)
    found = granularity(find_structure(X, CONFIG), [])
    coarse = found.structure.piece[:, found.central - 1]
    fine = found.structure.piece[:, found.central]
    siblings = found.siblings()
    assert siblings
    for left, right in siblings:
        assert len(set(coarse[np.concatenate([left, right])])) == 1
        assert len(set(fine[left])) == len(set(fine[right])) == 1
        assert fine[left[0]] != fine[right[0]]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_blended_odds_are_the_geometric_mean_and_shares_within_each_kind_stay(seed, n_new):
    rng = np.random.default_rng(seed)
    proba, known = rng.dirichlet(np.ones(5), size=6), rng.uniform(0.01, 0.99, size=6)
    found = blend_novelty(proba, known, n_new)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    odds = found[:, -n_new:].sum(axis=1) / found[:, :-n_new].sum(axis=1)
    before = proba[:, -n_new:].sum(axis=1) / proba[:, :-n_new].sum(axis=1)
    np.testing.assert_allclose(odds, np.sqrt(before * (1 - known) / known), rtol=1e-4)
    np.testing.assert_allclose(found[:, 0] / found[:, 1], proba[:, 0] / proba[:, 1], rtol=1e-4)


@pytest.mark.parametrize("n_clusters", [None, 6])
def test_only_where_no_number_is_given_the_first_questions_look_for_it(n_clusters):
    X, y = blobs(6, apart=4.0)
    session = ActiveSession(X, n_clusters, random_state=0)
    first = session.ask()
    view = session._dialogue._step.view
    assert (view.clustering.posterior.granularity is None) is (n_clusters is not None)
    for _ in range(25):
        session.tell(truth(y)(session.ask()))
    assert len(np.unique(session.result().labels)) == 6
    assert first.left != first.right


def test_the_number_of_groups_is_told_with_an_interval_about_it_where_it_is_not_given():
    X, y = blobs(7)
    session = ActiveSession(X, random_state=0)
    before = session.result().n_groups
    for _ in range(30):
        session.tell(truth(y)(session.ask()))
    after = session.result().n_groups
    assert before.low <= before.estimate == 7 <= before.high
    assert after.low <= after.estimate == 7 <= after.high
    assert after.high / after.low < before.high / before.low
    assert ActiveSession(X, 7, random_state=0).result().n_groups is None
    assert ActiveSession(X, strategy="mee", random_state=0).result().n_groups is None
