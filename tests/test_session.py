"""A session asks only what it does not know, and its answer log alone decides where it stands."""

from functools import partial
from importlib import import_module
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, Contradiction, Pair, Reply
from sameornot._types import Recheck
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth, unsure
from sameornot.query.forest import forest_leaves

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
STRATEGIES = ["mee", "random", "two_step"]

Y = np.array([0, 1, 2, 0, 1, 2, 0, 1])


def table(y=Y, *, n_features=3, seed=0):
    """Overlapping groups: the data alone do not give the answers away."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(len(y), n_features)) + 1.5 * np.eye(n_features)[np.asarray(y) % n_features]


def answer_all(session, oracle, limit=10_000):
    """Answer until nothing is left to ask; returns the pairs in order."""
    asked = []
    while len(asked) < limit and (pair := session.ask()) is not None:
        asked.append(pair)
        session.tell(oracle(pair))
    return asked


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Nothing here depends on how many trees a forest has."""
    leaves_of_few = partial(forest_leaves, n_trees=5)
    monkeypatch.setattr(import_module("sameornot.query.mee"), "forest_leaves", leaves_of_few)
    monkeypatch.setattr(import_module("sameornot.query.two_step"), "N_TREES", 5)


def always(answer):
    return lambda pair: answer


def standing(session):
    """All that a caller can see of a session."""
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
        """Whoever differs from all but one of K groups that differ from each other is of that one."""
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


# --- what is asked --------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_question_is_the_same_until_it_is_answered(strategy):
    session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
    for _ in range(4):
        pair = session.ask()
        session.result()
        assert session.ask() == pair
        session.tell(truth(Y)(pair))
        assert session.answers[-1][:2] == (pair, truth(Y)(pair))


@pytest.mark.parametrize("infer_last", [True, False])
@pytest.mark.parametrize("n_clusters", [3, None])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_question_is_settled_or_put_aside_before(strategy, n_clusters, infer_last):
    session = ActiveSession(table(), n_clusters, strategy=strategy, infer_last=infer_last, random_state=1)
    oracle = unsure(truth(Y), 0.3, np.random.default_rng(2))
    while (pair := session.ask()) is not None:
        log = session.answers
        known = NaiveClosure(len(Y), log, n_clusters if infer_last else None)
        assert not known.settles(*pair)
        assert set(pair) not in [set(reply.pair) for reply in log]
        session.tell(oracle(pair))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_seed_decides_the_questions(strategy):
    def questions(seed):
        return answer_all(
            ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=seed), truth(Y), limit=5
        )

    assert questions(5) == questions(5)
    assert len({tuple(questions(seed)) for seed in range(5)}) > 1


def test_without_a_seed_the_drawn_one_repeats_the_session():
    first = ActiveSession(table(), n_clusters=3)
    again = ActiveSession(table(), n_clusters=3, random_state=first.seed)
    assert answer_all(first, truth(Y), 4) == answer_all(again, truth(Y), 4)
    assert ActiveSession(table()).seed != first.seed


