"""`sameornot ask`: a session in the terminal, on real files and a real store."""

import getpass
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from sameornot import cli
from sameornot.service import LabellingService
from sameornot.store import default_store, open_store
from sameornot.table import read_table

KINDS = {"knee": 20, "heart": 50, "lung": 80}
TABLE = "patient,age,ward,note\n" + "".join(
    f"P{row:02},{age + row % 7},{ward},seen {row % 4} times\n"
    for row, (ward, age) in enumerate(list(KINDS.items()) * 10)
)
real_prompt = typer.prompt
COMMAND = [sys.executable, "-c", "from sameornot.cli import app; app()"]
TIMEOUT = 60


@dataclass(frozen=True)
class Meanwhile:
    """A line that is typed after something else has happened during the prompt."""

    happens: Callable[[], object]
    line: str


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder but for a table, and a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "patients.csv").write_text(TABLE)
    return tmp_path


@pytest.fixture
def ask(folder, monkeypatch):
    """Run `sameornot ask` with these lines of input."""

    def run(*typed, options=("--id", "patient"), table="patients.csv"):
        coming = iter(typed)

        def prompt(*words, **settings):
            if isinstance(line := next(coming, ""), Meanwhile):
                line.happens()
            return real_prompt(*words, **settings)

        monkeypatch.setattr(typer, "prompt", prompt)
        lines = [line.line if isinstance(line, Meanwhile) else line for line in typed]
        return CliRunner().invoke(cli.app, ["ask", table, *options], input="".join(f"{x}\n" for x in lines))

    return run


def heads(answer):
    """The heading of each question."""
    return re.findall(r"(\d+) of (\d+) · (\d+) groups?", answer.stdout)


def stored_answers(session=None):
    """The current answers in the store."""
    store = open_store(default_store())
    line = next(line for line in store.sessions() if session in (None, line.session))
    answers: dict[int, str] = {}
    for event in store.read(line.session):
        if event.kind == "answered":
            answers[event.seq] = event.data["answer"]
        elif event.kind == "retracted":
            del answers[event.data["answer"]]
        elif event.kind == "changed":
            answers[event.data["answer"]] = event.data["to"]
    store.close()
    return list(answers.values())


def test_questions_are_shown_and_answers_stored(ask):
    answer = ask("s", "d", "u", "q")
    assert answer.exit_code == 0, answer.output
    assert [head[:2] for head in heads(answer)] == [("1", "100"), ("2", "100"), ("3", "100"), ("4", "100")]
    assert stored_answers() == ["same", "different", "unsure"]
    assert {"age", "ward", "note"} <= set(re.findall(r"^(\w+) ", answer.stdout, re.MULTILINE))
    assert re.search(r"P\d\d +P\d\d", answer.stdout)
    assert re.search(r"All answers are saved. Next: sameornot report patients-csv-\w+\n$", answer.stdout)


def test_unknown_key_asks_again(ask):
    answer = ask("x", "", "1", "d", "q")
    assert stored_answers() == ["different"]
    assert answer.stdout.count("s same · d different") == 5


def test_undo_removes_the_last_answer_and_asks_it_again(ask):
    answer = ask("d", "s", "z", "z", "z", "q")
    assert answer.exit_code == 0, answer.output
    assert stored_answers() == []
    undone = re.findall(r"^Undone: (P\d\d and P\d\d) are (?:the )?(\w+)\.$", answer.stdout, re.MULTILINE)
    assert [verdict for _, verdict in undone] == ["same", "different"]
    assert "there is no answer to undo." in answer.stdout
    pairs = re.findall(r"^ +(P\d\d) +(P\d\d) *$", answer.stdout, re.MULTILINE)
    assert pairs[0] == pairs[4]
    assert pairs[1] == pairs[3]


@pytest.mark.parametrize("last", ["q", "Q"])
def test_quitting_and_the_end_of_the_input_are_the_same(ask, last):
    left = ask("d", last)
    ended = ask("d")
    assert left.exit_code == ended.exit_code == 0
    assert stored_answers() == ["different", "different"]
    assert "All answers are saved" in ended.stdout


