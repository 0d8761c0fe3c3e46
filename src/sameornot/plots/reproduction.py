"""All pictures of the reproduction, from a folder of rows."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sameornot.bench.experiments import EXPERIMENTS
from sameornot.bench.fewer import ELSEWHERE, RUNS, SETTINGS
from sameornot.bench.report import TABLES
from sameornot.bench.rows import RowFile
from sameornot.datasets import make_gaussian
from sameornot.plots.bench import draw_curves, draw_figure1, draw_figure2, draw_figure4, paper_points
from sameornot.plots.theory import draw_theory

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FIGURE3 = {
    "figure3-cancer": "Breast cancer",
    "figure3-meu": "MEU-Mobile",
    "figure3-urban": "Urban land cover",
}
# A picture with the variants too could not be read; their numbers are in the page's tables.
MAIN = (*EXPERIMENTS["table1"].runs, "Label and classify")
# The same terms for all; what the paper's accounting changes is in the page's tables.
COMPARED = (*(run for run in RUNS if "last asked" not in run), *ELSEWHERE)


def draw_reproduction(folder: Path) -> "Iterator[tuple[str, Figure]]":
    """Each picture that the rows are there for, with its name."""
    rows = {name: RowFile(folder / f"{name}.csv").read() for name in EXPERIMENTS}
    X, y = make_gaussian(n_samples=300, n_relevant=3, n_irrelevant=3, random_state=0)
    yield "figure1", draw_figure1(X, y)
    for name in TABLES:
        if len(rows[name]):
            yield name, _draw_panels(rows, {name: EXPERIMENTS[name].title})
    real = {name: title for name, title in FIGURE3.items() if len(rows[name])}
    if real:
        yield "figure3", _draw_panels(rows, real)
    ours = {s.title: RowFile(folder / f"fewer-{name}.csv").read() for name, s in SETTINGS.items()}
    if any(len(found) for found in ours.values()):
        yield (
            "fewer-questions",
            draw_curves({title: found for title, found in ours.items() if len(found)}, methods=COMPARED),
        )
    for name, draw in {"figure2": draw_figure2, "figure4": draw_figure4, "theory": draw_theory}.items():
        if len(rows[name]):
            yield name, draw(rows[name])


def _draw_panels(rows: "dict[str, pd.DataFrame]", titles: dict[str, str]) -> "Figure":
    panels = {title: _main_rows(rows[name]) for name, title in titles.items()}
    return draw_curves(panels, paper={title: paper_points(name) for name, title in titles.items()})


def _main_rows(rows: "pd.DataFrame") -> "pd.DataFrame":
    """The rows of the main methods; all if there are none."""
    main = rows[rows.method.isin(MAIN)]
    return main if len(main) else rows
