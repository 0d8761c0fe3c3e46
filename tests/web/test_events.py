"""Every open page hears of every answer, and an open page does not stop the server from shutting down."""

import threading
from contextlib import ExitStack

import pytest
from web_client import Browser, serving

from sameornot.store import StoreError
from sameornot.web.events import EventTiming
from sameornot.web.server import PageServer

SAID = {"question": 1, "answer": "same"}


def until(lines, asked):
    """Read up to the message with so many answers."""
    return next(line for line in lines if line["progress"]["asked"] == asked)


def fail(version, timeout):
    raise StoreError("The server does not answer.")


def n_subscribers(server: PageServer) -> int:
    return len(server.app.state.events._subscribers)


def test_each_page_gets_its_own_message_about_an_answer(server, service):
    ana, ben = Browser(server.port), Browser(server.port)
    ana.get("/")
    ben.get("/")
    with ana.events() as to_ana, ben.events() as to_ben:
        assert until(to_ana, 0)["progress"]["yours"] == 0
        assert until(to_ben, 0)["progress"]["yours"] == 0
        ana.post("answer", SAID)
        messages = until(to_ana, 1), until(to_ben, 1)
        assert [line["progress"]["yours"] for line in messages] == [1, 0]
        assert all(set(line) == {"progress", "version"} for line in messages)
        ben.post("answer", SAID)
        messages = until(to_ana, 2), until(to_ben, 2)
        assert [line["progress"]["yours"] for line in messages] == [1, 1]


def test_page_opened_later_gets_the_current_progress(server, browser, service):
    browser.get("/")
    browser.post("answer", SAID)
    with browser.events() as lines:
        assert next(lines)["progress"] == {"asked": 1, "yours": 1}


def test_closed_page_is_unsubscribed(service):
    with serving(service) as server:
        for _ in range(3):
            with Browser(server.port).events() as lines:
                next(lines)
                assert n_subscribers(server) == 1
            while n_subscribers(server):
                pass  # the server notices without another request


def test_closed_page_releases_its_question(service):
    with (
        serving(service, EventTiming(poll=0.01, reload=0.05)) as server,
        Browser(server.port).events() as stays,
    ):
        with Browser(server.port).events() as leaves:
            until(leaves, 0)
            until(stays, 0)
        for _ in stays:
            left = [person for call, person, _ in service.calls if call == "leave"]
            if left:
                break
    assert len(left) == 1


def test_quiet_page_is_kept_alive(service):
    with (
        serving(service, EventTiming(heartbeat=0.01)) as server,
        Browser(server.port).open("GET", "/api/events") as response,
    ):
        beats = (line for line in response if line.startswith(b": still"))
        assert [next(beats) for _ in range(3)] == [b": still here\n"] * 3


def test_temporary_failure_of_the_store_does_not_end_the_stream(service):
    with serving(service, EventTiming(poll=0.01)) as server, Browser(server.port).events() as lines:
        until(lines, 0)
        wait, service.wait = service.wait, fail
        Browser(server.port).post("answer", SAID)
        service.wait = wait
        assert until(lines, 1)["progress"]["asked"] == 1


def test_streams_end_when_the_watching_thread_fails(service, monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    with serving(service) as server:
        browser = Browser(server.port)
        with browser.events() as lines:
            until(lines, 0)
            monkeypatch.setattr(service, "progress", lambda person: 1 / 0)
            browser.post("answer", SAID)
            assert list(lines) == []  # the stream ends
        assert browser.get("/api/events").status == 503
        assert browser.post("answer", SAID).status == 200
    assert [args.exc_type for args in seen] == [ZeroDivisionError]


def test_too_many_pages_are_refused_in_one_sentence(service):
    with serving(service, EventTiming(max_pages=2)) as server:
        browser = Browser(server.port)
        with browser.events(), browser.events():
            reply = browser.get("/api/events")
            assert (reply.status, set(reply.json())) == (503, {"error"})
            assert browser.post("answer", SAID).status == 200


@pytest.mark.slow
def test_open_page_does_not_stop_the_server_from_shutting_down(service, caplog):
    with ExitStack() as page:
        with serving(service) as server:
            response = page.enter_context(Browser(server.port).open("GET", "/api/events"))
            assert response.readline().startswith(b":")
        # The stream has ended by itself: if the server had cancelled it, it would have logged that.
        assert response.read().count(b"event: progress") <= 1
    assert caplog.text == ""


def test_service_is_not_used_once_the_server_has_stopped(service):
    with serving(service) as server, Browser(server.port).events() as lines:
        next(lines)
        watching = server.app.state.events._thread
        assert watching.is_alive()
    assert not watching.is_alive()
