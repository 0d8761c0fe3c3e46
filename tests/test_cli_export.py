"""`export`, `report`, `assign` and `sessions`: real files from a real store, or one sentence."""

import json
import re
import resource
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.store import default_store, open_store

TABLE = "patient,age,ward\n" + "".join(
    f"P{row:02},{row % 3 * 30 + row % 7},w{row % 3}\n" for row in range(30)
)
NAMES = ["answers.csv", "labels.csv", "model.json"]
HEAVY = ("numpy", "pandas", "scipy", "sklearn", "sqlalchemy", "starlette", "uvicorn", "matplotlib", "pyarrow")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder but for a table, and a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "patients.csv").write_text(TABLE)
    return tmp_path


def call(*arguments, typed=""):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=typed)


def one_sentence(answer):
    """The only line of the error output, without the program's name."""
    assert (answer.exit_code, answer.stdout) == (2, "")
    found = re.fullmatch(r"sameornot: ([^\n]+)\n", answer.stderr)
    assert found, answer.stderr
    return found[1]


@pytest.fixture
def session():
    """A session with two answers; its name."""
    answer = call("ask", "patients.csv", "--id", "patient", "--clusters", "3", typed="d\nd\nq\n")
    assert answer.exit_code == 0, answer.output
    return re.search(r"sameornot report (\S+)", answer.stdout)[1]


def n_answers():
    store = open_store(default_store())
    found = {line.session: line.n_answers for line in store.sessions()}
    store.close()
    return found


def test_export_writes_labels_answers_and_model_and_prints_their_paths(session, folder):
    answer = call("export", "--out", "home/today")
    assert answer.exit_code == 0, answer.output
    out = folder / "home" / "today"
    assert sorted(path.name for path in out.iterdir()) == NAMES
    assert answer.stdout.split() == [
        f"home/today/{name}" for name in ("labels.csv", "answers.csv", "model.json")
    ]
    labels = pd.read_csv(out / "labels.csv")
    assert labels["id"].tolist() == [f"P{row:02}" for row in range(30)]
    assert set(labels["group"]) <= {1, 2, 3}
    assert pd.read_csv(out / "answers.csv")["answer"].tolist() == ["different", "different"]


def test_earlier_session_can_be_exported_by_its_name(session):
    call("ask", "patients.csv", "--new", typed="u\nq\n")
    second = next(name for name in n_answers() if name != session)
    for name, said in ((session, ["different", "different"]), (second, ["unsure"]), (None, ["unsure"])):
        answer = call("export", *([] if name is None else [name]))
        assert answer.exit_code == 0, answer.output
        assert pd.read_csv("answers.csv")["answer"].tolist() == said
    assert n_answers() == {session: 2, second: 1}


