"""Super-instances, merging by questions, and COBRA, which is K-means followed by merging."""

import contextlib
import json
import os
import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from sameornot import Answer, Constraints, Contradiction, Pair
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.super_instances import (
    KnownAnswers,
    Partition,
    SuperInstanceClustering,
    merge,
    replay,
    split,
    super_instance,
)
from sameornot.datasets import make_gaussian
from sameornot.metric.learn import identity_metric
from sameornot.oracles import truth

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE

ANSWERS = st.sampled_from([SAME, DIFFERENT, UNSURE])


@st.composite
def labelled_rows(draw, max_rows=14):
    """Rows on a small grid, so that some are equal, and labels that equal rows share."""
    n_rows = draw(st.integers(1, max_rows))
    cell = st.tuples(st.integers(-2, 2), st.integers(-1, 1))
    X = np.array(draw(st.lists(cell, min_size=n_rows, max_size=n_rows)), dtype=float)
    distinct, which = np.unique(X, axis=0, return_inverse=True)
    labels = draw(st.lists(st.integers(0, 3), min_size=len(distinct), max_size=len(distinct)))
    return X, np.array(labels)[which.ravel()]


def on_a_line(*positions):
    """A partition of super-instances of one row each."""
    X = np.array(positions, dtype=float)[:, None]
    return Partition([super_instance(X, np.array([i])) for i in range(len(X))])


def run(questions, oracle):
    """Answer to the end; returns what was asked and what it led to."""
    asked = []

    def answer(pair):
        asked.append(pair)
        return oracle(pair)

    return asked, replay(questions, answer)


def merge_all(partition, oracle):
    """Merge by questions until nothing is open; returns what was asked."""
    return run(merge(partition, partition), oracle)[0]


def cobra_questions(X, n_super_instances, n_init=1):
    return COBRA(n_super_instances, n_init=n_init).questions(X, np.random.default_rng(0))


def clustering_of(X, partition):
    return SuperInstanceClustering(X, partition, identity_metric(np.ones(X.shape[1])))


# --- super-instances ------------------------------------------------------------------------------------


def test_the_representative_is_the_row_nearest_to_the_mean():
    X = np.array([[9.0], [0.0], [2.0], [7.0]])
    part = super_instance(X, np.array([1, 2, 3]))
    assert (part.representative, part.center.tolist(), part.is_uniform) == (2, [3.0], False)


def test_of_two_rows_the_first_is_the_representative_despite_rounding():
    for seed in range(50):
        X = np.random.default_rng(seed).normal(size=(2, 5)) * 10.0 ** (seed % 7)
        assert super_instance(X, np.array([0, 1])).representative == 0


@given(labelled_rows(), st.integers(1, 6))
def test_parts_are_a_partition_that_keeps_equal_rows_together(rows, n_parts):
    X, _ = rows
    whole = super_instance(X, np.arange(len(X)))
    parts = split(X, whole, n_parts, np.random.default_rng(0), n_init=2)
    n_distinct = len(np.unique(X, axis=0))
    assert len(parts) == min(n_parts, n_distinct)
    assert np.sort(np.concatenate([part.rows for part in parts])).tolist() == list(range(len(X)))
    for left, right in combinations(parts, 2):
        assert not (X[left.rows][:, None] == X[right.rows]).all(axis=2).any()
    assert all(part.is_uniform == (len(np.unique(X[part.rows], axis=0)) == 1) for part in parts)


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1e100])
def test_rows_are_split_in_any_unit(unit):
    X = unit * np.array([[0.0], [1.0], [1.1], [5.0], [5.2]])
    parts = split(X, super_instance(X, np.arange(5)), 2, np.random.default_rng(0), n_init=3)
    assert sorted(part.rows.tolist() for part in parts) == [[0, 1, 2], [3, 4]]


