"""Progress bars for long work: shown by tqdm (the extra `notebook`), and only where a person is watching."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Protocol

# Seconds of work before a bar appears.
DELAY = 1.0


class Bar(Protocol):
    """What is shown of long work."""

    def update(self, n: int = 1) -> Any:
        """So much more is done."""


class NoBar:
    """Nothing is shown."""

    def update(self, n: int = 1) -> None:
        """Show nothing."""


@contextmanager
def progress_bar(total: int, unit: str, wanted: bool | None = None) -> Iterator[Bar]:
    """A bar of `total` units.

    By default there is one in a notebook and in a terminal, if tqdm is installed and the work takes more than
    a second. True shows one everywhere, False none.
    """
    if wanted is not None and not isinstance(wanted, bool):
        raise ValueError(f"progress={wanted!r} but True, False or None is needed")
    if wanted is False or (wanted is None and find_spec("tqdm") is None):
        yield NoBar()
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError(
            "progress=True needs tqdm, which is not installed: pip install 'sameornot[notebook]'"
        ) from None
    hidden = None if wanted is None else False  # None: hidden unless the output is a terminal or a notebook
    delay = 0.0 if wanted else DELAY
    with tqdm(total=total, unit=f" {unit}", disable=hidden, delay=delay, leave=bool(wanted)) as bar:
        yield bar
