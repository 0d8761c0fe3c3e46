"""What people read about a session: reasons, lines, notices, and rows of the table everywhere."""

from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

from sameornot._types import Answer, Pair
from sameornot.service import Options, ServiceError
from sameornot.service.entry import Lease
from sameornot.service.events import Answered, Limits, Named, Opened, Shown, draft
from sameornot.service.log import Log
from sameornot.service.session_state import SessionFactory, replay
from sameornot.service.table_view import TableView
from sameornot.service.view import View
from sameornot.table import TableSample

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
KIND = np.arange(60) % 3
CENTERS = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])
TABLE = pd.DataFrame(
    CENTERS[KIND] + np.random.default_rng(0).normal(size=(60, 2)), columns=["width", "height"]
).assign(called=[f"P{row}" for row in range(60)])
POOL = 30


@pytest.fixture(scope="module")
def table_view():
    return TableView(TableSample.of(TABLE), Options(id="called", pool=POOL))


@pytest.fixture(scope="module")
def view_of(table_view):
    """The view of a log that is made by hand; pairs are given by kind and number within the pool."""
    factory = SessionFactory(table_view, POOL, 0)
    limits = Limits(table_view, POOL)

    def make(*events):
        options = {"clusters": 3, "n_rows": 60, "title": "t", "fingerprint": "f"}
        drafts = [draft("", Opened(options)), *(draft("ana", event) for event in events)]
        log = Log(limits).with_drafts(drafts, NOW)
        return View(table_view, log, replay(factory, log.key))

    return make


@pytest.fixture(scope="module")
def row(view_of):
    """The n-th row of a kind that questions can be about."""
    rows = view_of().state.rows
    return lambda kind, n=0: int(rows[KIND[rows] == kind][n])


def answered(left, right, answer):
    return Answered(Pair(left, right), Answer(answer), 1)


@pytest.fixture
def three_groups(view_of, row):
    a, b, c = (row(kind) for kind in range(3))
    return view_of(
        answered(a, b, "different"),
        answered(b, c, "different"),
        answered(a, c, "different"),
        answered(row(0, 1), a, "same"),
        Named(b, "second ones"),
    )


def test_questions_are_about_rows_of_the_table(view_of):
    state = view_of().state
    assert len(state.rows) == POOL
    assert state.rows.max() >= POOL
    assert set(state.question) <= set(state.rows.tolist())


def test_every_reason_to_ask(view_of, three_groups, row):
    lease = Lease(9, Pair(row(0, 2), row(1)), False, NOW)
    assert view_of().reason(lease).startswith("To begin with: nothing is known yet")
    compared = f"P{row(0, 2)} is compared with second ones, of which 1 record is known. "
    assert three_groups.reason(lease).startswith(compared)
    to_group = Lease(9, Pair(row(1, 2), row(0)), False, NOW)
    assert "compared with Group 1, of which 2 records are known." in three_groups.reason(to_group)
    unknown = Lease(9, Pair(row(0, 2), row(1, 3)), False, NOW)
    assert three_groups.reason(unknown).endswith("is compared with a record that is not placed yet.")
    again = Lease(9, Pair(row(0), row(1)), True, NOW)
    assert three_groups.reason(again).startswith("This was asked before")


def test_the_likeliest_groups_are_named_with_what_is_left_of_their_probabilities(three_groups):
    question = three_groups.state.question
    lease = Lease(9, Pair(*question), question.is_recheck, NOW)
    if question.proba and not question.is_recheck:
        assert "To the model it could be" in three_groups.reason(lease)
        best = max(question.proba, key=question.proba.get)
        assert three_groups.groups.of(best).label in three_groups.reason(lease)


def test_a_pair_is_open_unless_answers_settle_it_or_it_cannot_be_asked_about(three_groups, row):
    assert not three_groups.is_open(Pair(row(0), row(1)))
    assert not three_groups.is_open(Pair(row(0, 1), row(2)))
    assert three_groups.is_open(Pair(row(0, 2), row(2)))
    outside = int(np.setdiff1d(np.arange(60), three_groups.state.rows)[0])
    assert not three_groups.is_open(Pair(outside, row(2)))
    assert three_groups.heads(Pair(outside, row(2)))["left"] == {
        "row": outside,
        "id": f"P{outside}",
        "images": [],
        "placed": False,
    }


