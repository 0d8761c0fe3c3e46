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

from sameornot.ensemble.annotators import ErrorRate
from sameornot.export.group_summary import (
    N_VALUES,
    ReportContext,
    build_context,
    labels_by_number,
    summarise_group,
)
from sameornot.plots.draw import COLOURS
from sameornot.plots.report import draw_churn, draw_report_map, inline_svg
from sameornot.service.agreement import Kappa
from sameornot.service.differences import shorten
from sameornot.service.snapshot import GivenAnswer, Snapshot
from sameornot.service.team import reliability

if TYPE_CHECKING:
    from jinja2 import Template

# Limits that keep the page readable and small enough to mail; it says how much is not shown.
MAX_GROUPS = 24
MAX_COLUMNS = 30
MAX_ANSWERS = 200
MAX_AUTHORS = 8
MAX_DISAGREEMENTS = 50


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
        team=team_lines(snapshot),
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


@dataclass(frozen=True)
class TeamLines:
    """How far people agree, in words: by two of them, by each, and what they disagree about."""

    n_second: int
    pairs: Sequence[tuple[str, int, int, str]]
    people: Sequence[tuple[str, int, str]]
    disagreements: Truncated


def team_lines(snapshot: Snapshot) -> TeamLines | None:
    """How far people agree; None if one person answered everything."""
    team = snapshot.team
    if team is None or len(team.annotators) < 2:
        return None
    found = truncate(team.disagreements, MAX_DISAGREEMENTS)
    lefts = snapshot.names([each.pair.left for each in found.items])
    rights = snapshot.names([each.pair.right for each in found.items])
    said = [
        ", ".join(f"{shorten(name, 40)}: {answer}" for name, answer in team.said_about(each))
        for each in found.items
    ]
    shown = [
        (shorten(left), shorten(right), words) for left, right, words in zip(lefts, rights, said, strict=True)
    ]
    return TeamLines(
        team.n_second,
        [
            (" and ".join(map(shorten, each.people)), each.n_equal, each.n_both, kappa_words(each.kappa))
            for each in team.agreement
        ],
        [(shorten(each.name), each.n_answers, reliability_words(each.rate)) for each in team.annotators],
        Truncated(shown, found.n_more),
    )


def kappa_words(kappa: Kappa | None) -> str:
    """Cohen's kappa with its interval."""
    if kappa is None:
        return "not defined: both gave one answer only"
    return f"{kappa.estimate:.2f} ({kappa.low:.2f} to {kappa.high:.2f})"


def reliability_words(rate: ErrorRate | None) -> str:
    """The share of answers that are right, with its interval."""
    known = reliability(rate)
    if known is None:
        return "too early to say"
    return f"{percent(known['estimate'])} ({percent(known['low'])} to {percent(known['high'])})"


def other_candidates(snapshot: Snapshot, answered: GivenAnswer) -> str:
    """The other candidates of a choice, in words; empty for a pair."""
    if not answered.others:
        return ""
    names = ", ".join(shorten(name, 40) for name in snapshot.names(answered.others))
    return {"same": f"not {names}", "different": f"nor {names}", "unsure": f"or {names}"}[answered.answer]
