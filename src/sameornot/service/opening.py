"""Opening a session: a new one for a table that is new, the one that is there for a table that is not."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sameornot._pool import usual_size
from sameornot.constraints import Contradiction
from sameornot.service.clash import DeskProblem
from sameornot.service.keeper import case_of
from sameornot.service.log import EventError, Limits, Log, is_opening
from sameornot.service.sheet import Sheet
from sameornot.session import TooManyGroups
from sameornot.store import Draft, Event, Grown, SessionLine, Store
from sameornot.table import Excerpt

# Questions that are planned for unless told: for each group, and where their number is not known.
BUDGET_A_GROUP = 30
BUDGET = 100


@dataclass(frozen=True)
class Options:
    """How a table is to be labelled; None is what was not said.

    `id` and `image` name columns, `show` and `ignore` several; `pool` is how many rows questions may be
    about, `seed` which ones, and which questions.
    """

    clusters: int | None = None
    id: str | None = None
    show: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    image: str | None = None
    budget: int | None = None
    seed: int | None = None
    pool: int | None = None

    def over(self, earlier: dict[str, Any]) -> "Options":
        """These options, and the earlier ones where these say nothing."""
        said = {name: value for name, value in asdict(self).items() if value is not None}
        known = {name: earlier[name] for name in asdict(self) if _is_usable(name, earlier.get(name))}
        return Options(**known | said)

    def filled(self, n_rows: int) -> "Options":
        """With what holds for so many rows where nothing was said."""
        budget = BUDGET if self.clusters is None else BUDGET_A_GROUP * self.clusters
        return replace(
            self,
            ignore=list(self.ignore or ()),
            show=None if self.show is None else list(self.show),
            budget=self.budget or budget,
            seed=self.seed or 0,
            pool=self.pool or usual_size(n_rows),
        )

    def check(self, table: Excerpt) -> "Options":
        """Raise a DeskProblem that names the first option that does not fit the table."""
        columns = set(table.frame.columns)
        for option, names in (("id", [self.id]), ("image", [self.image]), ("show", self.show)):
            self._check_columns(option, names or (), columns)
        self._check_columns("ignore", self.ignore or (), columns)
        for option, number in (("clusters", self.clusters), ("budget", self.budget), ("pool", self.pool)):
            if number is not None and number < 1:
                raise DeskProblem(f"{option} is {number} but 1 or more is needed")
        if self.seed is not None and self.seed < 0:
            raise DeskProblem(f"seed is {self.seed} but 0 or more is needed")
        if self.clusters is not None and self.clusters > len(table):
            raise DeskProblem(f"{self.clusters} groups are wanted but the table has {len(table)} rows")
        return self

    @staticmethod
    def _check_columns(option: str, names: Sequence[str | None], columns: set[str]) -> None:
        for name in names:
            if name is not None and name not in columns:
                shown = ", ".join(sorted(columns)[:10]) + (", …" if len(columns) > 10 else "")
                raise DeskProblem(f"{option} names the column {name!r}, and the table has {shown}")


def _is_usable(name: str, value: Any) -> bool:
    """Whether a value on record has the type of its option."""
    if name in ("show", "ignore"):
        return isinstance(value, list) and all(isinstance(column, str) for column in value)
    return isinstance(value, str if name in ("id", "image") else int) and not isinstance(value, bool)


@dataclass(frozen=True)
class Begun:
    """A session of the store, what is on record about it, and its table."""

    session: str
    opened: dict[str, Any]
    sheet: Sheet


def open_session(
    store: Store,
    table: Excerpt,
    *,
    title: str,
    path: Path | None,
    options: Options,
    new: bool,
    session: str | None = None,
) -> Begun:
    """The table's session, the last one or that of a name; its record is made or renewed."""
    mark = table.mark
    where = None if path is None else str(path)
    lines = [_readable(store, line) for line in store.sessions()]
    earlier = None if new else _find(lines, mark, where, session)
    events: list[Event] = []
    if earlier is None and session is not None:
        raise DeskProblem(f"there is no session {session!r} in the store")
    if earlier is None:
        name, stored = _new_name(title, mark, lines), {}
    else:
        name, stored, events = earlier.session, earlier.opened, store.read(earlier.session)
        if stored.get("fingerprint") != mark:
            raise DeskProblem(
                f"{title} is not the table that session {name} was begun with: give that one, or begin anew "
                "with --new (the earlier answers stay in the store)"
            )
    wanted = options.over({**stored, "clusters": None}).check(table).filled(len(table))
    opened = {"title": title, "path": where, "fingerprint": mark, "n_rows": len(table), **asdict(wanted)}
    sheet = _read_sheet(table, path, opened, events)  # first: what does not work must not be on record
    log = Log(Limits(sheet.position, len(sheet.pool))).take(events)
    opened["clusters"] = _choose_clusters(options, log, sheet)
    stored = {**stored, "clusters": log.clusters} if stored else {}
    if opened != stored:
        try:
            store.append(name, [Draft("", "opened", opened)], after=len(events))
        except Grown:  # somebody else has just opened it, or answered
            return open_session(
                store, table, title=title, path=path, options=options, new=False, session=name
            )
    return Begun(name, opened, sheet)


