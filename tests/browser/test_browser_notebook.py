"""The labeller in a real JupyterLab: rows are labelled by key, and the next cell has the result."""

from collections.abc import Iterator

import pytest
from jupyter_lab import JupyterLab, Notebook
from playwright.sync_api import Browser, expect

LABEL = """
from sameornot import ActiveSession
from sameornot.datasets import make_gaussian
X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
session = ActiveSession(X, n_clusters=3, random_state=0)
session.label()
"""
RESULT = """
print([reply.answer.value for reply in session.answers], len(session.result().labels))
session.result()
"""
# The notebook's own keys in command mode: undo and cut cells, restart the kernel, make a heading.
NOTEBOOK_KEYS = ("z", "x", "0", "0", "1")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterLab]:
    with JupyterLab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="module")
def notebook(chromium: Browser, lab: JupyterLab) -> Iterator[Notebook]:
    """A notebook whose first cell shows the widget; nothing is loaded from elsewhere."""
    with chromium.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light") as context:
        elsewhere: list[str] = []
        context.on("request", lambda request: elsewhere.append(request.url))
        notebook = lab.open(context, [LABEL, RESULT])
        notebook.run(0)
        expect(notebook.labeller).to_be_visible()
        yield notebook
        assert [url for url in elsewhere if not url.startswith((lab.address, "data:", "blob:"))] == []


def test_rows_are_labelled_by_key_and_the_next_cell_has_the_result(notebook):
    notebook.labeller.click(position={"x": 8, "y": 8})
    for key in "sdu":
        notebook.answer(key)
    expect(notebook.labeller.get_by_test_id("status")).to_contain_text("3 answers · 1 unsure")
    notebook.answer("z")
    expect(notebook.labeller.get_by_test_id("status")).to_contain_text("2 answers")
    notebook.run(1)
    expect(notebook.text(1).first).to_contain_text("['same', 'different'] 60")
    expect(notebook.text(1).last).to_contain_text("SessionResult")


def test_keys_of_the_notebook_do_not_reach_it_from_the_widget(notebook):
    cells = notebook.page.locator(".jp-Notebook .jp-Cell")
    n_cells = cells.count()
    notebook.labeller.click(position={"x": 8, "y": 8})
    for key in NOTEBOOK_KEYS:
        notebook.page.keyboard.press(key)
    notebook.answer("u")  # which comes after the others
    expect(cells).to_have_count(n_cells)
    expect(notebook.page.locator(".jp-Dialog")).to_have_count(0)


def test_the_mouse_answers_too_and_the_focus_stays_in_the_widget(notebook):
    before = notebook.labeller.get_attribute("data-question")
    notebook.labeller.get_by_test_id("different").click()
    expect(notebook.labeller).not_to_have_attribute("data-question", before)
    assert notebook.labeller.evaluate("element => element.matches(':focus-within')")


def test_it_has_the_theme_of_the_notebook(notebook):
    backgrounds = set()
    for theme in ("Light", "Dark"):
        notebook.set_theme(theme)
        expect(notebook.labeller).to_have_attribute("data-theme", theme.lower())
        backgrounds.add(notebook.labeller.evaluate("element => getComputedStyle(element).backgroundColor"))
    assert len(backgrounds) == 2
