"""Uncertainty sampling: ask the question whose answer is nearest to even odds (Lewis and Gale 1994).

    score_i = −|max_m b_im − ½|,     b_im the ensemble's probability that row i is of group m

First the groups have to be found: while some are unknown, the row that represents most of what is far from
all known groups (facility location) is asked about, in turn with uncertain rows once several such rows have
turned out to belong to known groups. It is not compared with all of them: with K groups that would take
K(K − 1)/2 questions, nearly all with the expected answer. A row that differs from its likeliest group is
provisionally taken for a group of its own. Two groups that no answer tells apart are compared once the
learners confuse their members, or once some row differs from all groups.

Now and then the answer that is least likely to be right is asked for again (`recheck.py`). Where answers
contradict each other, `uncertainty_inconsistent.py` takes over.
"""

from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Self

import numpy as np

from sameornot._types import Answer, Question
from sameornot._validation import check_count, check_number
from sameornot.cluster.base import Clusterer
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.fit import EnsembleFit
from sameornot.ensemble.graph import facility_location
from sameornot.ensemble.posterior import Posterior
from sameornot.ensemble.training import all_rows
from sameornot.query.base import Questions, Strategy, View, pick_best
from sameornot.query.recheck import RecheckSchedule, answered_pair, doubtful_answer, routine_recheck
from sameornot.query.uncertainty_inconsistent import ask_inconsistent, redundancy


