"""The file that a browser is opened with leads to the page, with the token exchanged for a cookie."""

import webbrowser

import pytest
from labeller import VIEWPORT

from sameornot.web.browser import open_privately

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_private_file_leads_to_the_page(chromium, plants, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: None)
    with chromium.new_context(viewport=VIEWPORT) as context, open_privately(plants.address) as path:
        page = context.new_page()
        page.goto(path.as_uri())
        page.wait_for_url(plants.address.partition("?")[0])
        page.locator("#question, main").first.wait_for()
        assert "token" not in page.url
        assert page.request.get(f"{page.url}api/state").status == 200
