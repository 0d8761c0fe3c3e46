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
from sameornot.cli.common import check_at_least_one

if TYPE_CHECKING:
    from sameornot.desk import Clash, Desk

ANSWERS = {"s": "same", "d": "different", "u": "unsure"}
KEYS = "s same · d different · u unsure · z undo · ? all columns · q quit"
# Columns that are shown unless all are asked for.
N_SHOWN = 20


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
) -> None:
    """Answer in the terminal; run again, or on the page, it goes on where it stood."""
    check_at_least_one("--clusters", clusters)
    check_at_least_one("--budget", budget)
    console = Console(highlight=False, markup=False)
    with opening.sentences():
        options = {"clusters": clusters, "id": id_column, "show": show, "ignore": ignore, "image": image}
        with opening.open_table(table, store, new, **options, budget=budget, seed=seed) as desk:
            Sitting(desk, console).run()


class Sitting:
    """A person at the terminal."""

    def __init__(self, desk: "Desk", console: Console) -> None:
        self.desk, self.console = desk, console
        self.person = f"terminal:{getpass.getuser()}"

    def run(self) -> None:
        """Ask until nothing is left to ask or the person leaves."""
        step: dict[str, Any] | None = self.desk.state(self.person)
        for notice in step["notices"] if step else ():
            self.console.print(notice, style="dim")
        while step is not None and step["question"] is not None:
            self.show(step)
            step = self.reply(step)
        if step is not None:
            self.console.print("Nothing is left to ask." if not step["progress"]["waiting"] else WAITING)
        self.console.print(
            f"All answers are saved. Next: sameornot report {self.desk.session}", soft_wrap=True
        )

    def show(self, step: dict[str, Any], n_fields: int = N_SHOWN) -> None:
        """Two records side by side, differences marked, and how far the work is."""
        question, progress = step["question"], step["progress"]
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
        table.add_column("")
        table.add_column(question["left"]["id"], overflow="fold")
        table.add_column(" ")
        table.add_column(question["right"]["id"], overflow="fold")
        for field in question["fields"][:n_fields]:
            mark = "≠" if field["differs"] else "="
            style = "bold" if field["differs"] else "dim"
            cells = [Text(field[side], style=style) for side in ("left", "right")]
            table.add_row(field["column"], cells[0], mark, cells[1])
        hidden = len(question["fields"][n_fields:]) + question["n_more"]
        groups = f"{progress['groups']} groups" if progress["groups"] != 1 else "1 group"
        self.console.rule(f"{progress['asked'] + 1} of {progress['budget']} · {groups}")
        self.console.print(table)
        if hidden:
            self.console.print(f"and {hidden} columns that matter less", style="dim")
        self.console.print(question["why"], soft_wrap=True)
        self.console.print(progress["hint"], style="bold" if progress["can_stop"] else "dim", soft_wrap=True)

    def reply(self, step: dict[str, Any]) -> dict[str, Any] | None:
        """Take one key; the next step, or None when the person leaves."""
        from sameornot.desk import Clash, DeskProblem

        began = time.monotonic()
        while True:
            key = read_key(KEYS)
            try:
                if key in ANSWERS:
                    seconds = time.monotonic() - began
                    return self.desk.answer(self.person, step["question"]["id"], ANSWERS[key], seconds)
                if key == "z":
                    step = self.desk.undo(self.person)
                    self.console.print(step["said"])
                    return step
            except Clash as clash:
                return self.settle(clash)
            except DeskProblem as problem:
                self.console.print(f"{problem}.")
            if key == "q":
                return None
            if key == "?":
                self.show(step, n_fields=len(step["question"]["fields"]))

    def settle(self, clash: "Clash") -> dict[str, Any]:
        """Let the person choose which of the answers that clash is wrong."""
        from sameornot.desk import Clash

        payload = clash.payload
        self.console.print(payload["sentence"], soft_wrap=True)
        options = payload["options"]
        for number, option in enumerate(options, start=1):
            self.console.print(f"  {number}  {option['label']}", soft_wrap=True)
        self.console.print("  0  leave everything as it was")
        choice = read_number(len(options))
        if choice == 0:
            return self.desk.state(self.person)
        chosen = options[choice - 1]
        said = payload["said"] if chosen["said"] else None
        try:
            return self.desk.resolve(self.person, said, chosen["changes"], chosen.get("clusters"))
        except Clash as again:
            return self.settle(again)


WAITING = "Somebody else holds all that is left to ask."


def read_key(prompt: str) -> str:
    """One of the keys; the end of the input is a person who leaves."""
    try:
        line = typer.prompt(prompt, default="", show_default=False, prompt_suffix="\n> ")
    except typer.Abort:
        return "q"
    return line.strip().lower()[:1]


def read_number(most: int) -> int:
    """A choice from 0 to `most`; anything else asks again."""
    while True:
        try:
            line = typer.prompt("Which", default="0", show_default=False)
        except typer.Abort:
            return 0
        if line.strip().isdigit() and int(line) <= most:
            return int(line)
