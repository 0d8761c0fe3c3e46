"""Any model of sentence-transformers, by its name or folder: for texts, and for pictures (CLIP)."""

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from sameornot.embedding.errors import EmbeddingError
from sameornot.embedding.picture_files import PictureFolder


class NamedTextModel:
    """Embeds texts with a model of sentence-transformers, which is loaded when it is first needed."""

    items = "texts"

    def __init__(self, name: str) -> None:
        self.name = name

    def key(self, item: str) -> bytes | None:
        """Hash of the text."""
        return blake2b(item.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The vectors of the texts."""
        return _encode(self._model, list(items), self.name)

    @cached_property
    def _model(self) -> Any:
        return load_model(self.name)


class NamedPictureModel:
    """Embeds pictures with a model of sentence-transformers that takes them, such as clip-ViT-B-32."""

    items = "pictures"

    def __init__(self, name: str, folder: PictureFolder) -> None:
        self.name, self.folder = name, folder

    def key(self, item: str) -> bytes | None:
        """Hash of the picture's file."""
        return self.folder.digest(item)

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The vectors of the pictures; NaN where a file is missing or no picture."""
        pictures = [self.folder.read(item) for item in items]
        known = [picture for picture in pictures if picture is not None]
        if not known:
            return np.full((len(items), 0), np.nan)
        found = _encode(self._model, known, self.name)
        vectors = np.full((len(items), found.shape[1]), np.nan)
        vectors[[picture is not None for picture in pictures]] = found
        return vectors

    @cached_property
    def _model(self) -> Any:
        return load_model(self.name)


def load_model(name: str) -> Any:
    """The model of that name, or in that folder."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise EmbeddingError(
            f"the model {name} needs another package: run `pip install sentence-transformers`"
        ) from None
    try:
        return SentenceTransformer(name)
    except Exception as error:  # whatever its loader and its hub raise
        reason = _first_line(error)
        known = "" if Path(name).exists() else "; without a network, give a folder that holds the model"
        raise EmbeddingError(f"the model {name} cannot be loaded ({reason}){known}") from None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(". ")


def _encode(model: Any, items: list[Any], name: str) -> np.ndarray:
    try:
        vectors = model.encode(items, show_progress_bar=False, convert_to_numpy=True)
    except Exception as error:
        reason = _first_line(error)
        raise EmbeddingError(f"the model {name} failed ({reason}): choose another") from None
    return np.asarray(vectors, dtype=np.float64)
