"""The numbers of each table and figure as Markdown, with those of the paper where it prints any.

    difference = (our mean − the paper's mean) / the paper's standard deviation

A dash stands for missing rows; one replication has no deviation. `report.py` puts the sections together.
"""

from collections.abc import Callable, Iterator, Mapping

import pandas as pd

from reproduction import paper
from reproduction.compare import Gap, gap, paired_test, summarise
from reproduction.markdown import markdown, mean_and_deviation, number
from reproduction.registry import EXPERIMENTS
from reproduction.single_runs import THEORY_QUESTIONS

NONE = "–"
PAIRS = (("AQM + MEE", "AQM + NPU"), ("AQM + MEE", "MPCKMeans + NPU"), ("AQM + NPU", "MPCKMeans + NPU"))


def number_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """The numbers of one experiment."""
    others: dict[str, Callable[[pd.DataFrame], Iterator[str]]] = {
        "figure4": weights_section,
        "speed": speed_section,
        "theory": theory_section,
    }
    if name in others:
        yield from others[name](rows)
    else:
        yield from table_section(name, rows) if name.startswith("table") else curve_section(name, rows)


def paper_cells(name: str) -> dict[str, dict[int, paper.Cell]]:
    """The paper's cells of a table, by method and questions; COBRA's by the number of super-instances."""
    cells = {
        method: dict(zip(paper.QUESTIONS, line, strict=True))
        for method, line in paper.TABLES.get(name, {}).items()
    }
    if name in paper.COBRA:
        cells["COBRA"] = {size: cell.ari for size, cell in paper.COBRA[name].items()}
    return cells


def gaps_of(rows: pd.DataFrame, method: str, cells: Mapping[int, paper.Cell]) -> dict[int, Gap]:
    """Our replications and the paper's cells of a method, where both exist."""
    if not len(rows):
        return {}
    mine = rows[rows.method == method].groupby("checkpoint").ari
    return {at: gap(mine.get_group(at), cell) for at, cell in cells.items() if at in mine.groups}


def found_methods(name: str, rows: pd.DataFrame) -> list[str]:
    """The methods of the paper in its order, then others in the experiment's; COBRA has its own table."""
    lines = list(paper.TABLES.get(name, {}))
    runs = [*lines, *EXPERIMENTS[name].runs, *EXPERIMENTS[name].extras]

    def rank(row: tuple[str, str]) -> tuple[bool, int, bool, str]:
        run, method = row
        return method not in lines, runs.index(run) if run in runs else len(runs), method != run, method

    found = {(str(run), str(method)) for run, method in zip(rows.run, rows.method, strict=True)}
    return [method for _, method in sorted(found, key=rank) if method != "COBRA"]


def shown(values: pd.Series, mark: str = "") -> str:
    """Mean and standard deviation; a dash if there are no values."""
    if values.empty:
        return NONE
    mean, deviation = summarise(values)
    return f"{mark}{number(mean)}{mark} ({number(deviation) if len(values) > 1 else NONE})"


def counted(cell: paper.Cell, n_seeds: int = paper.N_REPLICATIONS) -> str:
    """Mean and standard deviation of a number of questions."""
    return f"{cell.mean:.0f} ({f'{cell.deviation:.0f}' if n_seeds > 1 else NONE})" if n_seeds else NONE


def difference(gaps: Mapping[int, Gap], at: int) -> str:
    """In the paper's standard deviations."""
    return f"{gaps[at].in_deviations:+.1f} sd" if at in gaps else NONE


def table_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """A table, followed by that of COBRA."""
    cells, body = paper_cells(name), []
    for method in found_methods(name, rows):
        mine = rows[rows.method == method]
        n_seeds = str(mine.seed.nunique())
        values = [mine[mine.checkpoint == q].ari for q in paper.QUESTIONS]
        if method in cells:
            gaps = gaps_of(rows, method, cells[method])
            replications = str(paper.N_REPLICATIONS)
            body.append(
                [
                    method,
                    "paper",
                    replications,
                    *(mean_and_deviation(cell) for cell in cells[method].values()),
                ]
            )
            body.append(["", "ours", n_seeds, *(shown(here, mark="**") for here in values)])
            body.append(["", "difference", "", *(difference(gaps, q) for q in paper.QUESTIONS)])
        else:
            body.append([method, "ours", n_seeds, *(shown(here) for here in values)])
    if body:
        yield markdown(["method", "", "n", *map(str, paper.QUESTIONS)], body)
    yield from cobra_section(name, rows)


def curve_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """Each method at each checkpoint, and the few numbers that the paper's text gives."""
    curves = rows[rows.method != "COBRA"]
    checkpoints = sorted(curves.checkpoint.unique())
    body = []
    for method in found_methods(name, rows):
        mine = curves[curves.method == method]
        cells = [shown(mine[mine.checkpoint == q].ari) for q in checkpoints]
        body.append([method, str(mine.seed.nunique()), *cells])
    if body:
        yield markdown(["method", "n", *map(str, checkpoints)], body)
    yield from cobra_section(name, rows)
    for (data, method, questions), value in paper.FIGURE3.items():
        here = curves[(curves.method == method) & (curves.checkpoint == questions)].ari
        if name == f"figure3-{data}" and len(here):
            yield f"{method} after {questions} questions: paper {number(value)}, ours {shown(here)}."


