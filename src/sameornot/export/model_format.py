"""The model file: JSON with a version, and checks of everything that is read from it.

    {"format", "version", "title", "encoder", "scale", "weights", "rotation", "centers", "owners", "width",
     "groups": [{"number", "name"}, …]}

Version 1 had one centre per group and no "owners". A field changes its name or meaning only with the version.
Nothing in a file is ever executed.
"""

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from sameornot.cluster.clustering import CenterClustering
from sameornot.embedding import EmbeddingModels
from sameornot.ensemble.prototypes import Prototypes
from sameornot.metric.learn import Metric
from sameornot.table import TableEncoder, TableError

if TYPE_CHECKING:
    from sameornot.export.model import Model

FORMAT = "sameornot model"
VERSION = 2

# A model of 10,000 columns and 100 groups takes some 20 MB; a much larger file is not one of ours.
MAX_BYTES = 512 * 2**20
MAX_GROUPS = 100_000
MAX_DIGITS = 20  # of a whole number: row and group numbers have 64 bits


class ModelError(ValueError):
    """A model cannot be written or read; the message is one sentence for the user."""


def parse_json(text: str, name: str) -> Any:
    """Parse the JSON of a file; NaN, Infinity and numbers that no model holds are refused."""
    try:
        return json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite_float, parse_int=_bounded_int
        )
    except AbsurdNumberError as error:
        raise ModelError(
            f"{name} is no model of sameornot, or a damaged one: it holds the number {error}"
        ) from None
    except (ValueError, RecursionError):
        raise ModelError(f"{name} is no model of sameornot: it is not JSON") from None


class AbsurdNumberError(ValueError):
    """A number that is larger than any that a model holds."""


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _finite_float(digits: str) -> float:
    value = float(digits)
    if not np.isfinite(value):
        raise AbsurdNumberError(digits[:20])
    return value


def _bounded_int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise AbsurdNumberError(f"{digits[:20]}…")
    return int(digits)


def check_format(data: Any) -> None:
    """Refuse data that is not a model, or a model of a later version."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelError("this is no model of sameornot: model.json of a session's downloads is needed")
    version = data.get("version")
    if not isinstance(version, int) or version < 1:
        raise ModelError(
            f"the model has version={version!r} but 1 to {VERSION} were expected: export it again"
        )
    if version > VERSION:
        raise ModelError(
            f"the model has version {version} but this sameornot reads up to {VERSION}: update sameornot"
        )


def read_encoder(data: Any, models: EmbeddingModels | None = None) -> TableEncoder:
    """Read the encoder, and try it on a row of empty cells."""
    try:
        encoder = TableEncoder.from_json(data, models)
        with np.errstate(all="ignore"):
            features = encoder.transform(empty_row(encoder))
    except TableError as error:
        raise ModelError(f"the model cannot be used: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        features = np.array(np.nan)
    if not np.isfinite(features).all():
        raise ModelError("the model is damaged (its encoder cannot be used): export it again")
    return encoder


def empty_row(encoder: TableEncoder) -> pd.DataFrame:
    """A row of empty cells."""
    return pd.DataFrame({column.name: [None] for column in encoder.columns})


def write_clustering(clustering: CenterClustering) -> dict[str, Any]:
    """Metric and centres as plain JSON; the infinite scale of a constant feature is written as null."""
    metric = clustering.metric
    return {
        "scale": [value if np.isfinite(value) else None for value in metric.scale.tolist()],
        "weights": metric.weights.tolist(),
        "rotation": None if metric.rotation is None else metric.rotation.tolist(),
        "centers": clustering.centers.tolist(),
        "owners": center_owners(clustering).tolist(),
    }


def read_clustering(data: dict[str, Any]) -> Prototypes:
    """Read metric and centres; the labels of the session's own rows are not in the file."""
    given = data["scale"]
    scale = read_numbers("scale", [1.0 if value is None else value for value in given])
    scale[[value is None for value in given]] = np.inf
    rotation = None if data["rotation"] is None else read_numbers("rotation", data["rotation"], n_axes=2)
    metric = Metric(scale, read_numbers("weights", data["weights"]), rotation)
    centers = read_numbers("centers", data["centers"], n_axes=2)
    owners = read_numbers("owners", data.get("owners", list(range(len(centers)))))
    if not np.array_equal(np.unique(owners), np.arange(len(data["groups"]))) or len(owners) != len(centers):
        raise ModelError("the model is damaged (its parts do not fit together): export it again")
    return Prototypes(np.empty(0, dtype=np.intp), centers, metric, 0, owners.astype(np.intp))


def center_owners(clustering: CenterClustering) -> np.ndarray:
    """The label of each centre."""
    return clustering.groups_of_centers()


def read_numbers(name: str, values: Any, *, n_axes: int = 1) -> np.ndarray:
    """Read a finite array from nested lists of numbers."""
    try:
        array = np.array(values, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        array = np.array(np.nan)
    if array.ndim != n_axes or not np.isfinite(array).all():
        raise ModelError(f"the model is damaged ({name} is not all finite numbers): export it again")
    return array


def check_parts(model: "Model") -> None:
    """Refuse a model whose parts do not fit together."""
    centers = model.clustering.centers
    if not 1 <= len(centers) <= MAX_GROUPS:
        raise ModelError(f"the model has {len(centers)} groups but 1 to {MAX_GROUPS:,} are needed")
    if not (_shapes_fit(model) and _values_are_valid(model)):
        raise ModelError("the model is damaged (its parts do not fit together): export it again")


def _shapes_fit(model: "Model") -> bool:
    metric, n_features = model.clustering.metric, model.encoder.n_features
    n_axes = len(metric.weights)
    rotation_fits = (
        n_axes == n_features if metric.rotation is None else metric.rotation.shape == (n_features, n_axes)
    )
    return len(metric.scale) == n_features and rotation_fits and model.clustering.centers.shape[1] == n_axes


def _values_are_valid(model: "Model") -> bool:
    metric = model.clustering.metric
    return bool(
        (metric.scale > 0).all()
        and (metric.weights >= 0).all()
        and model.width >= 0
        and all(type(number) is int and 0 < number < 2**63 for number in model.numbers)
        and all(_is_text(text) for text in [model.title, *model.names])
    )


def _is_text(value: Any) -> bool:
    """Whether a value is text that a file can hold: JSON can spell a lone surrogate."""
    return isinstance(value, str) and value == value.encode("utf-8", "replace").decode("utf-8")
