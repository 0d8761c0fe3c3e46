"""Malformed requests over every route: no internal error, no change without the right to it, no hang.

`benchmarks/robustness.py` sends many more of them.
"""

import socket
from contextlib import closing

import hostile
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from web_client import TIMEOUT, serving

from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.web.endpoints import COMMANDS, MANAGED, QUERIES

TOKEN = "a-token-that-nobody-guesses"
WRONG = "a-token-that-somebody-guessed"


class Target:
    """A page with a token and a link on a small table, and what its store holds."""

    def __init__(self, folder):
        values = np.random.default_rng(0).normal(size=(hostile.N_ROWS, 2))
        self.service = LabellingService.open(
            open_store(folder / "s.sqlite"), pd.DataFrame(values), title="t", options=Options(), ahead=False
        )
        self.reader = open_store(folder / "s.sqlite")

    def events(self):
        """Everything that was stored, but for pages that went away."""
        return [event for event in self.reader.read(self.service.session) if event.kind != "left"]


def check(target, sender, request, before):
    """Send a request, and check the response and what it changed; returns the events after it."""
    answered = sender.send(request)
    after = target.events() if target.service.version != before[-1].seq else before
    assert answered.status < 500, answered.body
    name = request.path.partition("?")[0].rpartition("/")[2]
    if request.right in ("nobody", "wrong token", "other site") and request.path != "/health":
        assert answered.status in (403, 405, 429), request
    if request.right == "link" and request.path == f"/api/{name}" and name in MANAGED:
        assert answered.status in (403, 405), request
    if answered.status >= 400:
        assert len(after) == len(before), request
        assert len(answered.body) < 5000
        assert b"Traceback" not in answered.body
    return after


@pytest.fixture(scope="module")
def target(tmp_path_factory):
    target = Target(tmp_path_factory.mktemp("hostile"))
    yield target
    target.service.close()
    target.reader.close()


@pytest.fixture(scope="module")
def sender(target):
    with serving(target.service, token=TOKEN) as server:
        token = target.service.invite("owner", "Ana", "annotate")["token"]
        tokens = {"owner": TOKEN, "link": token, "wrong token": WRONG}
        with closing(hostile.Sender(server.port, tokens)) as sender:
            yield sender


def test_schema_names_every_route():
    assert set(hostile.BODIES) == set(COMMANDS)
    assert set(hostile.ARGUMENTS) == set(QUERIES)


@settings(max_examples=400, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(request=hostile.requests())
def test_malformed_requests_get_a_sentence_and_change_nothing(target, sender, request):
    check(target, sender, request, target.events())


@pytest.mark.parametrize("raw", hostile.RAW, ids=lambda raw: ascii(raw[:24]))
def test_what_is_no_http_is_refused_and_the_next_request_is_answered(target, sender, raw):
    before = len(target.events())
    with closing(socket.create_connection(("127.0.0.1", sender.port), timeout=TIMEOUT)) as connection:
        try:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(12)
        except OSError:
            answer = b""
    assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4"))
    assert len(target.events()) == before
    assert sender.send(hostile.Hostile("GET", "/health")).status == 200
