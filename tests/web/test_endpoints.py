"""Valid requests reach the method of the service that they name; invalid ones do not reach it."""

import http.client
import threading

import pytest
from web_client import Browser, serving

from sameornot.service import Conflict, ServiceError
from sameornot.store import StoreError

SAID = {"left": 3, "right": 4, "answer": "same", "question": None}
POSTS = [
    ("answer", {"question": 7, "answer": "unsure", "seconds": 2.5}),
    ("answer", {"question": 7, "answer": "same", "seconds": None}),
    ("choose", {"question": 7, "answer": "same", "candidate": 4, "seconds": 2.5}),
    ("choose", {"question": 7, "answer": "unsure", "candidate": None, "seconds": None}),
    ("prefer", {"choices": 1}),
    ("prefer", {"choices": None}),
    ("say", {"left": 3, "right": 4, "answer": "different"}),
    ("undo", {}),
    ("change", {"seq": 9, "to": "remove"}),
    ("resolve", {"said": SAID, "changes": [{"seq": 9, "to": "same"}], "clusters": None}),
    ("resolve", {"said": {**SAID, "question": 5}, "changes": [], "clusters": 3}),
    ("resolve", {"said": None, "changes": [{"seq": 9, "to": "same"}] * 2, "clusters": None}),
    ("resolve", {"said": None, "changes": [], "clusters": None, "disregard": [{"source": 2, "at": 0}]}),
    ("disregard", {"source": 2, "items": [0, 3]}),
    ("ask_about", {"row": 0}),
    ("wrong", {"row": 12}),
    ("merge", {"a": "one", "b": "two", "confirm": True}),
    ("name", {"group": "one", "name": "Zoë’s “early” ones 🐦"}),
    ("regroup", {"clusters": 4}),
    ("regroup", {"clusters": None}),
    ("introduce", {"name": "x" * 200}),
]


@pytest.mark.parametrize(("name", "said"), POSTS)
def test_command_calls_the_method_of_its_name(browser, service, name, said):
    reply = browser.post(name, said)
    assert (reply.status, reply.json()["done"]) == (200, name)
    assert service.calls == [(name, browser.cookies["sameornot_person"], said)]


@pytest.mark.parametrize(
    ("name", "said", "heard"),
    [
        ("answer", {"question": 7, "answer": "same"}, {"seconds": None}),
        ("merge", {"a": "one", "b": "two"}, {"confirm": False}),
        ("resolve", {"said": None, "changes": []}, {"clusters": None}),
    ],
)
def test_omitted_fields_have_the_defaults_of_the_service(browser, service, name, said, heard):
    assert browser.post(name, said).status == 200
    assert service.calls[0][2] == {**said, **heard}


@pytest.mark.parametrize(
    ("path", "name", "heard"),
    [
        ("state", "state", {}),
        ("picture", "picture", {}),
        ("history", "history", {}),
        ("groups", "groups", {}),
        ("record?row=5", "record", {"row": 5}),
        (
            "members?group=3&order=unsure",
            "members",
            {"group": "3", "order": "unsure", "offset": 0, "limit": 50},
        ),
        (
            "members?group=a%20b&order=placed&offset=50&limit=10",
            "members",
            {"group": "a b", "order": "placed", "offset": 50, "limit": 10},
        ),
    ],
)
def test_query_calls_the_method_of_its_name(browser, service, path, name, heard):
    reply = browser.get(f"/api/{path}")
    assert reply.status == 200
    person = browser.cookies["sameornot_person"] if name in ("state", "picture", "history") else None
    assert service.calls == [(name, person, heard)]


