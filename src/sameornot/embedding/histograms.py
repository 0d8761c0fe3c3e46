"""Pictures as histograms of gradients and of colours, from Pillow and NumPy alone.

    vector = [√g, √c]
    g = shares of the gradients by cell (8 × 8) and direction (9),  c = shares of the colours

The gradients follow Dalal and Triggs (2005) with one normalisation for the whole picture; the square roots
make distances those of Hellinger. Grey counts as one colour, so that grey pictures differ by gradients alone.
Such vectors know shapes and colours, not what a picture shows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sameornot.embedding.picture_files import PictureFolder

if TYPE_CHECKING:
    from PIL.Image import Image

NAME = "histograms"
SIDE, CELLS, DIRECTIONS = 64, 8, 9
COLOUR_SIDE, HUES = 32, 12
_VIVID = 0.35  # chroma from which on a hue counts as vivid, not as pale
N_FEATURES = CELLS * CELLS * DIRECTIONS + 2 * HUES + 1


class Histograms:
    """Embeds pictures by histograms of gradients and colours."""

    name = NAME
    items = "pictures"

    def __init__(self, folder: PictureFolder) -> None:
        self.folder = folder

    def key(self, item: str) -> bytes | None:
        """Hash of the picture's file."""
        return self.folder.digest(item)

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The histograms of the pictures; NaN where a file is missing or no picture."""
        vectors = np.full((len(items), N_FEATURES), np.nan)
        for row, item in enumerate(items):
            picture = self.folder.read(item)
            if picture is not None:
                vectors[row] = describe_picture(picture)
        return vectors


def describe_picture(picture: "Image") -> np.ndarray:
    """The square roots of the shares of gradients and of colours."""
    return np.sqrt(np.concatenate([gradient_shares(picture), colour_shares(picture)]))


def gradient_shares(picture: "Image") -> np.ndarray:
    """The share of each cell and direction in the summed gradient of the brightness; zeros if it is even."""
    brightness = _resize(picture.convert("L"), SIDE).astype(np.float64) / 255
    down, right = np.gradient(brightness)
    length = np.hypot(down, right)
    # A direction is shared by the two bins beside it.
    direction = np.mod(np.arctan2(down, right), np.pi) * (DIRECTIONS / np.pi)
    lower, upper = np.floor(direction), direction - np.floor(direction)
    cell = np.arange(SIDE) // (SIDE // CELLS)
    first = (cell[:, None] * CELLS + cell[None, :]) * DIRECTIONS
    n = CELLS * CELLS * DIRECTIONS
    bins = first + lower.astype(int) % DIRECTIONS, first + (lower.astype(int) + 1) % DIRECTIONS
    parts = length * (1 - upper), length * upper
    sums = np.zeros(n)
    for at, part in zip(bins, parts, strict=True):
        sums += np.bincount(at.ravel(), part.ravel(), minlength=n)
    return sums / (sums.sum() or 1.0)


def colour_shares(picture: "Image") -> np.ndarray:
    """The share of each pale and each vivid hue, and last of grey."""
    hue, saturation, value = np.moveaxis(_resize(picture, COLOUR_SIDE, "HSV").astype(np.float64), -1, 0)
    chroma = saturation * value / 255**2
    position = hue / 256 * HUES
    lower, upper = np.floor(position), position - np.floor(position)
    first = np.where(chroma > _VIVID, HUES, 0)
    sums = np.zeros(2 * HUES + 1)
    for step, part in ((0, chroma * (1 - upper)), (1, chroma * upper)):
        at = first + (lower.astype(int) + step) % HUES
        sums += np.bincount(at.ravel(), part.ravel(), minlength=len(sums))
    sums[-1] += (1 - chroma).sum()
    return sums / chroma.size


def _resize(picture: "Image", side: int, mode: str | None = None) -> np.ndarray:
    from PIL.Image import Resampling

    how = Resampling.BOX if min(picture.size) >= side else Resampling.BILINEAR
    small = picture.resize((side, side), how)
    return np.asarray(small if mode is None else small.convert(mode))