def _choose_clusters(options: Options, log: Log, sheet: Sheet) -> int | None:
    """The number of groups that is wanted, which the answers have to allow; else the one that holds."""
    if options.clusters is None or options.clusters == log.clusters:
        return log.clusters
    try:
        log.limits.check_clusters(options.clusters)
        replace(case_of(log, sheet), clusters=options.clusters).check(len(sheet.pool))
    except EventError as error:
        raise DeskProblem(str(error)) from None
    except (Contradiction, TooManyGroups):
        raise DeskProblem(
            f"{options.clusters} groups are wanted but the answers of this session tell more apart: give "
            "more, or begin anew with --new (the earlier answers stay in the store)"
        ) from None
    return options.clusters


def _read_sheet(table: Excerpt, path: Path | None, opened: dict[str, Any], events: Sequence[Event]) -> Sheet:
    usable = Log(Limits(range(len(table)), len(table))).take(events)
    named = {"shown": ("left", "right"), "answered": ("left", "right"), "named": ("row",)}
    rows = {
        event.data[key]
        for event in events
        if event.seq not in usable.skipped
        for key in named.get(event.kind, ())
    }
    return Sheet(
        table,
        id_column=opened["id"],
        show=opened["show"],
        ignore=opened["ignore"],
        image=opened["image"],
        folder=None if path is None else path if path.is_dir() else path.parent,
        pool_size=opened["pool"],
        seed=opened["seed"],
        rows=rows,
    )


def _readable(store: Store, line: SessionLine) -> SessionLine:
    """The line with the last "opened" event that can be read, {} if there is none."""
    if not line.opened or is_opening(line.opened):
        return line
    events = store.read(line.session)
    opened = (event.data for event in reversed(events) if event.kind == "opened" and is_opening(event.data))
    return replace(line, opened=next(opened, {}))


def _find(lines: list[SessionLine], mark: str, path: str | None, session: str | None) -> SessionLine | None:
    """The session of a name; else the last one on the same contents, else on the same file."""
    known = [line for line in lines if line.opened]
    if session is not None:
        return next((line for line in known if line.session == session), None)
    same = [line for line in known if line.opened.get("fingerprint") == mark]
    return next(
        iter(same or [line for line in known if path is not None and line.opened.get("path") == path]), None
    )


def _new_name(title: str, mark: str, lines: list[SessionLine]) -> str:
    """A name that can be typed: the table's, and as much of its mark as tells it from the others."""
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "table"
    taken = {line.session for line in lines}
    name, n = f"{stem}-{mark[:4]}", 1
    while name in taken:
        n += 1
        name = f"{stem}-{mark[:4]}-{n}"
    return name
