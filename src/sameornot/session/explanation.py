"""Why a question is asked: what it is for, which groups are likely, and what its strategy expects of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from sameornot._types import Pair, Question
from sameornot.query.base import Appraisal, Strategy
from sameornot.session.result import SessionResult

# Groups that are named in the text.
N_NAMED = 2
COLUMNS = ["group", "proba", "n_known", "row"]


@dataclass(frozen=True)
class Explanation:
    """Why a question is asked, from `ActiveSession.explain`; as text, one to three sentences.

    Attributes
    ----------
    question : Question
    purpose : str
        "start" (nothing is known yet), "count" (how many groups there are), "compare" (whether two groups are
        one), "recheck" (whether an answer holds), "new" (neither row is in a group yet), or "place" (which
        group the left row is in).
    text : str
    expected_gain : float or None
        What placing the left row is worth, in `unit`: by default rows that are put right. None where the
        strategy does not compute it.
    unit : str
    cost : float or None
        Expected number of questions until the row is placed.
    groups : DataFrame with the columns group, proba, n_known, row
        The groups that the left row may be in, the likeliest first: the number as in ``result().labels``, how
        likely it is, how many of its rows are known, and one of these. Empty where the strategy does not
        choose by probabilities.

    Examples
    --------
    >>> from sameornot import ActiveSession
    >>> session = ActiveSession([[0.0], [0.1], [5.0], [5.1]], n_clusters=2, random_state=0)
    >>> session.explain().purpose
    'start'
    """

    question: Question
    purpose: str
    text: str
    expected_gain: float | None
    unit: str
    cost: float | None
    groups: pd.DataFrame

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        table = self.groups.to_html(index=False, border=0, float_format="{:.2f}".format)
        return f"<p>{escape(self.text)}</p>{table if len(self.groups) else ''}"


@dataclass(frozen=True)
class Situation:
    """What is known when a question is open.

    `rows` are those of the pool, `ruled_out` the rows whose relation to the left row the answers settle, and
    `answer_proba` how likely each answer is to be right.
    """

    question: Question
    result: SessionResult
    rows: np.ndarray
    ruled_out: frozenset[int]
    answer_proba: Mapping[Pair, float]

    def group_of(self, row: int) -> int | None:
        """The label of the known group of a row; None if the answers have not placed it."""
        for members in self.result.neighbourhoods:
            if row in members:
                return self.label_of(row)
        return None

    def label_of(self, row: int) -> int:
        """The label of a row of the pool."""
        return int(self.result.labels[np.searchsorted(self.rows, row)])

    def known_rows(self, row: int) -> np.ndarray:
        """The rows that the answers put together with a row."""
        return next((m for m in self.result.neighbourhoods if row in m), np.array([row]))


def explain(situation: Situation, strategy: Strategy, appraisal: Appraisal) -> Explanation:
    """The reason of the open question, in words and numbers."""
    question = situation.question
    groups = candidate_groups(situation)
    purpose = purpose_of(situation, appraisal)
    sentence = SENTENCES[purpose](situation, groups)
    is_placing = purpose == "place"
    gain, cost = (appraisal.gain, appraisal.cost) if is_placing else (None, None)
    worth = worth_sentence(strategy, Appraisal("place", gain, appraisal.unit, cost)) if is_placing else ""
    text = f"{sentence} {worth}".strip()
    return Explanation(
        question, purpose, text, gain, appraisal.unit if gain is not None else "", cost, groups
    )


def purpose_of(situation: Situation, appraisal: Appraisal) -> str:
    """What the question is for."""
    question = situation.question
    if question.is_recheck:
        return "recheck"
    if not situation.result.neighbourhoods:
        return "start"
    if appraisal.purpose == "count":
        return "count"
    left, right = (situation.group_of(row) for row in question)
    if right is None:
        return "new"
    return "place" if left is None or question.proba else "compare"


def candidate_groups(situation: Situation) -> pd.DataFrame:
    """The groups that the left row may still be in, the likeliest first."""
    proba = {
        row: p for row, p in situation.question.proba.items() if p > 0 and row not in situation.ruled_out
    }
    total = sum(proba.values())
    lines = [
        (situation.label_of(row), p / total, len(situation.known_rows(row)), row) for row, p in proba.items()
    ]
    frame = pd.DataFrame(lines, columns=COLUMNS)
    return frame.sort_values("proba", ascending=False, kind="stable", ignore_index=True)


def start_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """Before the first group is known."""
    return "To begin with: no group is known yet."


def count_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """A comparison that tells how many groups there are."""
    left, right = situation.question
    text = f"Rows {left} and {right} stand for two parts of the data that lie close together: the answer "
    text += "tells how fine the groups are."
    if (count := situation.result.n_groups) is not None:
        text += f" So far there seem to be {count.estimate} ({count.low} to {count.high})."
    return text


def compare_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """A comparison of two groups."""
    left, right = situation.question
    a, b = situation.group_of(left), situation.group_of(right)
    return (
        f"No answer has told group {a} (row {left}) and group {b} (row {right}) apart: they may be one group."
    )


def recheck_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """A question that is asked again."""
    question = situation.question
    text = "This was asked before: a second answer tells how far single answers can be relied on."
    proba = {frozenset(pair): p for pair, p in situation.answer_proba.items()}.get(frozenset(question))
    # Which answer it was is not said: that would influence the second one.
    return text if proba is None else f"{text} Given all others, the first is right with {proba:.0%}."


def new_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """A comparison with a row that is in no group."""
    left, right = situation.question
    return f"Row {left} is compared with row {right}, which is in no group yet."


def place_sentence(situation: Situation, groups: pd.DataFrame) -> str:
    """A row that is compared with a group."""
    left, right = situation.question
    group, n_known = situation.group_of(right), len(situation.known_rows(right))
    rows = "1 row is known" if n_known == 1 else f"{n_known} rows are known"
    text = f"Row {left} is compared with group {group}, of which {rows}."
    named = [f"group {line.group} ({line.proba:.0%})" for line in groups.head(N_NAMED).itertuples()]
    return f"{text} To the model it could be {' or '.join(named)}." if named else text


SENTENCES = {
    "start": start_sentence,
    "count": count_sentence,
    "compare": compare_sentence,
    "recheck": recheck_sentence,
    "new": new_sentence,
    "place": place_sentence,
}


def worth_sentence(strategy: Strategy, appraisal: Appraisal) -> str:
    """What placing the row is worth."""
    if appraisal.gain is None or appraisal.cost is None:
        rule = (type(strategy).__doc__ or "").strip().partition("\n")[0].rstrip(".")
        return f"The row was chosen by {type(strategy).__name__}: {rule[:1].lower()}{rule[1:]}."
    questions = f"about {appraisal.cost:.1f} question{'' if f'{appraisal.cost:.1f}' == '1.0' else 's'}"
    if appraisal.unit == "rows":
        return (
            f"Placing it is expected to put about {appraisal.gain:.1f} rows right, and to take {questions}."
        )
    return f"Placing it is worth {appraisal.gain:.3g} {appraisal.unit}, and takes {questions}."
