"""The answer log of a session, and what it implies.

The log is the only state. Each line says at which step it was given, so the current step can be set up again
from the lines before it and replayed over its own.
"""

import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sameornot._types import Answer, Choice, Fact, Pair, Reply
from sameornot._validation import check_count
from sameornot.constraints import Constraints, Contradiction

# What a line of the log that holds only a pair and an answer leaves out: step, is_recheck, others, annotator.
DEFAULTS: tuple[Any, ...] = (0, False, (), "")


class TooManyGroups(ValueError):
    """Answers that tell more groups apart than `n_clusters`; `groups` holds the rows of each.

    Examples
    --------
    >>> from sameornot import ActiveSession, TooManyGroups
    >>> known = [((0, 1), "different"), ((1, 2), "different")]
    >>> session = ActiveSession([[0.0], [1.0], [2.0], [3.0]], n_clusters=2, infer_last=False, answers=known)
    >>> try:
    ...     session.tell("different", (0, 2))
    ... except TooManyGroups as error:
    ...     print(len(error.groups), "groups")
    3 groups
    """

    def __init__(self, groups: list[np.ndarray], n_clusters: int) -> None:
        self.groups, self.n_clusters = groups, n_clusters
        rows = ", ".join(str(int(members[0])) for members in groups)
        super().__init__(
            f"n_clusters={n_clusters} but with this answer rows {rows} all differ from each other, "
            f"which makes {len(groups)} groups: undo a wrong answer or start with a larger n_clusters"
        )


@dataclass(frozen=True)
class Closure:
    """How answers become constraints: over how many points, in how many groups, and what is inferred.

    `known` are facts that hold without an answer.
    """

    n_points: int
    n_clusters: int | None
    infer_last: bool = True
    known: tuple[Fact, ...] = ()

    @cached_property
    def _start(self) -> Constraints:
        answers = Constraints(self.n_points)
        for fact in self.known:
            answers.add(*fact, is_known=True)
        self._infer(answers)
        return answers

    def of(self, log: Iterable[Reply]) -> Constraints:
        """What is known and a log implies."""
        answers = self._start.copy()
        for reply in log:
            self.add(answers, reply)
        return answers

    def add(self, answers: Constraints, reply: Reply) -> None:
        """Add one answer, with what it implies where the number of groups is given.

        Of a choice, all pairs are added; a contradiction in any of them raises and changes nothing.
        """
        if reply.is_recheck:
            answers.add_vote(reply.pair, reply.answer)
        else:
            _check_choice(answers, reply)
            for fact in reply.facts:
                answers.add(*fact)
        if reply.answer is not Answer.UNSURE:
            self._infer(answers)

    def _infer(self, answers: Constraints) -> None:
        """Add what the number of groups implies."""
        if self.n_clusters is None:
            return
        if self.infer_last:
            answers.imply_last(self.n_clusters)
        found = answers.neighbourhoods(at_most=self.n_clusters + 1)
        # An expert who was seen to err may well seem to tell more groups apart than there are.
        if len(found) > self.n_clusters and not answers.is_inconsistent:
            raise TooManyGroups(answers.neighbourhoods(), self.n_clusters)

    def before_steps(self, log: Sequence[Reply], steps: Iterable[int]) -> Iterator[tuple[int, Constraints]]:
        """What was known at the start of each of some rising steps; the constraints are the same object."""
        answers = self._start.copy()
        waiting = iter(log)
        reply = next(waiting, None)
        for step in steps:
            while reply is not None and reply.step < step:
                self.add(answers, reply)
                reply = next(waiting, None)
            yield step, answers


def _check_choice(answers: Constraints, reply: Reply) -> None:
    """Raise the contradiction that some pair of a choice would lead to, before any is added."""
    if not reply.others:
        return
    for pair, answer in reply.facts:
        if answer is not Answer.UNSURE and answers.relation(*pair) not in (None, answer):
            raise Contradiction(pair, answer, answers.proof(*pair))
        is_chosen_too = reply.answer is Answer.SAME and answer is Answer.DIFFERENT
        if is_chosen_too and answers.relation(reply.pair.right, pair.right) is Answer.SAME:
            raise Contradiction(pair, answer, answers.proof(reply.pair.right, pair.right))


