"""`sameornot label` or `demo` as a process of its own: started, reached at its address, ended or killed."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

PATIENCE = 120  # seconds; generous, for a loaded machine
TOKEN = "a-token-for-the-browser-tests"


class PageCommand:
    """The command with its words; `home` holds the store, so that nothing outside of it is touched."""

    def __init__(self, home: Path, *words: object) -> None:
        self.home = home
        self.words = [str(word) for word in words]
        self.errors = home / "stderr.txt"
        self.address = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> "PageCommand":
        """Start it, again at the same port if it ran before, and wait until it says where the page is."""
        program = Path(sys.executable).with_name("sameornot")
        port = str(urlsplit(self.address).port or 0)
        surroundings = {"XDG_DATA_HOME": str(self.home), "SAMEORNOT_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"}
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [program, *self.words, "--no-browser", "--port", port],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | surroundings,
            )
        self.address = self._read_address(self.process)
        return self

    def kill(self) -> None:
        """Kill -9: it has no time to save anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ctrl-C, after which it has to end well and must not have complained; nothing if it was killed."""
        if self.process is None:
            return
        code = self._end(signal.SIGINT)
        assert (code, self.errors.read_text()) == (0, "")

    def _end(self, how: signal.Signals) -> int:
        assert self.process is not None
        process, self.process = self.process, None
        process.send_signal(how)
        code = process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()
        return code

    def _read_address(self, process: "subprocess.Popen[str]") -> str:
        assert process.stdout is not None
        end = time.monotonic() + PATIENCE
        said = ""
        while select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
            line = process.stdout.readline()
            said += line
            if found := re.search(r" is at (http://\S+)", line):
                return found[1]
            if line == "":
                break
        raise AssertionError(f"the command did not say where the page is: {said}{self.errors.read_text()}")
