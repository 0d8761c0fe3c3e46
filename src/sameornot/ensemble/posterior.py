"""The panel: five learners say of each row which group it is of, each is believed by its track record.

    neighbours      groups spread over a graph of neighbours, features weighed by what they tell apart
    discriminant    clouds of one common shape that train themselves (`membership/discriminant.py`)
    whitened        the same in axes along which the rows vary alike: finds what hides in mixed features
    borders         groups spread over a graph of neighbours in the discriminant's axes
    trees           extremely randomised trees on the placed rows

Where fewer groups are known than there should be, rows that stand for what is far from all of them hold the
place of the others. No learner is best everywhere; which one is here, the answers tell.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sameornot.constraints import Fact
from sameornot.ensemble.discriminant import discriminant, rule_out
from sameornot.ensemble.geometry import Layout, Surroundings
from sameornot.ensemble.graph import neighbour_graph, representatives, spread
from sameornot.ensemble.noise import Votes, believe, count_votes, estimate_error
from sameornot.ensemble.stacking import SLIP, Record, judge, sharpen
from sameornot.ensemble.trees import grow_trees

LEARNERS = ("neighbours", "discriminant", "whitened", "borders", "trees")
# How sharp each tends to have to be taken: graphs say too little, clouds in many dimensions too much.
USUAL = {"neighbours": 4.0, "discriminant": 0.5, "whitened": 0.5, "borders": 2.0, "trees": 2.0}

# How much a row that nobody placed trains the discriminants, and for how many rounds. The common shape in
# whitened axes is known from all rows: there they count in full.
TRUST = 0.3
# Below this rate of errors no answer is doubted.
CAREFUL = 0.03
NO_ERROR = 0.001
N_ROUNDS = 4
N_WHITENED_ROUNDS = 11


@dataclass(frozen=True)
class Foretold:
    """What each learner held each row for at some time (learners × n × L), and the groups as they were.

    The last columns, beyond `groups`, are of groups that were not known then; `believed` are the groups that
    were held to be true where answers did not all hold.
    """

    groups: list[np.ndarray]
    odds: np.ndarray
    believed: list[np.ndarray]


class Opinion(NamedTuple):
    """The panel's memberships (n × number of groups), and what stands behind them.

    `odds` are what the learners alone hold each row for, its own answers left out; `seeds` held the places of
    groups that are not known yet; `error` is how often the expert seems to err; `settled` marks the rows that
    the expert placed beyond doubt; `foretold` is what each learner held, all answers believed; `groups` are
    the rows that the learners were taught by in the end.
    """

    memberships: np.ndarray
    odds: np.ndarray
    seeds: list[int]
    record: Record
    error: float
    settled: np.ndarray
    foretold: Foretold
    groups: list[np.ndarray]


def foretell(
    around: Layout,
    groups: Sequence[np.ndarray],
    ruled_out: np.ndarray,
    rng: np.random.Generator,
    learners: Sequence[str] = LEARNERS,
) -> np.ndarray:
    """What each learner holds each row for (learners × n × L), the answers about that row left out."""
    rows, eye = around.rows, np.eye(len(groups))

    def settled(memberships: np.ndarray) -> np.ndarray:
        memberships = rule_out(memberships, ruled_out)
        for m, members in enumerate(groups):
            memberships[members] = eye[m]
        return memberships

    first = settled(spread(around.graph, groups))
    near = settled(spread(neighbour_graph(weigh_features(rows, first)), groups))
    cloud = discriminant(rows, groups, near, ruled_out, trust=TRUST, n_rounds=N_ROUNDS)
    found = {"discriminant": cloud.memberships}
    if "neighbours" in learners:
        graph = neighbour_graph(weigh_features(rows, settled(cloud.memberships)))
        found["neighbours"] = spread(graph, groups)
    if "whitened" in learners:
        found["whitened"] = discriminant(
            around.whitened, groups, cloud.memberships, ruled_out, trust=1.0, n_rounds=N_WHITENED_ROUNDS
        ).memberships
    if "borders" in learners:
        found["borders"] = spread(neighbour_graph(rows @ cloud.axes), groups)
    if "trees" in learners:
        found["trees"] = grow_trees(rows, groups, rng)
    return np.array([found[name] for name in learners])


def weigh_features(rows: np.ndarray, memberships: np.ndarray) -> np.ndarray:
    """Rows with each feature stretched by how far apart it keeps the groups: variance between over within."""
    return np.asarray(rows * np.sqrt(variance_ratio(rows, memberships)))


def variance_ratio(rows: np.ndarray, memberships: np.ndarray) -> np.ndarray:
    """Variance between groups over variance within them, by feature."""
    mass = memberships.sum(axis=0) + 1e-9
    centers = memberships.T @ rows / mass[:, None]
    between = np.maximum(mass @ centers**2 / mass.sum() - rows.mean(axis=0) ** 2, 0.0)
    overall = rows.var(axis=0)
    within = np.maximum(overall - between, 1e-3 * np.maximum(overall, 1e-300))
    return np.asarray(between / within)


def track_record(
    past: Sequence[Foretold],
    groups: Sequence[np.ndarray],
    ruled_out: np.ndarray,
    learners: Sequence[str] = LEARNERS,
    slip: float = SLIP,
) -> Record:
    """How far to believe each learner: `past` holds what they foretold, `groups` what has come of it.

    A row that was placed between two of those times is a test of the first.
    """
    n_columns = max([1, *(told.odds.shape[2] for told in past)])
    tests, truth = [np.empty((0, len(learners), n_columns))], [np.empty(0, dtype=np.intp)]
    now = group_of_rows(groups, len(ruled_out))
    was = [group_of_rows(told.groups, len(ruled_out)) for told in past]
    for told, before, until in zip(past, was, [*was, now][1:], strict=True):
        column = np.full(len(groups) + 1, -1)  # where what is a group now was foretold, of the first such
        for m, members in reversed(list(enumerate(told.groups))):
            column[np.bincount(now[members] + 1).argmax() - 1] = m
        column[-1] = -1
        fresh = np.flatnonzero((until >= 0) & (before < 0) & (column[now] >= 0))
        odds = told.odds[:, fresh].transpose(1, 0, 2)
        tests.append(np.pad(odds, ((0, 0), (0, 0), (0, n_columns - odds.shape[2]))))
        truth.append(column[now[fresh]])
    usual = np.array([USUAL[name] for name in learners])
    return judge(np.concatenate(tests), np.concatenate(truth), usual, slip)


def rows_of(groups: Sequence[np.ndarray]) -> np.ndarray:
    """All rows that are in some group."""
    return np.concatenate([np.empty(0, dtype=np.intp), *groups])


def group_of_rows(groups: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Which of some groups holds each row, −1 for none."""
    held = np.full(n_rows, -1)
    for m, members in enumerate(groups):
        held[members] = m
    return held


