"""Where every grouping can be listed: MEE against the exact expected entropy, and Theorem 2.

The posterior of §3.3 over groupings l is ρ(l|x) ∝ exp(−½ Σ_i ||x_i − ν_{l_i}||²), once with known centres ν
(then points are independent) and once with the centroids of each grouping itself (then they are not). Answers
are hard facts: groupings that they rule out have probability 0. Learning where point i belongs leaves the
entropy H(l | outcome of i); the exact choice is the point that makes it smallest.
"""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import spearmanr

from sameornot.query.mee import expected_gain

N_POINTS = 8
SEEDS = range(100)
SEPARATIONS = (1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Enumerated:
    """All groupings as rows of labels, their posterior, and how many points (the first) are placed."""

    groupings: np.ndarray
    posterior: np.ndarray
    n_placed: int

    @property
    def candidates(self):
        return range(self.n_placed, N_POINTS)

    def outcomes(self, i):
        """What placing point i tells: one of the neighbourhoods, or none of them."""
        return np.minimum(self.groupings[:, i], self.n_placed)


@cache
def enumerated(seed, n_clusters, n_placed, separation, centroids):
    """Gaussian clusters; points 0 … n_placed − 1 are known to be in clusters of their own."""
    rng = np.random.default_rng([seed, n_clusters, n_placed, int(separation)])
    centers = separation * np.eye(n_clusters)
    drawn = np.r_[np.arange(n_placed), rng.integers(n_clusters, size=N_POINTS - n_placed)]
    X = centers[drawn] + rng.standard_normal((N_POINTS, n_clusters))
    open_labels = list(product(range(n_clusters), repeat=N_POINTS - n_placed))
    labelings = np.array([(*range(n_placed), *labels) for labels in open_labels])
    if centroids:
        member = np.eye(n_clusters)[labelings]
        sums = np.einsum("lik,ip->lkp", member, X)
        means = sums / np.maximum(member.sum(axis=1), 1.0)[:, :, None]
        own = means[np.arange(len(labelings))[:, None], labelings]
    else:
        own = centers[labelings]
    probability = softmax(-0.5 * ((X - own) ** 2).sum(axis=(1, 2)))
    return Enumerated(*merge_equal_groupings(labelings, probability, n_placed), n_placed)


def merge_equal_groupings(labelings, probability, n_placed):
    """Add up labelings that differ only in the names of clusters that hold no placed point."""
    total = {}
    for labels, p in zip(labelings.tolist(), probability, strict=True):
        names = {m: m for m in range(n_placed)}
        grouping = tuple(names.setdefault(label, len(names)) for label in labels)
        total[grouping] = total.get(grouping, 0.0) + p
    return np.array(list(total)), np.array(list(total.values()))


def entropy(p):
    p = p[p > 0]
    return -float(p @ np.log(p))


def exact_expected_entropy(problem, i):
    """Entropy of the posterior once the place of i is known, averaged over where it may be."""
    expected = 0.0
    for outcome in np.unique(problem.outcomes(i)):
        left = problem.posterior[problem.outcomes(i) == outcome]
        expected += left.sum() * entropy(left / left.sum())
    return expected


def expected_divergence(problem, i):
    """Mean over truths of KL(ρ* || ρ once the place of i is known); ρ* is all mass on the truth."""
    expected = 0.0
    for truth, probability in enumerate(problem.posterior):
        outcome = problem.outcomes(i)
        possible = outcome == outcome[truth]
        expected -= probability * np.log(probability / problem.posterior[possible].sum())
    return expected


def mee_gain(problem):
    """MEE's score of each candidate from the exact chances of the neighbourhoods."""
    groupings, n_placed = problem.groupings, problem.n_placed
    chances = [(problem.posterior @ (groupings == m)) for m in range(n_placed)]
    R = np.column_stack(chances)
    R /= R.sum(axis=1, keepdims=True)
    placed = np.arange(N_POINTS) < n_placed
    return expected_gain(R, np.array(problem.candidates), placed)


def exact_scores(problem):
    return np.array([exact_expected_entropy(problem, i) for i in problem.candidates])


def problems(n_clusters, n_placed, centroids):
    return [
        enumerated(seed, n_clusters, n_placed, separation, centroids)
        for separation in SEPARATIONS
        for seed in SEEDS
    ]


def rank_agreements(cases):
    return np.array([spearmanr(mee_gain(case), -exact_scores(case)).statistic for case in cases])


BOTH_CENTERS = pytest.mark.parametrize("centroids", [False, True], ids=["known centres", "centroids"])


@BOTH_CENTERS
def test_enumeration_obeys_the_chain_rule(centroids):
    for seed in range(5):
        case = enumerated(seed, 3, 3, 2.0, centroids)
        for i in case.candidates:
            alone = entropy(np.bincount(case.outcomes(i), weights=case.posterior))
            assert exact_expected_entropy(case, i) == pytest.approx(entropy(case.posterior) - alone)


def test_points_are_independent_only_when_the_centres_are_known():
    def dependence(case):
        i, j = case.candidates[:2]
        alone = [np.bincount(case.groupings[:, k], weights=case.posterior, minlength=3) for k in (i, j)]
        joint = np.zeros((3, 3))
        np.add.at(joint, (case.groupings[:, i], case.groupings[:, j]), case.posterior)
        return np.abs(joint - np.outer(*alone)).max()

    assert dependence(enumerated(0, 3, 3, 1.0, False)) < 1e-12
    assert dependence(enumerated(0, 3, 3, 1.0, True)) > 1e-3


@BOTH_CENTERS
def test_with_two_clusters_mee_ranks_exactly_like_the_exact_entropy(centroids):
    assert rank_agreements(problems(2, 2, centroids)).min() == pytest.approx(1.0)


@BOTH_CENTERS
def test_with_three_clusters_mee_nearly_ranks_like_the_exact_entropy(centroids):
    # Measured: mean 0.965 with known centres, 0.947 with centroids; the first choice is the exact one in
    # 91 % of the problems with either.
    cases = problems(3, 3, centroids)
    assert rank_agreements(cases).mean() > 0.9
    hits = [mee_gain(case).argmax() == exact_scores(case).argmin() for case in cases]
    assert np.mean(hits) > 0.8


@BOTH_CENTERS
def test_with_a_cluster_still_unfound_mee_ranks_better_than_chance(centroids):
    # Without Condition III: R has no column for "none of them", and agreement suffers. Measured: mean 0.484
    # with known centres, 0.631 with centroids.
    agreement = rank_agreements(problems(3, 2, centroids))
    assert agreement.mean() > 0.4


@BOTH_CENTERS
@pytest.mark.parametrize(("n_clusters", "n_placed"), [(2, 2), (3, 2), (3, 3)])
def test_the_mee_choice_is_better_than_a_random_one_on_average(n_clusters, n_placed, centroids):
    # Measured entropy left by MEE / by chance / at best, known centres and centroids.
    # K = 2: .98 / 1.20 / .98 and 1.36 / 1.53 / 1.36. K = 3: 1.37 / 1.65 / 1.37 and 1.96 / 2.18 / 1.96; with
    # one cluster unfound 1.96 / 2.09 / 1.78 and 2.68 / 2.80 / 2.60. Asserted: five standard errors.
    gained = []
    for case in problems(n_clusters, n_placed, centroids):
        scores = exact_scores(case)
        gained.append(scores.mean() - scores[mee_gain(case).argmax()])
    assert np.mean(gained) > 5 * np.std(gained) / np.sqrt(len(gained))


@BOTH_CENTERS
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_with_every_cluster_found_the_mee_choice_is_no_worse_than_a_random_one(n_clusters, centroids):
    # Not one of these 300 problems is an exception (at n = 7 and K = 3, 1 to 3 of 300 are).
    for case in problems(n_clusters, n_clusters, centroids):
        scores = exact_scores(case)
        assert scores[mee_gain(case).argmax()] <= scores.mean() + 1e-12


@BOTH_CENTERS
@pytest.mark.parametrize("n_placed", [1, 2, 3])
def test_divergence_from_the_truth_is_on_average_the_expected_entropy(n_placed, centroids):
    case = enumerated(1, 3, n_placed, 1.0, centroids)
    for i in case.candidates:
        assert expected_divergence(case, i) == pytest.approx(exact_expected_entropy(case, i))


@BOTH_CENTERS
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_theorem_2_the_active_choice_is_no_farther_from_the_truth_than_a_random_one(n_clusters, centroids):
    for seed in range(25):
        case = enumerated(seed, n_clusters, n_clusters, 2.0, centroids)
        divergence = np.array([expected_divergence(case, i) for i in case.candidates])
        assert divergence[exact_scores(case).argmin()] <= divergence.mean() + 1e-12
        assert divergence[mee_gain(case).argmax()] <= divergence.mean() + 1e-12
