"""In a notebook: a widget to answer questions in, and HTML for what a cell shows.

The widget needs the extra `notebook`; the HTML needs nothing.
"""

from typing import Any

from sameornot.session import ActiveSession

MISSING = (
    "session.label() needs anywidget, which is not installed: pip install 'sameornot[notebook]', and restart "
    "the kernel"
)


def make_labeller(session: ActiveSession, **options: Any) -> Any:
    """The widget, from its own module: importing that needs anywidget."""
    try:
        import anywidget  # noqa: F401
    except ImportError:
        raise ImportError(MISSING) from None
    from sameornot.notebook.labeller import Labeller

    return Labeller(session, **options)
