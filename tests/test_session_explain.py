"""`session.explain()` says why a question is asked, in words and in the numbers that it was chosen by."""

import numpy as np
import pytest

from made_sessions import DIFFERENT, SAME, UNSURE, Y, answer_all, table
from sameornot import ActiveSession, RecheckSchedule, UncertaintySampling
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.query import STRATEGIES

X_ROUND, Y_ROUND = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
NO_RECHECKS = UncertaintySampling(recheck=RecheckSchedule(first=1000))


def asked_until(session, purpose, limit=60):
    """Answer by the truth until a question has this purpose."""
    for _ in range(limit):
        found = session.explain()
        if found.purpose == purpose:
            return found
        session.tell(truth(Y_ROUND)(found.question))
    raise AssertionError(f"no question in {limit} had the purpose {purpose!r}")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_question_of_every_strategy_has_a_reason(strategy):
    session = ActiveSession(table(), 3, strategy=strategy, random_state=0)
    while (question := session.ask()) is not None:
        found = session.explain()
        assert found.question == question == session.ask()
        assert str(found) == found.text
        assert found.text.endswith(".")
        session.tell(truth(Y)(question))
    assert session.explain() is None


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_the_expected_gain_per_question_is_what_the_row_was_chosen_by(n_clusters):
    session = ActiveSession(X_ROUND, n_clusters, strategy=NO_RECHECKS, random_state=0)
    found = asked_until(session, "place")
    view = session._dialogue._step.view
    worth = session.strategy.worth(view, view.candidates())
    assert found.expected_gain / found.cost == pytest.approx(worth.max())
    assert found.unit == "rows"
    assert 1.0 <= found.cost <= 3.0
    assert f"about {found.expected_gain:.1f} rows right" in found.text


def test_the_groups_in_question_are_those_of_the_result_that_no_answer_rules_out():
    session = ActiveSession(X_ROUND, 3, strategy=NO_RECHECKS, random_state=0)
    while (found := asked_until(session, "place")) and len(found.groups) < 3:
        session.tell(truth(Y_ROUND)(found.question))
    labels = session.result().labels
    assert found.groups.proba.sum() == pytest.approx(1.0)
    assert found.groups.proba.is_monotonic_decreasing
    assert found.groups.group.tolist() == labels[found.groups.row].tolist()
    left, right = found.question
    session.tell(DIFFERENT)
    following = session.explain()
    assert following.question.left == left
    assert labels[right] not in following.groups.group.tolist()
    assert len(following.groups) == 2


def test_the_first_question_and_those_about_the_number_of_groups_say_so():
    session = ActiveSession(X_ROUND, random_state=0)
    assert session.explain().text == "To begin with: no group is known yet."
    found = asked_until(session, "count")
    estimate = session.result().n_groups
    assert f"So far there seem to be {estimate.estimate} ({estimate.low} to {estimate.high})." in found.text
    assert found.expected_gain is None


def test_two_groups_that_may_be_one_are_named():
    known = [((0, row), SAME if Y_ROUND[0] == Y_ROUND[row] else DIFFERENT) for row in range(1, 12)]
    found = ActiveSession(X_ROUND, 3, random_state=0, answers=known).explain()
    left, right = found.question
    assert found.purpose == "compare"
    assert found.text.startswith("No answer has told group ")
    assert f"(row {left})" in found.text
    assert f"(row {right})" in found.text


def test_a_question_that_is_asked_again_does_not_tell_the_first_answer():
    session = ActiveSession(X_ROUND, 3, random_state=0)
    found = asked_until(session, "recheck")
    assert "asked before" in found.text
    assert "same" not in found.text
    assert "different" not in found.text


def test_the_reason_can_be_shown_in_a_notebook():
    session = ActiveSession(X_ROUND, 3, strategy=NO_RECHECKS, random_state=0)
    shown = asked_until(session, "place")._repr_html_()
    assert shown.startswith("<p>Row ")
    assert "<table" in shown


def test_a_look_at_the_reason_changes_nothing():
    looking, other = (ActiveSession(X_ROUND, random_state=0) for _ in range(2))
    for _ in range(12):
        looking.explain()
        assert looking.ask() == other.ask()
        answer = truth(Y_ROUND)(other.ask())
        looking.tell(answer)
        other.tell(answer)
    assert np.array_equal(looking.result().labels, other.result().labels)


def test_unsure_answers_leave_the_reason_of_the_next_question():
    session = ActiveSession(table(), strategy="mee", random_state=0)
    answer_all(session, lambda pair: UNSURE, limit=5)
    assert session.explain().purpose == "start"
