"""Ask the question whose answer is nearest to even odds: whether a row is of its likeliest group.

    score_i = −|max_m b_im − ½|,     b what the panel believes row i to be, its answers included

First the groups have to be found: while some are not known, the row that stands for most of what is far
from all known ones is asked about, by turns with doubtful rows once several such rows met known groups. It
need not meet all of them: with K groups that would take K(K − 1)/2 questions, nearly all with the answer that
was expected. One that differs from its likeliest group is presumed to be a group of its own, and two groups
of which nobody said that they differ are compared once the learners hold members of one for the other, or
once some row differs from all groups. Of questions that are asked at once, each about a row that may be a
new group compares it with the closest row that is known or asked about.
Now and then the least credible answer is asked for again (`recheck.py`); where the expert seems to err, rows
that were placed compete with the others, by the same score.
"""

from itertools import combinations

import numpy as np

from sameornot._types import Answer, Pair, Recheck
from sameornot.ensemble.clustering import PanelGrouping
from sameornot.ensemble.graph import representatives
from sameornot.ensemble.posterior import CAREFUL, Opinion, rows_of
from sameornot.query.doubt import likeness, place_in_doubt
from sameornot.query.mee import pick_best
from sameornot.query.problem import Problem, Questions
from sameornot.query.recheck import doubtful_answer, routine_recheck, told_pair

# Placed rows for each known group up to which only unknown groups are looked for.
PATIENCE = 3
# Where the number of groups is not known, one row in so many goes on looking for others.
RARELY = 4
# Groups that a row has to differ from to be presumed one of its own.
N_MET = 1
# How likely two groups have to be one, by their members, to be compared.
SUSPICIOUS = 0.15
# The same where several questions are asked at once: what one tells comes too late for the others.
SUSPICIOUS_AT_ONCE = 0.04
# Rows of which two are to be compared first: all but hopeless with people who are unsure of each.
N_SCOUTS = 12


def panel(problem: Problem, rng: np.random.Generator) -> Questions:
    """Place the row that stands for a group not known yet, or the most doubtful row."""
    candidates = problem.candidates()
    if len(problem.hoods) == 0 or (len(candidates) == 0 and len(problem.constraints.answers) == 0):
        return
    grouping = problem.clustering
    assert isinstance(grouping, PanelGrouping)  # the session takes no other clusterer with this strategy
    opinion = grouping.opinion
    if len(problem.constraints.neighbourhoods()) == 0:
        if problem.held:
            yield from meet_closest(problem, grouping, candidates)
        else:
            yield from first_meeting(problem, grouping, candidates)
        return
    if problem.constraints.is_inconsistent and problem.n_clusters is not None:
        yield from place_in_doubt(problem, grouping, rng)
        return
    suspects = compare_groups(problem, opinion)
    again = None if problem.others else to_check(problem, opinion, candidates)
    if suspects is not None:
        if (yield suspects) is Answer.SAME:
            yield Recheck(*suspects)  # one slip here would make two groups one
    elif again is not None:
        yield again
    elif len(candidates) and problem.held and presumes(problem) and explores(problem):
        yield from meet_closest(problem, grouping, candidates)
    elif len(candidates):
        yield from place(problem, opinion, choose(problem, grouping, candidates, rng))


def to_check(problem: Problem, opinion: Opinion, candidates: np.ndarray) -> Recheck | None:
    """The answer to ask for again, if it is time to."""
    told, again = problem.constraints.answers, None
    if len(candidates):
        again = routine_recheck(told, problem.hoods, opinion)
    looks = len(candidates) > 0 and explores(problem)
    if again is None and opinion.error >= CAREFUL and not looks:
        again = doubtful_answer(told, problem.hoods, opinion, candidates)
    return again


def compare_groups(problem: Problem, opinion: Opinion) -> Pair | None:
    """Members of two groups that nobody told apart and that may be one, the likeliest such first."""
    hoods, ruled_out = problem.hoods, problem.ruled_out
    open_rows = [set(pair) for pair in problem.others]
    pairs = [
        (a, b)
        for a, b in combinations(range(len(hoods)), 2)
        if not ruled_out[hoods[a][0], b]
        and not any(rows & {*hoods[a].tolist()} and rows & {*hoods[b].tolist()} for rows in open_rows)
    ]
    if not pairs:
        return None
    taken_for = np.array([opinion.odds[members].mean(axis=0) for members in hoods])
    chance = {(a, b): max(taken_for[a, b], taken_for[b, a]) for a, b in pairs}
    threshold = SUSPICIOUS_AT_ONCE if problem.others else SUSPICIOUS
    some_row_has_no_group = bool(ruled_out[~problem.placed].all(axis=1).any())
    for a, b in sorted(pairs, key=lambda pair: -chance[pair]):
        if chance[a, b] < threshold and not some_row_has_no_group:
            return None
        right = max(hoods[b].tolist(), key=lambda row: float(opinion.odds[row, b]))
        if (left := best_known(problem, opinion, a, right)) is not None:
            return Pair(left, right)
    return None