def last_step(log: Sequence[Reply]) -> int:
    """The step of the last answer, 0 without any."""
    return log[-1].step if log else 0


def read_log(answers: Iterable[Any]) -> list[Reply]:
    """Replies whose steps never go back, so that those of the last step are the end of the log."""
    log: list[Reply] = []
    for line in answers:
        reply = _read_line(line)
        log.append(reply._replace(step=max(reply.step, last_step(log))))
    return log


def _read_line(line: Any) -> Reply:
    try:
        pair, answer, *rest = line
        step, is_recheck, others, annotator = list(rest) + list(DEFAULTS[len(rest) :])
        if isinstance(answer, int) or isinstance(pair, int):
            raise TypeError
    except (TypeError, ValueError):
        raise ValueError(f"answers hold {line!r} but (pair, answer) or a Reply is needed") from None
    if others and is_recheck:
        raise ValueError(f"answers hold {line!r} but a question that is asked again is about one pair")
    step = check_count("step of an answer", step, at_least=0)
    reply = Reply(read_pair(pair), read_answer(answer), step, bool(is_recheck), (), str(annotator))
    return reply._replace(others=read_different_rows((*reply.pair, *others))[2:]) if others else reply


def annotators_of(log: Iterable[Reply]) -> list[str]:
    """Who gave each "same" and "different" of a log, in the order in which constraints keep them."""
    return [reply.annotator for reply in log for _, answer in reply.facts if answer is not Answer.UNSURE]


def read_pair(pair: Any) -> Pair:
    """Two row numbers."""
    try:
        left, right = (operator.index(point) for point in pair)
    except (TypeError, ValueError):
        raise ValueError(f"pair={pair!r} but two row numbers are needed") from None
    return Pair(left, right)


def read_different_rows(rows: Iterable[Any]) -> tuple[int, ...]:
    """Different row numbers: a row and those that it is compared with."""
    try:
        found = tuple(operator.index(row) for row in rows)
    except TypeError:
        raise ValueError(f"rows={rows!r} but row numbers are needed") from None
    if len(set(found)) < len(found):
        raise ValueError(f"rows={found} but different rows are needed")
    return found


def read_choice(answer: Any, choice: Choice) -> Reply:
    """The line of the log for an answer to a choice: one of its candidates, None for none, or "unsure"."""
    row, *candidates = read_different_rows((choice.row, *choice.candidates))
    if not candidates:
        raise ValueError(f"{choice} has no candidates but at least one is needed")
    if answer is None or answer in (Answer.DIFFERENT, Answer.DIFFERENT.value):
        said, chosen = Answer.DIFFERENT, candidates[0]
    elif answer in (Answer.UNSURE, Answer.UNSURE.value):
        said, chosen = Answer.UNSURE, candidates[0]
    elif answer in candidates:
        said, chosen = Answer.SAME, operator.index(answer)
    else:
        named = ", ".join(map(str, candidates))
        raise ValueError(f"answer={answer!r} but one of the rows {named}, None for none, or UNSURE is needed")
    others = tuple(candidate for candidate in candidates if candidate != chosen)
    return Reply(Pair(row, chosen), said, 0, choice.is_recheck and not others, others)


def read_answer(answer: Any) -> Answer:
    """An answer, or a word for one."""
    try:
        return Answer(answer)
    except ValueError:
        options = ", ".join(repr(option.value) for option in Answer)
        raise ValueError(f"answer={answer!r} but an Answer or one of {options} is needed") from None


def read_seed(random_state: Any) -> int:
    """The seed that was given, or one drawn."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    return check_count("random_state", random_state, at_least=0)
