"""`sameornot demo`: the breast cancer table of scikit-learn, on the page or with a simulated expert."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.progress_bar import ProgressBar
from rich.table import Table

from sameornot.cli.common import check_not_negative, check_picture, fail
from sameornot.cli.errors import explained_errors
from sameornot.cli.label import BrowserOption, PortOption, serve_page

if TYPE_CHECKING:
    import numpy as np

    from sameornot.plots import FeatureShares, Stage
    from sameornot.session import ActiveSession

# Lines of the table, after the one before the first question.
N_LINES = 6


def demo(
    simulate: Annotated[
        bool, typer.Option("--simulate", help="Run in the terminal with a simulated expert.")
    ] = False,
    questions: Annotated[int, typer.Option(help="Number of questions.")] = 60,
    seed: Annotated[int, typer.Option(help="Random seed. Another seed asks other questions.")] = 0,
    out: Annotated[Path, typer.Option(help="PNG file for the picture of --simulate.")] = Path(
        "sameornot-demo.png"
    ),
    port: PortOption = 0,
    browser: BrowserOption = True,
) -> None:
    """Open the page on a small table of breast tumours, or group it with simulated answers."""
    check_not_negative("--questions", questions)
    check_not_negative("--seed", seed)
    if simulate:
        check_picture(out)
        run_simulation(questions, seed, out)
    else:
        with explained_errors():
            open_page(questions, seed, port, browser)


def open_page(questions: int, seed: int, port: int, browser: bool) -> None:
    """Open the page on a table that shows the diagnosis, so that anybody can answer, but learns without."""
    from sameornot.datasets import load_breast_cancer
    from sameornot.service import LabellingService, Options
    from sameornot.store import default_store, open_store
    from sameornot.web.server import Binding

    measurements, diagnosis = load_breast_cancer()
    table = measurements.assign(diagnosis=diagnosis)
    options = Options(
        clusters=2,
        show=["diagnosis", *measurements.columns],
        ignore=["diagnosis"],
        budget=questions or None,
        seed=seed,
    )
    typer.echo(
        "569 breast tumours. You are the expert: the page shows you the diagnosis of both, but the model "
        "does not see it. Answer by the diagnosis, and watch what the model learns."
    )
    store = open_store(default_store().with_name("demo.sqlite"))
    service = LabellingService.open(store, table, title="Breast tumours (demo)", options=options)
    try:
        serve_page(service, Binding(port=port), browser)
    finally:
        service.close()


def run_simulation(questions: int, seed: int, out: Path) -> None:
    """Run a session with a simulated expert who knows the diagnoses."""
    from sameornot import ActiveSession
    from sameornot.datasets import load_breast_cancer
    from sameornot.plots import draw_session, save_png, session_picture

    console = Console(highlight=False, markup=False)
    X, diagnosis = load_breast_cancer()
    console.print(
        f"{len(X)} breast tumours with {X.shape[1]} measurements each, and no diagnosis. A simulated expert "
        "is shown two of them at a time and says 'same' or 'different'. From the answers, the model learns "
        "which measurements matter, and sorts all tumours into two groups.\n",
    )
    session = ActiveSession(X, n_clusters=2, random_state=seed)
    stages = answer_all(session, diagnosis, questions, console)
    picture = session_picture(X, session.result(), stages)
    console.print("", stage_table(stages), "", sep="\n")
    console.print("ARI: adjusted Rand index with the true diagnoses; 1 is perfect, 0 is chance.\n")
    console.print("The measurements that matter most, by their share of the metric:")
    console.print(feature_table(picture.features, console.width))
    try:
        save_png(draw_session(picture), out)
    except OSError as error:
        fail(f"the picture could not be saved: {error}")
    console.print(f"\nThe picture is in {out}", soft_wrap=True)
    console.print(
        "Try next: --questions 20 for an expert with less time, or --seed 1 for other questions. "
        "README.md shows how to label a table of your own.",
    )


def answer_all(
    session: "ActiveSession", truth: "np.ndarray", questions: int, console: Console
) -> "list[Stage]":
    """Answer by the true labels; returns the stage before the first question and after each answer."""
    from sameornot.oracles import truth as always_right
    from sameornot.plots import session_stage

    answer = always_right(truth)
    stages = [session_stage(session, truth)]
    columns = TextColumn("asking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("asking", total=questions)
        while len(stages) <= questions and (pair := session.ask()) is not None:
            session.tell(answer(pair))
            stages.append(session_stage(session, truth))
            progress.advance(task)
    return stages


def stage_table(stages: "list[Stage]") -> Table:
    """Evenly spaced stages of a session, the first and the last among them."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for header in ("questions\nasked", "groups\nfound", "rows\nplaced", "agreement\n(ARI)"):
        table.add_column(header, justify="right", overflow="fold")
    last = len(stages) - 1
    for at in sorted({last * line // N_LINES for line in range(N_LINES + 1)}):
        stage = stages[at]
        table.add_row(str(stage.questions), str(stage.groups), str(stage.placed), f"{stage.agreement:.3f}")
    return table


def feature_table(features: "FeatureShares", width: int) -> Table:
    """The features of largest weight, each with a bar."""
    table = Table.grid(padding=(0, 1))
    bar_width = max(8, min(40, width - 36))
    for name, weight in zip(features.names, features.weights, strict=True):
        bar = ProgressBar(total=features.weights[0], completed=weight, width=bar_width)
        table.add_row(name, f"{weight:.1%}", bar)
    return table
