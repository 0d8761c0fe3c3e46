"""A function of the user's own as an embedder of texts or pictures."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sameornot.embedding.errors import EmbeddingError

# Before the name of a function, where the name of a model is stored.
PREFIX = "function "
# Takes a list of texts, or of paths of pictures; returns an array with a row for each.
EmbeddingFunction = Callable[[list[str]], Any]


class Function:
    """Embeds with a function; each item once as long as this object lives."""

    def __init__(self, function: EmbeddingFunction, items: str, path_of: Callable[[str], str] = str) -> None:
        called = getattr(function, "__qualname__", type(function).__name__)
        self.name, self.items = f"{PREFIX}{called}", items
        self._function, self._path_of = function, path_of
        self._known: dict[str, np.ndarray] = {}

    def key(self, item: str) -> bytes | None:
        """Nothing is kept beyond this object: another function may have the same name."""
        return None

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The vectors that the function returns."""
        new = [item for item in dict.fromkeys(items) if item not in self._known]
        if new:
            self._known |= dict(zip(new, self._call(new), strict=True))
        return np.array([self._known[item] for item in items])

    def _call(self, items: list[str]) -> np.ndarray:
        result = self._function([self._path_of(item) for item in items])
        try:
            vectors = np.asarray(result, dtype=np.float64)
        except (TypeError, ValueError):
            raise EmbeddingError(f"the {self.name} has to return an array of numbers") from None
        if vectors.ndim != 2 or len(vectors) != len(items) or vectors.shape[1] == 0:
            raise EmbeddingError(
                f"the {self.name} returned an array of shape {vectors.shape} for {len(items)} {self.items}: "
                "one row of numbers for each is needed"
            )
        if not np.isfinite(vectors).all():
            raise EmbeddingError(f"the {self.name} returned NaN or infinity for some {self.items}")
        return vectors
