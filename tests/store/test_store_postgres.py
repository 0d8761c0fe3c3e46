"""PostgreSQL as a store: connections that break, servers that refuse, and passwords that stay unsaid."""

import sys
import traceback
from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import event

from postgres import PASSWORD, USER, Server, free_port
from sameornot.store import Draft, LogGrewError, StoreError, open_store
from sameornot.store.sql import SqlStore

DRAFT = Draft("ana", "answered", {"left": 1, "right": 2})
SAFE = "what was stored before is safe"
TERMINATE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND {which}"


@pytest.fixture
def store(postgres_url: str) -> Iterator[SqlStore]:
    store = open_store(postgres_url)
    assert isinstance(store, SqlStore)
    yield store
    store.close()


def run(server: Server, *statements: str) -> None:
    """Do as the server's owner does."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def refusal(where: str) -> str:
    """The sentence with which a store does not open; neither it nor the traceback holds the password."""
    with pytest.raises(StoreError) as caught:
        open_store(where)
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))
    return str(caught.value)


def test_a_connection_that_was_dropped_is_replaced(store: SqlStore, postgres_server: Server) -> None:
    store.append("s", [DRAFT], after=0)
    run(postgres_server, TERMINATE.format(which="backend_type = 'client backend'"))
    assert store.append("s", [DRAFT], after=1)[0].seq == 2


def test_a_connection_lost_within_an_append_is_one_sentence_and_adds_nothing(
    store: SqlStore, postgres_server: Server
) -> None:
    def drop(connection: object) -> None:
        run(postgres_server, TERMINATE.format(which="state = 'idle in transaction'"))

    event.listen(store._backend.engine, "commit", drop, once=True)
    with pytest.raises(StoreError, match=f"^The database postgres on 127.0.0.1 .*{SAFE}[.]$"):
        store.append("s", [DRAFT, DRAFT], after=0)
    assert store.read("s") == []
    assert len(store.append("s", [DRAFT, DRAFT], after=0)) == 2


def test_a_commit_whose_reply_was_lost_shows_itself_when_repeated(store: SqlStore, postgres_url: str) -> None:
    """The caller's way out when it cannot know: the same drafts behind the same event."""
    other = open_store(postgres_url)  # stands for the server, which got the commit before the line broke
    events = other.append("s", [DRAFT], after=0)
    other.close()
    with pytest.raises(LogGrewError):
        store.append("s", [DRAFT], after=0)
    assert store.read("s", after=0) == events


def test_a_wrong_password_is_refused_without_saying_it(postgres_server: Server) -> None:
    where = postgres_server.url_of("wrong and secret")
    sentence = refusal(where)
    assert f'(password authentication failed for user "{USER}")' in sentence
    assert "secret" not in sentence


def test_a_database_that_does_not_exist(postgres_server: Server) -> None:
    sentence = refusal(postgres_server.url.removesuffix("postgres") + "nowhere")
    assert sentence.startswith('The database nowhere on 127.0.0.1 cannot be reached (database "nowhere" does')


def test_nobody_listening() -> None:
    sentence = refusal(f"postgresql://ana:hidden@127.0.0.1:{free_port()}/team?connect_timeout=5")
    assert sentence.startswith("The database team on 127.0.0.1 cannot be reached (")
    assert sentence.endswith(f"check that it is up and its address right; {SAFE}.")
    assert "hidden" not in sentence


@pytest.mark.parametrize(
    "rest",
    ["hid/den@host:x/team", "hidden@host:x/", "h@hid/den@host/team", "h@hid@host/team", "h@h?hid@host/team"],
)
def test_an_address_that_cannot_be_read_is_not_repeated(rest: str) -> None:
    sentence = refusal(f"postgresql://ana:{rest}")
    assert sentence.startswith("The address of the store cannot be read: write postgresql://user:password@")
    assert "hid" not in sentence


def test_another_kind_of_server_is_refused_without_its_password() -> None:
    assert refusal("mysql://ana:hidden@host/team") == (
        "A store at mysql:// is not known: use postgresql:// or the path of a file."
    )


def test_without_psycopg_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    sentence = refusal("postgresql://ana:hidden@127.0.0.1/team")
    assert sentence.startswith("A PostgreSQL store needs psycopg (")
    assert sentence.endswith("pip install 'sameornot[postgres]'.")


def test_a_store_of_a_newer_version_is_refused(postgres_url: str) -> None:
    open_store(postgres_url).close()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("UPDATE sameornot_store SET format = 2")
    assert refusal(postgres_url).startswith(
        "A newer version of sameornot made the database postgres on 127.0.0.1 (its format is 2, not 1): "
    )


def test_a_user_without_the_right_to_make_tables(postgres_server: Server) -> None:
    run(
        postgres_server,
        f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}'",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    )
    sentence = refusal(postgres_server.url.replace(USER, "guest", 1))
    assert "does not let this user make or use tables (permission denied for schema public)" in sentence


def test_a_database_that_takes_no_writes(store: SqlStore, postgres_url: str) -> None:
    events = store.append("s", [DRAFT], after=0)
    reader = open_store(f"{postgres_url}%20-cdefault_transaction_read_only%3Don")
    assert reader.read("s") == events
    with pytest.raises(StoreError, match="takes no writes at present"):
        reader.append("s", [DRAFT], after=1)
    reader.close()


@pytest.mark.parametrize(
    ("given", "used"), [("off", "on"), ("local", "local"), ("remote_apply", "remote_apply")]
)
def test_a_commit_waits_for_the_disk_whatever_the_server_was_told(
    postgres_url: str, given: str, used: str
) -> None:
    store = open_store(f"{postgres_url}%20-csynchronous_commit%3D{given}")
    assert isinstance(store, SqlStore)
    with store._backend.engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == used
    store.close()


def test_a_log_held_by_another_client_is_a_problem_after_a_while(postgres_url: str) -> None:
    store = open_store(postgres_url, wait=0.05)
    with psycopg.connect(postgres_url) as other:
        other.execute("INSERT INTO sameornot_events VALUES ('s', 1, '', '', '', '{}')")
        with pytest.raises(StoreError, match=r"^Another program has been writing to the database postgres"):
            store.append("s", [DRAFT], after=0)
        other.rollback()
    assert store.append("s", [DRAFT], after=0)[0].seq == 1
    store.close()


def test_tables_of_other_programs_do_not_matter(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE events (name TEXT)")
    store = open_store(postgres_url)
    assert store.append("s", [DRAFT], after=0)[0].seq == 1
    store.close()
