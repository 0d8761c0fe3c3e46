"""The log folds events that are never changed into the answers that hold."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot._types import Answer, Pair
from sameornot.service.log import PATIENCE, Limits, Log, draft_changes
from sameornot.store import Draft

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
OPENED = Draft("", "opened", {"clusters": 3, "n_rows": 9, "title": "t", "fingerprint": "f"})
ACTS = st.lists(
    st.tuples(st.sampled_from(["answer", "remove", "same", "different", "unsure"]), st.integers(0, 30)),
    max_size=25,
)


def shown(person, left, right):
    return Draft(person, "shown", {"left": left, "right": right})


def answered(person, left, right, answer="same", question=None):
    data = {"question": question, "left": left, "right": right, "answer": answer, "step": 1, "seconds": None}
    return Draft(person, "answered", data)


def log_of(*drafts, now=NOW):
    return Log(Limits(range(100), 100)).after([OPENED, *drafts], now)


@given(ACTS)
def test_answers_that_hold_are_those_of_a_plain_list(acts):
    log, model = log_of(), {}
    for act, n in acts:
        if act == "answer":
            log = log.after([answered("ana", n, n + 1)], NOW)
            model[log.version] = "same"
        elif model:
            seq = list(model)[n % len(model)]
            log = log.after(draft_changes("ana", [(seq, act)]), NOW)
            model.pop(seq) if act == "remove" else model.update({seq: act})
    assert {entry.seq: entry.answer.value for entry in log.entries} == model
    assert [entry.seq for entry in log.entries] == sorted(model)


def test_a_changed_answer_is_marked_and_keeps_its_place():
    log = log_of(answered("ana", 1, 2), answered("ana", 2, 3))
    first = log.entries[0]
    log = log.after(draft_changes("ben", [(first.seq, "different")]), NOW)
    assert [entry.answer for entry in log.entries] == [Answer.DIFFERENT, Answer.SAME]
    assert [entry.edited for entry in log.entries] == [True, False]
    assert log.entries[0].author == "ana"


@pytest.mark.parametrize(
    "release", [answered("ana", 1, 2, question=2), shown("ana", 5, 6), Draft("ana", "left", {})]
)
def test_a_pair_is_held_until_it_is_answered_replaced_or_left(release):
    log = log_of(shown("ana", 1, 2))
    assert log.looks_of_others("ben", NOW) == [Pair(1, 2)]
    assert log.looks_of_others("ana", NOW) == []
    assert Pair(1, 2) not in log.after([release], NOW).looks_of_others("ben", NOW)


def test_who_is_silent_for_long_holds_nothing_and_her_last_answer_can_be_undone_by_others():
    log = log_of(answered("ana", 1, 2), shown("ana", 3, 4))
    later = NOW + PATIENCE + timedelta(seconds=1)
    assert log.last_of("ben", NOW) is None
    assert log.looks_of_others("ben", later) == []
    assert log.last_of("ben", later).pair == Pair(1, 2)


def test_a_question_counts_as_answered_only_while_its_answer_holds():
    log = log_of(shown("ana", 1, 2), answered("ana", 1, 2, question=2))
    assert log.is_answered(2)
    assert not log.after(draft_changes("ana", [(log.entries[0].seq, "remove")]), NOW).is_answered(2)
