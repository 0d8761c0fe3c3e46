"""Eight people on servers that are killed: each acknowledged answer once, no pair on two screens.

The run of 2,000 answers is `benchmarks/team.py`.
"""

import pytest
from team_of_people import Chaos, Work, check_log, running_servers, shared_screens, work_together, write_table
from web_client import Browser

from postgres import MISSING, find_programs, running_server
from sameornot.store import Event, open_store

N_PEOPLE, N_ANSWERS, EVERY = 8, 32, 8


@pytest.fixture
def own_postgres():
    """A server of this test alone: it is restarted."""
    programs = find_programs()
    if programs is None:
        pytest.skip(MISSING)
    with running_server(programs) as server:
        yield server


def run(where, folder, n_servers, restart=None):
    """Work on a small table with every question asked twice; returns the log and who broke what."""
    kinds = write_table(folder / "table.csv", 60, seed=0)
    work = Work(kinds, N_ANSWERS, n_people=N_PEOPLE)
    with running_servers(folder / "table.csv", where, n_servers) as servers:
        Browser(servers[0].port).post("overlap", {"share": 1.0})
        chaos = Chaos(servers, work, EVERY, restart)
        work_together(servers, work, N_PEOPLE, chaos)
        n_kills = sum(server.n_kills for server in servers)
    assert work.is_done
    store = open_store(where)
    events = store.read(store.sessions()[0].session)
    store.close()
    check_log(events, work)
    assert any(event.data.get("second") for event in events)
    return n_kills, chaos.n_restarts


@pytest.mark.slow
def test_eight_people_on_two_servers_and_a_database_that_is_restarted(own_postgres, tmp_path):
    def restart():
        own_postgres.kill()
        own_postgres.start()

    n_kills, n_restarts = run(own_postgres.url, tmp_path, 2, restart)
    assert (n_kills >= 2, n_restarts) == (True, 1)


@pytest.mark.slow
def test_eight_people_on_one_server_and_a_file(tmp_path):
    n_kills, _ = run(str(tmp_path / "sessions.sqlite"), tmp_path, 1)
    assert n_kills >= 2


def test_a_pair_on_two_screens_would_be_found():
    def event(seq, author, kind, **data):
        return Event(seq, None, author, kind, data)

    shown = [event(1, "ana", "shown", left=1, right=2), event(2, "ben", "shown", left=2, right=1)]
    assert shared_screens(shown) == [2]
    assert shared_screens([shown[0], event(2, "ana", "answered", question=1), shown[1]]) == []
    assert shared_screens([shown[0], event(2, "ana", "left"), shown[1]]) == []
