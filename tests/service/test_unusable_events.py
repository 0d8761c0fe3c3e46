"""An event that cannot be applied is never stored by the service, and one that is there is skipped."""

import numpy as np
import pandas as pd
import pytest

from sameornot.export import answers_table, labels_table
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.store import Draft, open_store

KIND = np.arange(60) % 3
CENTERS = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])
TABLE = pd.DataFrame(
    CENTERS[KIND] + np.random.default_rng(0).normal(size=(60, 2)), columns=["width", "height"]
)
POOL = 40


class Place:
    """A store, and services that are opened on it."""

    def __init__(self, path):
        self.path, self.services = path, []

    def open(self, clusters=3, ahead=False, **options):
        wanted = Options(clusters=clusters, pool=POOL, **options)
        service = LabellingService.open(open_store(self.path), TABLE, title="t", options=wanted, ahead=ahead)
        self.services.append(service)
        return service

    def events(self, session):
        store = open_store(self.path)
        events = store.read(session)
        store.close()
        return events

    def append(self, session, *drafts):
        """What another program, or an earlier version, has added to the log."""
        store = open_store(self.path)
        store.append(session, drafts, after=len(store.read(session)))
        store.close()


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path / "store.sqlite")
    yield place
    for service in place.services:
        service.close()


def work(service, n_answers, person="ana"):
    step = service.state(person)
    for _ in range(n_answers):
        left, right = (step["question"][side]["row"] for side in ("left", "right"))
        step = service.answer(
            person, step["question"]["id"], "same" if KIND[left] == KIND[right] else "different"
        )
    return step


def rows_of(service, kind):
    """The rows of a kind that can be asked about."""
    pool = service.snapshot().pool
    return [int(row) for row in pool if KIND[row] == kind]


def check_works(service, n_answers):
    """Every view, an answer, undo and the exports."""
    assert service.progress("ana")["asked"] == n_answers
    assert len(service.history("ana")["answers"]) == n_answers
    assert service.groups()["groups"]
    service.picture("ana")
    work(service, 1)
    service.undo("ana")
    assert len(labels_table(service.snapshot())) == len(TABLE)
    assert len(answers_table(service.snapshot())) == n_answers


@pytest.mark.parametrize("clusters", [0, POOL + 1, 10**9])
@pytest.mark.parametrize("ahead", [False, True])
def test_a_number_of_groups_that_cannot_be_is_refused_and_not_stored(place, clusters, ahead):
    service = place.open(ahead=ahead)
    work(service, 4)
    before = place.events(service.session)
    for change in (
        lambda: service.resolve("ana", None, [], clusters),
        lambda: service.regroup("ana", clusters),
    ):
        with pytest.raises(ServiceError, match=f"{clusters} groups are wanted but"):
            change()
    assert place.events(service.session) == before
    check_works(service, 4)
    check_works(place.open(clusters=None), 4)


def test_a_new_session_with_more_groups_than_rows_that_can_be_asked_about_is_refused(place):
    with pytest.raises(ServiceError, match="41 groups are wanted but questions are about 40 rows"):
        place.open(clusters=41)
    service = place.open(clusters=40)
    check_works(service, 0)


def test_a_session_is_not_resumed_with_fewer_groups_than_its_answers_tell_apart(place):
    service = place.open()
    a, b, c = (rows_of(service, kind)[0] for kind in range(3))
    for left, right in ((a, b), (b, c), (a, c)):
        service.say("ana", left, right, "different")
    with pytest.raises(
        ServiceError, match="2 groups are wanted but the answers of this session tell more apart"
    ):
        place.open(clusters=2)
    check_works(place.open(clusters=4), 3)


def test_a_session_is_resumed_with_the_number_of_groups_that_was_set_last(place):
    service = place.open()
    work(service, 3)
    service.regroup("ana", 4)
    again = place.open(clusters=None, budget=77)
    assert (again.state("ana")["clusters"], again.state("ana")["budget"]) == (4, 77)


