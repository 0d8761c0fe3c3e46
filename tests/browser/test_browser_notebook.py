"""The labeller in a real JupyterLab: rows are labelled by key, and the next cell has the result."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jupyter_lab import JupyterLab, Notebook
from playwright.sync_api import Browser, expect
from test_browser_looks import CONTRAST

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
CONTRAST_OF_WIDGET = f"""(least) => {{
    const contrast = {CONTRAST};
    return contrast(least, document.querySelector(".sameornot-labeller"));
}}"""
# Some pixel of the map has the colour of the first group in the present theme.
MAP_IS_DRAWN = """() => {
    const map = document.querySelector(".sameornot-labeller .map");
    const hue = getComputedStyle(map).getPropertyValue("--g1").trim();
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hue.slice(at, at + 2), 16));
    if (map.width === 0) return false;
    const { data } = map.getContext("2d").getImageData(0, 0, map.width, map.height);
    for (let at = 0; at < data.length; at += 4) {
        const isNear = [red, green, blue].every((value, n) => Math.abs(data[at + n] - value) < 3);
        if (isNear && data[at + 3] > 0) return true;
    }
    return false;
}"""


@pytest.fixture
def notebook(chromium: Browser, tmp_path: Path) -> Iterator[Notebook]:
    """A notebook whose first cell shows the widget; nothing is loaded from elsewhere."""
    options = {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"}
    with JupyterLab(tmp_path) as lab, chromium.new_context(**options) as context:
        elsewhere: list[str] = []
        context.on("request", lambda request: elsewhere.append(request.url))
        notebook = lab.open(context, [LABEL, RESULT])
        notebook.run(0)
        expect(notebook.labeller).to_be_visible()
        yield notebook
        assert [url for url in elsewhere if not url.startswith((lab.address, "data:", "blob:"))] == []


def test_a_session_is_labelled_in_jupyterlab(notebook):
    """One test, because starting a JupyterLab takes longer than all that it is used for."""
    check_labelling_by_key_and_the_result_in_the_next_cell(notebook)
    check_that_no_key_reaches_the_notebook(notebook)
    check_the_mouse_and_the_focus(notebook)
    check_the_theme(notebook)


def check_labelling_by_key_and_the_result_in_the_next_cell(notebook):
    status = notebook.labeller.get_by_test_id("status")
    click_beside_everything(notebook)
    for key in "sdu":
        notebook.answer(key)
    expect(status).to_contain_text("3 answers · 1 unsure")
    notebook.answer("z")
    expect(status).to_contain_text("2 answers")
    notebook.run(1)
    expect(notebook.text(1).first).to_contain_text("['same', 'different'] 60")
    expect(notebook.text(1).last).to_contain_text("SessionResult")


def check_that_no_key_reaches_the_notebook(notebook):
    cells = notebook.page.locator(".jp-Notebook .jp-Cell")
    n_cells = cells.count()
    click_beside_everything(notebook)
    for key in NOTEBOOK_KEYS:
        notebook.page.keyboard.press(key)
    notebook.answer("u")  # which comes after the others
    expect(cells).to_have_count(n_cells)
    expect(notebook.page.locator(".jp-Dialog")).to_have_count(0)


def check_the_mouse_and_the_focus(notebook):
    before = notebook.labeller.get_attribute("data-question")
    notebook.labeller.get_by_test_id("different").click()
    expect(notebook.labeller).not_to_have_attribute("data-question", before)
    assert notebook.labeller.evaluate("element => element.matches(':focus-within')")


def check_the_theme(notebook):
    """The widget has that of the notebook: its text is legible, and its map is drawn in the new colours."""
    seen = set()
    for theme in ("Light", "Dark"):
        notebook.set_theme(theme)
        expect(notebook.labeller).to_have_attribute("data-theme", theme.lower())
        notebook.page.wait_for_function(MAP_IS_DRAWN)
        found = notebook.page.evaluate(CONTRAST_OF_WIDGET, 4.5)
        assert found["faint"] == []
        assert found["nSeen"] > 20
        seen.add(notebook.labeller.evaluate("element => getComputedStyle(element).backgroundColor"))
    assert len(seen) == 2


def click_beside_everything(notebook):
    notebook.labeller.click(position={"x": 8, "y": 8})
