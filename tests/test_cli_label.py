"""`sameornot label` and `demo`: the page of a real process over HTTP, from its address to Ctrl-C."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing, contextmanager
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.store import default_store, open_store

TABLE = "patient,age,ward\n" + "".join(
    f"P{row:02},{row % 3 * 30 + row % 7},w{row % 3}\n" for row in range(30)
)
COMMAND = [sys.executable, "-c", "from sameornot.cli import app; app()"]
# Seconds that Ctrl-C may take on a loaded machine.
TIMEOUT = 30


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder but for a table, and a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("SAMEORNOT_TOKEN", raising=False)
    (tmp_path / "patients.csv").write_text(TABLE)
    return tmp_path


class Browser:
    """Opens the printed address, and keeps cookies."""

    def __init__(self, address):
        self.base = address.partition("?")[0]
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        self.page = self.opener.open(address, timeout=TIMEOUT).read().decode()

    def get(self, name):
        return json.load(self.opener.open(f"{self.base}api/{name}", timeout=TIMEOUT))

    def post(self, name, said):
        headers = {"Content-Type": "application/json"}
        request = Request(f"{self.base}api/{name}", json.dumps(said).encode(), headers)
        return json.load(self.opener.open(request, timeout=TIMEOUT))


@contextmanager
def page(*arguments):
    """Run the command as a process and yield the address that it prints; Ctrl-C has to end it quietly."""
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen([*COMMAND, *arguments], **pipes, text=True, env=environment) as process:
        try:
            lines = iter(process.stdout.readline, "")
            found = next((at for line in lines if (at := re.search(r" is at (http://\S+)$", line))), None)
            assert found, process.stderr.read()
            assert next(lines).startswith("Press Ctrl-C to stop. Every answer is saved")
            yield found[1]
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=TIMEOUT)[1]
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")


def sessions():
    """The sessions in the store, which is only made if it is missing."""
    with closing(open_store(default_store())) as store:
        return store.sessions()


def call(*arguments, typed=""):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=typed)


@pytest.mark.slow
def test_session_is_resumed_on_the_page_and_in_the_terminal_and_new_starts_another():
    options = ["--id", "patient", "--clusters", "3", "--no-browser"]
    with page("label", "patients.csv", *options) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with pytest.raises(HTTPError, match="403"):
            Browser(address.partition("?")[0])
        first = Browser(address)
        assert "<html" in first.page
        begun = first.get("state")
        assert re.fullmatch(r"P\d\d", begun["question"]["left"]["id"])
        answered = first.post("answer", {"question": begun["question"]["id"], "answer": "different"})
        assert answered["progress"]["asked"] == 1
    with page("label", "patients.csv", "--no-browser", "--token", "0123456789abcdef") as address:
        assert address.endswith("/?token=0123456789abcdef")
        resumed = Browser(address).get("state")
        assert (resumed["session"], resumed["clusters"]) == (begun["session"], 3)
        assert resumed["progress"]["asked"] == 1
    assert "2 of 90" in call("ask", "patients.csv", typed="q\n").stdout
    with page("label", "patients.csv", "--no-browser", "--new") as address:
        new = Browser(address).get("state")
        assert new["session"] == f"{begun['session']}-2"
        assert new["progress"]["asked"] == 0


@pytest.mark.slow
def test_demo_opens_the_page_on_its_own_table_and_store(folder):
    with page("demo", "--no-browser") as address:
        state = Browser(address).get("state")
    assert (state["title"], state["rows"], state["clusters"]) == ("Breast tumours (demo)", 569, 2)
    assert "diagnosis" in [field["column"] for field in state["question"]["fields"]]
    assert not default_store().exists()
    assert default_store().with_name("demo.sqlite").is_file()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nope.csv"], "there is no file nope.csv: check the name and the folder"),
        (["patients.csv", "--id", "x"], "id names the column 'x', and the table has age, patient, ward"),
        (
            ["patients.csv", "--image", "x"],
            "image names the column 'x', and the table has age, patient, ward",
        ),
        (
            ["patients.csv", "--ignore", "age,x"],
            "ignore names the column 'x', and the table has age, patient, ward",
        ),
        (["patients.csv", "--clusters", "31"], "31 groups are wanted but the table has 30 rows"),
        (["patients.csv", "--clusters", "0"], "--clusters is 0 but 1 or more is needed"),
        (["patients.csv", "--budget", "0"], "--budget is 0 but 1 or more is needed"),
        (["patients.csv", "--seed", "-1"], "--seed is -1 but 0 or more is needed"),
        (["patients.csv", "--port", "70000"], "port 70000 does not exist: choose one from 1024 to 65535"),
        (
            ["patients.csv", "--host", "nowhere.invalid"],
            "'nowhere.invalid' is no address of this machine: leave it out for 127.0.0.1",
        ),
        (
            ["patients.csv", "--annotator", "https://host/v1"],
            "--annotator needs --annotator-model with the name of the model there",
        ),
        (
            ["patients.csv", "--annotator-model", "m"],
            "--annotator-model and --annotator-task need --annotator with the address of an endpoint",
        ),
        (
            ["patients.csv", "--annotator", "host/v1", "--annotator-model", "m"],
            "the address of the annotator is 'host/v1' but one like https://host/v1 is needed",
        ),
        (
            ["patients.csv", "--host", "0.0.0.0", "--token", "guess"],
            "a token has 16 to 200 letters, digits, - and _: choose another, or leave it out",
        ),
    ],
)
def test_invalid_options_get_one_sentence(arguments, complaint):
    answer = call("label", *arguments, "--no-browser")
    assert (answer.exit_code, answer.stdout, answer.stderr) == (2, "", f"sameornot: {complaint}\n")
    assert sessions() == []


def test_port_in_use_gets_one_sentence():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        answer = call("label", "patients.csv", "--no-browser", "--port", port)
    sentence = f"port {port} is taken by another program: choose another, or leave it out to get a free one"
    assert (answer.exit_code, answer.stdout, answer.stderr) == (2, "", f"sameornot: {sentence}\n")
    assert sessions() == []


def test_command_without_its_extra_says_what_to_install():
    code = "import sys; sys.modules['typer'] = None; from sameornot.__main__ import main; main()"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=TIMEOUT)
    sentence = "sameornot: typer is needed and is not installed: pip install 'sameornot[page]'\n"
    assert (run.returncode, run.stdout, run.stderr) == (1, "", sentence)


def test_changed_table_is_refused_and_the_answers_are_kept(folder):
    call("ask", "patients.csv", typed="d\nq\n")
    (folder / "patients.csv").write_text(TABLE.replace("w0", "w9"))
    answer = call("label", "patients.csv", "--no-browser")
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert re.fullmatch(
        r"sameornot: patients.csv is not the table that session \S+ was begun with: [^\n]+--new[^\n]+\n",
        answer.stderr,
    )
    store = open_store(default_store())
    assert [line.n_answers for line in store.sessions()] == [1]
    store.close()


@pytest.mark.slow
def test_ctrl_c_stops_the_server_while_a_page_is_open():
    """An open event stream does not delay the shutdown."""
    with page("label", "patients.csv", "--no-browser") as address:
        browser = Browser(address)
        stream = browser.opener.open(f"{browser.base}api/events", timeout=TIMEOUT)
        assert stream.status == 200
    stream.close()
