"""`./run reproduce` does what is missing, shows it beside the paper, and loses nothing when stopped."""

import io
import re
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from urllib.error import URLError

import pandas as pd
import pytest
from rich.console import Console
from typer.testing import CliRunner

from reproduction import experiments, paper
from reproduction.command import app, replication_bar
from reproduction.experiment import Experiment
from reproduction.plots.pictures import draw_pictures
from reproduction.registry import EXPERIMENTS
from reproduction.rows import RowFile
from sameornot.engine import Cluster, ClusterLost, connect

PNG = b"\x89PNG\r\n\x1a\n"


class Toy:
    """Stands for Table 1: two methods of the paper's and an extra; `trouble` may be in the way of a seed."""

    def __init__(self):
        self.done, self.trouble, self.folder = [], {}, None

    def __call__(self, run, seed, folder):
        if seed in self.trouble:
            raise self.trouble[seed]
        self.done.append((run, seed))
        self.folder = folder
        at = {"run": run, "seed": seed, "method": run}
        return [
            {**at, "checkpoint": q, "asked": q, "ari": 0.5 + seed / 10, "nmi": 0.5, "seconds": 1.0}
            for q in paper.QUESTIONS
        ]


@pytest.fixture
def toy(monkeypatch):
    toy = Toy()
    terms = {"replications": 3, "extras": ("COBRAS (raw)",), "extra_replications": 1}
    monkeypatch.setitem(EXPERIMENTS, "table1", Experiment("Toy", ("AQM + MEE", "COBRAS"), toy, **terms))
    return toy


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run the command in a folder of its own, with a pipe for a terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("reproduction.pages.draw_pictures", lambda _: [])  # one test looks at pictures

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in (*arguments, "--jobs", 1)])

    return run


@pytest.fixture
def rows(tmp_path):
    return RowFile(tmp_path / "benchmarks" / "rows" / "table1.csv")


def refused(answer, sentence, exit_code=2):
    """One sentence on stderr and no traceback."""
    assert answer.exit_code == exit_code, answer.output
    assert isinstance(answer.exception, SystemExit)
    assert re.fullmatch(f"reproduce: {sentence}\n", answer.stderr), answer.stderr


@pytest.mark.slow
def test_a_run_saves_prints_and_draws(toy, call, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("reproduction.pages.draw_pictures", draw_pictures)
    answer = call("table1")
    assert answer.exit_code == 0, answer.output
    assert answer.stderr == ""
    assert rows.done() == {(run, seed) for run in ("AQM + MEE", "COBRAS") for seed in range(3)}
    assert "Toy: 6 replications to do\n" in answer.stdout
    assert re.search(r"^table1 .* 6/6 \d:\d\d:\d\d 0:00:00", answer.stdout, re.MULTILINE)
    assert re.search(r"\| AQM \+ MEE \| n +\| 30 +\| – +\| – +\| 3 +\| – ", answer.stdout)
    assert re.search(r"\| 60 +\| \.474 \(\.124\) \| – +\| – +\| \.600 \(\.100\) +↑? +\| – ", answer.stdout)
    page = (tmp_path / "docs" / "reproduction.md").read_text("utf-8")
    assert "## Toy" in page
    pictures = re.findall(r"\((images/.+?)\)", page)
    assert len(pictures) == 2
    for picture in pictures:
        assert (tmp_path / "docs" / picture).read_bytes()[:8] == PNG
    assert "The page is docs/reproduction.md" in answer.stdout


def test_a_second_call_has_nothing_to_do(toy, call, rows):
    call("table1")
    before = rows.path.read_bytes()
    answer = call("table1")
    assert "Toy: 0 replications to do\n" in answer.stdout
    assert "| AQM + MEE" in answer.stdout
    assert len(toy.done) == 6
    assert rows.path.read_bytes() == before


def test_more_replications_go_on_from_those_that_are_there(toy, call):
    call("table1", "--replications", 1)
    call("table1", "--replications", 2)
    assert toy.done == [("AQM + MEE", 0), ("COBRAS", 0), ("AQM + MEE", 1), ("COBRAS", 1)]


def test_fresh_sets_the_earlier_rows_aside(toy, call, rows):
    call("table1", "--replications", 1)
    before = rows.path.read_bytes()
    answer = call("table1", "--replications", 1, "--fresh")
    assert "the earlier rows are in benchmarks/rows/table1.1.csv\n" in answer.stdout
    assert rows.path.with_name("table1.1.csv").read_bytes() == before
    assert len(toy.done) == 4


def test_a_mistyped_method_sets_nothing_aside(toy, call, rows):
    call("table1", "--replications", 1)
    before = rows.path.read_bytes()
    refused(call("table1", "--fresh", "--methods", "COBRAAS"), "no method is named 'COBRAAS': .*")
    assert rows.path.read_bytes() == before


def test_quick_without_a_plan_is_two_replications(toy, call):
    call("table1", "--quick")
    assert toy.done == [("AQM + MEE", 0), ("COBRAS", 0), ("AQM + MEE", 1), ("COBRAS", 1)]


def test_quick_does_the_quick_version_in_a_folder_of_its_own(toy, call, tmp_path, monkeypatch):
    small = Toy()
    plan = Experiment("Toy", ("COBRAS",), small, replications=1)
    monkeypatch.setitem(EXPERIMENTS, "table1", replace(EXPERIMENTS["table1"], quick=plan))
    answer = call("table1", "--quick")
    assert (toy.done, small.done) == ([], [("COBRAS", 0)])
    assert "The page is results/quick/docs/reproduction.md" in answer.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"results"}
    assert RowFile(tmp_path / "results" / "quick" / "rows" / "table1.csv").done() == {("COBRAS", 0)}
    page = (tmp_path / "results" / "quick" / "docs" / "reproduction.md").read_text("utf-8")
    assert "Generated by `./run reproduce --quick`" in page
    refused(call("table1", "--quick", "--methods", "raw"), "no method is named 'raw': choose from COBRAS")


