"""What a session asks of a clusterer: settings that can be checked, and a grouping of the rows.

One subclass of `Method` a clusterer, beside its arithmetic; `sameornot.cluster.METHODS` finds it by name.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol, Self

import numpy as np

from sameornot.constraints import Constraints, Fact
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


class Agreement(NamedTuple):
    """An estimated share of rows in the right group, and an interval that holds nine times in ten."""

    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class Past:
    """What a method that remembers builds on: `around` from the rows alone, `kept` of earlier steps."""

    around: Any = None
    kept: Sequence[Any] = field(default_factory=list)


class Method:
    """How a session turns answers into groups: a frozen dataclass whose fields are the settings.

    Neighbourhood m (`neighbourhoods`), at most `n_clusters` of them, is to become group m.
    """

    # It groups by the answers to its own questions, so no other strategy can ask for it.
    is_flow: ClassVar[bool] = False

    # It groups by what it kept of earlier steps too: `fit_after` is its fit, of steps and at the end.
    remembers: ClassVar[bool] = False

    @property
    def aggregates(self) -> bool:
        """Whether the final grouping is made with the metrics of all earlier steps."""
        return False

    def check(self) -> Self:
        """Raise a ValueError that names the first setting that cannot be used."""
        return self

    def neighbourhoods(self, constraints: Constraints, n_clusters: int | None) -> list[np.ndarray]:
        """The groups that are known."""
        return constraints.neighbourhoods(at_most=n_clusters)

    def known_groups(self, grouping: Any, hoods: list[np.ndarray]) -> list[np.ndarray]:
        """The groups that are known in the end, `hoods` being those that the answers make: m is group m."""
        return hoods

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

    def survey(self, X: np.ndarray, scale: np.ndarray, n_clusters: int | None) -> Any:
        """What can be said of the rows before any answer; for methods that remember."""
        raise TypeError(f"{type(self).__name__} remembers nothing")

    def recalls(self, step: int) -> Iterable[int]:
        """The earlier steps that a fit at this one asks for, rising."""
        raise TypeError(f"{type(self).__name__} remembers nothing")

    def kept_of(self, grouping: Any) -> Any:
        """What is kept of the fit of a step that will be recalled."""
        raise TypeError(f"{type(self).__name__} remembers nothing")

    def fit_after(
        self,
        X: np.ndarray,
        constraints: Constraints,
        n_clusters: int | None,
        scale: np.ndarray,
        rng: np.random.Generator,
        past: Past,
    ) -> Grouping:
        """The grouping, given what was kept; `n_clusters` is None where the number is not known."""
        raise TypeError(f"{type(self).__name__} remembers nothing")

    def credibility(
        self, grouping: Any, told: Sequence[Fact], hoods: Sequence[np.ndarray]
    ) -> np.ndarray | None:
        """How likely each answer is to be right by what the rest says, for methods that can tell."""
        return None

    def sureness(self, X: np.ndarray, grouping: Any) -> np.ndarray:
        """How sure the group of each of the session's own rows is, in (0, 1]."""
        return np.asarray(grouping.confidence(X))

    def forecast(self, grouping: Any) -> Agreement | None:
        """How many rows are in the right group, for methods that foretell answers."""
        return None
