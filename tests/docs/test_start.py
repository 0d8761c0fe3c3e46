"""Who follows docs/guide/start.md literally reaches a labelled table: its commands, in a new environment."""

import os
import re
import shlex
import shutil
import signal
import site
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import IO

import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "guide"
PAGE = (GUIDE / "start.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
COMMANDS = [line for language, text in BLOCKS if language == "sh" for line in text.splitlines()]
PYTHON = next(text for language, text in BLOCKS if language == "python")
SOURCES = ("src", "pyproject.toml", "README.md", "LICENSE")
PROMPT = "\n> "


class Newcomer:
    """A folder with the project and the table, and the commands of the page run in it, one by one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in SOURCES:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        shutil.copy(GUIDE / "plants.csv", folder)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "COLUMNS": "120",
            # The dependencies are those of the tests: nothing is downloaded.
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        plants = pd.read_csv(folder / "plants.csv", index_col="plant")
        self.kinds = pd.cut(plants.height_cm, [0, 15, 28, 50], labels=False)

    def start(self, command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            shlex.split(command),
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> str:
        process = self.start(command)
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, f"{command}\n{output}"
        return output

    def lend_packages(self) -> None:
        """Let the new environment see the packages of this one, but for sameornot itself."""
        (target,) = (self.folder / ".venv").glob("lib/python*/site-packages")
        (target / "lent.pth").write_text("\n".join(site.getsitepackages()))

    def open_page(self, command: str) -> None:
        """Start the page, load it at the address that is printed, and press Ctrl-C."""
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with self.start(command) as process:
            try:
                address = re.search(r"http://\S+", process.stdout.readline())
                assert address, "no address was printed"
                with browser.open(address[0]) as page:
                    assert b"sameornot" in page.read()
            finally:
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=30)

    def answer(self, command: str, n_answers: int) -> None:
        """Answer in the terminal by the kinds of the two plants that are shown."""
        with self.start(command) as process:
            for _ in range(n_answers):
                left, right = re.findall(r"\bP\d\d\b", read_to_prompt(process.stdout))[:2]
                process.stdin.write("s\n" if self.kinds[left] == self.kinds[right] else "d\n")
                process.stdin.flush()
            output, _ = process.communicate("q\n", timeout=30)
        assert process.returncode == 0, output


def read_to_prompt(stream: IO[str]) -> str:
    """What is printed until an answer is waited for."""
    shown = ""
    while not shown.endswith(PROMPT):
        letter = stream.read(1)
        assert letter, f"it ended with: {shown}"
        shown += letter
    return shown


@pytest.mark.slow
def test_who_follows_the_page_reaches_a_labelled_table(tmp_path):
    newcomer = Newcomer(tmp_path)
    steps = {"-m venv": [], "pip install": [], " label ": [], " ask ": [], "": []}
    for command in COMMANDS:
        next(found for part, found in steps.items() if part in command).append(command)
    (venv,), (install,), (label,), (ask,), others = steps.values()
    newcomer.run(venv)
    newcomer.lend_packages()
    newcomer.run(install)
    newcomer.open_page(label)
    newcomer.answer(ask, 12)
    for command in others:
        newcomer.run(command)
    labels = pd.read_csv(tmp_path / "labels.csv")
    assert adjusted_rand_score(newcomer.kinds, labels.group) == 1.0
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert (tmp_path / "plants-groups.csv").is_file()
    newcomer.run(f".venv/bin/python -c {shlex.quote(PYTHON)}")


def test_the_table_on_the_page_is_the_one_that_is_followed():
    assert "plants.csv" in PAGE
    assert len(pd.read_csv(GUIDE / "plants.csv")) == 24
    assert sys.version_info >= (3, 11)
