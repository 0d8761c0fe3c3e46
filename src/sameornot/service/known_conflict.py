"""An answer that contradicts what was known before: which items, and the way out to leave them out."""

from sameornot.constraints import Contradiction
from sameornot.service.conflict import Attempt
from sameornot.service.errors import Conflict
from sameornot.service.known_lines import describe_item
from sameornot.service.view import View

# Items that can be left out as the way out of one conflict.
N_ITEMS = 8


def add_known(conflict: Conflict, error: Contradiction, attempt: Attempt, view: View) -> None:
    """Add what was known before and takes part in a contradiction, with an option to leave out each item."""
    knowledge = view.log.knowledge
    if not knowledge.sources:
        return
    stated = {frozenset(part.pair) for entry in attempt.entries for part in entry.parts}
    places = knowledge.behind([fact for fact in error.chain if frozenset(fact[0]) not in stated])
    if not places:
        return
    texts = [
        f"{knowledge.source(place.source).name}: {describe_item(knowledge, place, view.table_view)}"
        for place in places
    ]
    payload = conflict.payload
    payload["known"] = texts
    said = (
        "With this change, not all can be true"
        if attempt.answer is None
        else (
            f"“{attempt.answer.answer.value.capitalize()}” cannot be true together with what was known before"
        )
    )
    payload["sentence"] = f"{said}. Which is wrong?"
    payload["options"] += [
        {
            "label": f"Leave out {text}",
            "changes": [change.as_json() for change in attempt.changes],
            "said": attempt.answer is not None,
            "disregard": [place._asdict()],
        }
        for place, text in list(zip(places, texts, strict=True))[:N_ITEMS]
    ]
