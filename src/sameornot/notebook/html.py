"""HTML of a session, a result and constraints, as a notebook shows them below a cell.

Text has the colour of the notebook, so it is legible in any theme. Whatever comes from the data is escaped.
"""

from collections.abc import Iterable
from html import escape

import pandas as pd

from sameornot._types import Answer
from sameornot.constraints import Constraints
from sameornot.session import ActiveSession, SessionResult

# Groups, features and rows that are listed.
N_GROUPS = 12
N_FEATURES = 6
N_MEMBERS = 8

MUTED = "opacity:.7"
# Some notebooks give tables no space of their own.
LONG_CELL = "text-align:left;vertical-align:top;padding:2px 14px 2px 0"
CELL = f"{LONG_CELL};white-space:nowrap"


def session_html(session: ActiveSession) -> str:
    """What a session is about, what was answered, and what the answers have led to."""
    lines = [
        ("rows", f"{len(session):,}{_pool_note(session)}"),
        ("features", f"{len(session.feature_names):,}: {_listed(session.feature_names, N_FEATURES)}"),
        ("method", f"{type(session.strategy).__name__} and {type(session.clusterer).__name__}"),
        ("answers", _answer_counts(session)),
    ]
    if session.answers:
        lines += _outcome(session.pool_result(), session.n_clusters)
    return _titled("ActiveSession", _table(lines))


def result_html(result: SessionResult) -> str:
    """The groups with what there is to say of each, and the features that matter most."""
    summary = result.summary()
    lines = _outcome(result, None)
    heaviest = result.feature_weights.nlargest(N_FEATURES)
    named = ", ".join(f"{name} {share:.0%}" for name, share in heaviest.items() if share > 0)
    lines.append(("features", named or "none matters more than another"))
    return _titled("SessionResult", _table(lines) + _summary_table(summary))


def constraints_html(constraints: Constraints) -> str:
    """How many answers there are, and the groups that follow from them."""
    said = [answer for _, answer in constraints.answers]
    lines = [
        ("points", f"{constraints.n_points:,}"),
        (
            "answers",
            f"{said.count(Answer.SAME)} same, {said.count(Answer.DIFFERENT)} different, "
            f"{int(constraints.unsure_counts().sum()) // 2} unsure",
        ),
    ]
    if constraints.is_inconsistent:
        lines.append(("contradictions", "some pair was answered both ways"))
    groups = constraints.groups()
    for n, members in enumerate(groups[:N_GROUPS]):
        rows = f"{_listed(members.tolist(), N_MEMBERS)}"
        lines.append((f"together {n + 1}", f"{len(members)}: {rows}" if len(members) > 1 else rows))
    if len(groups) > N_GROUPS:
        lines.append(("", f"and {len(groups) - N_GROUPS} more"))
    return _titled("Constraints", _table(lines))


def _outcome(result: SessionResult, n_clusters: int | None) -> list[tuple[str, str]]:
    known, expected = len(result.neighbourhoods), f" of {n_clusters}" if n_clusters else ""
    if (count := result.n_groups) is not None:
        expected = f" of about {count.estimate} ({count.low} to {count.high})"
    lines = [("groups known", f"{known}{expected}")]
    if (share := result.agreement) is not None:
        lines.append(
            (
                "agreement",
                f"{share.estimate:.0%} of the rows estimated right ({share.low:.0%} to {share.high:.0%})",
            )
        )
    return lines


def _answer_counts(session: ActiveSession) -> str:
    said = [reply.answer for reply in session.answers]
    if not said:
        return "none yet: session.label() asks here, session.ask() in code"
    counts = [f"{said.count(answer)} {answer.value}" for answer in Answer if answer in said]
    return f"{len(said)}: {', '.join(counts)}"


def _pool_note(session: ActiveSession) -> str:
    return "" if len(session.pool) == len(session) else f", questions are about {len(session.pool):,} of them"


def _summary_table(summary: pd.DataFrame) -> str:
    shown = summary.head(N_GROUPS)
    names = ("group", "rows", "placed", "confidence", "differs by")
    heads = "".join(f'<th style="{CELL}">{name}</th>' for name in names)
    body = "".join(_summary_line(label, line) for label, line in shown.iterrows())
    more = len(summary) - len(shown)
    note = f'<div style="{MUTED}">and {more} more groups: result.summary() has all</div>' if more else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{note}"


def _summary_line(label: object, line: pd.Series) -> str:
    rows = f"{line['size']:,} ({line['share']:.0%})"
    confidence = "" if pd.isna(line["confidence"]) else f"{line['confidence']:.0%}"
    short = "".join(_cell(value, CELL) for value in (str(label), rows, str(line["placed"]), confidence))
    return f"<tr>{short}{_cell(line['differs'], LONG_CELL)}</tr>"


def _table(lines: Iterable[tuple[str, str]]) -> str:
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};{MUTED};font-weight:normal">{escape(name)}</th>'
        f"{_cell(value, LONG_CELL)}</tr>"
        for name, value in lines
    )
    return f"<table><tbody>{rows}</tbody></table>"


def _cell(value: str, style: str) -> str:
    return f'<td style="{style}">{escape(value)}</td>'


def _titled(title: str, content: str) -> str:
    return f'<div class="sameornot-summary"><strong>{title}</strong>{content}</div>'


def _listed(items: Iterable[object], n_shown: int) -> str:
    """The first few of some items, and how many more there are."""
    named = [str(item) for item in items]
    rest = len(named) - n_shown
    return ", ".join(named[:n_shown]) + (f" and {rest} more" if rest > 0 else "")
