"""COPKMeans breaks no constraint, fails only where every assignment would, and is K-means otherwise."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from sameornot import ActiveSession, Answer, Constraints, Contradiction
from sameornot.cluster._coloring import Infeasible, SearchLimitReached, search
from sameornot.cluster.base import Problem, State
from sameornot.cluster.copkmeans import COPKMeans, copkmeans
from sameornot.metric.learn import feature_scale
from sameornot.oracles import truth

SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT

# --- problems and their solutions by brute force --------------------------------------------------------


def any_answers(seed, n, n_answers, *, share_same=0.25):
    """Random answers; those that contradict earlier ones are left out, but K clusters may be too few."""
    rng = np.random.default_rng(seed)
    constraints = Constraints(n)
    for _ in range(n_answers):
        pair = rng.choice(n, size=2, replace=False)
        answer = SAME if rng.random() < share_same else DIFFERENT
        if constraints.relation(*pair.tolist()) in (None, answer):
            constraints.add(pair, answer)
    return rng.normal(size=(n, 2)), constraints, rng


def true_answers(seed, n, n_clusters, n_answers, n_features=2):
    """Answers by a labelling that the rows know nothing of."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_clusters, size=n)
    constraints = Constraints(n)
    for _ in range(n_answers):
        i, j = rng.choice(n, size=2, replace=False)
        constraints.add((i, j), SAME if truth[i] == truth[j] else DIFFERENT)
    return rng.normal(size=(n, n_features)), constraints, rng


def keeps(labels, constraints):
    must, cannot = constraints.must_link, constraints.cannot_link
    together = labels[..., must[:, 0]] == labels[..., must[:, 1]]
    apart = labels[..., cannot[:, 0]] != labels[..., cannot[:, 1]]
    return together.all(axis=-1) & apart.all(axis=-1)


def scatter(X, labels):
    return sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels))


def all_labellings(n, n_clusters):
    return np.array(list(product(range(n_clusters), repeat=n)))


def refused_rows(X, constraints, n_clusters, rng):
    try:
        copkmeans(X, constraints, n_clusters, rng)
    except Infeasible as refusal:
        return refusal.rows


small = st.tuples(st.integers(0, 2**32 - 1), st.integers(2, 8), st.integers(0, 16))
cases = st.tuples(st.integers(0, 2**32 - 1), st.integers(5, 40), st.integers(1, 5), st.integers(0, 60))


@settings(max_examples=150)
@given(small, st.integers(1, 4))
def test_it_succeeds_exactly_where_some_labelling_keeps_all_answers(case, n_clusters):
    X, constraints, rng = any_answers(*case)
    n_clusters = min(n_clusters, len(X))
    if keeps(all_labellings(len(X), n_clusters), constraints).any():
        assert keeps(copkmeans(X, constraints, n_clusters, rng).labels, constraints)
    else:
        with pytest.raises(Infeasible):
            copkmeans(X, constraints, n_clusters, rng)


@settings(max_examples=150)
@given(small, st.integers(1, 3))
def test_the_rows_of_a_refusal_prove_it_and_none_can_be_spared(case, n_clusters):
    X, constraints, rng = any_answers(*case, share_same=0.1)
    n_clusters = min(n_clusters, len(X))

    def can_be_placed(rows):
        pairs = [
            (a, b)
            for a, b in combinations(range(len(rows)), 2)
            if constraints.relation(rows[a], rows[b]) is DIFFERENT
        ]
        return any(all(way[a] != way[b] for a, b in pairs) for way in all_labellings(len(rows), n_clusters))

    rows = refused_rows(X, constraints, n_clusters, rng)
    assert rows is None or not can_be_placed(rows)
    for row in rows or []:
        assert can_be_placed([other for other in rows if other != row])


@settings(max_examples=60)
@given(cases)
def test_answers_that_are_true_of_k_groups_are_all_kept(case):
    X, constraints, rng = true_answers(*case)
    found = copkmeans(X, constraints, case[2], rng)
    assert keeps(found.labels, constraints)
    for m, members in enumerate(constraints.neighbourhoods(at_most=case[2])):
        assert (found.labels[members] == m).all()


