"""Names of version 0.1 keep working for one more version, with a warning."""

import numpy as np
import pytest

from sameornot import COBRAS, ActiveSession, Answer, Constraints, Pair, Reply
from sameornot.cluster import block

X = np.repeat([[0.0], [5.0]], 5, axis=0) + np.linspace(0.0, 0.4, 10)[:, None]


def known():
    constraints = Constraints(4)
    constraints.add((0, 1), Answer.SAME)
    constraints.add((1, 2), Answer.DIFFERENT)
    constraints.add((2, 3), Answer.UNSURE)
    return constraints


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("is_aside", "is_unsure", (2, 3)),
        ("aside_counts", "unsure_counts", ()),
        ("presumed", "provisional_neighbourhoods", (2,)),
        ("told_apart", "known_apart", ([np.array([0])],)),
        ("was_told", "was_answered", (0, 1)),
    ],
)
def test_old_methods_of_constraints(old, new, arguments):
    with pytest.warns(DeprecationWarning, match=f"{old} is deprecated: use {new}"):
        found = getattr(known(), old)(*arguments)
    np.testing.assert_equal(found, getattr(known(), new)(*arguments))


@pytest.mark.parametrize(("old", "new"), [("told", "answers"), ("wavers", "is_inconsistent")])
def test_old_properties_of_constraints(old, new):
    with pytest.warns(DeprecationWarning, match=old):
        assert getattr(known(), old) == getattr(known(), new)


def test_a_vote_under_its_old_name():
    constraints = known()
    with pytest.warns(DeprecationWarning, match="weigh is deprecated: use add_vote"):
        constraints.weigh((0, 1), Answer.DIFFERENT)
    assert constraints.is_inconsistent


def test_a_reply_says_whether_it_was_asked_again():
    with pytest.warns(DeprecationWarning, match="is_recheck"):
        assert Reply(Pair(0, 1), Answer.SAME, 1, is_recheck=True).again


@pytest.mark.parametrize(
    ("old", "new"),
    [("judge", "predict_block"), ("judge_rows", "predict_blocks"), ("find_rule", "find_scorer")],
)
def test_old_functions_of_blocks(old, new):
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(block, old) is getattr(block, new)


def test_the_grouping_of_a_fitted_cobras():
    model = COBRAS(random_state=0).fit(X)
    with pytest.warns(DeprecationWarning, match="clustering_"):
        assert model.grouping_ is model.clustering_


@pytest.mark.parametrize(
    ("arguments", "new"),
    [
        ({"strategy": "panel"}, "uncertainty"),
        ({"strategy": "in_turn"}, "random_points"),
        ({"clusterer": "panel"}, "ensemble"),
    ],
)
def test_old_names_of_methods(arguments, new):
    with pytest.warns(DeprecationWarning, match=new) as warned:
        session = ActiveSession(X, 2, random_state=0, **arguments)
    assert warned[0].filename == __file__
    (argument,) = arguments
    named = ActiveSession(X, 2, random_state=0, **{argument: new})
    assert session.ask() == named.ask()


def test_old_methods_of_a_session():
    session = ActiveSession(X, 2, random_state=0)
    with pytest.warns(DeprecationWarning, match="proba"):
        assert session.odds() == session.ask().proba
    session.tell("same")
    with pytest.warns(DeprecationWarning, match="answer_proba"):
        assert session.credibility() == session.answer_proba()
