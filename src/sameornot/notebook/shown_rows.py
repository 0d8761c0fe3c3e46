"""Records as the widget shows them: their names, their fields side by side, and their images."""

import base64
from collections.abc import Sequence
from functools import cached_property
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

from sameornot.session import ActiveSession
from sameornot.session.rows import check_records
from sameornot.table import display

# Fields that are sent to the widget, characters of a cell, and bytes of an image.
N_FIELDS = 60
LONGEST_CELL = 4_000
LARGEST_IMAGE = 4_000_000
# Share of the rows that the range of a column leaves out at either end, because of outliers.
TAIL = 0.05


class ShownRows:
    """The records of a session: a table of its own if there is one, else the features.

    Parameters
    ----------
    session : ActiveSession
    records : DataFrame, optional
        One row a record, in the order of the session's rows.
    image : str, optional
        The column of `records` that holds images: paths of files, bytes, Pillow images or arrays of pixels.
    """

    def __init__(self, session: ActiveSession, records: Any = None, image: str | None = None) -> None:
        self._session, self._image = session, image
        self._records = None if records is None else check_records(records, len(session))
        if image is not None and (self._records is None or image not in self._records.columns):
            raise ValueError(f"image={image!r} but records has no such column")

    def name(self, row: int) -> str:
        """What a record is called: its label in the index, unless that is its number."""
        label = row if self._records is None else self._records.index[row]
        return f"row {row}" if label == row else f"{display(label)} (row {row})"

    def head(self, row: int) -> dict[str, Any]:
        """A record's name and image."""
        return {"row": row, "name": self.name(row), "image": self.image(row)}

    def compare(
        self, left: int, others: Sequence[int], weights: pd.Series
    ) -> tuple[list[dict[str, Any]], int]:
        """The fields of a record beside those of others, and how many more there are.

        Columns that are there for people alone come first, then the features by their weight.
        """
        weight = self._weights(weights)
        columns = sorted(self._columns, key=lambda at: -weight.get(at, np.inf))
        fields = [
            {
                "column": str(self._columns[at]),
                "weight": weight.get(at),
                "left": self._text(at, left),
                "cells": [self._beside(at, left, other) for other in others],
            }
            for at in columns[:N_FIELDS]
        ]
        return fields, len(columns) - len(fields)

    def image(self, row: int) -> str | None:
        """A record's image as a data URL; None if there is none, or none that can be read."""
        if self._image is None or self._records is None:
            return None
        return data_url(self._records[self._image].iat[row])

    def _weights(self, weights: pd.Series) -> dict[int, float]:
        """The weight of each shown column that is a feature."""
        if self._records is None:
            return dict(enumerate(weights.tolist()))
        by_name = dict(zip(weights.index, weights.tolist(), strict=True))
        return {at: by_name[str(name)] for at, name in self._columns.items() if str(name) in by_name}

    @cached_property
    def _columns(self) -> dict[int, Any]:
        """The columns that are shown: their names by their positions, as names may recur."""
        names = self._session.feature_names if self._records is None else self._records.columns
        return {at: name for at, name in enumerate(names) if name != self._image}

    def _cell(self, at: int, row: int) -> Any:
        if self._records is not None:
            return self._records.iat[row, at]
        return self._session.features[np.searchsorted(self._session.pool, row), at]

    def _text(self, at: int, row: int) -> str:
        text = display(self._cell(at, row))
        return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"

    def _beside(self, at: int, left: int, other: int) -> dict[str, Any]:
        text = self._text(at, other)
        differs = text != self._text(at, left)
        return {"right": text, "differs": differs, "gap": self._gap(at, left, other, differs=differs)}

    def _gap(self, at: int, left: int, other: int, *, differs: bool) -> float | None:
        """How far apart two cells are, against nearly all of the column; None where that has no meaning."""
        if at not in self._spans:
            return float(differs) if at in self._categories else None
        one, two = (float(self._cell(at, row)) for row in (left, other))
        if not np.isfinite([one, two]).all():
            return None
        span = self._spans[at]
        return float(min(1.0, abs(one - two) / span)) if span > 0 else float(one != two)

    @cached_property
    def _spans(self) -> dict[int, float]:
        """How far apart nearly all values of each column of numbers lie."""
        if self._records is None:
            return dict(enumerate(map(_span, self._session.features.T)))
        columns = {at: self._records.iloc[:, at] for at in self._columns}
        return {
            at: _span(column.to_numpy(dtype=float, na_value=np.nan))
            for at, column in columns.items()
            if is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype)
        }

    @cached_property
    def _categories(self) -> frozenset[int]:
        """Columns whose values recur, so that two of them are the same or not."""
        if self._records is None:
            return frozenset()
        n_most = len(self._records) // 2
        others = [at for at in self._columns if at not in self._spans]
        return frozenset(at for at in others if self._records.iloc[:, at].astype(str).nunique() <= n_most)


def _span(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return 0.0
    low, high = np.quantile(known, [TAIL, 1.0 - TAIL])
    return float(high - low)


def data_url(image: Any) -> str | None:
    """A file, bytes, a Pillow image or an array of pixels as a data URL; None if it is none of these.

    An array has numbers from 0 to 255, or from 0 to 1 if they are fractions: height × width, or three or four
    colours for each pixel.
    """
    if isinstance(image, np.ndarray):
        image = _from_pixels(image)
    if hasattr(image, "save"):
        drawn = BytesIO()
        image.save(drawn, format="PNG")
        return _encoded(drawn.getvalue(), "image/png")
    if isinstance(image, bytes):
        return _encoded(image, _kind_of(image))
    if isinstance(image, str | Path):
        path = Path(image)
        try:
            if path.is_file() and path.stat().st_size <= LARGEST_IMAGE:
                return _encoded(path.read_bytes(), guess_type(path.name)[0])
        except OSError:  # a name that no file can have, or a file that may not be read
            return None
    return None


def _encoded(content: bytes, kind: str | None) -> str | None:
    if kind is None or not kind.startswith("image/") or len(content) > LARGEST_IMAGE:
        return None
    return f"data:{kind};base64,{base64.b64encode(content).decode('ascii')}"


def _kind_of(content: bytes) -> str | None:
    starts = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}
    return next((kind for start, kind in starts.items() if content.startswith(start)), None)


def _from_pixels(pixels: np.ndarray) -> Any:
    """A Pillow image, if Pillow is installed and the shape is that of an image."""
    try:
        from PIL import Image
    except ImportError:
        return None
    is_colour = pixels.ndim == 3 and pixels.shape[2] in (3, 4)
    if pixels.ndim != 2 and not is_colour:
        return None
    if pixels.dtype.kind == "f" and pixels.max(initial=0.0) <= 1.0:
        pixels = pixels * 255.0
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
