"""What there is to read of a session at one moment: questions with their reasons, answers, a picture."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from sameornot._types import Answer, Pair
from sameornot.plots import learned_map
from sameornot.service.clash import DeskProblem
from sameornot.service.groups import Groups
from sameornot.service.log import Entry, Log, Look
from sameornot.service.sheet import Sheet
from sameornot.service.standing import Standing

# Columns whose weight is drawn.
N_WEIGHTS = 15


@dataclass(frozen=True)
class View:
    """A log, where it leads, and the table that both speak of."""

    sheet: Sheet
    log: Log
    standing: Standing

    @cached_property
    def groups(self) -> Groups:
        """The groups with their names."""
        return Groups(self.sheet, self.standing, self.log.names)

    def question(self, look: Look) -> dict[str, Any]:
        """Two records side by side, and why they are asked about."""
        fields, n_more = self.sheet.compare(look.pair.left, look.pair.right, self.groups.weights)
        return {
            "id": look.question,
            **self.heads(look.pair),
            "why": self.why(look.pair),
            "fields": fields,
            "n_more": n_more,
        }

    def why(self, pair: Pair) -> str:
        """Which group a record is compared with, and how unsure the model is."""
        if any(set(entry.pair) == set(pair) for entry in self.log.entries):
            return "This was asked before: a second answer tells how far single answers can be relied on."
        left, right = self.sheet.to_pool(pair)
        if not self.standing.result.neighbourhoods:
            return "To begin with: nothing is known yet, so any two records will do."
        name = self.sheet.name(pair.left)
        if not self.groups.placed[right]:
            return f"{name} is compared with a record that is not placed yet."
        known = self.groups.n_placed(right)
        records = "1 record is known" if known == 1 else f"{known} records are known"
        compared = f"{name} is compared with {self.groups.of(right).label}, of which {records}."
        return f"{compared} {self._leaning(left)}"

    def _leaning(self, left: int) -> str:
        """The groups that a row is likeliest of: by the odds that it was chosen for, if it was."""
        standing = self.standing
        if standing.pair is None or standing.pair.left != left or not standing.odds:
            sure = standing.result.confidence[left]
            return f"The model would put it into {self.groups.of(left).label}, {sure:.0%} sure."
        known = standing.session.constraints
        odds = {row: share for row, share in standing.odds.items() if known.relation(left, row) is None}
        total = sum(odds.values()) or 1.0  # an answer may have ruled groups out since the row was chosen
        likeliest = sorted(odds.items(), key=lambda item: -item[1])[:2]
        named = [
            f"{self.groups.of(row).label} ({share / total:.0%})" for row, share in likeliest if share > 0
        ]
        return f"To the model it could be {' or '.join(named)}." if named else ""

    def is_open(self, pair: Pair) -> bool:
        """Whether the answers leave it open how two rows of the table are related."""
        left, right = self.sheet.to_pool(pair)
        known = self.standing.session.constraints
        return known.relation(left, right) is None and not known.is_unsure(left, right)

    def line(self, entry: Entry, person: str) -> dict[str, Any]:
        """One answer of the history."""
        n = next(n for n, other in enumerate(self.log.entries, start=1) if other.seq == entry.seq)
        return {
            "seq": entry.seq,
            "n": n,
            **self.heads(entry.pair),
            "answer": entry.answer.value,
            "author": self.log.people.get(entry.author, ""),
            "at": entry.at.isoformat(),
            "edited": entry.edited,
            "yours": entry.author == person,
            "seconds": entry.seconds,
        }

    def heads(self, pair: Pair) -> dict[str, Any]:
        """What the two records of a pair are called."""
        return {
            side: self.sheet.record(row, placed=bool(self.groups.placed[self.sheet.position[row]]))
            for side, row in (("left", pair.left), ("right", pair.right))
        }

    def sentence(self, pair: Pair, answer: Answer) -> str:
        """An answer in words."""
        verdict = {"same": "are the same", "different": "are different", "unsure": "left unsure"}[
            answer.value
        ]
        return f"{self.sheet.name(pair.left)} and {self.sheet.name(pair.right)} {verdict}."

    def record(self, row: int) -> dict[str, Any]:
        """One record with all of its fields."""
        at = self.sheet.position[row]
        return {
            "record": self.sheet.record(row, placed=bool(self.groups.placed[at])),
            "group": asdict(self.groups.of(at)),
            "fields": self.sheet.fields(row, self.groups.weights),
        }

    def companion(self, row: int) -> int:
        """The record that stands for the group that a row is in, other than the row itself."""
        at = self.sheet.position[row]
        label = int(self.standing.result.labels[at])
        others = [other for other in self.groups.best_known(label) if other != row]
        if not others:
            raise DeskProblem(f"{self.sheet.name(row)} is alone in its group")
        return others[0]

    def label(self, key: str) -> int:
        """The label of the group with a key."""
        label = next((m for m, group in enumerate(self.groups.known) if group.key == key), None)
        if label is None:
            raise DeskProblem("this group is not there any more: look at the groups again")
        return label

    def answers_between(self, pair: Pair) -> list[Entry]:
        """The answers that say that the groups of two rows differ."""
        sides = [set(self.standing.session.constraints.group(at)) for at in self.sheet.to_pool(pair)]
        return [
            entry
            for entry in self.log.entries
            if entry.answer is Answer.DIFFERENT and _is_across(self.sheet.to_pool(entry.pair), *sides)
        ]

    def picture(self, person: str) -> dict[str, Any]:
        """The rows of the pool in the learned space, and the weight of each column."""
        points = learned_map(self.sheet.X, self.standing.result)
        weights = self.groups.weights.sort_values(ascending=False, kind="stable")
        drawn = weights[weights > 0].head(N_WEIGHTS)
        look = self.log.looks.get(person)
        return {
            "x": [round(x, 4) for x in points.x],
            "y": [round(y, 4) for y in points.y],
            "group": [self.groups.known[label].number for label in points.group],
            "row": self.sheet.pool.tolist(),
            "placed": list(points.placed),
            "asked": None if look is None else list(look.pair),
            "shares": list(points.shares),
            "weights": [{"column": str(name), "weight": float(weight)} for name, weight in drawn.items()],
            "n_others": len(weights) - len(drawn),
            "groups": [{"number": group.number, "label": group.label} for group in self.groups.known],
            "version": self.log.version,
        }


def _is_across(pair: Pair, one: set[int], other: set[int]) -> bool:
    return (pair.left in one and pair.right in other) or (pair.right in one and pair.left in other)
