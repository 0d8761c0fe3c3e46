"""What to ask next: one strategy a file, found here by name."""

from collections.abc import Callable

import numpy as np

from sameornot.query import mee, random, two_step
from sameornot.query.problem import Problem, Questions

Strategy = Callable[[Problem, np.random.Generator], Questions]

STRATEGIES: dict[str, Strategy] = {"mee": mee.mee, "random": random.random, "two_step": two_step.two_step}

__all__ = ["STRATEGIES", "Problem", "Questions", "Strategy"]
