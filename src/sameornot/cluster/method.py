"""What a session asks of a clusterer: settings that can be checked, and a grouping of the rows.

One subclass of `Method` a clusterer, beside its arithmetic; `sameornot.cluster.METHODS` finds it by name.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from sameornot.constraints import Constraints
from sameornot.metric.learn import Metric


class Grouping(Protocol):
    """Rows in groups, and where new rows belong."""

    @property
    def labels(self) -> np.ndarray:
        """The group of each row."""

    @property
    def metric(self) -> Metric:
        """The space in which the groups were found; `metric.feature_weights` says what mattered."""

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The group of each row of a new table."""

    def confidence(self, X: np.ndarray) -> np.ndarray:
        """How sure the group of each row is, in (0, 1]."""


class Progress:
    """What a flow leaves behind on its way: here, whatever its own `Method` needs to group by."""

    pieces: Any


class Method:
    """How a session turns answers into groups: a frozen dataclass whose fields are the settings.

    Neighbourhood m of the constraints, at most `n_clusters` of them, is to become group m.
    """

    # It groups by the answers to its own questions, so no other strategy can ask for it.
    is_flow: ClassVar[bool] = False

    @property
    def aggregates(self) -> bool:
        """Whether the final grouping is made with the metrics of all earlier steps."""
        return False

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        return self

    def fit_step(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> Grouping:
        """The grouping that the next question is chosen by; features are divided by `scale` first."""
        raise NotImplementedError

    def fit_metric(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
    ) -> Metric:
        """The metric of a step, without its grouping."""
        return self.fit_step(X, constraints, n_clusters, scale, rng).metric

    def fit_final(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int,
        scale: np.ndarray,
        rng: np.random.Generator,
        history: Sequence[Metric] = (),
    ) -> Grouping:
        """The grouping that is handed over."""
        return self.fit_step(X, constraints, n_clusters, scale, rng)

    def fit_live(self, X: np.ndarray, scale: np.ndarray, progress: Progress) -> Grouping:
        """The grouping of a flow that stands where the answers have led it; for flows only."""
        raise TypeError(f"{type(self).__name__} is no flow")
