"""Texts as the mean of static word vectors: the 256-dimensional ones that the wheel of wordllama holds.

    vector(text) = mean of the vectors of its tokens

No network is needed: vectors and tokenizer are files in the wheel. They are read here without importing
wordllama itself, which would import pydantic and requests and change the program's logging.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sameornot.embedding.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "wordllama"
_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")
_MAX_CHARACTERS = 10_000  # of a text; the rest is ignored
_BATCH = 1_000


@dataclass(frozen=True)
class StaticTexts:
    """The mean of a text's word vectors."""

    folder: Path
    name = NAME
    items = "texts"

    def key(self, item: str) -> bytes | None:
        """Nothing is kept: computing a vector takes no longer than looking it up."""
        return None

    def embed(self, items: Sequence[str]) -> np.ndarray:
        """The vectors of the texts (n × 256); a text without any word has none."""
        tokenizer, table = _load(self.folder)
        vectors = np.full((len(items), table.shape[1]), np.nan)
        for start in range(0, len(items), _BATCH):
            cut = [item[:_MAX_CHARACTERS] for item in items[start : start + _BATCH]]
            for row, encoding in enumerate(tokenizer.encode_batch(cut, add_special_tokens=False), start):
                if encoding.ids:
                    vectors[row] = table[encoding.ids].mean(axis=0)
        return vectors


def find_static_texts() -> StaticTexts | None:
    """The embedder, if the extra `text` is installed."""
    if find_spec("safetensors") is None or find_spec("tokenizers") is None:
        return None
    package = find_spec(NAME)
    folders = [] if package is None else list(package.submodule_search_locations or ())
    found = (Path(folder) for folder in folders)
    return next((StaticTexts(folder) for folder in found if _is_complete(folder)), None)


def _is_complete(folder: Path) -> bool:
    return (folder / _WEIGHTS).is_file() and (folder / _TOKENIZER).is_file()


@cache
def _load(folder: Path) -> tuple["Tokenizer", np.ndarray]:
    # Without this, tokenizers warns on standard error whenever a process is started later.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        (table,) = load_file(folder / _WEIGHTS).values()
        tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
    except Exception as error:  # tokenizers raises Exception itself
        raise EmbeddingError(
            f"the word vectors of {NAME} cannot be read ({error}): install sameornot[text] again"
        ) from None
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, table.astype(np.float32)
