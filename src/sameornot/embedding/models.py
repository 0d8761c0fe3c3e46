"""Which embedders a table's texts and pictures get, and how their vectors are computed."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NoReturn

import numpy as np

from sameornot._progress import progress_bar
from sameornot.embedding.cache import VectorCache
from sameornot.embedding.contract import Embedder, Progress
from sameornot.embedding.errors import EmbeddingError
from sameornot.embedding.function import PREFIX as FUNCTION
from sameornot.embedding.function import EmbeddingFunction, Function
from sameornot.embedding.histograms import NAME as HISTOGRAMS
from sameornot.embedding.histograms import Histograms
from sameornot.embedding.named_model import NamedPictureModel, NamedTextModel
from sameornot.embedding.picture_files import PictureFolder
from sameornot.embedding.static_texts import NAME as WORDLLAMA
from sameornot.embedding.static_texts import find_static_texts

TF_IDF = "tf-idf"
_BATCH = 256  # items between two reports of progress, which are kept together


def _ask_for_function(items: str, name: str) -> NoReturn:
    raise EmbeddingError(f"{items} were embedded by the {name}: give that function again")


@dataclass(frozen=True)
class EmbeddingModels:
    """How texts and pictures become vectors.

    Parameters
    ----------
    text : str or callable, optional
        "wordllama" (the extra `text`), "tf-idf" (no embedding), the name or folder of a model of
        sentence-transformers, or a function from a list of texts to an array with a row for each. By default
        wordllama where it is installed, else tf-idf.
    image : str or callable, optional
        "histograms", the name or folder of a model of sentence-transformers that takes pictures, or a
        function from a list of paths to an array with a row for each. By default histograms.
    folder : Path, optional
        The folder that the names of pictures are relative to.
    cache : Path, optional
        SQLite file in which vectors are kept, so that no content is embedded twice by the same model.
    progress : callable, optional
        Called with what is embedded ("texts" or "pictures"), how many are done, and how many there are.

    Examples
    --------
    >>> models = EmbeddingModels(text=lambda texts: [[len(text), text.count("a")] for text in texts])
    >>> models.for_texts().embed(["banana", "kiwi"])
    array([[6., 3.],
           [4., 0.]])
    >>> EmbeddingModels(text="tf-idf").for_texts() is None
    True
    """

    text: str | EmbeddingFunction | None = None
    image: str | EmbeddingFunction | None = None
    folder: Path | None = None
    cache: Path | None = None
    progress: Progress | None = field(default=None, compare=False)

    @property
    def pictures(self) -> PictureFolder:
        """The pictures of the table."""
        return PictureFolder(self.folder)

    def with_choices(self, text: str | None, image: str | None, folder: Path | None) -> "EmbeddingModels":
        """These models with what was chosen by name, and a folder; a function stays what it is."""
        return replace(
            self,
            text=self.text if callable(self.text) else text or self.text,
            image=self.image if callable(self.image) else image or self.image,
            folder=folder,
        )

    def for_texts(self) -> Embedder | None:
        """The embedder of texts; None for tf-idf."""
        return self._text

    def for_pictures(self) -> Embedder:
        """The embedder of pictures."""
        return self._image

    def named(self, items: str, name: str) -> Embedder:
        """The embedder that a model was learned with, by what it embeds and its name."""
        if name.startswith(FUNCTION):
            own = self._text if items == "texts" else self._image
            return own if own is not None and own.name == name else _ask_for_function(items, name)
        chosen = replace(self, text=name) if items == "texts" else replace(self, image=name)
        found = chosen.for_texts() if items == "texts" else chosen.for_pictures()
        assert found is not None
        return found

    @cached_property
    def _text(self) -> Embedder | None:
        if callable(self.text):
            return Function(self.text, "texts")
        if self.text == TF_IDF:
            return None
        if str(self.text).startswith(FUNCTION):
            return _ask_for_function("texts", str(self.text))
        if self.text not in (None, WORDLLAMA):
            return NamedTextModel(str(self.text))
        static = find_static_texts()
        if static is None and self.text is not None:
            raise EmbeddingError(
                f"texts are to be embedded by {WORDLLAMA}, which is not installed: run "
                "`pip install 'sameornot[text]'`, or choose tf-idf"
            )
        return static

    @cached_property
    def _image(self) -> Embedder:
        if callable(self.image):
            return Function(self.image, "pictures", lambda name: str((self.folder or Path()) / name))
        if self.image in (None, HISTOGRAMS):
            return Histograms(self.pictures)
        if str(self.image).startswith(FUNCTION):
            return _ask_for_function("pictures", str(self.image))
        return NamedPictureModel(str(self.image), self.pictures)

    def vectors(self, embedder: Embedder, items: Sequence[str]) -> np.ndarray:
        """The vector of each item, from the cache where it has them; NaN for items that have none."""
        parts: list[np.ndarray] = []
        is_shown_elsewhere = False if self.progress is not None else None
        with progress_bar(len(items), embedder.items, is_shown_elsewhere) as bar:
            for start in range(0, len(items), _BATCH):
                batch = items[start : start + _BATCH]
                parts.append(self._batch(embedder, batch))
                bar.update(len(batch))
                if self.progress is not None:
                    self.progress(embedder.items, start + len(batch), len(items))
        width = max((part.shape[1] for part in parts), default=0)
        empty = [np.full((len(part), width), np.nan) if part.shape[1] < width else part for part in parts]
        return np.concatenate(empty) if empty else np.zeros((0, width))

    def _batch(self, embedder: Embedder, items: Sequence[str]) -> np.ndarray:
        keys = [None if self.cache is None else embedder.key(item) for item in items]
        named = [key for key in keys if key is not None]
        if self.cache is None or not named:
            return embedder.embed(items)
        cache = VectorCache(self.cache)
        known = cache.read(embedder.name, named)
        new = {
            key: item for key, item in zip(keys, items, strict=True) if key is not None and key not in known
        }
        if new:
            made = embedder.embed(list(new.values())).astype(np.float32)
            fresh = {key: vector for key, vector in zip(new, made, strict=True) if np.isfinite(vector).all()}
            if made.shape[1] > 0:
                cache.write(embedder.name, fresh)
            known |= fresh
        width = max((len(vector) for vector in known.values()), default=0)
        missing = np.full(width, np.nan)
        return np.array([known.get(key, missing) if key else missing for key in keys], dtype=np.float64)
