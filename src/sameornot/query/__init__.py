"""What to ask next: one strategy a file, found here by name."""

from collections.abc import Callable

import numpy as np

from sameornot.query import (
    cobra,
    cobras,
    explore_consolidate,
    in_turn,
    mee,
    min_max,
    npu,
    panel,
    random,
    two_step,
)
from sameornot.query.problem import Problem, Questions

Strategy = Callable[[Problem, np.random.Generator], Questions]

STRATEGIES: dict[str, Strategy] = {
    "cobra": cobra.cobra,
    "cobras": cobras.cobras,
    "explore_consolidate": explore_consolidate.explore_consolidate,
    "in_turn": in_turn.in_turn,
    "mee": mee.mee,
    "min_max": min_max.min_max,
    "npu": npu.npu,
    "panel": panel.panel,
    "random": random.random,
    "two_step": two_step.two_step,
}

__all__ = ["STRATEGIES", "Problem", "Questions", "Strategy"]
