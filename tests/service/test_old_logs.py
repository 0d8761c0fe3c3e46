"""A log that an earlier version wrote opens as it was, in both kinds of store.

`old_log.json` was written by the code of commit 7f97d5e: the events of a session of two people in which
answers were undone, changed, removed, unsure and asked again and the number of groups was set, the SQL of the
file that they were in, and what that code said about the session.
"""

import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from sameornot.service import LabellingService, ServiceError
from sameornot.service.events import FORMAT, Limits
from sameornot.service.log import Log
from sameornot.store import Draft, open_store

OLD = json.loads((Path(__file__).parent / "old_log.json").read_text("utf-8"))
EXPECTED = OLD["expected"]
TABLE = pd.DataFrame(OLD["table"])


@pytest.fixture
def sqlite_place(tmp_path):
    """The file as the earlier version left it, byte for byte as far as SQL sees it."""
    path = tmp_path / "old.sqlite"
    connection = sqlite3.connect(path)
    for statement in OLD["schema"]:
        connection.execute(statement)
    connection.execute("INSERT INTO sameornot_store VALUES (?)", (OLD["store_format"],))
    for event in OLD["events"]:
        row = OLD["session"], event["seq"], event["at"], event["author"], event["kind"]
        line = "INSERT INTO sameornot_events (session, seq, at, author, kind, data) VALUES (?, ?, ?, ?, ?, ?)"
        connection.execute(line, (*row, json.dumps(event["data"])))
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def postgres_place(postgres_url):
    """The same events on a server; their times are those of now."""
    store = open_store(postgres_url)
    drafts = [Draft(event["author"], event["kind"], event["data"]) for event in OLD["events"]]
    store.append(OLD["session"], drafts, after=0)
    store.close()
    return postgres_url


@pytest.fixture(params=["sqlite", "postgres"])
def place(request):
    return request.getfixturevalue(f"{request.param}_place")


def open_old(place):
    store = open_store(place)
    try:
        return LabellingService.open(store, TABLE, title="old", ahead=False)
    except ServiceError:
        store.close()
        raise


@pytest.fixture
def service(place):
    service = open_old(place)
    yield service
    service.close()


def without_times(lines):
    """All but what depends on the clock of whoever stored it."""
    return [{name: value for name, value in line.items() if name != "at"} for line in lines]


def without_certainty(groups):
    """Groups without how sure the model is of them: a later version may be surer or less sure."""
    return [{name: value for name, value in group.items() if name != "sure"} for group in groups]


def test_the_stored_log_has_everything_that_can_happen_to_an_answer():
    kinds = {event["kind"] for event in OLD["events"]}
    assert {
        "opened",
        "shown",
        "answered",
        "changed",
        "retracted",
        "regrouped",
        "named",
        "introduced",
    } == kinds
    assert any(event["data"].get("answer") == "unsure" for event in OLD["events"])
    assert len(EXPECTED["rechecks"]) > 1
    assert not any("recheck" in event["data"] or "format" in event["data"] for event in OLD["events"])


@pytest.mark.slow
def test_answers_and_groups_are_those_of_the_earlier_version_and_everybody_is_asked_on(service):
    assert service.session == OLD["session"]
    assert without_times(service.history("ana")["answers"]) == without_times(EXPECTED["history"])
    assert without_certainty(service.groups()["groups"]) == without_certainty(EXPECTED["groups"])
    for key, expected in EXPECTED["members"].items():
        members = service.members(key, "typical", limit=200)["members"]
        assert [member["row"] for member in members] == [row for row, *_ in expected]
        assert [member["placed"] for member in members] == [placed for *_, placed in expected]
    asked = [service.state(person)["question"] for person in EXPECTED["questions"]]
    assert len({(question["left"]["row"], question["right"]["row"]) for question in asked}) == len(asked)
    for person, expected in EXPECTED["progress"].items():
        progress = service.progress(person)
        assert {name: progress[name] for name in expected} == expected


def test_rechecks_are_those_that_the_earlier_version_inferred(service, place):
    store = open_store(place)
    log = Log(Limits(range(len(TABLE)), len(TABLE))).extended(store.read(OLD["session"]))
    store.close()
    assert [entry.seq for entry in log.entries if entry.is_recheck] == EXPECTED["rechecks"]


@pytest.mark.slow
def test_from_then_on_the_events_say_themselves_which_question_is_a_recheck(service, place):
    n_old = len(OLD["events"])
    question = service.state("ana")["question"]
    service.answer("ana", question["id"], "unsure")
    store = open_store(place)
    (opened, *later) = store.read(OLD["session"], after=n_old)
    assert (opened.kind, opened.data["format"]) == ("opened", FORMAT)
    assert {event.kind for event in later} == {"answered", "shown"}
    assert all(isinstance(event.data["recheck"], bool) for event in later)
    before = service.history("ana"), service.groups()
    service.close()
    again = open_old(place)
    assert (again.history("ana"), again.groups()) == before
    assert len(store.read(OLD["session"])) == n_old + 1 + len(later)  # opened once, not again
    again.close()
    store.close()


def test_a_log_of_a_later_format_is_left_alone(service, place):
    store = open_store(place)
    events = store.read(OLD["session"])
    opened = next(event for event in reversed(events) if event.kind == "opened")
    store.append(
        OLD["session"], [Draft("", "opened", opened.data | {"format": FORMAT + 1})], after=len(events)
    )
    with pytest.raises(ServiceError, match=f"its format is {FORMAT + 1}, not {FORMAT}.: upgrade sameornot"):
        open_old(place)
    assert len(store.read(OLD["session"])) == len(events) + 1
    store.close()
