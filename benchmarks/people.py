"""Several people answer one session at once: how long each waits for the next question.

People are threads that call the service, think for a while, and answer by the truth. Claim: no state is built
from nothing but the first, however many answer; a wait grows with the number of people by no more than the
work of one answer.

    python people.py [ANSWERS] [SECONDS]     # answers in all, and seconds to think: by default 80 and 6
"""

import random
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from functools import wraps
from pathlib import Path
from typing import Any

import pandas as pd

from machine import report, table
from sameornot.datasets import make_gaussian
from sameornot.service import Conflict, LabellingService, Options, state_cache
from sameornot.store import open_store

N_PEOPLE = (1, 2, 4, 8)
N_ROWS, N_CLUSTERS = 300, 3
X, TRUTH = make_gaussian(n_samples=N_ROWS, n_relevant=3, random_state=0)


def main() -> None:
    n_answers = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 6.0
    header = [
        "people",
        "answers",
        "built from nothing",
        "advanced",
        "CPU s an answer",
        "median s",
        "95 % within s",
    ]
    body = [run(n_people, n_answers, seconds) for n_people in N_PEOPLE]
    text = f"{N_ROWS} rows, {seconds:g} s to think.\n\n{table(header, body)}"
    report("people", "Several people at once", text)


def run(n_people: int, n_answers: int, seconds: float) -> list[str]:
    """One line: a session with so many people."""
    made = count_states()
    left = threading.Semaphore(n_answers)
    waits: list[list[float]] = [[] for _ in range(n_people)]
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "s.sqlite")
        options = Options(clusters=N_CLUSTERS)
        with closing(LabellingService.open(store, pd.DataFrame(X), title="t", options=options)) as service:
            people = [
                threading.Thread(target=answer, args=(service, n, seconds, left, waits[n]))
                for n in range(n_people)
            ]
            began = time.process_time()
            for person in people:
                person.start()
            for person in people:
                person.join()
            cpu = time.process_time() - began
    every = sorted(wait for own in waits for wait in own)
    numbers = [cpu / len(every), statistics.median(every), every[int(0.95 * len(every))]]
    counts = [n_people, len(every), made["replay"], made["advance"]]
    return [*map(str, counts), *(f"{number:.2f}" for number in numbers)]


def answer(
    service: LabellingService, n: int, seconds: float, left: threading.Semaphore, waits: list[float]
) -> None:
    """One person: answers until there are enough answers, or nothing is left to ask."""
    person, rng = f"person-{n:012d}", random.Random(n)
    step = service.state(person)
    while left.acquire(blocking=False) and step["question"] is not None:
        time.sleep(seconds * rng.uniform(0.5, 1.5))
        began = time.perf_counter()
        step = send(service, person, step["question"])
        waits.append(time.perf_counter() - began)


def send(service: LabellingService, person: str, question: dict[str, Any]) -> dict[str, Any]:
    """Answer a question by the truth; the next step."""
    kind = TRUTH[question["left"]["row"]]
    try:
        if "choice" in question:
            same = [each["row"] for each in question["choice"] if TRUTH[each["row"]] == kind]
            said, chosen = ("same", same[0]) if same else ("different", None)
            return service.choose(person, question["id"], said, chosen, 1.0)
        said = "same" if TRUTH[question["right"]["row"]] == kind else "different"
        return service.answer(person, question["id"], said, 1.0)
    except Conflict:
        return service.state(person)


def count_states() -> Counter[str]:
    """Count from here on how states are made."""
    counts: Counter[str] = Counter()

    def counting(name: str) -> None:
        original = getattr(state_cache, name)
        original = getattr(original, "__wrapped__", original)

        @wraps(original)
        def counted(*given: Any, **more: Any) -> Any:
            counts[name] += 1
            return original(*given, **more)

        setattr(state_cache, name, counted)

    counting("replay")
    counting("advance")
    return counts


if __name__ == "__main__":
    main()