def cobra_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """COBRA by the number of super-instances, which decides how much it asks."""
    mine = rows[rows.method == "COBRA"]
    if not len(mine):
        return
    published = paper.COBRA.get(name, {})
    gaps = gaps_of(rows, "COBRA", paper_cells(name).get("COBRA", {}))
    body = []
    for size in sorted({*published, *mine.checkpoint}):
        here, theirs = mine[mine.checkpoint == size], published.get(size)
        body.append(
            [
                str(size),
                counted(theirs.questions) if theirs else NONE,
                counted(summarise(here.asked), len(here)),
                mean_and_deviation(theirs.ari) if theirs else NONE,
                shown(here.ari, mark="**" if theirs else ""),
                difference(gaps, size),
            ]
        )
    yield f"COBRA ({mine.seed.nunique()} seeds):"
    sides = [f"{what}, {whose}" for what in ("questions", "ARI") for whose in ("paper", "ours")]
    yield markdown(["super-instances", *sides, "difference"], body)


def paired_section(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """The strategies and the metrics against each other on the same data."""
    body = [
        paired_line(name, rows, first, second)
        for name, rows in tables.items()
        for first, second in PAIRS
        if "ari" in rows and seeds_of(rows, first) & seeds_of(rows, second)
    ]
    if body:
        yield "## Paired by seed"
        yield (
            "ARI averaged over the checkpoints, difference ± standard error; p of the paired t-test and of "
            "Wilcoxon's signed-rank test; share of seeds in which the first is ahead."
        )
        yield markdown(["data", "difference", "seeds", "mean", "p (t)", "p (Wilcoxon)", "ahead"], body)


def seeds_of(rows: pd.DataFrame, method: str) -> set[int]:
    """The seeds that a method has rows of."""
    return set(rows.seed[rows.method == method])


def paired_line(name: str, rows: pd.DataFrame, first: str, second: str) -> list[str]:
    """One comparison; a single seed has neither standard error nor p."""
    test = paired_test(rows, first, second)
    mean_and_p = [f"{test.mean:+.3f}", NONE, NONE]
    if test.n_seeds > 1:
        mean_and_p = [f"{test.mean:+.3f} ± {test.error:.3f}", f"{test.p_t:.2g}", f"{test.p_wilcoxon:.2g}"]
    return [name, f"{first} − {second}", str(test.n_seeds), *mean_and_p, f"{test.share_ahead:.0%}"]


def weights_section(rows: pd.DataFrame) -> Iterator[str]:
    """The heaviest features, and the agreement of K-means with these alone."""
    # The paper does not say whether "all features" are scaled: its number is in both columns.
    kept = {"all": "all, scaled", "all, raw": "all, raw", "top three": "top three", "top group": "top group"}
    theirs = [number(paper.FIGURE4[name.removesuffix(", raw")]) for name in kept]
    numbers = ", ".join(map(str, paper.FIGURE4_TOP_FEATURES))
    body = [["paper", "", f"{numbers} (NDVI)", *theirs, "28"]]
    for method in found_methods("figure4", rows):
        mine = rows[rows.method == method]
        mean = mine.groupby("item").value.mean()
        weights = mean[mean.index.str.startswith("weight of ")].sort_values(ascending=False, kind="stable")
        top = ", ".join(item.removeprefix("weight of ") for item in weights.index[:3])
        aris = [number(mean[f"K-means, {name}"]) for name in kept]
        body.append([method, str(mine.seed.nunique()), top, *aris, f"{mean['size of top group']:.0f}"])
    header = ["method", "n", "heaviest features", *kept.values(), "features in top group"]
    yield markdown(header, body)
    yield "Mean ARI of plain K-means with all features, and with the heaviest of each method only."


def speed_section(rows: pd.DataFrame) -> Iterator[str]:
    """Median time of a question, in seconds and in fits of the 50-tree forest timed in the same run."""
    sizes = sorted(rows.n.unique())
    body = []
    for method in found_methods("speed", rows):
        mine = rows[rows.method == method].assign(ratio=lambda table: table.seconds / table.forest)
        medians = mine.groupby("n")[["seconds", "ratio"]].median()
        cells = [
            f"{medians.seconds[n]:.3f} s ({medians.ratio[n]:.2f})" if n in medians.index else NONE
            for n in sizes
        ]
        body.append([method, str(mine.seed.nunique()), *cells])
    yield markdown(["method", "runs", *(f"n = {n}" for n in sizes)], body)
    yield (
        "In brackets: as a multiple of one fit of scikit-learn's 50-tree forest on the same rows. A step of "
        "MEE or NPU fits that forest once and asks one to K questions. Against the PyPI packages, side by "
        "side in one run: [parity](../benchmarks/results/parity.md)."
    )


def theory_section(rows: pd.DataFrame) -> Iterator[str]:
    """How often Theorem 2 holds, and the loss of each strategy for growing T (Theorem 3)."""
    second, third = (rows[rows.experiment == f"theorem{which}"] for which in (2, 3))
    body = []
    for (n_clusters, separation), here in third.groupby(["n_clusters", "separation"]):
        one_step = second[(second.n_clusters == n_clusters) & (second.separation == separation)]
        holds = f"{one_step.holds.mean():.1%}" if len(one_step) else NONE
        for method in here.method.unique():
            mean = here[here.method == method].groupby("questions").kl.mean()
            cells = [f"{mean[T]:.3f}" if T in mean else NONE for T in THEORY_QUESTIONS]
            body.append([f"K = {n_clusters}, r/σ = {separation:g}", holds, method, *cells])
            holds = ""
    header = ["problem", "Theorem 2 holds", "strategy", *(f"T = {T}" for T in THEORY_QUESTIONS)]
    yield markdown(header, body)
    yield (
        f"{rows.seed.nunique()} random problems of each kind, all label vectors enumerated. Theorem 2: share "
        "of random placements after which the posterior is at least as far from the truth as after MEE's. "
        "Theorem 3: mean KL divergence from the truth after T questions."
    )
