"""`sameornot label` as a process of its own: started, spoken to through its address, ended or killed."""

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 120  # seconds; generous, for a loaded machine
TOKEN = "a-token-for-the-browser-tests"


class LabelCommand:
    """The command on one table; `home` holds the store, so that nothing outside of it is touched."""

    def __init__(self, home: Path, *arguments: object) -> None:
        self.home = home
        self.arguments = [str(argument) for argument in arguments]
        self.errors = home / "stderr.txt"
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        """Where the page is, with the token in it."""
        return f"http://127.0.0.1:{self.port}/?token={TOKEN}"

    def start(self) -> "LabelCommand":
        """Start it, again at the same address if it ran before, and wait until it says where it is."""
        program = Path(sys.executable).with_name("sameornot")
        command = [program, "label", *self.arguments, "--no-browser", "--token", TOKEN, "--port", self.port]
        surroundings = {**os.environ, "XDG_DATA_HOME": str(self.home), "OMP_NUM_THREADS": "1"}
        with self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=surroundings,
            )
        self.port = self._read_port(self.process)
        return self

    def kill(self) -> None:
        """kill -9: it has no time to save anything."""
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

    def _read_port(self, process: "subprocess.Popen[str]") -> int:
        assert process.stdout is not None
        end = time.monotonic() + PATIENCE
        said = ""
        while select.select([process.stdout], [], [], max(0.0, end - time.monotonic()))[0]:
            line = process.stdout.readline()
            said += line
            if found := re.search(r" is at http://127\.0\.0\.1:(\d+)/\?token=", line):
                return int(found[1])
            if line == "":
                break
        raise AssertionError(f"the command did not say where the page is: {said}{self.errors.read_text()}")