@settings(max_examples=60)
@given(cases)
def test_the_objective_never_rises_and_is_the_scatter(case):
    X, constraints, rng = true_answers(*case)
    found = copkmeans(X, constraints, case[2], rng)
    assert (np.diff(found.history) <= 1e-9).all()
    assert found.history[-1] == pytest.approx(scatter(X, found.labels), abs=1e-9)
    for k in np.unique(found.labels):
        np.testing.assert_allclose(found.centers[k], X[found.labels == k].mean(axis=0), atol=1e-12)


@settings(max_examples=40)
@given(cases)
def test_no_group_can_move_alone_and_lower_the_objective(case):
    X, constraints, rng = true_answers(*case)
    found = copkmeans(X, constraints, case[2], rng)
    for point in range(len(X)):
        members = constraints.group(point)
        here = ((X[members] - found.centers[found.labels[point]]) ** 2).sum()
        for k in range(case[2]):
            moved = found.labels.copy()
            moved[members] = k
            if keeps(moved, constraints):
                assert ((X[members] - found.centers[k]) ** 2).sum() >= here - 1e-9


@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_many_starts_is_the_best_of_all_labellings(seed):
    X, constraints, rng = true_answers(seed, 7, 3, 5)
    ways = all_labellings(7, 3)
    best = min(scatter(X, way) for way in ways[keeps(ways, constraints)])
    found = copkmeans(X, constraints, 3, rng, n_init=60)
    assert found.history[-1] == pytest.approx(best, rel=0.05)
    assert found.history[-1] >= best - 1e-9


# --- hard cases -----------------------------------------------------------------------------------------


def placed_greedily(X, centers, cannot):
    """Wagstaff's assignment: row after row to the nearest centre that breaks nothing, or None."""
    labels = np.full(len(X), -1)
    for row in range(len(X)):
        taken = {labels[i + j - row] for i, j in cannot if row in (i, j)}
        open_to_it = [k for k in np.argsort(np.abs(X[row] - centers[:, 0])) if k not in taken]
        if not open_to_it:
            return None
        labels[row] = open_to_it[0]
    return labels


def test_a_crown_where_placing_rows_greedily_fails():
    # Even rows differ from all odd ones but their partner, which is where they lie.
    X = np.array([0.0, 0.0, 10.0, 10.0, 5.0, 5.0])[:, None]
    cannot = [(i, j) for i in (0, 2, 4) for j in (1, 3, 5) if j != i + 1]
    assert placed_greedily(X, np.array([[0.0], [10.0]]), cannot) is None
    labels = COPKMeans(2, random_state=0).fit_predict(X, cannot_link=cannot)
    np.testing.assert_array_equal(labels == labels[0], [True, False] * 3)


def test_a_search_takes_a_cheap_place_back_when_it_leads_nowhere():
    # Row 0 is cheapest in cluster 0, where only row 1 can be.
    costs = np.array([[0.0, 5.0], [1.0, np.inf]])
    np.testing.assert_array_equal(search(costs, [np.array([1]), np.array([0])], 2), [1, 0])


def test_a_search_gives_up_only_when_it_was_told_to():
    wheel = [np.array([(i - 1) % 5, (i + 1) % 5, 5]) for i in range(5)] + [np.arange(5)]
    assert search(np.zeros((6, 3)), wheel, 0) is None
    with pytest.raises(SearchLimitReached):
        search(np.zeros((6, 3)), wheel, 0, 0)
    assert search(np.zeros((6, 4)), wheel, 0) is not None


def test_a_wheel_is_refused_although_no_four_rows_all_differ():
    rim = [(i, (i + 1) % 5) for i in range(5)]
    spokes = [(i, 5) for i in range(5)]
    X = np.arange(10.0)[:, None]
    with pytest.raises(
        Infeasible, match=r"no assignment keeps apart .* rows 0, 1, 2, 3, 4, 5 and"
    ) as refusal:
        COPKMeans(3).fit(X, cannot_link=[*rim, *spokes, (6, 7), (8, 0)])
    assert refusal.value.rows == [0, 1, 2, 3, 4, 5]
    labels = COPKMeans(4, random_state=0).fit_predict(X, cannot_link=[*rim, *spokes, (6, 7), (8, 0)])
    assert all(labels[i] != labels[j] for i, j in [*rim, *spokes, (6, 7), (8, 0)])


