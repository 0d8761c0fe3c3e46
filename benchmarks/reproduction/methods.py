"""The methods of the paper's tables, and those that are shown beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sameornot import (
    NPU,
    ActiveSession,
    AugmentedClustering,
    Clusterer,
    COBRASQuestions,
    COPKMeans,
    ForestClassification,
    MinimumExpectedEntropy,
    MPCKMeans,
    PCKMeans,
    RandomPoints,
    Strategy,
)


@dataclass(frozen=True)
class Method:
    """How a session asks and groups; what is None is the session's default.

    `variants` are further clusterers that group the same answers: the penalty plays no part in what is asked
    (Algorithm 1).
    """

    strategy: Strategy | None = None
    clusterer: Clusterer | None = None
    standardize: bool = True
    variants: Mapping[str, Clusterer] = field(default_factory=dict)

    def session(self, X: Any, n_clusters: int | None = None, **options: Any) -> ActiveSession:
        """A session of this method; `options` are those of `ActiveSession`."""
        return ActiveSession(
            X,
            n_clusters,
            strategy=self.strategy,
            clusterer=self.clusterer,
            standardize=self.standardize,
            **options,
        )

    def variant(self, clusterer: Clusterer) -> "Method":
        """The same questions with another clusterer."""
        return replace(self, clusterer=clusterer, variants={})

    def raw(self) -> "Method":
        """The same method on features that are not standardised."""
        return replace(self, standardize=False)


def rivals(n_features: int) -> dict[str, Method]:
    """The paper's rivals; PCKMeans as published, where the weight 1 is the variance of one feature."""
    return {
        "PCKMeans + NPU": Method(NPU(), PCKMeans(weight=1.0 / n_features)),
        "COPKMeans + NPU": Method(NPU(), COPKMeans()),
        "MPCKMeans + NPU": Method(NPU(), MPCKMeans()),
        "COBRAS": Method(COBRASQuestions()),
    }


def proposed(q: int) -> dict[str, Method]:
    """The paper's method with both strategies: λ = 0.5, q penalised features, γ by Calinski–Harabasz."""
    variants: dict[str, Clusterer] = {
        "AQM + MEE (automatic λ and q)": AugmentedClustering(separation="cv", penalty="auto"),
        "AQM + MEE (no penalty)": AugmentedClustering(penalty=None),
    }
    return {
        "AQM + NPU": Method(NPU(), AugmentedClustering(penalty=("auto", q))),
        "AQM + MEE": Method(
            MinimumExpectedEntropy(), AugmentedClustering(penalty=("auto", q)), variants=variants
        ),
    }


def additional(n_features: int, q: int) -> dict[str, Method]:
    """What the paper does not have: the printed objective, label and classify, rivals on raw features."""
    exact = AugmentedClustering(metric="exact", penalty=("auto", q))
    return {
        "PCKMeans + NPU (large weight)": Method(NPU(), PCKMeans()),
        "AQM + MEE (exact objective)": Method(MinimumExpectedEntropy(), exact),
        "Label and classify": Method(RandomPoints(), ForestClassification()),
        "Label and classify + MEE": Method(MinimumExpectedEntropy(), ForestClassification()),
        **{f"{name} (raw)": method.raw() for name, method in rivals(n_features).items()},
    }
