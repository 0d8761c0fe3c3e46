"""What each table and figure of the paper says, and whether each form of the method shows it.

A claim has a number or an order of the paper's. For each column that has rows there is a verdict: a word and
the numbers that it rests on. Two numbers are level if they differ by no more than two standard errors.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from reproduction import paper
from reproduction.columns import (
    DEFAULT,
    MEE,
    MPCKMEANS,
    NPU,
    OURS,
    form,
    forms,
    paper_cells,
    table_of,
)
from reproduction.compare import Gap, gaps_of, paired_test, summarise
from reproduction.figure_sections import heaviest
from reproduction.markdown import NONE, number
from reproduction.methods import PRINTED, RELEASED
from reproduction.single_runs import KMEANS, WITH, WITHOUT
from reproduction.table_sections import TWO, shown

Tables = Mapping[str, pd.DataFrame]
ONE_SEED = "one seed"  # too few to tell


class Claim(NamedTuple):
    """A statement of the paper's, its number, and a verdict for each column that has rows."""

    what: str
    paper: str
    verdicts: Mapping[str, str]


def claims(tables: Tables) -> Iterator[Claim]:
    """All claims of which something is known."""
    found = (
        *(claim for name in (*paper.TABLES, "table3-released") for claim in table_claims(name, tables)),
        *augmentation_claims(tables),
        *(claim for name in QUOTED for claim in quoted_claims(name, tables)),
        *weight_claims(tables),
        *loop_claims(tables),
    )
    return (claim for claim in found if claim.verdicts)


def table_claims(name: str, tables: Tables) -> Iterator[Claim]:
    """The levels of every method in a table, and the orders that the text stresses."""
    rows = tables[name]
    title = name.replace("table", "Table ").replace("-released", " (released centres)")
    lines = paper_cells(name)
    for method in sorted(lines, key=lambda method: method not in (MEE, NPU)):  # the proposed ones first
        cells = lines[method]
        verdicts = {}
        for column, named in forms(method):
            verdicts[column] = level(list(gaps_of(rows, named, cells).values()), len(cells))
        mean = np.mean([cell.mean for cell in cells.values()])
        yield Claim(f"{title}, {method}", f"mean {number(float(mean))}", without_missing(verdicts))
    for first, second in ((MEE, NPU), (MEE, MPCKMEANS), (NPU, MPCKMEANS)):
        if {first, second} <= set(paper.TABLES[table_of(name)]):
            yield lead_claim(title, name, rows, first, second)


def without_missing(verdicts: Mapping[str, str]) -> dict[str, str]:
    """The columns that have a verdict."""
    return {column: verdict for column, verdict in verdicts.items() if verdict}


def level(gaps: Sequence[Gap], n_cells: int) -> str:
    """Whether the cells of a line are level with the paper's; nothing without rows.

    Where some of its cells have no rows, the paper's mean of the others is shown too.
    """
    if not gaps:
        return ""
    mean = number(sum(g.ours.mean for g in gaps) / len(gaps))
    if len(gaps) < n_cells:
        mean += f" for {number(sum(g.paper.mean for g in gaps) / len(gaps))}"
    if min(g.n_seeds for g in gaps) < 2:
        return f"{ONE_SEED}: mean {mean}"
    below, above = (sum(sign * g.in_errors > TWO for g in gaps) for sign in (-1, 1))
    word = "mixed" if below and above else "lower" if below else "higher" if above else "level"
    distances = [g.in_deviations for g in gaps]
    counts = {
        "mixed": f" ({below} lower, {above} higher)",
        "lower": f" ({below} of {len(gaps)} cells)",
        "higher": f" ({above} of {len(gaps)} cells)",
    }
    span = f"{min(distances):+.1f} to {max(distances):+.1f} sd"
    return f"**{word}**{counts.get(word, '')}: mean {mean}, {span}"


def rival_form(column: str, method: str) -> str | None:
    """The rival that a column is compared with: as released with as released, else with ours."""
    return form(method, RELEASED if column == RELEASED else OURS)


def lead_claim(title: str, name: str, rows: pd.DataFrame, first: str, second: str) -> Claim:
    """How far one method is ahead of another, averaged over the cells, on the same seeds."""
    cells = paper_cells(name)
    theirs = {q: cells[first][q].mean - cells[second][q].mean for q in paper.QUESTIONS}
    verdicts = {}
    for column, named in forms(first):
        other = form(second, column) if second == NPU else rival_form(column, second)
        if other is not None and column != DEFAULT and (verdict := lead(rows, named, other)):
            asked = set(rows.checkpoint[rows.method == named]) & set(paper.QUESTIONS)
            there = f" for {np.mean([theirs[q] for q in asked]):+.3f}" if 0 < len(asked) < len(theirs) else ""
            verdicts[column] = verdict + there
    return Claim(f"{title}, {first} − {second}", f"{np.mean(list(theirs.values())):+.3f}", verdicts)


def lead(rows: pd.DataFrame, first: str, second: str) -> str:
    """Whether the first is ahead on the seeds that both have; nothing without such seeds."""
    if not len(rows) or not set(rows.seed[rows.method == first]) & set(rows.seed[rows.method == second]):
        return ""
    test = paired_test(rows, first, second)
    if test.n_seeds < 2:
        return f"{ONE_SEED}: {test.mean:+.3f}"
    is_level = abs(test.mean) <= TWO * test.error
    word = "level" if is_level else "ahead" if test.mean > 0 else "behind"
    return f"**{word}**: {test.mean:+.3f} ± {test.error:.3f}"


# Figure 2: what groups the rows, and the kind of rows in each column.
PAIRS = {
    "grouped by formula (5)": {PRINTED: "printed", OURS: "separable"},
    "grouped by K-means": {PRINTED: "printed K-means"},
}


