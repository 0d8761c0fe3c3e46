"""What a session has learned, to assign new rows: the encoder, the metric and the centres of the groups.

The model keeps the `width` of the groups, so the confidence of a row does not depend on the rows around it.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot.cluster.block import CenterScorer, make_scorer, predict_blocks
from sameornot.cluster.clustering import CenterClustering
from sameornot.embedding import EmbeddingModels
from sameornot.export.atomic import atomic_replace
from sameornot.export.model_format import (
    FORMAT,
    MAX_BYTES,
    VERSION,
    ModelError,
    check_format,
    check_parts,
    empty_row,
    parse_json,
    read_clustering,
    read_encoder,
    read_numbers,
    write_clustering,
)
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableEncoder, TableError

# Single precision has seven digits: enough while the offset common to all rows takes at most three of them.
MAX_SINGLE_OFFSET = 1e3
# An offset of at most one digit need not be subtracted.
NEGLIGIBLE_OFFSET = 10.0
# Every so-many-th row is checked for missing cells before all are.
CHECKED_ROWS = 64


@dataclass(frozen=True)
class Model:
    """Groups that new rows can be assigned to; label m is group `numbers[m]` with the name `names[m]`."""

    title: str
    encoder: TableEncoder
    clustering: CenterClustering
    width: float
    numbers: list[int]
    names: list[str]

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """The model of a session at one moment."""
        final = snapshot.final_labels
        clustering = final.clustering.as_centers()
        if clustering is None or clustering.metric.mapping is not None:
            raise ModelError("only groups with centres can be written as a model")
        return cls(
            snapshot.title,
            snapshot.encoder,
            clustering,
            clustering.width(final.X),
            [group.number for group in snapshot.groups],
            [group.name for group in snapshot.groups],
        )

    def assign(self, frame: pd.DataFrame, *, first_row: int = 1) -> pd.DataFrame:
        """Assign rows to groups.

        Parameters
        ----------
        frame : DataFrame
            The rows, with the columns of the session's table.
        first_row : int
            Row number of the first row in its file, for error messages.

        Returns
        -------
        DataFrame
            The number and the name of each row's group, and the confidence.
        """
        labels, confidence = self.predict(frame, first_row=first_row)
        return pd.DataFrame(
            {
                "group": np.array(self.numbers, dtype=np.int64)[labels],
                "name": pd.Series(np.array(self.names, dtype=object)[labels], dtype="str"),
                "confidence": confidence,
            }
        )

    def predict(self, frame: pd.DataFrame, *, first_row: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """The label of each row, counted from 0, and its confidence."""
        with np.errstate(over="ignore", invalid="ignore"):  # reported below
            found = self._predict_numeric(frame)
            if found is None or not np.isfinite(found[1]).all():
                found = predict_blocks(self.encoder.transform(frame), self.scorer)
        overflow = ~np.isfinite(found[1])
        if overflow.any():
            raise TableError(
                f"row {first_row + int(overflow.argmax())} holds a number that is too large to be compared: "
                "correct it or drop the row"
            )
        return found

    def _predict_numeric(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """Predict a numeric table from its raw cells, without encoding; single precision stays single."""
        encoding = self.encoder.affine
        cells = None if encoding is None else encoding.read(frame)
        if encoding is None or cells is None:
            return None
        double, single = self._raw_scorers
        scorer = single if cells.dtype == np.float32 else double
        cells = cells.astype(scorer.weights.dtype, copy=False)
        # A missing cell makes the confidence NaN (unless the width is 0: then every confidence is 1), so if
        # the checked rows have none, not every cell has to be checked.
        if scorer.width == 0 or not np.isfinite(cells[::CHECKED_ROWS]).all():
            cells = encoding.fill_missing(cells)
        labels, confidence = predict_blocks(cells, scorer)
        missing = ~np.isfinite(confidence)
        if missing.any():
            labels[missing], confidence[missing] = predict_blocks(
                encoding.fill_missing(cells[missing]), scorer
            )
        return labels, confidence

    @cached_property
    def _raw_scorers(self) -> tuple[CenterScorer, CenterScorer]:
        """Scorers of raw numeric cells, in double and in single precision."""
        encoding = self.encoder.affine
        assert encoding is not None
        double = self.scorer.for_raw_rows(encoding.shift, encoding.scale)
        offset = float((np.abs(double.origin) / encoding.scale).max())
        if offset >= MAX_SINGLE_OFFSET:
            return double, double
        single = double.without_origin() if offset <= NEGLIGIBLE_OFFSET else double
        return double, single.as_arrays(lambda part: part.astype(np.float32))

    @cached_property
    def scorer(self) -> CenterScorer:
        """The scorer of encoded rows."""
        with np.errstate(all="ignore"):
            origin = self.encoder.transform(empty_row(self.encoder))[0]
            return make_scorer(self.clustering, origin, self.width)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model file."""
        return sha256(self.dumps().encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The model as plain JSON, ready for `json.dumps`."""
        groups = zip(self.numbers, self.names, strict=True)
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "encoder": self.encoder.to_json(),
            **write_clustering(self.clustering),
            "width": self.width,
            "groups": [{"number": number, "name": name} for number, name in groups],
        }

    @classmethod
    def from_json(cls, data: Any, models: EmbeddingModels | None = None) -> Self:
        """Rebuild the model that `to_json` wrote, also by an earlier version; anything else is refused.

        `models` have the folder of the pictures, and the functions that embed, if any.
        """
        check_format(data)
        try:
            groups = list(data["groups"])
            model = cls(
                data["title"],
                read_encoder(data["encoder"], models),
                read_clustering(data),
                float(read_numbers("width", data["width"], n_axes=0)),
                [group["number"] for group in groups],
                [group["name"] for group in groups],
            )
        except (KeyError, TypeError):
            raise ModelError("the model is damaged (a part is missing): export it again") from None
        check_parts(model)
        return model

    def dumps(self) -> str:
        """The text of the model file."""
        return json.dumps(self.to_json(), allow_nan=False, ensure_ascii=False)

    def save(self, path: Path) -> None:
        """Write the model file; a failure leaves the earlier one as it was."""
        with atomic_replace(path) as temporary:
            temporary.write_text(self.dumps(), encoding="utf-8")

    @classmethod
    def load(cls, path: Path, models: EmbeddingModels | None = None) -> Self:
        """Read a model file; `models` as for `from_json`."""
        try:
            n_bytes = path.stat().st_size
            if n_bytes > MAX_BYTES:
                raise ModelError(f"{path.name} has {n_bytes:,} bytes: it is no model of sameornot")
            text = path.read_text("utf-8")
        except OSError as error:
            raise ModelError(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ModelError(f"{path.name} is no model of sameornot: it is not text") from None
        return cls.from_json(parse_json(text, path.name), models)
