"""What MEE and NPU share: place the point with the highest score, given the neighbourhood memberships (R)."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from sameornot._types import Question
from sameornot._validation import check_count, check_flag, check_option
from sameornot.query.base import Appraisal, View, pick_best
from sameornot.query.forest import N_TREES, current_memberships
from sameornot.query.sweep import Pick, PointStrategy

REPRESENTATIVES = ("first", "random", "typical")
TIES = ("first", "random")


@dataclass(frozen=True)
class MembershipStrategy(PointStrategy):
    """Place the point that scores highest; a subclass says what the score is.

    Parameters
    ----------
    n_trees : int
        Trees of the forest that estimates neighbourhood memberships.
    representative : {"typical", "random", "first"}
        Which member of a neighbourhood a point is compared with: the most typical one, which people find
        easy to compare; any, as the paper prints it; or the one that it began with.
    exclude_ruled_out : bool
        Whether neighbourhoods that a point is known to differ from have probability 0; the forest alone, as
        printed, cannot know.
    ties : {"random", "first"}
        Which of several points with the highest score is placed: any, or that with the lowest row number.
    """

    n_trees: int = N_TREES
    representative: str = field(default="typical", kw_only=True)
    exclude_ruled_out: bool = field(default=True, kw_only=True)
    ties: str = field(default="random", kw_only=True)

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("n_trees", self.n_trees)
        check_option("representative", self.representative, REPRESENTATIVES)
        check_flag("exclude_ruled_out", self.exclude_ruled_out)
        check_option("ties", self.ties, TIES)
        return self

    def memberships(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """How likely each point is to belong to each neighbourhood (R, n × L)."""
        return current_memberships(view, rng, self.n_trees, exclude_ruled_out=self.exclude_ruled_out)

    unit: ClassVar[str] = ""
    """What the score counts."""

    @abstractmethod
    def score(self, memberships: np.ndarray, candidates: np.ndarray, view: View) -> np.ndarray:
        """What placing each candidate is worth, by the memberships of all points."""

    def pick(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Pick:
        """The candidate with the highest score; with a single neighbourhood, all are alike."""
        memberships = self.memberships(view, rng)
        score = self.score(memberships, candidates, view)
        is_open = self.ties == "random" or memberships.shape[1] < 2
        point = pick_best(candidates, score, rng) if is_open else int(candidates[score.argmax()])
        return Pick(point, memberships[point], memberships[point])

    def appraise(self, view: View, question: Question, rng: np.random.Generator) -> Appraisal:
        """The score of the left row, and the questions that its memberships lead to."""
        memberships = self.memberships(view, rng)
        point = np.array([question.left])
        cost = expected_questions(memberships[point])[0]
        return Appraisal("place", float(self.score(memberships, point, view)[0]), self.unit, float(cost))

    def member(self, view: View, m: int, point: int, rng: np.random.Generator) -> int | None:
        """The member of a neighbourhood to compare the point with; None if all these pairs were "unsure"."""
        if self.representative == "typical":
            return view.representative(m, point)
        members = view.askable_members(m, point)
        if not len(members):
            return None
        return int(rng.choice(members)) if self.representative == "random" else int(members[0])


def expected_questions(memberships: np.ndarray) -> np.ndarray:
    """Questions until the neighbourhood of each row is found, likeliest first."""
    likeliest_first = -np.sort(-memberships, axis=1)
    return np.asarray(likeliest_first @ np.arange(1.0, memberships.shape[1] + 1))