def test_a_generator_is_a_seed_that_moves_on():
    rng = np.random.default_rng(0)
    seeds = [ActiveSession(table(), random_state=rng).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert ActiveSession(table(), random_state=np.random.default_rng(0)).seed == seeds[0]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_global_generator_is_neither_read_nor_moved(strategy):
    runs = []
    for global_seed in (0, 1):
        np.random.seed(global_seed)  # noqa: NPY002
        before = np.random.get_state()[1].tolist()  # noqa: NPY002
        session = ActiveSession(table(), n_clusters=3, strategy=strategy, random_state=0)
        runs.append((answer_all(session, truth(Y), 4), session.result().labels.tolist()))
        assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    assert runs[0] == runs[1]


# --- the log is the only truth --------------------------------------------------------------------------


def perform(session, deeds, n_answers=None):
    """Carry out what a user does, until the log has `n_answers` lines where that is given."""
    for deed, pair, is_sure in deeds:
        if n_answers is not None and len(session.answers) >= n_answers:
            return
        shown = session.ask() if deed == "answer" else pair
        if deed == "look":
            session.ask()
            session.result()
        elif shown is not None:
            answer = (SAME if Y[shown[0]] == Y[shown[1]] else DIFFERENT) if is_sure else UNSURE
            session.tell(answer, None if deed == "answer" else shown)


PAIRS = list(combinations(range(len(Y)), 2))
DEEDS = st.tuples(
    st.sampled_from(["answer", "answer", "volunteer", "look"]),
    st.sampled_from(PAIRS),
    st.sampled_from([True, True, True, False]),
)


@pytest.mark.parametrize(
    ("strategy", "penalty", "max_examples"), [("mee", None, 6), ("random", "auto", 15), ("two_step", None, 5)]
)
def test_undo_equals_never_having_answered(strategy, penalty, max_examples):
    @given(
        deeds=st.lists(DEEDS, min_size=1, max_size=8),
        n_undone=st.integers(1, 4),
        n_clusters=st.sampled_from([3, None]),
        infer_last=st.booleans(),
    )
    @settings(deadline=None, max_examples=max_examples)
    def undo_equals_never_having_answered(deeds, n_undone, n_clusters, infer_last):
        start = partial(
            ActiveSession,
            table(),
            n_clusters,
            strategy=strategy,
            penalty=penalty,
            infer_last=infer_last,
            random_state=4,
        )
        undone = start()
        perform(undone, deeds)
        n_left = len(undone.answers) - n_undone
        if n_left < 0:
            return
        shorter_log = undone.answers[:n_left]
        undone.undo(n_undone)
        never = start()
        perform(never, deeds, n_answers=n_left)
        assert never.answers == shorter_log
        expected = standing(never)
        assert standing(undone) == expected
        assert standing(start(answers=shorter_log)) == expected

    undo_equals_never_having_answered()


def test_a_table_of_new_rows_is_grouped_like_the_array_of_its_values():
    X = np.random.default_rng(0).normal(size=(12, 2))
    clustering = ActiveSession(X, n_clusters=2, random_state=0).result().clustering
    new = pd.DataFrame(X + 0.1, columns=["a", "b"])
    np.testing.assert_array_equal(clustering.predict(new), clustering.predict(new.to_numpy()))


def test_undo_of_one_at_a_time_is_undo_of_all():
    session = ActiveSession(table(), n_clusters=3, random_state=0)
    fresh = standing(session)
    answer_all(session, truth(Y), 5)
    for _ in range(5):
        session.undo()
    assert standing(session) == fresh


def test_an_undone_answer_may_be_given_the_other_way():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    pair = session.ask()
    session.tell(SAME)
    session.undo()
    session.tell(DIFFERENT)
    assert session.answers == [Reply(pair, DIFFERENT, 1)]
    assert session.constraints.relation(*pair) is DIFFERENT


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_session_resumed_anywhere_asks_the_same_next_question(strategy):
    start = partial(ActiveSession, table(), n_clusters=3, strategy=strategy, infer_last=False, random_state=3)
    session = start()
    asked = answer_all(session, unsure(truth(Y), 0.2, np.random.default_rng(0)))
    steps = [reply.step for reply in session.answers]
    if strategy != "random":
        assert len(set(steps)) < len(steps)  # some of these are in the middle of a sweep
    for n_answers, pair in enumerate(asked):
        assert start(answers=session.answers[:n_answers]).ask() == pair


@pytest.mark.parametrize("penalty", [None, "auto", 1.0, (1.0, 1)])
def test_a_session_resumed_anywhere_has_the_same_result(penalty):
    start = partial(ActiveSession, table(), n_clusters=3, strategy="random", penalty=penalty, random_state=3)
    session = start()
    for _ in range(8):
        session.tell(truth(Y)(session.ask()))
        found, resumed = session.result(), start(answers=session.answers).result()
        np.testing.assert_array_equal(resumed.labels, found.labels)
        np.testing.assert_array_equal(resumed.confidence, found.confidence)
        np.testing.assert_array_equal(resumed.metric.matrix, found.metric.matrix)


@pytest.mark.parametrize("penalty", [None, "auto"])
def test_looking_at_the_next_question_does_not_change_the_result(penalty):
    start = partial(ActiveSession, table(), n_clusters=3, strategy="random", penalty=penalty)
    for seed in range(5):
        answers = answer_all(start(random_state=seed), truth(Y), 3)
        log = [(pair, truth(Y)(pair)) for pair in answers]
        looked, unlooked = (start(random_state=seed, answers=log) for _ in range(2))
        looked.ask()
        assert looked.result().labels.tolist() == unlooked.result().labels.tolist()
        assert looked.result().confidence.tolist() == unlooked.result().confidence.tolist()


@pytest.mark.parametrize(
    "other",
    [
        {"strategy": "random"},
        {"strategy": "two_step"},
        {"strategy": "random", "n_clusters": None},
        {"strategy": "mee", "n_clusters": 5},
        {"strategy": "mee", "infer_last": False},
        {"strategy": "random", "metric": "full", "penalty": "auto"},
        {"strategy": "random", "metric": "exact", "separation": "cv"},
        {"strategy": "random", "random_state": 9, "standardize": False, "augmentation": False},
    ],
)
def test_a_log_resumed_under_other_settings_keeps_all_its_answers(other):
    session = ActiveSession(table(), n_clusters=3, strategy="two_step", random_state=0)
    answer_all(session, unsure(truth(Y), 0.2, np.random.default_rng(1)), 7)
    resumed = ActiveSession(table(), **{"n_clusters": 3, "random_state": 0, **other}, answers=session.answers)
    assert resumed.result().labels.shape == (8,)
    asked = answer_all(resumed, truth(Y), 3)
    assert not {frozenset(pair) for pair in asked} & {frozenset(r.pair) for r in session.answers}
    for i, j in PAIRS:
        if session.constraints.relation(i, j) is not None:
            assert resumed.constraints.relation(i, j) is session.constraints.relation(i, j)


def test_logs_put_together_lose_no_answer():
    """Steps do not ascend any more where one log stands behind another."""
    log = [
        (Pair(1, 7), SAME),
        Reply(Pair(0, 3), SAME, 2),
        Reply(Pair(1, 4), SAME, 3),
        Reply(Pair(2, 5), SAME, 1),
        Reply(Pair(0, 6), SAME, 3),
    ]
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0, answers=log)
    assert session.ask() is not None
    assert [reply[:2] for reply in session.answers] == [line[:2] for line in log]
    assert [session.constraints.relation(*line[0]) for line in log] == [SAME] * 5


