"""Detect what a column holds: numbers, dates, booleans, categories, text or vectors; or why it is of no use.

The dtype decides where it is specific enough; texts are parsed.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.table import parsing
from sameornot.table.parsing import FactorizedColumn
from sameornot.table.vector_cells import read_vectors, vector_length

NO_VALUES = "no values"
CONSTANT = "always the same value"
IDENTIFIER = "every value is different: an identifier"
NEAR_IDENTIFIER = "nearly every value is different: an identifier"

_MOST = 0.95  # share of the cells that must parse as numbers or dates; the others are missing cells
_FEW_LEVELS = 30
_SOME_LEVELS, _OFTEN = 100, 10  # up to so many multi-word levels are categories if each recurs so often
_PROBE = 1_000  # distinct texts that decide whether a column holds dates
_SEVERAL = 10  # fewer distinct values than this do not show that a column is an identifier
_NAMED_ID = re.compile(r"(?<![a-z])(id|ids|key|nr|no|index|idx|pid|uid|uuid|guid|rowid)(?![a-z])")


@dataclass(frozen=True)
class Kind:
    """A column's kind; `date_format` is that of its texts if they are dates, `length` that of its vectors."""

    name: str
    date_format: str = parsing.ISO
    length: int = 0


def find_kind(name: str, column: pd.Series) -> Kind | str:
    """The kind of a column, or the reason why it cannot be used."""
    if parsing.is_number(column):
        return _number_kind(name, parsing.numbers(column))
    if parsing.is_datetime(column):
        return _date_kind(parsing.timestamps(column, parsing.ISO), parsing.ISO)
    length = vector_length(column)
    if length is not None:
        return _vector_kind(read_vectors(column, length))
    found = parsing.factorize(column)
    if not found.texts:
        return NO_VALUES
    if len(found.texts) == 1:
        return CONSTANT
    # A categorical dtype is a choice of its author, even if the categories are numbers.
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    return _category_or_text(name, found) if declared else _parsed_kind(name, found)


def _parsed_kind(name: str, found: FactorizedColumn) -> Kind | str:
    if {text.lower() for text in found.texts} <= parsing.BOOLEAN_WORDS.keys():
        values = {parsing.BOOLEAN_WORDS[text.lower()] for text in found.texts}
        return Kind("yes/no") if len(values) == 2 else CONSTANT
    if not any(character.isdigit() for text in found.texts[:_PROBE] for character in text):
        return _category_or_text(name, found)
    parsed = parsing.parse_numbers(found.texts)
    if _share(found, np.isfinite(parsed)) >= _MOST:
        return _number_kind(name, found.broadcast(np.where(np.isfinite(parsed), parsed, np.nan)))
    date_format = _date_format(found)
    if date_format is not None:
        return _date_kind(found.broadcast(parsing.parse_timestamps(found.texts, date_format)), date_format)
    return _category_or_text(name, found)


def _number_kind(name: str, values: np.ndarray) -> Kind | str:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return NO_VALUES
    low, high = known.min(), known.max()
    if low == high:
        return CONSTANT
    return IDENTIFIER if _is_identifier(name, known, high / 2 - low / 2) else Kind("number")


def _is_identifier(name: str, known: np.ndarray, half_range: float) -> bool:
    """Whether numbers are unique integers that are nearly consecutive, or named like an identifier."""
    consecutive = len(known) >= _SEVERAL and half_range < 0.6 * len(known)
    if not (consecutive or _has_id_name(name)) or (known != np.floor(known)).any():
        return False
    return len(np.unique(known)) == len(known)


def _has_id_name(name: str) -> bool:
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)  # patientId, patient_id and Patient ID alike
    return _NAMED_ID.search(parts.lower()) is not None


def _date_format(found: FactorizedColumn) -> str | None:
    """The date format that parses most of the texts, if it parses nearly all of them."""
    step = max(1, len(found.texts) // _PROBE)
    probe = found.texts[::step]
    if np.mean([any(map(str.isdigit, text)) and len(text) >= 7 for text in probe]) < _MOST:
        return None
    shares = [np.isfinite(parsing.parse_timestamps(probe, form)).mean() for form in parsing.DATE_FORMATS]
    best = int(np.argmax(shares))
    return parsing.DATE_FORMATS[best] if shares[best] >= _MOST else None


def _date_kind(seconds: np.ndarray, date_format: str) -> Kind | str:
    known = seconds[~np.isnan(seconds)]
    if len(known) == 0:
        return NO_VALUES
    return CONSTANT if known.min() == known.max() else Kind("date", date_format)


def _vector_kind(vectors: np.ndarray) -> Kind | str:
    known = vectors[np.isfinite(vectors[:, 0])]
    return CONSTANT if (known == known[0]).all() else Kind("vector", length=vectors.shape[1])


def _category_or_text(name: str, found: FactorizedColumn) -> Kind | str:
    n_cells, n_levels = int(found.counts.sum()), len(found.texts)
    has_words = np.mean([len(text.split()) for text in found.texts[:_PROBE]]) >= 2
    repeats = n_levels <= _SOME_LEVELS and n_cells >= _OFTEN * n_levels
    if n_levels > _FEW_LEVELS and has_words and not repeats:
        return Kind("text")
    if n_levels == n_cells and (n_cells >= _SEVERAL or _has_id_name(name)):
        return Kind("text") if has_words else IDENTIFIER
    if n_levels > _FEW_LEVELS and n_levels >= _MOST * n_cells:
        return NEAR_IDENTIFIER
    return Kind("category")


def _share(found: FactorizedColumn, parsed: np.ndarray) -> float:
    return float(found.counts[parsed].sum() / found.counts.sum())
