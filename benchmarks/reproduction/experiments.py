"""Every table and figure of the paper, and what explains the differences, by name."""

from functools import partial

from reproduction import paper
from reproduction.answering import agreement_and_placed
from reproduction.columns import COBRA, MEE, MPCKMEANS, forms
from reproduction.experiment import Experiment
from reproduction.factors import factor_experiment, regroupings, rival_methods, strategies
from reproduction.methods import main_methods, released_rivals
from reproduction.single_runs import (
    PAIR_RUNS,
    WEIGHT_EXTRAS,
    WEIGHT_RUNS,
    land_cover_weights,
    random_pairs,
    theorems,
)
from reproduction.tables import (
    CANCER,
    MEU,
    OPPOSITE_5,
    OPPOSITE_10,
    SPHERE,
    URBAN,
    Extent,
    curves,
    opposite,
)
from reproduction.theory_experiments import THEORY_EXPERIMENTS
from reproduction.timing import LOOP_RUNS, SPEED_RUNS, seconds_per_loop, seconds_per_question
from sameornot.datasets import load_breast_cancer, load_meu_mobile, load_urban_land_cover, make_sphere

REAL_CHECKPOINTS = tuple(range(30, 301, 30))
FEW = paper.QUESTIONS[:1]  # of the questions of Tables 1 to 3, for --quick
FEW_PAIRS = (20, 60, 100)
SHORT = (*dict(forms(MEE)).values(), MPCKMEANS)

EXPERIMENTS: dict[str, Experiment] = {
    "table1": curves(
        "Table 1: opposite centres, mixed, n = 300, p = 5 + 30, K = 5",
        opposite(5),
        5,
        OPPOSITE_5,
        extent=Extent(paper.QUESTIONS, tuple(paper.COBRA["table1"])),
        quick=Extent(paper.QUESTIONS[:2], (10, 50)),
        quick_runs=(*main_methods(OPPOSITE_5), *released_rivals(), COBRA),
        extra_replications=30,
    ),
    "table1-unmixed": curves(
        "Table 1 as the text describes it: without mixing",
        opposite(5, mixing=False),
        5,
        OPPOSITE_5,
        extent=Extent(paper.QUESTIONS),
        quick=Extent(FEW),
        quick_runs=SHORT,
    ),
    "table2": curves(
        "Table 2: opposite centres, mixed, n = 300, p = 10 + 30, K = 10",
        opposite(10),
        10,
        OPPOSITE_10,
        extent=Extent(paper.QUESTIONS, tuple(paper.COBRA["table2"])),
        quick=Extent(FEW, (10, 30)),
    ),
    "table2-unmixed": curves(
        "Table 2 as the text describes it: without mixing",
        opposite(10, mixing=False),
        10,
        OPPOSITE_10,
        extent=Extent(paper.QUESTIONS),
        quick=Extent(FEW),
        quick_runs=SHORT,
    ),
    "table3": curves(
        "Table 3: centres on a sphere, n = 250, p = 100 + 400, K = 5",
        lambda seed, _: make_sphere(random_state=seed),
        5,
        SPHERE,
        extent=Extent(paper.QUESTIONS, tuple(paper.COBRA["table3"])),
        quick=Extent(FEW, (30, 70)),
    ),
    "table3-released": curves(
        "Table 3 with the centres and scales of the released code, new data for each seed",
        lambda seed, _: make_sphere(centers="released", rescale=True, random_state=seed),
        5,
        SPHERE,
        extent=Extent(paper.QUESTIONS, tuple(paper.COBRA["table3"])),
        quick=Extent(FEW, (30, 70)),
        measure=agreement_and_placed,
    ),
    "figure2": Experiment(
        "Figure 2: random pairs with and without augmentation, n = 60, p = 6 + 3, K = 6",
        PAIR_RUNS,
        random_pairs,
        quick=Experiment("Figure 2", PAIR_RUNS, partial(random_pairs, checkpoints=FEW_PAIRS), replications=3),
    ),
    "figure3-cancer": curves(
        "Figure 3, breast cancer: n = 569, p = 30, K = 2",
        lambda *_: load_breast_cancer(),
        2,
        CANCER,
        extent=Extent(tuple(range(10, 101, 10)), (10, 25, 50)),
        quick=Extent((40, 80), (10, 25)),
    ),
    "figure3-meu": curves(
        "Figure 3, MEU-Mobile: n = 459, p = 71, K = 9",
        lambda _, folder: load_meu_mobile(folder),
        9,
        MEU,
        extent=Extent(REAL_CHECKPOINTS, (10, 30, 60)),
        quick=Extent((30,), (10, 30)),
    ),
    "figure3-urban": curves(
        "Figure 3, urban land cover: n = 675, p = 147, K = 9",
        lambda _, folder: load_urban_land_cover(folder),
        9,
        URBAN,
        extent=Extent(REAL_CHECKPOINTS, (10, 30, 60)),
        quick=Extent((30,), (10, 30)),
    ),
    "figure4": Experiment(
        "Figure 4: what the weights on urban land cover are worth",
        WEIGHT_RUNS,
        land_cover_weights,
        extras=WEIGHT_EXTRAS,
        quick=Experiment(
            "Figure 4", WEIGHT_RUNS, partial(land_cover_weights, n_questions=40), replications=1
        ),
    ),
    "strategies-table1": factor_experiment("MEE and NPU on Table 1", opposite(5), 5, strategies(), quick=FEW),
    "strategies-table2": factor_experiment(
        "MEE and NPU on Table 2", opposite(10), 10, strategies(), quick=FEW
    ),
    "rivals-table1": factor_experiment(
        "What makes PCKMeans + NPU weak or strong on Table 1",
        opposite(5),
        5,
        rival_methods(),
        quick=FEW,
        replications=10,
    ),
    "regrouped-meu": factor_experiment(
        "MEU-Mobile: the same answers grouped by several clusterers",
        lambda _, folder: load_meu_mobile(folder),
        9,
        regroupings(MEU),
        checkpoints=REAL_CHECKPOINTS,
        quick=(30, 90),
        replications=10,
    ),
    "speed": Experiment(
        "Seconds per question",
        SPEED_RUNS,
        seconds_per_question,
        replications=3,
        quick=Experiment(
            "Seconds per question",
            SPEED_RUNS,
            partial(seconds_per_question, sizes=(300,), n_questions=10),
            replications=1,
        ),
    ),
    "loop": Experiment(
        "Seconds of one loop, n = 300, p = 35, K = 5",
        LOOP_RUNS,
        seconds_per_loop,
        replications=3,
        quick=Experiment("One loop", LOOP_RUNS, partial(seconds_per_loop, parts=(60,)), replications=1),
    ),
    "theory": Experiment(
        "Theorems 2 and 3 by exact enumeration",
        ("theory",),
        theorems,
        replications=40,
        quick=Experiment("Theorems 2 and 3", ("theory",), theorems, replications=2),
    ),
    **THEORY_EXPERIMENTS,
}
