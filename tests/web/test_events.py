"""Every open page is told of every answer, and an open page keeps nobody from leaving."""

import threading
from contextlib import ExitStack

from web_client import Browser, serving

from sameornot.store import StoreProblem
from sameornot.web import events
from sameornot.web.server import PageServer

SAID = {"question": 1, "answer": "same"}


def until(lines, asked):
    """Read on to the line that speaks of so many answers."""
    return next(line for line in lines if line["progress"]["asked"] == asked)


def away(version, timeout):
    raise StoreProblem("The server does not answer.")


def seats(server: PageServer) -> int:
    return len(server.app.state.events._seats)


def test_both_pages_hear_of_an_answer_each_in_its_own_words(server, desk):
    ana, ben = Browser(server.port), Browser(server.port)
    ana.get("/")
    ben.get("/")
    with ana.events() as to_ana, ben.events() as to_ben:
        assert until(to_ana, 0)["progress"]["yours"] == 0
        assert until(to_ben, 0)["progress"]["yours"] == 0
        ana.post("answer", SAID)
        told = until(to_ana, 1), until(to_ben, 1)
        assert [line["progress"]["yours"] for line in told] == [1, 0]
        assert all(set(line) == {"progress", "version"} for line in told)
        ben.post("answer", SAID)
        told = until(to_ana, 2), until(to_ben, 2)
        assert [line["progress"]["yours"] for line in told] == [1, 1]


def test_a_page_that_comes_later_hears_where_things_stand(server, browser, desk):
    browser.get("/")
    browser.post("answer", SAID)
    with browser.events() as lines:
        assert next(lines)["progress"] == {"asked": 1, "yours": 1}


def test_a_closed_page_gives_up_its_seat(desk):
    with serving(desk) as server:
        for _ in range(3):
            with Browser(server.port).events() as lines:
                next(lines)
                assert seats(server) == 1
            while seats(server):
                pass  # the server notices without being spoken to


def test_a_closed_page_gives_its_question_back(desk, monkeypatch):
    monkeypatch.setattr(events, "PATIENCE", 0.01)
    monkeypatch.setattr(events, "RELOAD", 0.05)
    with serving(desk) as server, Browser(server.port).events() as stays:
        with Browser(server.port).events() as leaves:
            until(leaves, 0)
            until(stays, 0)
        for _ in stays:
            left = [person for call, person, _ in desk.calls if call == "leave"]
            if left:
                break
    assert len(left) == 1


def test_a_quiet_page_is_kept_alive(desk, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.01)
    with serving(desk) as server, Browser(server.port).open("GET", "/api/events") as response:
        beats = (line for line in response if line.startswith(b": still"))
        assert [next(beats) for _ in range(3)] == [b": still here\n"] * 3


def test_a_store_that_is_away_for_a_while_does_not_end_the_news(desk, monkeypatch):
    monkeypatch.setattr(events, "PATIENCE", 0.01)
    with serving(desk) as server, Browser(server.port).events() as lines:
        until(lines, 0)
        wait, desk.wait = desk.wait, away
        Browser(server.port).post("answer", SAID)
        desk.wait = wait
        assert until(lines, 1)["progress"]["asked"] == 1


def test_pages_that_will_hear_nothing_more_are_told(desk, monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    with serving(desk) as server:
        browser = Browser(server.port)
        with browser.events() as lines:
            until(lines, 0)
            monkeypatch.setattr(desk, "progress", lambda person: 1 / 0)
            browser.post("answer", SAID)
            assert list(lines) == []  # the stream ends
        assert browser.get("/api/events").status == 503
        assert browser.post("answer", SAID).status == 200
    assert [args.exc_type for args in seen] == [ZeroDivisionError]


def test_too_many_pages_are_turned_away_in_one_sentence(desk, monkeypatch):
    monkeypatch.setattr(events, "MAX_SEATS", 2)
    with serving(desk) as server:
        browser = Browser(server.port)
        with browser.events(), browser.events():
            reply = browser.get("/api/events")
            assert (reply.status, set(reply.json())) == (503, {"error"})
            assert browser.post("answer", SAID).status == 200


def test_an_open_page_does_not_keep_the_server_from_stopping(desk, caplog):
    with ExitStack() as page:
        with serving(desk) as server:
            response = page.enter_context(Browser(server.port).open("GET", "/api/events"))
            assert response.readline().startswith(b":")
        # The stream has ended by itself: had the server to cancel it, it would have complained.
        assert response.read().count(b"event: progress") <= 1
    assert caplog.text == ""


def test_the_desk_is_left_alone_once_the_server_has_stopped(desk):
    with serving(desk) as server, Browser(server.port).events() as lines:
        next(lines)
        watching = server.app.state.events._thread
        assert watching.is_alive()
    assert not watching.is_alive()
