"""Read what is known already: a column of labels, or a file of pairs.

A file of pairs is a table (CSV, Parquet, XLSX) with two columns of identifiers and one of answers, the
labels table of splink, the answers.csv of an earlier session, or the training file of dedupe (JSON).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sameornot._types import Answer
from sameornot.service.errors import ServiceError
from sameornot.service.events import Learned
from sameornot.service.knowledge import LabelItem, PairItem
from sameornot.table import TableSample, display, read_table
from sameornot.table.errors import listed

# Names of the columns of the two records, and of the answer; else the first three columns are taken.
RECORDS = [
    ("unique_id_l", "unique_id_r"),
    ("left", "right"),
    ("id_l", "id_r"),
    ("id_1", "id_2"),
    ("id1", "id2"),
]
ANSWERS = ("answer", "clerical_match_score", "label", "same", "match", "is_match")
SAME = {"same", "match", "yes", "y", "true", "t", "1"}
DIFFERENT = {"different", "distinct", "no", "n", "false", "f", "0"}
UNSURE = {"unsure", "uncertain", "unknown", "u", ""}


class Line(NamedTuple):
    """A line of a file: what it calls the two records, its answer, and its number."""

    left: Any
    right: Any
    answer: Any
    number: int


class Reading(NamedTuple):
    """What a file says, and the lines of it that could not be used, in sentences."""

    learned: Learned
    notices: list[str]


def read_labels(table: TableSample, column: str) -> Learned:
    """The labels that a column gives some rows; an empty cell and −1 are not known."""
    if column not in table.frame.columns:
        raise ServiceError(
            f"--labels names the column {column!r}, and the table has {listed(list(table.frame.columns))}"
        )
    labels = [display(cell) for cell in table.frame[column]]
    items = [
        LabelItem(row, label)
        for row, label in zip(table.rows.tolist(), labels, strict=True)
        if label not in ("", "-1")
    ]
    if not items:
        raise ServiceError(f"the column {column!r} has no labels: leave --labels out, or fill some cells")
    return Learned(f"column {column}", tuple(items))


def read_pairs(path: Path, table: TableSample, id_column: str | None) -> Reading:
    """The pairs of a file, with the row of each record."""
    if path.suffix.lower() == ".json":
        lines = list(_dedupe_lines(path))
        find = _by_contents(table, lines, path).find
    else:
        lines = list(_table_lines(path))
        find = _by_name(table, id_column).find
    items: list[PairItem] = []
    absent, same_row, unread = [], [], []
    for line in lines:
        answer = _read_answer(line.answer)
        left, right = find(line.left, 0), find(line.right, 0)
        if left is not None and left == right:
            right = find(line.right, 1)
        if answer is None:
            unread.append(f"{line.number} ({display(line.answer)!r})")
        elif left is None or right is None:
            absent.append(f"{line.number} ({_called(line.left if left is None else line.right)})")
        elif left == right:
            same_row.append(str(line.number))
        else:
            items.append(PairItem(left, right, answer, line.number))
    notices = [
        *_left_out(path, absent, "a record that the table does not have"),
        *_left_out(path, same_row, "one record twice"),
        *_left_out(path, unread, "an answer other than same, different or unsure"),
    ]
    if not items:
        why = notices[0] if notices else f"{path.name} has no pairs."
        raise ServiceError(f"{why[:-1]}, and no other line is left: are its identifiers those of --id?")
    return Reading(Learned(path.name, tuple(items)), notices)


def _left_out(path: Path, lines: list[str], what: str) -> list[str]:
    if not lines:
        return []
    verb, noun = ("names", "Line") if len(lines) == 1 else ("name", "Lines")
    return [f"{noun} {listed(lines, at_most=5)} of {path.name} {verb} {what} and had no effect."]


def _table_lines(path: Path) -> Iterator[Line]:
    frame = read_table(path)
    names = {str(name).lower(): name for name in frame.columns}
    left, right = next((pair for pair in RECORDS if set(pair) <= names.keys()), (None, None))
    answer = next((name for name in ANSWERS if name in names), None)
    if left is None or right is None or answer is None:
        if frame.shape[1] < 3:
            raise ServiceError(
                f"{path.name} has the columns {listed(list(frame.columns))}: two of identifiers and one of "
                "answers (same, different or unsure) are needed"
            )
        columns = [frame[name] for name in frame.columns[:3]]
    else:
        columns = [frame[names[name]] for name in (left, right, answer)]
    for number, (one, other, said) in enumerate(zip(*columns, strict=True), start=2):
        yield Line(one, other, said, number)


def _dedupe_lines(path: Path) -> Iterator[Line]:
    try:
        data = json.loads(path.read_text("utf-8"))
        number = 0
        for key, answer in (("match", "same"), ("distinct", "different"), ("uncertain", "unsure")):
            for pair in data.get(key, ()):
                number += 1
                left, right = _untagged(pair)
                yield Line(left, right, answer, number)
    except (OSError, ValueError, TypeError, AttributeError):
        raise ServiceError(
            f"{path.name} is no training file of dedupe: JSON with “match” and “distinct” pairs is needed"
        ) from None


def _untagged(value: Any) -> Any:
    """Dedupe writes tuples as {"__class__": "tuple", "__value__": […]}."""
    return value["__value__"] if isinstance(value, Mapping) and "__value__" in value else value


def _read_answer(cell: Any) -> Answer | None:
    text = display(cell).strip().lower()
    for words, answer in ((SAME, Answer.SAME), (DIFFERENT, Answer.DIFFERENT), (UNSURE, Answer.UNSURE)):
        if text in words:
            return answer
    try:
        score = float(text)
    except ValueError:
        return None
    if not 0 <= score <= 1:
        return None
    return Answer.UNSURE if score == 0.5 else Answer.SAME if score > 0.5 else Answer.DIFFERENT


class _Rows:
    """The rows of a table by what stands for them in a file; `key` makes that of a record."""

    def __init__(self, keys: Iterable[str], rows: Iterable[int], key: Callable[[Any], str]) -> None:
        self._rows: dict[str, list[int]] = {}
        self._key = key
        for known, row in zip(keys, rows, strict=True):
            self._rows.setdefault(known, []).append(row)

    def find(self, record: Any, nth: int) -> int | None:
        """The n-th row that a record may be; the last one if there are fewer."""
        found = self._rows.get(self._key(record), [])
        return found[min(nth, len(found) - 1)] if found else None


def _by_name(table: TableSample, id_column: str | None) -> _Rows:
    names, rows = table.names(table.rows, id_column), table.rows.tolist()
    if id_column is None:  # "row 3" and 3 alike
        names, rows = [*names, *(str(row + 1) for row in rows)], rows + rows
    return _Rows(names, rows, display)


def _by_contents(table: TableSample, lines: list[Line], path: Path) -> _Rows:
    """The rows by their cells in the columns that the records of dedupe have."""
    first = lines[0].left if lines else {}
    columns = [name for name in table.frame.columns if isinstance(first, Mapping) and name in first]
    if lines and not columns:
        raise ServiceError(
            f"the records of {path.name} have no column of the table: give the table of dedupe"
        )
    cells = [[_plain(cell) for cell in table.frame[name]] for name in columns]
    keys = map(json.dumps, zip(*cells, strict=True))
    return _Rows(
        keys, table.rows.tolist(), lambda record: json.dumps([_plain(record.get(c)) for c in columns])
    )


def _plain(cell: Any) -> str:
    return display(_untagged(cell)).strip().lower()


def _called(record: Any) -> str:
    return "by its cells" if isinstance(record, Mapping) else repr(display(record))
