"""The labeller in a real JupyterLab, in Chromium: the pictures of docs/images/notebook.

    python benchmarks/notebook_screenshots.py

Light: the breast cancer table, answered by the diagnosis, with the result in the next cell. Dark: handwritten
digits, shown as images and answered as choices among groups.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from sklearn.datasets import load_digits

from generated import record
from sameornot.datasets import load_breast_cancer
from screenshots import SHARP, save

sys.path.append(str(Path(__file__).parents[1] / "tests" / "browser"))
from chromium import running_chromium
from jupyter_lab import JupyterLab, Notebook
from playwright.sync_api import Browser, expect

PICTURES = Path(__file__).parents[1] / "docs" / "images" / "notebook"
N_PAIRS, N_CHOICES, N_DIGITS = 14, 6, 600
TUMOURS = [
    """from sameornot import ActiveSession
from sameornot.datasets import load_breast_cancer

X, diagnosis = load_breast_cancer()
session = ActiveSession(X, n_clusters=2, random_state=0)
session.label(records=X.assign(diagnosis=diagnosis))""",
    "session.result()",
]
DIGITS = [
    f"""import pandas as pd
from sklearn.datasets import load_digits
from sameornot import ActiveSession

X, digit = load_digits(n_class=6, return_X_y=True)
X = X[:{N_DIGITS}]
scans = pd.DataFrame({{"scan": [255 - pixels.reshape(8, 8) * 15 for pixels in X], "ink": X.sum(axis=1)}})
session = ActiveSession(X, n_clusters=6, random_state=0)
session.label(records=scans, image="scan", budget=60)"""
]


def main() -> None:
    with tempfile.TemporaryDirectory() as home, running_chromium() as browser, JupyterLab(Path(home)) as lab:
        take_tumours(browser, lab)
        take_digits(browser, lab)
    record("notebook")


def take_tumours(browser: Browser, lab: JupyterLab) -> None:
    _, diagnosis = load_breast_cancer()
    with browser.new_context(
        viewport={"width": 1100, "height": 1010}, color_scheme="light", **SHARP
    ) as context:
        notebook = start(lab.open(context, TUMOURS, view="doc"))
        for _ in range(N_PAIRS):
            notebook.answer(right_key(notebook, diagnosis.__getitem__))
        notebook.run(1)
        expect(notebook.text(1).last).to_contain_text("SessionResult")
        focus(notebook)
        take(notebook, "light")


def take_digits(browser: Browser, lab: JupyterLab) -> None:
    _, digit = load_digits(n_class=6, return_X_y=True)
    with browser.new_context(viewport={"width": 1100, "height": 800}, **SHARP) as context:
        notebook = start(lab.open(context, DIGITS, view="doc"))
        notebook.set_theme("Dark")
        focus(notebook)
        n_choices = 0
        while n_choices < N_CHOICES or notebook.labeller.get_attribute("data-kind") != "choice":
            n_choices += notebook.labeller.get_attribute("data-kind") == "choice"
            notebook.answer(right_key(notebook, digit.__getitem__))
        take(notebook, "dark")


def start(notebook: Notebook) -> Notebook:
    notebook.run(0)
    expect(notebook.labeller).to_be_visible()
    focus(notebook)
    return notebook


def focus(notebook: Notebook) -> None:
    notebook.labeller.click(position={"x": 6, "y": 6})


def right_key(notebook: Notebook, truth: Callable[[int], object]) -> str:
    """The key of the right answer to the question that is shown."""
    left, *others = map(truth, notebook.rows)
    if notebook.labeller.get_attribute("data-kind") == "choice":
        return str(others.index(left) + 1) if left in others else "0"
    return "s" if others == [left] else "d"


def take(notebook: Notebook, name: str) -> None:
    notebook.page.mouse.move(0, 0)
    notebook.page.wait_for_load_state("networkidle")
    notebook.page.wait_for_timeout(500)  # a click's effects fade
    save(notebook.page.locator(".jp-NotebookPanel-notebook").screenshot(), PICTURES / f"{name}.png")


if __name__ == "__main__":
    main()
