"""Open a browser at an address without showing its token in the list of processes.

The command line of a browser is visible to every user of the computer. So the browser is given a file that
only this user may read, which leads to the address.
"""

import html
import os
import tempfile
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PAGE = '<!doctype html><meta charset="utf-8"><title>sameornot</title>'
PAGE += '<meta http-equiv="refresh" content="0;url={0}">'
PAGE += '<p><a href="{0}">Open the page</a></p>'


@contextmanager
def open_privately(address: str) -> Iterator[Path]:
    """Open a browser at an address; the file that leads there is removed at the end of the block."""
    descriptor, name = tempfile.mkstemp(prefix="sameornot-", suffix=".html")  # for this user only
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(PAGE.format(html.escape(address)))
        # On a thread: some browsers run in the terminal and return only when they are closed.
        threading.Thread(target=webbrowser.open, args=(path.as_uri(),), daemon=True).start()
        yield path
    finally:
        with suppress(OSError):
            path.unlink()
