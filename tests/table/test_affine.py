"""Tables of plain numbers are encoded as one array, equal to the encoding column by column."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot.table import TableEncoder


def table(seed, n_rows=12):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(3.0, 2.0, size=(n_rows, 3)), columns=["a", "b", "c"])
    return frame.assign(d=rng.integers(0, 50, n_rows))


def features(encoder, cells):
    return (cells - encoder.affine.shift) / encoder.affine.scale


@given(st.integers(0, 500), st.booleans(), st.permutations(["a", "b", "c", "d", "more"]))
def test_affine_encoding_equals_the_features(seed, single, order):
    encoder = TableEncoder.fit(table(seed))
    new = table(seed + 1).assign(more="words")
    new.loc[2, "a"], new.loc[3, "b"], new.loc[4, "c"] = np.nan, np.inf, -np.inf
    if single:
        new = new.astype(dict.fromkeys("abc", np.float32)).astype({"d": np.float32})
    cells = encoder.affine.read(new[order])
    assert cells.dtype == (np.float32 if single else np.float64)
    filled = encoder.affine.fill_missing(cells)
    np.testing.assert_allclose(
        features(encoder, filled), encoder.transform(new), rtol=1e-5 if single else 1e-12
    )


def test_integers_are_read_in_double_precision():
    frame = table(0)[["d"]]
    assert TableEncoder.fit(frame).affine.read(frame).dtype == np.float64


@pytest.mark.parametrize(
    "column",
    [["red", "blue"] * 6, [True, False] * 6, pd.date_range("2020-01-01", periods=12)],
    ids=["words", "yes or no", "dates"],
)
def test_table_with_other_columns_has_no_affine_encoding(column):
    assert TableEncoder.fit(table(0).assign(other=column)).affine is None


@pytest.mark.parametrize(
    "change",
    [
        lambda frame: frame.assign(a=frame["a"].astype(str)),
        lambda frame: frame.assign(a=frame["a"].astype("Float64")),
        lambda frame: frame.drop(columns="b"),
        lambda frame: frame.set_axis(["a", "b", "b", "d"], axis=1),
    ],
    ids=["text", "pandas' own numbers", "a column is missing", "two of one name"],
)
def test_columns_of_other_dtypes_are_left_to_the_encoder(change):
    assert TableEncoder.fit(table(0)).affine.read(change(table(1))) is None
