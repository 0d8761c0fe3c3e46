"""The columns of the comparison: under which name each form of a method has its rows.

The rivals have no printed form of their own: the paper takes them from packages.
"""

from collections.abc import Iterator

from reproduction import paper
from reproduction.methods import ENSEMBLE, PRINTED, RELEASED, in_form

OURS, DEFAULT = "ours", "our default"
COLUMNS = (PRINTED, RELEASED, OURS, DEFAULT)

MEE, NPU = "AQM + MEE", "AQM + NPU"
PROPOSED = (MEE, NPU)
MPCKMEANS = "MPCKMeans + NPU"
RIVALS = ("PCKMeans + NPU", "COPKMeans + NPU", MPCKMEANS, "COBRAS")
COBRA = "COBRA"

FORMS: dict[str, dict[str, str]] = {
    **{name: {PRINTED: in_form(name, PRINTED), RELEASED: in_form(name, RELEASED)} for name in PROPOSED},
    **{name: {RELEASED: in_form(name, RELEASED)} for name in RIVALS},
    **{name: {RELEASED: in_form(name, "raw")} for name in ("COBRAS", COBRA)},
}


def form(method: str, column: str) -> str | None:
    """The name of a method's rows in a column; None if it has no such form."""
    if column == DEFAULT:
        return ENSEMBLE if method == MEE else None
    return method if column == OURS else FORMS.get(method, {}).get(column)


def forms(method: str) -> Iterator[tuple[str, str]]:
    """Each column that a method has, with the name of its rows."""
    for column in COLUMNS:
        if (name := form(method, column)) is not None:
            yield column, name


def table_of(experiment: str) -> str:
    """The table of the paper that an experiment is compared with, such as that of `table1-unmixed`."""
    table = experiment.partition("-")[0]
    return table if table in paper.TABLES else experiment


def paper_cells(experiment: str) -> dict[str, dict[int, paper.Cell]]:
    """The paper's cells of a table, by method and questions; COBRA's by the number of super-instances."""
    table = table_of(experiment)
    cells = {
        method: dict(zip(paper.QUESTIONS, line, strict=True))
        for method, line in paper.TABLES.get(table, {}).items()
    }
    if table in paper.COBRA:
        cells[COBRA] = {size: cell.ari for size, cell in paper.COBRA[table].items()}
    return cells
