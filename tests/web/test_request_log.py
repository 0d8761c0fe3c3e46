"""The structured log has a line for each request, and holds no token and no cell."""

import json
import logging
import re

import pytest
from web_client import Browser, serving

from sameornot.web.request_log import LOGGER, JsonLines

TOKEN = "a-token-that-nobody-guesses"
CELL = "a cell of the table"


@pytest.fixture
def lines(caplog):
    """The log as lines of JSON, once the requests have ended."""
    caplog.set_level(logging.INFO, LOGGER.name)
    return lambda: [json.loads(JsonLines().format(record)) for record in caplog.records]


def test_each_request_is_a_line_without_tokens_and_arguments(service, lines):
    with serving(service, token=TOKEN, public_url="https://lab.example/team") as server:
        browser = Browser(server.port)
        browser.get(f"/team/?token={TOKEN}", Host="lab.example")
        browser.get("/team/api/members?group=secret-name&order=typical", Host="lab.example")
        browser.get("/image/17", Host="lab.example")
        browser.get("/secret-name/secret-name", Host="lab.example")
        browser.get("/", Host="evil.example")
        browser.post("answer", {"question": 1, "answer": "same"}, Host="lab.example")
        browser.get("/team/health")
    requests = [line for line in lines() if line["event"] == "request"]
    assert [(line["method"], line["route"], line["status"]) for line in requests] == [
        ("GET", "/", 303),
        ("GET", "/api/members", 200),
        ("GET", "/image", 404),
        ("GET", "unknown", 404),
        ("GET", "/", 403),
        ("POST", "/api/answer", 200),
        ("GET", "/health", 200),
    ]
    for line in requests:
        assert {"time", "level", "ms", "person", "client"} <= set(line)
    assert len({line["person"] for line in requests[:-1]}) == 1
    text = json.dumps(lines())
    person = browser.cookies["sameornot_person"]
    assert not any(secret in text for secret in (TOKEN, "secret-name", person))


def test_an_error_is_logged_by_its_type_and_place_and_without_its_message(service, lines):
    service.failure = RuntimeError(CELL)
    with serving(service) as server:
        assert Browser(server.port).post("answer", {"question": 1, "answer": "same"}).status == 500
    [failed] = [line for line in lines() if line["level"] == "error"]
    assert failed["error"] == "RuntimeError"
    assert re.search(r"fake_service\.py:\d+ _do$", failed["at"][-1])
    assert CELL not in json.dumps(lines())
    assert [line["status"] for line in lines() if line["event"] == "request"] == [500]


def test_health_says_that_the_store_is_gone(service):
    from sameornot.store import StoreError

    with serving(service, token=TOKEN) as server:
        service.failure = StoreError("secret place")
        reply = Browser(server.port).get("/health", Host="10.0.0.1")
        assert (reply.status, reply.json()) == (503, {"status": "the store cannot be reached"})


@pytest.mark.slow
def test_a_request_under_way_is_finished_before_the_server_stops(service):
    import threading

    service.gates["answer"] = gate = threading.Event()
    replies = []
    with serving(service) as server:
        browser = Browser(server.port)
        said = {"question": 1, "answer": "same"}
        sender = threading.Thread(target=lambda: replies.append(browser.post("answer", said)))
        sender.start()
        with browser.events() as news:
            next(news)
            server.should_exit = True
            for _ in news:  # the stream ends while the answer is still under way
                pass
        gate.set()
        sender.join()
    assert [reply.status for reply in replies] == [200]
