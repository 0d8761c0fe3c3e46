"""All pictures of the reproduction, from a folder of rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from reproduction.columns import COBRA, MEE, NPU, RIVALS, forms
from reproduction.experiments import EXPERIMENTS
from reproduction.plots.curves import draw_curves, paper_points
from reproduction.plots.figures import draw_figure1, draw_figure2, draw_figure4
from reproduction.plots.theorem1 import draw_theorem1
from reproduction.plots.theory import draw_theory
from reproduction.questions import OTHER_PACKAGES, RUNS, SETTINGS, rows_name
from reproduction.report import TABLES
from reproduction.rows import RowFile
from sameornot.datasets import make_gaussian

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FIGURE3 = {
    "figure3-cancer": "Breast cancer",
    "figure3-meu": "MEU-Mobile",
    "figure3-urban": "Urban land cover",
}
# A picture that also had the other forms would be unreadable; their numbers are in the tables of the page.
MAIN = (MEE, *(name for _, name in forms(MEE)), NPU, *RIVALS, COBRA)
# All with the last answer inferred; what changes if it is asked is in the tables of the page.
COMPARED = (*(run for run in RUNS if "last asked" not in run), *OTHER_PACKAGES)


def draw_pictures(folder: Path) -> "Iterator[tuple[str, Figure]]":
    """Each picture that has rows, with its name."""
    rows = {name: RowFile(folder / f"{name}.csv").read() for name in EXPERIMENTS}
    X, y = make_gaussian(n_samples=300, n_relevant=3, n_irrelevant=3, random_state=0)
    yield "figure1", draw_figure1(X, y)
    for name in TABLES:
        if len(rows[name]):
            yield name, _draw_panels(rows, {name: EXPERIMENTS[name].title})
    real = {name: title for name, title in FIGURE3.items() if len(rows[name])}
    if real:
        yield "figure3", _draw_panels(rows, real)
    tables = {s.title: RowFile(folder / f"{rows_name(name)}.csv").read() for name, s in SETTINGS.items()}
    found = {title: table for title, table in tables.items() if len(table)}
    if found:
        yield "questions", draw_curves(found, methods=COMPARED)
    others = {
        "figure2": draw_figure2,
        "figure4": draw_figure4,
        "theory": draw_theory,
        "theorem1": draw_theorem1,
    }
    for name, draw in others.items():
        if len(rows[name]):
            yield name, draw(rows[name])


def _draw_panels(rows: "dict[str, pd.DataFrame]", titles: dict[str, str]) -> "Figure":
    panels = {title: _main_rows(rows[name]) for name, title in titles.items()}
    return draw_curves(panels, paper={title: paper_points(name) for name, title in titles.items()})


def _main_rows(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The rows of the main methods; all if there are none."""
    main = rows[rows.method.isin(MAIN)]
    return main if len(main) else rows
