"""The server starts where it is told to, or says in one sentence why not."""

import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from web_client import TIMEOUT, Browser, serving

from sameornot.web import server as server_module
from sameornot.web.server import PageServer, ServerProblem, allowed_hosts, serve


class Listener:
    """A socket that is bound to an address that tests must not use."""

    def __init__(self, address: str) -> None:
        self.address = address

    def getsockname(self):
        return (self.address, 4711)


def test_a_free_port_is_found_and_only_this_machine_is_served(desk):
    with serving(desk) as server:
        assert server.listener.getsockname() == ("127.0.0.1", server.port)
        assert server.address == f"http://127.0.0.1:{server.port}/"
        assert server.token is None
        assert Browser(server.port).get("/").status == 200


def test_the_address_holds_the_token_that_was_given(desk):
    with serving(desk, token="0123456789abcdef") as server:
        assert server.address == f"http://127.0.0.1:{server.port}/?token=0123456789abcdef"
        assert Browser(server.port).get("/?token=0123456789abcdef").status == 303


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "2001:db8::7"])
def test_other_machines_need_a_token(desk, monkeypatch, address):
    monkeypatch.setattr(server_module, "bind", lambda host, port: Listener(address))
    tokens = {PageServer(desk, host=address).token for _ in range(2)}
    assert len(tokens) == 2
    assert all(re.fullmatch(r"[\w-]{43}", token) for token in tokens)
    assert PageServer(desk, host=address, token="0123456789abcdef").token == "0123456789abcdef"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1"])
def test_this_machine_needs_none(desk, monkeypatch, address):
    monkeypatch.setattr(server_module, "bind", lambda host, port: Listener(address))
    assert PageServer(desk, host=address).token is None


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 15, "x" * 201, "has a space in it", "ünïcödé-tökén-ßßß", "a;b" * 9]
)
def test_a_token_that_can_be_guessed_or_cannot_be_a_cookie_is_refused(desk, token):
    with pytest.raises(ServerProblem, match="a token has 16 to 200 letters"):
        PageServer(desk, token=token)


def test_a_taken_port_is_one_sentence(desk, server):
    with pytest.raises(
        ServerProblem, match=f"^port {server.port} is taken by another program: choose another"
    ):
        PageServer(desk, port=server.port)


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 300])
def test_an_address_of_another_machine_is_one_sentence(desk, host):
    with pytest.raises(ServerProblem, match=r"is no address of this machine: leave it out"):
        PageServer(desk, host=host)


@pytest.mark.parametrize("port", [-1, 65536, 10**30])
def test_a_port_that_does_not_exist_is_one_sentence(desk, port):
    with pytest.raises(ServerProblem, match=f"^port {port} does not exist"):
        PageServer(desk, port=port)


def test_hosts_are_the_names_of_this_machine_and_those_given():
    hosts = allowed_hosts(["lab", "2001:db8::7", "[::1]", "proxy.example:443"], 8000)
    local = ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"]
    assert hosts == [*local, "lab:8000", "[2001:db8::7]:8000", "proxy.example:443"]
    assert {"127.0.0.1", "lab", "[::1]"} <= set(allowed_hosts(["lab"], 80))


def test_a_further_name_is_answered(desk):
    with serving(desk, names=["lab.example"]) as server:
        browser = Browser(server.port)
        assert browser.get("/", Host=f"lab.example:{server.port}").status == 200
        assert browser.get("/", Host="lab.example").status == 403


@pytest.mark.parametrize("is_opened", [True, False])
def test_whoever_starts_it_is_told_the_address_once_it_answers(desk, monkeypatch, is_opened):
    told, opened, statuses = [], threading.Event(), []
    monkeypatch.setattr(server_module.webbrowser, "open", lambda address: opened.set())

    def ready(address: str) -> None:
        told.append(address)
        threading.Thread(target=visit, args=(address,)).start()

    def visit(address: str) -> None:
        statuses.append(Browser(int(address.split(":")[2].rstrip("/"))).get("/").status)
        if is_opened:
            opened.wait(TIMEOUT)
        servers[0].should_exit = True

    servers: list[PageServer] = []
    run = PageServer.run
    monkeypatch.setattr(PageServer, "run", lambda self: (servers.append(self), run(self)))
    # In a thread of its own: where browser tests came first, this one has a loop that runs already.
    serving = threading.Thread(target=serve, args=(desk,), kwargs={"ready": ready, "open_browser": is_opened})
    serving.start()
    serving.join(TIMEOUT)
    assert (len(told), statuses, opened.is_set()) == (1, [200], is_opened)


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from fake_desk import FakeDesk
from sameornot.web.server import serve
serve(FakeDesk(), token="0123456789abcdef", ready=lambda address: print(address, flush=True))
print("done", flush=True)
"""


def test_ctrl_c_ends_it_quietly_and_nothing_it_wrote_holds_the_token():
    command = [sys.executable, "-c", SCRIPT.format(folder=str(Path(__file__).parent))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline()
    browser = Browser(int(re.search(r":(\d+)/", address)[1]))
    assert browser.get("/?token=0123456789abcdef").status == 303
    assert browser.get("/?token=wrong-0123456789").status == 403
    with browser.events() as lines:
        next(lines)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=TIMEOUT) == ("done\n", "")
    assert process.returncode == 0