def test_every_experiment_of_the_paper_has_a_quick_version_with_the_same_runs():
    for full in experiments.EXPERIMENTS.values():
        assert full.quick is not None
        assert set(full.quick.runs) <= {*full.runs, *full.extras}
        assert full.quick.replications <= 3


def test_methods_are_named_one_by_one(toy, call):
    call("table1", "--methods", "raw", "--methods", "aqm", "--replications", 1)
    assert toy.done == [("AQM + MEE", 0), ("COBRAS (raw)", 0)]


@pytest.mark.parametrize("extent", [("--quick",), ("--replications", 2)])
def test_rows_and_pages_go_to_the_given_folders(toy, call, tmp_path, extent):
    answer = call("table1", *extent, "--rows", "deep/rows", "--docs", "pages")
    assert RowFile(tmp_path / "deep" / "rows" / "table1.csv").done()
    assert "The page is pages/reproduction.md, its pictures are in pages/images/" in answer.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"deep", "pages"}


def test_the_machine_is_noted_if_it_made_rows(toy, call, rows):
    machines = rows.path.with_name("machines.txt")
    call("table1", "--replications", 2)
    machines.write_text("another one\n", "utf-8")
    call("table1", "--replications", 2)
    assert machines.read_text("utf-8") == "another one\n"
    call("table1")
    assert len(machines.read_text("utf-8").splitlines()) == 2


def test_report_runs_nothing(toy, call, tmp_path):
    call("table1", "--replications", 2)
    done = list(toy.done)
    answer = call("report", "--docs", "pages")
    assert answer.exit_code == 0
    assert toy.done == done
    assert "## Toy" in (tmp_path / "pages" / "reproduction.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["table9"], "there is no experiment 'table9': choose one of all, .*figure1, .*table1.*"),
        (["table1", "--methods", "FOSC"], "no method is named 'FOSC': choose from AQM .*"),
        (["table1", "--replications", 0], "--replications is 0 but 1 or more is needed"),
        (["table1", "--quick", "--replications", 5], "--quick and --replications are both given .*"),
        (["table1", "--rows", "taken"], "--rows is taken but that is a file, and a folder is needed"),
        (["table1", "--docs", "taken"], "--docs is taken but that is a file, and a folder is needed"),
        (["report"], "there are no rows in benchmarks/rows: pass their folder as --rows, or run .* first"),
        (["report", "--quick"], "there are no rows in results/quick/rows: pass their folder .* first"),
    ],
)
def test_bad_arguments_get_one_sentence_before_any_work(toy, call, tmp_path, arguments, sentence):
    (tmp_path / "taken").write_text("a file")
    answer = call(*arguments)
    refused(answer, sentence)
    assert (toy.done, answer.stdout) == ([], "")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_jobs_are_one_or_more():
    answer = CliRunner().invoke(app, ["table1", "--jobs", "0"])
    refused(answer, "--jobs is 0 but 1 or more is needed")


