"""The cache of states: what is in use stays, however many people answer."""

import time

import numpy as np
import pandas as pd
import pytest

from sameornot.service import Desk, Options
from sameornot.store import open_store

N_PEOPLE = 8
KIND = np.arange(60) % 3
CENTERS = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])
TABLE = pd.DataFrame(
    CENTERS[KIND] + np.random.default_rng(0).normal(size=(60, 2)), columns=["width", "height"]
)


@pytest.fixture
def desk(tmp_path):
    store, options = open_store(tmp_path / "store.sqlite"), Options(clusters=3)
    desk = Desk.open(store, TABLE, title="t", options=options)
    yield desk
    desk.close()


def answer_one(desk, person):
    question = desk.state(person)["question"]
    left, right = (question[side]["row"] for side in ("left", "right"))
    desk.answer(person, question["id"], "same" if KIND[left] == KIND[right] else "different")


def test_the_state_in_use_stays_while_follow_ups_are_prepared_for_many_people(desk):
    keeper, people = desk._keeper, [f"person {n}" for n in range(N_PEOPLE)]
    for person in people:
        answer_one(desk, person)
        assert keeper.made(keeper.case(keeper.read())) is not None
    in_use = keeper.made(keeper.case(keeper.read()))
    for person in people:
        desk.state(person)
        assert keeper.made(keeper.case(keeper.read())) is in_use


def test_what_was_prepared_for_each_person_is_there_when_she_answers(desk):
    keeper, people = desk._keeper, [f"person {n}" for n in range(N_PEOPLE)]
    answer_one(desk, "ana")
    for person in people:
        desk.state(person)
    deadline = time.monotonic() + 60
    wanted = keeper._in_use
    assert len(wanted) >= 3 * N_PEOPLE
    while any(keeper.made(case) is None for case in wanted) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert all(keeper.made(case) is not None for case in wanted)
