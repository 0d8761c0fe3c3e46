"""Clusterers by name, and how a session reads its `strategy` and `clusterer` arguments.

A name is an alias of a default-constructed object: ``strategy="npu"`` is ``strategy=NPU()``.
"""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from sameornot._deprecated import warn_renamed
from sameornot.cluster.augmented import AugmentedClustering
from sameornot.cluster.base import Clusterer
from sameornot.cluster.cobra import COBRA
from sameornot.cluster.cobras import COBRAS
from sameornot.cluster.copkmeans import COPKMeans
from sameornot.cluster.forest import ForestClassification
from sameornot.cluster.mpckmeans import MPCKMeans
from sameornot.cluster.pckmeans import PCKMeans
from sameornot.cluster.spectral import ConstrainedSpectral
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.query import STRATEGIES, Strategy, UncertaintySampling, default_strategy

CLUSTERERS: dict[str, type[Clusterer]] = {
    "augmented": AugmentedClustering,
    "cobra": COBRA,
    "cobras": COBRAS,
    "copkmeans": COPKMeans,
    "ensemble": EnsembleClustering,
    "forest": ForestClassification,
    "mpckmeans": MPCKMeans,
    "pckmeans": PCKMeans,
    "spectral": ConstrainedSpectral,
}

# Names of version 0.1, with a warning for one more version.
OLD_STRATEGIES = {"panel": "uncertainty", "in_turn": "random_points"}
OLD_CLUSTERERS = {"panel": "ensemble"}
OLD_SETTINGS = {"emphasis": "answered_row_weight"}


@dataclass(frozen=True)
class Method:
    """A strategy and a clusterer that work together."""

    strategy: Strategy
    clusterer: Clusterer


def choose_method(strategy: Any = None, clusterer: Any = None) -> Method:
    """What was named, and what belongs with it; the default method if nothing was."""
    if strategy is None and clusterer is None:
        strategy = UncertaintySampling()
    if clusterer is None:
        asks = _read_strategy(strategy)
        return Method(asks, asks.default_clusterer().check())
    groups = _read_clusterer(clusterer).check()
    asks = default_strategy(groups)
    if strategy is not None:
        named = _read_strategy(strategy)
        # A name leaves the parameters open: COBRA's questions are then asked with the clusterer's own.
        asks = asks if isinstance(strategy, str) and type(asks) is type(named) else named
    groups.check_strategy(asks)
    if asks.requires is not None and not issubclass(groups.produces, asks.requires):
        raise ValueError(
            f"strategy={asks!r} needs a clusterer that produces {asks.requires.__name__}, "
            f"not clusterer={groups!r}"
        )
    return Method(asks, groups)


def refuse_settings(settings: dict[str, Any]) -> None:
    """Raise a TypeError that says where a setting that a session does not take belongs."""
    for name in settings:
        parameter = OLD_SETTINGS.get(name, name)
        owners = [
            f"clusterer={owner.__name__}({parameter}=…)"
            for owner in CLUSTERERS.values()
            if parameter in owner._get_param_names()
        ]
        owners += [
            f"strategy={owner.__name__}({parameter}=…)"
            for owner in STRATEGIES.values()
            if is_dataclass(owner) and parameter in {field.name for field in fields(owner)}
        ]
        where = f"pass {' or '.join(owners)}" if owners else "it takes no such argument"
        raise TypeError(f"{name!r} is no argument of ActiveSession: {where}")


def _read_strategy(strategy: Any) -> Strategy:
    if isinstance(strategy, Strategy):
        return strategy.check()
    named: Strategy = _look_up("strategy", strategy, STRATEGIES, OLD_STRATEGIES)()
    return named


def _read_clusterer(clusterer: Any) -> Clusterer:
    if isinstance(clusterer, Clusterer):
        return clusterer
    named: Clusterer = _look_up("clusterer", clusterer, CLUSTERERS, OLD_CLUSTERERS)()
    return named


def _look_up(argument: str, name: Any, known: dict[str, Any], old: dict[str, str]) -> Any:
    if isinstance(name, str) and name in old:
        warn_renamed(f"{argument}={name!r}", f"{argument}={old[name]!r}", stacklevel=6)
        name = old[name]
    if not isinstance(name, str) or name not in known:
        options = ", ".join(map(repr, sorted(known)))
        raise ValueError(f"{argument}={name!r} but an object or one of {options} is needed")
    return known[name]
