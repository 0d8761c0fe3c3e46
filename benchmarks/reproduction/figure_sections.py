"""Figure 4 and the times as Markdown."""

from collections.abc import Iterator

import pandas as pd

from reproduction import paper
from reproduction.markdown import NONE, markdown, number
from reproduction.single_runs import KMEANS, N_DRAWN, N_DRAWS
from reproduction.table_sections import found_methods

# Figure 4: the columns, and the item that each shows.
SELECTED = {
    "top three": "K-means, top three",
    "top three, raw": "K-means, top three, raw",
    "top group": "K-means, top group",
    "top group, raw": "K-means, top group, raw",
}
WEIGHT_OF = "weight of "
REFERENCE = {
    "all 147, raw": ("K-means, all, raw", "all"),
    "all 147, scaled": ("K-means, all", "all"),
    "19, 40, 61 (NDVI at three scales), raw": ("K-means, NDVI, raw", "top three"),
    "19, 40, 61, scaled": ("K-means, NDVI", "top three"),
    f"{N_DRAWN} at random, scaled (mean of {N_DRAWS} draws)": ("K-means, random", "top group"),
}


def weights_section(rows: pd.DataFrame) -> Iterator[str]:
    """The heaviest features, and the agreement of K-means with these alone."""
    numbers = ", ".join(map(str, paper.FIGURE4_TOP_FEATURES))
    three, group = number(paper.FIGURE4["top three"]), number(paper.FIGURE4["top group"])
    body = [["paper", "30", f"{numbers} (NDVI)", three, three, group, group, "28"]]
    methods = [method for method in found_methods("figure4", rows) if method != KMEANS]
    body += [weights_line(method, rows[rows.method == method]) for method in methods]
    header = ["method", "n", "heaviest features", *SELECTED, "features in top group"]
    yield markdown(header, body)
    yield (
        "Mean ARI of plain K-means with the heaviest features of each method only, scaled and raw. The paper "
        "does not say which of these it used: its number is in both columns."
    )
    yield from reference_section(rows)


def weights_line(method: str, rows: pd.DataFrame) -> list[str]:
    """One method's features."""
    mean = rows.groupby("item").value.mean()
    aris = [number(mean[item]) if item in mean else NONE for item in SELECTED.values()]
    size = f"{mean['size of top group']:.0f}"
    return [method, str(rows.seed.nunique()), ", ".join(heaviest(rows)), *aris, size]


def heaviest(rows: pd.DataFrame) -> list[str]:
    """The three features with the largest mean weight, with their numbers."""
    mean = rows.groupby("item").value.mean()
    weights = mean[mean.index.str.startswith(WEIGHT_OF)].sort_values(ascending=False, kind="stable")
    return [item.removeprefix(WEIGHT_OF) for item in weights.index[:3]]


def reference_section(rows: pd.DataFrame) -> Iterator[str]:
    """K-means on features that no method chose."""
    mine = rows[rows.method == KMEANS]
    if mine.empty:
        return
    mean = mine.groupby("item").value.mean()
    yield f"Plain K-means without any metric ({mine.seed.nunique()} seeds):"
    body = [
        [name, number(paper.FIGURE4[key]), number(mean[item])]
        for name, (item, key) in REFERENCE.items()
        if item in mean
    ]
    yield markdown(["features", "paper", "ARI"], body)


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


def loop_section(rows: pd.DataFrame) -> Iterator[str]:
    """Time of one loop of Algorithm 1 in each form, and that of the forest in the same run."""
    parts = sorted(rows.questions.unique())
    starts = [0, *parts[:-1]]
    body = [["paper", NONE, *(NONE for _ in parts), "8 s", ".05 s", "160"]]
    for method in found_methods("loop", rows):
        mine = rows[rows.method == method]
        means = mine.groupby("questions").seconds.mean()
        cells = [f"{means[at]:.3f} s" if at in means else NONE for at in parts]
        loop = (mine.seconds * mine.loops).sum() / mine.loops.sum()
        forest = mine.forest.median()
        runs = str(mine.seed.nunique())
        body.append([method, runs, *cells, f"{loop:.3f} s", f"{forest:.3f} s", f"{loop / forest:.1f}"])
    spans = [f"questions {start + 1}–{end}" for start, end in zip(starts, parts, strict=True)]
    yield markdown(["form", "runs", *spans, "all loops", "forest of 50 trees", "loop / forest"], body)
    yield (
        "A loop is one pass of step 1 of Algorithm 1: forest, choice of a row, one to K questions, "
        "augmentation, metric. The paper's times are those of its authors' machine (a laptop of 2017, four "
        "cores); ours are of one core. λ is chosen by cross-validation as printed; `general A` learns a full "
        "matrix."
    )
