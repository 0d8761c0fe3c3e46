"""Questions that tell how many groups there are: they compare neighbouring pieces of the data.

Where the number of groups is not given, two pieces are compared that are one piece at the next smaller
number of pieces, near the median of the posterior of that number (`ensemble/structure.py`). This bisects the
tree, as COBRAS (Van Craenendonck et al. 2018) does to find its splitting level.
"""

from collections.abc import Iterator

import numpy as np

from sameornot._types import Question
from sameornot.ensemble.structure import Granularity
from sameornot.query.base import View


def granularity_question(view: View) -> Question | None:
    """A comparison of two pieces; None if the number of groups is given, known well enough or too costly."""
    found: Granularity | None = view.clustering.posterior.granularity
    if found is None or found.is_settled or view.answers.is_inconsistent:
        return None
    if len(view.answers.answers) >= found.structure.config.max_questions:
        return None
    return next(open_comparisons(view, found), None)


def open_comparisons(view: View, found: Granularity) -> Iterator[Question]:
    """Comparisons of two pieces that no answer settles, first those with a known group, then large ones."""
    is_known = view.placed if view.answers.answers else np.zeros(len(view.X), dtype=bool)
    pairs = found.siblings()
    pairs.sort(key=lambda pair: not any(is_known[part].any() for part in pair))
    for pair in pairs:
        first, second = sorted(pair, key=lambda part: bool(is_known[part].any()))
        left, right = typical_row(view, first, is_known), typical_row(view, second, is_known)
        is_open = view.answers.relation(left, right) is None and not view.answers.is_unsure(left, right)
        if is_open and not {left, right} & view.pending_points:
            yield Question(left, right)


def typical_row(view: View, part: np.ndarray, is_known: np.ndarray) -> int:
    """The row of a piece that is most similar to the others, of its known rows if there are any."""
    inside = part[is_known[part]]
    rows = inside if len(inside) else part
    kernel = view.clustering.geometry.kernel
    likeness = kernel[np.ix_(rows, rows)].sum(axis=1)
    return int(rows[np.round(likeness, 9).argmax()])  # two rows are always equally like each other
