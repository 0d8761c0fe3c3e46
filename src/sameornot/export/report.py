"""The report: one HTML page that needs nothing else, to be printed, mailed and kept.

What is on the page is gathered here and in `groups.py`; `templates/report.html` says how it looks. Every text
goes through Jinja's escaping. The only markup that is handed over are the drawings, which hold no text of the
table.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sameornot.export.groups import N_VALUES, Standing, group_part, in_order, take_stock
from sameornot.plots.draw import COLOURS
from sameornot.plots.report import draw_moves, draw_report_map, inline_svg
from sameornot.plots.session import learned_map
from sameornot.service.differences import shorten
from sameornot.service.snapshot import Snapshot

if TYPE_CHECKING:
    from jinja2 import Template

# The page stays readable and small enough to mail, whatever the table; it says how much is not shown.
MAX_GROUPS = 24
MAX_COLUMNS = 30
MAX_ANSWERS = 200
MAX_AUTHORS = 8


@dataclass(frozen=True)
class Shown:
    """The first of many things, and how many others there are."""

    items: Sequence[Any]
    n_more: int


@dataclass(frozen=True)
class Asked:
    """What the expert was asked, in numbers and words; `seconds` is the median time that an answer took."""

    n: int
    same: int
    different: int
    unsure: int
    edited: int
    authors: Shown
    first: str
    last: str
    seconds: float | None


def write_report(snapshot: Snapshot) -> str:
    """The page as text."""
    standing = take_stock(snapshot)
    encoder = snapshot.encoder
    labels = in_order(snapshot.groups)
    return read_template().render(
        title=shorten(snapshot.title, 200),
        colours=COLOURS,
        made=in_utc(snapshot.made),
        n_rows=len(snapshot.table),
        n_pool=len(snapshot.pool),
        n_columns=len(encoder.columns),
        clusters=snapshot.clusters,
        asked=count_answers(snapshot),
        placed=int(standing.placed.sum()),
        confirmed=count_confirmed(standing),
        sure=mean_confidence(standing),
        groups=Shown([group_part(standing, m) for m in labels[:MAX_GROUPS]], len(labels[MAX_GROUPS:])),
        value_columns=[shorten(str(name), 40) for name in standing.weights.index[:N_VALUES]],
        weights=weight_lines(standing.weights),
        answers=answer_lines(snapshot),
        reading=first([str(said) for said in snapshot.table.frame.attrs.get("notices", [])], MAX_COLUMNS),
        left_out=first([(shorten(name), reason) for name, reason in encoder.left_out], MAX_COLUMNS),
        filled=first([column for column in encoder.columns if column.n_missing], MAX_COLUMNS),
        **drawings(snapshot),
    )


def read_template() -> "Template":
    """The page's template, with escaping on and nothing undefined let pass."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("sameornot.export"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shorten": shorten, "percent": percent}
    return environment.get_template("report.html")


def drawings(snapshot: Snapshot) -> dict[str, Any]:
    """The larger pictures as markup; None where there is nothing to draw."""
    from markupsafe import Markup

    rows = learned_map(snapshot.X, snapshot.result)
    numbers = [group.number for group in snapshot.groups]
    moves = draw_moves(snapshot.moves) if len(snapshot.moves) > 1 else None
    return {
        "map": Markup(inline_svg(draw_report_map(rows, numbers), "map")),
        "moves": None if moves is None else Markup(inline_svg(moves, "moves")),
        "shares": rows.shares,
    }


def first(items: Sequence[Any], at_most: int) -> Shown:
    """As many as are shown."""
    return Shown(items[:at_most], max(0, len(items) - at_most))


def in_utc(moment: datetime) -> str:
    """A moment for people anywhere."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def percent(share: float | None) -> str:
    """A share for people; only what is all of it is 100%."""
    if share is None:
        return "–"
    return "100%" if share >= 1.0 else f"{min(99, round(100 * share))}%"


def count_answers(snapshot: Snapshot) -> Asked:
    """How many answers of which kind, by whom and when."""
    answers = snapshot.answers
    kinds = Counter(said.answer for said in answers)
    authors = Counter(said.author for said in answers).most_common()
    times = [said.at for said in answers] or [snapshot.made]
    seconds = [said.seconds for said in answers if said.seconds is not None]
    return Asked(
        n=len(answers),
        same=kinds["same"],
        different=kinds["different"],
        unsure=kinds["unsure"],
        edited=sum(said.edited for said in answers),
        authors=first([(shorten(name) or "somebody without a name", n) for name, n in authors], MAX_AUTHORS),
        first=in_utc(min(times)),
        last=in_utc(max(times)),
        seconds=float(np.median(seconds)) if seconds else None,
    )


def count_confirmed(standing: Standing) -> int:
    """How many of the rows that the expert placed have the nearest centre of that same group."""
    result, X = standing.snapshot.result, standing.snapshot.X[standing.placed]
    if len(X) == 0:
        return 0
    return int((result.clustering.predict(X) == result.labels[standing.placed]).sum())


def mean_confidence(standing: Standing) -> float | None:
    """How sure the rows are that the model placed; the expert's own are sure by definition."""
    if len(standing.snapshot.groups) == 1:
        return None
    by_model = int((standing.tally.sizes - standing.tally.placed).sum())
    return float(standing.tally.sure.sum() / by_model) if by_model else None


def weight_lines(weights: pd.Series) -> Shown:
    """Each column's share, and the length of its bar in percent of the longest."""
    longest = float(weights.max()) if len(weights) else 0.0
    lines = [
        (shorten(str(name)), float(weight), 100.0 * float(weight) / (longest or 1.0))
        for name, weight in weights.head(MAX_COLUMNS).items()
    ]
    return Shown(lines, len(weights) - len(lines))


def answer_lines(snapshot: Snapshot) -> Shown:
    """The answers in the order in which they were given."""
    shown = first(snapshot.answers, MAX_ANSWERS)
    lefts = snapshot.names([said.left for said in shown.items])
    rights = snapshot.names([said.right for said in shown.items])
    lines = [
        (shorten(left), shorten(right), said, in_utc(said.at))
        for left, right, said in zip(lefts, rights, shown.items, strict=True)
    ]
    return Shown(lines, shown.n_more)
