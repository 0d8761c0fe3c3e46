"""What every store promises, in one process."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Any

from sameornot.store import Draft, Event, LogGrewError, Store, StoreError
from sameornot.testing._check import Check, assert_refuses, promise_of

Place = Callable[[], Store]
"""Opens a store: each call gives another handle on the same events."""

HOSTILE = [
    "'; DROP TABLE sameornot_events; --",
    "<script>alert(1)</script>",
    "=HYPERLINK(1)",
    "Zoë Ünïcödé 名前 🙂 e\u0301 \u202e right to left",
    "%s %(x)s :name ? {curly} \\ \" '",
    "line\nbreak\ttab\r",
    " spaces ",
    "",
]

REFUSED: list[tuple[Any, str]] = [
    ({"seconds": float("nan")}, "what JSON can hold"),
    ({"seconds": float("inf")}, "what JSON can hold"),
    ({"when": datetime(2024, 1, 1)}, "datetime is not JSON serializable"),
    ({"text": "x" * 70_000}, "takes 70,012 bytes but at most 65,536"),
    ({"text": "名" * 20_000}, "takes 120,012 bytes"),
    (Draft("a" * 201, "named", {}), "author has 201 characters but at most 200"),
    (Draft("a\0", "named", {}), "author='a"),
    (Draft("a", "\ud800", {}), "holds a character that is no text"),
    (Draft(7, "named", {}), "author=7 but text is needed"),  # type: ignore[arg-type]
]


def store_checks(new_place: Callable[[], Place]) -> Iterator[Check]:
    """The checks of `check_store`, one promise each, each in a new place."""

    def run(function: Callable[..., None], *arguments: Any) -> None:
        place = new_place()
        store = place()
        try:
            function(store, place, *arguments)
        finally:
            store.close()

    for function in CHECKS:
        yield Check("store", promise_of(function), partial(run, function))
    for number, text in enumerate(HOSTILE):
        hostile = check_hostile_text_comes_back_as_it_was
        yield Check("store", promise_of(hostile), partial(run, hostile, text), f"text {number}")
    for data, message in REFUSED:
        refused = check_a_draft_that_cannot_be_stored_stops_its_whole_batch
        draft = data if isinstance(data, Draft) else answered(**data)
        yield Check("store", promise_of(refused), partial(run, refused, draft, message), message)


def answered(**data: Any) -> Draft:
    """An answer of Ana's."""
    return Draft("ana", "answered", data)


def append_at_end(store: Store, session: str, drafts: list[Draft], end: int) -> list[Event]:
    """Append behind the last event, which is number `end` or one that others have added since."""
    while True:
        try:
            return store.append(session, drafts, after=end)
        except LogGrewError:
            end = store.read(session)[-1].seq


def check_log(store: Store, session: str, acknowledged: list[tuple[int, str]]) -> int:
    """Assert that every acknowledged event is there, none is twice, and no number is left out; count all."""
    events = store.read(session)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    texts = {event.seq: event.data["text"] for event in events}
    assert len(set(texts.values())) == len(texts)
    assert [(seq, texts.get(seq)) for seq, _ in acknowledged] == acknowledged
    return len(events)


def is_refused(
    store: Store, error: type[Exception], drafts: list[Draft], after: int, message: str = ""
) -> None:
    """Assert that an append raises an error whose message holds some words."""
    assert_refuses(error, message, lambda: store.append("s", drafts, after=after))


# --- the log --------------------------------------------------------------------------------------------


def check_a_new_store_is_empty(store: Store, place: Place) -> None:
    """It has no session, and an unknown session has no event."""
    assert store.sessions() == []
    assert store.read("nobody") == []


def check_events_come_back_in_order_as_append_returned_them(store: Store, place: Place) -> None:
    """They are numbered 1, 2, 3, …."""
    first = store.append("s", [answered(left=1), answered(left=2)], after=0)
    second = store.append("s", [Draft("bo", "retracted", {"answer": 2})], after=2)
    assert store.read("s") == first + second
    assert [event.seq for event in first + second] == [1, 2, 3]
    assert store.read("s", after=2) == second
    assert store.read("s", after=3) == []


