"""The server starts on the given address, or says in one sentence why not."""

import re
import signal
import subprocess
import sys
import threading
import webbrowser
from pathlib import Path

import pytest
from web_client import TIMEOUT, Browser, serving

from sameornot.web import server as server_module
from sameornot.web.address import ServerError
from sameornot.web.server import Binding, PageServer, serve


class Listener:
    """A socket that is bound to an address that tests must not use."""

    def __init__(self, address: str) -> None:
        self.address = address

    def getsockname(self):
        return (self.address, 4711)


def test_by_default_a_free_port_of_this_machine_is_served(service):
    with serving(service) as server:
        assert server.listener.getsockname() == ("127.0.0.1", server.port)
        assert server.address == f"http://127.0.0.1:{server.port}/"
        assert server.token is None
        assert Browser(server.port).get("/").status == 200


def test_address_holds_the_given_token(service):
    with serving(service, token="0123456789abcdef") as server:
        assert server.address == f"http://127.0.0.1:{server.port}/?token=0123456789abcdef"
        assert Browser(server.port).get("/?token=0123456789abcdef").status == 303


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.7", "2001:db8::7"])
def test_token_is_generated_if_other_machines_can_reach_the_host(service, monkeypatch, address):
    monkeypatch.setattr(server_module, "bind", lambda host, port: Listener(address))
    tokens = {PageServer(service, Binding(host=address)).token for _ in range(2)}
    assert len(tokens) == 2
    assert all(re.fullmatch(r"[\w-]{43}", token) for token in tokens)
    assert PageServer(service, Binding(host=address, token="0123456789abcdef")).token == "0123456789abcdef"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1"])
def test_loopback_needs_no_token(service, monkeypatch, address):
    monkeypatch.setattr(server_module, "bind", lambda host, port: Listener(address))
    assert PageServer(service, Binding(host=address)).token is None


@pytest.mark.parametrize(
    "token", ["", "short", "x" * 15, "x" * 201, "has a space in it", "ünïcödé-tökén-ßßß", "a;b" * 9]
)
def test_weak_or_unusable_token_is_refused(service, token):
    with pytest.raises(ServerError, match="a token has 16 to 200 letters"):
        PageServer(service, Binding(token=token))


def test_port_in_use_is_reported_in_one_sentence(service, server):
    with pytest.raises(ServerError, match=f"^port {server.port} is taken by another program: choose another"):
        PageServer(service, Binding(port=server.port))


@pytest.mark.parametrize("host", ["192.0.2.1", "a" * 300])
def test_address_of_another_machine_is_reported_in_one_sentence(service, host):
    with pytest.raises(ServerError, match=r"is no address of this machine: leave it out"):
        PageServer(service, Binding(host=host))


@pytest.mark.parametrize("port", [-1, 65536, 10**30])
def test_invalid_port_is_reported_in_one_sentence(service, port):
    with pytest.raises(ServerError, match=f"^port {port} does not exist"):
        PageServer(service, Binding(port=port))


def test_given_host_name_is_accepted(service):
    with serving(service, names=["lab.example"]) as server:
        browser = Browser(server.port)
        assert browser.get("/", Host=f"lab.example:{server.port}").status == 200
        assert browser.get("/", Host="lab.example").status == 403


@pytest.mark.parametrize("is_opened", [True, False])
def test_ready_is_called_with_the_address_once_the_server_answers(service, monkeypatch, is_opened):
    addresses, opened, statuses = [], threading.Event(), []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.set())

    def ready(address: str) -> None:
        addresses.append(address)
        threading.Thread(target=visit, args=(address,)).start()

    def visit(address: str) -> None:
        statuses.append(Browser(int(address.split(":")[2].rstrip("/"))).get("/").status)
        if is_opened:
            opened.wait(TIMEOUT)
        servers[0].should_exit = True

    servers: list[PageServer] = []
    run = PageServer.run
    monkeypatch.setattr(PageServer, "run", lambda self: (servers.append(self), run(self)))
    # On a thread: after browser tests, an event loop is already running on this one.
    serving = threading.Thread(
        target=serve, args=(service,), kwargs={"ready": ready, "open_browser": is_opened}
    )
    serving.start()
    serving.join(TIMEOUT)
    assert (len(addresses), statuses, opened.is_set()) == (1, [200], is_opened)


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from fake_service import FakeService
from sameornot.web.server import Binding, serve
serve(FakeService(), Binding(token="0123456789abcdef"), ready=lambda address: print(address, flush=True))
print("done", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_the_server_quietly_and_its_output_never_holds_the_token(how):
    command = [sys.executable, "-c", SCRIPT.format(folder=str(Path(__file__).parent))]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    address = process.stdout.readline()
    browser = Browser(int(re.search(r":(\d+)/", address)[1]))
    assert browser.get("/?token=0123456789abcdef").status == 303
    assert browser.get("/?token=wrong-0123456789").status == 403
    with browser.events() as lines:
        next(lines)
        process.send_signal(how)
        assert process.communicate(timeout=TIMEOUT) == ("done\n", "")
    assert process.returncode == 0
