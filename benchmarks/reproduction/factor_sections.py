"""What single differences change, as Markdown: strategies, the rivals' settings, and regrouped answers."""

from collections.abc import Iterator

import pandas as pd

from reproduction import paper
from reproduction.columns import MEE
from reproduction.compare import PairedTest, factor_test, paired_test
from reproduction.factors import ASKING, FACTORS, LEVELS, PER_QUESTION, RIVAL, Asking
from reproduction.markdown import NONE, markdown, mean_and_deviation
from reproduction.table_sections import curve_table, found_methods, shown

TEST_HEADER = ["difference", "seeds", "mean", "p (t)", "p (Wilcoxon)", "ahead"]
TEST_NOTE = (
    "ARI averaged over the checkpoints, difference ± standard error over seeds; p of the paired t-test and "
    "of Wilcoxon's signed-rank test; share of seeds in which the first is ahead."
)


def test_cells(test: PairedTest) -> list[str]:
    """One comparison; a single seed has neither standard error nor p."""
    mean_and_p = [f"{test.mean:+.3f}", NONE, NONE]
    if test.n_seeds > 1:
        mean_and_p = [f"{test.mean:+.3f} ± {test.error:.3f}", f"{test.p_t:.2g}", f"{test.p_wilcoxon:.2g}"]
    named = f"{test.first} − {test.second}"
    return [named, str(test.n_seeds), *mean_and_p, f"{test.share_ahead:.0%}"]


def seeds_of(rows: pd.DataFrame, method: str) -> set[int]:
    """The seeds that a method has rows of."""
    return set(rows.seed[rows.method == method])


def strategies_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """Agreement, rows placed a question, and what MEE and each part of NPU change."""
    yield "AQM with our defaults and no penalty; mean ARI (standard deviation):"
    yield curve_table(name, rows, sorted(rows.checkpoint.unique()))
    yield "Rows placed in a group for each question asked:"
    yield placed_table(name, rows)
    tests = list(strategy_tests(rows))
    if tests:
        yield TEST_NOTE
        yield markdown(TEST_HEADER, [test_cells(test) for test in tests])


def placed_table(name: str, rows: pd.DataFrame) -> str:
    """Rows placed over questions asked, up to each checkpoint."""
    rows = rows.assign(rate=rows.placed / rows.asked)
    checkpoints = sorted(rows.checkpoint.unique())
    body = []
    for method in found_methods(name, rows):
        means = rows[rows.method == method].groupby("checkpoint").rate.mean()
        body.append([method, *(f"{means[q]:.2f}" if q in means else NONE for q in checkpoints)])
    return markdown(["strategy", *map(str, checkpoints)], body)


def strategy_tests(rows: pd.DataFrame) -> Iterator[PairedTest]:
    """MEE against each way of NPU, what sorting and the tie rule change, and the variant of MEE."""
    names = [way.name for way in ASKING]
    pairs = [(MEE, name) for name in names] + [(PER_QUESTION, MEE), (PER_QUESTION, names[0])]
    for first, second in pairs:
        if seeds_of(rows, first) & seeds_of(rows, second):
            yield paired_test(rows, first, second)
    sorting = {Asking("sorted", way.ties).name: Asking("unsorted", way.ties).name for way in ASKING}
    breaking = {Asking(way.cost, "random tie").name: Asking(way.cost, "first tie").name for way in ASKING}
    for first_level, second_level, changed in (
        ("sorted cost", "unsorted cost", sorting),
        ("random tie", "first tie", breaking),
    ):
        if (test := factor_test(rows, changed, first_level, second_level)) is not None:
            yield test


def rivals_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """PCKMeans + NPU in every combination of the factors, and what each factor changes on average."""
    checkpoints = sorted(rows.checkpoint.unique())
    cells = dict(zip(paper.QUESTIONS, paper.TABLES["table1"][RIVAL], strict=True))
    theirs = [mean_and_deviation(cells[q]) if q in cells else NONE for q in checkpoints]
    body = [["paper", "", "", "", str(paper.N_REPLICATIONS), *theirs]]
    for levels in LEVELS:
        mine = rows[rows.method == levels.name]
        if len(mine):
            values = [shown(mine[mine.checkpoint == q].ari) for q in checkpoints]
            body.append([*levels, str(mine.seed.nunique()), *values])
    yield markdown([*FACTORS, "n", *map(str, checkpoints)], body)
    yield (
        "The price of a violated constraint is 1 in squared units of the features (`price in units`, the "
        "released code's) or the total variance of the rows. The last line has the released code's level of "
        "every factor."
    )
    tests = [test for factor in FACTORS if (test := rival_test(rows, factor)) is not None]
    if tests:
        yield f"Main effects, averaged over all combinations of the other factors. {TEST_NOTE}"
        yield markdown(TEST_HEADER, [test_cells(test) for test in tests])


def rival_test(rows: pd.DataFrame, factor: str) -> PairedTest | None:
    """Our level of a factor against the released code's."""
    ours, theirs = FACTORS[factor]
    first = {
        levels.name: levels._replace(**{factor: theirs}).name
        for levels in LEVELS
        if getattr(levels, factor) == ours
    }
    return factor_test(rows, first, ours, theirs)


def regrouped_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """The answers of each run, grouped by every clusterer."""
    checkpoints = sorted(rows.checkpoint.unique())
    body = []
    for method in found_methods(name, rows):
        mine = rows[rows.method == method]
        run = str(mine.run.iloc[0])
        grouped = method.partition(" (")[0] if method != run else run.partition(" + ")[0]
        values = [shown(mine[mine.checkpoint == q].ari) for q in checkpoints]
        body.append([run, grouped, str(mine.seed.nunique()), *values])
    yield markdown(["answers of", "grouped by", "n", *map(str, checkpoints)], body)
