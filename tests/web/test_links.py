"""Personal links open a session as one person with one role, until they are taken back or expire."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from web_client import TIMEOUT, Browser, serving

from sameornot.service import LabellingService, Options
from sameornot.service.events import Invited, draft
from sameornot.service.links import token_hash
from sameornot.service.session_links import FRESH, SessionLinks
from sameornot.store import open_store
from sameornot.web import access as access_module
from sameornot.web.access import MAX_WRONG
from sameornot.web.events import EventTiming

TOKEN = "a-token-that-nobody-guesses"
Y = np.arange(24) % 3
TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(24, 3)) + 4.0 * Y[:, None], columns=list("abc"))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("links") / "sessions.sqlite"


@pytest.fixture(scope="module")
def service(place):
    service = LabellingService.open(open_store(place), TABLE, title="cells", options=Options(clusters=3))
    yield service
    service.close()


@pytest.fixture(scope="module")
def server(service):
    timing = EventTiming(poll=0.1)
    with serving(service, timing, token=TOKEN) as server:
        yield server


@pytest.fixture
def invite(server):
    """Make a link as the owner does; a browser that has opened it, and what the server said of the link."""
    owner = Browser(server.port)
    assert owner.get(f"/?token={TOKEN}").status == 303

    def make(name, role="annotate", **options):
        reply = owner.post("invite", {"name": name, "role": role, **options})
        assert reply.status == 200, reply.text
        made = reply.json()
        person = Browser(server.port)
        opened = person.get(f"/?token={made['token']}")
        assert (opened.status, opened.headers["location"]) == (303, "/")
        person.token = made["token"]
        return person, made["link"]

    make.owner = owner
    return make


def answer(browser, step=None):
    question = (step or browser.get("/api/state").json())["question"]
    same = Y[question["left"]["row"]] == Y[question["right"]["row"]]
    said = {"question": question["id"], "answer": "same" if same else "different"}
    reply = browser.post("answer", said)
    assert reply.status == 200, reply.text
    return reply.json()


def test_answers_are_signed_by_the_link_and_cannot_be_by_another(invite, service, place):
    ana, link = invite("Ana")
    state = ana.get("/api/state").json()
    assert state["person"] == {"id": f"link:{link['id']}", "name": "Ana", "role": "annotate", "is_link": True}
    ana.cookies["sameornot_person"] = "link:00000000"  # no cookie of hers says who she is
    answer(ana)
    store = open_store(place)
    event = [event for event in store.read(service.session) if event.kind == "answered"][-1]
    store.close()
    assert event.author == f"link:{link['id']}"
    assert ana.get("/api/history").json()["answers"][-1]["author"] == "Ana"
    reply = ana.post("introduce", {"name": "Ben"})
    assert (reply.status, reply.json()["error"]) == (400, "your name is the one that your link was made for")


def test_one_link_in_two_browsers_is_one_person(invite, server):
    ana, _ = invite("Ana")
    phone = Browser(server.port)
    phone.get(f"/?token={ana.token}")
    first, second = (browser.get("/api/state").json() for browser in (ana, phone))
    assert first["question"]["id"] == second["question"]["id"]


def test_token_is_nowhere_in_the_store(invite, place):
    ana, _ = invite("Ana")
    answer(ana)
    assert ana.token.encode() not in place.read_bytes()
    assert token_hash(ana.token).encode() in place.read_bytes()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/api/team", None),
        ("GET", "/download/labels.csv", None),
        ("GET", "/download/model.json", None),
        ("POST", "/api/invite", '{"name": "Eve", "role": "manage"}'),
        ("POST", "/api/revoke", '{"link": "00000000"}'),
    ],
)
def test_link_for_answering_cannot_manage(invite, method, path, body):
    ana, _ = invite("Ana")
    mia, _ = invite("Mia", "manage")
    headers = {"Content-Type": "application/json"}
    reply = ana.request(method, path, body, headers)
    assert (reply.status, "ask for one that can also manage" in reply.json()["error"]) == (403, True)
    assert mia.request(method, path, body, headers).status in (200, 400)


def test_managers_see_the_links_without_their_tokens(invite):
    ana, link = invite("Ana Lise")
    mia, _ = invite("Mia", "manage", days=3)
    answer(ana)
    team = mia.get("/api/team")
    lines = {line["id"]: line for line in team.json()["links"]}
    assert (lines[link["id"]]["name"], lines[link["id"]]["answers"], lines[link["id"]]["open"]) == (
        "Ana Lise", 1, True,
    )  # fmt: skip
    assert ana.token not in team.text
    assert token_hash(ana.token) not in team.text


def test_link_that_is_taken_back_opens_nothing_and_frees_its_question(invite, service):
    ana, link = invite("Ana")
    answer(ana)
    assert f"link:{link['id']}" in service._live.log.latest.leases
    with ana.events() as lines:
        next(lines)
        assert invite.owner.post("revoke", {"link": link["id"]}).status == 200
        for _ in lines:  # the stream of news ends
            pass
    for reply in (
        ana.get("/api/state"),
        ana.get("/"),
        ana.get(f"/?token={ana.token}"),
        ana.get("/api/events"),
    ):
        assert reply.status == 403
        assert "the link of Ana was taken back: ask for a new one" in reply.text
    assert f"link:{link['id']}" not in service._live.log.latest.leases
    assert any(line["author"] == "Ana" for line in invite.owner.get("/api/history").json()["answers"])


def test_link_taken_back_by_another_process_opens_nothing_soon_after(invite, service, place):
    ana, link = invite("Ana")
    assert ana.get("/static/page.css").status == 200
    store = open_store(place)
    SessionLinks.of(store, store.sessions()[0]).revoke("", link["id"])
    store.close()
    time.sleep(FRESH)
    assert ana.get("/static/page.css").status == 403


def test_link_expires(invite, service):
    ana, link = invite("Ana", days=1)
    assert ana.get("/api/state").status == 200
    assert datetime.fromisoformat(link["expires"]) - datetime.fromisoformat(link["made"]) < timedelta(
        days=1.001
    )
    over = Invited(
        "00000001", "Ben", "annotate", token_hash("x" * 32), datetime.now(UTC) - timedelta(seconds=1)
    )
    service._live.log.append(service._live.log.read(), [draft("", over)])
    ben = Browser(ana.port)
    reply = ben.get(f"/?token={'x' * 32}")
    assert (reply.status, reply.json()["error"]) == (403, "the link of Ben has expired: ask for a new one")


@contextmanager
def fresh_server(service, monkeypatch, window=60.0) -> Iterator[int]:
    monkeypatch.setattr(access_module, "WINDOW", window)
    with serving(service, token=TOKEN) as server:
        yield server.port


def test_after_many_wrong_tokens_none_is_looked_at_for_a_while(service, monkeypatch):
    with fresh_server(service, monkeypatch, window=1.5) as port:
        known = Browser(port)
        assert known.get(f"/?token={TOKEN}").status == 303
        replies = [Browser(port).get(f"/?token=wrong-{n:026}") for n in range(MAX_WRONG + 1)]
        assert {reply.status for reply in replies[:-1]} == {403}
        assert (replies[-1].status, replies[-1].headers["retry-after"]) == (429, "60")
        assert known.get("/api/groups").status == 200  # who is in stays in
        time.sleep(1.6)
        assert Browser(port).get(f"/?token={TOKEN}").status == 303


def test_wrong_token_of_a_page_left_open_counts_once(service, monkeypatch):
    with fresh_server(service, monkeypatch) as port:
        left_open = Browser(port)
        left_open.cookies = {f"sameornot_token_{port}": "one-that-was-right-before"}
        assert {left_open.get("/api/groups").status for _ in range(2 * MAX_WRONG)} == {403}
        assert Browser(port).get(f"/?token={TOKEN}").status == 303


def test_links_are_made_by_several_people_at_once(invite, service):
    before = len(service.links.lines())
    people = [threading.Thread(target=service.invite, args=("", f"P{n}", "annotate")) for n in range(8)]
    for person in people:
        person.start()
    for person in people:
        person.join(TIMEOUT)
    assert len(service.links.lines()) == before + 8


def test_health_is_told_to_anybody_and_says_nothing_else(server):
    reply = Browser(server.port).get("/health", Host="10.1.2.3:1")
    assert (reply.status, reply.json()) == (200, {"status": "ok"})
    assert reply.cookies == {}
