"""A row source over an array, for tests of the layers below the table."""

import numpy as np


class ArrayRows:
    """The rows of an array; `available` are those that can be drawn."""

    def __init__(self, X, available=None):
        self._X, self.available = np.asarray(X, dtype=float), available
        self.feature_names = [f"x{j}" for j in range(self._X.shape[1])]

    def __len__(self):
        return len(self._X)

    def take(self, rows):
        return self._X[rows]
