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
    is_known = [frozenset(pair) not in stated for pair, _ in error.chain]
    places = knowledge.behind(error.pair.left, error.chain, is_known)
    if not places:
        return
    names = [knowledge.source(place.source).name for place in places]
    texts = [describe_item(knowledge, place, view.table_view) for place in places]
    payload = conflict.payload
    payload["known"] = [{"source": name, "text": text} for name, text in zip(names, texts, strict=True)]
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
            "label": f"Leave out {name}, {text}",
            "changes": [change.as_json() for change in attempt.changes],
            "said": attempt.answer is not None,
            "disregard": [place._asdict()],
        }
        for place, name, text in list(zip(places, names, texts, strict=True))[:N_ITEMS]
    ]
