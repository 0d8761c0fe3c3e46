"""A process that serves the page again and again, for tests that kill it.

    python page_process.py TABLE STORE [at-once]

With `at-once`, no question is prepared ahead: on a busy machine, many people are then served sooner.

It imports all that a page needs once. For each line on its input it forks a server, which prints its process
number and its port; killed, it is reaped, and the next line starts the next one. So a restart costs
milliseconds, and what is killed is a whole server.
"""

import os
import sys
from pathlib import Path

from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import read_table
from sameornot.web.server import serve


def serve_page(table: str, where: str, *, ahead: bool) -> None:
    path = Path(table)
    options = Options(clusters=3)
    service = LabellingService.open(
        open_store(where), read_table(path), title="killed", path=path, options=options, ahead=ahead
    )
    serve(
        service, ready=lambda address: print(os.getpid(), address.rstrip("/").rpartition(":")[2], flush=True)
    )


def main(table: str, where: str, how: str = "ahead") -> None:
    for _ in sys.stdin:
        pid = os.fork()
        if pid == 0:
            serve_page(table, where, ahead=how == "ahead")
            os._exit(0)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
