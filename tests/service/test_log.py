"""The log folds events that are never changed into the answers that hold."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot._types import Answer, Pair
from sameornot.service.answer_counts import AnswerCounts
from sameornot.service.event_reading import read_event
from sameornot.service.events import (
    Answered,
    Changed,
    EventError,
    Left,
    Limits,
    Opened,
    Regrouped,
    Retracted,
    Shown,
    draft,
)
from sameornot.service.log import AWAY_AFTER, Log
from sameornot.service.log_key import LogKey
from sameornot.store import Draft, Event

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
LIMITS = Limits(range(100), 100)
OPENED = draft("", Opened({"clusters": 3, "n_rows": 100, "title": "t", "fingerprint": "f"}))
ACTS = st.lists(
    st.tuples(st.sampled_from(["answer", "remove", "same", "different", "unsure"]), st.integers(0, 30)),
    max_size=25,
)


def shown(person, left, right, recheck=False):
    return draft(person, Shown(Pair(left, right), recheck))


def answered(person, left, right, answer="same", question=None, recheck=False, seconds=None):
    event = Answered(Pair(left, right), Answer(answer), 1, question, seconds, recheck)
    return draft(person, event)


def log_of(*drafts, now=NOW):
    return Log(LIMITS).with_drafts([OPENED, *drafts], now)


def correction(seq, act):
    return Retracted(seq) if act == "remove" else Changed(seq, Answer(act))


@given(ACTS)
def test_answers_that_hold_are_those_of_a_plain_list(acts):
    log, model = log_of(), {}
    for act, n in acts:
        if act == "answer":
            log = log.with_drafts([answered("ana", n, n + 1)], NOW)
            model[log.version] = "same"
        elif model:
            seq = list(model)[n % len(model)]
            log = log.with_drafts([draft("ana", correction(seq, act))], NOW)
            model.pop(seq) if act == "remove" else model.update({seq: act})
    assert {entry.seq: entry.answer.value for entry in log.entries} == model
    assert [entry.seq for entry in log.entries] == sorted(model)


@given(ACTS, st.sampled_from([None, 2, 5]))
def test_key_and_counts_that_grew_with_the_log_are_those_of_its_answers(acts, clusters):
    log = log_of()
    for act, n in acts:
        seqs = [entry.seq for entry in log.entries]
        if act == "answer":
            is_again = n % 3 == 0
            event = answered("ana" if n % 2 else "ben", n % 5, n % 5 + 1, recheck=is_again, seconds=float(n))
            log = log.with_drafts([event], NOW)
        elif act == "unsure":
            log = log.with_drafts([draft("ana", Regrouped(clusters))], NOW)
        elif seqs:
            log = log.with_drafts([draft("ana", correction(seqs[n % len(seqs)], act))], NOW)
    assert log.key == LogKey.of(log.clusters, [entry.reply for entry in log.entries])
    assert log.counts == AnswerCounts.of(log.entries)


def test_a_changed_answer_is_marked_and_keeps_its_place():
    log = log_of(answered("ana", 1, 2), answered("ana", 2, 3))
    first = log.entries[0]
    log = log.with_drafts([draft("ben", Changed(first.seq, Answer.DIFFERENT))], NOW)
    assert [entry.answer for entry in log.entries] == [Answer.DIFFERENT, Answer.SAME]
    assert [entry.edited for entry in log.entries] == [True, False]
    assert log.entries[0].author == "ana"


@pytest.mark.parametrize(
    "release", [answered("ana", 1, 2, question=2), shown("ana", 5, 6), draft("ana", Left())]
)
def test_a_pair_is_leased_until_it_is_answered_replaced_or_left(release):
    log = log_of(shown("ana", 1, 2))
    assert log.pending_for_others("ben", NOW) == [Pair(1, 2)]
    assert log.pending_for_others("ana", NOW) == []
    assert Pair(1, 2) not in log.with_drafts([release], NOW).pending_for_others("ben", NOW)


def test_who_is_silent_for_long_leases_nothing_and_her_last_answer_can_be_undone_by_others():
    log = log_of(answered("ana", 1, 2), shown("ana", 3, 4))
    later = NOW + AWAY_AFTER + timedelta(seconds=1)
    assert log.last_of("ben", NOW) is None
    assert not log.can_undo("ben", NOW)
    assert log.pending_for_others("ben", later) == []
    assert log.can_undo("ben", later)
    assert log.last_of("ben", later).pair == Pair(1, 2)


def test_a_question_counts_as_answered_only_while_its_answer_holds():
    log = log_of(shown("ana", 1, 2, recheck=True), answered("ana", 1, 2, question=2))
    assert log.was_answered(2)
    assert 2 not in log.unanswered
    undone = log.with_drafts([draft("ana", Retracted(log.entries[0].seq))], NOW)
    assert not undone.was_answered(2)
    assert undone.unanswered[2].pair == Pair(1, 2)


def test_whether_an_answer_is_a_recheck_is_what_its_event_says():
    again = answered("ana", 1, 2, question=3, recheck=False)
    log = log_of(answered("ana", 1, 2), shown("ana", 1, 2, recheck=False), again)
    assert [entry.is_recheck for entry in log.entries] == [False, False]
    assert not log.unanswered


def without_recheck(stored):
    data = {name: value for name, value in stored.data.items() if name != "recheck"}
    return Draft(stored.author, stored.kind, data)


@pytest.mark.parametrize(("first", "is_recheck"), [("same", True), ("different", True), ("unsure", False)])
def test_in_a_log_of_the_first_format_it_follows_from_earlier_answers(first, is_recheck):
    events = [answered("ana", 1, 2, first), shown("ben", 2, 1), answered("ben", 2, 1, question=3)]
    log = log_of(*map(without_recheck, events[:2]))
    assert log.leases["ben"].is_recheck == is_recheck
    log = log.with_drafts([without_recheck(events[2])], NOW)
    assert [entry.is_recheck for entry in log.entries] == [False, is_recheck]


def test_in_a_log_of_the_first_format_an_answer_after_the_question_was_shown_makes_no_recheck():
    events = [shown("ana", 1, 2), answered("ben", 1, 2), answered("ana", 1, 2, question=2)]
    log = log_of(*map(without_recheck, events))
    assert [entry.is_recheck for entry in log.entries] == [False, False]


def test_rechecks_are_counted_and_compared_with_the_first_answer():
    log = log_of(
        answered("ana", 1, 2),
        answered("ana", 2, 1, recheck=True),
        answered("ben", 1, 2, "different", recheck=True),
        answered("ben", 1, 2, "unsure", recheck=True),
    )
    counts = log.counts
    assert (counts.n_rechecks, counts.n_confirmed, counts.n_unsure) == (2, 1, 1)
    assert {who: own.n_answers for who, own in counts.by_author.items()} == {"ana": 2, "ben": 2}


def test_each_event_is_read_as_it_was_written():
    for event in (
        Shown(Pair(1, 2), True),
        Answered(Pair(1, 2), Answer.UNSURE, 1, 1, 2.5, True),
        Retracted(1),
        Changed(1, Answer.SAME),
        Regrouped(None),
        Left(),
    ):
        stored = draft("ana", event)
        assert read_event(Event(3, NOW, "ana", stored.kind, stored.data), LIMITS) == event


def test_an_event_that_cannot_be_applied_says_why():
    with pytest.raises(EventError, match="'painted' are not known"):
        read_event(Event(1, NOW, "", "painted", {}), LIMITS)
    with pytest.raises(EventError, match="101 groups are wanted but questions are about 100 rows"):
        read_event(Event(1, NOW, "", "regrouped", {"clusters": 101}), LIMITS)
    with pytest.raises(EventError, match="row 100 is not in the table"):
        read_event(Event(1, NOW, "", "named", {"row": 100, "name": "x"}), LIMITS)


def test_a_log_is_not_changed_by_what_follows_it():
    log = log_of(shown("ana", 1, 2))
    before = (log.version, log.key, dict(log.leases), dict(log.unanswered))
    log.with_drafts([answered("ana", 1, 2, question=2)], NOW)
    assert (log.version, log.key, dict(log.leases), dict(log.unanswered)) == before
