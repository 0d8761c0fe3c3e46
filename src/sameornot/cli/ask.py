"""`sameornot ask`: the same questions in a terminal, for a machine reached by ssh."""

import getpass
import time
from typing import TYPE_CHECKING, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sameornot.cli import opening
from sameornot.cli.common import harmless

if TYPE_CHECKING:
    from sameornot.service import Clash, Desk

ANSWERS = {"s": "same", "d": "different", "u": "unsure"}
KEYS = "s same · d different · u unsure · z undo · ? all columns · q quit"
WAITING = "Somebody else holds all that is left to ask."
# Columns that are shown unless all are asked for, and signs of a cell: a terminal has no scroll bar.
N_SHOWN = 20
LONGEST_CELL = 400


def ask(
    table: opening.TableArgument,
    clusters: opening.ClustersOption = None,
    id_column: opening.IdOption = None,
    show: opening.ShowOption = None,
    ignore: opening.IgnoreOption = None,
    image: opening.ImageOption = None,
    budget: opening.BudgetOption = None,
    store: opening.StoreOption = None,
    new: opening.NewOption = False,
    seed: opening.SeedOption = None,
    engine: opening.EngineOption = None,
) -> None:
    """Answer in the terminal; run again, or on the page, it goes on where it stood."""
    opening.check_numbers(clusters, budget, seed)
    console = Console(highlight=False, markup=False, emoji=False)
    with opening.sentences():
        options = {"clusters": clusters, "id": id_column, "show": show, "ignore": ignore, "image": image}
        with opening.open_table(table, store, new, engine, **options, budget=budget, seed=seed) as desk:
            Sitting(desk, console).run()
            where = "" if store is None else " (with the same --store)"  # its address may hold a password
            typer.echo(f"All answers are saved. Next: sameornot report {desk.session}{where}")


class Sitting:
    """A person at the terminal."""

    def __init__(self, desk: "Desk", console: Console) -> None:
        self.desk, self.console = desk, console
        self.person = f"terminal:{user_name()}"

    def run(self) -> None:
        """Ask until nothing is left to ask or the person leaves; her question is free for others then."""
        try:
            self.ask_all()
        except KeyboardInterrupt:
            typer.echo()
        self.desk.leave(self.person)

    def ask_all(self) -> None:
        """One question after the other."""
        step: dict[str, Any] | None = self.desk.state(self.person)
        for notice in step["notices"] if step else ():
            self.say(notice, style="dim")
        while step is not None and step["question"] is not None:
            self.show(step)
            step = self.reply(step)
        if step is not None:
            self.say("Nothing is left to ask." if not step["progress"]["waiting"] else WAITING)

    def say(self, sentence: str, style: str | None = None) -> None:
        """Print one line, which may hold words of the table."""
        self.console.print(Text(harmless(sentence)), style=style, soft_wrap=True)

    def show(self, step: dict[str, Any], n_fields: int = N_SHOWN) -> None:
        """Two records side by side, differences marked, and how far the work is."""
        question, progress = step["question"], step["progress"]
        hidden = len(question["fields"][n_fields:]) + question["n_more"]
        groups = f"{progress['groups']} groups" if progress["groups"] != 1 else "1 group"
        self.console.rule(f"{progress['asked'] + 1} of {progress['budget']} · {groups}")
        self.console.print(fields_table(question, n_fields))
        if hidden:
            self.say(f"and {hidden:,} {'column' if hidden == 1 else 'columns'} more", style="dim")
        self.say(question["why"])
        self.say(progress["hint"], style="bold" if progress["can_stop"] else "dim")

    def reply(self, step: dict[str, Any]) -> dict[str, Any] | None:
        """Take one key; the next step, or None when the person leaves."""
        from sameornot.service import Clash, DeskProblem

        began = time.monotonic()
        while (key := read_key(KEYS)) != "q":
            try:
                if key in ANSWERS:
                    seconds = time.monotonic() - began
                    return self.desk.answer(self.person, step["question"]["id"], ANSWERS[key], seconds)
                if key == "z":
                    step = self.desk.undo(self.person)
                    self.say(step["said"])
                    return step
            except Clash as clash:
                return self.settle(clash)
            except DeskProblem as problem:
                self.say(f"{problem}.")
            if key == "?":
                self.show(step, n_fields=len(step["question"]["fields"]))
        return None

    def settle(self, clash: "Clash") -> dict[str, Any]:
        """Let the person choose which of the answers that clash is wrong."""
        from sameornot.service import Clash

        payload = clash.payload
        self.say(payload["sentence"])
        options = payload["options"]
        for number, option in enumerate(options, start=1):
            self.say(f"  {number}  {option['label']}")
        self.say("  0  Leave everything as it was")
        choice = read_number(len(options))
        if choice == 0:
            return self.desk.state(self.person)
        chosen = options[choice - 1]
        said = payload["said"] if chosen["said"] else None
        try:
            return self.desk.resolve(self.person, said, chosen["changes"], chosen.get("clusters"))
        except Clash as again:
            return self.settle(again)


def fields_table(question: dict[str, Any], n_fields: int) -> Table:
    """The first fields of two records side by side."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for header in ("", question["left"]["id"], " ", question["right"]["id"]):
        table.add_column(as_cell(header), overflow="fold")
    for field in question["fields"][:n_fields]:
        mark, style = ("≠", "bold") if field["differs"] else ("=", "dim")
        left, right = (as_cell(field[side], style) for side in ("left", "right"))
        table.add_row(as_cell(field["column"]), left, mark, right)
    return table


def as_cell(text: str, style: str = "") -> Text:
    """A cell of the table as one of the terminal's."""
    cut = text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL]}… ({len(text):,} characters)"
    return Text(harmless(cut), style=style)


def user_name() -> str:
    """Who sits at the terminal; an account without a name is a person too."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def read_key(prompt: str) -> str:
    """One of the keys; the end of the input is a person who leaves."""
    try:
        line = typer.prompt(prompt, default="", show_default=False, prompt_suffix="\n> ")
    except typer.Abort:
        typer.echo()
        return "q"
    return line.strip().lower()[:1]


def read_number(most: int) -> int:
    """A choice from 0 to `most`; anything else asks again."""
    while True:
        try:
            line = typer.prompt("Which", default="0", show_default=False)
        except typer.Abort:
            return 0
        if line.strip().isdecimal() and int(line) <= most:
            return int(line)
