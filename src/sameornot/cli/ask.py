"""`sameornot ask`: answer the questions in a terminal, for example on a machine reached by ssh."""

import getpass
import time
from typing import TYPE_CHECKING, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sameornot.cli.common import check_at_least_one, printable
from sameornot.cli.errors import explained_errors
from sameornot.cli.opening import open_table
from sameornot.cli.options import ChoicesOption, OpenOptions, with_open_options

if TYPE_CHECKING:
    from sameornot.service import Conflict, LabellingService

ANSWERS = {"s": "same", "d": "different", "u": "unsure"}
KEYS = "s same · d different · u unsure · z undo · ? all columns · q quit"
CHOICE_KEYS = "1-{} the group it belongs to · 0 none · u unsure · z undo · ? all columns · q quit"
NONE = "0"
WAITING = "All open questions are being answered by other people."
# Columns shown unless all are asked for, and characters of a cell: a terminal has no scroll bar.
N_SHOWN = 20
MAX_CELL = 400


@with_open_options
def ask(options: OpenOptions, choices: ChoicesOption = None) -> None:
    """Answer questions in the terminal. Run it again, or open the page, to resume."""
    check_at_least_one("--choices", choices)
    console = Console(highlight=False, markup=False, emoji=False)
    with explained_errors(), open_table(options) as service:
        TerminalSession(service, console, choices).run()
        where = "" if options.store is None else " (with the same --store)"  # it may contain a password
        typer.echo(f"All answers are saved. Next: sameornot report {service.session}{where}")


class TerminalSession:
    """A person who answers in the terminal, with up to `choices` groups at once (None: by default)."""

    def __init__(self, service: "LabellingService", console: Console, choices: int | None = None) -> None:
        self.service, self.console, self.choices = service, console, choices
        self.person = f"terminal:{user_name()}"

    def run(self) -> None:
        """Ask until no question is left or the person quits; the open question is then released."""
        try:
            self.ask_all()
        except KeyboardInterrupt:
            typer.echo()
        self.service.leave(self.person)

    def ask_all(self) -> None:
        """Ask one question after the other."""
        step: dict[str, Any] | None = self.service.state(self.person)
        for notice in step["notices"] if step else ():
            self.say(notice, style="dim")
        if step is not None and step["has_images"]:
            self.say("A terminal shows no pictures: sameornot label does.", style="dim")
        if step is not None and step["progress"]["choices"] != self.choices:
            step = self.service.prefer(self.person, self.choices)
        while step is not None and step["question"] is not None:
            self.show(step)
            step = self.answer(step)
        if step is not None:
            self.say("Nothing is left to ask." if not step["progress"]["waiting"] else WAITING)

    def say(self, sentence: str, style: str | None = None) -> None:
        """Print one line, which may contain text of the table."""
        self.console.print(Text(printable(sentence)), style=style, soft_wrap=True)

    def show(self, step: dict[str, Any], n_fields: int = N_SHOWN) -> None:
        """Print two records side by side with their differences, and the progress."""
        question, progress = step["question"], step["progress"]
        n_hidden = len(question["fields"][n_fields:]) + question["n_more"]
        groups = f"{progress['groups']} groups" if progress["groups"] != 1 else "1 group"
        self.console.rule(f"{progress['asked'] + 1} of {progress['budget']} · {groups}")
        shown = choice_table if "choice" in question else fields_table
        self.console.print(shown(question, n_fields))
        if n_hidden:
            self.say(f"and {n_hidden:,} {'column' if n_hidden == 1 else 'columns'} more", style="dim")
        self.say(question["why"])
        self.say(progress["hint"], style="bold" if progress["can_stop"] else "dim")

    def answer(self, step: dict[str, Any]) -> dict[str, Any] | None:
        """Read keys until one changes the session; returns the next step, or None if the person quits."""
        from sameornot.service import Conflict, ServiceError

        started = time.monotonic()
        keys = keys_of(step["question"])
        while (key := read_key(keys)) != "q":
            try:
                if (said := self.send(step["question"], key, time.monotonic() - started)) is not None:
                    return said
                if key == "z":
                    step = self.service.undo(self.person)
                    self.say(step["said"])
                    return step
            except Conflict as conflict:
                return self.resolve(conflict)
            except ServiceError as error:
                self.say(f"{error}.")
            if key == "?":
                self.show(step, n_fields=len(step["question"]["fields"]))
        return None

    def send(self, question: dict[str, Any], key: str, seconds: float) -> dict[str, Any] | None:
        """Send the answer of a key; returns the next step, or None if the key is no answer."""
        candidates = [candidate["row"] for candidate in question.get("choice", ())]
        if not candidates:
            said = ANSWERS.get(key)
            return None if said is None else self.service.answer(self.person, question["id"], said, seconds)
        if key in (NONE, "u"):
            said = "different" if key == NONE else "unsure"
            return self.service.choose(self.person, question["id"], said, None, seconds)
        if not (key.isdecimal() and int(key) <= len(candidates)):
            return None
        return self.service.choose(self.person, question["id"], "same", candidates[int(key) - 1], seconds)

    def resolve(self, conflict: "Conflict") -> dict[str, Any]:
        """Let the person choose which of the contradicting answers is wrong."""
        from sameornot.service import Conflict

        payload = conflict.payload
        self.say(payload["sentence"])
        options = payload["options"]
        for number, option in enumerate(options, start=1):
            self.say(f"  {number}  {option['label']}")
        self.say("  0  Keep everything as it was")
        choice = read_number(len(options))
        if choice == 0:
            return self.service.state(self.person)
        chosen = options[choice - 1]
        said = payload["said"] if chosen["said"] else None
        try:
            return self.service.resolve(self.person, said, chosen["changes"], chosen.get("clusters"))
        except Conflict as another:
            return self.resolve(another)