# --- answers of one's own choice ------------------------------------------------------------------------


def session_in_mid_sweep():
    """Three neighbourhoods are known, and the pending point differs from the first it was asked against."""
    session = ActiveSession(
        table(),
        n_clusters=4,
        strategy="mee",
        random_state=0,
        answers=[((0, 1), "different"), ((1, 2), "different"), ((0, 2), "different")],
    )
    first = session.ask()
    session.tell(DIFFERENT)
    second = session.ask()
    assert second.left == first.left
    assert second.right != first.right
    return session


def test_an_answer_about_other_points_leaves_the_pending_question():
    session = session_in_mid_sweep()
    pending = session.ask()
    others = [i for i in range(8) if i not in {0, 1, 2, *pending}]
    session.tell(SAME, (others[0], others[1]))
    assert session.ask() == pending
    assert session.constraints.relation(others[0], others[1]) is SAME


def test_an_answer_that_settles_the_pending_question_moves_the_sweep_on():
    session = session_in_mid_sweep()
    point, known = session.ask()
    stranger = next(i for i in range(8) if i not in {0, 1, 2, point})
    session.tell(SAME, (stranger, known))
    session.tell(DIFFERENT, (stranger, point))
    assert session.constraints.relation(point, known) is DIFFERENT
    following = session.ask()
    assert following.left == point
    assert following.right in {0, 1, 2} - {known}


