"""A table of the groups: size, confidence, differences from the others, typical and doubtful rows."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sameornot.query.base import most_typical
from sameornot.session.standing_out import read_columns, standing_out


@dataclass(frozen=True)
class GroupedRows:
    """Rows of the table (X) with their labels and confidence, and the share of each feature in the metric.

    `space` are the rows under the learned metric, `is_placed` tells which of them answers placed. `records`
    is what people see of the rows, if that is something else than the features.
    """

    rows: np.ndarray
    X: np.ndarray
    space: np.ndarray
    labels: np.ndarray
    confidence: np.ndarray
    is_placed: np.ndarray
    weights: pd.Series
    records: pd.DataFrame | None = None


def summarise(known: GroupedRows, labels: np.ndarray, n_features: int, n_rows: int) -> pd.DataFrame:
    """One line a group; sizes are counted over the labels of all rows, the rest over the known rows."""
    lines = []
    sizes = np.bincount(labels)
    columns = None if known.records is None else read_columns(known.records)
    for label in np.flatnonzero(sizes).tolist():
        members = known.labels == label
        by_model = members & ~known.is_placed
        lines.append(
            {
                "group": label,
                "size": int(sizes[label]),
                "share": sizes[label] / len(labels),
                "placed": int((members & known.is_placed).sum()),
                "confidence": float(known.confidence[by_model].mean()) if by_model.any() else np.nan,
                "differs": "; ".join(
                    differences(known, members, n_features)
                    if columns is None
                    else standing_out(columns, members, n_features)
                ),
                "typical": typical_rows(known, members, n_rows),
                "doubtful": doubtful_rows(known, by_model, n_rows),
            }
        )
    return pd.DataFrame(lines).set_index("group")


def differences(known: GroupedRows, members: np.ndarray, n_features: int) -> list[str]:
    """The features in which a group differs most from the others, by their weight, with both means."""
    if not members.any() or members.all():
        return []
    inside, outside = known.X[members].mean(axis=0), known.X[~members].mean(axis=0)
    deviation = known.X.std(axis=0)
    far = np.abs(inside - outside) / np.where(deviation > 0, deviation, 1.0) * known.weights.to_numpy()
    order = np.argsort(-far, kind="stable")[:n_features]
    return [
        f"{known.weights.index[m]} {inside[m]:.4g} (others {outside[m]:.4g})"
        for m in order.tolist()
        if far[m] > 0
    ]


def typical_rows(known: GroupedRows, members: np.ndarray, n_rows: int) -> list[int]:
    """The rows nearest to the mean of their group."""
    if not members.any():
        return []
    ranked = most_typical(np.flatnonzero(members), known.space)
    return [int(row) for row in known.rows[ranked[:n_rows]]]


def doubtful_rows(known: GroupedRows, by_model: np.ndarray, n_rows: int) -> list[int]:
    """The rows that the model placed with the least confidence."""
    own = np.flatnonzero(by_model)
    ranked = own[np.argsort(known.confidence[own], kind="stable")]
    return [int(row) for row in known.rows[ranked[:n_rows]]]
