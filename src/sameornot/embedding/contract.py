"""What makes vectors of texts or of pictures: the contract that all embedders fulfil."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

# Called with what is embedded ("texts" or "pictures"), how many are done, and how many there are.
Progress = Callable[[str, int, int], None]


class Embedder(Protocol):
    """Makes a vector of each item: a text, or the name of a picture's file.

    Equal items have equal vectors, whatever the others are.
    """

    @property
    def name(self) -> str:
        """What was used, as stored with a session and with a model."""

    @property
    def items(self) -> str:
        """What it embeds: "texts" or "pictures"."""

    def key(self, item: str) -> bytes | None:
        """Hash of an item's content, under which its vector may be kept; None to compute it each time."""

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The vectors (n × d) of the items; NaN for one that has none, such as a picture without a file."""
