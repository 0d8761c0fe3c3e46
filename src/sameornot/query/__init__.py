"""What to ask next: one strategy a file, found here by name."""

from collections.abc import Callable

import numpy as np

from sameornot.query.mee import mee
from sameornot.query.problem import Problem, Questions
from sameornot.query.random import random
from sameornot.query.two_step import two_step

Strategy = Callable[[Problem, np.random.Generator], Questions]

STRATEGIES: dict[str, Strategy] = {"mee": mee, "random": random, "two_step": two_step}

__all__ = ["STRATEGIES", "Problem", "Questions", "Strategy"]
