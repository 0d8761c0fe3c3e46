"""The data of a session's figure as plain tuples; `draw.py` draws it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score

from sameornot._validation import check_labels, check_table
from sameornot.session import ActiveSession, SessionResult


@dataclass(frozen=True)
class Stage:
    """A session after some questions: `agreement` is the adjusted Rand index (ARI) with the true labels.

    `groups` is the number of neighbourhoods, `placed` the number of rows in them.
    """

    questions: int
    groups: int
    placed: int
    agreement: float


@dataclass(frozen=True)
class LearnedMap:
    """Rows on the first two principal axes of the learned space, with their shares of its variance."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    group: tuple[int, ...]
    placed: tuple[bool, ...]
    shares: tuple[float, float]


@dataclass(frozen=True)
class FeatureShares:
    """The features of largest weight, largest first, and the number of the others."""

    names: tuple[str, ...]
    weights: tuple[float, ...]
    n_others: int


@dataclass(frozen=True)
class SessionPicture:
    """The data of the three panels of a session's figure."""

    stages: tuple[Stage, ...]
    learned_map: LearnedMap
    features: FeatureShares


def session_picture(X: Any, result: SessionResult, stages: Sequence[Stage]) -> SessionPicture:
    """Collect the data of a session's figure."""
    return SessionPicture(tuple(stages), learned_map(X, result), feature_shares(result))


def session_stage(session: ActiveSession, truth: Any) -> Stage:
    """Compare the current grouping with the true labels, one per row."""
    labels = check_labels(truth, len(session), name="truth")
    result = session.result()
    return Stage(
        questions=len(session.answers),
        groups=len(result.neighbourhoods),
        placed=sum(len(members) for members in result.neighbourhoods),
        agreement=float(adjusted_rand_score(labels, result.labels)),
    )


def learned_map(X: Any, result: SessionResult) -> LearnedMap:
    """Project the rows from the learned space onto its first two principal components."""
    rows, _ = check_table(X)
    placed = np.zeros(len(rows), dtype=bool)
    placed[np.concatenate([np.empty(0, dtype=int), *result.neighbourhoods])] = True
    plane, shares = _principal_plane(result.metric.transform(rows))
    return LearnedMap(
        x=tuple(plane[:, 0].tolist()),
        y=tuple(plane[:, 1].tolist()),
        group=tuple(result.labels.tolist()),
        placed=tuple(placed.tolist()),
        shares=(float(shares[0]), float(shares[1])),
    )


def pool_map(X: np.ndarray, pool: np.ndarray, result: SessionResult) -> LearnedMap:
    """The rows of the pool (X) in the plane that keeps most of their learned distances."""
    places = [np.searchsorted(pool, members) for members in result.neighbourhoods]
    return learned_map(X, replace(result, neighbourhoods=places))


def _principal_plane(space: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates on the first two principal axes and their shares of the variance; a missing axis is 0."""
    plane, shares = np.zeros((len(space), 2)), np.zeros(2)
    if not np.ptp(space, axis=0).any():
        return plane, shares
    n_axes = min(2, *space.shape)
    pca = PCA(n_axes, svd_solver="full").fit(space)
    plane[:, :n_axes], shares[:n_axes] = pca.transform(space), pca.explained_variance_ratio_
    return plane, shares


def feature_shares(result: SessionResult, *, n_features: int = 8) -> FeatureShares:
    """The features of largest weight; those of weight 0 are left out."""
    heaviest = result.feature_weights.sort_values(ascending=False, kind="stable").head(n_features)
    heaviest = heaviest[heaviest > 0]
    return FeatureShares(
        names=tuple(str(name) for name in heaviest.index),
        weights=tuple(heaviest.tolist()),
        n_others=len(result.feature_weights) - len(heaviest),
    )
