"""`sameornot bench` says where the paper's experiments are now; it goes with the next version."""

from sameornot.cli.common import fail


def bench() -> None:
    """Say where the paper's experiments are run."""
    fail("The paper's experiments are run from the source tree: ./run reproduce")
