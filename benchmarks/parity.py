"""Objective, agreement and speed beside the packages that people install today.

    .venv-parity/bin/python benchmarks/parity.py               run what is missing, then report
    .venv-parity/bin/python benchmarks/parity.py --report      report only

`./run parity` makes that environment first. What is compared is in `peers.py`, with all repairs. Each
finished unit (part, n, seed) is appended to results/parity.csv, with a fingerprint of our code as in
`quality.py`: a stopped run is resumed.
"""

import argparse
import contextlib
import csv
import multiprocessing
import resource
import signal
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist
from sklearn.metrics import adjusted_rand_score

import peers
from machine import RESULTS, facts, one_core, table
from peers import Found, Links
from quality import fingerprint
from sameornot import (
    COBRAS,
    NPU,
    AugmentedMetric,
    Clusterer,
    COBRASQuestions,
    COPKMeans,
    MPCKMeans,
    PCKMeans,
    simulate,
)
from sameornot.datasets import make_opposite

STORE = RESULTS / "parity.csv"
COLUMNS = ("code", "part", "n", "seed", "what", "theirs", "ours")
N_CLUSTERS = 5
N_PAIRS = (0, 30, 100, 300)
# Of a broken pair, in units of a squared distance, where the packages' w is 1: their PCKMeans halves the
# distances, and their MPCKMeans doubles the price.
PRICE = 2.0
COBRAS_QUESTIONS = (60, 120, 180, 240, 300)
NPU_QUESTIONS = (20, 40, 60)
SIZES = (300, 1000, 3000)
GIVEN_PAIRS = 100
NPU_STEPS, COBRAS_STEPS = 8, 100  # questions of a timed run
LIMIT = 90.0  # seconds until a call is cut off
REPEATS, PATIENCE = 9, 10.0  # most timed calls of each side, and the seconds after which no other is begun

Row = tuple[str, float, float]


class Part(NamedTuple):
    """What a unit (n, seed) yields, and which units there are."""

    play: Callable[[int, int], Iterator[Row]]
    sizes: tuple[int, ...]
    n_seeds: int


def main() -> None:
    options = read_options()
    code = fingerprint()
    if not options.report:
        with one_core():
            run_missing(options.parts, code)
    rows = read_rows(code)
    if not len(rows):
        raise SystemExit("parity: there are no rows of this code: run it without --report")
    page = write_report(rows, code)
    print(page)
    STORE.with_suffix(".md").write_text(page, "utf-8")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--report", action="store_true", help="run nothing")
    return parser.parse_args()


def run_missing(parts: list[str], code: str) -> None:
    there = set(read_rows(code)[["part", "n", "seed"]].itertuples(index=False, name=None))
    units = [(part, n, s) for part in parts for n in PARTS[part].sizes for s in range(PARTS[part].n_seeds)]
    missing = [unit for unit in units if unit not in there]
    start = time.perf_counter()
    for number, (part, n, seed) in enumerate(missing, start=1):
        rows = list(PARTS[part].play(n, seed))
        if fingerprint() != code:
            raise SystemExit("parity: the code of sameornot was changed during the run: start it again")
        append(code, [(part, n, seed, *row) for row in rows])
        print(
            f"{time.perf_counter() - start:5.0f} s  {number} of {len(missing)}: {part} {n} {seed}", flush=True
        )


# Data and pairs


def draw_data(n_samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The paper's Table 1 data, standardised: p = 35, K = 5."""
    X, y = make_opposite(n_samples=n_samples, mixing=True, random_state=seed)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def draw_links(y: np.ndarray, n_pairs: int, seed: int) -> Links:
    """Random pairs, answered by the truth."""
    rng = np.random.default_rng([seed, n_pairs])
    left = rng.integers(len(y), size=n_pairs)
    right = (left + rng.integers(1, len(y), size=n_pairs)) % len(y)
    pairs, same = np.column_stack([left, right]), y[left] == y[right]
    return Links(pairs[same], pairs[~same])


def close(links: Links, n: int) -> Links:
    """All pairs that the drawn ones imply: what both sides count broken ones over."""
    must = links.must
    _, group = connected_components(coo_array((np.ones(len(must)), (must[:, 0], must[:, 1])), shape=(n, n)))
    left, right = np.triu_indices(n, k=1)
    apart = np.zeros((group.max() + 1,) * 2, dtype=bool)
    ends = group[links.cannot]
    apart[ends[:, 0], ends[:, 1]] = apart[ends[:, 1], ends[:, 0]] = True
    pairs = np.column_stack([left, right])
    return Links(pairs[group[left] == group[right]], pairs[apart[group[left], group[right]]])


# Both sides are evaluated by the same functions


def within(X: np.ndarray, labels: np.ndarray) -> float:
    """Sum of squared distances to the means of the clusters."""
    return float(sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in np.unique(labels)))