def test_the_pending_pair_told_in_the_other_order_is_its_answer():
    session, mirrored = session_in_mid_sweep(), session_in_mid_sweep()
    pair = session.ask()
    session.tell(DIFFERENT)
    mirrored.tell(DIFFERENT, (pair.right, pair.left))
    assert mirrored.ask() == session.ask() != pair


def test_an_answer_that_places_the_pending_point_ends_its_sweep():
    session = session_in_mid_sweep()
    point, known = session.ask()
    session.tell(SAME, (known, point))
    assert session.ask().left != point


def test_answers_known_beforehand_are_taken_in_any_of_their_forms():
    known = [((0, 3), "same"), (Pair(1, 4), SAME), Reply(Pair(0, 1), DIFFERENT, 0), ([2, 5], "unsure")]
    session = ActiveSession(table(), n_clusters=3, random_state=0, answers=known)
    assert session.answers == [
        Reply(Pair(0, 3), SAME, 0),
        Reply(Pair(1, 4), SAME, 0),
        Reply(Pair(0, 1), DIFFERENT, 0),
        Reply(Pair(2, 5), UNSURE, 0),
    ]
    assert session.constraints.relation(3, 4) is DIFFERENT
    told = ActiveSession(table(), n_clusters=3, random_state=0)
    for pair, answer in (line[:2] for line in known):
        told.tell(answer, pair)
    assert standing(told) == standing(session)


@pytest.mark.parametrize("answer", [SAME, "same"])
@pytest.mark.parametrize("pair", [(0, 1), [0, 1], Pair(0, 1), np.array([0, 1]), (np.int32(0), np.uint8(1))])
def test_answers_may_be_words_and_pairs_any_two_row_numbers(answer, pair):
    session = ActiveSession(table(), random_state=0)
    session.tell(answer, pair)
    assert session.answers == [Reply(Pair(0, 1), SAME, 0)]
    assert type(session.answers[0].pair.left) is int


# --- how many groups ------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_when_all_are_different_every_point_is_a_group_of_its_own(strategy):
    session = ActiveSession(table(Y[:6]), strategy=strategy, random_state=0)
    asked = answer_all(session, always(DIFFERENT))
    assert len({frozenset(pair) for pair in asked}) == len(asked) == 15
    result = session.result()
    assert sorted(members.tolist() for members in result.neighbourhoods) == [[i] for i in range(6)]
    assert len(set(result.labels.tolist())) == 6


@pytest.mark.parametrize("n_clusters", [None, 3])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_when_all_are_the_same_one_question_a_point_finds_one_group(strategy, n_clusters):
    session = ActiveSession(table(Y[:6]), n_clusters, strategy=strategy, random_state=0)
    assert len(answer_all(session, always(SAME))) == 5
    result = session.result()
    assert [members.tolist() for members in result.neighbourhoods] == [[0, 1, 2, 3, 4, 5]]
    assert len(set(result.labels.tolist())) == 1


@pytest.mark.parametrize("n_clusters", [None, 2])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_expert_who_is_never_sure_sees_each_pair_once(strategy, n_clusters):
    session = ActiveSession(table(Y[:6]), n_clusters, strategy=strategy, random_state=0)
    asked = answer_all(session, always(UNSURE), limit=16)
    assert session.ask() is None
    assert len({frozenset(pair) for pair in asked}) == len(asked) == 15
    result = session.result()
    assert result.neighbourhoods == []
    assert len(set(result.labels.tolist())) == (n_clusters or 1)


def test_a_point_put_aside_comes_back_against_another_member():
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    known = [((0, 1), "same"), ((1, 2), "same")]
    session = ActiveSession(X, n_clusters=2, random_state=0, answers=known)
    asked = answer_all(session, always(UNSURE))
    assert sorted(tuple(sorted(pair)) for pair in asked) == [(0, 3), (1, 3), (2, 3)]
    assert session.constraints.relation(0, 3) is None


