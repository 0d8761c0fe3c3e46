"""The Python on the pages of the guide runs, page by page, as it stands there."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = {"start.md"}  # followed step by step in test_start.py
PAGES = {
    f"{path.parent.name}/{path.name}": blocks
    for folder in ("guide", "method")
    for path in sorted((DOCS / folder).glob("*.md"))
    if path.name not in ELSEWHERE and (blocks := BLOCK.findall(path.read_text("utf-8")))
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace = {"__name__": "guide"}
    for block in PAGES[page]:
        exec(compile(block, page, "exec"), namespace)


def test_pages_with_python_are_found():
    assert len(PAGES) >= 5