def test_second_run_resumes_and_new_starts_another_session(ask):
    ask("d", "s", "q", options=("--id", "patient", "--clusters", "3"))
    again = ask("q", options=())
    assert heads(again) == [("3", "90", heads(again)[0][2])]
    assert "P" in again.stdout  # the identifier column is remembered
    other = ask("q", options=("--new",))
    assert heads(other)[0][0] == "1"
    store = open_store(default_store())
    assert sorted(line.n_answers for line in store.sessions()) == [0, 2]
    store.close()


@contextmanager
def other_service(folder):
    """The service of another process on the same session."""
    path = folder / "patients.csv"
    store = open_store(default_store())
    service = LabellingService.open(store, read_table(path), title=path.name, path=path, ahead=False)
    yield service
    service.close()


def test_question_of_a_person_who_quit_is_released(ask, folder):
    ask("q")
    with other_service(folder) as service:
        assert not any(person["looking"] for person in service.progress("somebody")["people"])


def contradicted(folder):
    """Answer "same" about a pair that somebody else has just called different."""

    def answer_first():
        with other_service(folder) as service:
            store = open_store(default_store())
            shown = [event.data for event in store.read(service.session) if event.kind == "shown"][-1]
            store.close()
            service.say("somebody", shown["left"], shown["right"], "different")

    return Meanwhile(answer_first, "s")


def test_contradicting_answer_is_resolved_by_a_choice(ask, folder):
    answer = ask(contradicted(folder), "7", "1", "q")
    assert answer.exit_code == 0, answer.output
    assert "“Same” cannot be true together with an earlier answer. Which one is wrong?" in answer.stdout
    assert re.search(r"^  1  Answer 1 was wrong: P\d\d and P\d\d are the same$", answer.stdout, re.MULTILINE)
    assert stored_answers() == ["same", "same"]


@pytest.mark.parametrize("choice", ["0", ""])
def test_contradiction_can_be_left_unresolved(ask, folder, choice):
    answer = ask(contradicted(folder), choice, "q")
    assert answer.exit_code == 0, answer.output
    assert stored_answers() == ["different"]
    assert heads(answer)[-1][0] == "2"


def test_end_of_the_input_during_a_choice_changes_nothing(ask, folder):
    answer = ask(contradicted(folder))
    assert answer.exit_code == 0, answer.output
    assert stored_answers() == ["different"]


def test_command_ends_when_nothing_is_left_to_ask(ask, folder):
    (folder / "two.csv").write_text("a,b\n1,2\n3,4\n")
    answer = ask("d", options=(), table="two.csv")
    assert answer.exit_code == 0, answer.output
    assert "Nothing is left to ask." in answer.stdout


def test_control_characters_are_shown_and_not_sent(ask, folder):
    note = '"\x1b[2Jgone\x9b31m :smile: [bold]b[/bold] \u202etxt\x07\x08\r'
    evil = TABLE.replace("ward", "wa\x1b[31mrd").replace("seen", note).replace("times", 'times"')
    evil = evil.replace("P", "\x1b]0;P")
    (folder / "evil\x1b[2J.csv").write_bytes(evil.encode())
    answer = ask("d", "z", "?", "s", "q", table="evil\x1b[2J.csv", options=("--id", "\x1b]0;Patient"))
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", answer.stderr)
    answer = ask("d", "z", "?", "s", "q", table="evil\x1b[2J.csv", options=("--id", "patient"))
    assert answer.exit_code == 0, answer.output
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", answer.output)
    assert "␛[2Jgone" in answer.stdout
    assert ":smile:" in answer.stdout
    assert "[bold]b[/bold]" in answer.stdout
    assert "wa␛[31mrd" in answer.stdout


