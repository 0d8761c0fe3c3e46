"""Connections that send nothing, or too slowly, are closed and keep nobody out; with real sockets."""

import socket
import time
from contextlib import ExitStack, closing

import pytest
from web_client import TIMEOUT, Browser, serving

from sameornot.web import server as server_module
from sameornot.web.connections import HEAD_SECONDS, MAX_CONNECTIONS, GuardedProtocol, max_connections

ROOM = 20  # connections of the server in these tests


class Hasty(GuardedProtocol):
    head_seconds = 0.4
    body_seconds = 0.4
    max_connections = ROOM


class Patient(GuardedProtocol):
    max_connections = ROOM


@pytest.fixture
def hasty(service, monkeypatch):
    monkeypatch.setattr(server_module, "GuardedProtocol", Hasty)
    with serving(service) as server:
        yield server


@pytest.fixture
def patient(service, monkeypatch):
    monkeypatch.setattr(server_module, "GuardedProtocol", Patient)
    with serving(service) as server:
        yield server


def connect(server):
    return closing(socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT))


def is_closed(connection):
    """Whether the server has closed a connection; waits for it."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def drip(connection, until):
    """Send a letter at a time."""
    while time.monotonic() < until:
        connection.sendall(b"x")
        time.sleep(0.02)


HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
POST = HEAD.replace(b"GET /", b"POST /api/undo")
HALF_BODY = POST + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
PARTS = {"nothing": b"", "a letter": b"G", "half a head": HEAD, "half a body": HALF_BODY}


@pytest.mark.parametrize("sent", PARTS.values(), ids=PARTS)
def test_request_that_is_not_sent_in_time_is_given_up(hasty, service, sent):
    with connect(hasty) as connection:
        connection.sendall(sent.replace(b"%d", str(hasty.port).encode()))
        while True:  # a refusal may come first
            try:
                if not connection.recv(4096):
                    break
            except ConnectionResetError:
                break
    assert service.calls == []
    assert Browser(hasty.port).get("/").status == 200


def test_head_that_comes_letter_by_letter_has_no_more_time(hasty):
    with connect(hasty) as connection, pytest.raises((BrokenPipeError, ConnectionResetError)):
        drip(connection, until=time.monotonic() + TIMEOUT)


def test_second_head_on_one_connection_has_its_own_time(hasty):
    with connect(hasty) as connection:
        request = (HEAD + b"\r\n").replace(b"%d", str(hasty.port).encode())
        for _ in range(3):
            connection.sendall(request)
            assert connection.recv(15).startswith(b"HTTP/1.1 200")
            time.sleep(0.3)
            connection.setblocking(False)
            while True:
                try:
                    assert connection.recv(65536)
                except BlockingIOError:
                    break
            connection.settimeout(TIMEOUT)
        connection.sendall(b"GET")
        assert is_closed(connection)


def test_open_event_stream_outlives_the_time_for_a_request(hasty):
    with Browser(hasty.port).events() as events:
        time.sleep(0.8)
        Browser(hasty.port).post("undo", {})
        assert next(events)


def test_idle_connections_make_room_for_new_ones(patient):
    with ExitStack() as stack:
        idle = [stack.enter_context(connect(patient)) for _ in range(3 * ROOM)]
        assert Browser(patient.port).get("/").status == 200
        assert all(is_closed(connection) for connection in idle[:ROOM])
        assert len(patient.server_state.connections) <= ROOM + 1


def test_connections_with_a_request_under_way_are_not_closed_for_new_ones(patient):
    with Browser(patient.port).events() as events, ExitStack() as stack:
        for _ in range(3 * ROOM):
            stack.enter_context(connect(patient))
        Browser(patient.port).post("undo", {})
        assert next(events)


def test_default_limits_leave_files_for_other_things():
    assert max_connections(1024) == MAX_CONNECTIONS < 1024 - 128
    assert max_connections(100) == 16
    assert 16 <= GuardedProtocol.max_connections <= MAX_CONNECTIONS
    assert GuardedProtocol.head_seconds == HEAD_SECONDS <= 30
