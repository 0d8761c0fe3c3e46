"""The experiments on Theorem 1, Corollary 1 and Theorem 3 (§5)."""

from functools import partial

from reproduction.experiment import Experiment
from reproduction.labelings import class_rows
from reproduction.placements import KINDS, corollary1_rows
from reproduction.theorem1 import SETTINGS, theorem1_rows
from reproduction.two_clusters import theorem3_rows

QUICK_ANSWERS = (80, 300)

THEORY_EXPERIMENTS: dict[str, Experiment] = {
    "theorem1": Experiment(
        "Theorem 1 by simulation: errors of the pair classifier and the bound",
        tuple(SETTINGS),
        theorem1_rows,
        quick=Experiment(
            "Theorem 1 by simulation",
            tuple(SETTINGS),
            partial(theorem1_rows, counts=QUICK_ANSWERS),
            replications=1,
        ),
    ),
    "theorem1-classes": Experiment(
        "Theorem 1: what the classes of metrics can tell apart",
        ("classes",),
        class_rows,
        replications=10,
        quick=Experiment(
            "Classes of metrics", ("classes",), partial(class_rows, most_features=3), replications=1
        ),
    ),
    "corollary1": Experiment(
        "Theorem 2 and Corollary 1: the size of the neighbourhoods",
        tuple(KINDS),
        corollary1_rows,
        replications=25,
        quick=Experiment("Theorem 2 and Corollary 1", tuple(KINDS), corollary1_rows, replications=2),
    ),
    "theorem3": Experiment(
        "Theorem 3: where its bound says something",
        ("two-step",),
        theorem3_rows,
        quick=Experiment("Theorem 3", ("two-step",), theorem3_rows, replications=2),
    ),
}
