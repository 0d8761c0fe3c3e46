"""Turn expected errors into one sentence and an exit code."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sameornot.cli.common import fail


@contextmanager
def explained_errors() -> Iterator[None]:
    """Print an error that the user can correct as one sentence, and exit."""
    expected = expected_errors()
    try:
        yield
    except expected as error:
        fail(str(error))
    except BrokenPipeError:  # nobody reads the output any more
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}")
    except ImportError as error:
        fail(how_to_install(error))
    except MemoryError:
        fail("there is not enough memory for this table: leave out columns, or take fewer rows")


def expected_errors() -> tuple[type[Exception], ...]:
    """The errors whose message is one sentence for the user."""
    try:
        from sameornot.annotator import AnnotatorError
        from sameornot.embedding import EmbeddingError
        from sameornot.export import EngineError, ModelError
        from sameornot.service import ServiceError
        from sameornot.store import StoreError
        from sameornot.table import TableError
        from sameornot.web.address import ServerError
    except ImportError as error:
        fail(how_to_install(error))
    return (
        AnnotatorError,
        ServiceError,
        EmbeddingError,
        EngineError,
        ModelError,
        ServerError,
        StoreError,
        TableError,
    )


def how_to_install(error: ImportError) -> str:
    """Name a missing package and the command that installs it."""
    return f"{error.name} is needed for this and is not installed: pip install 'sameornot[page]'"


@contextmanager
def explained_write_errors(path: Path) -> Iterator[None]:
    """Name the file that could not be written: the error may name none, or a temporary one."""
    try:
        yield
    except OSError as error:
        fail(f"{path} could not be written: {error.strerror or error}")