def test_without_n_clusters_the_groups_grow_with_what_the_expert_finds():
    session = ActiveSession(table(), random_state=0)
    assert set(session.result().labels.tolist()) == {0}
    n_groups = []
    while (pair := session.ask()) is not None:
        session.tell(truth(Y)(pair))
        result = session.result()
        assert len(set(result.labels.tolist())) == len(result.neighbourhoods)
        n_groups.append(len(result.neighbourhoods))
    assert n_groups == sorted(n_groups)
    assert n_groups[-1] == 3
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_cluster_needs_no_question(strategy):
    session = ActiveSession(table(), n_clusters=1, strategy=strategy, random_state=0)
    assert session.ask() is None
    assert session.result().labels.tolist() == [0] * 8


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_cluster_is_asked_through_where_nothing_may_be_inferred(strategy):
    session = ActiveSession(table(), n_clusters=1, strategy=strategy, infer_last=False, random_state=0)
    assert len(answer_all(session, always(SAME))) == 7


@pytest.mark.parametrize("seed", range(4))
def test_with_two_clusters_the_last_answer_is_implied_so_each_point_costs_one_question(seed):
    y = np.random.default_rng(seed).integers(2, size=10)
    session = ActiveSession(table(y), n_clusters=2, random_state=seed)
    asked = [pair for pair in answer_all(session, truth(y)) if not isinstance(pair, Recheck)]
    assert len(asked) == 9  # the first point is asked against, not about
    assert adjusted_rand_score(y, session.result().labels) == 1.0
    assert sum(len(members) for members in session.result().neighbourhoods) == 10


def test_the_papers_accounting_asks_the_last_answer_too():
    def answers_about_each_point(infer_last):
        for seed in range(4):
            session = ActiveSession(table(), n_clusters=3, infer_last=infer_last, random_state=seed)
            answers = {}
            for pair in answer_all(session, truth(Y)):
                answers.setdefault(pair.left, []).append(truth(Y)(pair))
            assert adjusted_rand_score(Y, session.result().labels) == 1.0
            yield from answers.values()

    asked_last = [answers for answers in answers_about_each_point(False) if len(answers) == 3]
    assert asked_last
    assert all(answers == [DIFFERENT, DIFFERENT, SAME] for answers in asked_last)
    assert max(len(answers) for answers in answers_about_each_point(True)) == 2


def test_an_implied_answer_is_proved_by_the_answers_behind_it():
    known = [((0, 1), "different"), ((2, 0), "different")]
    session = ActiveSession(table(), n_clusters=2, random_state=0, answers=known)
    assert session.constraints.relation(1, 2) is SAME
    with pytest.raises(Contradiction) as raised:
        session.tell(DIFFERENT, (1, 2))
    assert {(tuple(sorted(pair)), answer) for pair, answer in raised.value.chain} == {
        ((0, 1), DIFFERENT),
        ((0, 2), DIFFERENT),
    }


# --- what comes out -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "how",
    [
        {"strategy": "mee"},
        {"strategy": "random", "metric": "exact"},
        {"strategy": "random", "metric": "full"},
        {"strategy": "two_step", "penalty": "auto"},
        {"strategy": "random", "n_clusters": None, "augmentation": False},
        {"strategy": "random", "standardize": False, "separation": "cv"},
    ],
)
def test_when_everything_was_asked_the_groups_are_the_experts(how):
    y = np.random.default_rng(5).integers(3, size=12)
    X = np.random.default_rng(6).normal(size=(12, 3))  # nothing in the data says which
    session = ActiveSession(X, **{"n_clusters": 3, "random_state": 0, **how})
    answer_all(session, truth(y))
    assert adjusted_rand_score(y, session.result().labels) == 1.0
    assert session.result().confidence.tolist() == [1.0] * 12


def test_no_distance_outbids_the_experts_answers():
    # 0 and its mate 1 are far apart, and 0 lies in the midst of the others.
    X = np.r_[0.0, 100.0, 0.1, np.linspace(-1.0, 1.0, 21)][:, None]
    y = np.r_[0, 0, 1, np.full(21, 2)]
    session = ActiveSession(X, n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(y))
    assert adjusted_rand_score(y, session.result().labels) == 1.0


