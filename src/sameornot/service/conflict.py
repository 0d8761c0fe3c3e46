"""Answers that cannot all be true: which ones they are, and what a person can change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sameornot._types import Answer
from sameornot.constraints import Contradiction
from sameornot.service.entry import Change, Entry, Part
from sameornot.service.errors import Conflict
from sameornot.service.proposal import NewAnswer
from sameornot.session import TooManyGroups

OPPOSITE = {Answer.SAME: Answer.DIFFERENT, Answer.DIFFERENT: Answer.SAME}

# Of the answers that tell groups apart, how many can be said to be wrong where any of them may be.
N_RECENT = 5

# How much less likely than the next an answer has to be to be called the likeliest error.
CLEARLY = 0.9
# What a person says to a choice where no candidate fits.
NONE = "None of these"
DOUBTED = "fits the other answers least"

# What a line of the page says about an answer, and how likely the answer about two rows is to be right.
Describe = Callable[[Part], dict[str, Any]]
AnswerProba = Mapping[frozenset[int], float]


@dataclass(frozen=True)
class Attempt:
    """What somebody tried: the new answer, if any, and `entries`, the answers with the `changes` made."""

    answer: NewAnswer | None
    changes: Sequence[Change]
    entries: Sequence[Entry]
    describe: Describe

    @property
    def as_json(self) -> dict[str, Any] | None:
        """The new answer as the page knows it."""
        return None if self.answer is None else self.answer.as_json()


def find_conflict(
    error: Contradiction | TooManyGroups, attempt: Attempt, proba: AnswerProba, n_groups: int | None
) -> Conflict:
    """What to show for an error of the session; all answers would fit with `n_groups` groups, if not None."""
    chain = by_doubt(_chain(error, attempt), proba)
    options = [_flip(part, attempt) for part in chain]
    if doubted := most_doubtful(chain, proba):
        options[0]["label"] += f" ({DOUBTED})"
        options[0]["doubted"] = doubted.seq
    payload = {"said": attempt.as_json, "chain": [attempt.describe(part) for part in chain]}
    if n_groups is None:
        sentence = _contradiction_sentence(attempt.answer, len(chain))
        return Conflict({"kind": "contradiction", "sentence": sentence, **payload, "options": options})
    wanted = "1 is" if n_groups == 2 else f"{n_groups - 1} are"
    return Conflict(
        {
            "kind": "too_many_groups",
            "sentence": f"With this there would be {n_groups} groups, and {wanted} wanted. "
            f"Are there {n_groups}?",
            "clusters": n_groups,
            **payload,
            "options": [_one_more(n_groups, attempt), *options],
        }
    )


def merge_conflict(labels: tuple[str, str], parts: Sequence[Part], describe: Describe) -> Conflict:
    """What merging two groups would change that were told apart."""
    answers = "1 earlier answer" if len(parts) == 1 else f"{len(parts)} earlier answers"
    verb = "says" if len(parts) == 1 else "say"
    option = {
        "label": f"Merge them and change {answers}",
        "changes": [part.joined().as_json() for part in parts],
        "said": False,
    }
    return Conflict(
        {
            "kind": "merge",
            "sentence": f"{answers} {verb} that {labels[0]} and {labels[1]} differ. "
            "Merging them changes this to “same”.",
            "said": None,
            "chain": [describe(part) for part in parts],
            "options": [option],
        }
    )


def by_doubt(chain: Sequence[Part], proba: AnswerProba) -> list[Part]:
    """The answers of a conflict, the likeliest error first; of equals, as they were."""
    return sorted(chain, key=lambda part: round(proba.get(frozenset(part.pair), 1.0), 6))


def most_doubtful(chain: Sequence[Part], proba: AnswerProba) -> Part | None:
    """The answer that fits all others far worse than the rest of the chain does, if there is one."""
    chances = sorted(proba.get(frozenset(part.pair), 1.0) for part in chain)
    if len(chances) < 2 or chances[0] > CLEARLY * chances[1]:
        return None
    return by_doubt(chain, proba)[0]


def _chain(error: Contradiction | TooManyGroups, attempt: Attempt) -> list[Part]:
    """The answers of which one is wrong."""
    if isinstance(error, TooManyGroups):
        apart = (entry for entry in reversed(attempt.entries) if entry.answer is Answer.DIFFERENT)
        return [part for entry in apart for part in entry.parts][:N_RECENT]
    facts = [frozenset(pair) for pair, _ in error.chain]
    if (
        attempt.answer is None
    ):  # a changed answer contradicts one that came after it: that one belongs here too
        facts.append(frozenset(error.pair))
    parts = (part for entry in attempt.entries for part in entry.parts)
    stated = {frozenset(part.pair): part for part in parts if part.answer is not Answer.UNSURE}
    return [stated[fact] for fact in dict.fromkeys(facts) if fact in stated]


def _contradiction_sentence(answer: NewAnswer | None, n_earlier: int) -> str:
    answers = "an earlier answer" if n_earlier == 1 else f"{n_earlier} earlier answers"
    if answer is None:
        return f"With this change, {n_earlier} answers cannot all be true. Which one is wrong?"
    said = NONE if answer.others and answer.answer is Answer.DIFFERENT else answer.answer.value.capitalize()
    return f"“{said}” cannot be true together with {answers}. Which one is wrong?"


def _flip(part: Part, attempt: Attempt) -> dict[str, Any]:
    """The option to correct one of the answers."""
    shown = attempt.describe(part)
    to = OPPOSITE[part.answer]
    verdict = "the same" if to is Answer.SAME else to.value
    others = [change for change in attempt.changes if change.seq != part.seq]
    pair = f"{shown['left']['id']} and {shown['right']['id']}"
    return {
        "label": f"Answer {shown['n']} was wrong: {pair} are {verdict}",
        "changes": [change.as_json() for change in (*others, part.corrected(to))],
        "said": attempt.answer is not None,
    }


def _one_more(n_groups: int, attempt: Attempt) -> dict[str, Any]:
    """The option to have one more group."""
    return {
        "label": f"There are {n_groups} groups",
        "changes": [change.as_json() for change in attempt.changes],
        "said": attempt.answer is not None,
        "clusters": n_groups,
    }
