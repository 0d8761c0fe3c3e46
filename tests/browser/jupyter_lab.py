"""A JupyterLab of its own as a process, and a notebook in it."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import BrowserContext, Locator, Page, expect

TIMEOUT = 120  # seconds; generous, for a loaded machine
TOKEN = "a-token-for-the-notebook-tests"
# Nothing is looked up elsewhere: no news, no updates, no catalogue of extensions.
OPTIONS = [
    f"--IdentityProvider.token={TOKEN}",
    "--no-browser",
    "--allow-root",
    "--port=0",
    "--LabApp.news_url=None",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.extension_manager=readonly",
    "--ServerApp.terminals_enabled=False",
]
# Nothing asks, and no language servers are looked for.
SETTINGS = {
    "jupyter_config_dir/jupyter_server_config.json": {
        "ServerApp": {"jpserver_extensions": {"jupyter_lsp": False, "jupyter_server_terminals": False}}
    },
    "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}


class JupyterLab:
    """The server; all that it writes lies in `home`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.log = home / "jupyter.log"

    def __enter__(self) -> "JupyterLab":
        folders = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "HOME")
        own = {name: str(self.home / name.lower()) for name in folders}
        for folder in own.values():
            Path(folder).mkdir(exist_ok=True)
        (self.home / "notebooks").mkdir(exist_ok=True)
        for name, setting in SETTINGS.items():
            (self.home / name).parent.mkdir(parents=True, exist_ok=True)
            (self.home / name).write_text(json.dumps(setting), "utf-8")
        own["JUPYTERLAB_SETTINGS_DIR"] = str(self.home / "settings")
        with self.log.open("w") as log:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "jupyterlab",
                    *OPTIONS,
                    f"--ServerApp.root_dir={self.home / 'notebooks'}",
                ],
                stdout=subprocess.DEVNULL,
                stderr=log,
                env=os.environ | own | {"OMP_NUM_THREADS": "1", "JUPYTER_PREFER_ENV_PATH": "1"},
            )
        try:
            self.address = self._wait_for_address()
        except AssertionError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(TIMEOUT)

    def _wait_for_address(self) -> str:
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end and self._process.poll() is None:
            if found := re.search(
                r"(http://(?:localhost|127\.0\.0\.1):\d+)/lab", self.log.read_text("utf-8")
            ):
                return found[1]
            select.select([], [], [], 0.05)
        raise AssertionError(f"JupyterLab did not start: {self.log.read_text('utf-8')}")

    def open(self, context: BrowserContext, cells: list[str], view: str = "lab") -> "Notebook":
        """A notebook with these cells, none of them run; the view "doc" shows it alone."""
        name = f"notebook-{time.monotonic_ns()}.ipynb"
        content = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}},
            "cells": [
                {
                    "id": f"cell-{n}",
                    "cell_type": "code",
                    "source": source,
                    "metadata": {},
                    "outputs": [],
                    "execution_count": None,
                }
                for n, source in enumerate(cells)
            ],
        }
        (self.home / "notebooks" / name).write_text(json.dumps(content), "utf-8")
        page = context.new_page()
        page.set_default_timeout(TIMEOUT * 1000)
        page.goto(f"{self.address}/{view}/tree/{name}?token={TOKEN}&reset")
        # What is run before the kernel is there is lost.
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        return Notebook(page)


class Notebook:
    """A notebook in the browser."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def cell(self, n: int) -> Locator:
        """The n-th cell, from 0."""
        return self.page.locator(".jp-Notebook .jp-CodeCell").nth(n)

    def run(self, n: int) -> None:
        """Run a cell by Shift+Enter."""
        self.cell(n).locator(".cm-content").click()
        self.page.keyboard.press("Shift+Enter")

    def text(self, n: int) -> Locator:
        """The text that a cell has printed or shown."""
        return self.cell(n).locator(".jp-OutputArea-output")

    @property
    def labeller(self) -> Locator:
        """The widget."""
        return self.page.get_by_test_id("labeller")

    @property
    def rows(self) -> list[int]:
        """The rows of the question: the record, then what it is compared with."""
        heads = self.labeller.locator("thead th[data-row]")
        return [int(row) for row in heads.evaluate_all("heads => heads.map((head) => head.dataset.row)")]

    def answer(self, key: str) -> None:
        """Press a key in the widget, and wait for the next question."""
        before = self.labeller.get_attribute("data-question")
        self.page.keyboard.press(key)
        expect(self.labeller).not_to_have_attribute("data-question", before or "")

    def set_theme(self, name: str) -> None:
        """Choose the light or the dark theme in the menu."""
        for label in ("Settings", "Theme", f"JupyterLab {name}"):
            self.page.locator(".lm-Menu-itemLabel, .lm-MenuBar-itemLabel").get_by_text(
                label, exact=True
            ).click()
        expect(self.page.locator("body")).to_have_attribute(
            "data-jp-theme-light", str(name == "Light").lower()
        )
