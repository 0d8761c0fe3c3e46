"""Malformed requests, odd tables and damaged files, many more than the tests try.

Claims: no request is answered by an internal error, changes anything without the right to it, or hangs; each
table and file works or is refused in one sentence.

    python robustness.py [REQUESTS] [TABLES] [MODELS] [SESSIONS]     # by default 10000 400 600 200
"""

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import perf_counter

from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded

from machine import report, table

sys.path.append(str(Path(__file__).parents[1] / "tests"))
sys.path.append(str(Path(__file__).parents[1] / "tests" / "web"))
import hostile as requests
from test_hostile_requests import TOKEN, WRONG, Target, check
from web_client import serving

import odd_files
from sameornot.export import Model
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from test_damaged_files import TABLE

SETTINGS = settings(deadline=None, database=None, suppress_health_check=list(HealthCheck))
N_A_SESSION = 500
DEFAULTS = (10_000, 400, 600, 200)


def main() -> None:
    warnings.simplefilter("error")
    given_sizes = [int(argument) for argument in sys.argv[1:]]
    n_requests, n_tables, n_models, n_sessions = (*given_sizes, *DEFAULTS[len(given_sizes) :])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, store = make_session(folder)
        attempts: dict[str, tuple[int, Callable[[int, Path], str]]] = {
            "odd tables": (n_tables, odd_files.try_table),
            "damaged models": (n_models, lambda seed, at: odd_files.try_model(seed, at, model, TABLE)),
            "damaged sessions": (n_sessions, lambda seed, at: odd_files.try_session(seed, at, store, TABLE)),
        }
        lines = [send_requests(n_requests, folder)]
        lines += [try_all(what, n, attempt, folder) for what, (n, attempt) in attempts.items()]
    names = ["what", "tried", "works", "one sentence", "no change", "faults", "slowest (s)"]
    body = [[_text(line.get(name, "")) for name in names] for line in lines]
    report("robustness", "Malformed requests, odd tables and damaged files", table(names, body))


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def make_session(folder: Path) -> tuple[str, bytes]:
    """The model and the store of a small session."""
    path = folder / "made.sqlite"
    service = LabellingService.open(
        open_store(path), TABLE, title="t", options=Options(clusters=2), ahead=False
    )
    odd_files.use(service)
    model = Model.from_snapshot(service.snapshot()).dumps()
    service.close()
    return model, path.read_bytes()


def send_requests(n_requests: int, folder: Path) -> dict[str, object]:
    """Send generated requests; any that is not answered as it should be ends the program."""
    n_sent, n_unchanged, slowest = 0, 0, 0.0
    for start in range(0, n_requests, N_A_SESSION):  # sessions of bounded length
        with tempfile.TemporaryDirectory(dir=folder) as place:
            more = send_to_one(min(N_A_SESSION, n_requests - start), start, Path(place))
        n_sent, n_unchanged, slowest = n_sent + more[0], n_unchanged + more[1], max(slowest, more[2])
        print(f"{n_sent} requests, slowest {slowest:.2f} s", flush=True)
    return {
        "what": "requests",
        "tried": n_sent,
        "no change": n_unchanged,
        "faults": 0,
        "slowest (s)": slowest,
    }


def send_to_one(n_requests: int, at: int, folder: Path) -> tuple[int, int, float]:
    """Send requests to a page of their own: how many, how many changed nothing, and the slowest response."""
    target, times, n_refused = Target(folder), [0.0], 0
    token = target.service.invite("owner", "Ana", "annotate")["token"]
    with serving(target.service, token=TOKEN) as server:
        tokens = {"owner": TOKEN, "link": token, "wrong token": WRONG}
        with closing(requests.Sender(server.port, tokens)) as sender:

            @seeded(at)
            @settings(SETTINGS, max_examples=n_requests)
            @given(request=requests.requests())
            def send(request: requests.Hostile) -> None:
                nonlocal n_refused
                before, began = target.events(), perf_counter()
                after = check(target, sender, request, before)
                times.append(perf_counter() - began)
                n_refused += len(after) == len(before)

            send()
    target.service.close()
    target.reader.close()
    return len(times) - 1, n_refused, max(times)


def try_all(what: str, n: int, attempt: Callable[[int, Path], str], folder: Path) -> dict[str, object]:
    """Try seeds 0, 1, …; what is not one sentence is printed and counted."""
    said, slowest, faults = Counter[bool](), 0.0, 0
    for seed in range(n):
        began = perf_counter()
        with tempfile.TemporaryDirectory(dir=folder) as place:
            try:
                sentence = attempt(seed, Path(place))
            except Exception as error:
                print(f"{what}, seed {seed}: {type(error).__name__}: {error}")
                faults += 1
                continue
        slowest = max(slowest, perf_counter() - began)
        said[sentence == ""] += 1
    counts = {"works": said[True], "one sentence": said[False], "faults": faults}
    return {"what": what, "tried": n, **counts, "slowest (s)": slowest}


if __name__ == "__main__":
    main()
