"""What kind of column it is, and why a column cannot help.

The column's own type decides where it says enough; text is looked at.
"""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.table import cells
from sameornot.table.cells import Cells

NO_VALUES = "no values"
CONSTANT = "always the same value"
IDENTIFIER = "every value is different: an identifier"
NEAR_IDENTIFIER = "nearly every value is different: an identifier"

_MOST = 0.95  # share of the cells that must read as numbers or dates: a few stray words are missing cells
_FEW_LEVELS = 30
_SOME_LEVELS, _OFTEN = 100, 10  # so many levels of several words are levels still, if they recur so often
_PROBE = 1_000  # distinct texts that decide whether a column holds dates
_SEVERAL = 10  # that fewer values than this are all different says little
_NAMED_ID = re.compile(r"(?<![a-z])(id|ids|key|nr|no|index|idx|pid|uid|uuid|guid|rowid)(?![a-z])")


@dataclass(frozen=True)
class Kind:
    """A column's kind; `date_format` is how its texts are read as dates."""

    name: str
    date_format: str = cells.ISO


def find_kind(name: str, column: pd.Series) -> Kind | str:
    """The kind of a column, or the reason why it cannot help."""
    if cells.is_number(column):
        return _number_kind(name, cells.numbers(column))
    if cells.is_moment(column):
        return _moment_kind(cells.moments(column, cells.ISO), cells.ISO)
    found = cells.read_cells(column)
    if not found.texts:
        return NO_VALUES
    if len(found.texts) == 1:
        return CONSTANT
    # Who made a column of levels, even of numbers, meant levels.
    declared = isinstance(column.dtype, pd.CategoricalDtype)
    return _word_kind(name, found) if declared else _text_kind(name, found)


def _text_kind(name: str, found: Cells) -> Kind | str:
    if {text.lower() for text in found.texts} <= cells.WORDS.keys():
        words = {cells.WORDS[text.lower()] for text in found.texts}
        return Kind("yes/no") if len(words) == 2 else CONSTANT
    if not any(sign.isdigit() for text in found.texts[:_PROBE] for sign in text):
        return _word_kind(name, found)
    parsed = cells.parse_numbers(found.texts)
    if _share(found, np.isfinite(parsed)) >= _MOST:
        return _number_kind(name, found.spread(np.where(np.isfinite(parsed), parsed, np.nan)))
    date_format = _date_format(found)
    if date_format is not None:
        return _moment_kind(found.spread(cells.parse_moments(found.texts, date_format)), date_format)
    return _word_kind(name, found)


def _number_kind(name: str, values: np.ndarray) -> Kind | str:
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return NO_VALUES
    low, high = known.min(), known.max()
    if low == high:
        return CONSTANT
    return IDENTIFIER if _counts_rows(name, known, high / 2 - low / 2) else Kind("number")


def _counts_rows(name: str, known: np.ndarray, half_span: float) -> bool:
    """Whether numbers are all different, whole, and in a row or named like an identifier."""
    in_a_row = len(known) >= _SEVERAL and half_span < 0.6 * len(known)
    if not (in_a_row or _named_id(name)) or (known != np.floor(known)).any():
        return False
    return len(np.unique(known)) == len(known)


def _named_id(name: str) -> bool:
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)  # patientId, patient_id and Patient ID alike
    return _NAMED_ID.search(parts.lower()) is not None


def _date_format(found: Cells) -> str | None:
    """The format that reads most of the texts, if it reads nearly all."""
    step = max(1, len(found.texts) // _PROBE)
    probe = found.texts[::step]
    if np.mean([any(sign.isdigit() for sign in text) and len(text) >= 7 for text in probe]) < _MOST:
        return None
    shares = [np.isfinite(cells.parse_moments(probe, form)).mean() for form in cells.DATE_FORMATS]
    best = int(np.argmax(shares))
    return cells.DATE_FORMATS[best] if shares[best] >= _MOST else None


def _moment_kind(seconds: np.ndarray, date_format: str) -> Kind | str:
    known = seconds[~np.isnan(seconds)]
    if len(known) == 0:
        return NO_VALUES
    return CONSTANT if known.min() == known.max() else Kind("date", date_format)


def _word_kind(name: str, found: Cells) -> Kind | str:
    n_cells, n_levels = int(found.counts.sum()), len(found.texts)
    has_words = np.mean([len(text.split()) for text in found.texts[:_PROBE]]) >= 2
    repeats = n_levels <= _SOME_LEVELS and n_cells >= _OFTEN * n_levels
    if n_levels > _FEW_LEVELS and has_words and not repeats:
        return Kind("text")
    if n_levels == n_cells and (n_cells >= _SEVERAL or _named_id(name)):
        return Kind("text") if has_words else IDENTIFIER
    if n_levels > _FEW_LEVELS and n_levels >= _MOST * n_cells:
        return NEAR_IDENTIFIER
    return Kind("category")


def _share(found: Cells, readable: np.ndarray) -> float:
    return float(found.counts[readable].sum() / found.counts.sum())