def test_rows_that_differ_by_rounding_alone_are_no_error():
    X = np.array([[0.0], [1e-17], [2e-17], [3e-17], [1.0], [2.0]])
    parts = split(X, super_instance(X, np.arange(6)), 5, np.random.default_rng(0), n_init=3)
    assert sorted(np.concatenate([part.rows for part in parts]).tolist()) == list(range(6))


# --- what is known between them -------------------------------------------------------------------------


def test_different_passes_through_same_and_unsure_does_not():
    partition = on_a_line(0, 1, 2, 3)
    partition.add(0, 1, DIFFERENT)
    partition.add(0, 2, UNSURE)
    partition.add(1, 3, SAME)
    assert partition.apart[0].tolist() == [False, True, False, True]
    partition.add(2, 3, SAME)
    assert partition.apart[0].tolist() == [False, True, True, True]
    assert partition.group[1] == partition.group[2] == partition.group[3] != partition.group[0]
    unsure = on_a_line(0, 1, 2)
    unsure.add(0, 1, UNSURE)
    unsure.add(1, 2, SAME)
    assert unsure.closest_open() == (0, 2)  # 2 was not there when the expert was unsure


@given(labelled_rows(), st.randoms(use_true_random=False))
def test_a_partition_implies_what_the_closure_of_the_answers_implies(rows, random):
    _, y = rows
    partition, known = on_a_line(*range(len(y))), Constraints(len(y))
    for left, right in random.sample(list(combinations(range(len(y)), 2)), k=min(8, len(y) // 2)):
        if partition.group[left] != partition.group[right] and not partition.apart[left, right]:
            answer = truth(y)(Pair(left, right))
            partition.add(left, right, answer)
            known.add((left, right), answer)
    for left, right in combinations(range(len(y)), 2):
        together = partition.group[left] == partition.group[right]
        found = SAME if together else DIFFERENT if partition.apart[left, right] else None
        assert found is known.relation(left, right)
        assert partition.apart[left, right] == partition.apart[right, left]


def test_merging_asks_the_closest_groups_first_and_nothing_that_follows():
    # 0-1 is closest, then 1-2 (the group of 0 and 1 by its nearest member), then 3 against 2, not against 1
    asked = merge_all(on_a_line(0.0, 1.0, 2.5, 9.0), truth(np.array([0, 0, 1, 0])))
    assert asked == [Pair(0, 1), Pair(1, 2), Pair(2, 3), Pair(1, 3)]
    assert len(merge_all(on_a_line(0.0, 1.0, 2.5, 9.0), truth(np.zeros(4)))) == 3


def test_merging_returns_whether_anything_was_learned():
    def returned(answer):
        partition = on_a_line(0, 1, 3)
        questions = merge(partition, partition)
        next(questions)
        while True:
            try:
                questions.send(answer)
            except StopIteration as end:
                return end.value

    assert not returned(UNSURE)
    assert returned(DIFFERENT)
    assert returned(SAME)


@given(st.lists(ANSWERS, max_size=12), st.booleans())
def test_groups_reached_before_count_while_merging_unless_they_are_one_that_an_answer_contradicts(
    answers, is_one_group
):
    reached = on_a_line(0.0, 10.0)
    reached.add(0, 1, SAME if is_one_group else DIFFERENT)
    finer = reached.replace(1, on_a_line(8.0, 11.0, 12.0, 14.0).parts)
    questions, so_far = merge(finer, reached), []
    with contextlib.suppress(StopIteration):
        question = next(questions)
        for answer in answers:
            is_refuted = is_one_group and DIFFERENT in so_far
            assert question.reached is (finer if is_refuted else reached)
            question = questions.send(answer)
            so_far.append(answer)


def test_splitting_one_keeps_what_is_known_of_the_others():
    partition = on_a_line(0, 1, 2, 3)
    partition.add(0, 1, SAME)
    partition.add(1, 2, DIFFERENT)
    partition.add(3, 0, UNSURE)
    X = np.array([[0.0], [1.0], [2.0], [3.0], [0.5]])
    finer = partition.replace(0, [super_instance(X, np.array([i])) for i in (0, 4)])
    assert [part.representative for part in finer.parts] == [1, 2, 3, 0, 4]
    assert finer.n_groups == 5
    assert np.argwhere(finer.apart).tolist() == [[0, 1], [1, 0]]
    assert np.argwhere(finer.unsure).tolist() == [[0, 2], [2, 0]]


def test_open_groups_are_joined_nearest_first_unless_known_to_differ():
    partition = on_a_line(0.0, 1.0, 5.0, 7.0)
    partition.add(0, 1, DIFFERENT)
    partition.add(2, 3, UNSURE)
    partition.join_nearest(2)
    assert partition.group[2] == partition.group[3] == partition.group[1] != partition.group[0]
    partition.join_nearest(1)
    assert partition.n_groups == 2


# --- where rows belong ----------------------------------------------------------------------------------


def test_a_new_row_belongs_to_the_group_of_the_nearest_centre():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0]])
    partition = Partition([super_instance(X, np.array(rows)) for rows in ([0, 1], [2, 3], [4])])
    partition.add(0, 2, SAME)
    found = clustering_of(X, partition)
    assert found.labels.tolist() == [0, 0, 1, 1, 0]
    assert found.predict(np.array([[5.4], [5.6], [18.0]])).tolist() == [0, 1, 0]


