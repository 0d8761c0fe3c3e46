"""What was known before the first question, as the page shows it: sources, items, and what is set aside."""

from typing import Any

from sameornot.service.knowledge import Knowledge, LabelItem, Place
from sameornot.service.table_view import TableView

# Items of a source that are sent; those that were taken out or set aside come in any case.
N_ITEMS = 200
N_NOTED = 5


def describe_item(knowledge: Knowledge, place: Place, table: TableView) -> str:
    """An item in words."""
    item = knowledge.item(place)
    if isinstance(item, LabelItem):
        return f"{table.name(item.row)}: {item.label}"
    return f"line {item.line}, {table.name(item.left)} and {table.name(item.right)}: {item.answer.value}"


def source_lines(knowledge: Knowledge, table: TableView) -> list[dict[str, Any]]:
    """Each source with its items."""
    aside = {known.place: known.others for known in knowledge.set_aside}
    lines = []
    for source in knowledge.sources:
        places = [Place(source.seq, at) for at in range(len(source.items))]
        special = {place for place in places if place in aside or place.at in source.removed}
        shown = [place for place in places if place in special or place.at < N_ITEMS]
        lines.append(
            {
                "source": source.seq,
                "name": source.name,
                "n": len(source.items),
                "removed": sorted(source.removed),
                "n_aside": sum(place in aside for place in places),
                "items": [
                    {
                        "at": place.at,
                        "text": describe_item(knowledge, place, table),
                        "removed": place.at in source.removed,
                        "against": [describe_item(knowledge, o, table) for o in aside.get(place, ())],
                    }
                    for place in shown
                ],
            }
        )
    return lines


def aside_notices(knowledge: Knowledge, table: TableView) -> list[str]:
    """A sentence about the items of each source that contradict others."""
    notices = []
    for source in knowledge.sources:
        aside = [known for known in knowledge.set_aside if known.place.source == source.seq]
        if not aside:
            continue
        parts = [
            f"{describe_item(knowledge, known.place, table)} (against "
            + " and ".join(describe_item(knowledge, other, table) for other in known.others)
            + ")"
            for known in aside[:N_NOTED]
        ]
        more = f" and {len(aside) - N_NOTED:,} more" if len(aside) > N_NOTED else ""
        notices.append(
            f"Of {source.name}, {len(aside):,} of {len(source.items):,} contradict the others and are set "
            f"aside: {'; '.join(parts)}{more}. The history lists them."
        )
    return notices
