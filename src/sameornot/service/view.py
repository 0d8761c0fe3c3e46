"""What there is to read about a session at one moment: questions with their reasons, answers, a picture."""

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from sameornot._types import Answer, Pair, Question
from sameornot.plots import pool_map
from sameornot.service.entry import Entry, Lease, Part
from sameornot.service.errors import ServiceError
from sameornot.service.events import Shown
from sameornot.service.groups import Groups
from sameornot.service.known_lines import aside_notices
from sameornot.service.log import Log
from sameornot.service.proposal import NewAnswer
from sameornot.service.seats import is_automatic
from sameornot.service.session_state import SessionState
from sameornot.service.snapshot import GivenAnswer
from sameornot.service.table_view import TableView
from sameornot.session.choice import MIN_GROUPS, N_CHOICES

# Columns whose weight is drawn.
N_WEIGHTS = 15
VERDICTS = {Answer.SAME: "are the same", Answer.DIFFERENT: "are different", Answer.UNSURE: "left unsure"}


@dataclass(frozen=True)
class View:
    """A log, the state that it leads to, and the table that both are about."""

    table_view: TableView
    log: Log
    state: SessionState

    @cached_property
    def groups(self) -> Groups:
        """The groups with their names."""
        return Groups(self.table_view, self.state, (*self.log.knowledge.names, *self.log.names))

    @cached_property
    def notices(self) -> list[str]:
        """What a person should know about the table and the log."""
        notices = self.table_view.notices(len(self.state.rows))
        if skipped := self.log.skipped:
            numbers = ", ".join(map(str, skipped[:10]))
            notices.append(
                f"{_count(len(skipped), 'event')} of this session could not be read and had no effect "
                f"(number {numbers}); nothing was removed from the store."
            )
        notices += aside_notices(self.log.knowledge, self.table_view)
        if ignored := self.state.ignored:
            notices.append(
                f"{_count(len(ignored), 'answer')} of this session cannot be true together with earlier ones "
                "and had no effect: change or remove them in the history."
            )
        return notices

    def question(self, lease: Lease) -> dict[str, Any]:
        """Two records side by side, or a record and candidates, and why they are asked about.

        Of a choice, `fields` are those of the first candidate and `choice` has all of them.
        """
        columns = [
            self.table_view.compare(lease.pair.left, row, self.groups.weights) for row in lease.candidates
        ]
        fields, n_more = columns[0]
        question = {
            "id": lease.question,
            **self.heads(lease.pair),
            "why": self.reason(lease),
            "fields": fields,
            "n_more": n_more,
        }
        return question | (
            {"choice": self._choice(lease, [fields for fields, _ in columns])} if lease.others else {}
        )

    def _choice(self, lease: Lease, fields: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
        """The candidates: their groups, and their fields beside those of the record."""
        proba = self._open_proba(lease.pair.left)
        relation = self.state.session.relation
        of_group = [
            sum(p for row, p in proba.items() if relation(row, candidate) is Answer.SAME)
            for candidate in lease.candidates
        ]
        return [
            {
                **self._head(row),
                "group": self.groups.of(row).label,
                "number": self.groups.of(row).number,
                "n_known": self.groups.n_placed(row),
                "proba": share if proba else None,
                "fields": [
                    {name: field[name] for name in ("right", "right_filled", "differs", "gap")}
                    for field in of_row
                ],
            }
            for row, share, of_row in zip(lease.candidates, of_group, fields, strict=True)
        ]

    def reason(self, lease: Lease) -> str:
        """Which group a record is compared with, and how certain the model is."""
        if automatic := self._automatic_answer(lease):
            return automatic
        if lease.is_recheck:
            return "This was asked before: a second answer tells how far single answers can be relied on."
        left, right = lease.pair
        if not self.state.result.neighbourhoods:
            return "To begin with: nothing is known yet, so any two records will do."
        name = self.table_view.name(left)
        if not self.groups.is_placed(right):
            return f"{name} is compared with a record that is not placed yet."
        if lease.others:
            asked = f"{name} is compared with {len(lease.candidates)} groups at once."
            return f"{asked} {self._likely_groups(left)}".rstrip()
        n_known = self.groups.n_placed(right)
        records = "1 record is known" if n_known == 1 else f"{n_known} records are known"
        compared = f"{name} is compared with {self.groups.of(right).label}, of which {records}."
        return f"{compared} {self._likely_groups(left)}"

    def _automatic_answer(self, lease: Lease) -> str:
        """What an automatic annotator said about a pair that a person is asked for that reason."""
        if lease.is_second or lease.others:
            return ""
        for entry in reversed(self.log.entries):
            if is_automatic(entry.author) and set(entry.pair) == set(lease.pair):
                name = self.log.people.get(entry.author, "A machine")
                if entry.answer is Answer.UNSURE:
                    return f"{name} was unsure about these two."
                return (
                    f"{name} said “{entry.answer.value}” about these two, and other answers make it doubtful."
                )
        return ""

    def _likely_groups(self, row: int) -> str:
        """The likeliest groups of a row: by the probabilities that it was chosen for, if it was."""
        proba = self._open_proba(row)
        if not proba:
            sure = self.groups.confidence_of(row)
            return f"The model would put it into {self.groups.of(row).label}, {sure:.0%} sure."
        likeliest = sorted(proba.items(), key=lambda item: -item[1])[:2]
        named = [f"{self.groups.of(other).label} ({p:.0%})" for other, p in likeliest if p > 0]
        return f"To the model it could be {' or '.join(named)}." if named else ""

    def _open_proba(self, row: int) -> dict[int, float]:
        """How likely a row is to be in each group that no answer rules out, by a row of it.

        Empty if the row was not chosen by such probabilities.
        """
        question, session = self.state.question, self.state.session
        if question is None or question.left != row:
            return {}
        # An answer may have ruled groups out since the row was chosen.
        proba = {other: p for other, p in question.proba.items() if session.relation(row, other) is None}
        total = sum(proba.values()) or 1.0
        return {other: p / total for other, p in proba.items()}

    def is_open(self, pair: Pair, others: tuple[int, ...] = ()) -> bool:
        """Whether questions can be about the rows, and the answers settle nothing about them."""
        session, candidates = self.state.session, (pair.right, *others)
        if not all(self.state.has_row(row) for row in (*pair, *others)):
            return False
        if any(session.is_settled((pair.left, candidate)) for candidate in candidates):
            return False
        return all(session.relation(a, b) is not Answer.SAME for a, b in combinations(candidates, 2))

    def n_choices(self, person: str) -> int:
        """Among how many groups a person chooses at once, 1 for pairs.

        It is what she wants. By default it is what saves questions: pairs until many groups are known.
        """
        default = N_CHOICES if len(self.state.result.neighbourhoods) >= MIN_GROUPS else 1
        return self.log.choices.get(person) or default

    def shown(self, person: str, question: Question) -> Shown:
        """What a person is shown of a question: a pair or a choice."""
        others: tuple[int, ...] = ()
        if (n_choices := self.n_choices(person)) > 1:
            others = self.state.session.choice(question, n_choices).candidates[1:]
        return Shown(Pair(*question), question.is_recheck, others)

    @property
    def given_answers(self) -> list[GivenAnswer]:
        """Every answer that holds, as it is exported."""
        people = self.log.people
        return [
            GivenAnswer(
                entry.seq,
                *entry.pair,
                entry.answer.value,
                people.get(entry.author, ""),
                entry.at,
                entry.edited,
                entry.seconds,
                entry.others,
            )
            for entry in self.log.entries
        ]

    def line(self, entry: Entry, person: str) -> dict[str, Any]:
        """One answer of the history."""
        line = self._line(entry, entry.pair, entry.answer, person)
        if not entry.others:
            return line
        shown = (
            entry.as_shown(0).candidates if set(entry.shown) == set(entry.candidates) else entry.candidates
        )
        return line | {"candidates": [self._head(row) for row in shown]}

    def part(self, part: Part, person: str) -> dict[str, Any]:
        """One of the pairs that an answer implies, as a line."""
        return self._line(part.entry, part.pair, part.answer, person)

    def _line(self, entry: Entry, pair: Pair, answer: Answer, person: str) -> dict[str, Any]:
        return {
            "seq": entry.seq,
            "n": self._position[entry.seq],
            **self.heads(pair),
            "answer": answer.value,
            "author": self.log.people.get(entry.author, ""),
            "at": entry.at.isoformat(),
            "edited": entry.edited,
            "yours": entry.author == person,
            "seconds": entry.seconds,
        }

    @cached_property
    def _position(self) -> dict[int, int]:
        return {entry.seq: n for n, entry in enumerate(self.log.entries, start=1)}

    def heads(self, pair: Pair) -> dict[str, Any]:
        """What the two records of a pair are called."""
        return {"left": self._head(pair.left), "right": self._head(pair.right)}

    def heads_beside(self, answer: NewAnswer) -> dict[str, Any]:
        """What the records of a new answer are called, with the other candidates of a choice."""
        heads = self.heads(answer.pair)
        return heads | ({"others": [self._head(row) for row in answer.others]} if answer.others else {})

    def _head(self, row: int) -> dict[str, Any]:
        placed = self.state.has_row(row) and self.groups.is_placed(row)
        return self.table_view.record(row, placed=placed)

    def sentence(self, entry: Entry) -> str:
        """An answer in words."""
        name, others = self.table_view.name, " or ".join(map(self.table_view.name, entry.candidates))
        if not entry.others or entry.answer is Answer.SAME:
            return f"{name(entry.pair.left)} and {name(entry.pair.right)} {VERDICTS[entry.answer]}."
        verdict = "is not the same as" if entry.answer is Answer.DIFFERENT else "left unsure beside"
        return f"{name(entry.pair.left)} {verdict} {others}."

    def record(self, row: int) -> dict[str, Any]:
        """One record with all of its fields."""
        return {
            "record": self.table_view.record(row, placed=self.groups.is_placed(row)),
            "group": asdict(self.groups.of(row)),
            "fields": self.table_view.fields(row, self.groups.weights),
        }

    def representative_for(self, row: int) -> int:
        """The record that stands for the group that a row is in, other than the row itself."""
        others = [other for other in self.groups.representatives(self.groups.label_of(row)) if other != row]
        if not others:
            raise ServiceError(f"{self.table_view.name(row)} is alone in its group")
        return others[0]

    def label(self, key: str) -> int:
        """The label of the group with a key."""
        label = next((m for m, group in enumerate(self.groups.known) if group.key == key), None)
        if label is None:
            raise ServiceError("this group is not there any more: look at the groups again")
        return label

    def answers_between(self, pair: Pair) -> list[Part]:
        """What the answers say about pairs that tells the groups of two rows apart."""
        known = self.state.session.constraints
        left, right = (set(known.group(row)) for row in pair)
        return [
            part
            for entry in self.log.entries
            for part in entry.parts
            if part.answer is Answer.DIFFERENT and _is_across(part.pair, left, right)
        ]

    def picture(self, person: str) -> dict[str, Any]:
        """The rows of the pool in the learned space, and the weight of each column."""
        points = pool_map(self.state.session.features, self.state.rows, self.state.result)
        weights = self.groups.weights.sort_values(ascending=False, kind="stable")
        drawn = weights[weights > 0].head(N_WEIGHTS)
        lease = self.log.leases.get(person)
        return {
            "x": [round(x, 4) for x in points.x],
            "y": [round(y, 4) for y in points.y],
            "group": [self.groups.known[label].number for label in points.group],
            "row": self.state.rows.tolist(),
            "placed": list(points.placed),
            "asked": None if lease is None else [lease.pair.left, *lease.candidates],
            "shares": list(points.shares),
            "weights": [{"column": str(name), "weight": float(weight)} for name, weight in drawn.items()],
            "n_others": len(weights) - len(drawn),
            "groups": [{"number": group.number, "label": group.label} for group in self.groups.known],
            "version": self.log.version,
        }


def _is_across(pair: Pair, one: set[int], other: set[int]) -> bool:
    return (pair.left in one and pair.right in other) or (pair.right in one and pair.left in other)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