def test_confidence_is_one_where_an_answer_was_given_and_a_share_elsewhere():
    X = np.array([[0.0], [1.0], [2.0], [6.0], [8.0]])
    partition = Partition([super_instance(X, np.array(rows)) for rows in ([0, 1, 2], [3, 4])])
    unasked = clustering_of(X, partition)
    # centres 1 and 7; of row 2 they are 1 and 5 away, so 1/d² has the share 25/26
    np.testing.assert_allclose(unasked.confidence(X), [49 / 50, 1.0, 25 / 26, 25 / 26, 49 / 50])
    partition.add(0, 1, DIFFERENT)
    asked = clustering_of(X, partition)
    np.testing.assert_allclose(asked.confidence(X), [49 / 50, 1.0, 25 / 26, 1.0, 49 / 50])
    np.testing.assert_allclose(asked.predict_proba(X).sum(axis=1), 1.0)
    assert partition.parts[1].representative == 3


@given(labelled_rows(), st.integers(0, 5))
def test_confidence_is_a_share(rows, n_answers):
    X, y = rows
    left = iter([truth(y)] * n_answers)
    partition = replay(
        cobra_questions(X, 5), lambda pair: answer(pair) if (answer := next(left, None)) else None
    )
    confidence = clustering_of(X, partition).confidence(X)
    assert ((confidence > 0) & (confidence <= 1)).all()


# --- COBRA ----------------------------------------------------------------------------------------------


@given(labelled_rows(), st.integers(1, 14))
def test_the_groups_at_the_end_are_those_of_the_representatives(rows, n_super_instances):
    X, y = rows
    asked, partition = run(cobra_questions(X, n_super_instances, n_init=2), truth(y))
    labels = clustering_of(X, partition).labels
    representatives = [part.representative for part in partition.parts]
    assert adjusted_rand_score(y[representatives], labels[representatives]) == 1.0
    assert {row for pair in asked for row in pair} <= set(representatives)
    for part in partition.parts:
        assert len(set(labels[part.rows])) == 1
    for pair in asked:
        assert (labels[pair.left] == labels[pair.right]) == (truth(y)(pair) is SAME)
    if n_super_instances >= len(np.unique(X, axis=0)):
        assert adjusted_rand_score(y, labels) == 1.0


@given(labelled_rows(), st.data())
def test_cobra_ends_whatever_is_answered(rows, data):
    X, _ = rows
    asked, _ = run(cobra_questions(X, 6), lambda pair: data.draw(ANSWERS))
    assert len({frozenset(pair) for pair in asked}) == len(asked) <= 15


def test_each_question_carries_the_groups_merged_so_far():
    X = np.array([[0.0], [1.0], [5.0], [5.5]])
    questions = cobra_questions(X, 4)
    assert next(questions).reached.n_groups == 4
    assert clustering_of(X, questions.send(SAME).reached).labels.tolist() == [0, 1, 2, 2]