def test_report_is_one_page_with_the_answers(session, folder):
    answer = call("report", session, "--out", "page.html")
    assert (answer.exit_code, answer.stdout) == (0, "page.html\n")
    page = (folder / "page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    assert re.search(r"P\d\d", page)


def test_assign_writes_the_groups_of_new_rows(session, folder):
    call("export")
    (folder / "new.csv").write_text(TABLE.replace("P", "N"))
    answer = call("assign", "model.json", "new.csv", "--id", "patient")
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.splitlines() == [
        "new-groups.csv (30 rows)",
        "  Group 1: 10 (33%)",
        "  Group 2: 10 (33%)",
        "  Group 3: 10 (33%)",
    ]
    groups, labels = pd.read_csv("new-groups.csv"), pd.read_csv("labels.csv")
    assert groups["id"].tolist() == [f"N{row:02}" for row in range(30)]
    by_model = labels["placed_by"] == "model"
    assert groups["group"][by_model].tolist() == labels["group"][by_model].tolist()


def test_assign_reads_a_folder_of_parquet_files(session, folder):
    call("export")
    (folder / "table").mkdir()
    frame = pd.read_csv("patients.csv")
    for nth, half in enumerate((frame.iloc[:9], frame.iloc[9:])):
        half.to_parquet(f"table/{nth}.parquet")
    answer = call("assign", "model.json", "table")
    assert answer.exit_code == 0, answer.output
    assert f"table-groups ({len(frame)} rows)" in answer.output
    whole = pd.concat([pd.read_parquet(f"table-groups/{nth}.parquet") for nth in (0, 1)])
    call("assign", "model.json", "patients.csv")
    assert whole["group"].tolist() == pd.read_csv("patients-groups.csv")["group"].tolist()


def test_engine_for_a_single_file_is_refused(session):
    call("export")
    complaint = one_sentence(call("assign", "model.json", "patients.csv", "--engine", "local"))
    assert complaint == "--engine is for a folder of Parquet files, and patients.csv is one file"


def test_assign_writes_parquet_too(session):
    call("export")
    assert call("assign", "model.json", "patients.csv", "--out", "groups.parquet").exit_code == 0
    assert len(pd.read_parquet("groups.parquet")) == 30


def test_sessions_are_listed_last_one_first(session, folder):
    call("ask", "patients.csv", "--new", typed="u\nq\n")
    answer = call("sessions")
    lines = answer.stdout.splitlines()[2:]
    assert [line.split()[0] for line in lines] == [f"{session}-2", session]
    assert [line.split()[1] for line in lines] == ["1", "2"]
    assert all(line.rstrip().endswith(str(folder / "patients.csv")) for line in lines)


def test_empty_store_is_reported_with_the_command_that_starts_a_session():
    assert call("sessions").stdout == "There is no session yet: begin one with `sameornot label TABLE`.\n"
    for command in ("export", "report"):
        assert one_sentence(call(command)) == (
            "there is no session yet: begin one with `sameornot label TABLE`"
        )


def test_unknown_session_is_reported_with_the_known_ones(session):
    assert one_sentence(call("export", "nope")) == f"there is no session 'nope': the last ones are {session}"


def test_moved_table_can_be_given(session, folder):
    (folder / "patients.csv").rename(folder / "moved.csv")
    assert (
        one_sentence(call("export"))
        == f"there is no file {folder}/patients.csv: check the name and the folder"
    )
    assert call("export", "--table", "moved.csv").exit_code == 0


def test_different_table_is_refused(session, folder):
    (folder / "other.csv").write_text(TABLE.replace("w1", "w2"))
    assert "is not the table that session" in one_sentence(call("export", session, "--table", "other.csv"))
    assert n_answers() == {session: 2}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["export", "--out", "patients.csv"],
            "--out is patients.csv but that is a file, and a folder is needed",
        ),
        (["report", "--out", "."], "--out is . but that is a folder, and a file is needed"),
        (["report", "--out", "no/page.html"], "--out is no/page.html but there is no folder no"),
        (["assign", "model.json", "no.csv"], "there is no file no.csv: check the name and the folder"),
        (["assign", "no.json", "patients.csv"], "no.json cannot be read: No such file or directory"),
        (
            ["assign", "patients.csv", "patients.csv"],
            "patients.csv is no model of sameornot: it is not JSON",
        ),
        (
            ["assign", "model.json", "patients.csv", "--out", "no/groups.csv"],
            "--out is no/groups.csv but there is no folder no",
        ),
    ],
)
def test_invalid_arguments_get_one_sentence(arguments, complaint):
    assert one_sentence(call(*arguments)) == complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--out", "groups.txt"], "groups.txt cannot be written: its name has to end in .csv or .parquet"),
        (["--out", "patients.csv"], "patients.csv is the table itself: give another name for the result"),
        (["--id", "name"], "the table has no column 'name' to take as id: choose one of its columns"),
    ],
)
def test_failed_assignment_gets_one_sentence_and_leaves_the_table(session, folder, arguments, complaint):
    call("export")
    before = sorted(folder.iterdir())
    assert one_sentence(call("assign", "model.json", "patients.csv", *arguments)) == complaint
    assert sorted(folder.iterdir()) == before
    assert (folder / "patients.csv").read_text() == TABLE


@pytest.mark.parametrize(
    "text", ["", "hello", "[]", "{}", '{"format": "sameornot model"}', "[" * 100_000, "NaN"]
)
def test_file_that_is_not_a_model_gets_one_sentence(folder, text):
    (folder / "model.json").write_text(text)
    assert re.search("model", one_sentence(call("assign", "model.json", "patients.csv")))


def test_damaged_model_gets_one_sentence(session, folder):
    call("export")
    text = (folder / "model.json").read_text()
    altered = json.loads(text) | {"weights": ["a"]}
    for broken in (text[: len(text) // 2], json.dumps(altered)):
        (folder / "model.json").write_text(broken)
        assert "model" in one_sentence(call("assign", "model.json", "patients.csv"))
    (folder / "model.json").write_bytes(b"\xff\xfe\x00")
    assert one_sentence(call("assign", "model.json", "patients.csv")) == (
        "model.json is no model of sameornot: it is not text"
    )


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (["export"], "labels.csv"),
        (["report"], "report.html"),
        (["assign", "model.json", "large.csv"], "large-groups.csv"),
    ],
)
def test_full_disk_gets_one_sentence_and_keeps_the_earlier_file(session, folder, arguments, written):
    """A file may not grow beyond 500 bytes."""
    call("export")
    (folder / "large.csv").write_text(TABLE + TABLE.partition("\n")[2] * 20)
    (folder / written).write_text("precious")
    before = sorted(folder.iterdir())
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, unlimited[1]))
    try:
        answer = call(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert one_sentence(answer) == f"{written} could not be written: File too large"
    assert (folder / written).read_text() == "precious"
    assert sorted(folder.iterdir()) == before
    assert n_answers() == {session: 2}


@pytest.mark.parametrize("command", ["export", "report", "sessions"])
@pytest.mark.parametrize(
    ("store", "complaint"),
    [
        ("patients.csv", "patients.csv is not a store of sessions: choose another file."),
        (".", "cannot be opened"),
        ("patients.csv/below.sqlite", "cannot be made"),
        ("postgresql://ana:secret@127.0.0.1:1/none", "cannot be reached"),
    ],
)
def test_invalid_store_gets_one_sentence_without_a_password(command, store, complaint):
    sentence = one_sentence(call(command, "--store", store))
    assert complaint in sentence
    assert "secret" not in sentence


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom sameornot.cli import app\n"
        "app(['--help'], standalone_mode=False)\n"
        f"print('heavy:', [name for name in {HEAVY} if name in sys.modules])"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stdout.splitlines()[-1] == "heavy: []"
