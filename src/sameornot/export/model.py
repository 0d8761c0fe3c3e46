"""What was learned, as JSON: how a table becomes numbers, the metric, and the centres of the groups.

The width of the groups is that of the session's own rows and is kept: a row is as sure in any block of any
table as it was in the session. Nothing in the file is ever executed.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from sameornot.cluster import Clustering
from sameornot.cluster.block import Rule, judge_rows, make_rule
from sameornot.ensemble.prototypes import Covered, Prototypes
from sameornot.export.files import replacing
from sameornot.metric.learn import Metric
from sameornot.service.snapshot import Snapshot
from sameornot.table import TableEncoder, TableProblem

FORMAT = "sameornot model"
VERSION = 2  # 1 had one centre for each group

# A model of 10,000 columns and 100 groups takes some 20 MB; what is far larger was not made here.
MAX_BYTES = 512 * 2**20
MAX_GROUPS = 100_000

# Numbers in single precision have seven digits: enough while what is common to all takes no more than three.
NEAR = 1e3
# While it takes no more than one, it need not be taken off.
ABOUT_ZERO = 10.0
# One row in so many is looked at for missing cells before the others are.
LOOKED_AT = 64


class ModelProblem(ValueError):
    """A model that cannot be written or read, in one sentence."""


@dataclass(frozen=True)
class Model:
    """Groups that new rows can be put into; group m of the clustering is `numbers[m]`, called `names[m]`."""

    title: str
    encoder: TableEncoder
    clustering: Clustering
    width: float
    numbers: list[int]
    names: list[str]

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> Self:
        """The model of a session as it stands."""
        clustering = snapshot.word.clustering
        if isinstance(clustering, Covered):
            clustering = clustering.rule
        if not isinstance(clustering, Clustering) or clustering.metric.mapping is not None:
            raise ModelProblem("only groups with centres can be written as a model")
        return cls(
            snapshot.title,
            snapshot.encoder,
            clustering,
            clustering.width(snapshot.word.X),
            [group.number for group in snapshot.groups],
            [group.name for group in snapshot.groups],
        )

    def assign(self, frame: pd.DataFrame, *, first_row: int = 1) -> pd.DataFrame:
        """The group of each row (its number and its name) and how sure that is.

        `first_row` is the number that the first of them has in its file, for what there is to complain of.
        """
        nearest, shares = self.judge(frame, first_row=first_row)
        return pd.DataFrame(
            {
                "group": np.array(self.numbers, dtype=np.int64)[nearest],
                "name": pd.Series(np.array(self.names, dtype=object)[nearest], dtype="str"),
                "confidence": shares,
            }
        )

    def judge(self, frame: pd.DataFrame, *, first_row: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Which group each row is of, counted from 0, and how sure that is."""
        with np.errstate(over="ignore", invalid="ignore"):  # said in a sentence instead
            found = self._judge_numbers(frame)
            if found is None or not np.isfinite(found[1]).all():
                found = judge_rows(self.encoder.transform(frame), self.rule)
        far = ~np.isfinite(found[1])
        if far.any():
            raise TableProblem(
                f"row {first_row + int(far.argmax())} holds a number that is too large to be compared: "
                "correct it or drop the row"
            )
        return found

    def _judge_numbers(self, frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray] | None:
        """The same where all columns are numbers, without encoding each; in single precision if they are."""
        numbers = self.encoder.numbers
        cells = None if numbers is None else numbers.read(frame)
        if numbers is None or cells is None:
            return None
        double, single = self._raw_rules
        rule = single if cells.dtype == np.float32 else double
        cells = cells.astype(rule.weights.dtype, copy=False)
        # A missing cell leaves its row without a share (unless groups have no width: then all shares are 1).
        # So where a look here and there finds none, not every cell is looked at.
        if rule.width == 0 or not np.isfinite(cells[::LOOKED_AT]).all():
            cells = numbers.fill_missing(cells)
        labels, shares = judge_rows(cells, rule)
        without = ~np.isfinite(shares)
        if without.any():
            labels[without], shares[without] = judge_rows(numbers.fill_missing(cells[without]), rule)
        return labels, shares

    @cached_property
    def _raw_rules(self) -> tuple[Rule, Rule]:
        """What tables of numbers are judged by: those of double and those of single precision."""
        numbers = self.encoder.numbers
        assert numbers is not None
        double = self.rule.of_raw(numbers.shift, numbers.scale)
        far = float((np.abs(double.origin) / numbers.scale).max())
        if far >= NEAR:
            return double, double
        single = double.from_zero() if far <= ABOUT_ZERO else double
        return double, single.as_arrays(lambda part: part.astype(np.float32))

    @cached_property
    def rule(self) -> Rule:
        """What encoded rows are judged by."""
        with np.errstate(all="ignore"):
            empty = pd.DataFrame({column.name: [None] for column in self.encoder.columns})
            return make_rule(self.clustering, self.encoder.transform(empty)[0], self.width)

    @cached_property
    def mark(self) -> str:
        """What tells this model from all others."""
        return sha256(self.dumps().encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """All of it as plain JSON; the infinite scale of a constant feature is written as null."""
        metric = self.clustering.metric
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "encoder": self.encoder.to_json(),
            "scale": [value if np.isfinite(value) else None for value in metric.scale.tolist()],
            "weights": metric.weights.tolist(),
            "rotation": None if metric.rotation is None else metric.rotation.tolist(),
            "centers": self.clustering.centers.tolist(),
            "owners": owners_of(self.clustering).tolist(),
            "width": self.width,
            "groups": [
                {"number": number, "name": name}
                for number, name in zip(self.numbers, self.names, strict=True)
            ],
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The model that `to_json` wrote; anything else is refused in one sentence."""
        check_format(data)
        try:
            groups = list(data["groups"])
            model = cls(
                data["title"],
                read_encoder(data["encoder"]),
                read_clustering(data),
                float(read_numbers("width", data["width"], n_axes=0)),
                [group["number"] for group in groups],
                [group["name"] for group in groups],
            )
        except (KeyError, TypeError):
            raise ModelProblem("the model is damaged (a part is missing): export it again") from None
        check_sizes(model)
        return model

    def save(self, path: Path) -> None:
        """Write the file; a failure leaves what was there."""
        with replacing(path) as beside:
            beside.write_text(self.dumps(), encoding="utf-8")

    def dumps(self) -> str:
        """The text of the file."""
        return json.dumps(self.to_json(), allow_nan=False, ensure_ascii=False)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file that `save` wrote."""
        try:
            n_bytes = path.stat().st_size
            if n_bytes > MAX_BYTES:
                raise ModelProblem(f"{path.name} has {n_bytes:,} bytes: it is no model of sameornot")
            text = path.read_text("utf-8")
        except OSError as error:
            raise ModelProblem(f"{path} cannot be read: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ModelProblem(f"{path.name} is no model of sameornot: it is not text") from None
        return cls.from_json(parse(text, path.name))


def parse(text: str, name: str) -> Any:
    """The JSON in a file of this name; NaN and Infinity, which Python would take, are no JSON."""
    try:
        return json.loads(text, parse_constant=refuse_constant)
    except (ValueError, RecursionError):
        raise ModelProblem(f"{name} is no model of sameornot: it is not JSON") from None


def refuse_constant(word: str) -> None:
    """Raise for a word that JSON does not have."""
    raise ValueError(word)


def check_format(data: Any) -> None:
    """Refuse what is no model, or one from the future."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelProblem("this is no model of sameornot: model.json of a session's downloads is needed")
    version = data.get("version")
    if not isinstance(version, int) or version < 1:
        raise ModelProblem(f"the model says version {version!r}, which there never was: export it again")
    if version > VERSION:
        raise ModelProblem(
            f"the model has version {version} but this sameornot reads up to {VERSION}: update sameornot"
        )


def read_encoder(data: Any) -> TableEncoder:
    """How a table becomes numbers, tried on a row of empty cells: they are filled with what is known."""
    try:
        encoder = TableEncoder.from_json(data)
        with np.errstate(all="ignore"):
            tried = encoder.transform(pd.DataFrame({column.name: [None] for column in encoder.columns}))
    except TableProblem:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        tried = np.array(np.nan)
    if not np.isfinite(tried).all():
        raise ModelProblem("the model is damaged (its encoder cannot be used): export it again")
    return encoder


def read_clustering(data: dict[str, Any]) -> Prototypes:
    """Metric and centres; the session's own labels are not in the file."""
    given = data["scale"]
    scale = read_numbers("scale", [1.0 if value is None else value for value in given])
    scale[[value is None for value in given]] = np.inf
    rotation = None if data["rotation"] is None else read_numbers("rotation", data["rotation"], n_axes=2)
    metric = Metric(scale, read_numbers("weights", data["weights"]), rotation)
    centers = read_numbers("centers", data["centers"], n_axes=2)
    owners = read_numbers("owners", data.get("owners", list(range(len(centers)))))
    if not np.array_equal(np.unique(owners), np.arange(len(data["groups"]))) or len(owners) != len(centers):
        raise ModelProblem("the model is damaged (its parts do not fit together): export it again")
    return Prototypes(np.empty(0, dtype=np.intp), centers, metric, 0, owners.astype(np.intp))


def owners_of(clustering: Clustering) -> np.ndarray:
    """The group of each centre."""
    return clustering.owners if isinstance(clustering, Prototypes) else np.arange(len(clustering.centers))


def read_numbers(name: str, values: Any, *, n_axes: int = 1) -> np.ndarray:
    """A finite array from lists of numbers."""
    try:
        array = np.array(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise ModelProblem(
            f"the model is damaged ({name} holds what is no finite number): export it again"
        ) from None
    if array.ndim != n_axes or not np.isfinite(array).all():
        raise ModelProblem(f"the model is damaged ({name} holds what is no finite number): export it again")
    return array


def check_sizes(model: Model) -> None:
    """Refuse parts that do not fit together."""
    metric, centers = model.clustering.metric, model.clustering.centers
    n_features = model.encoder.n_features
    if not 1 <= len(centers) <= MAX_GROUPS:
        raise ModelProblem(f"the model has {len(centers)} groups but 1 to {MAX_GROUPS:,} are needed")
    fits = (
        len(metric.scale) == n_features
        and (metric.rotation is None or metric.rotation.shape == (n_features, len(metric.weights)))
        and (metric.rotation is not None or len(metric.weights) == n_features)
        and centers.shape[1] == len(metric.weights)
    )
    right = (
        (metric.scale > 0).all()
        and (metric.weights >= 0).all()
        and model.width >= 0
        and all(type(number) is int and 0 < number < 2**63 for number in model.numbers)
        and all(is_text(text) for text in [model.title, *model.names])
    )
    if not (fits and right):
        raise ModelProblem("the model is damaged (its parts do not fit together): export it again")


def is_text(value: Any) -> bool:
    """Whether a value is text that a file can hold: JSON can spell half a character."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode("utf-8")