def test_a_budget_that_ends_in_the_middle_of_a_sweep_keeps_its_answers():
    session = session_in_mid_sweep()
    left, right = session.answers[-1].pair
    assert session.constraints.relation(left, right) is DIFFERENT
    assert [left, right] in session.constraints.cannot_link.tolist()
    without = ActiveSession(
        table(), n_clusters=4, strategy="mee", random_state=0, answers=session.answers[:-1]
    )
    weights = [s.result().feature_weights.to_numpy() for s in (session, without)]
    assert not np.allclose(*weights)  # the metric has learned from the half of a sweep


def test_result_tells_groups_confidence_and_neighbourhoods():
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


def test_a_point_between_two_groups_is_the_least_confident():
    X = np.r_[np.linspace(0.0, 1.0, 10), 5.2, np.linspace(9.0, 10.0, 10)][:, None]
    result = ActiveSession(X, n_clusters=2, strategy="mee", random_state=0).result()
    assert result.confidence.argmin() == 10


def test_distances_under_the_metric_are_those_of_its_matrix():
    session = ActiveSession(table(), n_clusters=3, strategy="random", metric="full", random_state=0)
    answer_all(session, truth(Y), 8)
    metric = session.result().metric
    rows, difference = metric.transform(table()), table()[0] - table()[1]
    assert np.sum((rows[0] - rows[1]) ** 2) == pytest.approx(difference @ metric.matrix @ difference)


# --- tables of every kind -------------------------------------------------------------------------------


def test_a_data_frame_keeps_its_names():
    frame = pd.DataFrame(table(), columns=["length", "width", 3], index=list("abcdefgh"))
    session = ActiveSession(frame, n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 5)
    weights = session.result().feature_weights
    assert weights.index.tolist() == ["length", "width", "3"]
    assert weights.sum() == pytest.approx(1.0)
    plain = ActiveSession(
        frame.to_numpy(), n_clusters=3, strategy="random", random_state=0, answers=session.answers
    )
    np.testing.assert_allclose(plain.result().feature_weights.to_numpy(), weights.to_numpy())


