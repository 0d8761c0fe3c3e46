"""What is always in sight: counts, pace, the stop hint, and who is here."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from array_rows import ArrayRows

from sameornot._types import Agreement, Answer, Pair, Reply
from sameornot.datasets import make_gaussian
from sameornot.service.events import Answered, Introduced, Limits, Opened, Regrouped, Shown, draft
from sameornot.service.log import AWAY_AFTER, Log
from sameornot.service.log_key import LogKey
from sameornot.service.progress import Progress
from sameornot.service.session_state import SessionFactory, replay
from sameornot.session.stopping import MIN_ANSWERS

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
X, _ = make_gaussian(n_samples=30, n_relevant=2, random_state=0)
OPENED = draft("", Opened({"clusters": 2, "n_rows": 30, "title": "t", "fingerprint": "f"}))
EMPTY = Log(Limits(range(30), 30)).with_drafts([OPENED], NOW)


@pytest.fixture(scope="module")
def two_groups():
    """A state in which the answers have found two groups."""
    key = LogKey.of(2, [Reply(Pair(0, 1), Answer.DIFFERENT, 1)])
    return replay(SessionFactory(ArrayRows(X), 30, 0), key)


def answer(left, right, said="same", author="ana", seconds=None):
    return draft(author, Answered(Pair(left, right), Answer(said), 1, None, seconds))


def log_of(*answers, log=EMPTY):
    return log.with_drafts(answers, NOW)


def progress(log, state, agreement=None, churn=(), budget=60):
    result = replace(state.result, agreement=agreement)
    return Progress(log, replace(state, result=result), list(churn), budget)


def test_answers_are_counted(two_groups):
    log = log_of(answer(0, 1, "different"), answer(2, 3, "unsure"), answer(4, 5))
    told = progress(log, two_groups, budget=50).describe("ana", NOW)
    assert (told["asked"], told["unsure"], told["budget"], told["groups"], told["clusters"]) == (
        3,
        1,
        50,
        2,
        2,
    )
    assert (told["placed"], told["rows"]) == (2, 30)
    assert told["can_undo"]


def test_pace_is_that_of_the_persons_latest_answers_without_pauses(two_groups):
    slow = [answer(n, n + 1, seconds=50.0) for n in range(5)]
    quick = [answer(n, n + 1, seconds=2.0) for n in range(10)]
    others = [answer(1, 2, seconds=9.0, author="ben"), answer(1, 2, seconds=None)]
    told = progress(log_of(*slow, *quick, answer(1, 2, seconds=500.0), *others), two_groups, budget=60)
    assert told.seconds_each("ana") == 2.0
    assert told.describe("ana", NOW)["seconds_left"] == 2.0 * (60 - 18)
    assert told.seconds_each("ben") == 9.0
    assert told.seconds_each("cleo") is None
    assert told.describe("cleo", NOW)["seconds_left"] is None


GOOD = Agreement(0.97, 0.93, 0.99)


@pytest.mark.parametrize(
    ("n_answers", "said", "agreement", "clusters", "hint"),
    [
        (9, "same", GOOD, 2, "The first 10 answers say too little to judge the groups by."),
        (30, "same", None, 2, "The first 10 answers say too little to judge the groups by."),
        (MIN_ANSWERS, "same", GOOD, 2, "You can stop: an estimated 97% of the rows (93% to 99%) are in"),
        (MIN_ANSWERS, "same", GOOD, None, "You can stop: "),
        (MIN_ANSWERS - 1, "same", GOOD, 2, "An estimated 97% of the rows"),
        (30, "unsure", GOOD, 2, "An estimated 97% of the rows"),
        (30, "same", Agreement(0.9, 0.8, 0.95), 2, "An estimated 90% of the rows (80% to 95%)"),
        (30, "same", GOOD, 5, "3 of 5 groups are not met yet; an estimated 97%"),
    ],
)
def test_the_hint_says_when_to_stop_and_else_what_is_missing(
    two_groups, n_answers, said, agreement, clusters, hint
):
    log = EMPTY.with_drafts([draft("ana", Regrouped(clusters))], NOW)
    log = log_of(*[answer(0, n % 20 + 1, said) for n in range(n_answers)], log=log)
    told = progress(log, two_groups, agreement)
    assert told.hint.startswith(hint)
    assert told.can_stop == hint.startswith("You can stop")


def test_churn_is_drawn_and_the_last_one_named(two_groups):
    log = log_of(*[answer(0, n + 1) for n in range(12)])
    told = progress(log, two_groups, churn=[(11, 0.2), (12, 0.1)]).describe("ana", NOW)
    assert (told["moved"], told["moves"]) == (0.1, [[11, 0.2], [12, 0.1]])
    assert progress(log_of(answer(0, 1)), two_groups).describe("ana", NOW)["moved"] is None


def test_people_who_have_been_quiet_for_long_are_not_here(two_groups):
    log = log_of(answer(0, 1), answer(1, 2), answer(2, 3, author="ben"))
    events = [Introduced("Ana"), Shown(Pair(5, 6), False)]
    log = log.with_drafts([draft("ana", event) for event in events], NOW)
    told = progress(log, two_groups)
    assert told.people("ben", NOW) == [
        {"id": 1, "name": "Ana", "answers": 2, "looking": True, "you": False},
        {"id": 2, "name": "", "answers": 1, "looking": False, "you": True},
    ]
    later = NOW + AWAY_AFTER + timedelta(seconds=1)
    assert [one["id"] for one in told.people("ben", later)] == [2]