def test_long_cells_do_not_flood_the_terminal(ask, folder):
    lines = [f"{row % 5},{'word ' * 20_000}{row % 3}\n" for row in range(20)]
    (folder / "long.csv").write_text("a,text\n" + "".join(lines))
    answer = ask("d", "?", "q", options=(), table="long.csv")
    assert answer.exit_code == 0, answer.output
    assert "characters)" in answer.stdout
    assert len(answer.stdout) < 20_000


@pytest.mark.slow
def test_ascii_terminal_shows_what_it_can(folder):
    answer = subprocess.run(
        [*COMMAND, "ask", "patients.csv"],
        input=b"d\nq\n",
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        timeout=TIMEOUT,
        check=False,
    )
    assert (answer.returncode, answer.stderr) == (0, b"")
    assert b"2 of 100 ? 2 groups" in answer.stdout


def test_account_without_a_name_can_answer(ask, monkeypatch):
    def nameless():
        raise KeyError("getpwuid(): uid not found: 4242")

    monkeypatch.setattr(getpass, "getuser", nameless)
    assert ask("d", "q").exit_code == 0
    assert stored_answers() == ["different"]


@pytest.mark.slow
def test_ctrl_c_at_the_prompt_quits_like_q(folder):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*COMMAND, "ask", "patients.csv"], **pipes) as process:
        read_until(process.stdout, b"\n> ")
        process.stdin.write(b"d\n")
        process.stdin.flush()
        read_until(process.stdout, b"\n> ")
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, errors) == (0, b"")
    assert b"All answers are saved" in output
    assert stored_answers() == ["different"]


def read_until(stream, end):
    """Read up to these bytes, which a program prints when it waits for input."""
    found = b""
    while not found.endswith(end):
        byte = stream.read(1)
        assert byte, found
        found += byte


def test_full_disk_is_reported_in_one_sentence_and_earlier_answers_are_kept(ask):
    """Files may not grow beyond one byte while the second answer is given."""
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1, unlimited[1]))

    try:
        answer = ask("s", Meanwhile(fill_disk, "d"), "d", "q")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    assert answer.exit_code == 2
    assert re.fullmatch(r"sameornot: [^\n]+\n", answer.stderr)
    assert "what was stored before is safe" in answer.stderr
    assert stored_answers() == ["same"]
    assert heads(ask("q"))[0][0] == "2"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--clusters", "0"], "--clusters is 0 but 1 or more is needed"),
        (["--budget", "-3"], "--budget is -3 but 1 or more is needed"),
        (["--seed", "-1"], "--seed is -1 but 0 or more is needed"),
        (["--clusters", "31"], "31 groups are wanted but the table has 30 rows"),
        (["--id", "name"], "id names the column 'name', and the table has age, note, patient, ward"),
        (["--show", "age,sex"], "show names the column 'sex', and the table has age, note, patient, ward"),
    ],
)
def test_invalid_options_get_one_sentence(ask, options, complaint):
    answer = ask("d", options=options)
    assert (answer.exit_code, answer.stdout, answer.stderr) == (2, "", f"sameornot: {complaint}\n")


def test_changed_table_is_refused_and_the_answers_are_kept(ask, folder):
    ask("d", "q")
    (folder / "patients.csv").write_text(TABLE.replace("knee", "elbow"))
    answer = ask("d", "q")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert re.fullmatch(
        r"sameornot: patients.csv is not the table that session patients-csv-\w+ was begun with: give that "
        r"table, or start a new session with --new; earlier answers are kept\n",
        answer.stderr,
    )
    assert stored_answers() == ["different"]


