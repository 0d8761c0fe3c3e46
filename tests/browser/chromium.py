"""A real headless Chromium: found on this machine, without background requests."""

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
# What root needs in a container, and no requests of the browser itself.
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
    """The path of Chromium."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise MissingBrowser(MISSING)
    return found


@contextmanager
def running_chromium() -> Iterator[Browser]:
    """One browser, until the end of the block."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS, env=dict(os.environ))
        yield browser
        browser.close()
