"""Density-weighted uncertainty sampling: place the row from which most wrong rows are put right per question.

The score is derived in `gain.py`: uncertainty (Lewis and Gale 1994) times representativeness (information
density: Settles and Craven 2008) over the expected number of questions. It also finds the groups: a row far
from all known ones represents many others. Such a row is not compared with all groups: with K groups that
would take K(K − 1)/2 questions, nearly all with the expected answer. It is asked against its likeliest groups
until it is likely to be of none, and is then provisionally a group of its own. Two groups that no answer
tells apart are compared once the learners confuse their members, or once some row differs from all groups.
If the number of groups is not given, the first questions look for it (`granularity_questions.py`), and two
groups are also compared where that is worth more than placing a row (`group_comparison.py`).

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
from sameornot.query.base import Appraisal, Questions, Strategy, View, pick_best
from sameornot.query.gain import expected_gain, gain_and_cost, relative_gain
from sameornot.query.granularity_questions import granularity_question
from sameornot.query.group_comparison import comparison_worth, open_pairs
from sameornot.query.recheck import RecheckSchedule, answered_pair, doubtful_answer, routine_recheck
from sameornot.query.uncertainty_inconsistent import ask_inconsistent


@dataclass(frozen=True)
class UncertaintySampling(Strategy):
    """Ask about the row from which most wrong rows are expected to be put right per question.

    Parameters
    ----------
    new_threshold : float
        Probability of being in no known group from which a row is provisionally a group of its own.
    new_threshold_unknown : float
        The same where the number of groups is not given.
    patience : int
        Groups that a row has to differ from before it is left for a better one.
    least_share : float
        Where the number is not given, a row is not compared with a group that is less likely by this factor
        than a new one.
    merge_threshold : float
        Probability that two groups are one from which they are compared.
    merge_threshold_parallel : float
        The same where several questions are open at once: each learns too late from the others.
    merge_threshold_inconsistent : float
        The same where answers contradict each other.
    prior_mergers : tuple of float
        Beta prior of how often two known groups turn out to be one when they are compared.
    n_representatives : int
        Rows of which two are to be compared first. More than a few matter only if the expert is unsure.
    recheck : RecheckSchedule
        When an answer is asked for again.

    References
    ----------
    Roy, N., and McCallum, A. (2001). Toward optimal active learning through sampling estimation of
    error reduction. *ICML*.

    Lewis, D. D., and Gale, W. A. (1994). A sequential algorithm for training text classifiers. *SIGIR*.

    Settles, B., and Craven, M. (2008). An analysis of active learning strategies for sequence labeling
    tasks. *EMNLP*.

    Examples
    --------
    >>> from sameornot import UncertaintySampling, simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=30, n_relevant=3, random_state=0)
    >>> strategy = UncertaintySampling()
    >>> curve = simulate(X, y, 3, strategy=strategy, budget=9, checkpoints=[9], random_state=0)
    >>> int(curve.pairs.iloc[-1])
    9
    """

    new_threshold: float = 0.5
    new_threshold_unknown: float = 0.8
    patience: int = 8
    least_share: float = 0.1
    merge_threshold: float = 0.15
    merge_threshold_parallel: float = 0.04
    merge_threshold_inconsistent: float = 0.25
    prior_mergers: tuple[float, float] = (0.1, 3.9)
    n_representatives: int = 12
    recheck: RecheckSchedule = field(default_factory=RecheckSchedule)

    requires: ClassVar[type | None] = EnsembleFit

    def check(self) -> Self:
        """Raise a ValueError that names the first parameter that cannot be used."""
        check_count("patience", self.patience)
        check_count("n_representatives", self.n_representatives, at_least=2)
        for name in ("new_threshold", "new_threshold_unknown", "least_share"):
            check_number(name, getattr(self, name), at_most=1.0)
        for name in ("merge_threshold", "merge_threshold_parallel", "merge_threshold_inconsistent"):
            check_number(name, getattr(self, name), at_most=1.0)
        check_count("first", self.recheck.first)
        check_count("max_votes", self.recheck.max_votes)
        return self

    def default_clusterer(self) -> Clusterer:
        """The ensemble, whose probabilities the questions are chosen by."""
        return EnsembleClustering()

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """Compare groups that may be one, ask an answer again that may be wrong, or place the best row."""
        candidates = view.candidates()
        if len(view.neighbourhoods) == 0 or (len(candidates) == 0 and len(view.answers.answers) == 0):
            return
        if not view.pending and (comparison := granularity_question(view)) is not None:
            yield comparison
        elif len(view.answers.neighbourhoods()) == 0:
            yield from self._first_questions(view, candidates)
        elif view.answers.is_inconsistent and view.n_clusters is not None:
            yield from ask_inconsistent(view, self.merge_threshold_inconsistent, self.recheck, rng)
        elif (merge := self._compare_groups(view)) is not None:
            yield from confirm_merger(merge)
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
        if view.pending_points and misses_groups(view):
            yield from self._compare_with_closest(view, candidates)
        else:
            worth = self.worth(view, candidates)
            if view.n_clusters is None and (merge := self._worthy_comparison(view, worth.max())) is not None:
                yield from confirm_merger(merge)
                return
            point = pick_best(candidates, worth, rng)
            best_other = worth[candidates != point].max(initial=0.0)
            yield from self._place(view, point, best_other / max(worth.max(), 1e-300))

    def _worthy_comparison(self, view: View, least: float) -> Question | None:
        """Members of the two groups that it is worth most to compare, if that is worth more than `least`."""
        pairs = open_pairs(view)
        worth = comparison_worth(view, pairs, self.prior_mergers)
        for at in np.argsort(-worth, kind="stable").tolist():
            if worth[at] <= least:
                return None
            question = compare(view, int(pairs.first[at]), int(pairs.second[at]))
            if question is not None:
                return question
        return None

    def worth(self, view: View, candidates: np.ndarray) -> np.ndarray:
        """What placing each candidate is worth; the best one is placed next."""
        return expected_gain(view, candidates, self.new_threshold)

    def appraise(self, view: View, question: Question, rng: np.random.Generator) -> Appraisal:
        """Rows put right by placing the left row, unless the question is for the number of groups."""
        if granularity_question(view) == question:
            return Appraisal("count")
        if not question.proba or (view.answers.is_inconsistent and view.n_clusters is not None):
            return Appraisal()
        gain, cost = gain_and_cost(view, question.left, self.new_threshold)
        return Appraisal(gain=gain, unit="rows", cost=cost)

    def _answer_to_recheck(self, view: View, candidates: np.ndarray) -> Question | None:
        """The answer to ask for again, if it is time to."""
        answers, fit, again = view.answers.answers, view.clustering, None
        if len(candidates):
            again = routine_recheck(answers, view.neighbourhoods, fit, self.recheck)
        if again is None and fit.expects_errors and not (len(candidates) and misses_groups(view)):
            again = doubtful_answer(answers, view.neighbourhoods, fit, candidates, self.recheck)
        return again

    def _compare_groups(self, view: View) -> Question | None:
        """Members of two groups that no answer tells apart and that may be one, the likeliest such first."""
        pairs = open_pairs(view)
        chance = pairs.confusion
        if len(chance) == 0:
            return None
        threshold = self.merge_threshold_parallel if view.pending else self.merge_threshold
        some_row_has_no_group = bool(view.ruled_out[~view.placed].all(axis=1).any())
        for at in np.argsort(-chance, kind="stable").tolist():
            if chance[at] < threshold and not some_row_has_no_group:
                return None
            question = compare(view, int(pairs.first[at]), int(pairs.second[at]))
            if question is not None:
                return question
        return None

    def _place(self, view: View, point: int, rest: float) -> Questions:
        """Ask against each group, likeliest first, until "same", or until it is not worth going on.

        That is so once the row is likely in no known group, or once `patience` answers were "different" and
        its gain has fallen to the share `rest` of what it was, that of the next best row.

        After "unsure" another member is shown, then another row. An answer against odds that outweigh it is
        asked for again before others are tried, and so is, with an expert who errs, the one that a new group
        rests on.
        """
        posterior: Posterior = view.clustering.posterior
        n_known = len(view.neighbourhoods)
        belief = posterior.proba[point].copy()
        proba = view.proba_by_member(belief[:n_known] / max(belief[:n_known].sum(), 1e-300))
        n_different, at_first = 0, self._gain(view, belief)
        for m in np.argsort(-belief[:n_known], kind="stable").tolist():
            is_worse = n_different >= self.patience and self._gain(view, belief) < rest * at_first
            if is_worse or (n_different and self._is_new(view, belief, m)):
                break
            member = surest_member(view, m, point)
            if member is None or view.ruled_out[point, m]:
                continue
            answer = yield Question(point, member, proba=proba)
            if answer is Answer.UNSURE and (member := surest_member(view, m, point)) is not None:
                answer = yield Question(point, member, proba=proba)
            if answer is not Answer.DIFFERENT or member is None:
                return
            n_different += 1
            belief[m] *= posterior.error_rate / (1.0 - posterior.error_rate)
            belief /= belief.sum()
            if belief[m] > 0.5:
                yield Question(point, member, is_recheck=True, proba=proba)
                return
        if view.clustering.expects_errors and n_known != view.n_clusters:
            yield from recheck_nearest(view, point, proba)

    def _gain(self, view: View, belief: np.ndarray) -> float:
        """What placing a row with these probabilities is worth, relative to its error."""
        return float(relative_gain(view, belief[None, :], self.new_threshold)[0])

    def _is_new(self, view: View, belief: np.ndarray, m: int) -> bool:
        """Whether a row is provisionally a group of its own before it is compared with group m."""
        if view.answers.is_inconsistent:
            return False
        new = belief[len(view.neighbourhoods) :].sum()
        if view.n_clusters is not None:
            return bool(new >= self.new_threshold)
        return bool(new >= self.new_threshold_unknown or belief[m] < self.least_share * new)

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


def misses_groups(view: View) -> bool:
    """Whether some groups are not known yet, so that pending questions may each be about a new one."""
    return not view.answers.is_inconsistent and len(view.clustering.posterior.placeholders) > 0


def confirm_merger(pair: Question) -> Questions:
    """Compare two groups; "same" is asked for again, because one slip would make two groups one."""
    if (yield pair) is Answer.SAME:
        yield Question(*pair, is_recheck=True)


def compare(view: View, a: int, b: int) -> Question | None:
    """The surest members of two groups; None if all such pairs were "unsure"."""
    prior: np.ndarray = view.clustering.posterior.prior
    right = max(view.neighbourhoods[b].tolist(), key=lambda row: float(prior[row, b]))
    left = surest_member(view, a, right)
    return None if left is None else Question(left, right)


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
