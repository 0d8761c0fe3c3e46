"""What all commands share: one sentence and an exit where something is wrong."""

import os
from pathlib import Path
from typing import Never

import typer

# Signs that a terminal would obey, as signs that can be seen: control characters, and those that turn the
# direction of writing; half a character, as in the name of a file, could not be written at all.
HARMLESS = (
    {sign: 0x2400 + sign for sign in range(0x20) if chr(sign) not in "\n\t"}
    | {0x7F: 0x2421}
    | dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
    | dict.fromkeys(range(0xD800, 0xE000), 0xFFFD)
)


def harmless(text: str) -> str:
    """Text of a table or of a file's name, without what a terminal would take for an order.

    >>> harmless("\x1b[2Jgone")
    '␛[2Jgone'
    """
    return text.translate(HARMLESS)


def fail(sentence: str, exit_code: int = 2) -> Never:
    """Say what is wrong and leave."""
    typer.echo(f"sameornot: {harmless(' '.join(sentence.splitlines()))}", err=True)
    raise typer.Exit(exit_code)


def check_at_least_one(option: str, value: int | None) -> None:
    """Leave if a number is given and below 1."""
    if value is not None and value < 1:
        fail(f"{option} is {value} but 1 or more is needed")


def check_not_negative(option: str, value: int | None) -> None:
    """Leave if a number is given and below 0."""
    if value is not None and value < 0:
        fail(f"{option} is {value} but 0 or more is needed")


def check_folder(option: str, folder: Path | None) -> None:
    """Leave before the work is done if a file is in the way of a folder."""
    if folder is not None and folder.exists() and not folder.is_dir():
        fail(f"{option} is {folder} but that is a file, and a folder is needed")


def check_writable(out: Path) -> None:
    """Leave before the work is done if its picture could not be saved."""
    folder = out.parent
    if out.suffix.lower() != ".png":
        fail(f"--out is {out} but a name that ends in .png is needed")
    if not folder.is_dir():
        fail(f"--out is {out} but there is no folder {folder}")
    if out.is_dir():
        fail(f"--out is {out} but that is a folder")
    if not os.access(out if out.exists() else folder, os.W_OK):
        fail(f"--out is {out} but it may not be written")
