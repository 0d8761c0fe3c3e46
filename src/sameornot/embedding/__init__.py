"""Vectors of texts and pictures: from a wheel, a named model, a function, or histograms."""

from sameornot.embedding.contract import Embedder, Progress
from sameornot.embedding.errors import EmbeddingError
from sameornot.embedding.models import EmbeddingModels
from sameornot.embedding.picture_files import PictureFolder, make_thumbnail

__all__ = ["Embedder", "EmbeddingError", "EmbeddingModels", "PictureFolder", "Progress", "make_thumbnail"]