def broken(labels: np.ndarray, links: Links) -> Links:
    must, cannot = (labels[pairs[:, 0]] == labels[pairs[:, 1]] for pairs in links)
    return Links(links.must[~must], links.cannot[cannot])


def count_broken(labels: np.ndarray, links: Links) -> int:
    return sum(len(pairs) for pairs in broken(labels, links))


def pckmeans_value(X: np.ndarray, found: Found, links: Links) -> float:
    """Sum of squares within clusters, plus the price of each broken pair."""
    return within(X, found.labels) + PRICE * count_broken(found.labels, links)


def copkmeans_value(X: np.ndarray, found: Found, links: Links) -> float:
    """Sum of squares within clusters, where no pair is broken."""
    return within(X, found.labels) if count_broken(found.labels, links) == 0 else np.nan


def mpckmeans_value(X: np.ndarray, found: Found, links: Links) -> float:
    """Bilenko's objective for one diagonal A: sum of squares − n log det A + price of pairs, under A."""
    scaled = X * np.sqrt(found.weights)
    split, joined = broken(found.labels, links)
    far = pdist(scaled, "sqeuclidean").max()
    near, parted = (
        ((scaled[pairs[:, 0]] - scaled[pairs[:, 1]]) ** 2).sum(axis=1) for pairs in (joined, split)
    )
    price = parted.sum() + (far - near).sum()
    return within(scaled, found.labels) - len(X) * np.log(found.weights).sum() + PRICE * price


def agreement(y: np.ndarray, labels: np.ndarray) -> float:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The number of unique classes")
        return float(adjusted_rand_score(y, labels))


def separation(X: np.ndarray, weights: np.ndarray, links: Links) -> float:
    """Xing's objective: mean distance of different pairs where similar ones have a mean square of 1."""
    near, far = (((X[pairs[:, 0]] - X[pairs[:, 1]]) ** 2 @ weights) for pairs in links)
    return float(np.sqrt(far).mean() / np.sqrt(near.mean()))


# Ours, by the names of theirs


def our_model(name: str, X: np.ndarray, n_init: int = 5, seed: int | None = None) -> Clusterer:
    """Our clusterer at the packages' price; that of PCKMeans is in units of the total variance."""
    options: dict[str, Any] = {"n_init": n_init, "random_state": seed}
    if name == "copkmeans":
        return COPKMeans(N_CLUSTERS, standardize=False, **options)
    if name == "pckmeans":
        weight = PRICE / X.var(axis=0).sum()
        return PCKMeans(N_CLUSTERS, weight=weight, standardize=False, **options)
    return MPCKMeans(N_CLUSTERS, weight=PRICE, **options)


def our_fit(name: str, X: np.ndarray, links: Links, seed: int, n_init: int = 5) -> Found:
    model = our_model(name, X, n_init, seed).fit(X, must_link=links.must, cannot_link=links.cannot)
    metric = getattr(model, "metric_", None)
    weights = np.ones(X.shape[1]) if metric is None else metric.weights / metric.scale**2
    return Found(model.labels_, weights)


def our_cobras(X: np.ndarray, y: np.ndarray, budget: int, seed: int) -> COBRAS:
    return COBRAS(budget=budget, standardize=False, random_state=seed).fit(X, y)


def our_metric(X: np.ndarray, links: Links, seed: int) -> np.ndarray:
    model = AugmentedMetric(metric="exact", augmentation=False, standardize=False, random_state=seed)
    return np.diag(model.fit(X, must_link=links.must, cannot_link=links.cannot).metric_.matrix)


def our_questions(
    X: np.ndarray, y: np.ndarray, checkpoints: tuple[int, ...], seed: int, **how: Any
) -> list[float]:
    """ARI after each number of questions; all are counted, as the packages count them."""
    curve = simulate(
        X,
        y,
        N_CLUSTERS,
        budget=max(checkpoints),
        checkpoints=checkpoints,
        random_state=seed,
        standardize=False,
        infer_last=False,
        **how,
    )
    return curve.ari.tolist()


