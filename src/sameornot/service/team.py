"""What there is to read about the people of a session: how far they agree, and how reliable each seems."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sameornot._types import Pair
from sameornot.ensemble.annotators import ErrorRate
from sameornot.ensemble.fit import EnsembleFit
from sameornot.service.agreement import Disagreement, PairAgreement, agreement_by_pair, disagreements
from sameornot.service.entry import Part

if TYPE_CHECKING:
    from sameornot.service.view import View

# Disagreements that are listed at once.
MAX_LISTED = 200
NOBODY = "somebody without a name"


@dataclass(frozen=True)
class Annotator:
    """A person who has answered, and how often she seems to err; None while too little is known."""

    name: str
    n_answers: int
    rate: ErrorRate | None


@dataclass(frozen=True)
class Team:
    """The people of a session at one moment."""

    view: "View"

    @cached_property
    def agreement(self) -> list[PairAgreement]:
        """The agreement of each two people, by their names."""
        return [
            PairAgreement(self._names(each.people), each.n_both, each.n_equal, each.kappa)
            for each in agreement_by_pair(self.view.log.entries)
        ]

    @cached_property
    def disagreements(self) -> list[Disagreement]:
        """Pairs that people answered differently and that nobody has settled."""
        return disagreements(self.view.log.entries)

    @cached_property
    def annotators(self) -> list[Annotator]:
        """Everybody who has answered, by the number of answers."""
        clustering = self.view.state.result.clustering
        people = clustering.posterior.annotators if isinstance(clustering, EnsembleFit) else None
        rates = {} if people is None else people.rates
        counts = self.view.log.counts.by_author
        found = [Annotator(self._name(who), own.n_answers, rates.get(who)) for who, own in counts.items()]
        return sorted(found, key=lambda person: -person.n_answers)

    @property
    def n_second(self) -> int:
        """Second opinions that were given."""
        return sum(entry.is_second for entry in self.view.log.entries)

    def said_about(self, disagreement: Disagreement) -> list[tuple[str, str]]:
        """Who said what about a pair."""
        return [(self._name(part.entry.author), part.answer.value) for part in disagreement.parts]

    def parts_about(self, pair: Pair) -> tuple[Part, ...]:
        """Every answer about a pair that people disagree about; none if they do not."""
        return next((each.parts for each in self.disagreements if set(each.pair) == set(pair)), ())

    def as_json(self, person: str) -> dict[str, Any]:
        """All of it for the page."""
        return {
            "overlap": self.view.log.overlap,
            "second": self.n_second,
            "annotators": [
                {"name": each.name, "answers": each.n_answers, "reliability": reliability(each.rate)}
                for each in self.annotators
            ],
            "agreement": [
                {
                    "people": list(each.people),
                    "both": each.n_both,
                    "equal": each.n_equal,
                    "kappa": None if each.kappa is None else each.kappa._asdict(),
                }
                for each in self.agreement
            ],
            "disagreements": [
                {
                    **self.view.heads(each.pair),
                    "answers": [self.view.part(part, person) for part in each.parts],
                }
                for each in self.disagreements[:MAX_LISTED]
            ],
            "n_disagreements": len(self.disagreements),
        }

    def _name(self, person: str) -> str:
        return self.view.log.people.get(person, "") or NOBODY

    def _names(self, people: tuple[str, str]) -> tuple[str, str]:
        first, second = map(self._name, people)
        return first, second


def reliability(rate: ErrorRate | None) -> dict[str, float] | None:
    """The share of answers that are right, with its interval."""
    if rate is None:
        return None
    return {"estimate": 1.0 - rate.estimate, "low": 1.0 - rate.high, "high": 1.0 - rate.low}
