"""The numbers of each experiment as Markdown, by its name; `report.py` puts the sections together."""

from collections.abc import Callable, Iterator, Mapping

import pandas as pd

from reproduction.columns import DEFAULT, MEE, MPCKMEANS, NPU, form
from reproduction.compare import paired_test
from reproduction.factor_sections import (
    TEST_HEADER,
    TEST_NOTE,
    regrouped_section,
    rivals_section,
    seeds_of,
    strategies_section,
    test_cells,
)
from reproduction.figure_sections import loop_section, speed_section, weights_section
from reproduction.markdown import markdown
from reproduction.methods import PRINTED, RELEASED
from reproduction.table_sections import curve_section, table_section
from reproduction.theory_sections import THEORY_SECTIONS

Section = Callable[[str, pd.DataFrame], Iterator[str]]


def number_section(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """The numbers of one experiment."""
    single: dict[str, Callable[[pd.DataFrame], Iterator[str]]] = {
        "figure4": weights_section,
        "speed": speed_section,
        "loop": loop_section,
        **THEORY_SECTIONS,
    }
    several: dict[str, Section] = {
        "table": table_section,
        "strategies": strategies_section,
        "rivals": rivals_section,
        "regrouped": regrouped_section,
    }
    if name in single:
        return single[name](rows)
    found = (section for start, section in several.items() if name.startswith(start))
    return next(found, curve_section)(name, rows)


def pairs() -> Iterator[tuple[str, str]]:
    """The methods that are held against each other."""
    yield from ((MEE, NPU), (MEE, MPCKMEANS), (NPU, MPCKMEANS))
    for column in (PRINTED, RELEASED):
        strategies = form(MEE, column), form(NPU, column)
        if strategies[0] is not None and strategies[1] is not None:
            yield strategies[0], strategies[1]
            yield MEE, strategies[0]
    if (default := form(MEE, DEFAULT)) is not None:
        yield default, MEE


def paired_section(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    """The strategies, the forms and the metrics against each other on the same data."""
    body = [
        [name, *test_cells(paired_test(rows, first, second))]
        for name, rows in tables.items()
        if name.startswith(("table", "figure3"))
        for first, second in pairs()
        if len(rows) and seeds_of(rows, first) & seeds_of(rows, second)
    ]
    if body:
        yield "## Paired by seed"
        yield TEST_NOTE
        yield markdown(["data", *TEST_HEADER], body)
