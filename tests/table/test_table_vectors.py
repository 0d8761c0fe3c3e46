import json

import numpy as np
import pandas as pd
import pytest

from sameornot.table import (
    SampleLimits,
    TableEncoder,
    TableError,
    display,
    fingerprint,
    read_sample,
    read_table,
)
from sameornot.table.vectors import VectorBlock, project

RNG = np.random.default_rng(0)
N, D = 40, 24
V = RNG.normal(size=(N, D)) * np.exp(RNG.normal(size=(N, 1)))  # of very different lengths


def frame_of(cells):
    return pd.DataFrame({"emb": pd.Series(list(cells), dtype=object), "size": RNG.normal(size=len(cells))})


HOLDERS = {
    "arrays": list,
    "single precision": lambda V: list(V.astype(np.float32)),
    "lists": lambda V: V.tolist(),
    "tuples": lambda V: [tuple(row) for row in V.tolist()],
    "JSON": lambda V: [json.dumps(row) for row in V.tolist()],
    "printed": lambda V: [str(row).replace("\n", "") for row in V.astype(object)],
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_vectors_are_one_block_with_one_weight(holder):
    encoder = TableEncoder.fit(frame_of(HOLDERS[holder](V)))
    assert [(column.kind, column.n_features) for column in encoder.columns] == [("vector", D), ("number", 1)]
    assert encoder.column_weights(np.ones(D + 1)).to_dict() == {"emb": D / (D + 1), "size": 1 / (D + 1)}


def test_block_keeps_the_angles_and_has_one_scale():
    block = TableEncoder.fit(frame_of(V)).transform(frame_of(V))[:, :D]
    assert block.var(axis=0).sum() == pytest.approx(D**0.25)
    unit = V / np.linalg.norm(V, axis=1, keepdims=True)
    cosine = unit @ unit.T
    squares = ((block[:, None] - block[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squares, squares[0, 1] * (1 - cosine) / (1 - cosine[0, 1]), atol=1e-9)


def test_long_vectors_are_reduced_to_their_leading_axes():
    hidden = RNG.normal(size=(300, 6)) @ RNG.normal(size=(6, 200)) + 0.01 * RNG.normal(size=(300, 200))
    frame = frame_of(hidden)
    encoder = TableEncoder.fit(frame)
    assert encoder.columns[0].n_features == 50
    block, unit = encoder.transform(frame)[:, :50], hidden / np.linalg.norm(hidden, axis=1, keepdims=True)
    assert block.var(axis=0).sum() == pytest.approx(50**0.25)
    apart = np.linalg.norm(block[1:] - block[0], axis=1)
    expected = np.linalg.norm(unit[1:] - unit[0], axis=1)
    assert np.corrcoef(apart, expected)[0, 1] > 0.999
    again = TableEncoder.from_json(json.loads(json.dumps(encoder.to_json())))
    assert np.array_equal(again.transform(frame), encoder.transform(frame))
    assert np.array_equal(encoder.transform(frame[7:9])[:, :50], block[7:9])


def test_projection_of_a_row_does_not_depend_on_the_others():
    rows, axes = RNG.normal(size=(777, 256)), RNG.normal(size=(256, 50))
    found = project(rows, axes)
    np.testing.assert_allclose(found, rows @ axes, atol=1e-12)
    order = RNG.permutation(777)
    for some in (order, order[:1], order[5:70], order[100:]):
        assert np.array_equal(project(rows[some], axes), found[some])
    assert project(rows[:0], axes).shape == (0, 50)


def test_short_vectors_keep_their_length():
    places = np.array([[1.0, 1.0], [2.0, 2.0], [4.0, 4.0]])
    block = VectorBlock.fit(places).encode(places)
    assert np.linalg.norm(block[1] - block[2]) == pytest.approx(2 * np.linalg.norm(block[0] - block[1]))


def test_missing_vector_is_the_average_and_is_told():
    cells = list(V)
    cells[3] = None
    encoder = TableEncoder.fit(frame_of(cells))
    assert encoder.notices == ["1 missing cell was filled: emb (1 of 40, with the average vector)."]
    assert (encoder.transform(frame_of(cells))[3, :D] == 0).all()


WRONG = {
    "a vector of 23 numbers where 24 are expected": V[7, :23],
    "nan in place 5 of the vector": np.where(np.arange(D) == 4, np.nan, V[7]),
    "inf in place 1 of the vector": np.where(np.arange(D) == 0, np.inf, V[7]),
    "'hello' where a vector of 24 numbers is expected": "hello",
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_vector_is_named(what):
    cells = list(V)
    cells[7] = WRONG[what]
    good = TableEncoder.fit(frame_of(V))
    for call in (TableEncoder.fit, good.transform):
        with pytest.raises(TableError) as caught:
            call(frame_of(cells))
        assert str(caught.value) == f"column 'emb' holds {what} in row 8"


def test_lists_of_all_lengths_are_no_vectors():
    tags = pd.Series([list(range(n)) for n in RNG.integers(1, 9, 200)], dtype=object)
    frame = pd.DataFrame({"bought": tags, "size": RNG.normal(size=200)})
    assert "vector" not in [column.kind for column in TableEncoder.fit(frame).columns]


def test_encoder_survives_json():
    frame = frame_of(V)
    encoder = TableEncoder.fit(frame)
    again = TableEncoder.from_json(json.loads(json.dumps(encoder.to_json())))
    assert np.array_equal(again.transform(frame), encoder.transform(frame))


def test_vectors_of_parquet_are_read_and_large_files_sampled(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    for name, kind in (("list", pa.list_(pa.float32())), ("fixed", pa.list_(pa.float32(), D))):
        table = pa.table({"id": list(range(N)), "emb": pa.array(V.tolist(), type=kind)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
        frame = read_table(tmp_path / f"{name}.parquet")
        assert TableEncoder.fit(frame, keep_out=["id"]).n_features == D
        limits = SampleLimits(parquet_cells=N * D - 1, whole_cells=0, sample_rows=9, min_rows=2)
        assert len(read_sample(tmp_path / f"{name}.parquet", limits=limits).rows) == 9
        assert len(read_sample(tmp_path / f"{name}.parquet").rows) == N


def test_fingerprint_sees_every_number_and_no_type():
    assert fingerprint(frame_of(V)[["emb"]]) == fingerprint(frame_of(V.tolist())[["emb"]])
    other = V.copy()
    other[N // 2, D // 2] += 1e-9
    assert fingerprint(frame_of(V)[["emb"]]) != fingerprint(frame_of(other)[["emb"]])


def test_vector_is_shown_by_its_first_numbers():
    assert display(np.arange(5) / 4) == "0, 0.25, 0.5, … (5 numbers)"
    assert display([1, 2]) == "1, 2"