# The parts

VALUES = {"pckmeans": pckmeans_value, "copkmeans": copkmeans_value, "mpckmeans": mpckmeans_value}


def play_fits(name: str, n: int, seed: int) -> Iterator[Row]:
    X, y = draw_data(n, seed)
    for n_pairs in N_PAIRS:
        links = draw_links(y, n_pairs, seed)
        value = partial(VALUES[name], X, links=close(links, n))
        theirs = peers.FITS[name](X, N_CLUSTERS, links, seed)
        found = {n_init: our_fit(name, X, links, seed, n_init) for n_init in (5, 1)}
        their_value, their_ari = (
            (np.nan, np.nan) if theirs is None else (value(theirs), agreement(y, theirs.labels))
        )
        yield f"objective@{n_pairs}", their_value, value(found[5])
        yield f"objective, one start@{n_pairs}", their_value, value(found[1])
        yield f"ari@{n_pairs}", their_ari, agreement(y, found[5].labels)


def play_cobras(n: int, seed: int) -> Iterator[Row]:
    X, y = draw_data(n, seed)
    theirs = [agreement(y, labels) for labels in peers.cobras(X, y, COBRAS_QUESTIONS, seed)]
    ours = our_questions(X, y, COBRAS_QUESTIONS, seed, strategy=COBRASQuestions())
    for asked, their_ari, our_ari in zip(COBRAS_QUESTIONS, theirs, ours, strict=True):
        yield f"ari@{asked}", their_ari, our_ari


def play_npu(name: str, n: int, seed: int) -> Iterator[Row]:
    X, y = draw_data(n, seed)
    found = peers.npu(X, y, N_CLUSTERS, peers.ACTIVE[name], NPU_QUESTIONS, seed)
    theirs = [agreement(y, labels) for labels in found]
    ours = our_questions(X, y, NPU_QUESTIONS, seed, strategy=NPU(), clusterer=our_model(name, X))
    for asked, their_ari, our_ari in zip(NPU_QUESTIONS, theirs, ours, strict=True):
        yield f"ari@{asked}", their_ari, our_ari


def play_mmc(n: int, seed: int) -> Iterator[Row]:
    X, y = draw_data(n, seed)
    for n_pairs in N_PAIRS[1:]:
        links = draw_links(y, n_pairs, seed)
        theirs, ours = peers.mmc(X, links, seed), our_metric(X, links, seed)
        yield f"separation@{n_pairs}", separation(X, theirs, links), separation(X, ours, links)


# Speed


def play_race(name: str, n: int, seed: int) -> Iterator[Row]:
    """Medians of CPU seconds, in turns in a process of their own; a call that takes too long ends it."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=race, args=(name, n, there))
    process.start()
    there.close()
    times = list(received(here))  # ours, theirs, ours, …
    process.join()
    if process.exitcode == -signal.SIGXCPU:
        times.append(LIMIT)
    elif process.exitcode != 0:
        raise RuntimeError(f"the race of {name} at n={n} ended with exit status {process.exitcode}")
    ours, theirs = (statistics.median(side) for side in (times[::2], times[1::2]))
    yield "seconds, cut off" if theirs >= LIMIT else "seconds", theirs, ours


def received(connection: Connection) -> Iterator[float]:
    """What the other end sends, until it closes."""
    with contextlib.suppress(EOFError):
        while True:
            yield connection.recv()


def race(name: str, n: int, report: Connection) -> None:
    """Send the time of one call after the other; the first ones, on little data, only load what is needed."""
    with one_core():
        for work in contestants(name, 60):
            work(0)
        works = contestants(name, n)
        begun = time.process_time()
        for seed in range(REPEATS):
            for work in works:
                limit_cpu(LIMIT)
                start = time.process_time()
                work(seed)
                report.send(time.process_time() - start)
            if time.process_time() - begun > PATIENCE:
                break


def limit_cpu(seconds: float) -> None:
    """End this process when it has used so many seconds from now: of CPU, so a busy machine cuts nothing."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time() + seconds) + 1, most))


