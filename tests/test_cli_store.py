"""Whole sessions on the command line: listed, deleted, backed up, restored; and personal links to them."""

import re
import stat

import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.store import Draft, default_store, open_store

OPENED = {"title": "plants.csv", "path": "/data/plants.csv", "n_rows": 40, "fingerprint": "f", "clusters": 3}


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run the command with a store of its own, without a terminal."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")

    def run(*arguments, says=None):
        return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=says)

    return run


@pytest.fixture
def sessions(call):
    """A store with two sessions."""
    answer = {"left": 1, "right": 2, "answer": "same", "step": 0, "question": None, "seconds": None}
    store = open_store(default_store())
    store.append("birds", [Draft("", "opened", OPENED)], after=0)
    store.append("plants", [Draft("", "opened", OPENED), Draft("ana", "answered", answer)], after=0)
    store.close()


def events(session):
    store = open_store(default_store())
    found = store.read(session)
    store.close()
    return found


def failed(answer, complaint):
    return (answer.exit_code, answer.stderr) == (2, f"sameornot: {complaint}\n")


@pytest.mark.usefixtures("sessions")
def test_sessions_are_listed_with_sizes_and_dates(call):
    lines = call("sessions").stdout.splitlines()
    assert lines[0].split() == ["session", "answers", "size", "began", "last", "table"]
    date = r"\d{4}-\d\d-\d\d"
    time = rf"{date} \d\d:\d\d"
    assert re.search(rf"^plants +1 +[23]\d\d B +{date} +{time} +/data/plants.csv", lines[2])
    assert re.search(rf"^birds +0 +1\d\d B +{date} +{time} +/data/plants.csv", lines[3])


@pytest.mark.usefixtures("sessions")
def test_delete_asks_first(call):
    kept = call("delete", "plants", says="n\n")
    assert kept.exit_code == 1
    assert "Delete session plants about plants.csv, with 1 answer, the last of" in kept.stdout
    assert len(events("plants")) == 2
    call("delete", "plants", says="y\n")
    assert events("plants") == []
    answer = call("delete", "birds", "--yes")
    assert (answer.exit_code, answer.stdout) == (0, "birds was deleted: 1 event.\n")
    assert failed(call("delete", "birds"), "there is no session yet: begin one with `sameornot label TABLE`")


@pytest.mark.usefixtures("sessions")
def test_delete_of_an_unknown_session_names_those_that_there_are(call):
    assert failed(call("delete", "fish"), "there is no session 'fish': the last ones are plants, birds")


@pytest.mark.usefixtures("sessions")
def test_backup_and_restore(call, tmp_path):
    file, before = tmp_path / "all.backup", events("plants")
    answer = call("backup", file)
    assert (answer.exit_code, answer.stdout.replace("\n", "")) == (0, f"{file}: 2 sessions, 3 events")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    call("delete", "plants", "--yes")
    answer = call("restore", file)
    assert answer.stdout == "plants: 2 events, restored\nbirds: 1 event, there already\n"
    assert events("plants") == before
    one = tmp_path / "one.backup"
    assert "1 session, 1 event" in call("backup", one, "--session", "birds").stdout
    assert call("restore", one, "--store", tmp_path / "other.sqlite").stdout == "birds: 1 event, restored\n"
    assert failed(
        call("restore", tmp_path / "no"), f"there is no file {tmp_path / 'no'}: check the name and the folder"
    )
    assert failed(call("backup", tmp_path), f"--out is {tmp_path} but that is a folder, and a file is needed")


@pytest.mark.usefixtures("sessions")
def test_links_are_made_listed_and_taken_back(call):
    made = call("invite", "plants", "Zoë", "--days", 7, "--public-url", "https://lab.example/plants")
    assert made.exit_code == 0, made.output
    token = re.search(r"^https://lab.example/plants/\?token=([\w-]{32})$", made.stdout, re.MULTILINE)[1]
    assert re.search(r"^Link [0-9a-f]{8} for Zoë \(annotate, until \d{4}-", made.stdout)
    stored = events("plants")[-1]
    assert (stored.kind, stored.data["name"], stored.data["role"]) == ("invited", "Zoë", "annotate")
    assert token not in str(stored)
    assert re.search(r"^\?token=[\w-]{32}$", call("invite", "plants", "Ben", "--role", "manage").stdout, re.M)
    assert re.search(r"Ben +manage +0 +.* +always", call("links", "plants").stdout)

    assert call("revoke", "plants", "Zoë").exit_code == 0
    assert re.search(r"Zoë +annotate +0 +.* +revoked", call("links", "plants").stdout)
    assert "there is no open link 'Zoë': choose one of" in call("revoke", "plants", "Zoë").stderr
    call("invite", "plants", "Ben")
    assert "2 links are for Ben: name one of" in call("revoke", "plants", "Ben").stderr


@pytest.mark.usefixtures("sessions")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["Ana", "--role", "owner"], "role is 'owner' but one of annotate, manage is needed"),
        (["Ana", "--days", "0"], "days is 0 but more than 0 and at most 3650 are needed"),
        ([" "], "a link needs the name of the person whom it is for"),
        (
            ["Ana", "--public-url", "x"],
            "--public-url is 'x' but https://host or https://host/prefix is needed",
        ),
    ],
)
def test_link_that_cannot_be_made_is_refused_in_one_sentence(call, arguments, complaint):
    assert failed(call("invite", "plants", *arguments), complaint)
    assert len(events("plants")) == 2
