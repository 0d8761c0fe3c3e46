"""The survey: what can be said of the rows before any answer.

Which rows hold the places of groups that nobody has met is decided by how close rows are to each other, and
no one measure of closeness is best everywhere. Each is tried: groups are learnt from the one row that would
hold the place of each, and the measure is taken by which they stand out most,

    clarity = mean_i log max_m r_i(m),      r what the panel holds row i for

"""

from collections.abc import Callable, Sequence

import numpy as np

from sameornot.ensemble.discriminant import whiten
from sameornot.ensemble.geometry import Layout, Surroundings, draw_in
from sameornot.ensemble.graph import closeness, neighbour_graph, representatives
from sameornot.ensemble.posterior import LEARNERS, foretell, mix_opinions, track_record

# How much a row passes on where only nearer rows than usual count as close.
SHORT_REACH = 0.9
# Of many rows, so many tell which measure to take.
N_TO_CHOOSE_BY = 1000
# Clarities closer than this are the same: how they are rounded must not decide.
DIGITS = 9

Measure = Callable[[Layout], np.ndarray]


def survey(
    X: np.ndarray, scale: np.ndarray, n_groups: int | None = None, learners: Sequence[str] = LEARNERS
) -> Surroundings:
    """What does not depend on answers."""
    laid = lay_out(X, scale)
    measure = choose_measure(laid, n_groups, learners)
    return Surroundings(laid.rows, laid.whitened, laid.graph, measure(laid))


def lay_out(X: np.ndarray, scale: np.ndarray) -> Layout:
    """The rows as learners see them."""
    standard = (X - X.mean(axis=0)) / scale
    rows = draw_in(standard)
    return Layout(rows, whiten(standard), neighbour_graph(rows))


def by_reach(laid: Layout) -> np.ndarray:
    """Rows are close that reach each other as groups spread."""
    return closeness(laid.graph)


def by_short_reach(laid: Layout) -> np.ndarray:
    """Rows are close that reach each other over fewer others."""
    return closeness(laid.graph, SHORT_REACH)


def by_reach_in_whitened_axes(laid: Layout) -> np.ndarray:
    """Rows are close that reach each other along axes in which rows vary alike."""
    return closeness(neighbour_graph(laid.whitened))


MEASURES: tuple[Measure, ...] = (by_reach, by_short_reach, by_reach_in_whitened_axes)


def choose_measure(laid: Layout, n_groups: int | None, learners: Sequence[str]) -> Measure:
    """The measure by which groups stand out most; the first one where that cannot be told."""
    # One row a group is too little for trees.
    voices = [name for name in learners if name != "trees"]
    some = np.sort(np.random.default_rng(0).permutation(len(laid.rows))[:N_TO_CHOOSE_BY])
    if n_groups is None or not voices or not 1 < n_groups <= len(some):
        return MEASURES[0]
    few = Layout(laid.rows[some], laid.whitened[some], neighbour_graph(laid.rows[some]))

    def stand_out(measure: Measure) -> float:
        around = Surroundings(few.rows, few.whitened, few.graph, measure(few))
        return clarity(around, n_groups, voices)

    return max(MEASURES, key=stand_out)


def clarity(around: Surroundings, n_groups: int, learners: Sequence[str]) -> float:
    """How clearly groups stand out that are learnt from one row each."""
    groups = [np.array([row]) for row in representatives(around.close, np.empty(0, np.intp), n_groups)]
    nothing = np.zeros((len(around.rows), n_groups), dtype=bool)
    heard = foretell(around, groups, nothing, np.random.default_rng(0), learners)
    held = mix_opinions(heard, groups, track_record([], [], nothing, learners), learners)
    return round(float(np.log(held.max(axis=1)).mean()), DIGITS)
