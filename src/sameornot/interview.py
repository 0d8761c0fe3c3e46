"""The interview: which question is open, and what the answers have led to. No input, no output, no clock.

The answer log is the only truth. Each line says during which step it was given, so the current step can be
set up again from the lines before it and replayed over its own: a resumed or undone session stands exactly
where one with that log would, without fitting the steps in between. A step's randomness comes from
`default_rng([seed, step])`.
"""

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot._types import Answer, Pair, Recheck, Reply
from sameornot.cluster import Agreement, Grouping, Method, Past
from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric, feature_scale
from sameornot.query import STRATEGIES, Problem, Questions
from sameornot.query.problem import Found


@dataclass(frozen=True)
class SessionResult:
    """The grouping that the answers lead to.

    Attributes
    ----------
    labels : ndarray of int, one a row
    metric : Metric
        `metric.matrix` is A; `metric.transform(X)` gives rows whose Euclidean distances are the learned ones.
    feature_weights : Series
        Share of each column in the metric, per standard deviation.
    neighbourhoods : list of ndarray
        Rows that the expert's answers put together. All of them are known to differ from each other; with
        the panel and a given number of groups, some may only be presumed to.
    confidence : ndarray of float, one a row
        1 where the expert placed the row, else how much nearer its group is than the others, in (0, 1].
    clustering : Grouping
        `clustering.predict(new_rows)` gives the group of rows that were not there.
    agreement : Agreement or None
        Share of the rows that are in the group that the expert would put them in, as estimated from what was
        foretold before each answer: `estimate`, and `low` to `high`, which holds nine times in ten. None
        where the clusterer foretells nothing.
    """

    labels: np.ndarray
    metric: Metric
    feature_weights: pd.Series
    neighbourhoods: list[np.ndarray]
    confidence: np.ndarray
    clustering: Grouping
    agreement: Agreement | None = None


