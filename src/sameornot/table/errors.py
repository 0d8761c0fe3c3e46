"""The error that this package raises."""

from collections.abc import Sequence

_MAX_NAME = 80


class TableError(ValueError):
    """A table cannot be used; the message says in one sentence what is wrong and what to change."""


def listed(names: Sequence[str], at_most: int = 4) -> str:
    """Join names for a sentence: a few of them, each cut to the length of a line."""
    shown = ", ".join(name if len(name) <= _MAX_NAME else name[:_MAX_NAME] + "…" for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most:,} more"