def contestants(name: str, n: int) -> tuple[Callable[[int], object], Callable[[int], object]]:
    """One call of ours and one of theirs, for a seed."""
    X, y = draw_data(n, 0)
    links = draw_links(y, n if name == "mmc" else GIVEN_PAIRS, 0)
    asked = (min(NPU_STEPS if name == "npu" else COBRAS_STEPS, n),)
    if name == "mmc":
        return partial(our_metric, X, links), partial(peers.mmc, X, links)
    if name == "npu":
        how = {"strategy": NPU(), "clusterer": our_model("pckmeans", X)}
        theirs = partial(peers.npu, X, y, N_CLUSTERS, peers.PCKMeans, asked)
        return partial(our_questions, X, y, asked, **how), theirs
    if name == "cobras":
        return partial(our_cobras, X, y, asked[0]), partial(peers.cobras, X, y, asked)
    if name == "cobras, session":
        return partial(our_questions, X, y, asked, strategy=COBRASQuestions()), partial(
            peers.cobras, X, y, asked
        )
    return partial(our_fit, name, X, links), partial(PUBLISHED[name], X, N_CLUSTERS, links)


PUBLISHED = {**peers.FITS, "copkmeans": peers.copkmeans}

PARTS = {
    "pckmeans": Part(partial(play_fits, "pckmeans"), (150,), 30),
    "copkmeans": Part(partial(play_fits, "copkmeans"), (150,), 20),
    "mpckmeans": Part(partial(play_fits, "mpckmeans"), (150,), 20),
    "mmc": Part(play_mmc, (300,), 20),
    "cobras": Part(play_cobras, (300,), 16),
    "npu + pckmeans": Part(partial(play_npu, "pckmeans"), (150,), 8),
    "npu + mpckmeans": Part(partial(play_npu, "mpckmeans"), (100,), 4),
    **{
        f"speed of {name}": Part(partial(play_race, name), SIZES, 1)
        for name in ("pckmeans", "copkmeans", "mpckmeans", "npu", "cobras", "cobras, session", "mmc")
    },
}


# Rows and report


def append(code: str, rows: list[tuple]) -> None:
    is_new = not STORE.exists()
    with STORE.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        if is_new:
            writer.writerow(COLUMNS)
        writer.writerows((code, *row[:-2], *(f"{value:.6g}" for value in row[-2:])) for row in rows)


def read_rows(code: str) -> pd.DataFrame:
    """The rows that this code made."""
    if not STORE.exists():
        return pd.DataFrame(columns=COLUMNS)
    rows = pd.read_csv(STORE, dtype={"code": str})
    return rows[rows.code == code]


ABOUT = """
Data: `make_opposite(mixing=True)`, standardised, p = 35, K = 5, new for each seed; pairs are random and
answered by the truth. Both sides get the same rows, pairs, K and price of a broken pair, and are evaluated by
the same functions. "Ours" has its defaults; where that means the best of five starts, one start is shown too.
How the packages had to be repaired is described in `peers.py`. Differences are ours − theirs.
"""

OBJECTIVE = """
Value of the solution, smaller is better: PCKMeans WCSS + 2 · broken pairs of the closure (w = 1 of the
package, which halves the distances); COPKMeans WCSS, where no pair may be broken; MPCKMeans the objective of
Bilenko et al. with one diagonal metric, each side with the metric that it found, and again 2 for w = 1, as
the package assigns rows. The mean difference, and the share of seeds in which ours is worse by over 1 %, are
over the seeds that the package solved; "has none" counts the others.
"""

AGREEMENT = """
Adjusted Rand index of the same runs, mean ± standard deviation; the difference ± its standard error, paired
by seed, with Wilcoxon's p.
"""

QUESTIONS = """
Adjusted Rand index after so many questions, all counted. COBRAS on Table 1 data with ten k-means starts on
both sides, the package's groups being those that it stores after each question; NPU on fewer rows, since the
package takes seconds a question.
"""

SEPARATION = """
Xing's objective, larger is better: mean distance of different pairs, with the mean square of similar pairs
set to 1. `MMC(diagonal=True)` against `AugmentedMetric(metric="exact", augmentation=False)`. The package ends
early: at an optimum of its objective the similar pairs' squares sum to ½, and it leaves them at hundreds.
"""

SPEED = f"""
CPU seconds of one call, medians of up to {REPEATS} in turns in one process and thread; a call over
{LIMIT:.0f} s is cut off. Fits have {GIVEN_PAIRS} pairs, NPU with PCKMeans asks {NPU_STEPS} questions, COBRAS
{COBRAS_STEPS}, and MMC has n pairs. Ours makes five starts in a fit where the packages make one.
"""


