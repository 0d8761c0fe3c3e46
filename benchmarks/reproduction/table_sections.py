"""Tables 1 to 3 and Figure 3 as Markdown: the paper's numbers beside each form of a method, and other runs.

A dash stands for missing rows; one replication has no deviation.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from reproduction import paper
from reproduction.columns import (
    COBRA,
    COLUMNS,
    OURS,
    PROPOSED,
    RIVALS,
    form,
    paper_cells,
    table_of,
)
from reproduction.compare import Gap, gap, summarise
from reproduction.markdown import NONE, markdown, mean_and_deviation, number
from reproduction.methods import RELEASED
from reproduction.plots.style import is_cobra
from reproduction.registry import EXPERIMENTS

TWO = 2.0  # standard errors: a difference of more is marked
ABOVE, BELOW = "↑", "↓"


def table_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """A table of the paper's: the proposed method, its rivals, COBRA, and other runs."""
    yield from comparison("The proposed method", name, rows, PROPOSED, COLUMNS)
    yield from comparison("Its rivals", name, rows, RIVALS, (RELEASED, OURS))
    yield from cobra_section(name, rows)
    others = rows[~rows.method.isin(shown_forms())]
    if len(others[~others.method.map(is_cobra)]):
        yield "Other runs:"
        yield curve_table(name, others, paper.QUESTIONS)


def shown_forms() -> set[str]:
    """The names that have a column."""
    found = {form(method, column) for method in (*PROPOSED, *RIVALS, COBRA) for column in COLUMNS}
    return {name for name in found if name is not None}


def comparison(
    title: str, name: str, rows: pd.DataFrame, methods: Sequence[str], columns: Sequence[str]
) -> Iterator[str]:
    """Each method after each number of questions: the paper, and every form of it that has rows."""
    body: list[list[str]] = []
    for method in methods:
        found = {column: rows[rows.method == form(method, column)] for column in columns}
        if any(len(mine) for mine in found.values()):
            body += comparison_lines(name, method, found)
    if body:
        yield f"{title}:"
        yield markdown(["method", "questions", "paper", *columns], body)


def comparison_lines(name: str, method: str, found: dict[str, pd.DataFrame]) -> Iterator[list[str]]:
    """The lines of one method; the first has the numbers of replications."""
    cells = paper_cells(name).get(method, {})
    counts = [str(mine.seed.nunique()) if len(mine) else NONE for mine in found.values()]
    yield [method, "n", str(paper.N_REPLICATIONS) if cells else NONE, *counts]
    for questions in paper.QUESTIONS:
        cell = cells.get(questions)
        here = [compared(mine[mine.checkpoint == questions].ari, cell) for mine in found.values()]
        yield ["", str(questions), mean_and_deviation(cell) if cell else NONE, *here]


def compared(values: pd.Series, cell: paper.Cell | None) -> str:
    """Mean and deviation, with an arrow if it is more than two standard errors from the paper's."""
    return shown(values) + (arrow(gap(values, cell)) if cell is not None and len(values) > 1 else "")


def arrow(found: Gap) -> str:
    """Above or below the paper; nothing if level with it."""
    if abs(found.in_errors) <= TWO:
        return ""
    return f" {ABOVE if found.in_errors > 0 else BELOW}"


def curve_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """Each method at each checkpoint; the paper has these as a picture only."""
    curves = rows[~rows.method.map(is_cobra)]
    if len(curves):
        yield curve_table(name, curves, sorted(curves.checkpoint.unique()))
    yield from cobra_section(name, rows)


def curve_table(name: str, rows: pd.DataFrame, checkpoints: Sequence[int]) -> str:
    """Mean and deviation of each method at each checkpoint."""
    body = []
    for method in found_methods(name, rows):
        mine = rows[rows.method == method]
        cells = [shown(mine[mine.checkpoint == q].ari) for q in checkpoints]
        body.append([method, str(mine.seed.nunique()), *cells])
    return markdown(["method", "n", *map(str, checkpoints)], body)


def found_methods(name: str, rows: pd.DataFrame) -> list[str]:
    """The methods that have rows, in the order of the experiment's runs; COBRA has its own table."""
    runs = [*EXPERIMENTS[name].runs, *EXPERIMENTS[name].extras]

    def rank(row: tuple[str, str]) -> tuple[int, bool, str]:
        run, method = row
        return runs.index(run) if run in runs else len(runs), method != run, method

    found = {(str(run), str(method)) for run, method in zip(rows.run, rows.method, strict=True)}
    return [method for _, method in sorted(found, key=rank) if not is_cobra(method)]


def shown(values: pd.Series) -> str:
    """Mean and standard deviation; a dash if there are no values."""
    if values.empty:
        return NONE
    mean, deviation = summarise(values)
    return f"{number(mean)} ({number(deviation) if len(values) > 1 else NONE})"


def counted(cell: paper.Cell, n_seeds: int = paper.N_REPLICATIONS) -> str:
    """Mean and standard deviation of a number of questions."""
    return f"{cell.mean:.0f} ({f'{cell.deviation:.0f}' if n_seeds > 1 else NONE})" if n_seeds else NONE


def cobra_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """COBRA by the number of super-instances, which decides how much it asks."""
    forms = {column: rows[rows.method == form(COBRA, column)] for column in (RELEASED, OURS)}
    sizes = sorted({size for mine in forms.values() for size in mine.checkpoint})
    if not sizes:
        return
    cells, theirs = paper_cells(name).get(COBRA, {}), cobra_questions(name)
    body = []
    for size in sizes:
        here = [mine[mine.checkpoint == size] for mine in forms.values()]
        asked = [counted(summarise(mine.asked), len(mine)) for mine in here]
        aris = [compared(mine.ari, cells.get(size)) for mine in here]
        cell = mean_and_deviation(cells[size]) if size in cells else NONE
        body.append([str(size), theirs.get(size, NONE), *asked, cell, *aris])
    counts = ", ".join(f"{column} {mine.seed.nunique()}" for column, mine in forms.items() if len(mine))
    yield f"COBRA (seeds: {counts}):"
    sides = [f"{what}, {whose}" for what in ("questions", "ARI") for whose in ("paper", *forms)]
    yield markdown(["super-instances", *sides], body)


def cobra_questions(name: str) -> dict[int, str]:
    """The numbers of questions that COBRA took in the paper, by the number of super-instances."""
    cells = paper.COBRA.get(table_of(name), {})
    return {size: counted(cell.questions) for size, cell in cells.items()}
