import numpy as np
import pandas as pd
import pytest

from sameornot.table import SampleLimits, TableEncoder, TableError, read_features, read_sample

RNG = np.random.default_rng(0)
N, D = 30, 20
V = RNG.normal(size=(N, D)).astype(np.float32)
TABLE = pd.DataFrame({"who": [f"p{row}" for row in range(N)], "size": RNG.normal(size=N)})


def write_npy(folder, V=V):
    np.save(folder / "emb.npy", V)
    return folder / "emb.npy"


def write_npz(folder, V=V, ids=None):
    np.savez(folder / "emb.npz", features=V, **({} if ids is None else {"ids": ids}))
    return folder / "emb.npz"


def write_columns(folder, V=V, ids=None):
    frame = pd.DataFrame(V, columns=[f"x{place}" for place in range(V.shape[1])])
    return write_parquet(folder, frame if ids is None else frame.assign(who=ids))


def write_vectors(folder, V=V, ids=None):
    frame = pd.DataFrame({"vector": list(V)})
    return write_parquet(folder, frame if ids is None else frame.assign(who=ids))


def write_parquet(folder, frame):
    pytest.importorskip("pyarrow")
    frame.to_parquet(folder / "emb.parquet")
    return folder / "emb.parquet"


WRITERS = [write_npy, write_npz, write_columns, write_vectors]


@pytest.mark.parametrize("write", WRITERS)
def test_every_format_gives_the_same_vectors(write, tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    found = read_sample(tmp_path / "people.csv").with_features(
        read_features(write(tmp_path), "who"), title="people.csv", id_column="who"
    )
    assert np.array_equal(np.stack(list(found.frame["emb"])), V)
    assert TableEncoder.fit(found.frame, keep_out=["who"]).n_features == D + 1


def test_sampled_rows_and_blocks_have_their_own_vectors(tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    limits = SampleLimits(text_bytes=1, whole_cells=0, sample_rows=7, min_rows=2, block_rows=8)
    sample = read_sample(tmp_path / "people.csv", limits=limits)
    found = sample.with_features(read_features(write_npy(tmp_path)), title="people.csv")
    assert len(found.rows) == 7
    assert np.array_equal(np.stack(list(found.frame["emb"])), V[found.rows])
    found = found.including([int(row) for row in range(N)])
    assert np.array_equal(np.stack(list(found.frame["emb"])), V)
    for start, block in found.blocks():
        assert np.array_equal(np.stack(list(block["emb"])), V[start : start + len(block)])


def test_vectors_that_are_too_many_are_sampled_beside_a_small_table(tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    limits = SampleLimits(whole_cells=N * D, sample_rows=7, min_rows=2)
    sample = read_sample(tmp_path / "people.csv")
    found = sample.with_features(read_features(write_npy(tmp_path)), title="", limits=limits)
    assert len(found.frame) == len(found.rows) == 7
    assert np.array_equal(np.stack(list(found.frame["emb"])), V[found.rows])
    assert found.frame["who"].tolist() == TABLE["who"].iloc[found.rows].tolist()
    (block,) = [block for _, block in found.blocks()]
    assert np.array_equal(np.stack(list(block["emb"])), V)
    assert found.including(range(N)).frame["who"].tolist() == TABLE["who"].tolist()


def test_fingerprint_covers_table_and_vectors(tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    sample = read_sample(tmp_path / "people.csv")
    prints = {sample.fingerprint}
    for vectors in (V, V + 1):
        features = read_features(write_npy(tmp_path, vectors))
        prints.add(sample.with_features(features, title="").fingerprint)
    assert len(prints) == 3


BAD = np.where(np.arange(D) == 2, np.nan, V)
REFUSALS = {
    "emb.npy has 29 vectors but people.csv has 30 rows: give one for each row, in the order of the table": (
        lambda folder: write_npy(folder, V[1:])
    ),
    "emb.npy holds nan in place 3 of row 1: every vector needs finite numbers": (
        lambda folder: write_npy(folder, BAD)
    ),
    "row 1 of emb.npz is for 'p29' but that row of the table is 'p0': write the vectors in the order of the "
    "table": lambda folder: write_npz(folder, ids=TABLE["who"].to_numpy(dtype=str)[::-1]),
    "row 2 of emb.parquet is for 'p2' but that row of the table is 'p1': write the vectors in the order of "
    "the table": lambda folder: write_vectors(folder, ids=["p0", "p2", "p1", *TABLE["who"][3:]]),
    "emb.npy holds 20 of the type float32: a matrix of numbers with a row for each record is needed": (
        lambda folder: write_npy(folder, V[0])
    ),
    "emb.npy cannot be read as an array of numbers: write it with numpy.save(…, X.astype('f4'))": (
        lambda folder: write_npy(folder, V.astype(object))
    ),
    "emb.parquet has the columns word: give it one column of vectors, or columns of numbers alone beside the "
    "identifiers that --id names": (
        lambda folder: write_parquet(folder, pd.DataFrame({"x": V[:, 0], "word": "a"}))
    ),
}


@pytest.mark.parametrize("sentence", REFUSALS)
def test_refusal_is_one_sentence(sentence, tmp_path):
    TABLE.to_csv(tmp_path / "people.csv", index=False)
    with pytest.raises(TableError) as caught:
        read_sample(tmp_path / "people.csv").with_features(
            read_features(REFUSALS[sentence](tmp_path), "who"), title="people.csv", id_column="who"
        )
    assert str(caught.value) == sentence
