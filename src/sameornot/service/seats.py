"""Who is not a person: automatic annotators, and the seats by which one of them holds several questions.

No cookie and no link can hold these names, because of the colon.
"""

from collections.abc import Iterable

AUTOMATIC = "annotator:"
SEAT = "#"


def is_automatic(author: str) -> bool:
    """Whether answers of this author come from a machine."""
    return author.startswith(AUTOMATIC)


def seat(author: str, number: int) -> str:
    """The name under which an annotator holds one of its questions.

    >>> seat("annotator:m@host", 2), is_seat("annotator:m@host#2"), is_seat("annotator:m@host")
    ('annotator:m@host#2', True, False)
    """
    return f"{author}{SEAT}{number}"


def is_seat(person: str) -> bool:
    """Whether this is a seat, and no author."""
    return is_automatic(person) and SEAT in person


def seats_of(author: str, people: Iterable[str]) -> list[str]:
    """The seats of an annotator among these."""
    return [person for person in people if person.startswith(author + SEAT)]
