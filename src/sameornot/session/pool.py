"""The pool: the rows of a table that questions are about, all of them or a bounded random sample.

An expert answers a few hundred questions whatever the size of the table, and each question is chosen by
comparing all rows of the pool. Beyond a few thousand, more rows cost time and add nothing.

A *row* is always a row number of the table, a *position* always an index into the pool.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np

from sameornot._types import Pair
from sameornot.constraints import Contradiction
from sameornot.session.log import TooManyGroups

# Rows that are drawn of a larger table, and the size up to which all are taken. The time of a question grows
# faster than the rows, an eighth of a second with 2,000 and a quarter with 3,000; and fewer rows say less.
POOL = 2000
ALL_UP_TO = 3000
# For the result, the clustering is expanded to all rows of tables of up to WHOLE_UP_TO rows, and to WIDE rows
# of larger ones; but to no more cells than WIDE_CELLS.
WHOLE_UP_TO = 10_000
WIDE = 5_000
WIDE_CELLS = 2_000_000


def default_size(n_rows: int) -> int:
    """Rows of a table that questions are about by default.

    Examples
    --------
    >>> default_size(3_000), default_size(1_000_000)
    (3000, 2000)
    """
    return n_rows if n_rows <= ALL_UP_TO else POOL


class Pool:
    """Rows of a table in rising order; `size` at most are drawn, and `rows` are among them in any case.

    `among` are the rows that can be drawn, by default all of the table.

    Examples
    --------
    >>> pool = Pool(1_000_000, size=3, seed=0, rows=[7])
    >>> len(pool), pool.table_rows(pool.positions(Pair(7, 7)))
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
        there = np.arange(n_rows) if among is None else among
        if len(there) > size:
            drawn = np.random.default_rng(seed).choice(len(there), size, replace=False)
            there = drawn if among is None else among[drawn]
        elif among is None:
            self.rows = there
            return
        self.rows = np.union1d(there, np.array(list(rows), dtype=there.dtype))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_all(self) -> bool:
        """Whether it holds the whole table."""
        return len(self.rows) == self.n_rows

    def expanded(self, n_features: int) -> "Pool":
        """More rows of the table, with all of these: those that the clustering is expanded to in the end."""
        size = WHOLE_UP_TO if self.n_rows <= WHOLE_UP_TO else WIDE
        size = min(size, WIDE_CELLS // max(1, n_features))
        if size <= len(self):
            return self
        n_drawn = size if self.n_rows <= size else size - len(self)
        return Pool(self.n_rows, n_drawn, self._seed + 1, self.rows.tolist(), among=self._among)

    @cached_property
    def position(self) -> dict[int, int]:
        """The position of each row of the table that is in the pool."""
        return {row: at for at, row in enumerate(self.rows.tolist())}

    def table_row(self, position: int) -> int:
        """The row of the table at a position in the pool."""
        return int(self.rows[position])

    def positions(self, pair: Pair) -> Pair:
        """The positions in the pool of two rows of the table."""
        return Pair(self.position[pair.left], self.position[pair.right])

    def table_rows(self, positions: Pair) -> Pair:
        """The rows of the table at two positions in the pool."""
        return Pair(self.table_row(positions.left), self.table_row(positions.right))


@contextmanager
def table_rows_in_errors(pool: Pool) -> Iterator[None]:
    """Have contradictions told with rows of the table."""
    try:
        yield
    except Contradiction as error:
        chain = [(pool.table_rows(pair), answer) for pair, answer in error.chain]
        raise Contradiction(pool.table_rows(error.pair), error.answer, chain) from None
    except TooManyGroups as error:
        groups = [pool.rows[members] for members in error.groups]
        raise TooManyGroups(groups, error.n_clusters) from None
