"""The methods of the paper's tables in their several forms, and those that are shown beside them.

The proposed method (AQM with a strategy) has three forms: as the paper prints it, as the authors' released
code runs it, and ours, with the defaults of `AugmentedClustering`. Its rivals have two: as the released code
runs them, and ours. The name of a run tells the form in brackets; ours has none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

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
    Question,
    RandomPoints,
    Reply,
    Strategy,
    View,
)
from sameornot.query import Questions

ENSEMBLE = "Ensemble"  # the session's default
PRINTED, RELEASED = "as printed", "as released"


@dataclass(frozen=True)
class Replay(Strategy):
    """Ask what another session asked, in the same steps."""

    log: tuple[Reply, ...]
    requires: ClassVar[type | None] = None

    def ask(self, view: View, rng: np.random.Generator) -> Questions:
        """The questions of the step that the answers have come to."""
        rest = self.log[len(view.answers.answers) :]
        for reply in rest:
            if reply.step == rest[0].step:
                yield Question(*reply.pair)


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

    def regrouped(self, clusterer: Clusterer, log: Sequence[Reply]) -> "Method":
        """The questions of a log with another clusterer."""
        return replace(self, strategy=Replay(tuple(log)), clusterer=clusterer, variants={})

    def raw(self) -> "Method":
        """The same method on features that are not standardised."""
        return replace(self, standardize=False)


class Terms(NamedTuple):
    """What the paper and the released code set for one table.

    `q` is the number of penalised features. `separation` is λ: .5 in the simulations, by cross-validation
    elsewhere. `pair_weight` is what the released code multiplies the answered pairs by.
    """

    q: int
    separation: float | str = 0.5
    pair_weight: float = 1000.0


def main_methods(terms: Terms) -> dict[str, Method]:
    """The paper's methods in every form that its tables are compared with, and the session's default."""
    return rivals() | proposed(terms) | printed(terms) | released(terms) | {ENSEMBLE: Method()}


def extra_methods(terms: Terms) -> dict[str, Method]:
    """What is shown beside them."""
    return additional(terms) | released_rivals()


def in_form(name: str, form: str) -> str:
    """The name of a method in another form."""
    return f"{name} ({form})"


def rivals() -> dict[str, Method]:
    """The paper's rivals; PCKMeans as published, where a violation costs one squared unit of the features."""
    return {
        "PCKMeans + NPU": Method(NPU(), PCKMeans(weight_unit="metric")),
        "COPKMeans + NPU": Method(NPU(), COPKMeans()),
        "MPCKMeans + NPU": Method(NPU(), MPCKMeans()),
        "COBRAS": Method(COBRASQuestions()),
    }


def proposed(terms: Terms) -> dict[str, Method]:
    """Ours with both strategies: λ = 0.5, q penalised features, γ by Calinski–Harabasz."""
    variants: dict[str, Clusterer] = {
        "AQM + MEE (automatic λ and q)": AugmentedClustering(separation="cv", penalty="auto"),
        "AQM + MEE (no penalty)": AugmentedClustering(penalty=None),
    }
    ours = AugmentedClustering(penalty=("auto", terms.q))
    return {
        "AQM + NPU": Method(NPU(), ours),
        "AQM + MEE": Method(MinimumExpectedEntropy(), ours, variants=variants),
    }


def printed(terms: Terms) -> dict[str, Method]:
    """As printed, with the q and λ of the paper's runs; NPU as its authors print it, with sorted cost."""
    name = in_form("AQM + MEE", PRINTED).removesuffix(")")

    def grouped(penalty: Any) -> AugmentedClustering:
        return AugmentedClustering.as_printed(penalty=penalty, separation=terms.separation)

    variants: dict[str, Clusterer] = {
        f"{name}, q by elbow)": grouped("auto"),
        f"{name}, no penalty)": grouped(None),
    }
    with_q = grouped(("auto", terms.q))
    npu = NPU(representative="random", exclude_ruled_out=False)
    return {
        in_form("AQM + NPU", PRINTED): Method(npu, with_q, standardize=False),
        in_form("AQM + MEE", PRINTED): Method(
            MinimumExpectedEntropy.as_printed(), with_q, standardize=False, variants=variants
        ),
    }


def released(terms: Terms) -> dict[str, Method]:
    """As released; that clusterer divides the features by their standard deviations itself."""
    clusterer = AugmentedClustering.as_released(q=terms.q, pair_weight=terms.pair_weight)
    return {
        in_form("AQM + NPU", RELEASED): Method(NPU.as_released(), clusterer),
        in_form("AQM + MEE", RELEASED): Method(MinimumExpectedEntropy.as_released(), clusterer),
    }


def released_rivals() -> dict[str, Method]:
    """As released: raw features, price 1, one start, and answered rows stay where the clusterer leaves them.

    COPKMeans is ours but for that: it honours must-links to its first cluster and does not give up.
    """
    clusterers: dict[str, Clusterer] = {
        "PCKMeans + NPU": PCKMeans(weight_unit="metric", keep_answers=False, n_init=1),
        "COPKMeans + NPU": COPKMeans(n_init=1),
        "MPCKMeans + NPU": MPCKMeans(keep_answers=False, n_init=1),
    }
    return {
        in_form(name, RELEASED): Method(NPU.as_released(), clusterer).raw()
        for name, clusterer in clusterers.items()
    }


def additional(terms: Terms) -> dict[str, Method]:
    """What the paper does not have: ours with the printed objective, label and classify, raw features."""
    exact = AugmentedClustering(metric="exact", penalty=("auto", terms.q))
    return {
        "PCKMeans + NPU (large weight)": Method(NPU(), PCKMeans()),
        "AQM + MEE (exact objective)": Method(MinimumExpectedEntropy(), exact),
        "Label and classify": Method(RandomPoints(), ForestClassification()),
        "Label and classify + MEE": Method(MinimumExpectedEntropy(), ForestClassification()),
        "COBRAS (raw)": rivals()["COBRAS"].raw(),
    }
