"""Answers of an automatic annotator that a person should look at: the least likely ones, and its "unsure"."""

from collections.abc import Collection

from sameornot._types import Answer, Pair
from sameornot.service.events import Shown
from sameornot.service.seats import is_automatic
from sameornot.service.view import View

# An answer that is less likely than this to be right, given all others, is asked of a person too.
DOUBTFUL = 0.8
# Where the annotator itself was unsure.
UNSURE = 0.5


def doubtful_answer(view: View, person: str, pending: Collection[Pair]) -> Shown | None:
    """The pair that most needs a person's answer, None if no answer of a machine is doubtful.

    `pending` are the pairs that others look at.
    """
    if is_automatic(person) or not any(map(is_automatic, view.log.counts.by_author)):
        return None
    taken = {frozenset(pair) for pair in pending}
    chances = {
        pair: chance
        for pair, chance in _chances(view).items()
        if frozenset(pair) not in taken and all(view.state.has_row(row) for row in pair)
    }
    if not chances:
        return None
    pair = min(chances, key=lambda pair: (round(chances[pair], 6), pair))
    return Shown(pair, view.state.session.relation(*pair) is not None)


def _chances(view: View) -> dict[Pair, float]:
    """How likely each doubtful answer of a machine is to be right, of those that no person gave too."""
    by_people: set[frozenset[int]] = set()
    by_machines: dict[Pair, Answer] = {}
    for entry in view.log.entries:
        for pair, answer in entry.reply.facts:
            if is_automatic(entry.author):
                by_machines[pair] = answer
            else:
                by_people.add(frozenset(pair))
    proba = {frozenset(pair): chance for pair, chance in view.state.session.answer_proba().items()}
    relation = view.state.session.relation
    found: dict[Pair, float] = {}
    for pair, answer in by_machines.items():
        if frozenset(pair) in by_people:
            continue
        if answer is not Answer.UNSURE:
            chance = proba.get(frozenset(pair), 1.0)
        else:
            chance = UNSURE if view.state.has_row(pair.left) and relation(*pair) is None else 1.0
        if chance < DOUBTFUL:
            found[pair] = chance
    return found