@pytest.mark.parametrize(
    "X",
    [
        np.round(10 * table()).astype(int),
        np.round(10 * table()).astype(np.float32),
        np.round(10 * table()).tolist(),
        np.asfortranarray(np.round(10 * table())),
        pd.DataFrame(np.round(10 * table())).astype("Int64"),
    ],
    ids=["int", "float32", "list", "fortran", "nullable"],
)
def test_numbers_of_every_kind_give_the_same_session(X):
    reference = ActiveSession(np.round(10 * table()), n_clusters=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    assert answer_all(session, truth(Y), 3) == answer_all(reference, truth(Y), 3)
    assert session.result().labels.tolist() == reference.result().labels.tolist()


def test_the_table_is_not_changed_nor_watched():
    X = table()
    session = ActiveSession(X, n_clusters=3, random_state=0)
    reference = ActiveSession(table(), n_clusters=3, random_state=0)
    answer_all(session, truth(Y), 2)
    session.result()
    np.testing.assert_array_equal(X, table())
    answer_all(reference, truth(Y), 2)
    assert len(session) == len(reference) == 8


ODD_TABLES = {
    "one feature": np.linspace(0.0, 1.0, 8)[:, None],
    "a constant feature": np.column_stack([table(), np.full(8, 7.1)]),
    "only constant features": np.full((8, 2), 0.1),
    "duplicated rows": np.repeat(table()[:2], 4, axis=0),
    "all rows but one the same": np.eye(8)[:, :1],
    "more features than rows": np.random.default_rng(0).normal(size=(8, 30)),
}


@pytest.mark.parametrize(("metric", "penalty"), [("separable", "auto"), ("exact", None), ("full", None)])
@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables_are_grouped_as_the_expert_says(name, metric, penalty):
    X = ODD_TABLES[name]
    session = ActiveSession(
        X, n_clusters=3, strategy="random", metric=metric, penalty=penalty, random_state=0
    )
    for limit in (0, 2, 3, 1000):
        answer_all(session, truth(Y), limit)
        weights = session.result().feature_weights
        assert (weights >= 0).all()
        assert (weights[X.std(axis=0) < 1e-9] == 0).all()
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@pytest.mark.parametrize("strategy", ["mee", "two_step"])
@pytest.mark.parametrize("name", ODD_TABLES)
def test_odd_tables_are_asked_about_to_the_end(name, strategy):
    session = ActiveSession(ODD_TABLES[name], n_clusters=3, strategy=strategy, random_state=0)
    answer_all(session, truth(Y))
    assert adjusted_rand_score(Y, session.result().labels) == 1.0


@pytest.mark.parametrize("powers", [[-40, 0, 40], [-40] * 3, [200] * 3], ids=["mixed", "tiny", "huge"])
def test_the_units_of_the_features_do_not_matter(powers):
    X, y = table(np.tile(Y, 3)), np.tile(Y, 3)
    units = 2.0 ** np.array(powers)  # powers of two round nothing
    session, converted = (ActiveSession(rows, n_clusters=3, random_state=0) for rows in (X, X * units))
    assert answer_all(converted, truth(y), 6) == answer_all(session, truth(y), 6)
    assert converted.result().labels.tolist() == session.result().labels.tolist()
    np.testing.assert_allclose(converted.result().feature_weights, session.result().feature_weights)


def test_the_origin_of_the_features_does_not_matter():
    X = table(np.tile(Y, 3))
    known = [((0, 3), "same"), ((0, 6), "same"), ((1, 4), "same"), ((1, 7), "same"), ((2, 5), "same")]
    known += [((0, 1), "different"), ((0, 2), "different"), ((1, 2), "different")]
    for seed in range(3):
        session, shifted = (
            ActiveSession(rows, n_clusters=3, random_state=seed, answers=known)
            for rows in (X, np.add(X, [1e8, 0.0, -1e8]))
        )
        assert shifted.result().labels.tolist() == session.result().labels.tolist()
        assert shifted.ask() == session.ask()


@pytest.mark.parametrize("n_clusters", [1, None])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_one_row_is_one_group_and_leaves_nothing_to_ask(strategy, n_clusters):
    session = ActiveSession([[1.0, 2.0]], n_clusters, strategy=strategy, random_state=0)
    assert session.ask() is None
    assert session.result().labels.tolist() == [0]
    assert session.result().confidence.tolist() == [1.0]


# --- answers that cannot be ----------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_contradiction_tells_its_chain_and_changes_nothing(strategy):
    known = [((0, 3), "same"), ((3, 6), "same"), ((6, 1), "different")]
    start = partial(ActiveSession, table(), n_clusters=3, strategy=strategy, random_state=0, answers=known)
    session, untouched = start(), start()
    for _ in range(2):
        session.tell(truth(Y)(session.ask()))
        untouched.tell(truth(Y)(untouched.ask()))
    question = session.ask()
    with pytest.raises(
        Contradiction, match="0 and 3 are same, 3 and 6 are same, 6 and 1 are different"
    ) as raised:
        session.tell(SAME, (0, 1))
    assert raised.value.chain == [(Pair(0, 3), SAME), (Pair(3, 6), SAME), (Pair(6, 1), DIFFERENT)]
    with pytest.raises(Contradiction, match="6 and 3 are same, 3 and 0 are same"):
        session.tell(DIFFERENT, (6, 0))
    assert session.ask() == question
    assert standing(session) == standing(untouched)


@pytest.mark.parametrize("infer_last", [True, False])
def test_one_group_too_many_names_n_clusters_and_changes_nothing(infer_last):
    start = partial(ActiveSession, table(), n_clusters=2, infer_last=infer_last, random_state=0)
    known = [((0, 1), "different")]
    session, untouched = start(answers=known), start(answers=known)
    for each in (session, untouched):
        each.ask()
        each.tell(DIFFERENT, (5, 0))
    if infer_last:  # then 5 is known to be with 1
        assert session.constraints.relation(5, 1) is SAME
    with pytest.raises(ValueError, match="n_clusters=2" if not infer_last else "contradicts"):
        session.tell(DIFFERENT, (5, 1))
    assert standing(session) == standing(untouched)


def test_one_group_too_many_is_told_at_once_where_counting_proves_it():
    # 2, 3 and 4 all differ; as soon as one of them is placed, so are the others, and one is left over.
    triangle = [((0, 1), "different"), ((2, 3), "different"), ((3, 4), "different"), ((2, 4), "different")]
    session = ActiveSession(table(Y[:5]), n_clusters=2, random_state=0, answers=triangle)
    untouched = ActiveSession(table(Y[:5]), n_clusters=2, random_state=0, answers=triangle)
    with pytest.raises(ValueError, match="n_clusters=2"):
        session.tell(DIFFERENT, (2, 0))
    assert standing(session) == standing(untouched)


def test_a_log_with_one_group_too_many_cannot_be_resumed():
    apart = [((0, 1), "different"), ((1, 2), "different"), ((0, 2), "different")]
    with pytest.raises(ValueError, match=r"n_clusters=2 .* 3 groups"):
        ActiveSession(table(), n_clusters=2, infer_last=False, answers=apart)


def test_an_answer_past_the_end_needs_a_pair():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y))
    before = standing(session)
    with pytest.raises(ValueError, match="answer='same' but nothing is left to ask"):
        session.tell(SAME)
    assert standing(session) == before
    session.tell(SAME, (0, 3))  # true, and known: it may be said again
    assert session.ask() is None


