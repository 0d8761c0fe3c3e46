"""The answers of a session as labelled pairs, in the formats that `--pairs` reads.

csv: id, id, answer. splink: its table of labels, with a score of 1 or 0. dedupe: its training file, with the
whole records.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from sameornot._types import Answer, Fact
from sameornot.export.atomic import atomic_replace
from sameornot.export.spreadsheet import write_csv
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableError, display


def answered_pairs(snapshot: Snapshot) -> list[Fact]:
    """Every pair that an answer implies, the last answer to each."""
    facts = {
        frozenset(pair): (pair, answer) for given in snapshot.answers for pair, answer in given.reply.facts
    }
    return list(facts.values())


def write_pairs(snapshot: Snapshot, out: Path, form: str | None = None) -> int:
    """Write the pairs of a session to a file; returns how many there are.

    Without a `form` ("csv", "splink" or "dedupe"), a .json file is for dedupe and any other is csv.
    """
    chosen = form or ("dedupe" if out.suffix.lower() == ".json" else "csv")
    if chosen not in FORMS:
        raise TableError(f"the format of the pairs is {chosen!r} but one of {', '.join(FORMS)} is needed")
    pairs = answered_pairs(snapshot)
    with atomic_replace(out) as temporary:
        temporary.write_text(FORMS[chosen](snapshot, pairs), encoding="utf-8")
    return len(pairs)


def _csv(snapshot: Snapshot, pairs: list[Fact]) -> str:
    lefts, rights = _names(snapshot, pairs)
    answers = [answer.value for _, answer in pairs]
    return write_csv(pd.DataFrame({"left": lefts, "right": rights, "answer": answers}))


def _splink(snapshot: Snapshot, pairs: list[Fact]) -> str:
    known = [fact for fact in pairs if fact[1] is not Answer.UNSURE]
    lefts, rights = _names(snapshot, known)
    scores = [float(answer is Answer.SAME) for _, answer in known]
    columns = {"unique_id_l": lefts, "unique_id_r": rights, "clerical_match_score": scores}
    return write_csv(pd.DataFrame(columns))


def _dedupe(snapshot: Snapshot, pairs: list[Fact]) -> str:
    found: dict[str, list[Any]] = {"distinct": [], "match": []}
    for (left, right), answer in pairs:
        if answer is not Answer.UNSURE:
            both = [_record(snapshot, row) for row in (left, right)]
            key = "match" if answer is Answer.SAME else "distinct"
            found[key].append({"__class__": "tuple", "__value__": both})
    return json.dumps(found, ensure_ascii=False, indent=1)


def _names(snapshot: Snapshot, pairs: list[Fact]) -> tuple[list[str], list[str]]:
    return snapshot.names([pair.left for pair, _ in pairs]), snapshot.names([pair.right for pair, _ in pairs])


def _record(snapshot: Snapshot, row: int) -> dict[str, str | None]:
    frame = snapshot.table.frame
    return {name: display(snapshot.table.cell(row, name)) or None for name in frame.columns}


FORMS: dict[str, Callable[[Snapshot, list[Fact]], str]] = {"csv": _csv, "splink": _splink, "dedupe": _dedupe}
