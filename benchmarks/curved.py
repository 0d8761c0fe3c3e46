"""Groups that no ellipsoid holds: the default metric, the kernel route and the spectral route side by side.

    python benchmarks/curved.py --seeds 10 --jobs 2

A seed draws the data and seeds the session. Claim: crescents and rings reach a mean ARI of 0.9 within 100
questions by the kernel and by the spectral route. The default does not reach it on rings; on crescents it
does so late, when the questions have placed nearly every row that it had in the wrong group.
"""

import argparse
from typing import NamedTuple

import joblib
import numpy as np

from machine import report, table
from sameornot import AugmentedClustering, ConstrainedSpectral, MinimumExpectedEntropy, simulate
from sameornot.datasets.curved import make_circles, make_moons

SHAPES = {"moons": make_moons, "circles": make_circles}
ROUTES = {
    "default (linear)": AugmentedClustering(),
    '`kernel="additive"`': AugmentedClustering(kernel="additive"),
    '`clusterer="spectral"`': ConstrainedSpectral(kernel="additive"),
}
CHECKPOINTS = (20, 40, 60, 80, 100)


class Run(NamedTuple):
    shape: str
    infer_last: bool
    route: str
    seed: int


def main() -> None:
    options = read_options()
    runs = [
        Run(shape, infer_last, route, seed)
        for seed in range(options.seeds)
        for shape in SHAPES
        for infer_last in (True, False)
        for route in ROUTES
    ]
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=options.jobs, return_as="generator")
        found = {}
        for run, curve in zip(runs, parallel(joblib.delayed(play)(run) for run in runs), strict=True):
            found[run] = curve
            print(*run, *curve.round(3), flush=True)
    text = (
        "Mean ± standard deviation of the adjusted Rand index, then the lowest at the end. Two curves "
        f'in 2 of 12 features, the others irrelevant; 200 rows, 2 groups, `strategy="mee"`, '
        f"{options.seeds} seeds. With `infer_last=False` a row that differs from one group is asked about "
        "the other too, as the paper counts."
    )
    sections = [
        f"## {shape}, `infer_last={infer}`\n\n{section(found, shape, infer, options.seeds)}"
        for shape in SHAPES
        for infer in (True, False)
    ]
    report("curved", "Crescents and rings", "\n\n".join([text, *sections]))


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 … SEEDS − 1")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, each on one core")
    return parser.parse_args()


def play(run: Run) -> np.ndarray:
    X, y = SHAPES[run.shape](random_state=run.seed)
    curve = simulate(
        X,
        y,
        2,
        budget=CHECKPOINTS[-1],
        checkpoints=CHECKPOINTS,
        strategy=MinimumExpectedEntropy(),
        clusterer=ROUTES[run.route],
        infer_last=run.infer_last,
        random_state=run.seed,
    )
    return curve.ari.to_numpy()


def section(found: dict[Run, np.ndarray], shape: str, infer_last: bool, n_seeds: int) -> str:
    rows = []
    for route in ROUTES:
        curves = np.array([found[Run(shape, infer_last, route, seed)] for seed in range(n_seeds)])
        cells = [f"{mean:.3f} ± {std:.3f}" for mean, std in zip(curves.mean(0), curves.std(0), strict=True)]
        rows.append([route, *cells, f"{curves[:, -1].min():.3f}"])
    return table(["route", *(str(count) for count in CHECKPOINTS), "lowest"], rows)


if __name__ == "__main__":
    main()
