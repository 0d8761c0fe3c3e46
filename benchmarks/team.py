"""Eight people at once: nothing lost, nothing twice, no pair on two screens, and how long each one waits.

Simulated people answer over HTTP, on two servers that share a PostgreSQL database and on one server with an
SQLite file. While they do, a server is killed (`kill -9`) after every 50th answer, and the database once.
Each sends a request again, to whichever server answers, until it is acknowledged. Afterwards the log has to
have each acknowledged answer exactly once, and may never have shown a pair to somebody while somebody else
was looking at it. Every question also goes to a second person, so half of the answers are second opinions.
Nothing is prepared ahead in this run: what has to be right is the same, and it takes half of the time.

Then, without faults, people answer at a pace of one answer in three seconds on average: first one person
alone, then eight. Claim: of the eight, the slowest waits for her next question at most three times as long as
the quickest (medians of each person). Somebody who is alone waits far less, since her next question is
prepared while she reads; of eight people, each one's answer makes most of what was prepared for the others
useless, and fits queue where there is less than a core for them.

    python team.py [--answers 2000] [--only postgres|sqlite]
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from machine import report, table
from sameornot.store import open_store

sys.path.append(str(Path(__file__).parents[1] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
from team_of_people import Chaos, Person, Work, check_log, running_servers, work_together, write_table
from web_client import Browser

from postgres import MISSING, find_programs, running_server

N_PEOPLE, N_ROWS, PER_SESSION, EVERY = 8, 150, 250, 50
PACE, N_TIMED = 3.0, 12  # seconds between answers, and answers of each person that are timed


class Outcome(NamedTuple):
    """What happened in the runs on one store."""

    name: str
    n_answers: int
    n_kills: int
    n_restarts: int
    n_resent: int
    n_second: int
    minutes: float


class Place(NamedTuple):
    """A store: its address, how many servers share it, and how its database is crashed and started again."""

    name: str
    where: str
    n_servers: int
    restart: Callable[[], None] | None


def main() -> None:
    parser = argparse.ArgumentParser(description="Eight people at once.")
    parser.add_argument("--answers", type=int, default=2_000)
    parser.add_argument("--only", choices=["postgres", "sqlite"])
    options = parser.parse_args()
    about = __doc__.partition("\n\n")[2].partition("\n\n    python")[0]
    for name in [options.only] if options.only else ["postgres", "sqlite"]:
        with (
            tempfile.TemporaryDirectory(prefix="sameornot-team-") as folder,
            place(name, Path(folder)) as found,
        ):
            outcome = break_things(found, Path(folder), options.answers)
            waits = time_people(found, Path(folder))
        text = f"{about}\n\n{show_outcomes([outcome])}\n\n{show_waits([waits])}"
        report(f"team_{name}", f"Eight people at once: {found.name}", text, "psycopg")


@contextmanager
def place(name: str, folder: Path) -> Iterator[Place]:
    """An empty store of a kind."""
    if name == "sqlite":
        yield Place("SQLite, one server", str(folder / "sessions.sqlite"), 1, None)
        return
    programs = find_programs()
    if programs is None:
        raise SystemExit(MISSING)
    with running_server(programs) as server:

        def restart() -> None:
            server.kill()
            server.start()

        yield Place("PostgreSQL, two servers", server.url, 2, restart)


def break_things(place: Place, folder: Path, n_answers: int) -> Outcome:
    """Answers on sessions of a table each, while servers are killed and the database crashes once."""
    started, done, kills, restarts, resent, second = time.monotonic(), 0, 0, 0, 0, 0
    while done < n_answers:
        wanted = min(PER_SESSION, n_answers - done)
        path = folder / f"table{done}.csv"
        work = Work(write_table(path, N_ROWS, seed=done), wanted)
        with running_servers(path, place.where, place.n_servers, ahead=False) as servers:
            share_all(servers[0].port)
            # The database crashes in the first session, after half of its answers.
            chaos = Chaos(servers, work, EVERY, None if done else place.restart)
            people = work_together(servers, work, N_PEOPLE, chaos)
            kills += sum(server.n_kills for server in servers)
        events = events_of_latest(place.where)
        check_log(events, work)
        second += sum(bool(event.data.get("second")) for event in events if event.kind == "shown")
        restarts, resent = restarts + chaos.n_restarts, resent + sum(person.n_resent for person in people)
        done += len(work.acknowledged)
        print(f"{place.name}: {done} answers, {kills} kills", flush=True)
    return Outcome(place.name, done, kills, restarts, resent, second, (time.monotonic() - started) / 60)


def time_people(place: Place, folder: Path) -> tuple[str, list[float], list[list[float]]]:
    """The seconds from answer to next question: of one person alone, and of each of eight."""
    found: list[list[Person]] = []
    for n_people in (1, N_PEOPLE):
        path = folder / f"paced{n_people}.csv"
        work = Work(write_table(path, N_ROWS, seed=n_people), N_TIMED * n_people, PACE)
        with running_servers(path, place.where, place.n_servers) as servers:
            found.append(work_together(servers, work, n_people))
    return place.name, found[0][0].times, [person.times for person in found[1]]


def share_all(port: int) -> None:
    """Every question goes to a second person."""
    assert Browser(port).post("overlap", {"share": 1.0}).status == 200


def events_of_latest(where: str) -> list[Any]:
    """The log of the session that was last answered."""
    store = open_store(where)
    events = store.read(store.sessions()[0].session)
    store.close()
    return events


def show_outcomes(outcomes: list[Outcome]) -> str:
    lines = [
        [
            each.name,
            f"{each.n_answers:,}",
            str(each.n_kills),
            str(each.n_restarts),
            str(each.n_resent),
            str(each.n_second),
            "0",
            "0",
            "0",
            f"{each.minutes:.0f}",
        ]
        for each in outcomes
    ]
    heads = ["store", "acknowledged", "kills", "database crashes", "requests sent again", "second opinions"]
    return table([*heads, "lost", "twice", "pairs on two screens", "minutes"], lines)


def show_waits(waits: list[tuple[str, list[float], list[list[float]]]]) -> str:
    lines = []
    for name, alone, together in waits:
        medians = sorted(median(times) for times in together)
        everyone = np.concatenate([np.array(times) for times in together])
        lines.append(
            [
                name,
                ms(median(alone)),
                ms(medians[0]),
                ms(medians[-1]),
                f"{medians[-1] / medians[0]:.1f}",
                f"{medians[-1] / median(alone):.0f}",
                ms(float(np.quantile(everyone, 0.95))),
            ]
        )
    heads = ["store", "alone", "quickest of eight", "slowest of eight", "slowest / quickest"]
    heads += ["slowest / alone", "95% of all answers"]
    return (
        "Seconds from answer to next question (medians of each person, and the 95th percentile):\n\n"
        + table(heads, lines)
    )


def ms(seconds: float) -> str:
    return f"{seconds:.2f}"


if __name__ == "__main__":
    main()
