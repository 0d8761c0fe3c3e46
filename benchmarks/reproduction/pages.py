"""The generated pages with their pictures."""

from pathlib import Path

from generated import ROOT, record
from reproduction.plots.pictures import draw_pictures
from reproduction.plots.style import save_png
from reproduction.questions_report import write_page
from reproduction.report import FULL, QUICK, write_report

IMAGES = "images/reproduction"


def write_pages(rows: Path, docs: Path, *, quick: bool = False) -> None:
    """Write both pages and all pictures from a folder of rows."""
    images = docs / IMAGES
    images.mkdir(parents=True, exist_ok=True)
    for name, figure in draw_pictures(rows):
        save_png(figure, images / f"{name}.png")
    write_report(rows, docs / "reproduction.md", images=IMAGES, origin=QUICK if quick else FULL)
    write_page(rows, docs / "questions.md", images=IMAGES)
    if (rows.resolve(), docs.resolve()) == (ROOT / "benchmarks" / "rows", ROOT / "docs"):
        record("reproduction")
