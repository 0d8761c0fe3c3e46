"""A simulation is a session answered by known labels and scored at its checkpoints."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sameornot import NPU, ActiveSession, Answer, AugmentedClustering, simulate
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth, unsure
from sameornot.query import STRATEGIES

Y = np.array([0, 1, 2] * 5)
X = np.random.default_rng(0).normal(size=(15, 3)) + 2.0 * np.eye(3)[Y]
QUICK = {"n_clusters": 3, "strategy": "random", "random_state": 0}


def test_there_is_one_row_per_checkpoint():
    curve = simulate(X, Y, budget=12, checkpoints=[9, 0, 3, 3], **QUICK)
    assert curve.columns.tolist() == ["questions", "pairs", "ari", "nmi", "seconds"]
    assert curve.questions.tolist() == [0, 3, 9]
    assert (curve.seconds.diff().dropna() >= 0).all()
    assert (curve.seconds > 0).all()


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(20, list(range(2, 21, 2))), (25, [2, 5, 7, 10, 12, 15, 17, 20, 22, 25]), (3, [0, 1, 2, 3])],
)
def test_checkpoints_are_ten_parts_of_the_budget_unless_given(budget, expected):
    assert simulate(X, Y, budget=budget, **QUICK).questions.tolist() == expected


def test_the_curve_is_that_of_a_session_driven_by_hand():
    curve = simulate(X, Y, budget=10, checkpoints=[0, 4, 10], **QUICK)
    session = ActiveSession(X, **QUICK)
    for row in curve.itertuples():
        while len(session.answers) < row.questions:
            session.tell(truth(Y)(session.ask()))
        labels = session.result().labels
        assert row.ari == adjusted_rand_score(Y, labels)
        assert row.nmi == normalized_mutual_info_score(Y, labels)


def test_without_budget_nothing_is_asked():
    def nobody(pair):
        raise AssertionError(f"{pair} was asked")

    curve = simulate(X, Y, budget=0, oracle=nobody, **QUICK)
    assert curve.questions.tolist() == [0]


def test_without_checkpoints_there_are_no_rows():
    curve = simulate(X, Y, budget=5, checkpoints=[], **QUICK)
    assert curve.columns.tolist() == ["questions", "pairs", "ari", "nmi", "seconds"]
    assert len(curve) == 0


def test_when_nothing_is_left_to_ask_the_grouping_stays_as_the_expert_wants_it():
    curve = simulate(X, Y, budget=500, checkpoints=[200, 300, 500], **QUICK)
    assert curve.questions.tolist() == [200, 300, 500]
    assert curve.ari.tolist() == [1.0, 1.0, 1.0]
    assert curve.nmi.tolist() == pytest.approx([1.0, 1.0, 1.0])


def test_with_three_groups_every_point_is_placed_by_at_most_two_questions():
    sessions = []
    curve = simulate(X, Y, 3, budget=1000, checkpoints=[1000], random_state=0, progress=sessions.append)
    assert curve.ari[0] == 1.0
    assert (
        len(sessions[-1].answers) <= 2 * 14
    )  # the others are compared with the first point, and the third answer is implied


def test_progress_is_called_with_the_session_after_each_answer():
    lengths = []
    simulate(X, Y, budget=7, progress=lambda session: lengths.append(len(session.answers)), **QUICK)
    assert lengths == [1, 2, 3, 4, 5, 6, 7]


def test_unsure_answers_count_and_settle_nothing():
    half_sure = unsure(truth(Y), 0.5, np.random.default_rng(0))
    answers, sessions = [], []

    def oracle(pair):
        answers.append(half_sure(pair))
        return answers[-1]

    simulate(X, Y, budget=20, checkpoints=[20], oracle=oracle, progress=sessions.append, **QUICK)
    log = sessions[-1].answers
    assert [reply.answer for reply in log] == answers
    assert len(answers) == 20
    assert 0 < answers.count(Answer.UNSURE) < 20
    only_sure = ActiveSession(
        X, 3, answers=[reply for reply in log if reply.answer is not Answer.UNSURE]
    ).constraints
    for i in range(15):
        for j in range(i):
            assert sessions[-1].constraints.relation(i, j) is only_sure.relation(i, j)


def test_from_an_expert_who_is_never_sure_nothing_is_learned():
    never, sessions = unsure(truth(Y), 1.0, np.random.default_rng(0)), []
    simulate(X, Y, budget=10, checkpoints=[10], oracle=never, progress=sessions.append, **QUICK)
    assert len(sessions) == 10
    np.testing.assert_allclose(sessions[-1].result().feature_weights, 1 / 3)


@pytest.mark.parametrize("strategy", ["mee", "random", "two_step"])
def test_runs_are_reproducible_whatever_the_global_seed(strategy):
    curves = []
    for global_seed in (0, 1):
        np.random.seed(global_seed)  # noqa: NPY002
        curve = simulate(X, Y, n_clusters=3, strategy=strategy, budget=6, checkpoints=[3, 6], random_state=7)
        curves.append(curve.drop(columns="seconds"))
    pd.testing.assert_frame_equal(*curves)


def test_labels_may_be_strings_and_tables_data_frames():
    names = np.array(["ant", "bee", "cat"])[Y]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    numbers = simulate(X, Y, budget=6, checkpoints=[6], **QUICK)
    for labels in (names, names.tolist(), pd.Series(names), pd.Categorical(names)):
        curve = simulate(frame, labels, budget=6, checkpoints=[6], **QUICK)
        pd.testing.assert_frame_equal(curve.drop(columns="seconds"), numbers.drop(columns="seconds"))


def test_initial_answers_count_as_questions():
    known = [((0, 3), "same"), ((0, 1), "different")]
    asked = []
    simulate(X, Y, budget=5, checkpoints=[5], answers=known, progress=asked.append, **QUICK)
    assert len(asked) == 3


@pytest.mark.parametrize("n_clusters", [3, None])
def test_agreement_grows_with_the_questions(n_clusters):
    X, y = make_gaussian(n_samples=45, n_relevant=3, n_irrelevant=8, separation=3.0, random_state=0)
    curve = simulate(X, y, n_clusters, budget=40, checkpoints=[0, 20, 40], random_state=0)
    assert curve.ari[0] < 0.9 < curve.ari[2]
    assert curve.ari[0] < curve.ari[1]


def test_arguments_of_the_session_are_passed_on():
    sessions, strategy = [], NPU(n_trees=3)
    simulate(
        X,
        Y,
        3,
        strategy=strategy,
        clusterer=AugmentedClustering(metric="full", penalty=(0.5, 1)),
        budget=1,
        infer_last=False,
        standardize=False,
        pool=10,
        random_state=7,
        progress=sessions.append,
    )
    (session,) = sessions
    assert session.strategy is strategy
    assert session.clusterer.metric == "full"
    assert session.clusterer.penalty == (0.5, 1)
    assert (session.infer_last, session.standardize, session.seed) == (False, False, 7)
    assert len(session.pool) == 10


@pytest.mark.parametrize("strategy", ["npu", "cobras", "uncertainty"])
def test_a_name_and_its_object_give_the_same_curve(strategy):
    curves = [
        simulate(X, Y, 3, strategy=named, budget=8, checkpoints=[4, 8], random_state=0).drop(
            columns="seconds"
        )
        for named in (strategy, STRATEGIES[strategy]())
    ]
    pd.testing.assert_frame_equal(*curves)
