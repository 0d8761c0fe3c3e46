"""What the answers lead to: how many groups, which rows belong to them, and how sure that is."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from made_sessions import (
    DIFFERENT,
    SAME,
    NaiveClosure,
    Y,
    always,
    answer_all,
    each_strategy,
    table,
)
from sameornot import ActiveSession, AugmentedClustering
from sameornot.oracles import truth

# --- how many groups ------------------------------------------------------------------------------------


@each_strategy
def test_when_all_are_different_every_point_is_a_group_of_its_own(strategy):
    session = ActiveSession(table(Y[:6]), strategy=strategy, random_state=0)
    asked = answer_all(session, always(DIFFERENT))
    assert len({frozenset(pair) for pair in asked}) == len(asked) == 15
    result = session.result()
    assert sorted(members.tolist() for members in result.neighbourhoods) == [[i] for i in range(6)]
    assert len(set(result.labels.tolist())) == 6


@pytest.mark.parametrize("n_clusters", [None, 3])
@each_strategy
def test_when_all_are_the_same_one_question_per_point_finds_one_group(strategy, n_clusters):
    session = ActiveSession(table(Y[:6]), n_clusters, strategy=strategy, random_state=0)
    assert len(answer_all(session, always(SAME))) == 5
    result = session.result()
    assert [members.tolist() for members in result.neighbourhoods] == [[0, 1, 2, 3, 4, 5]]
    assert len(set(result.labels.tolist())) == 1


def test_without_n_clusters_the_session_ends_with_the_groups_that_the_expert_finds():
    session = ActiveSession(table(), random_state=0)
    while (pair := session.ask()) is not None:
        session.tell(truth(Y)(pair))
    result = session.result()
    assert len(result.neighbourhoods) == 3
    assert adjusted_rand_score(Y, result.labels) == 1.0


def test_without_n_clusters_there_are_groups_before_the_first_answer():
    y = np.arange(120) % 4
    X = 12.0 * np.eye(4)[y] + np.random.default_rng(0).normal(size=(120, 4))
    assert adjusted_rand_score(y, ActiveSession(X, random_state=0).result().labels) == 1.0


@each_strategy
def test_one_cluster_needs_no_question(strategy):
    session = ActiveSession(table(), n_clusters=1, strategy=strategy, random_state=0)
    assert session.ask() is None
    assert session.result().labels.tolist() == [0] * 8


@each_strategy
def test_one_cluster_is_asked_about_where_nothing_may_be_inferred(strategy):
    session = ActiveSession(table(), n_clusters=1, strategy=strategy, infer_last=False, random_state=0)
    assert len(answer_all(session, always(SAME))) == 7


@pytest.mark.parametrize("seed", range(4))
def test_with_two_clusters_the_last_answer_is_implied_so_each_point_costs_one_question(seed):
    y = np.random.default_rng(seed).integers(2, size=10)
    session = ActiveSession(table(y), n_clusters=2, random_state=seed)
    asked = [question for question in answer_all(session, truth(y)) if not question.is_recheck]
    assert len(asked) == 9  # the others are compared with the first point
    assert adjusted_rand_score(y, session.result().labels) == 1.0
    assert sum(len(members) for members in session.result().neighbourhoods) == 10


def test_the_papers_accounting_asks_the_last_answer_too():
    def answers_about_each_point(infer_last):
        for seed in range(4):
            session = ActiveSession(table(), 3, strategy="npu", infer_last=infer_last, random_state=seed)
            answers = {}
            for pair in answer_all(session, truth(Y)):
                answers.setdefault(pair.left, []).append(truth(Y)(pair))
            assert adjusted_rand_score(Y, session.result().labels) == 1.0
            yield from answers.values()

    asked_last = [answers for answers in answers_about_each_point(False) if len(answers) == 3]
    assert asked_last
    assert all(answers == [DIFFERENT, DIFFERENT, SAME] for answers in asked_last)
    assert max(len(answers) for answers in answers_about_each_point(True)) == 2


# --- the result -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method",
    [
        {"strategy": "mee"},
        {"strategy": "random", "clusterer": AugmentedClustering(metric="exact")},
        {"strategy": "random", "clusterer": AugmentedClustering(metric="full")},
        {"strategy": "two_step", "clusterer": AugmentedClustering(penalty="auto")},
        {"strategy": "random", "n_clusters": None, "clusterer": AugmentedClustering(augmentation=False)},
        {"strategy": "random", "standardize": False, "clusterer": AugmentedClustering(separation="cv")},
    ],
)
def test_when_everything_was_asked_the_groups_are_the_experts(method):
    y = np.random.default_rng(5).integers(3, size=12)
    X = np.random.default_rng(6).normal(size=(12, 3))  # nothing in the data says which
    session = ActiveSession(X, **{"n_clusters": 3, "random_state": 0, **method})
    answer_all(session, truth(y))
    assert adjusted_rand_score(y, session.result().labels) == 1.0
    assert session.result().confidence.tolist() == [1.0] * 12


def test_answered_rows_keep_their_group_however_far_they_are_from_it():
    # 0 and 1 are the same although far apart, and 0 lies among the others.
    X = np.r_[0.0, 100.0, 0.1, np.linspace(-1.0, 1.0, 21)][:, None]
    y = np.r_[0, 0, 1, np.full(21, 2)]
    session = ActiveSession(X, n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(y))
    assert adjusted_rand_score(y, session.result().labels) == 1.0


def test_a_result_holds_groups_confidence_and_neighbourhoods():
    session = ActiveSession(table(), n_clusters=3, random_state=0)
    answer_all(session, truth(Y), 6)
    result = session.result()
    placed = np.concatenate(result.neighbourhoods)
    assert set(result.labels.tolist()) <= {0, 1, 2}
    assert ((result.confidence > 0) & (result.confidence <= 1)).all()
    assert (result.confidence[placed] == 1.0).all()
    known = NaiveClosure(8, session.answers, 3)
    for members in result.neighbourhoods:
        assert known.same[np.ix_(members, members)].all()
    for first, second in combinations(result.neighbourhoods, 2):
        assert known.apart[np.ix_(first, second)].all()
    assert result.clustering.predict(table(seed=1)).shape == (8,)


@each_strategy
def test_known_groups_are_those_of_the_answers(strategy):
    session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
    assert session.known_groups() == []
    while (pair := session.ask()) is not None:
        session.tell(truth(Y)(pair))
        known = NaiveClosure(8, session.answers, 3)
        groups = session.known_groups()
        assert all(known.same[np.ix_(members, members)].all() for members in groups)
        assert all(known.apart[np.ix_(a, b)].all() for a, b in combinations(groups, 2))
    assert sorted(members.tolist() for members in groups) == [[0, 3, 6], [1, 4, 7], [2, 5]]


def test_a_point_between_two_groups_is_the_least_confident():
    X = np.r_[np.linspace(0.0, 1.0, 10), 5.2, np.linspace(9.0, 10.0, 10)][:, None]
    result = ActiveSession(X, n_clusters=2, strategy="mee", random_state=0).result()
    assert result.confidence.argmin() == 10


def test_distances_under_the_metric_are_those_of_its_matrix():
    clusterer = AugmentedClustering(metric="full")
    session = ActiveSession(table(), n_clusters=3, strategy="random", clusterer=clusterer, random_state=0)
    answer_all(session, truth(Y), 8)
    metric = session.result().metric
    rows, difference = metric.transform(table()), table()[0] - table()[1]
    assert np.sum((rows[0] - rows[1]) ** 2) == pytest.approx(difference @ metric.matrix @ difference)


def test_a_table_of_new_rows_is_grouped_like_the_array_of_its_values():
    X = np.random.default_rng(0).normal(size=(12, 2))
    clustering = ActiveSession(X, n_clusters=2, random_state=0).result().clustering
    new = pd.DataFrame(X + 0.1, columns=["a", "b"])
    np.testing.assert_array_equal(clustering.predict(new), clustering.predict(new.to_numpy()))


@each_strategy
def test_without_a_bounded_pool_the_result_of_the_pool_is_that_of_all_rows(strategy):
    session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
    answer_all(session, truth(Y), 5)
    result, final = session.result(), session.final_labels()
    np.testing.assert_array_equal(session.pool, np.arange(8))
    np.testing.assert_array_equal(session.pool_result().labels, result.labels)
    np.testing.assert_array_equal(final.rows, np.arange(8))
    np.testing.assert_array_equal(final.X, table())
    np.testing.assert_array_equal(final.labels, result.labels)
    np.testing.assert_array_equal(final.confidence, result.confidence)