def check_sessions_do_not_see_each_other(store: Store, place: Place) -> None:
    """Not even if only the case of a letter differs."""
    store.append("a", [answered(of="a")], after=0)
    store.append("A", [answered(of="A")], after=0)
    assert [event.data for event in store.read("a")] == [{"of": "a"}]
    assert [event.data for event in store.read("A")] == [{"of": "A"}]


def check_the_time_of_an_event_is_now_in_utc(store: Store, place: Place) -> None:
    """The clock is that of the store."""
    before = datetime.now(UTC)
    store.append("s", [answered()], after=0)
    [event] = store.read("s")
    assert before <= event.at <= store.now() <= datetime.now(UTC)
    assert event.at.utcoffset() == timedelta(0)


def check_another_handle_sees_what_was_appended(store: Store, place: Place) -> None:
    """At once."""
    events = store.append("s", [answered(left=1)], after=0)
    other = place()
    try:
        assert other.read("s") == events
    finally:
        other.close()


def check_events_are_there_after_closing_and_opening_again(store: Store, place: Place) -> None:
    """And the log goes on."""
    events = store.append("s", [answered(left=1)], after=0)
    store.close()
    again = place()
    try:
        assert again.read("s") == events
        assert again.append("s", [answered(left=2)], after=1)[0].seq == 2
    finally:
        again.close()


def check_appending_behind_an_event_that_is_not_the_last_adds_nothing(store: Store, place: Place) -> None:
    """The log has grown since it was read."""
    events = store.append("s", [answered(left=1), answered(left=2)], after=0)
    for after in (0, 1, -1):
        is_refused(store, LogGrewError, [answered(left=3)], after)
    assert store.read("s") == events


def check_the_same_drafts_behind_the_same_event_are_stored_once(store: Store, place: Place) -> None:
    """So that a caller may try again."""
    events = store.append("s", [answered(left=1)], after=0)
    is_refused(store, LogGrewError, [answered(left=1)], 0)
    assert store.read("s") == events


def check_a_log_shorter_than_what_was_read_is_an_error_not_growth(store: Store, place: Place) -> None:
    """The store was replaced."""
    is_refused(store, StoreError, [answered()], 4, "4 were read before")
    assert store.read("s") == []


def check_no_drafts_add_nothing_but_look_at_the_end(store: Store, place: Place) -> None:
    """An empty batch tells whether the log has grown."""
    store.append("s", [answered()], after=0)
    assert store.append("s", [], after=1) == []
    is_refused(store, LogGrewError, [], 0)
    assert len(store.read("s")) == 1


# --- what is stored -------------------------------------------------------------------------------------


def check_the_largest_draft_is_kept(store: Store, place: Place) -> None:
    """64 KiB of JSON."""
    text = "x" * (64 * 1024 - len('{"text": ""}'))
    store.append("s", [answered(text=text)], after=0)
    assert store.read("s")[0].data == {"text": text}


def check_a_draft_that_cannot_be_stored_stops_its_whole_batch(
    store: Store, place: Place, draft: Draft, message: str
) -> None:
    """All or none of the drafts are stored."""
    is_refused(store, ValueError, [answered(left=1), draft], 0, message)
    assert store.read("s") == []


def check_hostile_text_comes_back_as_it_was(store: Store, place: Place, text: str) -> None:
    """As the name of a session, of an author, of a kind, and in the data."""
    store.append(text, [Draft(text, text, {text: text, "nul": "\0", "half": "\ud83d"})], after=0)
    [event] = store.read(text)
    assert (event.author, event.kind) == (text, text)
    assert event.data == {text: text, "nul": "\0", "half": "\ud83d"}
    assert [line.session for line in store.sessions()] == [text]


def check_a_session_that_no_store_can_name_is_refused(store: Store, place: Place) -> None:
    """A NUL character, or more than 200 characters."""
    for name in ("\0", "x" * 201):
        assert_refuses(ValueError, "session", partial(store.append, name, [answered()], after=0))
        assert_refuses(ValueError, "session", partial(store.read, name))


