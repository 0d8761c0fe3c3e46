"""The widget: questions, answers by key or mouse, a live map and the estimate of agreement, in one cell.

The frontend (`static/labeller.js`) shows what `view` and `picture` hold and says in `action` what a person
does; all of it travels as synchronised traits, which every frontend of anywidget supports. An action names
the question that it was shown with, so that a late or doubled key press changes nothing.
"""

from typing import Any

import anywidget
import pandas as pd
import traitlets

from sameornot._types import Answer, Choice, Question
from sameornot._validation import check_count
from sameornot.notebook.assets import css, javascript
from sameornot.notebook.shown_rows import ShownRows
from sameornot.plots import pool_map
from sameornot.session import ActiveSession, SessionResult
from sameornot.session.choice import MIN_GROUPS, N_CHOICES
from sameornot.session.stopping import can_stop


class Labeller(anywidget.AnyWidget):
    """Answer the questions of a session in a notebook; made by ``session.label()``.

    The session itself takes the answers, so ``session.result()`` in the next cell knows all of them. If the
    session is changed elsewhere, `refresh` shows its question.

    Parameters
    ----------
    session : ActiveSession
    choices : int
        Most groups to choose from at once, from four known groups on; 1 for pairs only.
    budget : int, optional
        Questions that are planned for.
    records : DataFrame, optional
        What is shown of each row; the features if omitted.
    image : str, optional
        The column of `records` that holds images: paths of files, bytes, Pillow images or arrays of pixels.
    """

    _esm = javascript()
    _css = css()

    view = traitlets.Dict().tag(sync=True)
    picture = traitlets.Dict().tag(sync=True)
    action = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        session: ActiveSession,
        *,
        choices: int = N_CHOICES,
        budget: int | None = None,
        records: pd.DataFrame | None = None,
        image: str | None = None,
    ) -> None:
        super().__init__()
        self.session = session
        self.choices = check_count("choices", choices)
        self.budget = None if budget is None else check_count("budget", budget)
        self._rows = ShownRows(session, records, image)
        self._wants_pairs = self.choices == 1
        self._shown: Question | Choice | None = None
        self._n_shown = 0
        self._n_answers = 0
        self.refresh()

    def __repr__(self) -> str:
        return f"<Labeller: {len(self.session):,} rows, {len(self.session.answers)} answers>"

    def refresh(self, message: str = "") -> None:
        """Show the session's question, its map and how far it is."""
        session = self.session
        question = session.ask()
        result = session.pool_result()
        self._shown = question if question is None else self._as_choice(question, result)
        self._n_shown += 1
        self._n_answers = len(session.answers)
        self.view = {
            "id": self._n_shown,
            "question": self._describe(question, result),
            "progress": self._progress(result),
            "message": message,
        }
        self.picture = self._picture(result)

    @traitlets.observe("action")
    def _on_action(self, change: Any) -> None:
        """Do what a person asks for; errors are shown in the widget, since a notebook shows none of these."""
        action = change["new"]
        if action.get("question") != self._n_shown:
            return
        if len(self.session.answers) != self._n_answers:
            self.refresh("The session was changed elsewhere: this is its question now.")
            return
        try:
            self._do(action)
        except ValueError as error:
            self.refresh(f"Nothing was changed: {error}.")
        except Exception as error:
            self.refresh(f"{type(error).__name__}: {error}")
            raise
        else:
            self.refresh()

    def _do(self, action: dict[str, Any]) -> None:
        kind, shown = action.get("do"), self._shown
        if kind == "undo":
            self.session.undo()
        elif kind == "pairs":
            self._wants_pairs = bool(action["pairs"])
        elif kind == "answer" and isinstance(shown, Choice):
            self.session.tell(read_pick(action["answer"], shown), shown)
        elif kind == "answer" and shown is not None:
            self.session.tell(Answer(action["answer"]), shown)

    def _as_choice(self, question: Question, result: SessionResult) -> Question | Choice:
        """The question, or a choice among groups where that saves questions."""
        if self._wants_pairs or len(result.neighbourhoods) < MIN_GROUPS:
            return question
        choice = self.session.choice(question, self.choices)
        return choice if len(choice.candidates) > 1 else question

    def _describe(self, question: Question | None, result: SessionResult) -> dict[str, Any] | None:
        """The records beside each other, and why they are asked about."""
        shown, why = self._shown, self.session.explain()
        if question is None or shown is None or why is None:
            return None
        is_choice = isinstance(shown, Choice)
        candidates = list(shown.candidates) if isinstance(shown, Choice) else [question.right]
        fields, n_more = self._rows.compare(question.left, candidates, result.feature_weights)
        label = {int(row): int(m) for row, m in zip(self.session.pool, result.labels, strict=True)}
        known = {int(row) for members in result.neighbourhoods for row in members}
        return {
            "number": len(self.session.answers) + 1,
            "why": why.text,
            "is_choice": is_choice,
            "left": self._rows.head(question.left),
            "candidates": [
                self._rows.head(row) | {"group": label[row] if row in known else None} for row in candidates
            ],
            "fields": fields,
            "n_more": n_more,
        }

    def _progress(self, result: SessionResult) -> dict[str, Any]:
        """How far the session is, and how good its groups are estimated to be."""
        answers = self.session.answers
        n_certain = sum(reply.answer is not Answer.UNSURE for reply in answers)
        n_known, n_clusters = len(result.neighbourhoods), self.session.n_clusters
        return {
            "answers": len(answers),
            "unsure": len(answers) - n_certain,
            "budget": self.budget,
            "known": n_known,
            "clusters": n_clusters,
            "expected": None if result.n_groups is None else result.n_groups._asdict(),
            "agreement": None if result.agreement is None else result.agreement._asdict(),
            "can_stop": can_stop(result.agreement, n_certain, n_known, n_clusters),
            "can_choose": self.choices > 1 and n_known >= MIN_GROUPS,
            "wants_pairs": self._wants_pairs,
        }

    def _picture(self, result: SessionResult) -> dict[str, Any]:
        """The rows of the pool in the learned space, with their groups."""
        points = pool_map(self.session.features, self.session.pool, result)
        return {
            "x": [round(x, 3) for x in points.x],
            "y": [round(y, 3) for y in points.y],
            "group": [label + 1 for label in points.group],  # colours are numbered from 1
            "placed": list(points.placed),
            "row": self.session.pool.tolist(),
        }


def read_pick(answer: Any, choice: Choice) -> int | Answer:
    """What was picked: the row of a candidate, none of them, or unsure."""
    return answer if isinstance(answer, int) else Answer(answer)
