"""What an experiment is: runs by name, each of which gives rows for one seed.

A run is looked up by its name, so that a worker anywhere can do it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reproduction import paper
from reproduction.rows import Row

Data = tuple[Any, np.ndarray]
# Rows and classes for a seed; the folder holds the files that are not downloaded.
Load = Callable[[int, Path | None], Data]
Run = Callable[[str, int, Path | None], list[Row]]


@dataclass(frozen=True)
class Experiment:
    """One table or figure: `run(name, seed, folder)` gives the rows of one replication.

    `extras` are runs that are done only when they are named. `quick` is a smaller one for `--quick`: its rows
    have the same form.
    """

    title: str
    runs: tuple[str, ...]
    run: Run
    replications: int = paper.N_REPLICATIONS
    extras: tuple[str, ...] = ()
    extra_replications: int = 10
    quick: "Experiment | None" = None

    def default_replications(self, run: str) -> int:
        """How many replications a run has unless a number is given."""
        return self.extra_replications if run in self.extras else self.replications
