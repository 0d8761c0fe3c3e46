"""The command line: output, saved files and errors."""

import os
import re
import struct

import pytest
from rich.console import Console
from typer.testing import CliRunner

import sameornot
from sameornot import cli
from sameornot.cli.demo import feature_table, stage_table
from sameornot.plots import FeatureShares, Stage

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run the command in an empty folder, without a terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments):
        return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])

    return run


@pytest.fixture
def no_session(monkeypatch):
    """Fail if a session is started."""

    def refuse(*_, **__):
        raise AssertionError("a session was started")

    monkeypatch.setattr(sameornot, "ActiveSession", refuse)


def rendered(table, width):
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return capture.get().splitlines()


def test_help_lists_demo(call):
    answer = call("--help")
    assert answer.exit_code == 0
    assert re.search(r"^\s+demo\s", answer.stdout, re.MULTILINE)


def test_demo_help_lists_its_options(call):
    assert {"--questions", "--seed", "--out"} <= set(re.findall(r"--\w+", call("demo", "--help").stdout))


def test_version_is_that_of_the_package(call):
    answer = call("--version")
    assert (answer.exit_code, answer.stdout) == (0, f"sameornot {sameornot.__version__}\n")


@pytest.mark.slow
def test_demo_saves_a_png_of_the_promised_size(call, tmp_path):
    answer = call("demo", "--simulate", "--questions", 3, "--out", tmp_path / "picture.png")
    assert answer.exit_code == 0, answer.output
    data = (tmp_path / "picture.png").read_bytes()
    assert data[:8] == PNG
    assert struct.unpack(">II", data[16:24]) == (1500, 520)


@pytest.mark.slow
def test_demo_prints_a_line_for_each_checkpoint_and_where_the_picture_is(call, tmp_path):
    answer = call("demo", "--simulate", "--questions", 3)
    lines = re.findall(r"^ *(\d+) +(\d+) +(\d+) +(-?\d\.\d{3})", answer.stdout, re.MULTILINE)
    assert [int(line[0]) for line in lines] == [0, 1, 2, 3]
    # With two groups every answer places one more row, and the first one two.
    assert [int(line[2]) for line in lines] == [0, 2, 3, 4]
    assert "The picture is in sameornot-demo.png" in answer.stdout
    assert (tmp_path / "sameornot-demo.png").is_file()


def test_demo_without_questions_shows_the_grouping_before_the_first(call):
    answer = call("demo", "--simulate", "--questions", 0)
    assert answer.exit_code == 0, answer.output
    assert len(re.findall(r"^ *\d+ +\d+ +\d+ +-?\d\.\d{3}", answer.stdout, re.MULTILINE)) == 1


@pytest.mark.slow
def test_demo_repeats_itself_for_a_seed(call, tmp_path):
    for name in "ab":
        call("demo", "--simulate", "--questions", 8, "--seed", 1, "--out", f"{name}.png")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--questions", "-1"], "--questions is -1 but 0 or more is needed"),
        (["--seed", "-5"], "--seed is -5 but 0 or more is needed"),
        (["--out", "no/where.png"], "--out is no/where.png but there is no folder no"),
        (["--out", "picture.svg"], "--out is picture.svg but a name that ends in .png is needed"),
        (["--out", "folder.png"], "--out is folder.png but that is a folder"),
    ],
)
@pytest.mark.usefixtures("no_session")
def test_bad_arguments_get_one_sentence_before_any_work(call, tmp_path, arguments, complaint):
    (tmp_path / "folder.png").mkdir()
    answer = call("demo", "--simulate", *arguments)
    assert (answer.exit_code, answer.stdout, answer.stderr) == (2, "", f"sameornot: {complaint}\n")


@pytest.mark.usefixtures("no_session")
def test_read_only_file_is_refused_before_any_work(call, tmp_path, monkeypatch):
    (tmp_path / "mine.png").write_bytes(b"precious")
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)  # root may write all
    answer = call("demo", "--simulate", "--out", "mine.png")
    assert (answer.exit_code, answer.stderr) == (
        2,
        "sameornot: --out is mine.png but it may not be written\n",
    )
    assert (tmp_path / "mine.png").read_bytes() == b"precious"


def test_full_disk_gets_one_sentence(call, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sameornot.plots.save_png", full)
    answer = call("demo", "--simulate", "--questions", 0)
    assert answer.exit_code == 2
    assert answer.stderr == "sameornot: the picture could not be saved: [Errno 28] No space left on device\n"


def test_numbers_are_complete_in_a_narrow_terminal():
    stages = [Stage(n, groups=2, placed=n, agreement=-0.25) for n in range(13)]
    lines = rendered(stage_table(stages), width=30)
    assert max(map(len, lines)) <= 30
    assert [line.split() for line in lines[-7:]] == [[str(n), "2", str(n), "-0.250"] for n in range(0, 13, 2)]


def test_features_keep_their_names_in_a_narrow_terminal():
    features = FeatureShares(("worst concave points of all", "area"), (0.5, 0.25), n_others=3)
    lines = rendered(feature_table(features, 34), width=34)
    assert max(map(len, lines)) <= 34
    words = " ".join(lines).split()
    assert {"worst", "concave", "points", "of", "all", "area", "50.0%", "25.0%"} <= set(words)
