"""Encode a table with columns of any kind as a matrix, with the same weight for each column.

Each usable column becomes a block of features whose variances sum to 1 on the rows of fit (to d^¼ for vectors
of d numbers): `numeric.py`, `categorical.py`, `text.py`, `vectors.py` and `embedded.py` encode one kind each.
The learned state is plain JSON.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot.embedding import EmbeddingModels
from sameornot.table import text
from sameornot.table.affine import AffineEncoding
from sameornot.table.categorical import CategoricalCoder
from sameornot.table.embedded import EmbeddedCoder, NothingEmbeddedError
from sameornot.table.errors import TableError, listed
from sameornot.table.kinds import Kind, find_kind
from sameornot.table.names import with_unique_names
from sameornot.table.notices import embedding_notices, fitting_notices
from sameornot.table.numeric import NumericCoder
from sameornot.table.text import TextCoder
from sameornot.table.vectors import VectorCoder

IGNORED = "ignored as asked"
_FORMAT = 1
_MAX_FEATURES = 20_000
_MAX_PER_COLUMN = 30
_MAX_TEXT_AXES = 300  # of all columns of text together, if words are compared
_MAX_TEXTS = 100  # columns of text; each takes a fraction of a second to encode

Coder = NumericCoder | CategoricalCoder | TextCoder | VectorCoder | EmbeddedCoder
_CODERS: dict[str, type[NumericCoder | CategoricalCoder | TextCoder | VectorCoder]] = {
    "number": NumericCoder,
    "yes/no": NumericCoder,
    "date": NumericCoder,
    "category": CategoricalCoder,
    "text": TextCoder,
    "vector": VectorCoder,
}


@dataclass(frozen=True)
class Column:
    """A column that is used: its kind, its number of features, and what replaces its missing cells."""

    name: str
    kind: str
    n_features: int
    n_missing: int
    fill: str


class TableEncoder:
    """Encode tables as matrices; made by `TableEncoder.fit` or `TableEncoder.from_json`.

    Attributes
    ----------
    columns : list of Column
        The columns that are used, in the order of the table.
    left_out : list of (column, reason)
        The columns that are not used.
    notices : list of str
        Sentences for users: what was filled and what was left out.
    owner : array of shape (n_features,)
        For each feature, the index of its column in `columns`.
    feature_names : list of str
        The column's name with a suffix such as " = red" or ": axis 1".

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.0, 3.0, None], "colour": ["red", "blue", "red"]})
    >>> encoder = TableEncoder.fit(frame)
    >>> encoder.feature_names
    ['size', 'colour = red', 'colour = blue']
    >>> [column.fill for column in encoder.columns]
    ['2', 'red']
    """

    def __init__(self, coders: dict[str, Coder], left_out: list[tuple[str, str]], notices: list[str]) -> None:
        self._coders = coders
        self.left_out = left_out
        self.notices = notices
        self.columns = [
            Column(name, coder.kind, len(coder.suffixes), coder.n_missing, coder.fill)
            for name, coder in coders.items()
        ]
        self.feature_names = [name + suffix for name, coder in coders.items() for suffix in coder.suffixes]
        self.owner = np.repeat(np.arange(len(coders)), [column.n_features for column in self.columns])

    @property
    def n_features(self) -> int:
        """Number of columns of the matrix."""
        return len(self.feature_names)

    @classmethod
    def fit(
        cls,
        frame: pd.DataFrame,
        *,
        ignore: Collection[str] = (),
        keep_out: Collection[str] = (),
        images: Collection[str] = (),
        models: EmbeddingModels | None = None,
    ) -> Self:
        """Detect the kind of each column and learn its encoding.

        Parameters
        ----------
        frame : DataFrame
            The table, or a sample of its rows; of pandas, polars or pyarrow.
        ignore : collection of str
            Columns not to be used, as the user asked; the notices list them.
        keep_out : collection of str
            Columns with another purpose, such as an identifier: not used, and not mentioned in the notices.
        images : collection of str
            Columns of names of picture files, relative to the folder of `models`.
        models : EmbeddingModels, optional
            How texts and pictures become vectors.
        """
        models = models or EmbeddingModels()
        table = with_unique_names(frame)
        _check_known(table, [*ignore, *keep_out, *images])
        if len(table) == 0:
            raise TableError("the table has no rows: give it at least two that differ")
        kinds, left_out = _kinds(table, ignore, [*keep_out, *images])
        kinds |= {name: Kind("image") for name in images if name not in ignore}
        coders, unread = _fit_coders(table, kinds, models)
        left_out += unread
        if not coders:
            raise TableError(_nothing_left(left_out))
        encoder = cls(coders, left_out, [])
        reading = getattr(frame, "attrs", {}).get("notices", [])
        fitting = fitting_notices(coders, left_out, len(table))
        encoder.notices = [*reading, *fitting, *embedding_notices(coders, models)]
        return encoder

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """Encode each row (n × n_features); missing cells are filled, unseen levels count as "other"."""
        table = with_unique_names(frame)
        _check_known(table, list(self._coders))
        result = np.empty((len(table), self.n_features))
        bounds = np.cumsum([0, *(column.n_features for column in self.columns)])
        for (name, coder), (start, end) in zip(self._coders.items(), pairwise(bounds), strict=True):
            result[:, start:end] = coder.encode(table[name])
        return result

    @cached_property
    def affine(self) -> AffineEncoding | None:
        """The encoding as one affine map of all columns; None unless every column is a number."""
        coders = list(self._coders.values())
        if not all(isinstance(coder, NumericCoder) and coder.kind == "number" for coder in coders):
            return None
        measures = [coder for coder in coders if isinstance(coder, NumericCoder)]
        return AffineEncoding(
            list(self._coders),
            np.array([measure.origin for measure in measures]),
            np.array([measure.unit * measure.spread for measure in measures]),
            np.array([measure.middle for measure in measures]),
        )

    def embedded_by(self, kind: str) -> str | None:
        """The name of the model that embeds the columns of a kind ("text" or "image"); None for none."""
        embedded = (coder for coder in self._coders.values() if isinstance(coder, EmbeddedCoder))
        return next((coder.model for coder in embedded if coder.kind == kind), None)

    def column_weights(self, feature_weights: np.ndarray) -> pd.Series:
        """Each column's share of the summed feature weights."""
        weights = np.asarray(feature_weights, dtype=np.float64)
        sums = np.bincount(self.owner, weights=weights, minlength=len(self.columns))
        shares = sums / sums.sum() if sums.sum() > 0 else sums
        return pd.Series(shares, index=[column.name for column in self.columns], name="weight")

    def to_json(self) -> dict[str, Any]:
        """The learned state, ready for `json.dumps`."""
        return {
            "format": _FORMAT,
            "columns": [{"name": name, "coder": _state(coder)} for name, coder in self._coders.items()],
            "left_out": [list(pair) for pair in self.left_out],
            "notices": list(self.notices),
        }

    @classmethod
    def from_json(cls, state: dict[str, Any], models: EmbeddingModels | None = None) -> Self:
        """Rebuild the encoder that `to_json` wrote; it gives the same matrix, bit for bit.

        `models` have the folder of the pictures, and the functions that embed, if any.
        """
        if state.get("format") != _FORMAT:
            raise TableError(
                f"the encoder has format {state.get('format')!r} but this version reads {_FORMAT}: "
                "use the version of sameornot that wrote it"
            )
        try:
            lines = [(line["name"], line["coder"]) for line in state["columns"]]
            coders = {name: _read_coder(coder, models or EmbeddingModels()) for name, coder in lines}
            left_out = [(name, reason) for name, reason in state["left_out"]]
            return cls(coders, left_out, list(state["notices"]))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise TableError("the encoder's state is incomplete or damaged: write the model again") from None


