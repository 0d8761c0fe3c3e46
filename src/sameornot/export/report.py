"""The report: one self-contained HTML page, to be printed, mailed and kept.

The contents are gathered here and in `group_summary.py`; `templates/report.html` is the layout. All text is
escaped by Jinja. The only markup passed in are the drawings, which hold no text of the table.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sameornot.export.group_summary import (
    N_VALUES,
    ReportContext,
    build_context,
    labels_by_number,
    summarise_group,
)
from sameornot.plots.draw import COLOURS
from sameornot.plots.report import draw_churn, draw_report_map, inline_svg
from sameornot.service.differences import shorten
from sameornot.service.snapshot import GivenAnswer, Snapshot

if TYPE_CHECKING:
    from jinja2 import Template

# Limits that keep the page readable and small enough to mail; it says how much is not shown.
MAX_GROUPS = 24
MAX_COLUMNS = 30
MAX_ANSWERS = 200
MAX_AUTHORS = 8


@dataclass(frozen=True)
class Truncated:
    """The first of many items, and the number of the others."""

    items: Sequence[Any]
    n_more: int


@dataclass(frozen=True)
class AnswerSummary:
    """The answers in numbers; `seconds` is the median time that an answer took."""

    n: int
    same: int
    different: int
    unsure: int
    edited: int
    authors: Truncated
    first: str
    last: str
    seconds: float | None


def write_report(snapshot: Snapshot) -> str:
    """Write the report of a session as HTML."""
    context = build_context(snapshot)
    labels = labels_by_number(snapshot.groups)
    return read_template().render(
        title=shorten(snapshot.title, 200),
        colours=COLOURS,
        made=in_utc(snapshot.made),
        n_rows=len(snapshot.table),
        n_pool=len(snapshot.pool),
        clusters=snapshot.clusters,
        asked=summarise_answers(snapshot),
        placed=int(context.placed.sum()),
        confirmed=count_confirmed(context),
        confidence=mean_confidence(context),
        groups=Truncated(
            [summarise_group(context, m) for m in labels[:MAX_GROUPS]], len(labels[MAX_GROUPS:])
        ),
        value_columns=[shorten(str(name), 40) for name in context.weights.index[:N_VALUES]],
        weights=weight_lines(snapshot.column_weights.sort_values(ascending=False, kind="stable")),
        answers=answer_lines(snapshot),
        **describe_table(snapshot),
        **drawings(snapshot),
    )


def describe_table(snapshot: Snapshot) -> dict[str, Any]:
    """How the table was read and encoded."""
    encoder, notices = snapshot.encoder, snapshot.table.frame.attrs.get("notices", [])
    return {
        "n_columns": len(encoder.columns),
        "reading": truncate([str(notice) for notice in notices], MAX_COLUMNS),
        "left_out": truncate([(shorten(name), reason) for name, reason in encoder.left_out], MAX_COLUMNS),
        "filled": truncate([column for column in encoder.columns if column.n_missing], MAX_COLUMNS),
    }


def read_template() -> "Template":
    """The template of the page; text is escaped, and an undefined variable is an error."""
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
    """The map of the rows and the churn curve as SVG; None if there is nothing to draw."""
    from markupsafe import Markup

    rows = snapshot.learned_map
    numbers = [group.number for group in snapshot.groups]
    churn = draw_churn(snapshot.churn) if len(snapshot.churn) > 1 else None
    return {
        "map": Markup(inline_svg(draw_report_map(rows, numbers), "map")),
        "churn": None if churn is None else Markup(inline_svg(churn, "churn")),
        "shares": rows.shares,
    }


def truncate(items: Sequence[Any], at_most: int) -> Truncated:
    """The first `at_most` items."""
    return Truncated(items[:at_most], max(0, len(items) - at_most))


def in_utc(moment: datetime) -> str:
    """A time in UTC, to the minute."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def percent(share: float | None) -> str:
    """A share in percent; it is rounded to 100% only if it is the whole."""
    if share is None:
        return "–"
    return "100%" if share >= 1.0 else f"{min(99, round(100 * share))}%"


def summarise_answers(snapshot: Snapshot) -> AnswerSummary:
    """Count the answers by kind and author."""
    answers = snapshot.answers
    kinds = Counter(answered.answer for answered in answers)
    authors = Counter(answered.author for answered in answers).most_common()
    times = [answered.at for answered in answers] or [snapshot.made]
    seconds = [answered.seconds for answered in answers if answered.seconds is not None]
    return AnswerSummary(
        n=len(answers),
        same=kinds["same"],
        different=kinds["different"],
        unsure=kinds["unsure"],
        edited=sum(answered.edited for answered in answers),
        authors=truncate(
            [(shorten(name) or "somebody without a name", n) for name, n in authors], MAX_AUTHORS
        ),
        first=in_utc(min(times)),
        last=in_utc(max(times)),
        seconds=float(np.median(seconds)) if seconds else None,
    )


def count_confirmed(context: ReportContext) -> int:
    """How many of the rows that the expert placed the model alone would put into the same group."""
    result, X = context.snapshot.result, context.snapshot.X[context.placed]
    if len(X) == 0:
        return 0
    return int((result.clustering.predict(X) == result.labels[context.placed]).sum())


def mean_confidence(context: ReportContext) -> float | None:
    """Mean confidence of the rows that the model placed; None if there are none, or only one group."""
    if len(context.snapshot.groups) == 1:
        return None
    counts = context.counts
    n_by_model = int((counts.sizes - counts.placed).sum())
    return float(counts.confidence_sums.sum() / n_by_model) if n_by_model else None


def weight_lines(weights: pd.Series) -> Truncated:
    """Each column with its share and the length of its bar, in percent of the longest."""
    longest = float(weights.max()) if len(weights) else 0.0
    lines = [
        (shorten(str(name)), float(weight), 100.0 * float(weight) / (longest or 1.0))
        for name, weight in weights.head(MAX_COLUMNS).items()
    ]
    return Truncated(lines, len(weights) - len(lines))


def answer_lines(snapshot: Snapshot) -> Truncated:
    """The answers in the order given, with the names of their records."""
    shown = truncate(snapshot.answers, MAX_ANSWERS)
    lefts = snapshot.names([answered.left for answered in shown.items])
    rights = snapshot.names([answered.right for answered in shown.items])
    lines = [
        (shorten(left), shorten(right), other_candidates(snapshot, answered), answered, in_utc(answered.at))
        for left, right, answered in zip(lefts, rights, shown.items, strict=True)
    ]
    return Truncated(lines, shown.n_more)


def other_candidates(snapshot: Snapshot, answered: GivenAnswer) -> str:
    """The other candidates of a choice, in words; empty for a pair."""
    if not answered.others:
        return ""
    names = ", ".join(shorten(name, 40) for name in snapshot.names(answered.others))
    return {"same": f"not {names}", "different": f"nor {names}", "unsure": f"or {names}"}[answered.answer]