def answered(left, right, answer, **more):
    data = {"question": None, "left": left, "right": right, "answer": answer, "step": 1, "seconds": None}
    return Draft("eve", "answered", data | more)


UNUSABLE = {
    "too many groups": [Draft("eve", "regrouped", {"clusters": 10**9})],
    "more groups than rows in the pool": [Draft("eve", "regrouped", {"clusters": POOL + 1})],
    "groups in words": [Draft("eve", "regrouped", {"clusters": "three"})],
    "unknown kind": [Draft("eve", "painted", {"colour": "red"})],
    "no data": [Draft("eve", kind, {}) for kind in ("shown", "answered", "retracted", "changed", "named")],
    "no such row": [answered(0, 60, "same"), answered(-1, 3, "same"), answered("a", 2, "same")],
    "one row twice": [answered(7, 7, "different")],
    "no such answer": [answered(0, 1, "perhaps"), Draft("eve", "changed", {"answer": 2, "to": "perhaps"})],
    "a step far ahead": [answered(0, 1, "same", step=10**12)],
    "opened by nothing known": [Draft("", "opened", {"clusters": [], "seed": {}, "title": None})],
}


@pytest.mark.slow
@pytest.mark.parametrize("drafts", UNUSABLE.values(), ids=UNUSABLE)
def test_an_event_that_cannot_be_applied_is_skipped_with_a_notice_and_stays_stored(place, drafts):
    service = place.open()
    before = work(service, 5)
    place.append(service.session, *drafts)
    stored = len(place.events(service.session))
    reopened = place.open(clusters=None, budget=before["progress"]["budget"])
    for running in (service, reopened):
        state = running.state("ana")
        assert (state["clusters"], state["question"]) == (3, before["question"])
        assert any("had no effect" in notice for notice in state["notices"])
    kept = place.events(service.session)[stored - len(drafts) : stored]
    assert [(event.kind, event.data) for event in kept] == [(draft.kind, draft.data) for draft in drafts]
    check_works(service, 5)
    check_works(reopened, 5)


def test_an_answer_that_contradicts_earlier_ones_is_set_aside_until_it_is_changed(place):
    service = place.open()
    a, b, c, *_ = rows_of(service, 0)
    service.say("ana", a, b, "same")
    service.say("ana", b, c, "same")
    place.append(service.session, answered(a, c, "different"))
    for running in (service, place.open()):
        assert any(
            "1 answer of this session cannot be true" in line for line in running.state("b")["notices"]
        )
        placed = running.snapshot().result.neighbourhoods[0]
        assert placed.tolist() == [a, b, c]
        assert running.progress("ana")["asked"] == 3
        work(running, 1)
        running.undo("ana")
    bad = service.history("ana")["answers"][-1]
    service.change("ana", bad["seq"], "same")
    assert not any("cannot be true" in line for line in service.state("ana")["notices"])


def test_an_old_session_begun_with_more_groups_than_rows_in_the_pool_opens(place):
    service = place.open()
    work(service, 3)
    (opened,) = (event for event in place.events(service.session) if event.kind == "opened")
    place.append(service.session, Draft("", "opened", opened.data | {"clusters": 55}))
    again = place.open(clusters=None)
    assert again.state("ana")["clusters"] == 3
    check_works(again, 3)


def test_undo_is_refused_if_the_answers_of_others_do_not_fit_without_it(place):
    """Two answers to one question outvote each other: what others say then fits only while both are there."""
    service = place.open()
    a, b, c, *_ = rows_of(service, 0)
    service.say("ben", a, b, "same")
    place.append(service.session, Draft("ana", "shown", {"left": a, "right": b}))
    question = place.events(service.session)[-1].seq
    service.answer("ana", question, "different")
    service.say("ben", b, c, "same")
    service.say("ben", a, c, "different")
    with pytest.raises(Conflict, match="answers cannot all be true"):
        service.undo("ana")
    check_works(place.open(clusters=None), 4)