@dataclass(frozen=True)
class UncertaintySampling(Strategy):
    """Ask about the row whose group is most uncertain, after looking for unknown groups.

    Parameters
    ----------
    n_placed_per_group : int
        Placed rows per known group up to which only unknown groups are looked for.
    search_interval : int
        Where the number of groups is unknown, one row in so many goes on looking for others.
    n_compared : int
        Groups that a row has to differ from to be provisionally taken for a new one.
    merge_threshold : float
        Probability that two groups are one from which they are compared.
    merge_threshold_parallel : float
        The same where several questions are open at once: each learns too late from the others.
    merge_threshold_inconsistent : float
        The same where answers contradict each other.
    n_representatives : int
        Rows of which two are to be compared first. More than a few matter only if the expert is unsure.
    recheck : RecheckSchedule
        When an answer is asked for again.
    """

    n_placed_per_group: int = 3
    search_interval: int = 4
    n_compared: int = 1
    merge_threshold: float = 0.15
    merge_threshold_parallel: float = 0.04
    merge_threshold_inconsistent: float = 0.25
    n_representatives: int = 12
    recheck: RecheckSchedule = field(default_factory=RecheckSchedule)

    requires: ClassVar[type | None] = EnsembleFit

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        for name in ("n_placed_per_group", "search_interval", "n_compared"):
            check_count(name, getattr(self, name))
        check_count("n_representatives", self.n_representatives, at_least=2)
        for name in ("merge_threshold", "merge_threshold_parallel", "merge_threshold_inconsistent"):
            check_number(name, getattr(self, name), at_most=1.0)
        check_count("first", self.recheck.first)
        check_count("max_votes", self.recheck.max_votes)
        return self

    def default_clusterer(self) -> Clusterer:
        """The ensemble, whose probabilities the questions are chosen by."""
        return EnsembleClustering()

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Place the row that represents an unknown group, or the most uncertain row."""
        candidates = view.candidates()
        if len(view.neighbourhoods) == 0 or (len(candidates) == 0 and len(view.answers.answers) == 0):
            return
        if len(view.answers.neighbourhoods()) == 0:
            yield from self._first_questions(view, candidates)
        elif view.answers.is_inconsistent and view.n_clusters is not None:
            yield from ask_inconsistent(view, self.merge_threshold_inconsistent, self.recheck, rng)
        elif (merge := self._compare_groups(view)) is not None:
            if (yield merge) is Answer.SAME:
                yield Question(*merge, is_recheck=True)  # one slip here would make two groups one
        elif not view.pending and (again := self._answer_to_recheck(view, candidates)) is not None:
            yield again
        elif len(candidates):
            yield from self._place_next(view, candidates, rng)

    def _first_questions(self, view: View, candidates: np.ndarray) -> Questions:
        if view.pending_points:
            yield from self._compare_with_closest(view, candidates)
            return
        nobody = np.zeros(len(view.X), dtype=bool)
        anybody = np.setdiff1d(np.union1d(candidates, view.neighbourhoods[0]), list(view.pending_points))
        first = find_representatives(view, nobody, anybody, self.n_representatives)
        for left, right in combinations(first, 2):
            if (yield Question(right, left)) is not Answer.UNSURE:
                return

    def _place_next(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> Questions:
        if view.pending_points and is_provisional(view) and self._searches(view):
            yield from self._compare_with_closest(view, candidates)
        else:
            yield from self._place(view, self._choose(view, candidates, rng))

    def _answer_to_recheck(self, view: View, candidates: np.ndarray) -> Question | None:
        """The answer to ask for again, if it is time to."""
        answers, fit, again = view.answers.answers, view.clustering, None
        if len(candidates):
            again = routine_recheck(answers, view.neighbourhoods, fit, self.recheck)
        searches = len(candidates) > 0 and self._searches(view)
        if again is None and fit.expects_errors and not searches:
            again = doubtful_answer(answers, view.neighbourhoods, fit, candidates, self.recheck)
        return again

    def _compare_groups(self, view: View) -> Question | None:
        """Members of two groups that no answer tells apart and that may be one, the likeliest such first."""
        pairs = open_group_pairs(view)
        if not pairs:
            return None
        posterior: Posterior = view.clustering.posterior
        taken_for = np.array([posterior.prior[members].mean(axis=0) for members in view.neighbourhoods])
        chance = {(a, b): max(taken_for[a, b], taken_for[b, a]) for a, b in pairs}
        threshold = self.merge_threshold_parallel if view.pending else self.merge_threshold
        some_row_has_no_group = bool(view.ruled_out[~view.placed].all(axis=1).any())
        for a, b in sorted(pairs, key=lambda pair: -chance[pair]):
            if chance[a, b] < threshold and not some_row_has_no_group:
                return None
            right = max(view.neighbourhoods[b].tolist(), key=lambda row: float(posterior.prior[row, b]))
            if (left := surest_member(view, a, right)) is not None:
                return Question(left, right)
        return None

    def _choose(self, view: View, candidates: np.ndarray, rng: np.random.Generator) -> int:
        """The row to place next."""
        if self._searches(view):
            taken = view.placed.copy()
            taken[list(view.pending_points)] = True
            return find_representatives(view, taken, candidates, 1)[0]
        likeliest = view.clustering.posterior.proba[candidates].max(axis=1)
        score = -np.abs(likeliest - 0.5) - redundancy(view, candidates)
        return pick_best(candidates, score, rng)

    def _place(self, view: View, point: int) -> Questions:
        """Ask against each group, likeliest first, until "same"; while searching, against `n_compared`.

        After "unsure" another member is shown, then another row. An answer against odds that outweigh it is
        asked for again before others are tried, and so is, with an expert who errs, the one that a new group
        rests on.
        """
        posterior: Posterior = view.clustering.posterior
        n_known = len(view.neighbourhoods)
        belief = posterior.proba[point].copy()
        proba = view.proba_by_member(belief[:n_known] / max(belief[:n_known].sum(), 1e-300))
        n_left = self.n_compared if is_provisional(view) and self._searches(view) else n_known
        for m in np.argsort(-belief[:n_known], kind="stable").tolist():
            if n_left == 0:
                break
            member = surest_member(view, m, point)
            if member is None or view.ruled_out[point, m]:
                continue
            answer = yield Question(point, member, proba=proba)
            if answer is Answer.UNSURE and (member := surest_member(view, m, point)) is not None:
                answer = yield Question(point, member, proba=proba)
            if answer is not Answer.DIFFERENT or member is None:
                return
            belief[m] *= posterior.error_rate / (1.0 - posterior.error_rate)
            belief /= belief.sum()
            if belief[m] > 0.5:
                yield Question(point, member, is_recheck=True, proba=proba)
                return
            n_left -= 1
        if view.clustering.expects_errors and n_known != view.n_clusters:
            yield from recheck_nearest(view, point, proba)

    def _compare_with_closest(self, view: View, candidates: np.ndarray) -> Questions:
        """A row that represents an unknown group, and the closest row that is asked about or known.

        The rows of pending questions may be new groups too: each is taken for one.
        """
        kernel = view.clustering.geometry.kernel
        known = view.neighbourhoods if view.answers.neighbourhoods() else []
        taken = np.union1d(list(view.pending_points), all_rows(known)).astype(np.intp)
        free = np.setdiff1d(candidates, taken)
        for point in facility_location(kernel, taken, self.n_representatives, free):
            for other in taken[np.argsort(-kernel[point, taken], kind="stable")].tolist():
                if (yield Question(point, other)) is not Answer.UNSURE:
                    return

    def _searches(self, view: View) -> bool:
        """Whether it is time to look for an unknown group."""
        n_groups, n_placed = len(view.neighbourhoods), int(view.placed.sum())
        if is_provisional(view):
            n_pending = len(view.pending_points)
            n_groups, n_placed = n_groups + n_pending, n_placed + n_pending
        patience = self.n_placed_per_group
        if view.n_clusters is not None:
            return n_groups < view.n_clusters and (n_placed <= patience * n_groups or n_placed % 2 == 0)
        return n_placed <= patience * (n_groups + 1) or n_placed % self.search_interval == 0


def is_provisional(view: View) -> bool:
    """Whether a row that differs from its likeliest group is taken for another one until answers tell."""
    return view.n_clusters is not None and not view.answers.is_inconsistent


def open_group_pairs(view: View) -> list[tuple[int, int]]:
    """Pairs of groups that no answer tells apart and that no pending question compares."""
    groups = [set(members.tolist()) for members in view.neighbourhoods]
    pending = [set(pair) for pair in view.pending]
    return [
        (a, b)
        for a, b in combinations(range(len(groups)), 2)
        if not view.ruled_out[view.neighbourhoods[a][0], b]
        and not any(rows & groups[a] and rows & groups[b] for rows in pending)
    ]


def surest_member(view: View, m: int, point: int) -> int | None:
    """The member of group m that is surest to be one without its own answers: other answers rest on it."""
    proba = view.clustering.posterior.prior
    members = [row for row in view.neighbourhoods[m].tolist() if not view.answers.is_unsure(point, row)]
    return max(members, key=lambda row: round(float(proba[row, m]), 6), default=None)


def find_representatives(view: View, placed: np.ndarray, candidates: np.ndarray, n_wanted: int) -> list[int]:
    """Candidates that represent most of what is far from all placed rows."""
    return facility_location(view.clustering.geometry.kernel, np.flatnonzero(placed), n_wanted, candidates)


def recheck_nearest(view: View, point: int, proba: dict[int, float]) -> Questions:
    """Ask again whether a row that differs from all groups is of the one that the learners hold it for."""
    held_for = view.clustering.posterior.prior[point, : len(view.neighbourhoods)].argmax()
    nearest = view.neighbourhoods[int(held_for)]
    if (pair := answered_pair(view.answers.answers, point, nearest)) is not None:
        yield Question(*pair, is_recheck=True, proba=proba)
