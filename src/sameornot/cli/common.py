"""What all commands share: errors as one sentence, and checks of options."""

import os
from pathlib import Path
from typing import Never

import typer

# What a terminal would interpret is replaced: control characters by visible symbols, bidirectional controls
# and lone surrogates (which file names can hold, but nothing can write) by the replacement character.
VISIBLE = (
    {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
    | {0x7F: 0x2421}
    | dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
    | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
)


def printable(text: str) -> str:
    """Replace what a terminal would interpret in the text of a table or a file name.

    >>> printable("\x1b[2Jgone")
    '␛[2Jgone'
    """
    return text.translate(VISIBLE)


def fail(sentence: str, exit_code: int = 2) -> Never:
    """Print an error and exit."""
    typer.echo(f"sameornot: {printable(' '.join(sentence.splitlines()))}", err=True)
    raise typer.Exit(exit_code)


def check_at_least_one(option: str, value: int | None) -> None:
    """Exit if a number is given and is below 1."""
    if value is not None and value < 1:
        fail(f"{option} is {value} but 1 or more is needed")


def check_not_negative(option: str, value: int | None) -> None:
    """Exit if a number is given and is below 0."""
    if value is not None and value < 0:
        fail(f"{option} is {value} but 0 or more is needed")


def check_folder(option: str, folder: Path | None) -> None:
    """Exit before any work if a folder cannot be made because a file has its name."""
    if folder is not None and folder.exists() and not folder.is_dir():
        fail(f"{option} is {folder} but that is a file, and a folder is needed")


def check_file(out: Path) -> None:
    """Exit before any work if a file cannot be written because of its path."""
    if out.is_dir():
        fail(f"--out is {out} but that is a folder, and a file is needed")
    if not out.parent.is_dir():
        fail(f"--out is {out} but there is no folder {out.parent}")


def check_picture(out: Path) -> None:
    """Exit before any work if a picture could not be saved."""
    folder = out.parent
    if out.suffix.lower() != ".png":
        fail(f"--out is {out} but a name that ends in .png is needed")
    if not folder.is_dir():
        fail(f"--out is {out} but there is no folder {folder}")
    if out.is_dir():
        fail(f"--out is {out} but that is a folder")
    if not os.access(out if out.exists() else folder, os.W_OK):
        fail(f"--out is {out} but it may not be written")
