"""What every store promises: one suite, which each backend passes."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from appenders import Told, append_at_end, append_pairs, check_log, start, told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sameornot.store import Draft, Event, LogGrewError, Store, StoreError, open_store

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
NUMBER = count()


def answered(**data: Any) -> Draft:
    return Draft("ana", "answered", data)


def drafts_of(events: list[Event]) -> list[Draft]:
    return [Draft(event.author, event.kind, event.data) for event in events]


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
drafts = st.builds(Draft, words, words, st.dictionaries(st.text(), values, max_size=3))
batches = st.lists(drafts, max_size=3)


class StoreContract:
    """The promises; a backend says in `where` how an empty store of it is addressed."""

    @pytest.fixture
    def store(self, where: str) -> Iterator[Store]:
        store = open_store(where)
        yield store
        store.close()

    def test_a_new_store_is_empty(self, store: Store) -> None:
        assert store.sessions() == []
        assert store.read("nobody") == []

    def test_events_come_back_in_order_as_append_returned_them(self, store: Store) -> None:
        first = store.append("s", [answered(left=1), answered(left=2)], after=0)
        second = store.append("s", [Draft("bo", "retracted", {"answer": 2})], after=2)
        assert store.read("s") == first + second
        assert [event.seq for event in first + second] == [1, 2, 3]
        assert store.read("s", after=2) == second
        assert store.read("s", after=3) == []

    def test_sessions_do_not_see_each_other(self, store: Store) -> None:
        store.append("a", [answered(of="a")], after=0)
        store.append("A", [answered(of="A")], after=0)
        assert [event.data for event in store.read("a")] == [{"of": "a"}]
        assert [event.data for event in store.read("A")] == [{"of": "A"}]

    def test_the_time_of_an_event_is_now_in_utc(self, store: Store) -> None:
        before = datetime.now(UTC)
        store.append("s", [answered()], after=0)
        [event] = store.read("s")
        assert before <= event.at <= datetime.now(UTC)
        assert event.at.utcoffset() == timedelta(0)

    def test_another_handle_sees_what_was_appended(self, store: Store, where: str) -> None:
        events = store.append("s", [answered(left=1)], after=0)
        other = open_store(where)
        assert other.read("s") == events
        other.close()

    def test_events_are_there_after_closing_and_opening_again(self, where: str) -> None:
        store = open_store(where)
        events = store.append("s", [answered(left=1)], after=0)
        store.close()
        store = open_store(where)
        assert store.read("s") == events
        assert store.append("s", [answered(left=2)], after=1)[0].seq == 2
        store.close()

    def test_appending_behind_an_event_that_is_not_the_last_adds_nothing(self, store: Store) -> None:
        events = store.append("s", [answered(left=1), answered(left=2)], after=0)
        for after in (0, 1, -1):
            with pytest.raises(LogGrewError):
                store.append("s", [answered(left=3)], after=after)
        assert store.read("s") == events

    def test_the_same_drafts_behind_the_same_event_are_stored_once(self, store: Store) -> None:
        events = store.append("s", [answered(left=1)], after=0)
        with pytest.raises(LogGrewError):
            store.append("s", [answered(left=1)], after=0)
        assert store.read("s") == events

    def test_a_log_shorter_than_what_was_read_is_a_problem_not_growth(self, store: Store) -> None:
        with pytest.raises(StoreError, match=r"has 0 events in .* but 4 were read before: the store was"):
            store.append("s", [answered()], after=4)
        assert store.read("s") == []

    def test_no_drafts_add_nothing_but_look_at_the_end(self, store: Store) -> None:
        store.append("s", [answered()], after=0)
        assert store.append("s", [], after=1) == []
        with pytest.raises(LogGrewError):
            store.append("s", [], after=0)
        assert len(store.read("s")) == 1

    @pytest.mark.parametrize(
        ("draft", "message"),
        [
            (answered(seconds=float("nan")), "what JSON can hold"),
            (answered(seconds=float("inf")), "what JSON can hold"),
            (answered(when=datetime(2024, 1, 1)), "datetime is not JSON serializable"),
            (answered(text="x" * 70_000), "takes 70,012 bytes but at most 65,536"),
            (answered(text="名" * 20_000), "takes 120,012 bytes"),
            (Draft("a" * 201, "named", {}), "author has 201 characters but at most 200"),
            (Draft("a\0", "named", {}), "author='a.x00' holds a character that is no text"),
            (Draft("a", "\ud800", {}), "kind='.ud800' holds a character that is no text"),
            (Draft(7, "named", {}), "author=7 but text is needed"),  # type: ignore[arg-type]
        ],
    )
    def test_a_draft_that_cannot_be_stored_stops_its_whole_batch(
        self, store: Store, draft: Draft, message: str
    ) -> None:
        with pytest.raises(ValueError, match=message):
            store.append("s", [answered(left=1), draft], after=0)
        assert store.read("s") == []

    def test_the_largest_draft_is_kept(self, store: Store) -> None:
        text = "x" * (64 * 1024 - len('{"text": ""}'))
        store.append("s", [answered(text=text)], after=0)
        assert store.read("s")[0].data == {"text": text}

    @pytest.mark.parametrize("text", HOSTILE)
    def test_hostile_text_comes_back_as_it_was(self, store: Store, text: str) -> None:
        store.append(text, [Draft(text, text, {text: text, "nul": "\0", "half": "\ud83d"})], after=0)
        [event] = store.read(text)
        assert (event.author, event.kind) == (text, text)
        assert event.data == {text: text, "nul": "\0", "half": "\ud83d"}
        assert [line.session for line in store.sessions()] == [text]

    def test_a_session_that_no_store_can_name_is_refused(self, store: Store) -> None:
        for name in ("\0", "x" * 201):
            with pytest.raises(ValueError, match="session"):
                store.append(name, [answered()], after=0)
            with pytest.raises(ValueError, match="session"):
                store.read(name)

    def test_sessions_are_listed_newest_first_with_their_answers_counted(self, store: Store) -> None:
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

    def test_a_restored_session_has_the_numbers_times_and_authors_of_its_events(self, store: Store) -> None:
        early = datetime(2024, 5, 1, 12, 30, 0, 123456, tzinfo=timezone(timedelta(hours=2)))
        events = [Event(1, early, "ana", "opened", {"n": 1}), Event(2, early, "bö", "answered", {"x": "\0"})]
        store.restore("s", events)
        assert store.read("s") == events
        assert store.append("s", [answered()], after=2)[0].seq == 3
        for again in (events, events[:1]):
            with pytest.raises(LogGrewError):
                store.restore("s", again)
        assert len(store.read("s")) == 3

    def test_a_deleted_session_is_gone_and_its_name_is_free(self, store: Store) -> None:
        store.append("a", [answered(left=1), answered(left=2)], after=0)
        kept = store.append("b", [answered(left=3)], after=0)
        assert store.delete("a") == 2
        assert store.delete("a") == 0
        assert (store.read("a"), store.read("b")) == ([], kept)
        assert [line.session for line in store.sessions()] == ["b"]
        with pytest.raises(StoreError, match="has 0 events in"):  # who had it open is told, and adds nothing
            store.append("a", [answered()], after=2)
        assert store.append("a", [answered()], after=0)[0].seq == 1

    def test_of_threads_that_append_behind_the_same_event_one_wins(self, store: Store) -> None:
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

    def test_threads_lose_nothing_and_store_nothing_twice(self, store: Store) -> None:
        def append(name: int) -> list[Told]:
            acknowledged: list[Told] = []
            for number in range(6):
                text, end = f"{name}.{number}", acknowledged[-1][0] if acknowledged else 0
                [event] = append_at_end(store, "s", [answered(text=text)], end)
                acknowledged.append((event.seq, text))
            return acknowledged

        with ThreadPoolExecutor(5) as pool:
            acknowledged = [told for each in pool.map(append, range(5)) for told in each]
        assert check_log(store, "s", acknowledged) == 30

    def test_processes_lose_nothing_and_store_nothing_twice(self, where: str) -> None:
        """They also meet in making the tables: none of them is there before."""
        started = [start(append_pairs, where, "s", str(name), 5) for name in range(4)]
        acknowledged = [message for _, pipe in started for message in told(pipe)]
        for process, _ in started:
            process.join()
        assert len(acknowledged) == 40
        store = open_store(where)
        assert check_log(store, "s", acknowledged) == 40
        store.close()

    @settings(
        max_examples=25,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
    )
    @given(steps=st.lists(st.tuples(st.sampled_from("ab"), batches, st.integers(-2, 1)), max_size=6))
    def test_a_store_is_a_list_for_each_session(
        self, store: Store, steps: list[tuple[str, list[Draft], int]]
    ) -> None:
        run = next(NUMBER)
        model: dict[str, list[Draft]] = {f"{run}.{name}": [] for name in "ab"}
        for name, batch, offset in steps:
            session = f"{run}.{name}"
            after = len(model[session]) + offset
            if offset:
                with pytest.raises(LogGrewError if offset < 0 else StoreError):
                    store.append(session, batch, after=after)
            else:
                events = store.append(session, batch, after=after)
                assert store.read(session, after) == events
                model[session] += batch
        for session, kept in model.items():
            assert drafts_of(store.read(session)) == kept
        filled = {session for session, kept in model.items() if kept}
        assert {line.session for line in store.sessions()} & set(model) == filled


class TestSqlite(StoreContract):
    @pytest.fixture
    def where(self, tmp_path: Path) -> str:
        return str(tmp_path / "folder" / "that is new" / "sessions.sqlite")


class TestPostgres(StoreContract):
    @pytest.fixture
    def where(self, postgres_url: str) -> str:
        return postgres_url
