"""A table of any columns as a matrix of numbers, each column with the same say.

Every column that can help becomes a block of features whose variances sum to 1 on the rows of fit, whatever
its kind: `measure.py`, `levels.py` and `words.py` hold one sort each. All that is learned is plain JSON.
"""

from collections.abc import Collection
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot.table.kinds import Kind, find_kind
from sameornot.table.levels import Levels
from sameornot.table.measure import Measure
from sameornot.table.names import plain
from sameornot.table.notices import fitting_notices
from sameornot.table.numbers import Numbers
from sameornot.table.problem import TableProblem, listed
from sameornot.table.words import Words

IGNORED = "ignored as asked"
_FORMAT = 1
_MOST_FEATURES = 20_000
_MOST_EACH = 30
_MOST_TEXTS = 100  # each takes a fraction of a second; the rest of a row says enough by then

Coder = Measure | Levels | Words
_CODERS: dict[str, type[Measure] | type[Levels] | type[Words]] = {
    "number": Measure,
    "yes/no": Measure,
    "date": Measure,
    "category": Levels,
    "text": Words,
}


@dataclass(frozen=True)
class Column:
    """A column that is used: its kind, how many features it became, and what fills its missing cells."""

    name: str
    kind: str
    n_features: int
    n_missing: int
    fill: str


class TableEncoder:
    """Turn tables into matrices; made by `TableEncoder.fit` or `TableEncoder.from_json`.

    Attributes
    ----------
    columns : list of Column
        Those used, in the table's order.
    left_out : list of (column, reason)
        Those that cannot help.
    notices : list of str
        Sentences for the person: what was filled and what was left out.
    owner : array
        For each feature, its column's place in `columns`.
    feature_names : list of str

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
            Column(name, coder.kind, len(coder.endings), coder.n_missing, coder.fill)
            for name, coder in coders.items()
        ]
        self.feature_names = [name + ending for name, coder in coders.items() for ending in coder.endings]
        self.owner = np.repeat(np.arange(len(coders)), [column.n_features for column in self.columns])

    @property
    def n_features(self) -> int:
        """Width of the matrix."""
        return len(self.feature_names)

    @classmethod
    def fit(
        cls, frame: pd.DataFrame, *, ignore: Collection[str] = (), keep_out: Collection[str] = ()
    ) -> Self:
        """Find out what each column is and how it becomes numbers.

        Parameters
        ----------
        frame : DataFrame
        ignore : names
            Columns that the person does not want to be used.
        keep_out : names
            Columns with another purpose (identifier, image): not used, and nothing is said about them.
        """
        table = plain(frame)
        _check_known(table, [*ignore, *keep_out])
        if len(table) == 0:
            raise TableProblem("the table has no rows: give it at least two that differ")
        kinds, left_out = _kinds(table, ignore, keep_out)
        if not kinds:
            raise TableProblem(_nothing_left(left_out))
        limit = _limit_each(list(kinds.values()))
        coders = {name: _CODERS[kind.name].fit(table[name], kind, limit) for name, kind in kinds.items()}
        encoder = cls(coders, left_out, [])
        said = frame.attrs.get("notices", [])
        encoder.notices = [*said, *fitting_notices(coders, left_out, len(table))]
        return encoder

    def transform(self, frame: pd.DataFrame) -> np.ndarray:
        """The features of each row; missing cells are filled, and what was never seen is "other"."""
        table = plain(frame)
        _check_known(table, list(self._coders))
        result = np.empty((len(table), self.n_features))
        bounds = np.cumsum([0, *(column.n_features for column in self.columns)])
        for (name, coder), (start, end) in zip(self._coders.items(), pairwise(bounds), strict=True):
            result[:, start:end] = coder.encode(table[name])
        return result

    @cached_property
    def numbers(self) -> Numbers | None:
        """How columns become features by shifting and dividing alone; None where some do not."""
        coders = list(self._coders.values())
        if not all(isinstance(coder, Measure) and coder.kind == "number" for coder in coders):
            return None
        measures = [coder for coder in coders if isinstance(coder, Measure)]
        return Numbers(
            list(self._coders),
            np.array([measure.origin for measure in measures]),
            np.array([measure.unit * measure.spread for measure in measures]),
            np.array([measure.middle for measure in measures]),
        )

    def column_weights(self, feature_weights: np.ndarray) -> pd.Series:
        """Each column's share of the weight of all features."""
        weights = np.asarray(feature_weights, dtype=np.float64)
        sums = np.bincount(self.owner, weights=weights, minlength=len(self.columns))
        shares = sums / sums.sum() if sums.sum() > 0 else sums
        return pd.Series(shares, index=[column.name for column in self.columns], name="weight")

    def to_json(self) -> dict[str, Any]:
        """All that was learned, as what `json.dumps` takes."""
        return {
            "format": _FORMAT,
            "columns": [{"name": name, "coder": asdict(coder)} for name, coder in self._coders.items()],
            "left_out": [list(pair) for pair in self.left_out],
            "notices": list(self.notices),
        }

    @classmethod
    def from_json(cls, state: dict[str, Any]) -> Self:
        """The encoder that `to_json` wrote: it makes the same matrix, bit for bit."""
        if state.get("format") != _FORMAT:
            raise TableProblem(
                f"the encoder has format {state.get('format')!r} but this version reads {_FORMAT}: "
                "use the version of sameornot that wrote it"
            )
        try:
            lines = [(line["name"], line["coder"]) for line in state["columns"]]
            coders = {name: _CODERS[coder["kind"]](**coder) for name, coder in lines}
            left_out = [(name, reason) for name, reason in state["left_out"]]
            return cls(coders, left_out, list(state["notices"]))
        except (KeyError, TypeError, ValueError):
            raise TableProblem(
                "the encoder's state is incomplete or damaged: write the model again"
            ) from None


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
    found |= dict.fromkeys(texts[_MOST_TEXTS:], f"more than {_MOST_TEXTS} columns of text")
    kinds = {name: kind for name, kind in found.items() if isinstance(kind, Kind)}
    return kinds, [(name, reason) for name, reason in found.items() if isinstance(reason, str)]


def _limit_each(kinds: list[Kind]) -> int:
    """How many features a category or a text may have, so that all together stay within bounds."""
    n_single = sum(_CODERS[kind.name] is Measure for kind in kinds)
    room = (_MOST_FEATURES - n_single) // max(1, len(kinds) - n_single)
    return min(max(room, 1), _MOST_EACH)


def _check_known(table: pd.DataFrame, names: list[str]) -> None:
    there = set(table.columns)
    gone = [repr(name) for name in names if name not in there]
    if gone:
        raise TableProblem(
            f"the table has no column {listed(gone)}: it has {listed(list(table.columns), at_most=8)}"
        )


def _nothing_left(left_out: list[tuple[str, str]]) -> str:
    reasons = listed([f"{name} ({reason})" for name, reason in left_out]) or "the table has none"
    return f"no column can be used to tell the rows apart: {reasons}; add a column that varies"
