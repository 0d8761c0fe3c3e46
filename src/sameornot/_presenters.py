"""Methods that show an object: declared in low layers, implemented in high ones, found by name when called.

`session.label()` belongs to the session for whoever types it, but a session knows nothing of widgets, figures
or HTML. This table is the only way by which a low layer reaches a higher one, and only to show something.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

PRESENTERS = {
    "constraints_html": "sameornot.notebook.html",
    "draw_result": "sameornot.plots",
    "make_labeller": "sameornot.notebook",
    "result_html": "sameornot.notebook.html",
    "session_html": "sameornot.notebook.html",
}


def presenter(name: str) -> Callable[..., Any]:
    """The function of this name, whose module is imported now."""
    found: Callable[..., Any] = getattr(import_module(PRESENTERS[name]), name)
    return found
