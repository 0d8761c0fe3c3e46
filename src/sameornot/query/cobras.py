"""COBRAS's questions (Van Craenendonck et al. 2018): whether halves are the same, and which groups are one.

The whole run is a single step, so nothing is fitted on the way. The flow itself is in `cluster/_cobras.py`.
"""

import numpy as np

from sameornot.cluster._cobras import COBRASSettings
from sameornot.query.problem import Problem, Questions


def cobras(problem: Problem, rng: np.random.Generator) -> Questions:
    """Ask what COBRAS asks, with the session's own settings where it groups by COBRAS."""
    settings = problem.method if isinstance(problem.method, COBRASSettings) else COBRASSettings()
    yield from settings.ask(problem.X, problem.scale, rng, problem.progress)
