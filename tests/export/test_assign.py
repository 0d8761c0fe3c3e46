"""Assigning a file: the result of the whole table, in blocks, and never an incomplete file."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_snapshots import mixed_snapshot, mixed_table, snapshot_of

from sameornot.cluster.block import predict_block
from sameornot.export import Model, assign_file
from sameornot.export.assigner import Assigner
from sameornot.table import TableError, read_table

READ = {".csv": lambda path: pd.read_csv(path, keep_default_na=False), ".parquet": pd.read_parquet}


@pytest.fixture(scope="module")
def model():
    return replace(Model.from_snapshot(mixed_snapshot()), names=["thin", "round", ""])


@pytest.fixture
def new_table():
    frame, _ = mixed_table(101, seed=9)
    frame.insert(0, "patient", [f"P{row:03}" for row in range(101)])
    return frame


def save(frame, path):
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


@pytest.mark.parametrize("given", [".csv", ".parquet"])
@pytest.mark.parametrize("wanted", [".csv", ".parquet"])
@pytest.mark.parametrize("n_rows", [1000, 101, 17])
def test_blocks_give_the_result_of_the_whole_table(model, new_table, tmp_path, given, wanted, n_rows):
    source = save(new_table, tmp_path / f"new{given}")
    out = tmp_path / f"groups{wanted}"
    seen = []
    sizes = assign_file(model, source, out, id_column="patient", n_rows=n_rows, progress=seen.append)
    found, expected = READ[wanted](out), model.assign(read_table(source))
    assert sizes.tolist() == [(expected["group"] == number).sum() for number in model.numbers]
    assert list(found.columns) == ["id", "row", "group", "name", "confidence"]
    assert found["id"].tolist() == new_table["patient"].tolist()
    assert found["row"].tolist() == list(range(1, 102))
    assert found["group"].tolist() == expected["group"].tolist()
    assert found["name"].tolist() == expected["name"].tolist()
    assert found["confidence"].tolist() == pytest.approx(expected["confidence"].tolist(), rel=1e-9)
    assert seen == [min(done, 101) for done in range(n_rows, 101 + n_rows, n_rows)]


@pytest.mark.parametrize("wanted", [".csv", ".parquet"])
def test_without_an_id_column_the_result_has_none(model, new_table, tmp_path, wanted):
    out = tmp_path / f"groups{wanted}"
    assign_file(model, save(new_table, tmp_path / "new.csv"), out)
    assert list(READ[wanted](out).columns) == ["row", "group", "name", "confidence"]


class Stop(Exception):
    pass


@pytest.mark.parametrize("wanted", [".csv", ".parquet"])
@pytest.mark.parametrize("earlier", [None, b"what was there"])
def test_failure_keeps_the_earlier_file(model, new_table, tmp_path, wanted, earlier):
    source, folder = save(new_table, tmp_path / "new.csv"), tmp_path / "results"
    folder.mkdir()
    out = folder / f"groups{wanted}"
    if earlier is not None:
        out.write_bytes(earlier)

    def stop_in_the_middle(done):
        if done > 50:
            raise Stop

    with pytest.raises(Stop):
        assign_file(model, source, out, n_rows=20, progress=stop_in_the_middle)
    assert [path.read_bytes() for path in folder.iterdir()] == ([] if earlier is None else [earlier])


def test_missing_column_leaves_no_file(model, new_table, tmp_path):
    source = save(new_table.drop(columns="colour"), tmp_path / "new.csv")
    with pytest.raises(TableError, match="colour"):
        assign_file(model, source, tmp_path / "groups.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["new.csv"]


def test_missing_id_column_is_named(model, new_table, tmp_path):
    source = save(new_table, tmp_path / "new.csv")
    with pytest.raises(TableError, match="no column 'ward'"):
        assign_file(model, source, tmp_path / "groups.csv", id_column="ward")


@pytest.mark.parametrize("name", ["groups.xlsx", "groups", "groups.pickle"])
def test_unknown_suffix_of_the_result_is_refused_before_any_work(model, tmp_path, name):
    with pytest.raises(TableError, match=r"has to end in \.csv or \.parquet"):
        assign_file(model, tmp_path / "not there.csv", tmp_path / name)


def test_missing_source_is_named(model, tmp_path):
    (tmp_path / "groups.csv").write_text("earlier")
    with pytest.raises(TableError, match="no file"):
        assign_file(model, tmp_path / "not there.csv", tmp_path / "groups.csv")
    assert (tmp_path / "groups.csv").read_text() == "earlier"


def test_table_is_not_overwritten_by_its_result(model, new_table, tmp_path):
    source = save(new_table, tmp_path / "new.csv")
    before = source.read_bytes()
    with pytest.raises(TableError, match="is the table itself"):
        assign_file(model, source, tmp_path / "." / "new.csv")
    assert source.read_bytes() == before


def test_ids_like_formulas_are_escaped_in_csv_and_unchanged_in_parquet(model, new_table, tmp_path):
    new_table["patient"] = ["=cmd()"] + ["-7"] * 100
    source = save(new_table, tmp_path / "new.csv")
    assign_file(model, source, tmp_path / "groups.csv", id_column="patient")
    assign_file(model, source, tmp_path / "groups.parquet", id_column="patient")
    lines = (tmp_path / "groups.csv").read_text("utf-8").splitlines()
    assert lines[1].startswith("'=cmd(),1,")
    assert lines[2].startswith("-7,2,")
    assert pd.read_parquet(tmp_path / "groups.parquet")["id"].tolist()[:2] == ["=cmd()", "-7"]


def test_at_most_one_block_is_in_memory_at_a_time(model, new_table, tmp_path, monkeypatch):
    sizes = []
    predict_block = Assigner.predict

    def watch(self, block, first_row):
        sizes.append(len(block))
        return predict_block(self, block, first_row)

    monkeypatch.setattr(Assigner, "predict", watch)
    assign_file(model, save(new_table, tmp_path / "new.parquet"), tmp_path / "groups.csv", n_rows=30)
    assert sizes == [30, 30, 30, 11]


def numbers_model(shift=0.0):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(3), 40)
    values = 4.0 * rng.normal(size=(3, 4))[y] + rng.normal(size=(120, 4)) + shift
    frame = pd.DataFrame(values, columns=list("wxyz"))
    return Model.from_snapshot(snapshot_of(frame, y, n_answers=20)), frame


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, 0.0], ids=["wide", "no width"])
@pytest.mark.parametrize(
    ("first", "missing"),
    [(0, []), (0, [np.nan, np.inf, -np.inf]), (5, [np.nan, np.inf, -np.inf])],
    ids=["whole", "missing cells", "missing cells where no look falls"],
)
@pytest.mark.parametrize("shift", [0.0, 50.0, 1e6])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_numeric_table_gets_the_same_labels_as_with_encoding(shift, precision, first, missing, width):
    model, frame = numbers_model(shift)
    model = model if width is None else replace(model, width=width)
    frame = frame.astype(precision)
    for row, (column, value) in enumerate(zip(frame.columns, missing, strict=False)):
        frame.loc[first + 10 * row, column] = value
    labels, shares = model.predict(frame)
    encoded = predict_block(model.encoder.transform(frame), model.scorer)
    assert labels.tolist() == encoded.labels.tolist()
    np.testing.assert_allclose(shares, encoded.proba, atol=1e-3)


def test_single_precision_overflow_is_repeated_in_double():
    model, frame = numbers_model()
    frame = frame.astype(np.float32)
    frame.loc[5, "x"] = 3e38
    labels, shares = model.predict(frame)
    assert np.isfinite(shares).all()
    assert labels[5] == predict_block(model.encoder.transform(frame), model.scorer).labels[5]
