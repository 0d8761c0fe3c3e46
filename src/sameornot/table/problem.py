"""The one error of this room."""

from collections.abc import Sequence

_LONGEST = 80


class TableProblem(ValueError):
    """A table that cannot be used, in one sentence that says what is wrong and what to change."""


def listed(names: Sequence[str], at_most: int = 4) -> str:
    """Names as a person would list them: never ten thousand, and none longer than a line."""
    shown = ", ".join(name if len(name) <= _LONGEST else name[:_LONGEST] + "…" for name in names[:at_most])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most:,} more"
