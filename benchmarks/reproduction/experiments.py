"""What is run for each table and figure of the paper: data, methods and checkpoints on the paper's terms."""

from pathlib import Path
from typing import Any

from reproduction import paper
from reproduction.answering import cobra_rows, curve_rows
from reproduction.experiment import Experiment, Load
from reproduction.methods import additional, proposed, rivals
from reproduction.rows import Row
from reproduction.single_runs import land_cover_weights, random_pairs, seconds_per_question, theorems
from sameornot.datasets import (
    load_breast_cancer,
    load_meu_mobile,
    load_urban_land_cover,
    make_opposite,
    make_sphere,
)

REAL_CHECKPOINTS = tuple(range(30, 301, 30))


def curves(
    title: str,
    load: Load,
    n_features: int,
    n_clusters: int,
    q: int,
    *,
    checkpoints: tuple[int, ...] = paper.QUESTIONS,
    cobra: tuple[int, ...] = (),
    **options: Any,
) -> Experiment:
    """An experiment in which methods ask and are compared with the truth at checkpoints.

    `q` is the number of penalised features, `cobra` the numbers of super-instances, `options` those of
    `Experiment`.
    """
    main, extras = rivals(n_features) | proposed(q), additional(n_features, q)

    def run(name: str, seed: int, folder: Path | None) -> list[Row]:
        data = load(seed, folder)
        if name == "COBRA":
            return cobra_rows(data, cobra, name, seed)
        return curve_rows(data, n_clusters, checkpoints, main | extras, name, seed)

    runs = (*main, *(("COBRA",) if cobra else ()))
    return Experiment(title, runs, run, extras=tuple(extras), **options)


def opposite(n_relevant: int, mixing: bool) -> Load:
    """The data of Tables 1 and 2, new for each seed."""
    return lambda seed, _: make_opposite(n_relevant=n_relevant, mixing=mixing, random_state=seed)


EXPERIMENTS: dict[str, Experiment] = {
    "table1": curves(
        "Table 1: opposite centres, mixed, n = 300, p = 5 + 30, K = 5",
        opposite(5, mixing=True),
        n_features=35,
        n_clusters=5,
        q=15,
        cobra=tuple(paper.COBRA["table1"]),
    ),
    "table1-unmixed": curves(
        "Table 1 as the text describes it: without mixing",
        opposite(5, mixing=False),
        n_features=35,
        n_clusters=5,
        q=15,
        replications=10,
    ),
    "table2": curves(
        "Table 2: opposite centres, mixed, n = 300, p = 10 + 30, K = 10",
        opposite(10, mixing=True),
        n_features=40,
        n_clusters=10,
        q=15,
        cobra=tuple(paper.COBRA["table2"]),
    ),
    "table2-unmixed": curves(
        "Table 2 as the text describes it: without mixing",
        opposite(10, mixing=False),
        n_features=40,
        n_clusters=10,
        q=15,
        replications=10,
    ),
    "table3": curves(
        "Table 3: centres on a sphere, n = 250, p = 100 + 400, K = 5",
        lambda seed, _: make_sphere(random_state=seed),
        n_features=500,
        n_clusters=5,
        q=200,
        cobra=tuple(paper.COBRA["table3"]),
    ),
    "figure2": Experiment(
        "Figure 2: random pairs with and without augmentation, n = 60, p = 6 + 3, K = 6",
        ("exact without augmentation", "separable without augmentation"),
        random_pairs,
    ),
    "figure3-cancer": curves(
        "Figure 3, breast cancer: n = 569, p = 30, K = 2",
        lambda *_: load_breast_cancer(),
        n_features=30,
        n_clusters=2,
        q=10,
        checkpoints=tuple(range(10, 101, 10)),
        cobra=(10, 25, 50),
        replications=10,
    ),
    "figure3-meu": curves(
        "Figure 3, MEU-Mobile: n = 459, p = 71, K = 9",
        lambda _, folder: load_meu_mobile(folder),
        n_features=71,
        n_clusters=9,
        q=10,
        checkpoints=REAL_CHECKPOINTS,
        cobra=(10, 30, 60),
        replications=10,
    ),
    "figure3-urban": curves(
        "Figure 3, urban land cover: n = 675, p = 147, K = 9",
        lambda _, folder: load_urban_land_cover(folder),
        n_features=147,
        n_clusters=9,
        q=10,
        checkpoints=REAL_CHECKPOINTS,
        cobra=(10, 30, 60),
        replications=10,
    ),
    "figure4": Experiment(
        "Figure 4: what the weights on urban land cover are worth",
        ("AQM + MEE", "MPCKMeans + NPU"),
        land_cover_weights,
        replications=5,
    ),
    "speed": Experiment(
        "Seconds per question",
        (*rivals(35), *proposed(q=15), "Label and classify"),
        seconds_per_question,
        replications=3,
    ),
    "theory": Experiment(
        "Theorems 2 and 3 by exact enumeration",
        ("theory",),
        theorems,
        replications=40,
    ),
}
