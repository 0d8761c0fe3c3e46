"""What stands out in a group of records: numbers, values and words that are more common in it than elsewhere.

How far a group stands out is a number from 0 to 1 for each kind of column: of numbers, |2 AUC − 1|, where AUC
is the probability that a member has a larger one than another record; of values and words, by how much larger
a share of the members has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype
from scipy import sparse
from scipy.stats import rankdata
from sklearn.feature_extraction.text import CountVectorizer

# Words are of three letters or more, in two records or more; so many of the commonest are looked at.
WORD = r"(?u)\b\w{3,}\b"
MAX_WORDS = 3_000
N_WORDS = 5  # of a column, that can stand out
# Less than this does not stand out.
LEAST = 0.05


class Trait(NamedTuple):
    """Something that stands out in a group, and how far, from 0 to 1."""

    size: float
    text: str


class Column(Protocol):
    """A column that groups are compared in."""

    def traits(self, members: np.ndarray) -> list[Trait]:
        """What stands out in some rows (a mask), beside the other rows."""


def standing_out(columns: Sequence[Column], members: np.ndarray, n_traits: int) -> list[str]:
    """The traits that stand out most, the first one first."""
    if not members.any() or members.all():
        return []
    found = [trait for column in columns for trait in column.traits(members) if trait.size >= LEAST]
    return [trait.text for trait in sorted(found, key=lambda trait: -trait.size)[:n_traits]]


def read_columns(records: pd.DataFrame) -> list[Column]:
    """The columns that groups can be compared in; pictures and vectors are none."""
    columns = (read_column(str(name), records.iloc[:, at]) for at, name in enumerate(records.columns))
    return [column for column in columns if column is not None]


def read_column(name: str, cells: pd.Series) -> Column | None:
    """A column by what it holds: numbers, dates, values that recur, or texts."""
    if is_datetime64_any_dtype(cells.dtype):
        return Numbers(name, cells.to_numpy(dtype="datetime64[s]").astype(np.float64), is_date=True)
    if is_numeric_dtype(cells.dtype) and not is_bool_dtype(cells.dtype):
        return Numbers(name, cells.to_numpy(dtype=np.float64, na_value=np.nan))
    known = cells.dropna()
    if len(known) == 0 or not known.map(lambda cell: isinstance(cell, str | bool | np.bool_)).all():
        return None
    if known.nunique() <= len(cells) // 2:
        codes, levels = pd.factorize(cells)
        return Values(name, np.asarray(codes), [str(level) for level in levels])
    return Words.of(name, cells.fillna("").astype(str).tolist())


@dataclass(frozen=True)
class Numbers:
    """Numbers, or dates as seconds; NaN where a cell is empty."""

    name: str
    numbers: np.ndarray
    is_date: bool = False

    def traits(self, members: np.ndarray) -> list[Trait]:
        """Whether the numbers of a group are larger or smaller."""
        known = np.isfinite(self.numbers) & (np.abs(self.numbers) < 1e100)
        inside, outside = known & members, known & ~members
        if not inside.any() or not outside.any():
            return []
        rank = rankdata(self.numbers[known])[inside[known]]
        n = len(rank)
        auc = (rank.sum() - n * (n + 1) / 2) / (n * outside.sum())
        here, others = (self._show(self.numbers[part].mean()) for part in (inside, outside))
        return [Trait(abs(2.0 * auc - 1.0), f"{self.name} {here} (others {others})")]

    def _show(self, mean: Any) -> str:
        return str(pd.Timestamp(mean, unit="s").date()) if self.is_date else f"{mean:.4g}"


@dataclass(frozen=True)
class Values:
    """Values that recur, as codes; −1 where a cell is empty."""

    name: str
    codes: np.ndarray
    levels: list[str]

    def traits(self, members: np.ndarray) -> list[Trait]:
        """The value that is most over-represented."""
        here, others = self._shares(members), self._shares(~members)
        at = int((here - others).argmax())
        text = f"{self.name} {self.levels[at]} {here[at]:.0%} (others {others[at]:.0%})"
        return [Trait(float(here[at] - others[at]), text)]

    def _shares(self, part: np.ndarray) -> np.ndarray:
        counts = np.bincount(self.codes[part & (self.codes >= 0)], minlength=len(self.levels))
        return np.asarray(counts / max(1, counts.sum()))


@dataclass(frozen=True)
class Words:
    """Texts: which of their words each has (n × words)."""

    name: str
    has: sparse.csr_array
    words: np.ndarray

    @classmethod
    def of(cls, name: str, texts: list[str]) -> "Words | None":
        """The words of some texts; None if no word is in two of them."""
        vectorizer = CountVectorizer(binary=True, min_df=2, max_features=MAX_WORDS, token_pattern=WORD)
        try:
            has = vectorizer.fit_transform(texts)
        except ValueError:  # what scikit-learn says where no word is left
            return None
        return cls(name, sparse.csr_array(has), vectorizer.get_feature_names_out())

    def traits(self, members: np.ndarray) -> list[Trait]:
        """The words that are most over-represented."""
        here, others = (
            np.asarray(self.has[np.flatnonzero(part)].mean(axis=0)) for part in (members, ~members)
        )
        more = here - others
        likeliest = np.argsort(-more, kind="stable")[:N_WORDS].tolist()
        shares = {at: f"{here[at]:.0%} (others {others[at]:.0%})" for at in likeliest}
        return [
            Trait(float(more[at]), f"{self.name} with “{self.words[at]}” {shares[at]}") for at in likeliest
        ]
