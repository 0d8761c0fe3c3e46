"""Encode tables of plain numbers as one array, without a look at each column."""

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class AffineEncoding:
    """Features are (column − `shift`) / `scale`; `fill` replaces missing cells."""

    names: list[str]
    shift: np.ndarray
    scale: np.ndarray
    fill: np.ndarray

    def read(self, frame: pd.DataFrame) -> np.ndarray | None:
        """The raw cells (n × p), missing ones as NaN; None if a column is not of a plain numeric dtype."""
        if frame.columns.duplicated().any() or not set(self.names) <= set(frame.columns):
            return None
        own = frame[self.names] if self.names != list(frame.columns) else frame
        if not all(isinstance(kind, np.dtype) and kind.kind in "fiu" for kind in own.dtypes):
            return None
        cells = own.to_numpy()
        return cells if cells.dtype.kind == "f" else cells.astype(np.float64)

    def fill_missing(self, cells: np.ndarray) -> np.ndarray:
        """Replace missing and infinite cells."""
        return np.where(np.isfinite(cells), cells, self.fill.astype(cells.dtype))
