"""Answers that cannot all be true: what the person is shown, and what she can change."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.constraints import Contradiction
from sameornot.service.log import Entry
from sameornot.session import TooManyGroups

OPPOSITE = {Answer.SAME: Answer.DIFFERENT, Answer.DIFFERENT: Answer.SAME}

# Of the answers that tell groups apart, how many can be said to be wrong where any of them may be.
N_RECENT = 5

# How much less likely than the next an answer has to be to be called the likeliest culprit.
CLEARLY = 0.9
DOUBTED = "fits the other answers least"

# What a line of the page says of an answer; given by the desk, which knows the records.
Line = Callable[[Entry], dict[str, Any]]
Change = tuple[int, str]


class DeskProblem(ValueError):
    """Something that the person can change, in one sentence."""


class Clash(ValueError):
    """An answer or a change that does not fit the answers that are there; nothing was saved.

    `payload` has the earlier answers that it clashes with and what can be done about it.
    """

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__(payload["sentence"])
        self.payload = payload


def find_clash(
    error: Contradiction | TooManyGroups,
    said: dict[str, Any] | None,
    entries: Sequence[Entry],
    changes: Sequence[Change],
    line: Line,
    to_table: Callable[[Pair], Pair],
    more: int | None,
    likely: Mapping[frozenset[int], float],
) -> Clash:
    """What to show for an error of the session; `entries` are the answers with the `changes` made.

    `more` is the number of groups with which everything would fit, if there is one; `likely` how likely the
    answer about two rows is to be right.
    """
    if isinstance(error, TooManyGroups):
        chain = [entry for entry in reversed(entries) if entry.answer is Answer.DIFFERENT][:N_RECENT]
    else:
        facts = [frozenset(to_table(pair)) for pair, _ in error.chain]
        if said is None:  # a changed answer clashes with one that came after it: that one is of the chain too
            facts.append(frozenset(to_table(error.pair)))
        chain = _entries_of(facts, entries)
    options = [_flip(entry, changes, line, said is not None) for entry in by_doubt(chain, likely)]
    if doubted := most_doubtful(chain, likely):
        options[0]["label"] += f" ({DOUBTED})"
        options[0]["doubted"] = doubted.seq
    payload = {"said": said, "chain": [line(entry) for entry in chain], "options": options}
    if more is None:
        return Clash({"kind": "contradiction", "sentence": _sentence(said, len(chain)), **payload})
    wanted = "1 is" if more == 2 else f"{more - 1} are"
    sentence = f"With this there would be {more} groups, and {wanted} wanted. Are there {more}?"
    added = {
        "label": f"There are {more} groups",
        "changes": [{"seq": seq, "to": to} for seq, to in changes],
        "said": said is not None,
        "clusters": more,
    }
    payload["options"] = [added, *options]
    return Clash({"kind": "too_many_groups", "sentence": sentence, "clusters": more, **payload})


def by_doubt(chain: Sequence[Entry], likely: Mapping[frozenset[int], float]) -> list[Entry]:
    """The answers of a clash, the likeliest culprit first; of equals, as they were."""
    return sorted(chain, key=lambda entry: round(likely.get(frozenset(entry.pair), 1.0), 6))


def most_doubtful(chain: Sequence[Entry], likely: Mapping[frozenset[int], float]) -> Entry | None:
    """The answer that fits all others far worse than the rest of the chain does, if there is one."""
    chances = sorted(likely.get(frozenset(entry.pair), 1.0) for entry in chain)
    if len(chances) < 2 or chances[0] > CLEARLY * chances[1]:
        return None
    return by_doubt(chain, likely)[0]


def _sentence(said: dict[str, Any] | None, n_earlier: int) -> str:
    answers = "an earlier answer" if n_earlier == 1 else f"{n_earlier} earlier answers"
    if said is None:
        return f"With this change, {n_earlier} answers cannot all be true. Which one is wrong?"
    return f"“{said['answer'].capitalize()}” cannot be true together with {answers}. Which one is wrong?"


def _entries_of(facts: Sequence[frozenset[int]], entries: Sequence[Entry]) -> list[Entry]:
    """The answers that state these facts, in the order of the chain, each once."""
    stated = {frozenset(entry.pair): entry for entry in entries if entry.answer is not Answer.UNSURE}
    return [stated[fact] for fact in dict.fromkeys(facts) if fact in stated]


def _flip(entry: Entry, changes: Sequence[Change], line: Line, said: bool) -> dict[str, Any]:
    shown = line(entry)
    to = OPPOSITE[entry.answer].value
    word = "the same" if to == "same" else to
    others = [{"seq": seq, "to": new} for seq, new in changes if seq != entry.seq]
    pair = f"{shown['left']['id']} and {shown['right']['id']}"
    return {
        "label": f"Answer {shown['n']} was wrong: {pair} are {word}",
        "changes": [*others, {"seq": entry.seq, "to": to}],
        "said": said,
    }


def merge_clash(labels: tuple[str, str], entries: Sequence[Entry], line: Line) -> Clash:
    """What merging two groups that were told apart would change."""
    answers = "1 earlier answer" if len(entries) == 1 else f"{len(entries)} earlier answers"
    verb = "says" if len(entries) == 1 else "say"
    return Clash(
        {
            "kind": "merge",
            "sentence": f"{answers} {verb} that {labels[0]} and {labels[1]} differ. "
            "Merging them changes this to “same”.",
            "said": None,
            "chain": [line(entry) for entry in entries],
            "options": [
                {
                    "label": f"Merge them and change {answers}",
                    "changes": [{"seq": entry.seq, "to": Answer.SAME.value} for entry in entries],
                    "said": False,
                }
            ],
        }
    )
