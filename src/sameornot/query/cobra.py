"""COBRA's questions (Van Craenendonck et al. 2017): whether the closest groups of parts are one.

The whole run is a single step, so nothing is fitted on the way. The flow itself is in `cluster/_cobra.py`.
"""

import numpy as np

from sameornot.cluster._cobra import COBRASettings
from sameornot.query.problem import Problem, Questions


def cobra(problem: Problem, rng: np.random.Generator) -> Questions:
    """Ask what COBRA asks, with the session's own settings where it groups by COBRA."""
    settings = problem.method if isinstance(problem.method, COBRASettings) else COBRASettings()
    yield from settings.ask(problem.X, problem.scale, rng, problem.progress)