def check_sessions_are_listed_newest_first_with_their_answers_counted(store: Store, place: Place) -> None:
    """A retracted answer does not count."""
    opened = {"title": "Patients", "n_rows": 40}
    store.append("old", [Draft("ana", "opened", opened), answered(), answered()], after=0)
    store.append("bare", [Draft("ana", "introduced", {"name": "Ana"})], after=0)
    store.append("old", [Draft("bo", "retracted", {"answer": 2}), Draft("bo", "shown", {})], after=3)
    old, bare = store.sessions()
    assert (old.session, old.title, old.n_answers, old.opened) == ("old", "Patients", 1, opened)
    assert (bare.session, bare.title, bare.n_answers, bare.opened) == ("bare", "bare", 0, {})
    assert (old.n_events, bare.n_events) == (5, 1)
    assert old.n_bytes > bare.n_bytes > len("introduced")
    events = store.read("old")
    assert (old.began, old.last) == (events[0].at, events[-1].at)
    assert old.last > bare.last


# --- whole sessions -------------------------------------------------------------------------------------


def check_a_restored_session_has_the_numbers_times_and_authors_of_its_events(
    store: Store, place: Place
) -> None:
    """It goes on behind them, and is not restored twice."""
    early = datetime(2024, 5, 1, 12, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
    events = [Event(1, early, "ana", "opened", {"n": 1}), Event(2, early, "bö", "answered", {"x": "\0"})]
    store.restore("s", events)
    assert store.read("s") == events
    assert store.append("s", [answered()], after=2)[0].seq == 3
    for again in (events, events[:1]):
        assert_refuses(LogGrewError, "", partial(store.restore, "s", again))
    assert len(store.read("s")) == 3


def check_a_deleted_session_is_gone_and_its_name_is_free(store: Store, place: Place) -> None:
    """Who had it open is told, and adds nothing."""
    store.append("s", [answered(left=1), answered(left=2)], after=0)
    kept = store.append("b", [answered(left=3)], after=0)
    assert store.delete("s") == 2
    assert store.delete("s") == 0
    assert (store.read("s"), store.read("b")) == ([], kept)
    assert [line.session for line in store.sessions()] == ["b"]
    is_refused(store, StoreError, [answered()], 2, "2 were read before")
    assert store.append("s", [answered()], after=0)[0].seq == 1


# --- threads --------------------------------------------------------------------------------------------


def check_of_threads_that_append_behind_the_same_event_one_wins(store: Store, place: Place) -> None:
    """And its batch is stored whole."""
    n_threads = 8
    at_once = threading.Barrier(n_threads)

    def append(name: int) -> bool:
        at_once.wait()
        try:
            store.append("s", [answered(name=name), answered(name=name)], after=0)
        except LogGrewError:
            return False
        return True

    with ThreadPoolExecutor(n_threads) as pool:
        won = list(pool.map(append, range(n_threads)))
    assert [event.data["name"] for event in store.read("s")] == [won.index(True)] * 2
    assert won.count(True) == 1


def check_threads_lose_nothing_and_store_nothing_twice(store: Store, place: Place) -> None:
    """Each tries again behind what the others have added."""

    def append(name: int) -> list[tuple[int, str]]:
        acknowledged: list[tuple[int, str]] = []
        for number in range(6):
            text, end = f"{name}.{number}", acknowledged[-1][0] if acknowledged else 0
            [event] = append_at_end(store, "s", [answered(text=text)], end)
            acknowledged.append((event.seq, text))
        return acknowledged

    with ThreadPoolExecutor(5) as pool:
        found = [told for each in pool.map(append, range(5)) for told in each]
    assert check_log(store, "s", found) == 30


CHECKS: tuple[Callable[..., None], ...] = (
    check_a_new_store_is_empty,
    check_events_come_back_in_order_as_append_returned_them,
    check_sessions_do_not_see_each_other,
    check_the_time_of_an_event_is_now_in_utc,
    check_another_handle_sees_what_was_appended,
    check_events_are_there_after_closing_and_opening_again,
    check_appending_behind_an_event_that_is_not_the_last_adds_nothing,
    check_the_same_drafts_behind_the_same_event_are_stored_once,
    check_a_log_shorter_than_what_was_read_is_an_error_not_growth,
    check_no_drafts_add_nothing_but_look_at_the_end,
    check_the_largest_draft_is_kept,
    check_a_session_that_no_store_can_name_is_refused,
    check_sessions_are_listed_newest_first_with_their_answers_counted,
    check_a_restored_session_has_the_numbers_times_and_authors_of_its_events,
    check_a_deleted_session_is_gone_and_its_name_is_free,
    check_of_threads_that_append_behind_the_same_event_one_wins,
    check_threads_lose_nothing_and_store_nothing_twice,
)
