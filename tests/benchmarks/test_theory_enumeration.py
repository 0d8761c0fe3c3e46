"""The exact posterior against plain loops, and Theorems 2 and 3 on problems that can be listed."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.bounds import two_step_bound
from reproduction.enumeration import (
    FACTS,
    divergence,
    draw_world,
    entropy,
    known_from,
    likeness,
    log_posterior,
    power_noise,
    target,
)
from reproduction.theory import (
    as_view,
    exact_memberships,
    one_step,
    questions,
    two_step,
)
from reproduction.theory_rows import RandomCase, divergence_curves, theory_rows
from sameornot import Answer, Constraints

STRENGTHS = pytest.mark.parametrize("strength", [FACTS, 1.0], ids=["facts", "priced"])


def world_of(seed=0, n_points=6, n_clusters=3, separation=1.5, **options):
    return draw_world(n_points, n_clusters, separation, np.random.default_rng(seed), **options)


def vectors(world):
    """All label vectors, in the order of the posterior."""
    return list(product(range(len(world.centers)), repeat=len(world.X)))


def some_answers(world, n_answers, seed):
    known = Constraints(len(world.X))
    for index in np.random.default_rng(seed).permutation(len(world.pairs))[:n_answers]:
        known.add(world.pairs[index], world.answer(world.pairs[index]))
    return known


def looped_posterior(world, known, *, power):
    """ρ(l|x) as its formula says, one label vector and one pair at a time."""
    weights = []
    for labels in vectors(world):
        distances = [np.linalg.norm(x - world.centers[k]) for x, k in zip(world.X, labels, strict=True)]
        weight = np.exp(-sum(distance**power for distance in distances))
        for i, j in world.pairs:
            told = known.relation(i, j)
            if told is not None and (labels[i] == labels[j]) != (told is Answer.SAME):
                weight *= np.exp(-world.strength)
        weights.append(weight)
    return np.array(weights) / sum(weights)


@STRENGTHS
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_posterior_is_that_of_a_plain_loop(strength, power):
    world = world_of(n_points=5, strength=strength, power=power)
    for n_answers in (0, 3, 10):
        known = some_answers(world, n_answers, seed=n_answers)
        found = np.exp(log_posterior(world, known))
        assert found.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(found, looped_posterior(world, known, power=power), atol=1e-12)


@given(seed=st.integers(0, 1000), n_answers=st.integers(0, 10))
def test_taking_in_facts_is_to_leave_out_what_breaks_them(seed, n_answers):
    world = world_of(seed, n_points=5)
    known = some_answers(world, n_answers, seed)
    fits = np.array(
        [
            all(labels[i] == labels[j] for i, j in known.must_link)
            and all(labels[i] != labels[j] for i, j in known.cannot_link)
            for labels in vectors(world)
        ]
    )
    before = np.exp(log_posterior(world, Constraints(len(world.X))))
    after = np.where(fits, before, 0.0) / before[fits].sum()
    np.testing.assert_allclose(np.exp(log_posterior(world, known)), after, atol=1e-12)


@given(seed=st.integers(0, 1000), n_answers=st.integers(0, 10))
def test_loss_under_facts_is_the_surprise_at_the_true_grouping(seed, n_answers):
    world = world_of(seed, n_points=5)
    posterior = log_posterior(world, some_answers(world, n_answers, seed))
    true_grouping = world.truth[:, None] == world.truth
    is_true = [(np.equal.outer(labels, labels) == true_grouping).all() for labels in vectors(world)]
    surprise = -np.log(np.exp(posterior)[is_true].sum())
    assert divergence(target(world), posterior) == pytest.approx(surprise, abs=1e-9)


@STRENGTHS
def test_loss_is_zero_once_all_is_known_and_positive_before(strength):
    world = world_of(strength=strength, neighbourhood_size=1)
    assert divergence(target(world), log_posterior(world, known_from(world, 6))) == 0.0
    assert divergence(target(world), log_posterior(world, known_from(world, 3))) > 0.0


def test_neighbourhoods_name_the_clusters():
    named, nameless = world_of(neighbourhood_size=1), world_of(n_points=6)
    posterior = np.exp(log_posterior(named, known_from(named, 3)))
    assert all(labels[:3] == (0, 1, 2) for labels, p in zip(vectors(named), posterior, strict=True) if p > 0)
    (certain,) = np.flatnonzero(np.exp(target(named)))
    assert vectors(named)[certain] == tuple(named.truth)
    n_found = len(set(nameless.truth))
    n_namings = np.prod(np.arange(3, 3 - n_found, -1))
    assert np.count_nonzero(np.exp(target(nameless))) == n_namings


def test_with_known_centres_other_points_of_a_neighbourhood_tell_nothing():
    world = world_of(n_clusters=2, neighbourhood_size=2)
    few, all_placed = (likeness(world, log_posterior(world, known_from(world, n))) for n in (3, 4))
    np.testing.assert_allclose(few[4:, 0], all_placed[4:, 0], atol=1e-12)


def test_likeness_under_named_clusters_is_that_of_independent_points():
    world = world_of(neighbourhood_size=1)
    chances = np.exp(-((world.X[:, None] - world.centers) ** 2).sum(axis=2))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[:3] = np.eye(3)
    expected = chances @ chances.T
    np.fill_diagonal(expected, 1.0)
    found = likeness(world, log_posterior(world, known_from(world, 3)))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_entropy_of_named_clusters_is_the_sum_over_points():
    world = world_of(neighbourhood_size=1)
    known = known_from(world, 3)
    view = as_view(world, known, np.arange(6))
    R = exact_memberships(world, view)[3:]
    assert entropy(log_posterior(world, known)) == pytest.approx(-(R * np.log(R)).sum())
    assert entropy(np.log(np.full(8, 1 / 8))) == pytest.approx(np.log(8))
    assert entropy(target(world)) == 0.0


@pytest.mark.parametrize("power", [1.0, 2.0, 4.0])
def test_noise_has_the_density_that_the_posterior_assumes(power):
    # E ||z||^d = p/d under exp(−||z||^d) in p dimensions, by parts; 40,000 draws, five standard errors.
    noise = power_noise(40_000, 3, power, np.random.default_rng(0))
    radius = np.linalg.norm(noise, axis=1) ** power
    assert abs(radius.mean() - 3 / power) < 5 * radius.std() / 200
    assert np.abs(noise.mean(axis=0)).max() < 5 * noise.std() / 200


def test_centres_are_as_far_apart_as_asked():
    centers = world_of(separation=2.5).centers
    distances = [np.linalg.norm(centers[i] - centers[j]) for i in range(3) for j in range(i)]
    np.testing.assert_allclose(distances, 2.5)


def test_more_neighbours_than_points_are_named():
    with pytest.raises(ValueError, match=r"n_points=5 but neighbourhood_size=2 in 3 clusters needs 6"):
        world_of(n_points=5, neighbourhood_size=2)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_with_two_clusters_mee_places_the_point_of_least_expected_entropy(size):
    for seed in range(40):
        world = world_of(seed, n_points=8, n_clusters=2, neighbourhood_size=size)
        step = one_step(world, 2 * size, np.random.default_rng(0))
        assert step.expected_entropy[step.chosen] == pytest.approx(step.expected_entropy.min())


def test_expected_entropy_is_the_mean_loss_over_the_truths_that_may_be():
    world = world_of(neighbourhood_size=1)
    posterior = np.exp(log_posterior(world, known_from(world, 3)))
    expected = np.zeros(3)
    for labels, p in zip(vectors(world), posterior, strict=True):
        if p > 0:
            there = replace(world, truth=np.array(labels))
            expected += p * one_step(there, 3, np.random.default_rng(0)).loss
    found = one_step(world, 3, np.random.default_rng(0)).expected_entropy
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_theorem_2_holds_more_often_the_farther_the_clusters_are_apart(n_clusters):
    shares = [
        np.mean(
            [
                one_step(
                    world_of(seed, 7, n_clusters, separation, neighbourhood_size=1),
                    n_clusters,
                    np.random.default_rng(0),
                ).holds
                for seed in range(40)
            ]
        )
        for separation in (1.0, 2.0, 3.0)
    ]
    assert shares[0] < shares[1] < shares[2]
    assert shares[0] > 0.7


def curves(start, n_clusters, *, separation=2.0, strength=FACTS, n_seeds=30):
    cells = [RandomCase(seed, 7, n_clusters, separation, strength, start, 2.0) for seed in range(n_seeds)]
    found = [divergence_curves(cell) for cell in cells]
    return {method: np.array([one[method] for one in found]) for method in found[0]}


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_facts_bring_every_method_to_the_truth_and_never_back(start, n_clusters):
    for curve in curves(start, n_clusters, n_seeds=10).values():
        assert (curve[:, -1] == 0.0).all()
        assert np.diff(curve, axis=1).max() <= 1e-9


def test_priced_answers_lead_to_the_target_too():
    for curve in curves(0, 2, strength=1.0, n_seeds=5).values():
        np.testing.assert_allclose(curve[:, -1], 0.0, atol=1e-9)
        assert (curve[:, 0] > 0).all()


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("n_clusters", [2, 3])
def test_theorem_3_active_is_nearer_than_random_and_two_step_where_the_theorem_speaks(start, n_clusters):
    found = curves(start, n_clusters, separation=1.0)
    speaks = slice(n_clusters**2 + 1, 7 * n_clusters)
    mean = {method: curve[:, speaks].mean(axis=0) for method, curve in found.items()}
    assert (mean["active"] <= mean["random"]).all()
    assert (mean["active"] <= mean["two-step"]).all()


@pytest.mark.parametrize("n_clusters", [2, 3])
def test_no_first_question_is_better_on_average_than_that_of_two_step(n_clusters):
    # One answer tells h(chance of "same"), at most at ½: MEE, which starts from one random point, is behind.
    for seed in range(3):
        world = world_of(seed, n_points=4, n_clusters=n_clusters)
        prior = np.exp(log_posterior(world, Constraints(4)))
        expected = np.zeros(len(world.pairs))
        for labels, p in zip(vectors(world), prior, strict=True):
            there = replace(world, truth=np.array(labels))
            for index, pair in enumerate(world.pairs):
                known = Constraints(4)
                known.add(pair, there.answer(pair))
                expected[index] += p * divergence(target(there), log_posterior(there, known))
        flow = questions(
            world,
            Constraints(4),
            two_step(world, Constraints(4)),
            np.random.default_rng(0),
            ask_settled=False,
        )
        assert expected[world.pairs.index(next(flow))] == pytest.approx(expected.min())


def test_settled_pairs_are_asked_by_the_published_two_step_alone():
    world = world_of(n_points=7, n_clusters=2)
    strategy = two_step(world, Constraints(7))
    ways = {}
    for ask_settled in (False, True):
        rng, known = np.random.default_rng(0), Constraints(7)
        ways[ask_settled] = list(questions(world, known, strategy, rng, ask_settled=ask_settled))
    assert len(ways[False]) == 6  # two clusters: each answer that is not implied joins two parts
    assert sorted(ways[True]) == sorted(world.pairs)
    assert [pair for pair in ways[True] if pair in ways[False]] == ways[False]


def test_two_step_starts_with_the_pair_nearest_to_one_half():
    world = world_of(n_points=7)
    alike = likeness(world, log_posterior(world, Constraints(7)))
    strategy = two_step(world, Constraints(7))
    pairs = list(questions(world, Constraints(7), strategy, np.random.default_rng(0), ask_settled=True))
    distance = [abs(alike[pair] - 0.5) for pair in pairs]
    assert distance == sorted(distance)


def test_bound_is_above_zero_for_all_questions_that_small_problems_have():
    for n_clusters, separation in product((2, 3), (1.0, 2.0, 3.0)):
        questions_asked = np.arange(n_clusters**2 + 1, 8 * n_clusters)
        assert (two_step_bound(questions_asked, n_clusters, separation) > 0).all()


def test_rows_are_the_same_for_a_seed_and_other_for_another():
    small = {"n_points": 6, "separations": [2.0]}
    first, again, other = (repr(theory_rows(seed, **small)) for seed in (3, 3, 4))
    assert first == again != other


def test_rows_hold_every_question_of_every_method():
    rows = theory_rows(0, n_points=6, separations=[1.0, 2.0], strengths=[FACTS], starts=[0])
    third = [row for row in rows if row["experiment"] == "theorem3"]
    second = [row for row in rows if row["experiment"] == "theorem2"]
    assert len(third) == 2 * 2 * 4 * 16
    assert len(second) == 2 * (2 + 1) * 2  # separations, sizes of K = 2 and 3, methods
    assert {tuple(row) for row in rows} == {tuple(rows[0])}
    assert all(0 < row["holds"] <= 1 for row in second)
