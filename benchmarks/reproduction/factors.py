"""Which single difference makes what difference: experiments that change one thing at a time.

- Strategies: AQM with NPU, its cost sorted or not and its ties broken either way, beside MEE and a variant of
  MEE whose gain is divided by the expected number of questions. Rows placed by the answers are counted too.
- Rivals: PCKMeans + NPU with features standardised or raw, the price of a violated constraint in squared
  units of the features or in their total variance, NPU as its authors print it or as the common package has
  it, and answered rows kept in their groups or not.
- Regrouping: the same answers grouped by several clusterers.
"""

from itertools import product
from typing import NamedTuple

from reproduction import paper
from reproduction.answering import Curves, agreement_and_placed
from reproduction.experiment import Experiment, Load
from reproduction.methods import Method, Terms, proposed, rivals
from reproduction.tables import curve_run
from sameornot import NPU, AugmentedClustering, Clusterer, MinimumExpectedEntropy, PCKMeans

MEE_NAME = "AQM + MEE"
PER_QUESTION = "AQM + MEE (per question)"
RIVAL = "PCKMeans + NPU"


class Asking(NamedTuple):
    """How NPU counts the cost of a neighbourhood, and which of equal rows it takes."""

    cost: str
    ties: str

    @property
    def name(self) -> str:
        """The name of the run."""
        return f"AQM + NPU ({self.cost} cost; {self.ties})"


COSTS = ("sorted", "unsorted")
TIES = ("random tie", "first tie")
ASKING = tuple(Asking(*levels) for levels in product(COSTS, TIES))


def strategies() -> dict[str, Method]:
    """AQM with our defaults and without penalty, asked for by each strategy."""
    asked = {
        way.name: NPU(sort_cost=way.cost == "sorted", ties="random" if way.ties == "random tie" else "first")
        for way in ASKING
    } | {MEE_NAME: MinimumExpectedEntropy(), PER_QUESTION: MinimumExpectedEntropy(per_question=True)}
    return {name: Method(strategy, AugmentedClustering()) for name, strategy in asked.items()}


class Levels(NamedTuple):
    """One way to run PCKMeans + NPU."""

    features: str
    price: str
    cost: str
    answers: str = "kept"

    @property
    def name(self) -> str:
        """The name of the run; that of the variant in which answered rows are not kept has one word more."""
        levels = self if self.answers == "not kept" else self[:-1]
        return f"{RIVAL} ({'; '.join(levels)})"


# Ours first, the released code's second.
FACTORS = {
    "features": ("standardised", "raw"),
    "price": ("price in variances", "price in units"),
    "cost": ("sorted", "unsorted; first tie"),
    "answers": ("kept", "not kept"),
}
LEVELS = tuple(Levels(*levels) for levels in product(*FACTORS.values()))


def rival(levels: Levels) -> Method:
    """PCKMeans + NPU under these levels; the same answers without keeping them are a variant."""
    units = "variance" if levels.price == "price in variances" else "metric"
    is_sorted = levels.cost == "sorted"
    npu = NPU(sort_cost=is_sorted, ties="random" if is_sorted else "first")
    not_kept: Clusterer = PCKMeans(weight_unit=units, keep_answers=False)
    return Method(
        npu,
        PCKMeans(weight_unit=units),
        standardize=levels.features == "standardised",
        variants={levels._replace(answers="not kept").name: not_kept},
    )


def rival_methods() -> dict[str, Method]:
    """A run for each way; what is done with answered rows in the end changes no question."""
    return {levels.name: rival(levels) for levels in LEVELS if levels.answers == "kept"}


def regroupings(terms: Terms) -> dict[str, Method]:
    """The answers of two methods, grouped by three clusterers."""
    asked = proposed(terms) | rivals()
    clusterers = {
        name.partition(" + ")[0]: asked[name].clusterer
        for name in (MEE_NAME, "PCKMeans + NPU", "MPCKMeans + NPU")
    }
    runs = {}
    for run in (MEE_NAME, "MPCKMeans + NPU"):
        own = run.partition(" + ")[0]
        variants = {
            f"{name} (answers of {run})": clusterer
            for name, clusterer in clusterers.items()
            if name != own and clusterer is not None
        }
        runs[run] = Method(asked[run].strategy, asked[run].clusterer, variants=variants)
    return runs


def factor_experiment(
    title: str,
    load: Load,
    n_clusters: int,
    methods: dict[str, Method],
    *,
    checkpoints: tuple[int, ...] = paper.QUESTIONS,
    quick: tuple[int, ...],
    replications: int = paper.N_REPLICATIONS,
) -> Experiment:
    """Methods that differ in single factors, on one kind of data; `quick` are checkpoints for `--quick`."""
    full, small = (
        curve_run(load, Curves(methods, n_clusters, asked, agreement_and_placed))
        for asked in (checkpoints, quick)
    )
    runs = tuple(methods)
    return Experiment(title, runs, full, replications, quick=Experiment(title, runs, small, replications=2))