def fill_up(
    around: Surroundings, groups: Sequence[np.ndarray], ruled_out: np.ndarray, n_groups: int
) -> tuple[list[np.ndarray], np.ndarray, list[int]]:
    """As many groups as there should be: for those not known, rows far from what is known hold the place."""
    seeds = representatives(around.close, rows_of(groups), n_groups - len(groups))
    filled = [*groups, *(np.array([seed]) for seed in seeds)]
    ruled_out = np.hstack([ruled_out[:, : len(groups)], np.zeros((len(ruled_out), len(seeds)), dtype=bool)])
    return filled, ruled_out, seeds


def consult(
    around: Surroundings,
    groups: Sequence[np.ndarray],
    ruled_out: np.ndarray,
    told: Sequence[Fact],
    n_groups: int,
    past: Sequence[Foretold],
    rng: np.random.Generator,
    learners: Sequence[str] = LEARNERS,
) -> Opinion:
    """What the panel as a whole holds each row for, the expert's answers about it included."""
    record = track_record(past, groups, ruled_out, learners)
    known = list(groups)
    groups, ruled_out, seeds = fill_up(around, groups, ruled_out, n_groups)
    if len(groups) == 1:
        alone = np.ones((len(around.rows), 1))
        nothing = Foretold([], np.empty((len(learners), len(alone), 0)), [])
        return Opinion(
            alone, alone, seeds, record, NO_ERROR, settled_rows(alone, groups, seeds), nothing, groups
        )
    votes = count_votes(told, groups, len(around.rows))
    heard = foretell(around, groups, ruled_out, rng, learners)
    foretold = Foretold(known, heard.astype(np.float32), [])
    odds = mix_opinions(heard, groups, record, learners)
    error = estimate_error(odds, votes)
    belief = take_sides(odds, votes, groups, ruled_out, error)
    held = [belief[members, m] >= 0.5 for m, members in enumerate(groups)]
    if not all(sure.all() for sure in held):
        # A group of which no row is held to be a member still has to be learnt from something.
        kept = [members[sure] if sure.any() else members for members, sure in zip(groups, held, strict=True)]
        odds = mix_opinions(foretell(around, kept, ruled_out, rng, learners), kept, record, learners)
        belief = take_sides(odds, votes, groups, ruled_out, error)
    settled = settled_rows(belief, groups, seeds)
    return Opinion(belief, odds, seeds, record, error, settled, foretold, groups)


def settled_rows(belief: np.ndarray, groups: Sequence[np.ndarray], seeds: Sequence[int]) -> np.ndarray:
    """Rows of known groups of which there is no doubt."""
    settled = np.zeros(len(belief), dtype=bool)
    settled[np.setdiff1d(rows_of(groups), seeds)] = True
    return np.asarray(settled & (belief.max(axis=1) == 1.0))


def mix_opinions(
    opinions: np.ndarray, groups: Sequence[np.ndarray], record: Record, learners: Sequence[str]
) -> np.ndarray:
    """What the learners together hold each row for; trees know the placed rows by heart and are not heard."""
    voice = np.repeat(record.weights[:, None], opinions.shape[1], axis=1)
    if "trees" in learners and len(learners) > 1:
        voice[learners.index("trees"), rows_of(groups)] = 0.0
    voice /= voice.sum(axis=0)
    mixed = np.zeros(opinions.shape[1:])
    for opinion, sharpness, own in zip(opinions, record.sharpness, voice, strict=True):
        mixed += own[:, None] * sharpen(opinion, sharpness)
    return mixed


def take_sides(
    odds: np.ndarray, votes: Votes, groups: Sequence[np.ndarray], ruled_out: np.ndarray, error: float
) -> np.ndarray:
    """What each row is: what the answers say, unless the expert is known to err and all else is against."""
    careful = error < CAREFUL
    belief = rule_out(odds, ruled_out) if careful else believe(odds, votes, error)
    for m, members in enumerate(groups):
        spoken_of = (votes.same + votes.different)[members].any(axis=1) & ~votes.vouches[members]
        sure = members if careful or len(members) == 1 else members[~spoken_of]
        belief[sure] = np.eye(len(groups))[m]
    return belief
