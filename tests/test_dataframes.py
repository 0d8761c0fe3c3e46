"""DataFrames of every library, and what else is given as a table."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sameornot import ActiveSession, PCKMeans
from sameornot._dataframes import as_pandas
from sameornot.table import TableEncoder, TableSample, read_table

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.normal(size=(12, 3)), columns=["width", "height", "depth"])
MIXED = NUMBERS.assign(
    colour=["red", "blue", "blue"] * 4,
    seen=pd.date_range("2020", periods=12),
    emb=list(RNG.normal(size=(12, 20))),
)
LIBRARIES = {
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_session_keeps_names_and_numbers(library):
    session = ActiveSession(LIBRARIES[library](NUMBERS), 2, random_state=0)
    assert session.feature_names == list(NUMBERS.columns)
    assert np.array_equal(session.features, NUMBERS.to_numpy())
    assert list(session.result().feature_weights.index) == list(NUMBERS.columns)


@pytest.mark.parametrize("library", LIBRARIES)
def test_encoder_reads_every_kind_of_column(library):
    frame, expected = LIBRARIES[library](MIXED), TableEncoder.fit(MIXED)
    found = TableEncoder.fit(frame)
    assert found.columns == expected.columns
    assert np.array_equal(found.transform(frame), expected.transform(MIXED))
    assert TableSample.of(read_table(frame)).fingerprint == TableSample.of(read_table(MIXED)).fingerprint


def test_polars_can_be_read_without_pyarrow(monkeypatch):
    frame = pl.DataFrame({"size": [1.0, 2.0, 4.0], "colour": ["red", "blue", None]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    found = as_pandas(frame)
    monkeypatch.undo()
    assert found["colour"].tolist()[:2] == ["red", "blue"]
    assert [column.kind for column in TableEncoder.fit(found).columns] == ["number", "category"]


def test_estimator_keeps_the_names_of_polars():
    model = PCKMeans(2, random_state=0).fit(pl.from_pandas(NUMBERS))
    assert list(model.feature_names_in_) == list(NUMBERS.columns)


def test_column_of_text_is_named_with_what_to_do():
    with pytest.raises(ValueError, match=r"column 'colour' holds 'red'\. Encode the table first") as caught:
        ActiveSession(MIXED[["width", "colour"]])
    assert "sameornot.table.TableEncoder.fit(X).transform(X)" in str(caught.value)


def test_sparse_matrix_is_taken_as_an_array_or_refused_with_what_to_do():
    session = ActiveSession(sparse.csr_array(NUMBERS.to_numpy()), 2, random_state=0)
    assert np.array_equal(session.features, NUMBERS.to_numpy())
    huge = sparse.csr_matrix((1_000_000, 5_000))
    with pytest.raises(ValueError, match=r"40\.0 GB as an array.*TruncatedSVD\(100\)\.fit_transform\(X\)"):
        ActiveSession(huge)


def test_narwhals_is_imported_for_other_libraries_only():
    # scikit-learn may import it too, so only our own module is looked at.
    code = "import pandas as pd, sys; from sameornot._dataframes import as_array, is_dataframe\n"
    check = (
        "assert is_dataframe(pd.DataFrame()); as_array(pd.DataFrame()); assert 'narwhals' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code + check], check=True)
