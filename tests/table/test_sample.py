"""Samples of tables too large to hold: sampled rows equal those of the whole file, blocks hold all rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sameornot.table import SampleLimits, TableError, TableSample, read_sample, read_table

N_ROWS = 1_000
# A table of 1,000 rows is large: 200 of them are held.
LIMITS = SampleLimits(
    text_bytes=1_000,
    gzip_bytes=1_000,
    parquet_cells=1_000,
    whole_cells=0,
    sample_rows=200,
    min_rows=1,
    block_rows=70,
)


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    named = pd.DataFrame(
        {
            "patient": [f"P{row:04}" for row in range(N_ROWS)],
            "size": rng.normal(size=N_ROWS).round(6),
            "stage": rng.integers(1, 4, N_ROWS),
            "remark": np.array(["a, b", 'said "no"', "two\nlines", "ä"])[rng.integers(0, 4, N_ROWS)],
        }
    )
    named.loc[rng.choice(N_ROWS, 50, replace=False), "size"] = np.nan
    return named


def save(frame, path):
    if path.is_dir():
        for nth, rows in enumerate(np.array_split(np.arange(len(frame)), 7)):
            frame.iloc[rows].to_parquet(path / f"part-{nth}.parquet", row_group_size=50)
    elif path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=90)
    else:
        options = {"sep": ";", "decimal": ","} if path.stem == "commas" else {}
        frame.to_csv(path, index=False, **options)
    return path


@pytest.fixture(params=["table.csv", "table.csv.gz", "commas.csv", "table.parquet", "folder"])
def path(request, tmp_path, frame):
    place = tmp_path / request.param
    if request.param == "folder":
        place.mkdir()
    return save(frame, place)


def test_sampled_rows_equal_those_of_the_whole_file(path, frame):
    found = read_sample(path, limits=LIMITS)
    assert (len(found), len(found.rows), len(found.frame)) == (N_ROWS, 200, 200)
    assert (np.diff(found.rows) > 0).all()
    expected = frame.iloc[found.rows].reset_index(drop=True)
    pd.testing.assert_frame_equal(found.frame, expected, check_dtype=False)
    assert found.frame["size"].dtype == np.float64
    assert found.frame["stage"].dtype == np.int64


def test_sample_is_drawn_evenly_from_all_parts_of_the_table(path):
    shares = np.histogram(read_sample(path, limits=LIMITS).rows, bins=4, range=(0, N_ROWS))[0]
    assert shares.min() > 30


def test_blocks_hold_each_row_once_and_in_order(path, frame):
    blocks = list(read_sample(path, limits=LIMITS).blocks())
    assert max(len(block) for _, block in blocks) <= 70
    ends = np.cumsum([len(block) for _, block in blocks]).tolist()
    assert [start for start, _ in blocks] == [0, *ends[:-1]]
    assert [name for _, block in blocks for name in block["patient"]] == frame["patient"].tolist()


def test_sample_and_fingerprint_depend_on_the_contents_only(path, frame):
    first, again = read_sample(path, limits=LIMITS), read_sample(path, limits=LIMITS)
    assert first.fingerprint == again.fingerprint
    assert first.rows.tolist() == again.rows.tolist()
    save(frame.assign(stage=frame["stage"].replace(1, 2)), path)
    assert read_sample(path, limits=LIMITS).fingerprint != first.fingerprint


def test_sample_can_be_extended_by_given_rows(path, frame):
    found = read_sample(path, limits=LIMITS)
    absent = np.setdiff1d(np.arange(N_ROWS), found.rows)[[0, 5, -1]].tolist()
    extended = found.including([*absent, int(found.rows[3])])
    assert extended.rows.tolist() == sorted([*found.rows.tolist(), *absent])
    assert extended.frame["patient"].tolist() == frame["patient"].iloc[extended.rows].tolist()
    assert found.including(found.rows[:5].tolist()) is found


def test_table_that_grew_while_it_was_open_is_refused(path, frame):
    found = read_sample(path, limits=LIMITS)
    save(pd.concat([frame, frame.head(70)]), path)
    with pytest.raises(TableError, match="the table has 1,070 rows now and had 1,000"):
        list(found.blocks())


@pytest.mark.slow
def test_local_cluster_reads_a_folder_as_this_process_does(tmp_path, frame):
    serial = read_sample(save(frame, tmp_path), limits=LIMITS)
    parallel = read_sample(tmp_path, "local", limits=LIMITS)
    assert parallel.fingerprint == serial.fingerprint
    pd.testing.assert_frame_equal(parallel.frame, serial.frame)


def test_small_table_is_held_whole(tmp_path, frame):
    path = save(frame, tmp_path / "table.csv")
    found = read_sample(path, limits=replace(LIMITS, text_bytes=10**9))
    whole = TableSample.of(read_table(path))
    assert found.frame.equals(whole.frame)
    assert (found.fingerprint, found.files) == (whole.fingerprint, ())
    assert [start for start, _ in found.blocks()] == list(range(0, N_ROWS, 70))


def test_small_table_in_parts_is_held_whole_and_stays_in_parts(tmp_path, frame):
    found = read_sample(save(frame, tmp_path), limits=replace(LIMITS, whole_cells=10**9))
    assert found.rows.tolist() == list(range(N_ROWS))
    assert len(found.files) == 7


def test_folder_that_cannot_be_used_is_refused_in_one_sentence(tmp_path, frame):
    with pytest.raises(TableError, match="a folder without Parquet files"):
        read_sample(tmp_path, limits=LIMITS)
    save(frame, tmp_path)
    frame.drop(columns="stage").to_parquet(tmp_path / "part-3.parquet")
    with pytest.raises(TableError, match=r"part-3\.parquet has other columns than part-0\.parquet"):
        read_sample(tmp_path, limits=LIMITS)
    (tmp_path / "part-3.parquet").write_text("hello")
    with pytest.raises(TableError, match=r"part-3\.parquet is no Parquet file"):
        read_sample(tmp_path, limits=LIMITS)


def test_records_are_named_by_identifier_or_by_row_number(path, frame):
    found = read_sample(path, limits=LIMITS)
    rows = found.rows[[0, 7]]
    assert found.names(rows, "patient") == frame["patient"].iloc[rows].tolist()
    assert found.names(rows, None) == [f"row {row + 1}" for row in rows]
