"""A real Chromium without a window: found on this machine, told to keep to itself."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
MISSING = (
    "the tests of the page need Chromium, and none was found: install it so that one of "
    f"{', '.join(NAMES)} can be called"
)
# Only what root needs in a container, and what keeps the browser itself from calling its maker.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


class MissingBrowser(RuntimeError):
    """There is no Chromium on this machine."""


def find_chromium() -> str:
    """Where Chromium is."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise MissingBrowser(MISSING)
    return found


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """One browser, until the block is left."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, env=dict(os.environ))
        yield browser
        browser.close()
