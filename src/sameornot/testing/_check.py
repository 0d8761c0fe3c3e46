"""One promise of a contract, tried on one implementation."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Check:
    """A promise and what it is tried on: calling it raises an AssertionError where it is broken.

    ``str(check)`` is its name, for `pytest.mark.parametrize("check", checks, ids=str)`.
    """

    subject: str
    promise: str
    run: Callable[[], Any]
    case: str = ""

    def __call__(self) -> None:
        """Try it."""
        self.run()

    def __str__(self) -> str:
        case = f" [{self.case}]" if self.case else ""
        return f"{self.subject}: {self.promise}{case}"


def run_all(checks: Iterable[Check]) -> list[str]:
    """Try them all, and name those that were kept; the first broken one raises, its name being noted."""
    kept = []
    for check in checks:
        try:
            check()
        except Exception as error:
            error.add_note(f"in the check {str(check)!r}")
            raise
        kept.append(str(check))
    return kept


def promise_of(function: Callable[..., object]) -> str:
    """The name of a check, in words."""
    return function.__name__.removeprefix("check_").replace("_", " ")


def assert_refuses(error: type[Exception], message: str, call: Callable[[], Any]) -> None:
    """Assert that a call raises an error whose message holds some words."""
    try:
        call()
    except error as raised:
        if message not in str(raised):
            raise AssertionError(f"{message!r} is not in the message {str(raised)!r}") from raised
        return
    raise AssertionError(f"no {error.__name__} was raised, where one that says {message!r} is due")
