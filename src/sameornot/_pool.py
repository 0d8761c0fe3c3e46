"""Which rows of a table questions are about: all of them, or a bounded draw.

An expert answers a few hundred questions whatever the table holds, and each question is chosen by comparing
all rows that could be asked about. Beyond a few thousand rows more of them cost time and tell nothing new.
"""

from collections.abc import Collection
from functools import cached_property

import numpy as np

from sameornot._types import Pair

# Rows that are drawn of a larger table, and up to how many all are taken. The time of a question grows faster
# than the rows, an eighth of a second with 2,000 and a quarter with 3,000; and fewer rows tell less.
POOL = 2000
ALL_UP_TO = 3000
# Tables up to so many rows are looked at whole in the end, of larger ones so many rows; and no more cells.
WHOLE_UP_TO = 10_000
WIDE = 5_000
WIDE_CELLS = 2_000_000


def usual_size(n_rows: int) -> int:
    """Rows of a table that questions are about unless somebody says how many.

    Examples
    --------
    >>> usual_size(3_000), usual_size(1_000_000)
    (3000, 2000)
    """
    return n_rows if n_rows <= ALL_UP_TO else POOL


class Pool:
    """Rows of a table in rising order; `size` at most are drawn, and `rows` are among them in any case.

    `among` are the rows that can be drawn, all of the table unless given.

    Examples
    --------
    >>> pool = Pool(1_000_000, size=3, seed=0, rows=[7])
    >>> len(pool), pool.to_table(pool.to_pool(Pair(7, 7)))
    (4, Pair(left=7, right=7))
    """

    def __init__(
        self,
        n_rows: int,
        size: int,
        seed: int,
        rows: Collection[int] = (),
        *,
        among: np.ndarray | None = None,
    ) -> None:
        self.n_rows, self._seed, self._among = n_rows, seed, among
        n_there = n_rows if among is None else len(among)
        if n_there <= size:
            self.rows = np.arange(n_rows) if among is None else among
            return
        drawn = np.random.default_rng(seed).choice(n_there, size, replace=False)
        drawn = drawn if among is None else among[drawn]
        self.rows = np.union1d(drawn, np.array(list(rows), dtype=drawn.dtype))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_all(self) -> bool:
        """Whether it holds the whole table."""
        return len(self.rows) == self.n_rows

    def widened(self, n_features: int) -> "Pool":
        """More rows of the table, with all of these: as many as can be looked at in the end."""
        size = WHOLE_UP_TO if self.n_rows <= WHOLE_UP_TO else WIDE
        size = min(size, WIDE_CELLS // max(1, n_features))
        if size <= len(self):
            return self
        n_drawn = size if self.n_rows <= size else size - len(self)
        return Pool(self.n_rows, n_drawn, self._seed + 1, self.rows.tolist(), among=self._among)

    @cached_property
    def position(self) -> dict[int, int]:
        """Where each of its rows stands in it."""
        return {row: at for at, row in enumerate(self.rows.tolist())}

    def to_pool(self, pair: Pair) -> Pair:
        """Rows of the table, as rows of the pool."""
        return type(pair)(self.position[pair.left], self.position[pair.right])

    def to_table(self, pair: Pair) -> Pair:
        """Rows of the pool, as rows of the table."""
        return type(pair)(int(self.rows[pair.left]), int(self.rows[pair.right]))
