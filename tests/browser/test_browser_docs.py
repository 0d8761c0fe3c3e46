"""The documentation site in a real browser: it fetches nothing from elsewhere, in both themes."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "docs-quick" / "html"
PAGES = (
    "index.html",
    "guide/start.html",
    "method/default.html",
    "api/generated/sameornot.ActiveSession.html",
    "gallery/index.html",
    "search.html",
)
HEADINGS = "h1"


@pytest.fixture(scope="module")
def site():
    """The site without pictures of the gallery; built only if something changed."""
    command = [sys.executable, "docs/make_site.py", "--quick"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return SITE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_request_leaves_the_site(chromium, site, scheme):
    elsewhere, errors = [], []
    with chromium.new_context(color_scheme=scheme) as context:
        page = context.new_page()
        page.on(
            "request", lambda request: elsewhere.append(request.url) if not is_local(request.url) else None
        )
        page.on("pageerror", lambda error: errors.append(str(error)))
        for name in PAGES:
            page.goto((site / name).as_uri())
            expect(page.locator(HEADINGS).first).to_be_visible()
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    assert elsewhere == []
    assert errors == []


def test_formulas_are_drawn_without_a_script(chromium, site):
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((site / "method" / "default.html").as_uri())
        formula = page.locator("div.math math").first
        expect(formula).to_be_visible()
        box = formula.bounding_box()
    assert box is not None
    assert box["height"] > 20


def is_local(url):
    return url.startswith((SITE.as_uri(), "data:"))