class Interview:
    """The steps of a session on rows 0 … n − 1, all of which can be asked about.

    `settings` are those of the clusterer; features are divided by their standard deviations first if
    `standardize` says so. `log` is what has been answered.
    """

    def __init__(
        self,
        X: np.ndarray,
        n_clusters: int | None,
        strategy: str,
        settings: Method,
        *,
        feature_names: list[str],
        infer_last: bool,
        standardize: bool,
        seed: int,
        log: list[Reply],
    ) -> None:
        self._X, self.feature_names = X, feature_names
        self.n_clusters = n_clusters
        self.strategy, self.settings = strategy, settings
        self.infer_last = infer_last
        self.seed = seed
        self._scale = feature_scale(X, standardize=standardize)
        self._order = np.random.default_rng(seed).permutation(len(X))
        self._history: list[Metric | None] = []
        self._kept: dict[int, Any] = {}
        self._around: Any = None
        self._fitted: tuple[tuple[int, int], Grouping] | None = None
        self._problem: Problem
        self._questions: Questions
        self._pending: Pair | None
        self._result: SessionResult | None
        self._restart(log)

    @property
    def answers(self) -> list[Reply]:
        """The log: every answer, in order."""
        return list(self._log)

    @property
    def constraints(self) -> Constraints:
        """What the answers imply so far."""
        return self._constraints

    @property
    def step(self) -> int:
        """The step that the next answer belongs to: questions of one step are chosen by one fit."""
        return self._step

    def ask(self) -> Pair | None:
        """The pair to show next; the same until it is answered, None when nothing is left to ask."""
        if not self._is_set_up:
            self._set_up_step()
        if self._pending is None:
            self._begin(self._step + 1)
            self._step += self._pending is not None
        return self._pending

    def ask_beside(self, held: Sequence[Pair]) -> Pair | None:
        """A question for one more person, while others look at the `held` pairs: about another row."""
        if self.ask() is None or self.settings.is_flow:
            return None
        said = [reply.pair for reply in self._log if reply.step == self._step]
        problem = self._problem.beside([*held, *said])
        questions = STRATEGIES[self.strategy](problem, self._step_rngs(self._step)[1])
        pair = next(questions, None)
        while pair is not None:
            is_held = pair.left in problem.held or any(set(pair) == set(other) for other in held)
            reply = Answer.UNSURE if is_held else self._settled(pair)
            if reply is None:
                return pair
            pair = _send(questions, reply)
        return None

    def odds(self) -> dict[int, float]:
        """How likely the first row of the open question is to be of each group, by a row of that group.

        Empty where nothing is open, or where the strategy does not ask by odds.
        """
        pair = self.ask()
        if pair is None or pair.left not in self._problem.odds:
            return {}
        first = (int(members[0]) for members in self._problem.hoods)
        return dict(zip(first, self._problem.odds[pair.left].tolist(), strict=True))

    def tell(self, answer: Answer, pair: Pair | None = None) -> None:
        """Take the answer to the pending question, or to a pair of one's own choice."""
        shown = self.ask() if pair is None else pair
        if shown is None:
            raise ValueError(
                f"answer={answer.value!r} but nothing is left to ask: name the pair that it is for"
            )
        reply = Reply(Pair(*shown), answer, self._step, self._is_recheck(shown))
        try:
            self._absorb(self._constraints, reply)
        except TooManyGroups:
            self._restart(self._log)
            raise
        self._log.append(reply)
        self._result = None
        if self._is_set_up:
            self._advance(reply)

    def _is_recheck(self, shown: Pair) -> bool:
        """Whether a pair is asked about although earlier answers settle it."""
        is_open = self._is_set_up and self._pending is not None and set(shown) == set(self._pending)
        return isinstance(self._pending if is_open else shown, Recheck)

    def undo(self, n_answers: int = 1) -> None:
        """Take back the last answers; the interview is then as if they had never been given."""
        self._restart(self._log[:-n_answers])

    def fork(self) -> Self:
        """Another interview that stands where this one does; what it is told, this one does not hear."""
        twin = copy(self)
        twin._restart(list(self._log))
        twin._step = self._step  # the question that is open here was chosen in this step
        twin._shared = self._problem.found if self._is_set_up and self._step > 0 else {}
        return twin

    def result(self) -> SessionResult:
        """The grouping that all answers so far lead to."""
        if self._result is None:
            self._result = self._fit_result()
        return self._result

    def credibility(self) -> dict[Pair, float]:
        """How likely the answer to each question is to be right by what the rest says; empty if unknown."""
        found, told = self.result(), self._constraints.answers
        chances = self.settings.credibility(found.clustering, told, found.neighbourhoods)
        if chances is None:
            return {}
        return {pair: float(chance) for (pair, _), chance in zip(told, chances, strict=True)}

    def _restart(self, log: list[Reply]) -> None:
        """Stand where a session with this log stands; its open questions are set up when they are needed."""
        self._constraints = self._close(log)
        self._log = log
        self._step = self._last_step()
        self._history = self._history[: self._step]
        self._kept = {step: kept for step, kept in self._kept.items() if step <= self._step}
        self._fitted = None
        self._is_set_up = False
        self._shared: dict[str, Found] = {}
        self._pending = None
        self._result = None

    def _last_step(self) -> int:
        """The step of the last answer: unlike `_step`, it does not move when a question is looked at."""
        return self._log[-1].step if self._log else 0

    def _close(self, log: Iterable[Reply]) -> Constraints:
        constraints = Constraints(len(self._X))
        for reply in log:
            self._absorb(constraints, reply)
        return constraints

    def _absorb(self, constraints: Constraints, reply: Reply) -> None:
        absorb(constraints, reply, self.n_clusters, infer_last=self.infer_last)

    def _set_up_step(self) -> None:
        """Begin the current step from the answers before it, then lead it through its own."""
        self._is_set_up = True
        if self._step == 0:
            return
        earlier = [reply for reply in self._log if reply.step < self._step]
        self._constraints = self._close(earlier)
        self._begin(self._step)
        for reply in self._log[len(earlier) :]:
            self._absorb(self._constraints, reply)
            self._advance(reply)

    def _begin(self, step: int) -> None:
        """Start the strategy on what is known now."""
        # A flow that has ended is gone through again: all of its questions are settled.
        fit_rng, query_rng = self._step_rngs(1 if self.settings.is_flow else step)
        constraints = self._constraints
        self._problem = Problem(
            self._X,
            constraints,
            self.n_clusters,
            self._order,
            self._scale,
            self.settings,
            lambda: self._fit_step(step, constraints, fit_rng),
            found=self._shared,
        )
        self._shared = {}
        self._questions = STRATEGIES[self.strategy](self._problem, query_rng)
        self._pending = next(self._questions, None)
        self._skip_settled()

    def _fit_step(self, step: int, constraints: Constraints, rng: np.random.Generator) -> Grouping:
        if self.settings.remembers:
            fitted = self._fit_after(step, constraints)
            if step in self.settings.recalls(step + 1):
                self._kept[step] = self.settings.kept_of(fitted)
            return fitted
        return self.settings.fit_step(self._X, constraints, self._n_groups(constraints), self._scale, rng)

    def _fit_after(self, step: int, constraints: Constraints) -> Grouping:
        """The fit that a step begins with, of a method that remembers; the same as the result before it."""
        key = (step, len(constraints.answers))
        if self._fitted is None or self._fitted[0] != key:
            self._fitted = key, self._fit_remembering(step, constraints)
        return self._fitted[1]

    def _fit_remembering(self, step: int, constraints: Constraints) -> Grouping:
        past = Past(self._survey(), self._recall(step))
        rng = self._step_rngs(step)[0]
        return self.settings.fit_after(self._X, constraints, self.n_clusters, self._scale, rng, past)

    def _survey(self) -> Any:
        if self._around is None:
            self._around = self.settings.survey(self._X, self._scale, self.n_clusters)
        return self._around

    def _recall(self, step: int) -> list[Any]:
        """What was kept of the earlier steps that a fit at this one asks for, found again where it is not."""
        wanted = list(self.settings.recalls(step))
        for at, constraints in self._at_steps([at for at in wanted if at not in self._kept]):
            self._kept[at] = self.settings.kept_of(self._fit_remembering(at, constraints))
        return [self._kept[at] for at in wanted]

    def _at_steps(self, steps: Sequence[int]) -> Iterator[tuple[int, Constraints]]:
        """What was known at the start of each of some rising steps; the constraints are the same object."""
        constraints = Constraints(len(self._X))
        waiting = iter(self._log)
        reply = next(waiting, None)
        for step in steps:
            while reply is not None and reply.step < step:
                self._absorb(constraints, reply)
                reply = next(waiting, None)
            yield step, constraints

    def _advance(self, reply: Reply) -> None:
        """Hand an answer on to the strategy if it is the one that it waits for."""
        if self._pending is not None and set(reply.pair) == set(self._pending):
            self._send(reply.answer)
        self._skip_settled()

    def _skip_settled(self) -> None:
        """Reply to questions that need no expert: settled by earlier answers, or put aside."""
        while self._pending is not None and (reply := self._settled(self._pending)) is not None:
            self._send(reply)

    def _settled(self, pair: Pair) -> Answer | None:
        if isinstance(pair, Recheck):
            return None
        if self.n_clusters == 1 and self.infer_last:
            return Answer.SAME
        return Answer.UNSURE if self._constraints.is_unsure(*pair) else self._constraints.relation(*pair)

    def _send(self, answer: Answer) -> None:
        self._pending = _send(self._questions, answer)

    def _step_rngs(self, step: int) -> tuple[np.random.Generator, np.random.Generator]:
        fit_rng, query_rng = np.random.default_rng([self.seed, step]).spawn(2)
        return fit_rng, query_rng

    def _n_groups(self, constraints: Constraints) -> int:
        return self.n_clusters or max(1, len(constraints.neighbourhoods()))

    def _fit_result(self) -> SessionResult:
        found = self._fit_grouping()
        told = self.settings.neighbourhoods(self._constraints, self.n_clusters)
        hoods = self.settings.known_groups(found, told)
        labels, confidence = found.labels.copy(), self.settings.sureness(self._X, found)
        # A flow's groups are those that it had when they last made a whole; one that remembers has judged
        # the answers itself.
        if not (self.settings.is_flow or self.settings.remembers):
            for m, members in enumerate(hoods):
                labels[members] = m  # a price can be outbid, an answer cannot
                confidence[members] = 1.0
        weights = pd.Series(found.metric.feature_weights, index=self.feature_names, name="weight")
        agreement = self.settings.forecast(found)
        return SessionResult(labels, found.metric, weights, hoods, confidence, found, agreement)

    def _fit_grouping(self) -> Grouping:
        if self.settings.is_flow and self._is_set_up and self._step > 0:
            return self.settings.fit_live(self._X, self._scale, self._problem.progress)
        if self.settings.remembers:
            return self._fit_after(self._last_step() + 1, self._constraints)
        return self.settings.fit_final(
            self._X,
            self._constraints,
            self._n_groups(self._constraints),
            self._scale,
            self._result_rng(),
            self._metrics_of_steps() if self.settings.aggregates else (),
        )

    def _result_rng(self) -> np.random.Generator:
        if self.settings.is_flow:
            return self._step_rngs(1)[1]  # the questions are gone through again, as they were asked
        return np.random.default_rng([self.seed, self._last_step(), len(self._log)])

    def _metrics_of_steps(self) -> list[Metric]:
        """The metric at the start of each step (A^1 … A^T−1) that had a "different" to learn from."""
        missing = range(len(self._history) + 1, self._last_step() + 1)
        for step, constraints in self._at_steps(missing):
            n_groups = self._n_groups(constraints)
            rng = self._step_rngs(step)[0]
            metric = self.settings.fit_metric(self._X, constraints, n_groups, self._scale, rng)
            self._history.append(metric if len(constraints.cannot_link) else None)
        return [metric for metric in self._history if metric is not None]


