"""COBRAS: the splitting level, which groups count while it merges, and what "unsure" does."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from sameornot import Answer
from sameornot.cluster.cobras import COBRAS, choose
from sameornot.cluster.super_instances import Partition, SuperInstanceClustering, replay, super_instance
from sameornot.datasets import make_gaussian
from sameornot.metric.learn import identity_metric
from sameornot.oracles import truth, unsure

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE


@st.composite
def labelled_rows(draw, max_rows=12):
    """Rows on a small grid, so that some are equal, and labels that equal rows share."""
    n_rows = draw(st.integers(1, max_rows))
    cell = st.tuples(st.integers(-2, 2), st.integers(-1, 1))
    X = np.array(draw(st.lists(cell, min_size=n_rows, max_size=n_rows)), dtype=float)
    distinct, which = np.unique(X, axis=0, return_inverse=True)
    labels = draw(st.lists(st.integers(0, 3), min_size=len(distinct), max_size=len(distinct)))
    return X, np.array(labels)[which.ravel()]


def cobras_questions(X, *, seed=0, n_init=1, **options):
    return COBRAS(n_init=n_init).questions(X, np.random.default_rng(seed), **options)


def run(X, oracle, *, seed=0, n_init=2, **options):
    """Answer to the end; returns what was asked and what it led to."""
    asked = []

    def answer(pair):
        asked.append(pair)
        return oracle(pair)

    return asked, replay(cobras_questions(X, seed=seed, n_init=n_init, **options), answer)


def labels_of(X, partition):
    return SuperInstanceClustering(X, partition, identity_metric(np.ones(X.shape[1]))).labels


def refined(X, oracle, *, at_least=2, seed=0, n_init=5):
    """Answer the questions of one refinement of all rows: what was asked, and the parts."""
    asked = []
    whole = super_instance(X, np.arange(len(X)))
    rng = np.random.default_rng(seed)
    questions = COBRAS(n_init=n_init)._refine(X, whole, Partition([whole]), rng, at_least)
    pair = next(questions)
    while True:
        asked.append(pair)
        try:
            pair = questions.send(oracle(pair))
        except StopIteration as end:
            return asked, sorted(part.rows.tolist() for part in end.value)


# --- the splitting level --------------------------------------------------------------------------------

# Four clumps: the halves are {A, B} and {C, D}, and the halves of either are clumps.
CLUMPS = np.array([0.0, 0.1, 0.2, 2.0, 2.1, 2.2, 20.0, 20.1, 20.2, 22.0, 22.1, 22.2])[:, None]
CLUMP = np.repeat([0, 1, 2, 3], 3)


def test_halves_that_differ_twice_make_four_parts():
    asked, parts = refined(CLUMPS, truth(CLUMP))
    assert parts == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    first, second, third = (sorted(CLUMP[list(pair)]) for pair in asked)
    assert first[0] < 2 <= first[1]
    assert second in ([0, 1], [2, 3])
    assert third[0] == third[1] in second


def test_halves_that_are_the_same_make_two_parts_with_one_question():
    asked, parts = refined(CLUMPS, truth(np.zeros(12)))
    assert parts == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert len(asked) == 1


def test_halves_that_differ_once_make_two_parts():
    asked, parts = refined(CLUMPS, truth(CLUMP // 2))
    assert parts == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert len(asked) == 2


def test_unsure_ends_the_search_for_the_level():
    asked, parts = refined(CLUMPS, lambda pair: UNSURE)
    assert (len(asked), len(parts)) == (1, 2)


def test_the_level_ends_where_rows_cannot_be_halved():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [9.0]])
    asked, parts = refined(X, lambda pair: DIFFERENT)
    assert parts == [[0, 1], [2, 3], [4]]
    assert len(asked) == 2


def best_halves(x, rows):
    """The two parts of numbers with the least sum of squares; in one dimension these are a cut."""
    rows = sorted(rows, key=lambda i: x[i])

    def squares(part):
        return ((x[part] - x[part].mean()) ** 2).sum()

    cut = min(range(1, len(rows)), key=lambda c: squares(rows[:c]) + squares(rows[c:]))
    return rows[:cut], rows[cut:]


def representative(x, rows):
    return min(sorted(rows), key=lambda i: round(abs(x[i] - x[rows].mean()), 9))


def level_questions(x, y):
    """The pairs of representatives that are asked, by the rule alone; None where halves are equally large."""
    rows, asked = list(range(len(x))), []
    while True:
        halves = best_halves(x, rows)
        pair = {representative(x, half) for half in halves}
        asked.append(pair)
        divisible = [half for half in halves if len(half) > 1]
        if len({y[i] for i in pair}) == 1 or not divisible:
            return asked
        if len(divisible) == 2 and len(divisible[0]) == len(divisible[1]):
            return None
        rows = min(divisible, key=len)


def test_the_smaller_half_is_halved_again():
    levels = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = rng.lognormal(sigma=1.5, size=15), rng.integers(4, size=15)
        if (expected := level_questions(x, y)) is None:
            continue
        asked, parts = refined(x[:, None], truth(y), n_init=30)
        assert [set(pair) for pair in asked] == expected
        levels.append(sum(len({y[i] for i in pair}) == 2 for pair in expected))
        assert len(parts) == min(15, max(2, 2 ** levels[-1]))
    assert len(levels) > 30
    assert set(levels) >= {0, 1, 2, 3}


def test_outlying_rows_do_not_raise_the_level():
    """Each two of them differ from the rest: halving the rest again would find the next two, and so on."""
    far = 10.0 ** np.repeat(np.arange(2, 12), 2) * np.tile([1.0, 1.01], 10)
    X = np.r_[np.linspace(0, 1, 40), far][:, None]
    y = np.r_[np.zeros(40), np.repeat(np.arange(1, 11), 2)]
    for seed in range(5):
        asked, parts = refined(X, truth(y), seed=seed)
        assert (len(asked), sorted(map(len, parts))) == (2, [2, 58])


def test_more_parts_can_be_asked_for():
    asked, parts = refined(CLUMPS, truth(np.zeros(12)), at_least=4)
    assert parts == [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]
    assert len(asked) == 1


def test_the_largest_that_can_be_split_is_next():
    X = np.array([[0.0]] * 5 + [[1.0], [2.0], [3.0]] + [[7.0], [8.0]])
    rows = ([0, 1, 2, 3, 4], [5, 6, 7], [8, 9])
    partition = Partition([super_instance(X, np.array(r)) for r in rows])
    tries = Counter()
    assert choose(partition, tries) == 1  # the largest has equal rows
    tries[partition.parts[1]] += 1
    assert choose(partition, tries) == 2
    tries[partition.parts[2]] += 1
    assert choose(partition, tries) == 1
    tries.update({partition.parts[1]: 2, partition.parts[2]: 2})
    assert choose(partition, tries) is None


# --- the questions --------------------------------------------------------------------------------------


@given(labelled_rows(), st.integers(0, 3))
@settings(max_examples=40)
def test_with_all_answers_it_ends_in_the_true_groups(rows, seed):
    X, y = rows
    asked, partition = run(X, truth(y), seed=seed)
    labels = labels_of(X, partition)
    assert adjusted_rand_score(y, labels) == 1.0
    assert all(part.is_uniform for part in partition.parts)
    for pair in asked:
        assert (labels[pair.left] == labels[pair.right]) == (y[pair.left] == y[pair.right])


@given(labelled_rows(), st.integers(0, 40))
def test_groups_are_made_of_super_instances_and_agree_with_the_answers(rows, budget):
    X, y = rows
    left = iter(range(budget))
    partition = replay(cobras_questions(X), lambda pair: None if next(left, None) is None else truth(y)(pair))
    labels = labels_of(X, partition)
    assert np.sort(np.concatenate([part.rows for part in partition.parts])).tolist() == list(range(len(X)))
    assert all(len(set(labels[part.rows])) == 1 for part in partition.parts)
    representatives = [part.representative for part in partition.parts]
    for i, a in enumerate(representatives):
        for j, b in enumerate(representatives):
            assert y[a] == y[b] or partition.group[i] != partition.group[j]
            assert y[a] != y[b] or not partition.apart[i, j]


@given(labelled_rows(), st.data())
@settings(max_examples=40)
def test_it_ends_whatever_is_answered(rows, data):
    X, _ = rows
    answers = st.sampled_from([SAME, DIFFERENT, UNSURE])
    asked, partition = run(X, lambda pair: data.draw(answers), n_init=1)
    assert all(pair.left != pair.right for pair in asked)
    assert len(labels_of(X, partition)) == len(X)


@given(labelled_rows(), st.floats(0.1, 0.9), st.integers(0, 3))
@settings(max_examples=40)
def test_an_expert_who_is_often_unsure_never_sees_two_kinds_put_together(rows, rate, seed):
    X, y = rows
    _, partition = run(X, unsure(truth(y), rate, np.random.default_rng(seed)), n_init=1)
    representatives = np.array([part.representative for part in partition.parts])
    labels = labels_of(X, partition)[representatives]
    for group in np.unique(labels):
        assert len(set(y[representatives[labels == group]])) == 1


def test_without_a_known_answer_the_result_is_two_means():
    asked, partition = run(CLUMPS, lambda pair: UNSURE)
    assert labels_of(CLUMPS, partition).tolist() == [0] * 6 + [1] * 6
    assert 10 < len(asked) < 300  # not given up at once, and not for ever


def test_groups_of_the_first_merging_count_at_once():
    questions = cobras_questions(CLUMPS, n_init=3)
    answers = [DIFFERENT, DIFFERENT, SAME, SAME, DIFFERENT, SAME]  # three for the level, then merging
    found = [next(questions).reached.n_groups]
    found += [questions.send(answer).reached.n_groups for answer in answers]
    assert found == [1, 1, 1, 4, 3, 3, 2]


def test_during_a_later_merging_the_groups_of_the_last_complete_one_count():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    questions = cobras_questions(X)
    question = next(questions)
    seen = [question.reached]
    for _ in range(60):
        question = questions.send(truth(y)(question))
        reached = question.reached
        if reached is not seen[-1]:
            seen.append(reached)
        if len(seen) > 2:
            assert (reached.apart | (reached.group[:, None] == reached.group)).all()
    assert len(seen) > 4


def test_one_group_counts_until_a_later_merging_finds_a_difference():
    questions = cobras_questions(np.arange(64.0)[:, None], n_init=3)
    next(questions)
    first_round, level = [SAME, SAME], 4 * [DIFFERENT] + [SAME]  # a half becomes 16 parts
    found = [questions.send(answer).reached.n_groups for answer in first_round + level]
    assert found == [2, 1, 1, 1, 1, 1, 1]
    found = [questions.send(answer).reached.n_groups for answer in [SAME, SAME, DIFFERENT, UNSURE, SAME]]
    assert found == [1, 1, 15, 15, 14]


def test_a_round_without_a_known_answer_is_taken_back():
    answers = iter([DIFFERENT, SAME, DIFFERENT])  # two halves that differ, and one half within itself
    asked, partition = run(CLUMPS, lambda pair: next(answers, UNSURE))
    assert labels_of(CLUMPS, partition).tolist() == [0] * 6 + [1] * 6
    assert len(partition) == 2
    assert len(asked) > 10


def test_equal_rows_are_one_group_without_a_question():
    asked, partition = run(np.ones((5, 2)), lambda pair: DIFFERENT)
    assert asked == []
    assert labels_of(np.ones((5, 2)), partition).tolist() == [0] * 5


# --- the estimator --------------------------------------------------------------------------------------


def test_with_nothing_known_it_is_k_means():
    assert COBRAS(random_state=0).fit(CLUMPS).labels_.tolist() == [0] * 6 + [1] * 6
    assert COBRAS(4, random_state=0).fit(CLUMPS).labels_.tolist() == CLUMP.tolist()
    assert len(COBRAS(random_state=0).fit(CLUMPS, np.full(12, -1)).questions_) == 0


def test_n_clusters_joins_the_nearest_that_are_not_known_to_differ():
    known = np.where(np.isin(np.arange(12), [1, 4, 7]), CLUMP, -1)
    model = COBRAS(2, random_state=0).fit(CLUMPS, known)
    assert len(set(model.labels_)) <= 3
    assert len(set(model.labels_[model.questions_.ravel()])) > 1


@pytest.mark.parametrize("budget", [None, 0, 5])
def test_one_cluster_ends(budget):
    model = COBRAS(1, budget=budget, random_state=0).fit(CLUMPS, CLUMP)
    assert len(model.labels_) == 12
    assert budget is not None or adjusted_rand_score(CLUMP, model.labels_) == 1.0
    assert COBRAS(1, budget=budget, random_state=0).fit(CLUMPS).labels_.tolist() == [0] * 12


def test_one_first_part_ends_whatever_is_answered():
    for answer in (SAME, UNSURE):
        asked, partition = run(CLUMPS, lambda pair, answer=answer: answer, n_init=1, n_first_parts=1)
        assert 0 < len(asked) < 300
        assert len(labels_of(CLUMPS, partition)) == 12


def test_all_labels_and_no_budget_give_the_labels():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    model = COBRAS(random_state=0).fit(X, y)
    assert adjusted_rand_score(y, model.labels_) == 1.0
    assert adjusted_rand_score(y, model.predict(X)) == 1.0
    assert len(model.questions_) < 60 * 3


def test_more_questions_make_better_groups():
    few, many = [], []
    for seed in range(5):
        X, y = make_gaussian(n_samples=60, n_relevant=6, random_state=seed)
        few.append(adjusted_rand_score(y, COBRAS(budget=10, random_state=seed).fit(X, y).labels_))
        many.append(adjusted_rand_score(y, COBRAS(budget=60, random_state=seed).fit(X, y).labels_))
    assert np.mean(many) > np.mean(few) + 0.1


def test_a_budget_buys_the_first_questions_of_the_longer_run():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    long = COBRAS(random_state=0).fit(X, y).questions_
    for budget in (0, 1, 9, 30):
        short = COBRAS(budget=budget, random_state=0).fit(X, y).questions_
        np.testing.assert_array_equal(short, long[:budget])


def test_pairs_answer_as_the_labels_that_they_come_from():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=1)
    by_labels = COBRAS(random_state=0).fit(X, y)
    left, right = by_labels.questions_.T
    same = y[left] == y[right]
    by_pairs = COBRAS(random_state=0).fit(
        X, must_link=by_labels.questions_[same], cannot_link=by_labels.questions_[~same]
    )
    np.testing.assert_array_equal(by_pairs.questions_, by_labels.questions_)
    np.testing.assert_array_equal(by_pairs.labels_, by_labels.labels_)


@pytest.mark.parametrize("n_init", [0, 2.5, None])
def test_a_number_of_starts_that_cannot_be_used_is_named(n_init):
    with pytest.raises(ValueError, match=f"n_init={n_init}"):
        COBRAS(n_init=n_init).check()
    with pytest.raises(ValueError, match=f"n_init={n_init}"):
        COBRAS(n_init=n_init).fit(CLUMPS)
