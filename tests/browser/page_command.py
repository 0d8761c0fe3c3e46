"""`sameornot label` or `demo` as a process: started, stopped or killed."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

TIMEOUT = 120  # seconds; generous, for a loaded machine
TOKEN = "a-token-for-the-browser-tests"


class PageCommand:
    """The command with its arguments; the store is in `home`, so that nothing else is changed."""

    def __init__(self, home: Path, *arguments: object) -> None:
        self.home = home
        self.arguments = [str(word) for word in arguments]
        self.errors = home / "stderr.txt"
        self.address = ""
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> "PageCommand":
        """Start it, at the same port as before if it ran already, and wait for its address."""
        program = Path(sys.executable).with_name("sameornot")
        port = str(urlsplit(self.address).port or 0)
        environment = {"XDG_DATA_HOME": str(self.home), "SAMEORNOT_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"}
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [program, *self.arguments, "--no-browser", "--port", port],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=os.environ | environment,
            )
        self.address = self._read_address(self.process)
        return self

    def kill(self) -> None:
        """Send SIGKILL: it cannot save anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Send Ctrl-C; it has to exit with 0 and without error output. Does nothing after `kill`."""
        if self.process is None:
            return
        code = self._end(signal.SIGINT)
        assert (code, self.errors.read_text()) == (0, "")

    def _end(self, how: signal.Signals) -> int:
        assert self.process is not None
        process, self.process = self.process, None
        process.send_signal(how)
        code = process.wait(TIMEOUT)
        assert process.stdout is not None
        process.stdout.close()
        return code

    def _read_address(self, process: "subprocess.Popen[str]") -> str:
        assert process.stdout is not None
        end = time.monotonic() + TIMEOUT
        said = ""
        while select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
            line = process.stdout.readline()
            said += line
            if found := re.search(r" is at (https?://\S+)", line):
                return found[1]
            if line == "":
                break
        raise AssertionError(f"the command did not print the address: {said}{self.errors.read_text()}")