def _state(coder: Coder) -> dict[str, Any]:
    saved = [field.name for field in fields(coder) if field.metadata.get("saved", True)]
    return {name: getattr(coder, name) for name in saved}


def _read_coder(state: dict[str, Any], models: EmbeddingModels) -> Coder:
    if "model" in state:
        return EmbeddedCoder(**state, models=models)
    return _CODERS[state["kind"]](**state)


def _fit_coders(
    table: pd.DataFrame, kinds: dict[str, Kind], models: EmbeddingModels
) -> tuple[dict[str, Coder], list[tuple[str, str]]]:
    """The coder of each column, and the columns of pictures that cannot be used."""
    limit = _features_per_column(list(kinds.values()))
    # The axes of words are part of the model file: many columns of text have fewer each.
    axes = max(text.MIN_AXES, _MAX_TEXT_AXES // max(1, sum(kind.name == "text" for kind in kinds.values())))
    coders: dict[str, Coder] = {}
    left_out = []
    for name, kind in kinds.items():
        try:
            if kind.name == "image" or (kind.name == "text" and models.for_texts() is not None):
                coders[name] = EmbeddedCoder.fit(table[name], kind, models, limit)
            else:
                most = axes if kind.name == "text" else _MAX_PER_COLUMN
                coders[name] = _CODERS[kind.name].fit(table[name], kind, min(limit, most))
        except NothingEmbeddedError as error:
            left_out.append((name, str(error)))
    return coders, left_out


def _kinds(
    table: pd.DataFrame, ignore: Collection[str], keep_out: Collection[str]
) -> tuple[dict[str, Kind], list[tuple[str, str]]]:
    ignored, kept_out = set(ignore), set(keep_out)
    found = {
        name: IGNORED if name in ignored else find_kind(name, table[name])
        for name in table.columns
        if name not in kept_out
    }
    texts = [name for name, kind in found.items() if kind == Kind("text")]
    found |= dict.fromkeys(texts[_MAX_TEXTS:], f"more than {_MAX_TEXTS} columns of text")
    kinds = {name: kind for name, kind in found.items() if isinstance(kind, Kind)}
    return kinds, [(name, reason) for name, reason in found.items() if isinstance(reason, str)]


def _features_per_column(kinds: list[Kind]) -> int:
    """How many features a category, a text or a picture may have, so that the matrix stays within bounds."""
    n_fixed = [kind.length or 1 for kind in kinds if _CODERS.get(kind.name) in (NumericCoder, VectorCoder)]
    available = (_MAX_FEATURES - sum(n_fixed)) // max(1, len(kinds) - len(n_fixed))
    return max(available, 1)


def _check_known(table: pd.DataFrame, names: list[str]) -> None:
    known = set(table.columns)
    unknown = [repr(name) for name in names if name not in known]
    if unknown:
        raise TableError(
            f"the table has no column {listed(unknown)}: it has {listed(list(table.columns), at_most=8)}"
        )


def _nothing_left(left_out: list[tuple[str, str]]) -> str:
    reasons = listed([f"{name} ({reason})" for name, reason in left_out]) or "the table has none"
    return f"no column can be used to tell the rows apart: {reasons}; add a column that varies"
