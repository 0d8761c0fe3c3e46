"""A column of vectors in a session: one weight, shown last, and compared by distance."""

import numpy as np
import pandas as pd
import pytest

from sameornot.service import Options
from sameornot.service.table_view import TableView
from sameornot.table import TableSample

RNG = np.random.default_rng(0)
KIND = np.arange(60) % 3
VECTORS = RNG.normal(size=(3, 32))[KIND] + 0.3 * RNG.normal(size=(60, 32))
TABLE = pd.DataFrame({"size": RNG.normal(size=60), "emb": list(VECTORS)})


@pytest.fixture(scope="module")
def view():
    return TableView(TableSample.of(TABLE), Options())


def test_vectors_are_shown_after_what_people_can_read(view):
    weights = view.encoder.column_weights(np.ones(33))
    assert weights.idxmax() == "emb"
    assert [field["column"] for field in view.fields(0, weights)] == ["size", "emb"]


def test_gap_of_vectors_is_the_share_of_pairs_that_are_nearer(view):
    weights = view.encoder.column_weights(np.ones(33))

    def gap(left, right):
        return view.compare(left, right, weights)[0][1]["gap"]

    assert gap(0, 0) == 0
    assert gap(0, 3) < 0.4 < gap(0, 1) <= 1