RESUMES = "finished replications are in benchmarks/rows, and the same command{} resumes from there"


def test_an_interrupt_keeps_what_was_finished(toy, call, rows):
    toy.trouble = {1: KeyboardInterrupt()}
    refused(call("table1"), f"stopped; {RESUMES.format('')}", exit_code=130)
    assert rows.done() == {("AQM + MEE", 0), ("COBRAS", 0)}
    toy.trouble = {}
    assert "Toy: 4 replications to do" in call("table1").stdout


def test_the_advice_after_an_interrupt_would_not_set_the_rows_aside(toy, call):
    toy.trouble = {1: KeyboardInterrupt()}
    refused(call("table1", "--fresh"), f"stopped; {RESUMES.format(' without --fresh')}", exit_code=130)


@pytest.mark.parametrize("error", [MemoryError(), BrokenProcessPool("a worker was killed")])
def test_want_of_memory_is_told(toy, call, rows, error):
    toy.trouble = {1: error}
    sentence = f"there was not enough memory; {RESUMES.format('')}, preferably with a smaller --jobs"
    refused(call("table1"), sentence)
    assert len(rows.done()) == 2


def test_a_full_disk_keeps_the_rows_that_are_there(toy, call, rows, monkeypatch):
    call("table1", "--replications", 1)
    before = rows.path.read_bytes()

    def no_space(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    refused(
        call("table1"),
        r"benchmarks/rows/table1.csv could not be written \(No space left on device\): the rows already "
        "there are kept; make room for more, or choose another folder, and run the same command again",
    )
    assert rows.path.read_bytes() == before


def test_a_page_that_cannot_be_written_is_told_after_the_numbers(toy, call, rows, monkeypatch):
    def no_space(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("reproduction.pages.write_report", no_space)
    answer = call("table1", "--replications", 2)
    refused(
        answer, "the pages could not be written .*No space left.*: the rows are safe; free some space and .*"
    )
    assert "| AQM + MEE" in answer.stdout
    assert len(rows.done()) == 4


@pytest.mark.dask
def test_a_cluster_makes_the_rows_of_this_process(call, rows, tmp_path):
    words = "table1", "--methods", "COBRAS", "--replications", 1
    assert call(*words, "--rows", "alone").exit_code == 0
    answer = call(*words, "--engine", "local")
    assert answer.exit_code == 0, answer.output
    alone, found = (
        file.read().drop(columns="seconds") for file in (RowFile(tmp_path / "alone" / "table1.csv"), rows)
    )
    pd.testing.assert_frame_equal(found, alone, check_exact=True)
    assert rows.path.with_name("machines.txt").exists()


@pytest.fixture
def lost(monkeypatch):
    """A cluster at tcp://far:1 whose scheduler goes away after one replication."""

    def map_on_cluster(_, work, items):
        yield items[0], work(items[0])
        raise ClusterLost("the scheduler at tcp://far:1 went away: start it and run this again")

    monkeypatch.setattr("reproduction.command.connect", lambda engine: nullcontext(Cluster(engine, None)))
    monkeypatch.setattr("reproduction.runner.map_on_cluster", map_on_cluster)
    return "--engine", "tcp://far:1"


@pytest.mark.parametrize(("fresh", "advice"), [([], ""), (["--fresh"], " without --fresh")])
def test_a_cluster_that_is_lost_keeps_what_was_finished(toy, call, rows, lost, fresh, advice):
    answer = call("table1", *lost, *fresh)
    refused(answer, rf"the scheduler at tcp://far:1 went away: start it and .*; {RESUMES.format(advice)}")
    assert rows.done() == {("AQM + MEE", 0)}
    assert "Toy: 5 replications to do" in call("table1").stdout


def test_rows_of_another_machine_do_not_name_this_one(toy, call, rows, lost):
    call("table1", *lost)
    assert not rows.path.with_name("machines.txt").exists()


def test_workers_elsewhere_are_told_the_whole_name_of_the_data(toy, call, lost, tmp_path):
    call("table1", "--data", "data", *lost)
    assert toy.folder == tmp_path / "data"


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_has_nothing_set_aside(toy, call, rows, monkeypatch):
    monkeypatch.setattr("reproduction.command.connect", partial(connect, timeout=0.5))
    call("table1", "--replications", 1)
    before = rows.path.read_bytes()
    answer = call("table1", "--fresh", "--engine", "tcp://127.0.0.1:1")
    refused(answer, r"no scheduler answers at tcp://127.0.0.1:1: start one with .*, or use --engine local")
    assert rows.path.read_bytes() == before


def test_without_dask_an_engine_is_refused_in_a_sentence(toy, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    refused(call("table1", "--engine", "local"), r"Dask is needed .*: pip install 'sameornot\[dask\]'")
    assert toy.done == []


def test_rows_of_something_else_are_not_overwritten(toy, call, rows):
    rows.path.parent.mkdir(parents=True)
    rows.path.write_text('a,b\n"1,2\n')
    refused(call("table1"), ".*table1.csv is not a table of results: .*; move it away")
    assert rows.path.read_text() == 'a,b\n"1,2\n'


def test_a_folder_without_the_data_is_named(call, tmp_path):
    (tmp_path / "empty").mkdir()
    refused(
        call("figure3-urban", "--methods", "COBRAS", "--quick", "--data", "empty"),
        r"figure3-urban: folder='empty' holds no training\*.csv, one was expected "
        r"\(with this command: --data FOLDER\)",
    )
    assert not (tmp_path / "benchmarks").exists()


def test_without_a_network_the_way_to_the_data_is_told(call, tmp_path, monkeypatch):
    def no_network(*_, **__):
        raise URLError("no route to host")

    monkeypatch.setenv("SAMEORNOT_DATA", str(tmp_path / "cache"))
    monkeypatch.setattr("sameornot.datasets.real.urlopen", no_network)
    refused(
        call("figure3-urban", "--methods", "COBRAS", "--quick"),
        r"figure3-urban: https://archive.*no route to host.*by hand.*\(with this command: --data FOLDER\)",
    )


@pytest.mark.parametrize("error", [OSError("no such data"), ImportError("pip install it")])
def test_an_experiment_without_data_does_not_hold_up_the_others(toy, call, tmp_path, monkeypatch, error):
    def without_data(*_):
        raise error

    monkeypatch.setattr("reproduction.runner.find_parts", lambda _: ["figure3-meu", "table1"])
    monkeypatch.setitem(EXPERIMENTS, "figure3-meu", Experiment("MEU", ("AQM + MEE",), without_data))
    answer = call("all", "--replications", 2)
    refused(answer, f"figure3-meu: {error}.*")
    assert len(toy.done) == 4
    assert "## Toy" in (tmp_path / "docs" / "reproduction.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("done_at", "shown"),
    [
        ([600, 1200, 1800, 2400], "4/10 0:40:00 1:00:00"),  # ten minutes each, six to go
        ([600, 600], "2/10 0:10:00 0:40:00"),  # two at a time
    ],
)
def test_the_time_left_is_told_by_all_replications_so_far(done_at, shown):
    now = 0.0
    out = io.StringIO()
    console = Console(file=out, width=80, get_time=lambda: now)
    with replication_bar("table1", 10, console) as advance:
        for now in done_at:  # noqa: B007 - the clock reads it
            advance()
    assert shown in out.getvalue()


def test_help_lists_the_options(call):
    options = {"--replications", "--jobs", "--methods", "--resume", "--fresh", "--quick", "--rows", "--data"}
    answer = call("--help")
    assert {*options, "--docs", "--engine"} <= set(re.findall(r"--\w+", answer.stdout))
    for word in ("table1", "figure1", "theory", "speed", "loop", "strategies", "all", "report"):
        assert word in answer.stdout


def test_help_does_not_wait_for_heavy_packages():
    script = """
import sys
from typer.testing import CliRunner
from reproduction.command import app
for words in (["--help"], ["table1", "--jobs", "0"]):
    assert CliRunner().invoke(app, words).output
print({"numpy", "pandas", "sklearn", "matplotlib", "joblib"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
