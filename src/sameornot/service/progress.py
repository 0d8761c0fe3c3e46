"""How far the work is: questions, groups, how much the grouping still moves, pace, and who is here."""

import threading
from datetime import datetime
from functools import partial
from itertools import takewhile
from statistics import median
from typing import Any

import numpy as np

from sameornot._types import Answer
from sameornot.cluster import Agreement
from sameornot.service.keeper import Case, Keeper, asked_again
from sameornot.service.log import Entry, Log
from sameornot.service.standing import Standing, share_moved

# The grouping is compared with the one this many answers ago, and drawn for that many answers at most.
WINDOW = 10
N_DRAWN = 60
# Who has this share of the rows right, nine times in ten or more often, can stop.
ENOUGH = 0.9
# Fewer answers than this say too little, however still the grouping is.
N_AT_LEAST = 20
# A pause is not a pace: answers that took longer are left out.
LONGEST = 120.0


class Trail:
    """The grouping after each answer, along the answers that hold now."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._case = Case(None, ())
        self._labels: dict[int, np.ndarray] = {}
        self._lock = threading.Lock()

    def moves(self, case: Case, labels: np.ndarray) -> list[tuple[int, float]]:
        """(answers, share of rows that changed group over the ten before); `labels` are those of now."""
        with self._lock:
            self._turn_to(case)
            n_answers = len(case.replies)
            self._labels[n_answers] = labels
            if n_answers >= WINDOW and n_answers - WINDOW not in self._labels:
                self._labels[n_answers - WINDOW] = self._keeper.labels(case.before(WINDOW))
            return [
                (n, share_moved(self._labels[n - WINDOW], self._labels[n]))
                for n in range(max(WINDOW, n_answers - N_DRAWN), n_answers + 1)
                if n in self._labels and n - WINDOW in self._labels
            ]

    def recall(self, case: Case, back: int = 1) -> None:
        """Work out the groupings after earlier answers, one at a time, the latest first.

        For a session that is taken up, or changed far back: else the line of moves would begin anew.
        """
        n = len(case.replies) - back
        with self._lock:
            # Once it has gone on, what is still missing will soon be drawn no longer.
            if n < 0 or back > N_DRAWN + WINDOW or self._case != case:
                return
            is_known = n in self._labels
        if not is_known:
            labels = self._keeper.labels(case.before(back))
            with self._lock:
                if self._case == case:
                    self._labels[n] = labels
        self._keeper.do_later(partial(self.recall, case, back + 1))

    def _turn_to(self, case: Case) -> None:
        """Forget what was known about answers that no longer hold."""
        shared = 0
        if case.clusters == self._case.clusters:
            pairs = zip(case.replies, self._case.replies, strict=False)
            shared = sum(1 for _ in takewhile(lambda both: both[0] == both[1], pairs))
        self._labels = {n: labels for n, labels in self._labels.items() if n <= shared}
        self._case = case


def describe_progress(
    log: Log, standing: Standing, moves: list[tuple[int, float]], person: str, budget: int, now: datetime
) -> dict[str, Any]:
    """All that is always in sight of a person."""
    asked = len(log.entries)
    moved = moves[-1][1] if asked >= WINDOW else None
    found = len(standing.result.neighbourhoods)
    agreement = standing.result.agreement
    can_stop = _can_stop(log, agreement, found)
    repeats, held = _repeats(log)
    each = _pace(log.entries, person)
    return {
        "asked": asked,
        "unsure": sum(entry.answer is Answer.UNSURE for entry in log.entries),
        "budget": budget,
        "groups": found,
        "clusters": log.clusters,
        "moved": moved,
        "moves": [list(move) for move in moves],
        "can_stop": can_stop,
        "agreement": None if agreement is None else agreement._asdict(),
        "hint": _hint(log, agreement, found, can_stop),
        "repeats": repeats,
        "held": held,
        "seconds_each": each,
        "seconds_left": None if each is None else each * max(0, budget - asked),
        "people": _people(log, person, now),
        "placed": sum(len(members) for members in standing.result.neighbourhoods),
        "rows": log.opened["n_rows"],
        "can_undo": log.last_of(person, now) is not None,
    }


def _can_stop(log: Log, agreement: Agreement | None, found: int) -> bool:
    sure = sum(entry.answer is not Answer.UNSURE for entry in log.entries)
    all_found = found >= 2 if log.clusters is None else found >= log.clusters
    return agreement is not None and agreement.low >= ENOUGH and sure >= N_AT_LEAST and all_found


def _hint(log: Log, agreement: Agreement | None, found: int, can_stop: bool) -> str:
    if agreement is None or len(log.entries) < WINDOW:
        return f"The first {WINDOW} answers say too little to judge the groups by."
    share = (
        f"an estimated {agreement.estimate:.0%} of the rows ({agreement.low:.0%} to {agreement.high:.0%}) "
        "are in the group that you would put them in"
    )
    if can_stop:
        return f"You can stop: {share}."
    if log.clusters is not None and found < log.clusters:
        return f"{log.clusters - found} of {log.clusters} groups are not met yet; {share}."
    return f"{share[0].upper()}{share[1:]}."


def _repeats(log: Log) -> tuple[int, int]:
    """How many questions were asked again, and how many of them were answered as before."""
    repeats = held = 0
    for n, entry in enumerate(log.entries):
        if entry.answer is not Answer.UNSURE and asked_again(log.entries[:n], entry.pair, entry.question):
            earlier = [other.answer for other in log.entries[:n] if set(other.pair) == set(entry.pair)]
            repeats += 1
            held += entry.answer is earlier[0]
    return repeats, held


def _pace(entries: tuple[Entry, ...], person: str) -> float | None:
    mine = [entry.seconds for entry in entries if entry.author == person and entry.seconds is not None]
    recent = [seconds for seconds in mine if seconds <= LONGEST][-WINDOW:]
    return float(median(recent)) if recent else None


def _people(log: Log, person: str, now: datetime) -> list[dict[str, Any]]:
    return [
        {
            "id": number,  # who somebody is for the server is her own secret
            "name": log.people.get(other, ""),
            "answers": sum(entry.author == other for entry in log.entries),
            "looking": other in log.looks,
            "you": other == person,
        }
        for number, other in enumerate(log.seen, start=1)
        if other == person or not log.is_away(other, now)
    ]
