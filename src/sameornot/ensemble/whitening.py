"""Whitening: principal axes along which all rows vary alike, with a floor for axes that hardly vary."""

import numpy as np


def whiten(rows: np.ndarray, floor: float) -> np.ndarray:
    """Rows in whitened axes; `floor` is the share of the mean variance that is added along each axis."""
    left, singular, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    deviation = axis_deviations(singular, rows, floor)
    return np.asarray(left * singular / deviation) if deviation.any() else np.zeros((len(rows), 1))


def whitening_matrix(rows: np.ndarray, floor: float) -> np.ndarray:
    """The matrix (p × at most p) that whitens centred rows."""
    _, singular, axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    deviation = axis_deviations(singular, rows, floor)
    return np.asarray(axes.T / deviation) if deviation.any() else np.zeros((rows.shape[1], 1))


def axis_deviations(singular: np.ndarray, rows: np.ndarray, floor: float) -> np.ndarray:
    """Deviation of the rows along their principal axes, given the singular values; 0 for equal rows."""
    variance = singular**2 / len(rows)
    return np.asarray(np.sqrt(variance + floor * variance.sum() / max(rows.shape[1], 1)))
