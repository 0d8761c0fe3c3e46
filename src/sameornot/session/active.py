"""The session: `ask`, `tell`, `undo`, `result`, on a table of any size. No input, no output, no clock.

Questions are about the rows of a bounded pool (`pool.py`); the dialogue about them (`dialogue.py`) knows only
positions in that pool. Here rows of the table become positions and back, and the groups of the pool become
groups of all rows. A step's randomness comes from `default_rng([seed, step])`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import pandas as pd

from sameornot._deprecated import renamed_method, warn_renamed
from sameornot._presenters import presenter
from sameornot._types import Answer, Choice, Pair, Question, Reply
from sameornot._validation import check_count, check_n_clusters
from sameornot.cluster.base import Clusterer
from sameornot.constraints import Constraints
from sameornot.query import Strategy
from sameornot.registry import choose_method, refuse_settings
from sameornot.session.choice import N_CHOICES
from sameornot.session.dialogue import Dialogue
from sameornot.session.explanation import Explanation, Situation, explain
from sameornot.session.fits import Rows
from sameornot.session.known import Known
from sameornot.session.log import Closure, read_answer, read_choice, read_log, read_pair, read_seed
from sameornot.session.pool import Pool, default_size, table_rows_in_errors
from sameornot.session.result import Expansion, FinalLabels, PoolRows, SessionResult
from sameornot.session.rows import RowSource, as_source, check_records

if TYPE_CHECKING:
    from anywidget import AnyWidget


class ActiveSession:
    """Ask an expert "same or different?", learn which features matter, and group the rows.

    Parameters
    ----------
    X : array or DataFrame of numbers, one row a record; or a row source
    n_clusters : int, optional
        Number of groups. If omitted, the default method estimates it from the rows and the answers; with
        others it is the number of groups that the answers tell apart.
    strategy : Strategy or str, optional
        How questions are chosen: an object such as ``NPU()``, or its name in `sameornot.query.STRATEGIES`.
        If omitted, the one that belongs to the clusterer; "uncertainty" if nothing is named.
    clusterer : Clusterer or str, optional
        How rows are grouped: an estimator such as ``MPCKMeans(n_init=3)``, or its name in
        `sameornot.registry.CLUSTERERS`. If omitted, the one that belongs to the strategy; "ensemble" if
        nothing is named. The session's own `n_clusters`, `standardize` and `random_state` take precedence.
    infer_last : bool
        With `n_clusters` given, a row known to differ from all groups but one belongs to that one and is not
        asked about. False is the paper's accounting of questions.
    standardize : bool
        Divide each feature by its standard deviation first.
    pool : int, optional
        Most rows that questions may be about: of a larger table so many are drawn. By default all of up to
        3,000 rows, and 2,000 of more. All rows get a group.
    random_state : int, Generator or None
        The same seed and answers give the same questions. `session.seed` holds what was drawn for None.
    answers : iterable of Reply or (pair, answer)
        A log to resume from (`session.answers` of an earlier session).
    labels : array, one a row, optional
        Groups that are known already; −1, None or NaN where they are not. Two rows with the same label are
        the same kind, two with other labels are different. They are no answers: `session.answers` does not
        list them, and nobody is asked about them again.
    must_link, cannot_link : array of two row numbers a line, optional
        Pairs that are known already to be the same kind, and to be different.
    known : Known, optional
        The same as one object (`session.known` of an earlier session), in place of labels and pairs.
    records : DataFrame, optional
        What people see of each row, of pandas, polars or pyarrow; nothing is learned from it.

    Examples
    --------
    >>> from sameornot import ActiveSession, Answer
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    >>> session = ActiveSession(X, n_clusters=3, random_state=0)
    >>> for _ in range(20):
    ...     left, right = session.ask()
    ...     session.tell(Answer.SAME if y[left] == y[right] else Answer.DIFFERENT)
    >>> session.undo()
    >>> len(session.answers)
    19
    >>> session.result().labels.shape
    (60,)
    """

    def __init__(
        self,
        X: Any,
        n_clusters: int | None = None,
        *,
        strategy: Strategy | str | None = None,
        clusterer: Clusterer | str | None = None,
        infer_last: bool = True,
        standardize: bool = True,
        pool: int | None = None,
        random_state: int | np.random.Generator | None = None,
        answers: Iterable[Reply | tuple[Any, Any]] = (),
        labels: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
        records: Any = None,
        known: Known | None = None,
        **unknown: Any,
    ) -> None:
        refuse_settings(unknown)
        self._source: RowSource = as_source(X)
        n_rows = len(self._source)
        self.n_clusters = None if n_clusters is None else check_n_clusters(n_clusters, n_rows)
        method = choose_method(strategy, clusterer)
        self.strategy, self.clusterer = method.strategy, method.clusterer
        self.infer_last, self.standardize = infer_last, standardize
        self.seed = read_seed(random_state)
        wanted = default_size(n_rows) if pool is None else check_count("pool", pool, at_least=2)
        self._pool_size = max(wanted, self.n_clusters or 0)
        told = Known.of(n_rows, labels=labels, must_link=must_link, cannot_link=cannot_link)
        self.known = told if known is None else known
        self.records = None if records is None else check_records(records, n_rows)
        self._open(read_log(answers))

    def _open(self, log: list[Reply], also: Collection[int] = ()) -> None:
        """Go to where a session with this log stands; `also` are rows that are in the pool in any case."""
        for reply in log:
            self._check_rows(reply.rows)
        self._pool = self._draw(log, also)
        closure = self._closure(len(self._pool), self._pool.position)
        X = self._source.take(self._pool.rows)
        rows = Rows(X, self.clusterer, closure, self.standardize, self.seed)
        in_pool = [reply.with_rows(self._pool.position.__getitem__) for reply in log]
        with table_rows_in_errors(self._pool):
            self._dialogue = Dialogue(rows, self.strategy, in_pool)
        self._expansion: Expansion | None = None

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._source)

    @property
    def feature_names(self) -> list[str]:
        """The name of each feature."""
        return self._source.feature_names

    @property
    def pool(self) -> np.ndarray:
        """The rows that questions may be about, rising."""
        return self._pool.rows

    @property
    def features(self) -> np.ndarray:
        """The rows of the pool as the clusterer sees them, before they are divided by their scale."""
        return self._dialogue.rows.X

    @property
    def answers(self) -> list[Reply]:
        """The log: every answer, in order."""
        return [reply.with_rows(self._pool.table_row) for reply in self._dialogue.log]

    @property
    def constraints(self) -> Constraints:
        """What the answers imply so far."""
        if self._pool.is_all:
            return self._dialogue.answers
        return self._closure(len(self), {row: row for row in range(len(self))}).of(self.answers)

    def _closure(self, n_points: int, position: Mapping[int, int]) -> Closure:
        """What answers and what is known imply about rows at these positions."""
        known = tuple(self.known.facts(position))
        return Closure(n_points, self.n_clusters, self.infer_last, known)

    @property
    def step(self) -> int:
        """The step that the next answer belongs to: questions of one step are chosen by one fit."""
        return self._dialogue.n_steps

    @overload
    def ask(self) -> Question | None: ...

    @overload
    def ask(self, n_questions: int) -> list[Question]: ...

    @overload
    def ask(self, *, choices: int) -> Choice | None: ...

    @overload
    def ask(self, n_questions: int, *, choices: int) -> list[Choice]: ...

    def ask(
        self, n_questions: int | None = None, *, choices: int | None = None
    ) -> Question | Choice | list[Question] | list[Choice] | None:
        """The question to show next; the same until it is answered, None when nothing is left to ask.

        With a number, so many questions about different rows, fewer when fewer are left: they can be answered
        in any order and by several people, each with ``tell(answer, question)``.

        With `choices`, a `Choice`: the row of the question, and members of up to so many groups to choose
        from. There is one candidate where only a pair makes sense: to begin with, to compare two groups, and
        to ask again.
        """
        questions = self._ask_many(1 if n_questions is None else check_count("n_questions", n_questions))
        if n_questions is not None:
            return (
                questions if choices is None else [self.choice(question, choices) for question in questions]
            )
        question = next(iter(questions), None)
        return question if choices is None or question is None else self.choice(question, choices)

    def _ask_many(self, n_questions: int) -> list[Question]:
        first = self._dialogue.next_question()
        questions = [] if first is None else [self._to_table(first)]
        while questions and len(questions) < n_questions:
            question = self.ask_beside(questions)
            if question is None:
                break
            questions.append(question)
        return questions

    def ask_beside(self, pending: Sequence[Pair]) -> Question | None:
        """A question for one more person, while others look at the `pending` ones: about another row."""
        question = self._dialogue.beside([self._pool.positions(pair) for pair in pending])
        return None if question is None else self._to_table(question)

    def choice(self, question: Question, choices: int = 5) -> Choice:
        """A question of `ask` or `ask_beside` with up to so many groups to choose from."""
        n_candidates = check_count("choices", choices)
        proba = {self._pool.position[row]: p for row, p in question.proba.items()}
        inside = Question(*self._pool.positions(question), is_recheck=question.is_recheck, proba=proba)
        found = self._dialogue.choice(inside, n_candidates)
        row, *candidates = map(self._pool.table_row, (found.row, *found.candidates))
        return Choice(row, tuple(candidates), found.proba, found.is_recheck)

    @overload
    def tell(
        self, answer: Answer | str, pair: tuple[int, int] | None = None, *, annotator: str = ""
    ) -> None: ...

    @overload
    def tell(self, answer: int | Answer | str | None, pair: Choice, *, annotator: str = "") -> None: ...

    def tell(
        self,
        answer: int | Answer | str | None,
        pair: tuple[int, int] | Choice | None = None,
        *,
        annotator: str = "",
    ) -> None:
        """Take the answer to the open question, to a pair of one's own choice, or to a `Choice`.

        A choice is answered by the row number of one of its candidates, by None for none of them, or by
        ``Answer.UNSURE``. It is one answer of the log, and counts as all pairs that it implies.

        `annotator` is who answers. Once enough questions were answered by two of them, the default method
        estimates how reliable each is, and weighs their answers by that.

        An answer that cannot be true together with the earlier ones raises a ValueError, with the chain of
        answers that proves it, and changes nothing.
        """
        if isinstance(pair, Choice):
            self._take(read_choice(answer, pair)._replace(annotator=annotator))
            return
        said = read_answer(answer)
        if pair is None:
            question = self._dialogue.next_question()
            if question is None:
                raise ValueError(
                    f"answer={said.value!r} but nothing is left to ask: name the pair that it is for"
                )
            self._take(Reply(self._pool.table_rows(question), said, 0, question.is_recheck, (), annotator))
        else:
            is_recheck = isinstance(pair, Question) and pair.is_recheck
            self._take(Reply(read_pair(pair), said, 0, is_recheck, (), annotator))

    def _take(self, reply: Reply) -> None:
        """Add a line to the log; rows that are not in the pool are added to it."""
        self._check_rows(reply.rows)
        if all(row in self._pool.position for row in reply.rows):
            self._add(reply)
            return
        log = self.answers
        self._open(log, also=reply.rows)
        try:
            self._add(reply)
        except ValueError:
            self._open(log)
            raise

    def _add(self, reply: Reply) -> None:
        with table_rows_in_errors(self._pool):
            self._dialogue.take(reply.with_rows(self._pool.position.__getitem__))

    def undo(self, n_answers: int = 1) -> None:
        """Take back the last answers; the session is then as if they had never been given."""
        n_answers = check_count("n_answers", n_answers)
        n_given = len(self._dialogue.log)
        if n_answers > n_given:
            raise ValueError(f"n_answers={n_answers} but only {n_given} were given")
        earlier = self.answers[:-n_answers]
        if len(self._draw(earlier)) == len(self._pool):
            self._dialogue.undo(n_answers)
        else:
            self._open(earlier)

    def label(
        self,
        *,
        choices: int = N_CHOICES,
        budget: int | None = None,
        records: pd.DataFrame | None = None,
        image: str | None = None,
    ) -> "AnyWidget":
        """A widget to answer the questions in, for a notebook; it needs the extra ``notebook``.

        The answers go to this session: `result` in the next cell knows all of them.

        Parameters
        ----------
        choices : int
            Most groups to choose from at once, from four known groups on; 1 for pairs only.
        budget : int, optional
            Questions that are planned for.
        records : DataFrame, optional
            What is shown of each row; by default the `records` of the session, or its features.
        image : str, optional
            The column of `records` that holds images: paths of files, bytes, Pillow images or arrays of
            pixels.
        """
        make = presenter("make_labeller")
        shown = self.records if records is None else records
        widget: AnyWidget = make(self, choices=choices, budget=budget, records=shown, image=image)
        return widget

    def _repr_html_(self) -> str:
        return str(presenter("session_html")(self))

    def fork(self) -> Self:
        """An independent session that stands where this one does."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__, _dialogue=self._dialogue.fork())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """The settings, the rows and the log: a copy or an unpickled session resumes from them."""
        computed = ("_dialogue", "_expansion", "_pool")
        state = {name: value for name, value in self.__dict__.items() if name not in computed}
        return state | {"log": self.answers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: value for name, value in state.items() if name != "log"})
        self._open(state["log"])

    def explain(self) -> Explanation | None:
        """Why the open question is asked: what it is for, the groups in question, and what is expected of it.

        None when nothing is left to ask. The numbers are those by which the row was chosen, when its first
        question was asked.

        Examples
        --------
        >>> from sameornot import ActiveSession
        >>> from sameornot.datasets import make_gaussian
        >>> X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
        >>> known = [((0, row), "same" if y[0] == y[row] else "different") for row in range(1, 12)]
        >>> session = ActiveSession(X, n_clusters=3, random_state=0, answers=known)
        >>> print(session.explain())
        No answer has told group 1 (row 1) and group 2 (row 2) apart: they may be one group.
        """
        question = self.ask()
        if question is None:
            return None
        settled = frozenset(row for row in question.proba if self.relation(question.left, row) is not None)
        proba = self.answer_proba() if question.is_recheck else {}
        situation = Situation(question, self.pool_result(), self.pool, settled, proba)
        return explain(situation, self.strategy, self._dialogue.appraise())

    def relation(self, left: int, right: int) -> Answer | None:
        """SAME or DIFFERENT where the answers settle how two rows are related, else None."""
        if left not in self._pool.position or right not in self._pool.position:
            return None
        return self._dialogue.answers.relation(*self._pool.positions(Pair(left, right)))

    def is_settled(self, pair: tuple[int, int]) -> bool:
        """Whether the answers settle how two rows are related, or the expert was unsure about them."""
        if any(row not in self._pool.position for row in pair):
            return False
        answers, (left, right) = self._dialogue.answers, self._pool.positions(Pair(*pair))
        return answers.is_unsure(left, right) or answers.relation(left, right) is not None

    def known_groups(self) -> list[np.ndarray]:
        """The rows of each group that the answers make known."""
        return [self._pool.rows[members] for members in self._dialogue.known_groups()]

    def result(self, *, progress: bool | None = None) -> SessionResult:
        """The grouping of all rows that the answers so far lead to.

        Of a very large table, this takes a while: `progress` shows a bar (True) or none (False). By default
        there is one where a person is watching, if tqdm is installed.
        """
        return self._expanded().result(progress)

    def pool_result(self) -> SessionResult:
        """The grouping of the rows of the pool: `labels` and `confidence` are those of `session.pool`."""
        return self._expanded().found

    def final_labels(self) -> FinalLabels:
        """The groups of the pool, expanded to more rows, and what predicts all others."""
        return self._expanded().final_labels

    def answer_proba(self) -> dict[Pair, float]:
        """How likely the last answer to each question is to be right given all other answers.

        A value below one half marks an answer worth a second look. Empty where the method cannot tell.
        """
        dialogue, answers = self._dialogue, self._dialogue.answers.answers
        if not answers:
            return {}
        proba = dialogue.clustering.answer_proba(answers, dialogue.assignment.neighbourhoods)
        if proba is None:
            return {}
        return {self._pool.table_rows(pair): float(p) for (pair, _), p in zip(answers, proba, strict=True)}

    def odds(self) -> dict[int, float]:
        """Deprecated: use ``session.ask().proba``."""
        warn_renamed("session.odds()", "session.ask().proba")
        question = self.ask()
        return {} if question is None else question.proba

    credibility = renamed_method("credibility", "answer_proba")

    def _expanded(self) -> Expansion:
        """The result about the pool, which is kept until the clustering is another one."""
        clustering, found = self._dialogue.clustering, self._dialogue.assignment
        if self._expansion is None or self._expansion.found.clustering is not clustering:
            result = SessionResult(
                found.labels,
                clustering.metric,
                pd.Series(clustering.metric.feature_weights, index=self.feature_names, name="weight"),
                [self._pool.rows[members] for members in found.neighbourhoods],
                found.confidence,
                clustering,
                clustering.accuracy_interval(),
                clustering.group_count(),
                pool=PoolRows(self._source, self._pool.rows, self.records),
            )
            self._expansion = Expansion(self._source, self._pool, result, self.known)
        return self._expansion

    def _draw(self, log: Iterable[Reply], also: Collection[int] = ()) -> Pool:
        """The pool of a log of table rows."""
        named = {row for reply in log for row in reply.rows} | set(also) | set(self.known.pool_rows())
        return Pool(len(self), self._pool_size, self.seed, named, among=self._source.available)

    def _check_rows(self, rows: tuple[int, ...]) -> None:
        if not all(0 <= row < len(self) for row in rows):
            what = "pair" if len(rows) == 2 else "rows"
            shown = ", ".join(map(str, rows))
            raise ValueError(f"{what}=({shown}) but points run from 0 to {len(self) - 1}")

    def _to_table(self, question: Question) -> Question:
        proba = {int(self._pool.rows[at]): p for at, p in question.proba.items()}
        pair = self._pool.table_rows(question)
        return Question(*pair, is_recheck=question.is_recheck, proba=proba, reached=question.reached)