def test_no_more_can_be_undone_than_was_answered():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 2)
    before = standing(session)
    with pytest.raises(ValueError, match="n_answers=3 but only 2 were given"):
        session.undo(3)
    assert standing(session) == before
    session.undo(2)
    with pytest.raises(ValueError, match="n_answers=1 but only 0 were given"):
        session.undo()


def test_the_log_that_is_handed_out_is_a_copy():
    session = ActiveSession(table(), n_clusters=3, strategy="random", random_state=0)
    answer_all(session, truth(Y), 2)
    session.answers.clear()
    assert len(session.answers) == 2


@pytest.mark.parametrize("answer", list(Answer))
def test_a_fork_goes_on_as_the_session_would_and_leaves_it_alone(answer):
    X, y = make_gaussian(n_samples=40, n_relevant=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    oracle = truth(y)
    for _ in range(12):
        pair = session.ask()
        fork = session.fork()
        fork.tell(answer, pair)
        told = ActiveSession(X, n_clusters=3, random_state=0, answers=fork.answers)
        assert fork.ask() == told.ask()
        assert fork.step == told.step
        assert session.ask() == pair
        session.tell(oracle(pair))


def test_odds_tell_the_groups_that_the_asked_row_may_be_of():
    X, y = make_gaussian(n_samples=40, n_relevant=3, random_state=0)
    session = ActiveSession(X, n_clusters=3, random_state=0)
    oracle = truth(y)
    for _ in range(12):
        session.tell(oracle(session.ask()))
    odds = session.odds()
    assert sum(odds.values()) == pytest.approx(1.0)
    groups = {session.constraints.group(row)[0] for row in odds}
    assert len(groups) == len(odds) == len(session.result().neighbourhoods)
    assert ActiveSession(X, strategy="random", random_state=0).odds() == {}


def test_the_least_credible_answer_is_about_a_row_of_the_wrong_one():
    X, y = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
    session = ActiveSession(X, 3, random_state=0)
    wrong = None
    for n_asked in range(60):
        pair = session.ask()
        same = bool(y[pair.left] == y[pair.right])
        if wrong is None and n_asked > 20 and same:
            wrong = pair
        same = same and (wrong is None or set(pair) != set(wrong))  # the expert stands by it when asked again
        session.tell("same" if same else "different", pair)
    credible = session.credibility()
    assert set(credible) == {reply.pair for reply in session.answers}
    assert all(0 <= chance <= 1 for chance in credible.values())
    worst = min(credible, key=credible.get)
    assert set(wrong) & set(worst)  # it, or one that would be wrong if it were right
    assert credible[worst] < 0.5
    assert ActiveSession(X, 3, strategy="mee").credibility() == {}
