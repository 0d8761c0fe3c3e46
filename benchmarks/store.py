"""Storing one answer, beside the least that puts it on disk: a line appended to a file, and fsync.

The three store the same answer in turns, so that all have the same load on the disk. SQLite synchronises its
journal, its file and its folder for each commit; PostgreSQL its log only, and here it runs on the same
machine. Claim: an answer is stored well within the 50 ms from an answer to the next question.
"""

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from machine import report, seconds, table
from sameornot.store import Draft, open_store

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from postgres import MISSING, find_programs, running_server

N_APPENDS = 500
WARM_UP = 20
DATA = {"question": 41, "left": 1_204, "right": 77, "answer": "different", "step": 12, "seconds": 2.41}

Append = Callable[[], object]


def main() -> None:
    programs = find_programs()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        ways = {
            "a line and fsync": stack.enter_context(bare_file(Path(folder) / "answers.jsonl")),
            "SQLite": stack.enter_context(store(str(Path(folder) / "sessions.sqlite"))),
        }
        if programs is None:
            print(MISSING)
        else:
            server = stack.enter_context(running_server(programs))
            ways["PostgreSQL"] = stack.enter_context(store(server.url))
        taken = measure(ways)
    about = __doc__.partition("\n\n")[2].strip()
    text = f"{about}\n\n{N_APPENDS} answers each.\n\n{show(taken)}"
    report("store", "Storing an answer", text, "sqlalchemy", "psycopg")


@contextmanager
def bare_file(path: Path) -> Iterator[Append]:
    with open(path, "ab", buffering=0) as file:

        def append() -> None:
            file.write(json.dumps(DATA).encode() + b"\n")
            os.fsync(file.fileno())

        yield append


@contextmanager
def store(where: str) -> Iterator[Append]:
    opened = open_store(where)
    end = 0

    def append() -> None:
        nonlocal end
        end = opened.append("demo", [Draft("ana", "answered", DATA)], after=end)[-1].seq

    yield append
    opened.close()


def measure(ways: dict[str, Append]) -> dict[str, list[float]]:
    for _ in range(WARM_UP):
        for append in ways.values():
            append()
    turns = [{name: seconds(append) for name, append in ways.items()} for _ in range(N_APPENDS)]
    return {name: [turn[name] for turn in turns] for name in ways}


def show(taken: dict[str, list[float]]) -> str:
    least = statistics.median(taken["a line and fsync"])
    rows = []
    for name, times in taken.items():
        median, late = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        rows.append([name, f"{median * 1e3:.1f}", f"{late * 1e3:.1f}", f"{median / least:.1f}"])
    return table(["store", "median ms", "95 % within ms", "median / fsync"], rows)


if __name__ == "__main__":
    main()