def augmentation_claims(tables: Tables) -> Iterator[Claim]:
    """Figure 2: augmentation helps at every number of pairs."""
    rows = tables["figure2"]
    for how, kinds in PAIRS.items():
        verdicts = {column: augmentation_gain(rows, kind) for column, kind in kinds.items()}
        what = f"Figure 2, gain by augmentation, {how}"
        yield Claim(what, "above 0 everywhere", without_missing(verdicts))


def augmentation_gain(rows: pd.DataFrame, kind: str) -> str:
    """The mean gain, and at how many numbers of pairs it is positive."""
    first, second = f"{kind} {WITH}", f"{kind} {WITHOUT}"
    verdict = lead(rows, first, second)
    if not verdict:
        return ""
    means = rows.groupby(["method", "checkpoint"]).ari.mean()
    gains = (means[first] - means[second]).dropna()
    return f"{verdict}; positive at {(gains > 0).sum()} of {len(gains)} numbers of pairs"


QUOTED = {"figure3-cancer": "breast cancer", "figure3-meu": "MEU-Mobile", "figure3-urban": "urban land cover"}


def quoted_claims(name: str, tables: Tables) -> Iterator[Claim]:
    """Figure 3: the numbers that the text gives of one data set."""
    rows, title = tables[name], QUOTED[name]
    for (data, method, questions), value in paper.FIGURE3.items():
        if name == f"figure3-{data}":
            verdicts = {column: quoted(rows, named, questions, value) for column, named in forms(method)}
            what = f"Figure 3, {title}, {method} after {questions}"
            yield Claim(what, number(value), without_missing(verdicts))
    for (data, first, second, questions), share in paper.FIGURE3_RATIOS.items():
        if name == f"figure3-{data}":
            verdicts = {
                column: ratio(at(rows, named, questions), at(rows, other, questions), share)
                for column, named in forms(first)
                if (other := rival_form(column, second)) is not None
            }
            what = f"Figure 3, {title}, {first} over {second} after {questions}"
            yield Claim(what, f"{share:+.0%}", without_missing(verdicts))


def at(rows: pd.DataFrame, method: str, questions: int) -> pd.Series:
    """The ARI of a method's replications after so many questions."""
    if not len(rows):
        return pd.Series(dtype=float)
    return rows[(rows.method == method) & (rows.checkpoint == questions)].ari


def quoted(rows: pd.DataFrame, method: str, questions: int, value: float) -> str:
    """Our mean beside a number without a deviation, which is taken to be as variable as ours."""
    values = at(rows, method, questions)
    if values.empty:
        return ""
    mean, deviation = summarise(values)
    error = deviation * np.sqrt(1.0 / len(values) + 1.0 / paper.N_REPLICATIONS)
    return f"{judged(mean - value, error, len(values))}{shown(values)}"


def judged(difference: float, error: float, n_seeds: int) -> str:
    """The word for a difference from the paper; one replication has none."""
    if n_seeds < 2:
        return f"{ONE_SEED}: "
    word = "level" if abs(difference) <= TWO * error else "higher" if difference > 0 else "lower"
    return f"**{word}**: "


def ratio(first: pd.Series, second: pd.Series, share: float) -> str:
    """By how much the first mean exceeds the second, beside the paper's share."""
    if first.empty or second.empty:
        return ""
    (a, a_deviation), (b, b_deviation) = summarise(first), summarise(second)
    own = (a / b) * np.hypot(a_deviation / a / np.sqrt(len(first)), b_deviation / b / np.sqrt(len(second)))
    error = own * np.sqrt(2.0)  # the paper's own error is not known: taken to be like ours
    return f"{judged(a / b - 1.0 - share, error, min(len(first), len(second)))}{a / b - 1.0:+.1%}"


def weight_claims(tables: Tables) -> Iterator[Claim]:
    """Figure 4: which features weigh most, and what K-means finds with them."""
    rows = tables["figure4"]
    named = {column: rows[rows.method == name] for column, name in forms(MEE)} if len(rows) else {}
    mine = {column: found for column, found in named.items() if len(found)}
    numbers = ", ".join(map(str, paper.FIGURE4_TOP_FEATURES))
    top = {column: ", ".join(heaviest(found)) for column, found in mine.items()}
    yield Claim("Figure 4, heaviest features", f"{numbers} (NDVI)", top)
    for item in ("top three", "top group"):
        verdicts = {
            column: "; ".join(
                f"{how} {item_value(found, f'K-means, {item}{suffix}')}"
                for how, suffix in (("scaled", ""), ("raw", ", raw"))
            )
            for column, found in mine.items()
        }
        what = f"Figure 4, K-means on the {item}"
        yield Claim(what, number(paper.FIGURE4[item]), verdicts)
    reference = rows[rows.method == KMEANS] if len(rows) else rows
    if len(reference):
        both = [item_value(reference, item) for item in ("K-means, all, raw", "K-means, all")]
        found = {OURS: f"raw {both[0]}; scaled {both[1]}"}
        yield Claim("Figure 4, K-means on all features", number(paper.FIGURE4["all"]), found)


def item_value(rows: pd.DataFrame, item: str) -> str:
    """The mean of one item of Figure 4."""
    values = rows.value[rows["item"] == item]
    return number(values.mean()) if len(values) else NONE


def loop_claims(tables: Tables) -> Iterator[Claim]:
    """§4: how long one loop takes."""
    rows = tables["loop"]
    if len(rows):
        verdicts = {
            column: f"{(mine.seconds * mine.loops).sum() / mine.loops.sum():.2f} s"
            for column, name in forms(MEE)
            if len(mine := rows[rows.method == name])
        }
        yield Claim("§4, one loop at n = 300, p = 35, K = 5", "8 s", verdicts)