@pytest.mark.parametrize(
    ("name", "said", "sentence"),
    [
        ("answer", {}, "the request lacks the field 'question'"),
        ("answer", {"question": 1}, "the request lacks the field 'answer'"),
        ("answer", [], "the request=[] but an object is needed"),
        ("answer", None, "an object is needed"),
        ("answer", {"question": 1, "answer": "same", "person": "eve"}, "'person' that is not known here"),
        ("answer", {"question": True, "answer": "same"}, "question=True but a whole number"),
        ("answer", {"question": 1.0, "answer": "same"}, "question=1.0 but a whole number"),
        ("answer", {"question": "1", "answer": "same"}, "question='1' but a whole number"),
        ("answer", {"question": -1, "answer": "same"}, "question=-1 but a whole number from 0"),
        ("answer", {"question": 10**30, "answer": "same"}, "a whole number from 0"),
        ("answer", {"question": None, "answer": "same"}, "question=None but a whole number"),
        (
            "answer",
            {"question": 1, "answer": "perhaps"},
            "answer='perhaps' but one of same, different, unsure",
        ),
        ("answer", {"question": 1, "answer": ["same"]}, "one of same, different, unsure is needed"),
        ("answer", {"question": 1, "answer": {}}, "one of same, different, unsure is needed"),
        ("answer", {"question": 1, "answer": "same", "seconds": -1}, "seconds=-1 but a number from 0"),
        ("answer", {"question": 1, "answer": "same", "seconds": "2"}, "seconds='2' but a number from 0"),
        ("answer", {"question": 1, "answer": "same", "seconds": 1e300}, "a number from 0 is needed"),
        ("change", {"seq": 1, "to": "gone"}, "one of same, different, unsure, remove is needed"),
        ("resolve", {"said": SAID, "changes": {}}, "changes={} but a list is needed"),
        ("resolve", {"said": SAID, "changes": [1]}, "changes[0]=1 but an object is needed"),
        ("resolve", {"said": SAID, "changes": [{"seq": 1}]}, "changes[0] lacks the field 'to'"),
        ("resolve", {"said": {"left": 1}, "changes": []}, "said lacks the field 'right'"),
        ("merge", {"a": "one", "b": "two", "confirm": 1}, "confirm=1 but true or false is needed"),
        ("merge", {"a": 1, "b": 2}, "a=1 but text is needed"),
        ("name", {"group": "a", "name": None}, "name=None but text is needed"),
        ("name", {"group": "a", "name": "x" * 201}, "name has 201 characters but at most 200"),
        ("name", {"group": "a", "name": "a\x00b"}, "name='a\\x00b' holds a control character"),
        ("name", {"group": "a", "name": "a\nb"}, "holds a control character"),
        ("introduce", {"name": "\ud800"}, "holds a control character"),
        ("regroup", {"clusters": 2.5}, "clusters=2.5 but a whole number"),
        ("undo", {"steps": 3}, "a field 'steps' that is not known here"),
        ("undo", {"x" * 500: 3}, "that is not known here"),
    ],
)
def test_invalid_body_is_refused_in_one_sentence(browser, service, name, said, sentence):
    reply = browser.post(name, said)
    assert reply.status == 400
    assert sentence in reply.json()["error"]
    assert len(reply.json()["error"]) < 200
    assert service.calls == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"question=1",
        b"\xff\xfe",
        b'{"question": NaN, "answer": "same"}',
        b'{"question": 1, "answer": "same", "seconds": Infinity}',
        b'{"question": %s, "answer": "same"}' % (b"9" * 5000),
        b"[" * 60_000,
        b'{"a":' * 10_000,
        b'{"question": ' + b"[" * 956 + b"]" * 956 + b', "answer": "same"}',
        b'{"question": ' + b'{"a":' * 1200 + b"1" + b"}" * 1200 + b', "answer": "same"}',
    ],
    ids=lambda body: ascii(body[:20]),
)
def test_invalid_json_is_refused(browser, service, body):
    reply = browser.request("POST", "/api/answer", body, {"Content-Type": "application/json"})
    assert reply.status == 400
    assert set(reply.json()) == {"error"}
    assert service.calls == []


@pytest.mark.parametrize(
    "path",
    [
        "record",
        "record?row=-1",
        "record?row=1.5",
        "record?row=%D9%A1",
        "record?row=" + "9" * 5000,
        "record?row=1&column=2",
        "members?group=1",
        "members?group=1&order=random",
        "members?group=1&order=typical&limit=many",
        "state?person=eve",
    ],
)
def test_invalid_query_string_is_refused(browser, service, path):
    reply = browser.get(f"/api/{path}")
    assert reply.status == 400
    assert set(reply.json()) == {"error"}
    assert service.calls == []


@pytest.mark.parametrize(
    ("failure", "status", "payload"),
    [
        (ServiceError("There is no row 99."), 400, {"error": "There is no row 99."}),
        (StoreError("The disk is full."), 503, {"error": "The disk is full."}),
        (Conflict({"sentence": "Cannot be.", "chain": []}), 409, {"sentence": "Cannot be.", "chain": []}),
    ],
)
def test_errors_of_the_service_become_responses(browser, service, failure, status, payload):
    service.failure = failure
    for reply in (browser.post("answer", {"question": 1, "answer": "same"}), browser.get("/api/state")):
        assert (reply.status, reply.json()) == (status, payload)


def test_slow_queries_and_downloads_do_not_delay_an_answer(server, browser, service):
    service.gates = {"picture": threading.Event(), "snapshot": threading.Event()}
    paths = ["/api/picture"] * 20 + ["/download/labels.csv"] * 20
    slow = [threading.Thread(target=lambda path=path: Browser(server.port).get(path)) for path in paths]
    for thread in slow:
        thread.start()
    reply = browser.post("answer", {"question": 1, "answer": "same"})
    assert reply.status == 200
    assert [name for name, _, _ in service.calls] == ["answer"]
    service.failure = ServiceError("enough")
    for gate in service.gates.values():
        gate.set()
    for thread in slow:
        thread.join()


def test_title_is_escaped(browser):
    reply = browser.get("/")
    assert reply.status == 200
    assert "Birds &amp; &lt;bees&gt;" in reply.text
    assert "<bees>" not in reply.text


def test_client_that_disconnects_during_a_request_is_not_an_error(service, caplog):
    with serving(service) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.putrequest("POST", "/api/answer")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "33")
        connection.endheaders(b'{"question"')
        connection.close()
        assert Browser(server.port).post("undo", {}).status == 200
    assert [name for name, _, _ in service.calls] == ["undo"]
    assert caplog.text == ""