@pytest.mark.slow
def test_missing_package_is_named(folder):
    code = "import sys; sys.modules['sqlalchemy'] = None; from sameornot.cli import app; app()"
    answer = subprocess.run(
        [sys.executable, "-c", code, "ask", str(Path("patients.csv"))],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert answer.returncode == 2
    assert answer.stderr == (
        "sameornot: sqlalchemy is needed for this and is not installed: pip install 'sameornot[page]'\n"
    )


@pytest.mark.slow
def test_more_groups_than_rows_that_can_be_asked_about_is_refused_and_nothing_is_stored(ask, folder):
    rows = "".join(f"{row},{row % 7}\n" for row in range(3_100))
    (folder / "large.csv").write_text("size,weight\n" + rows)
    answer = ask("s", "q", options=("--clusters", "2500"), table="large.csv")
    assert answer.exit_code == 2
    assert "2500 groups are wanted but questions are about 2000 rows of the table" in answer.stderr
    assert ask("s", "q", options=("--clusters", "3"), table="large.csv").exit_code == 0
    assert stored_answers() == ["same"]


# --- choices --------------------------------------------------------------------------------------------


@pytest.fixture
def six_kinds(folder):
    """A table of six kinds that are far apart, in turn."""
    lines = [f"R{row:02},{100 * (row % 6) + row // 6},{row // 6}" for row in range(36)]
    (folder / "kinds.csv").write_text("name,size,noise\n" + "\n".join(lines) + "\n")
    return "kinds.csv"


def answer_kinds(folder, n_screens):
    """Answer the first screens truthfully in another process's service, as the person in the terminal."""
    path = folder / "kinds.csv"
    store = open_store(default_store())
    service = LabellingService.open(store, read_table(path), title=path.name, path=path, ahead=False)
    for _ in range(n_screens):
        step = service.state("somebody")
        left, right = (step["question"][side]["row"] for side in ("left", "right"))
        service.answer("somebody", step["question"]["id"], "same" if (left - right) % 6 == 0 else "different")
    service.leave("somebody")
    service.close()


def rows_shown(answer):
    """The record and the candidates of each choice, by the names in the heads of the tables."""
    return re.findall(r"^ +(R\d\d) +(R\d\d(?: +R\d\d)+) *$", answer.stdout, re.MULTILINE)


def test_candidates_are_numbered_and_a_number_chooses_one(ask, folder, six_kinds):
    options = ("--id", "name", "--clusters", "6")
    ask("q", options=options, table=six_kinds)
    answer_kinds(folder, 9)
    shown = ask("7", "q", options=("--choices", "3"), table=six_kinds)
    assert shown.exit_code == 0, shown.output
    assert "1-3 the group it belongs to · 0 none · u unsure" in shown.stdout
    assert re.search(r"1  Group \d +2  Group \d +3  Group \d", shown.stdout)
    ((record, candidates),) = rows_shown(shown)
    row, rows = int(record[1:]), [int(name[1:]) for name in candidates.split()]
    fitting = [n for n, other in enumerate(rows, start=1) if (row - other) % 6 == 0]
    answer = ask(str(fitting[0] if fitting else 0), "q", options=("--choices", "3"), table=six_kinds)
    assert answer.exit_code == 0, answer.output
    assert len(stored_answers()) == 10
    assert stored_answers()[-1] == ("same" if fitting else "different")


def test_none_unsure_and_undo_are_answers_to_a_choice_and_1_asks_about_pairs(ask, folder, six_kinds):
    ask("q", options=("--id", "name", "--clusters", "6"), table=six_kinds)
    answer_kinds(folder, 9)
    answer = ask("u", "z", "0", "z", "q", options=(), table=six_kinds)
    assert answer.exit_code == 0, answer.output
    assert len(stored_answers()) == 9
    assert re.search(r"^Undone: R\d\d left unsure beside R\d\d or R\d\d", answer.stdout, re.MULTILINE)
    assert re.search(r"^Undone: R\d\d is not the same as R\d\d or R\d\d", answer.stdout, re.MULTILINE)
    pairs = ask("q", options=("--choices", "1"), table=six_kinds)
    assert "s same · d different" in pairs.stdout
    assert "0 none" not in pairs.stdout


@pytest.mark.parametrize(
    ("choices", "complaint"), [("0", "--choices is 0 but 1 or more"), ("10", "choices is 10 but 1 to 9")]
)
def test_a_number_of_choices_that_cannot_be_shown_gets_one_sentence(ask, choices, complaint):
    answer = ask("q", options=("--choices", choices))
    assert answer.exit_code == 2
    assert complaint in answer.stderr