def _send(questions: Questions, answer: Answer) -> Pair | None:
    """The next question of a strategy, if it has one more."""
    try:
        return questions.send(answer)
    except StopIteration:
        return None


def absorb(
    constraints: Constraints, reply: Reply, n_clusters: int | None, *, infer_last: bool = True
) -> None:
    """Take one answer into what is known, with what it implies where the number of groups is given."""
    if reply.is_recheck:
        constraints.add_vote(reply.pair, reply.answer)
    else:
        constraints.add(reply.pair, reply.answer)
    if n_clusters is None or reply.answer is Answer.UNSURE:
        return
    if infer_last:
        constraints.imply_last(n_clusters)
    found = constraints.neighbourhoods()
    # Who was seen to err may well seem to tell more groups apart than there are.
    if len(found) > n_clusters and not constraints.is_inconsistent:
        raise TooManyGroups(found, n_clusters)


class TooManyGroups(ValueError):
    """Answers that tell more groups apart than there should be."""

    def __init__(self, groups: list[np.ndarray], n_clusters: int) -> None:
        self.groups, self.n_clusters = groups, n_clusters
        rows = ", ".join(str(int(members[0])) for members in groups)
        super().__init__(
            f"n_clusters={n_clusters} but with this answer rows {rows} all differ from each other, "
            f"which makes {len(groups)} groups: undo a wrong answer or start with a larger n_clusters"
        )
