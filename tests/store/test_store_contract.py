"""What every store promises: one suite, which each backend passes (`sameornot.testing.stores`)."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from appenders import append_pairs, start, told
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sameornot.store import Draft, Event, LogGrewError, Store, StoreError, open_store
from sameornot.testing import check_store, store_checks
from sameornot.testing.stores import check_log

NUMBER = count()


def drafts_of(events: list[Event]) -> list[Draft]:
    return [Draft(event.author, event.kind, event.data) for event in events]


words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
leaves = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
drafts = st.builds(Draft, words, words, st.dictionaries(st.text(), values, max_size=3))
batches = st.lists(drafts, max_size=3)


N_CHECKS = len(list(store_checks(lambda: open_store)))


class StoreContract:
    """The promises; a backend says in `where` how an empty store of it is addressed."""

    @pytest.fixture
    def store(self, where: str) -> Iterator[Store]:
        store = open_store(where)
        yield store
        store.close()

    @pytest.mark.parametrize("number", range(N_CHECKS))
    def test_promises(self, where: str, number: int) -> None:
        list(store_checks(lambda: lambda: open_store(where)))[number]()

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


# --- the checks find what is wrong ----------------------------------------------------------------------


class Wrapped:
    """A store that is another one; what it changes is wrong."""

    def __init__(self, path: Path) -> None:
        self.store = open_store(path)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


class Careless(Wrapped):
    """It appends whatever was read."""

    def append(self, session: str, drafts: list[Draft], *, after: int) -> list[Event]:
        return self.store.append(session, drafts, after=len(self.store.read(session)))


class Swallowing(Wrapped):
    """It says nothing of a log that has grown."""

    def append(self, session: str, drafts: list[Draft], *, after: int) -> list[Event]:
        try:
            return self.store.append(session, drafts, after=after)
        except LogGrewError:
            return []


@pytest.mark.parametrize("wrong", [Careless, Swallowing])
def test_a_broken_promise_is_named(wrong: type[Wrapped], tmp_path: Path) -> None:
    number = count()

    def new_place() -> Any:
        path = tmp_path / f"{next(number)}.sqlite"
        return lambda: wrong(path)

    with pytest.raises(AssertionError) as raised:
        check_store(new_place)
    assert raised.value.__notes__ == [
        "in the check 'store: appending behind an event that is not the last adds nothing'"
    ]