def choose(
    problem: Problem, grouping: PanelGrouping, candidates: np.ndarray, rng: np.random.Generator
) -> int:
    """The row to place next."""
    if explores(problem):
        taken = problem.placed.copy()
        taken[list(problem.held)] = True
        return scout(grouping, taken, candidates, 1)[0]
    likeliest = grouping.opinion.memberships[candidates].max(axis=1)
    return pick_best(candidates, -np.abs(likeliest - 0.5) - likeness(problem, grouping, candidates), rng)


def place(problem: Problem, opinion: Opinion, point: int) -> Questions:
    """Ask against each group, likeliest first, until "same"; while groups are looked for, against `N_MET`.

    Who is unsure is shown another member, then another row. An answer against odds that outweigh it is asked
    for again before others are tried, and so is, with an expert who errs, the one that a new group rests on.
    """
    hoods = problem.hoods
    belief = opinion.memberships[point].copy()
    problem.odds[point] = belief[: len(hoods)] / max(belief[: len(hoods)].sum(), 1e-300)
    n_met, enough = 0, N_MET if presumes(problem) and explores(problem) else len(hoods)
    for hood in np.argsort(-belief[: len(hoods)], kind="stable").tolist():
        if n_met == enough:
            break
        known = best_known(problem, opinion, hood, point)
        if known is None or problem.ruled_out[point, hood]:
            continue
        answer = yield Pair(point, known)
        if answer is Answer.UNSURE and (known := best_known(problem, opinion, hood, point)) is not None:
            answer = yield Pair(point, known)
        if answer is not Answer.DIFFERENT or known is None:
            return
        belief[hood] *= opinion.error / (1.0 - opinion.error)
        belief /= belief.sum()
        if belief[hood] > 0.5:
            yield Recheck(point, known)
            return
        n_met += 1
    if opinion.error >= CAREFUL and len(hoods) != problem.n_clusters:
        nearest = hoods[int(opinion.odds[point, : len(hoods)].argmax())]
        if (pair := told_pair(problem.constraints.answers, point, nearest)) is not None:
            yield Recheck(*pair)


def best_known(problem: Problem, opinion: Opinion, hood: int, point: int) -> int | None:
    """The member that is surest to be one without its own answers: on it all answers about others rest."""
    members = [row for row in problem.hoods[hood].tolist() if not problem.constraints.is_unsure(point, row)]
    return max(members, key=lambda row: round(float(opinion.odds[row, hood]), 6), default=None)


def scout(grouping: PanelGrouping, placed: np.ndarray, candidates: np.ndarray, n_wanted: int) -> list[int]:
    """Candidates that stand for most of what is far from all placed rows."""
    return representatives(grouping.around.close, np.flatnonzero(placed), n_wanted, candidates)


def first_meeting(problem: Problem, grouping: PanelGrouping, candidates: np.ndarray) -> Questions:
    """The rows that stand for most of the others, two at a time until two of them are compared."""
    nobody = np.zeros(len(problem.X), dtype=bool)
    anybody = np.setdiff1d(np.union1d(candidates, problem.hoods[0]), list(problem.held))
    for left, right in combinations(scout(grouping, nobody, anybody, N_SCOUTS), 2):
        if (yield Pair(right, left)) is not Answer.UNSURE:
            return


def meet_closest(problem: Problem, grouping: PanelGrouping, candidates: np.ndarray) -> Questions:
    """A row that stands for a group not known yet, and the row closest to it that is asked about or known.

    What others are asked about may be new groups too: each row of theirs is taken for one.
    """
    close, known = grouping.around.close, problem.constraints
    met = np.union1d(list(problem.held), rows_of(problem.hoods) if known.neighbourhoods() else [])
    met = met.astype(np.intp)
    for point in representatives(close, met, N_SCOUTS, np.setdiff1d(candidates, met)):
        for other in met[np.argsort(-close[point, met], kind="stable")].tolist():
            if (yield Pair(point, other)) is not Answer.UNSURE:
                return


def presumes(problem: Problem) -> bool:
    """Whether a row that differs from its likeliest group is taken for another one."""
    return problem.n_clusters is not None and not problem.constraints.is_inconsistent


def explores(problem: Problem) -> bool:
    """Whether it is time to look for a group that is not known yet."""
    n_groups, n_placed = len(problem.hoods), int(problem.placed.sum())
    if presumes(problem):
        n_groups, n_placed = n_groups + len(problem.held), n_placed + len(problem.held)
    if problem.n_clusters is not None:
        return n_groups < problem.n_clusters and (n_placed <= PATIENCE * n_groups or n_placed % 2 == 0)
    return n_placed <= PATIENCE * (n_groups + 1) or n_placed % RARELY == 0
