"""Of answers that cannot all be true, the one that fits the rest least is named first."""

import numpy as np
import pandas as pd
import pytest

from sameornot.service import Conflict, LabellingService, Options
from sameornot.service.conflict import DOUBTED, by_doubt, most_doubtful
from sameornot.store import open_store

KIND = np.arange(60) % 3
CENTERS = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 7.0]])


@pytest.fixture
def service(tmp_path):
    """A service on three clear kinds, with twenty right answers."""
    values = CENTERS[KIND] + np.random.default_rng(0).normal(size=(60, 2))
    frame = pd.DataFrame(values, columns=["a", "b"])
    service = LabellingService.open(
        open_store(tmp_path / "store.sqlite"), frame, title="kinds", options=Options(clusters=3), ahead=False
    )
    step = service.state("ana")
    for _ in range(20):
        left, right = (step["question"][side]["row"] for side in ("left", "right"))
        step = service.answer(
            "ana", step["question"]["id"], "same" if KIND[left] == KIND[right] else "different"
        )
    yield service
    service.close()


def test_the_likeliest_culprit_comes_first_and_is_called_so(service):
    hoods = [service.snapshot().pool[members] for members in service.snapshot().result.neighbourhoods]
    known = {int(KIND[members[0]]): int(members[0]) for members in hoods}
    placed = np.concatenate(hoods)
    odd = int(np.setdiff1d(np.flatnonzero(KIND == 0), placed)[0])
    service.say("ana", odd, known[1], "same")  # wrong
    with pytest.raises(Conflict) as conflict:
        service.say("ana", odd, known[0], "same")
    first, *others = conflict.value.payload["options"]
    assert f"row {odd + 1} and row {known[1] + 1} are different" in first["label"]
    assert first["label"].endswith(f"({DOUBTED})")
    assert others
    assert not any(DOUBTED in option["label"] for option in others)


class Said:
    def __init__(self, left, right):
        self.pair = left, right


CHAIN = [Said(0, 1), Said(2, 1), Said(2, 3)]


def test_answers_are_ordered_by_how_well_they_fit():
    likely = {frozenset((0, 1)): 0.8, frozenset((1, 2)): 0.3}
    assert by_doubt(CHAIN, likely) == [CHAIN[1], CHAIN[0], CHAIN[2]]
    assert most_doubtful(CHAIN, likely) is CHAIN[1]


def test_where_none_stands_out_none_is_called_the_culprit():
    assert most_doubtful(CHAIN, {}) is None
    assert most_doubtful(CHAIN[:1], {frozenset((0, 1)): 0.1}) is None
    assert most_doubtful(CHAIN, {frozenset(said.pair): 0.95 for said in CHAIN}) is None
    assert by_doubt(CHAIN, {}) == CHAIN
