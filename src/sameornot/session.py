"""The session: `ask`, `tell`, `undo`, `result`, on a table of any size. No input, no output, no clock.

Questions are about the rows of a bounded pool (`_pool.py`); the interview (`interview.py`) knows those alone.
Here rows of the table become rows of the pool and back, and the other rows get the groups that were found.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Self, overload

import numpy as np

from sameornot._pool import Pool, usual_size
from sameornot._reading import choose_method, read_answer, read_log, read_pair, read_seed, read_settings
from sameornot._types import Answer, Pair, Recheck, Reply
from sameornot._validation import check_count, check_n_clusters, check_table
from sameornot.constraints import Constraints, Contradiction
from sameornot.ensemble.expansion import extend
from sameornot.interview import Interview, SessionResult, TooManyGroups, absorb

__all__ = ["ActiveSession", "SessionResult", "TooManyGroups", "absorb"]


class ActiveSession:
    """Ask an expert "same or different?", learn which features matter, and group the rows.

    Parameters
    ----------
    X : array or DataFrame of numbers, one row a record
    n_clusters : int, optional
        Number of groups; None lets it grow with what the expert finds.
    strategy : str, optional
        How questions are chosen: one of `sameornot.query.STRATEGIES`. "panel" unless anything else is named;
        "mee" is the paper's.
    clusterer : str, optional
        How rows are grouped: one of `sameornot.cluster.METHODS`. Unless given, that of the strategy's own
        name where it has one, else "augmented", the paper's.
    **settings
        Those of the clusterer; for "augmented": metric, penalty, separation, augmentation, weight, emphasis,
        n_init, max_iter, as told in `sameornot.cluster.AugmentedSettings`; to give one of these is to name
        the paper's method.
    infer_last : bool
        With `n_clusters` given, a row known to differ from all groups but one belongs to that one and is not
        asked about. False is the paper's accounting of questions.
    standardize : bool
        Divide each feature by its standard deviation first.
    pool : int, optional
        Rows that questions may be about, at most: of a larger table so many are drawn. Unless given, all
        of up to 3,000 rows, and 2,000 of more. All rows get a group.
    random_state : int, Generator or None
        The same seed and answers give the same questions. `session.seed` holds what was drawn for None.
    answers : iterable of Reply or (pair, answer)
        A log to resume from (`session.answers` of an earlier session), or what is known beforehand.

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
        strategy: str | None = None,
        clusterer: str | None = None,
        infer_last: bool = True,
        standardize: bool = True,
        pool: int | None = None,
        random_state: int | np.random.Generator | None = None,
        answers: Iterable[Reply | tuple[Any, Any]] = (),
        **settings: Any,
    ) -> None:
        self._X, self.feature_names = check_table(X)
        self.n_clusters = None if n_clusters is None else check_n_clusters(n_clusters, len(self._X))
        self.strategy, self.clusterer = choose_method(strategy, clusterer, settings)
        self.infer_last, self.standardize = infer_last, standardize
        self.settings = read_settings(self.clusterer, settings)
        self.seed = read_seed(random_state)
        wanted = usual_size(len(self._X)) if pool is None else check_count("pool", pool, at_least=2)
        self._pool_size = max(wanted, self.n_clusters or 0)
        self._result: tuple[SessionResult, SessionResult] | None = None
        self._interview: Interview
        self._open(read_log(answers))

    def _open(self, log: list[Reply], also: Pair | None = None) -> None:
        """Stand where a session with this log stands; `also` can be asked about in any case."""
        for reply in log:
            self._check_rows(reply.pair)
        self._pool = self._draw(log, also)
        self._interview = Interview(
            self._X if self._pool.is_all else self._X[self._pool.rows],
            self.n_clusters,
            self.strategy,
            self.settings,
            feature_names=self.feature_names,
            infer_last=self.infer_last,
            standardize=self.standardize,
            seed=self.seed,
            log=[reply._replace(pair=self._pool.to_pool(reply.pair)) for reply in log],
        )

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._X)

    @property
    def pool(self) -> np.ndarray:
        """The rows that questions may be about."""
        return self._pool.rows

    @property
    def answers(self) -> list[Reply]:
        """The log: every answer, in order."""
        return [reply._replace(pair=self._pool.to_table(reply.pair)) for reply in self._interview.answers]

    @property
    def constraints(self) -> Constraints:
        """What the answers imply so far."""
        if self._pool.is_all:
            return self._interview.constraints
        implied = Constraints(len(self._X))
        for reply in self.answers:
            absorb(implied, reply, self.n_clusters, infer_last=self.infer_last)
        return implied

    @property
    def step(self) -> int:
        """The step that the next answer belongs to: questions of one step are chosen by one fit."""
        return self._interview.step

    @overload
    def ask(self) -> Pair | None: ...

    @overload
    def ask(self, n_questions: int) -> list[Pair]: ...

    def ask(self, n_questions: int | None = None) -> Pair | list[Pair] | None:
        """The pair to show next; the same until it is answered, None when nothing is left to ask.

        With a number, so many pairs about different rows, fewer when fewer are left: they can be answered in
        any order and by several people, each with ``tell(answer, pair)``.
        """
        if n_questions is not None:
            return self._ask_many(check_count("n_questions", n_questions))
        pair = self._interview.ask()
        return None if pair is None else self._pool.to_table(pair)

    def _ask_many(self, n_questions: int) -> list[Pair]:
        pending = self.ask()
        pairs = [] if pending is None else [pending]
        while pairs and len(pairs) < n_questions and (pair := self.ask_beside(pairs)) is not None:
            pairs.append(pair)
        return pairs

    def ask_beside(self, held: Sequence[Pair]) -> Pair | None:
        """A question for one more person, while others look at the `held` pairs: about another row."""
        pair = self._interview.ask_beside([self._pool.to_pool(other) for other in held])
        return None if pair is None else self._pool.to_table(pair)

    def odds(self) -> dict[int, float]:
        """How likely the first row of the open question is to be of each group, by a row of that group.

        Empty where nothing is open, or where the strategy does not ask by odds.
        """
        return {int(self._pool.rows[row]): chance for row, chance in self._interview.odds().items()}

    def tell(self, answer: Answer | str, pair: tuple[int, int] | None = None) -> None:
        """Take the answer to the pending question, or to a pair of one's own choice.

        An answer that cannot be true together with the earlier ones raises a ValueError, with the chain of
        answers that proves it, and changes nothing.
        """
        answer = read_answer(answer)
        if pair is None:
            with self._rows_of_the_table():
                self._interview.tell(answer)
            return
        shown = pair if isinstance(pair, Recheck) else read_pair(pair)
        self._check_rows(shown)
        log = self.answers
        is_outside = any(row not in self._pool.position for row in shown)
        if is_outside:
            self._open(log, also=shown)
        try:
            with self._rows_of_the_table():
                self._interview.tell(answer, self._pool.to_pool(shown))
        except ValueError:
            if is_outside:
                self._open(log)
            raise

    def undo(self, n_answers: int = 1) -> None:
        """Take back the last answers; the session is then as if they had never been given."""
        n_answers = check_count("n_answers", n_answers)
        log = self.answers
        if n_answers > len(log):
            raise ValueError(f"n_answers={n_answers} but only {len(log)} were given")
        if len(self._draw(log[:-n_answers])) == len(self._pool):
            self._interview.undo(n_answers)
        else:
            self._open(log[:-n_answers])

    def fork(self) -> Self:
        """Another session that stands where this one does; what it is told, this one does not hear."""
        twin = copy(self)
        twin._interview = self._interview.fork()
        return twin

    def result(self) -> SessionResult:
        """The grouping that all answers so far lead to."""
        found = self._interview.result()
        if self._pool.is_all:
            return found
        if self._result is None or self._result[0] is not found:
            self._result = found, self._extend(found)
        return self._result[1]

    def credibility(self) -> dict[Pair, float]:
        """How likely the last answer to each question is to be right, by what all other answers say.

        A number below one half names an answer worth a second look. Empty for methods that cannot tell.
        """
        found = self._interview.credibility()
        return {self._pool.to_table(pair): chance for pair, chance in found.items()}

    def _draw(self, log: Iterable[Reply], also: Pair | None = None) -> Pool:
        named = {row for reply in log for row in reply.pair} | set(also or ())
        return Pool(len(self._X), self._pool_size, self.seed, named)

    def _check_rows(self, pair: Pair) -> None:
        if not all(0 <= row < len(self._X) for row in pair):
            raise ValueError(f"pair=({pair.left}, {pair.right}) but points run from 0 to {len(self._X) - 1}")

    @contextmanager
    def _rows_of_the_table(self) -> Iterator[None]:
        """Have what cannot be true told with rows of the table."""
        try:
            yield
        except Contradiction as error:
            chain = [(self._pool.to_table(pair), answer) for pair, answer in error.chain]
            raise Contradiction(self._pool.to_table(error.pair), error.answer, chain) from None
        except TooManyGroups as error:
            groups = [self._pool.rows[members] for members in error.groups]
            raise TooManyGroups(groups, error.n_clusters) from None

    def _extend(self, found: SessionResult) -> SessionResult:
        """The groups of the pool, and those of all other rows."""
        wide = self._pool.widened(self._X.shape[1])
        grouping, labels, confidence = extend(found.clustering, self._X, self._pool.rows, wide.rows)
        if grouping is found.clustering:
            labels[self._pool.rows], confidence[self._pool.rows] = found.labels, found.confidence
        hoods = [self._pool.rows[members] for members in found.neighbourhoods]
        return replace(found, labels=labels, confidence=confidence, neighbourhoods=hoods, clustering=grouping)
