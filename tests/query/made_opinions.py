"""Opinions of a panel, made up for tests of what is asked again because of them."""

import numpy as np

from sameornot.ensemble.posterior import Foretold, Opinion
from sameornot.ensemble.stacking import Record


def held(odds, error=0.001):
    """An opinion in which the learners' odds, and how often the expert errs, are all that matters."""
    odds = np.asarray(odds, dtype=float)
    record = Record(np.ones(1), np.ones(1), np.empty(0), np.empty(0, dtype=bool))
    nothing = Foretold([], np.empty((0, len(odds), 0)), [])
    return Opinion(odds, odds, [], record, error, np.zeros(len(odds), dtype=bool), nothing, [])
