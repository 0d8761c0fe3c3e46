"""How far the work is: questions, groups, how much the grouping still changes, pace, and who is here."""

from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from sameornot.service.label_history import WINDOW
from sameornot.service.log import Log
from sameornot.service.seats import is_seat
from sameornot.service.session_state import SessionState
from sameornot.session.stopping import can_stop


@dataclass(frozen=True)
class Progress:
    """What is always in sight; `churn` is that of `label_history`, `budget` the questions planned for."""

    log: Log
    state: SessionState
    churn: list[tuple[int, float]]
    budget: int

    def describe(self, person: str, now: datetime) -> dict[str, Any]:
        """All of it for one person."""
        asked, counts, agreement = self.n_answers, self.log.counts, self.state.result.agreement
        expected = self.state.result.n_groups
        seconds = self.seconds_each(person)
        return {
            "asked": asked,
            "pairs": sum(len(entry.candidates) for entry in self.log.entries),
            "unsure": counts.n_unsure,
            "known": self.log.knowledge.known.n_rows,
            "budget": self.budget,
            "groups": self.n_found,
            "expected_groups": None if expected is None else expected._asdict(),
            "clusters": self.log.clusters,
            "moved": self.churn[-1][1] if self.churn and asked >= WINDOW else None,
            "moves": [list(line) for line in self.churn],
            "can_stop": self.can_stop,
            "agreement": None if agreement is None else agreement._asdict(),
            "hint": self.hint,
            "repeats": counts.n_rechecks,
            "held": counts.n_confirmed,
            "seconds_each": seconds,
            "seconds_left": None if seconds is None else seconds * max(0, self.budget - asked),
            "people": self.people(person, now),
            "placed": sum(len(members) for members in self.state.result.neighbourhoods),
            "rows": self.log.opened["n_rows"],
            "can_undo": self.log.can_undo(person, now),
        }

    @property
    def n_answers(self) -> int:
        """Answers that hold."""
        return len(self.log.entries)

    @property
    def n_found(self) -> int:
        """Groups that the answers make known."""
        return len(self.state.result.neighbourhoods)

    @property
    def can_stop(self) -> bool:
        """Whether nearly all rows are estimated to be right, by enough answers, with all groups found."""
        n_certain = self.n_answers - self.log.counts.n_unsure
        return can_stop(self.state.result.agreement, n_certain, self.n_found, self.log.clusters)

    @property
    def hint(self) -> str:
        """One sentence on how good the groups are."""
        agreement, clusters = self.state.result.agreement, self.log.clusters
        if agreement is None or self.n_answers < WINDOW:
            return f"The first {WINDOW} answers say too little to judge the groups by."
        share = (
            f"an estimated {agreement.estimate:.0%} of the rows "
            f"({agreement.low:.0%} to {agreement.high:.0%}) are in the group that you would put them in"
        )
        if self.can_stop:
            return f"You can stop: {share}."
        if clusters is not None and self.n_found < clusters:
            return f"{clusters - self.n_found} of {clusters} groups are not met yet; {share}."
        return f"{share[0].upper()}{share[1:]}."

    def seconds_each(self, person: str) -> float | None:
        """What an answer takes this person, by her latest ones; None if that is not known."""
        seconds = self.log.counts.of_person(person).seconds
        return float(median(seconds)) if seconds else None

    def people(self, person: str, now: datetime) -> list[dict[str, Any]]:
        """Everybody who is here."""
        return [
            {
                "id": number,  # who somebody is for the server is her own secret
                "name": self.log.people.get(other, ""),
                "answers": self.log.counts.of_person(other).n_answers,
                "looking": other in self.log.leases,
                "you": other == person,
            }
            for number, other in enumerate(self.log.seen, start=1)
            if other == person or not (is_seat(other) or self.log.is_away(other, now))
        ]