def test_one_group_too_many_is_refused_by_a_row_of_each():
    X = np.arange(8.0)[:, None]
    with pytest.raises(Infeasible, match=r"n_clusters=2 but rows 0, 2, 4 all differ.* 3 groups"):
        COPKMeans(2).fit(X, must_link=[(0, 1), (2, 3)], cannot_link=[(1, 3), (3, 4), (0, 4), (5, 6)])


def test_a_contradiction_is_refused_with_its_chain():
    with pytest.raises(Contradiction, match="0 and 1 are same, 1 and 2 are same"):
        COPKMeans(3).fit(np.eye(6), must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


@pytest.mark.parametrize(("n_clusters", "n_pairs"), [(3, 240), (5, 600), (10, 800)])
def test_hundreds_of_random_differences_are_kept(n_clusters, n_pairs):
    rng = np.random.default_rng(n_clusters)
    truth = rng.integers(n_clusters, size=200)
    cannot = [pair for pair in rng.integers(200, size=(3 * n_pairs, 2)) if len(set(truth[pair])) == 2]
    X = rng.normal(size=(200, 4))
    labels = COPKMeans(n_clusters, n_init=1, random_state=0).fit_predict(X, cannot_link=cannot[:n_pairs])
    assert all(labels[i] != labels[j] for i, j in cannot[:n_pairs])


def test_a_chain_longer_than_pythons_recursion_is_placed():
    cannot = list(pairwise(range(1500)))
    labels = COPKMeans(2, n_init=1, random_state=0).fit_predict(
        np.arange(1600.0)[:, None], cannot_link=cannot
    )
    np.testing.assert_array_equal(labels[:1500] == labels[0], np.arange(1500) % 2 == 0)


# --- K-means and its edges ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_without_constraints_it_is_as_good_as_k_means(seed):
    y = np.repeat([0, 1, 2], 20)
    X = np.random.default_rng(seed).normal(size=(60, 4)) + 1.5 * np.eye(4)[y]
    reference = KMeans(3, n_init=20, random_state=seed).fit(X)
    model = COPKMeans(3, n_init=20, standardize=False, random_state=seed).fit(X)
    assert model.objective_ == pytest.approx(reference.inertia_, rel=0.01)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_a_group_of_the_first_cluster_is_kept_together():
    # The first neighbourhood has cluster 0, which an implementation that asks `label > 0` forgets.
    X = np.r_[np.zeros(4), np.full(4, 10.0)][:, None]
    labels = COPKMeans(2, random_state=0).fit_predict(X, must_link=[(0, 7), (0, 1)], cannot_link=[(0, 5)])
    assert labels[0] == labels[1] == labels[7] == 0
    assert labels[5] == 1


def test_labels_of_more_kinds_than_clusters_say_only_what_is_the_same():
    X = np.array([[0.0], [0.2], [1.0], [9.0], [9.5], [10.0]])
    model = COPKMeans(2, random_state=0).fit(X, [0, 0, 1, 2, 2, -1], must_link=[(0, 2)])
    np.testing.assert_array_equal(model.labels_ == model.labels_[0], [True] * 3 + [False] * 3)
    words = COPKMeans(2, random_state=0).fit(X, ["a", "a", "b", "c", "c", -1])
    assert words.labels_[0] == words.labels_[1]
    assert words.labels_[3] == words.labels_[4]


@pytest.mark.parametrize("n_clusters", [1, 3])
def test_rows_that_are_all_the_same_are_clustered(n_clusters):
    cannot = [(0, 1), (1, 2), (0, 2)] if n_clusters == 3 else []
    model = COPKMeans(n_clusters, random_state=0).fit(np.ones((6, 2)), cannot_link=cannot)
    assert model.objective_ == 0.0
    assert len(set(model.labels_[:3])) == (3 if cannot else 1)


def test_no_cluster_is_left_empty_while_free_rows_differ():
    rng = np.random.default_rng(0)
    for seed in range(20):
        X, constraints, _ = true_answers(seed, 30, 5, 8)
        found = copkmeans(X, constraints, 8, rng, n_init=1)
        assert len(np.unique(found.labels)) == 8


def test_a_far_origin_does_not_blur_the_clusters():
    X = np.r_[np.zeros(5), np.full(5, 10.0)][:, None] + np.arange(10)[:, None] / 10
    near, far = (COPKMeans(2, random_state=0).fit(rows, cannot_link=[(0, 9)]) for rows in (X, X + 1e9))
    np.testing.assert_array_equal(near.labels_, far.labels_)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-5)


