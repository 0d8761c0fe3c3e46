"""The documentation site builds without warnings, and every link inside of it leads somewhere."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs" / "_ext"))

from links import broken_links  # noqa: E402


@pytest.mark.slow
def test_site_builds_without_warnings_and_all_links_lead_somewhere():
    """The build is kept in build/docs-quick: from nothing it takes most of a minute, else seconds."""
    command = [sys.executable, "docs/make_site.py", "--quick"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert (ROOT / "build/docs-quick/html/index.html").is_file()


PAGES = {
    "index.html": '<a href="other.html#here">1</a><a href="#top">2</a><h1 id="top">T</h1>',
    "other.html": '<p id="here"><a href="https://elsewhere.org/page">a click away</a></p>',
}


@pytest.fixture
def site(tmp_path):
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_good_site_has_no_broken_link(site):
    assert broken_links(site) == []


@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ('<a href="gone.html">x</a>', "the link gone.html leads to no file"),
        ('<img src="gone.png">', "the link gone.png leads to no file"),
        ('<a href="other.html#gone">x</a>', "the link other.html#gone leads to no such place"),
        ('<a href="#gone">x</a>', "the link #gone leads to no such place"),
        ('<script src="https://cdn.org/a.js"></script>', "loads https://cdn.org/a.js from elsewhere"),
        ('<link rel="stylesheet" href="//cdn.org/a.css">', "loads //cdn.org/a.css from elsewhere"),
    ],
)
def test_a_broken_link_or_a_file_from_elsewhere_is_found(site, html, problem):
    with (site / "index.html").open("a") as page:
        page.write(html)
    assert broken_links(site) == [f"index.html: {problem}"]