def fields_table(question: dict[str, Any], n_fields: int) -> Table:
    """The first fields of two records side by side."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for header in ("", question["left"]["id"], " ", question["right"]["id"]):
        table.add_column(as_cell(header), overflow="fold")
    for field in question["fields"][:n_fields]:
        sign, style = ("≠", "bold") if field["differs"] else ("=", "dim")
        left, right = (as_cell(field[side], style) for side in ("left", "right"))
        table.add_row(as_cell(field["column"]), left, sign, right)
    return table


def choice_table(question: dict[str, Any], n_fields: int) -> Table:
    """The first fields of a record, and of the candidates that it may belong with, numbered."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    candidates = question["choice"]
    heads = [f"{n}  {c['group']}\n{c['id']}" for n, c in enumerate(candidates, start=1)]
    for header in ("", f"\n{question['left']['id']}", *heads):
        table.add_column(Text("\n").join(map(as_cell, header.split("\n"))), overflow="fold")
    for n, field in enumerate(question["fields"][:n_fields]):
        cells = [candidate["fields"][n] for candidate in candidates]
        values = [as_cell(cell["right"], "bold" if cell["differs"] else "dim") for cell in cells]
        table.add_row(as_cell(field["column"]), as_cell(field["left"]), *values)
    return table


def keys_of(question: dict[str, Any]) -> str:
    """What can be typed as an answer to a question."""
    return CHOICE_KEYS.format(len(question["choice"])) if "choice" in question else KEYS


def as_cell(text: str, style: str = "") -> Text:
    """Text of the table as a cell in the terminal."""
    cut = text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}… ({len(text):,} characters)"
    return Text(printable(cut), style=style)


def user_name() -> str:
    """The name of the user account; empty if it has none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def read_key(prompt: str) -> str:
    """Read one of the keys; the end of the input counts as "q"."""
    try:
        line = typer.prompt(prompt, default="", show_default=False, prompt_suffix="\n> ")
    except typer.Abort:
        typer.echo()
        return "q"
    return line.strip().lower()[:1]


def read_number(largest: int) -> int:
    """Read a choice from 0 to `largest`; anything else is asked again."""
    while True:
        try:
            line = typer.prompt("Which", default="0", show_default=False)
        except typer.Abort:
            return 0
        if line.strip().isdecimal() and int(line) <= largest:
            return int(line)