def test_lines_are_numbered_in_the_order_of_the_answers(three_groups, row):
    lines = [three_groups.line(entry, "ana") for entry in three_groups.log.entries]
    assert [line["n"] for line in lines] == [1, 2, 3, 4]
    assert lines[3]["left"]["row"] == row(0, 1)
    assert (lines[3]["answer"], lines[3]["yours"], lines[3]["edited"]) == ("same", True, False)


def test_groups_have_their_names_members_and_representatives(three_groups, row):
    groups = three_groups.groups
    assert {group.label for group in groups.known} == {"Group 1", "second ones", "Group 3"}
    for kind, label in enumerate(["Group 1", "second ones", "Group 3"]):
        assert groups.of(row(kind)).label == label
        members = groups.members(groups.label_of(row(kind)), "typical").tolist()
        assert {KIND[member] for member in members} == {kind}
        assert sorted(members) == sorted(groups.members(groups.label_of(row(kind)), "unsure").tolist())
    assert sum(line["size"] for line in groups.lines()) == POOL
    assert [line["placed"] for line in groups.lines()] == [2, 1, 1]
    assert set(groups.members(groups.label_of(row(0)), "placed").tolist()) == {row(0), row(0, 1)}
    assert groups.representatives(groups.label_of(row(1)))[0] == row(1)


def test_the_answers_that_tell_two_groups_apart_are_found_through_their_members(three_groups, row):
    found = three_groups.answers_between(Pair(row(0, 1), row(2)))
    assert [entry.pair for entry in found] == [(row(0), row(2))]


def test_a_record_that_is_alone_in_its_group_has_no_representative(view_of, row):
    view = view_of()
    with pytest.raises(ServiceError, match="not there any more"):
        view.label("9")
    assert view.representative_for(row(0)) != row(0)


def test_the_picture_speaks_of_the_pool_by_rows_of_the_table(three_groups, row):
    picture = three_groups.picture("ana")
    assert picture["row"] == three_groups.state.rows.tolist()
    placed = {at for at, is_placed in zip(picture["row"], picture["placed"], strict=True) if is_placed}
    assert placed == {row(0), row(0, 1), row(1), row(2)}
    numbers = dict(zip(picture["row"], picture["group"], strict=True))
    assert numbers[row(0)] == three_groups.groups.of(row(0)).number


def test_fields_are_compared_by_how_far_apart_nearly_all_values_are(table_view, three_groups):
    fields, n_more = table_view.compare(0, 1, three_groups.groups.weights)
    assert n_more == 0
    by_column = {field["column"]: field for field in fields}
    low, high = np.quantile(TABLE["width"].iloc[::2], [0.05, 0.95])
    gap = abs(TABLE["width"][0] - TABLE["width"][1]) / (high - low)
    assert by_column["width"]["gap"] == pytest.approx(min(1.0, gap), rel=0.02)
    assert by_column["width"]["differs"]


def test_rows_are_encoded_once(table_view):
    rows = np.array([3, 5, 8, 13])
    encoded = table_view.take(rows)
    assert table_view.take(rows) is encoded
    assert (table_view.take(np.array([5, 13])) == encoded[[1, 3]]).all()
    assert (table_view.take(np.array([4, 5, 9])) == table_view.encoder.transform(TABLE.iloc[[4, 5, 9]])).all()


def test_notices_say_what_had_no_effect(view_of, row):
    a, b, c = (row(0, n) for n in range(3))
    view = view_of(
        answered(a, b, "same"),
        answered(b, c, "same"),
        answered(a, c, "different"),
        Shown(Pair(a, 60), False),
    )
    assert view.log.skipped == (5,)
    assert any("30 of the 60 rows" in notice for notice in view.notices)
    assert any("1 event of this session could not be read" in notice for notice in view.notices)
    assert any("1 answer of this session cannot be true" in notice for notice in view.notices)