def test_a_parameter_that_cannot_be_used_is_named_before_anything_is_asked():
    with pytest.raises(ValueError, match="n_super_instances=0 but at least 1"):
        COBRA(n_super_instances=0).check()
    with pytest.raises(ValueError, match="n_init=0 but at least 1"):
        COBRA(n_init=0).check()


# --- the estimator --------------------------------------------------------------------------------------


def test_without_knowledge_super_instances_stay_as_k_means_found_them():
    X, _ = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    model = COBRA(8, random_state=0).fit(X)
    assert len(model.questions_) == 0
    assert len(set(model.labels_)) == len(model.representatives_) == 8
    inertia = sum(((X[model.labels_ == g] - X[model.labels_ == g].mean(axis=0)) ** 2).sum() for g in range(8))
    assert inertia <= 1.05 * KMeans(8, n_init=10, random_state=1).fit(X).inertia_


def test_n_clusters_joins_what_the_answers_leave_open():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    model = COBRA(6, n_clusters=3, random_state=0)
    assert model.fit(X).labels_.tolist() == [0, 0, 0, 1, 1, 2]
    assert model.fit(X, cannot_link=[(3, 4)]).labels_.tolist() == [0, 0, 0, 0, 1, 2]


def test_a_budget_buys_the_first_questions_of_the_longer_run():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    long = COBRA(20, random_state=0).fit(X, y)
    short = COBRA(20, budget=7, random_state=0).fit(X, y)
    np.testing.assert_array_equal(short.questions_, long.questions_[:7])
    assert len(COBRA(20, budget=0, random_state=0).fit(X, y).questions_) == 0
    assert adjusted_rand_score(y[long.representatives_], long.labels_[long.representatives_]) == 1.0


def test_what_follows_from_the_answers_is_free():
    expert = KnownAnswers(Constraints.from_pairs(4, labels=np.array([0, 0, 1, -1])), budget=2)
    assert expert.answer(Pair(0, 1)) is SAME
    assert expert.answer(Pair(1, 2)) is DIFFERENT
    assert expert.answer(Pair(0, 2)) is DIFFERENT
    assert expert.answer(Pair(0, 3)) is UNSURE
    assert expert.questions == [Pair(0, 1), Pair(1, 2)]
    spent = KnownAnswers(expert.known, budget=1)
    assert [spent.answer(Pair(0, 1)), spent.answer(Pair(1, 2))] == [SAME, None]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_super_instances": 0}, "n_super_instances=0 but at least 1"),
        ({"n_clusters": 7}, "n_clusters=7 but only 6 rows"),
        ({"budget": -1}, "budget=-1 but at least 0"),
        ({"n_init": 0}, "n_init=0 but at least 1"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        COBRA(**settings).fit(np.arange(6.0)[:, None])


def test_pairs_that_contradict_each_other_are_refused():
    with pytest.raises(Contradiction):
        COBRA().fit(np.arange(6.0)[:, None], must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


# As in test_estimators.py: with SCIPY_ARRAY_API set, scikit-learn skips none of its checks.
CHECKED = ["COBRA()", "COBRAS()"]
CHECK_ALL = f"""
import json, sys
from sklearn.utils.estimator_checks import check_estimator
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
results = {{}}
for text in {CHECKED!r}:
    checks = check_estimator(eval(text), on_skip=None, on_fail=None)
    results[text] = [(c["check_name"], c["status"], str(c["exception"])) for c in checks]
json.dump(results, sys.stdout)
"""


@pytest.fixture(scope="module")
def estimator_checks():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", CHECK_ALL],
        env={**os.environ, "SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("text", CHECKED)
def test_every_check_of_scikit_learn_passes(estimator_checks, text):
    checks = estimator_checks[text]
    assert len(checks) > 40
    assert [check for check in checks if check[1] != "passed"] == []
