"""Run what is missing of an experiment, in parallel, and store each replication as soon as it is done.

Replications go through joblib, or to a Dask cluster that the caller is connected to. Nothing that the row
file already holds is repeated.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import joblib
from threadpoolctl import threadpool_limits

from reproduction import experiments
from reproduction.experiment import Experiment
from reproduction.registry import EXPERIMENTS
from reproduction.rows import Row, RowFile, versions
from sameornot.engine import Cluster, map_on_cluster


class Replication(NamedTuple):
    """One run on the data of one seed, of the full experiment or of its quick version."""

    experiment: str
    run: str
    seed: int
    folder: Path | None
    quick: bool = False

    def __str__(self) -> str:
        return f"{self.run} on seed {self.seed}"


QUICK_REPLICATIONS = 2  # of experiments without a plan of their own for --quick


def find_experiment(name: str, *, quick: bool = False) -> Experiment:
    """The experiment of that name, or its quick version; or an error that lists all."""
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}: choose one of {', '.join(EXPERIMENTS)}")
    full = EXPERIMENTS[name]
    if not quick:
        return full
    few = QUICK_REPLICATIONS
    return full.quick or replace(full, replications=few, extra_replications=few)


def find_parts(word: str) -> list[str]:
    """The experiments that a word of the command line names: "all" are the paper's, two words run nothing."""
    if word in ("figure1", "report"):
        return []
    if word == "all":
        return list(experiments.EXPERIMENTS)
    parts = [name for name in EXPERIMENTS if name == word or name.startswith(f"{word}-")]
    exact = [name for name in parts if name == word]
    if not parts:
        options = ", ".join(sorted({*EXPERIMENTS, "figure1", "figure3", "questions", "all", "report"}))
        raise ValueError(f"there is no experiment {word!r}: choose one of {options}")
    return exact or parts


def choose_runs(experiment: Experiment, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """The runs with one of these words in their name, in any case; without words those of the paper."""
    if not wanted:
        return experiment.runs
    known = (*experiment.runs, *experiment.extras)
    chosen: set[str] = set()
    for word in wanted:
        exact = {run for run in known if word.lower() in ("all", run.lower())}
        found = exact or {run for run in known if word.lower() in run.lower()}
        if not found:
            raise ValueError(f"no method is named {word!r}: choose from {', '.join(known)}")
        chosen |= found
    return tuple(run for run in known if run in chosen)


def missing(
    name: str,
    runs: Sequence[str],
    replications: int | None,
    rows: RowFile,
    folder: Path | None = None,
    *,
    quick: bool = False,
) -> list[Replication]:
    """The replications to do: all runs of a seed before the next seed, so that means can be read early."""
    experiment = find_experiment(name, quick=quick)
    done = rows.done()
    counts = {run: replications or experiment.default_replications(run) for run in runs}
    return [
        Replication(name, run, seed, folder, quick)
        for seed in range(max(counts.values(), default=0))
        for run in runs
        if seed < counts[run] and (run, seed) not in done
    ]


def run_all(
    replications: Sequence[Replication],
    rows: RowFile,
    *,
    n_jobs: int = 2,
    cluster: Cluster | None = None,
    progress: Callable[[Replication], None] | None = None,
) -> None:
    """Do the replications, `n_jobs` at a time or as many as a cluster has workers; add each to the rows."""
    if not replications:
        return
    for done, found in finished(replications, n_jobs, cluster):
        rows.append(found)
        if progress is not None:
            progress(done)


def finished(
    replications: Sequence[Replication], n_jobs: int, cluster: Cluster | None
) -> Iterator[tuple[Replication, list[Row]]]:
    """Replications with their rows, as they are done.

    A cluster is not used through joblib: its Dask backend waits forever for a task that kills its worker, and
    does the work of a cluster with one core in this process.
    """
    if cluster is not None:
        return (found for _, found in map_on_cluster(cluster, replicate, replications))
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    return parallel(joblib.delayed(replicate)(replication) for replication in replications)


def replicate(replication: Replication) -> tuple[Replication, list[Row]]:
    """One replication on one core."""
    experiment = find_experiment(replication.experiment, quick=replication.quick)
    with threadpool_limits(limits=1):
        found = experiment.run(replication.run, replication.seed, replication.folder)
    return replication, [{**row, "versions": versions()} for row in found]