def write_report(rows: pd.DataFrame, code: str) -> str:
    split = rows.what.astype(str).str.partition("@")
    rows = rows.assign(kind=split[0], at=pd.to_numeric(split[2]))
    is_active = rows.part.isin(["cobras"]) | rows.part.str.startswith("npu")
    sections = [
        ("Objective", OBJECTIVE, objective_table(rows)),
        ("Agreement at given pairs", AGREEMENT, agreement_table(rows[~is_active], "pairs")),
        ("Agreement at questions asked", QUESTIONS, agreement_table(rows[is_active], "questions")),
        ("Metric from pairs", SEPARATION, separation_table(rows)),
        ("Speed", SPEED, speed_table(rows)),
    ]
    parts = ["# Parity with published packages", ABOUT.strip()]
    for title, about, body in sections:
        parts += [f"## {title}", about.strip(), body]
    parts.append(f"Code {code}. Machine: {facts(*peers.PACKAGES)}; one thread.")
    return "\n\n".join(parts) + "\n"


def objective_table(rows: pd.DataFrame) -> str:
    header = ["method", "pairs", "seeds", "has none", "theirs", "ours", "difference", "worse by > 1 %"]
    header += ["one start: difference", "worse by > 1 %"]
    body = []
    for (part, at), here in groups(rows[rows.kind == "objective"]):
        single = rows[(rows.part == part) & (rows["at"] == at) & (rows.kind == "objective, one start")]
        unsolved = int(here.theirs.isna().sum())
        solved = here.dropna()
        cells = [part, str(at), str(len(here)), str(unsolved), f"{solved.theirs.mean():.1f}"]
        cells += [f"{solved.ours.mean():.1f}", *excess(solved), *excess(single.dropna())]
        body.append(cells)
    return table(header, body)


def excess(rows: pd.DataFrame) -> list[str]:
    """Mean relative difference, and how often it is above 1 %."""
    relative = (rows.ours - rows.theirs) / rows.theirs.abs()
    return [f"{100 * relative.mean():+.2f} %", f"{100 * (relative > 0.01).mean():.0f} %"]


def agreement_table(rows: pd.DataFrame, at_what: str) -> str:
    header = ["method", at_what, "seeds", "theirs", "ours", "difference", "p"]
    body = []
    for (part, at), here in groups(rows[rows.kind == "ari"]):
        solved = here.dropna()
        difference = solved.ours - solved.theirs
        error = difference.std() / np.sqrt(len(difference))
        p = stats.wilcoxon(difference).pvalue if difference.any() else 1.0
        cells = [
            part,
            str(at),
            str(len(solved)),
            *(mean_and_deviation(solved[side]) for side in ("theirs", "ours")),
        ]
        body.append([*cells, f"{difference.mean():+.3f} ± {error:.3f}", f"{p:.2g}"])
    return table(header, body)


def separation_table(rows: pd.DataFrame) -> str:
    header = ["pairs", "seeds", "theirs", "ours", "ours / theirs, mean", "smallest"]
    body = []
    for (_, at), here in groups(rows[rows.kind == "separation"]):
        ratio = here.ours / here.theirs
        cells = [str(at), str(len(here)), mean_and_deviation(here.theirs), mean_and_deviation(here.ours)]
        body.append([*cells, f"{ratio.mean():.4f}", f"{ratio.min():.4f}"])
    return table(header, body)


def speed_table(rows: pd.DataFrame) -> str:
    header = ["what", "n", "theirs (s)", "ours (s)", "theirs / ours"]
    body = []
    for row in rows[rows.kind.str.startswith("seconds")].itertuples():
        over = "> " if row.kind.endswith("cut off") else ""
        ratio = f"**{over}{row.theirs / row.ours:.1f}**"
        what = row.part.removeprefix("speed of ")
        body.append([what, str(row.n), f"{over}{row.theirs:.4g}", f"{row.ours:.4g}", ratio])
    return table(header, body)


def groups(rows: pd.DataFrame) -> Iterator[tuple[tuple[str, int], pd.DataFrame]]:
    """By part and number of pairs or questions, in the order of the rows."""
    for (part, at), here in rows.groupby(["part", "at"], sort=False):
        yield (part, int(at)), here


def mean_and_deviation(values: pd.Series) -> str:
    return f"{values.mean():.3f} ± {values.std():.3f}"


if __name__ == "__main__":
    main()