@pytest.mark.parametrize(("name", "value"), [("n_init", 0), ("max_iter", 2.5)])
def test_parameters_that_cannot_be_used_are_named(name, value):
    with pytest.raises(ValueError, match=f"{name}={value}"):
        COPKMeans(**{name: value}).check()
    with pytest.raises(ValueError, match=f"{name}={value}"):
        COPKMeans(2, **{name: value}).fit(np.eye(4))


# --- in a session ---------------------------------------------------------------------------------------


def test_a_session_clusters_standardised_rows():
    X, constraints, _ = true_answers(0, 40, 3, 20)
    X = X * [1.0, 1000.0]
    scale = feature_scale(X)
    problem = Problem(X, constraints, 3, scale)
    found = COPKMeans().check().cluster(problem, State())
    expected = copkmeans(X / scale, constraints, 3, problem.step_rng())
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.centers, expected.centers)
    assert keeps(found.labels, constraints)
    free = [
        row for row in range(40) if len(constraints.group(row)) == 1 and row not in constraints.cannot_link
    ]
    assert len(free) > 0
    np.testing.assert_array_equal(found.predict(X)[free], found.labels[free])


@pytest.mark.parametrize("n_clusters", [None, 4])
def test_a_session_of_true_answers_has_a_result_at_any_time(n_clusters):
    n_refused = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, answer = rng.normal(size=(30, 2)), truth(rng.integers(4, size=30))
        session = ActiveSession(
            X, n_clusters, strategy="random", clusterer=COPKMeans(n_init=1), random_state=seed
        )
        for _ in range(8):
            for _ in range(6):
                if (pair := session.ask()) is not None:
                    session.tell(answer(pair))
            found, known = session.result(), session.constraints
            assert all((found.labels[hood] == m).all() for m, hood in enumerate(found.neighbourhoods))
            assert all(len(set(found.labels[group])) == 1 for group in known.groups())
            is_refused = refused_rows(X, known, n_clusters or len(found.neighbourhoods), rng) is not None
            assert keeps(found.labels, known) == (not is_refused)
            n_refused += is_refused
    # Unknown, K is the number of neighbourhoods, which can be too few; the true K never is.
    assert (n_refused > 0) == (n_clusters is None)


@pytest.mark.parametrize(
    "settings_of_session", [{"n_clusters": None}, {"n_clusters": 2, "infer_last": False}]
)
def test_answers_that_cannot_be_kept_end_no_session(settings_of_session):
    # A cycle of five needs three clusters, but no three rows of it are known to differ.
    answers = [((i, (i + 1) % 5), DIFFERENT) for i in range(5)]
    X = np.arange(8.0)[:, None]
    session = ActiveSession(
        X, strategy="npu", clusterer="copkmeans", random_state=0, answers=answers, **settings_of_session
    )
    found = session.result()
    assert [hood.tolist() for hood in found.neighbourhoods] == [[0], [1]]
    np.testing.assert_array_equal(found.labels[[0, 1, 2, 4]], [0, 1, 0, 1])  # as rows 0 and 1 leave no choice
    assert session.ask() is not None


def test_a_group_that_differs_from_all_neighbourhoods_is_refused_by_a_step_too():
    constraints = Constraints.from_pairs(5, cannot_link=np.array([(0, 1), (1, 2), (0, 2)]))
    with pytest.raises(Infeasible, match="rows 0, 1, 2 all differ"):
        COPKMeans().cluster(Problem(np.eye(5), constraints, 2, np.ones(5)), State())
