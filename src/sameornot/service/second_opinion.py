"""Second opinions: a share of the questions, drawn at random, is asked of a second person."""

from collections.abc import Collection

import numpy as np

from sameornot._types import Answer, Pair
from sameornot.service.events import Shown
from sameornot.service.log import Log
from sameornot.service.view import View


def second_opinion(view: View, person: str, pending: Collection[Pair]) -> Shown | None:
    """A question for this person that one other person has answered, if one is due.

    `pending` are the pairs that others look at.
    """
    log = view.log
    if not is_due(log) or not any(author != person for author in log.counts.by_author):
        return None
    pairs = [pair for pair in _answered_once(log, person) if _is_free(view, pair, pending)]
    if not pairs:
        return None
    # The same log leads to the same question, and one that is taken away changes few others.
    at = int(np.random.default_rng(len(log.entries)).integers(len(pairs)))
    return Shown(pairs[at], True, is_second=True)


def is_due(log: Log) -> bool:
    """Whether fewer questions than wanted have gone to a second person, those under way included."""
    n_second = sum(entry.is_second for entry in log.entries)
    n_second += sum(lease.is_second for lease in log.leases.values())
    return n_second + 1 <= log.overlap * len(log.entries)


def still_wanted(log: Log, person: str, pair: Pair) -> bool:
    """Whether a second opinion that was given out can still be one: the answer may have been taken back."""
    people = {
        entry.author for entry in log.entries for asked, _ in entry.own_reply.facts if set(asked) == set(pair)
    }
    return bool(people) and person not in people


def _answered_once(log: Log, person: str) -> list[Pair]:
    """Pairs that one person has answered "same" or "different", and not this one."""
    people: dict[frozenset[int], set[str]] = {}
    pairs: dict[frozenset[int], Pair] = {}
    for entry in log.entries:
        for pair, answer in entry.own_reply.facts:
            people.setdefault(frozenset(pair), set()).add(entry.author)
            if answer is not Answer.UNSURE:
                pairs.setdefault(frozenset(pair), pair)
    return [pair for key, pair in pairs.items() if len(people[key]) == 1 and person not in people[key]]


def _is_free(view: View, pair: Pair, pending: Collection[Pair]) -> bool:
    return all(view.state.has_row(row) for row in pair) and all(set(pair) != set(other) for other in pending)
