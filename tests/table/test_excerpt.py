"""A table too large to hold: some of its rows as the whole file would give them, all of them in blocks."""

import numpy as np
import pandas as pd
import pytest

from sameornot.table import Excerpt, TableProblem, excerpt, read_excerpt, read_table, reading

N_ROWS = 1_000


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch):
    """What is large, in the small: 200 rows are held of a file of 1,000."""
    monkeypatch.setattr(excerpt, "HELD_ROWS", 200)
    monkeypatch.setattr(excerpt, "FEWEST_ROWS", 1)
    monkeypatch.setattr(excerpt, "SMALL_CELLS", 0)
    monkeypatch.setattr(excerpt, "BLOCK", 70)
    monkeypatch.setattr(reading, "_BATCH", 33)
    monkeypatch.setattr(reading, "_LARGE_TEXT", 1_000)
    monkeypatch.setattr(reading, "_LARGE_GZIP", 1_000)
    monkeypatch.setattr(reading, "_LARGE_CELLS", 1_000)


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


def test_rows_that_are_held_are_those_of_the_whole(path, frame):
    found = read_excerpt(path)
    assert (len(found), len(found.rows), len(found.frame)) == (N_ROWS, 200, 200)
    assert (np.diff(found.rows) > 0).all()
    expected = frame.iloc[found.rows].reset_index(drop=True)
    pd.testing.assert_frame_equal(found.frame, expected, check_dtype=False)
    assert found.frame["size"].dtype == np.float64
    assert found.frame["stage"].dtype == np.int64


def test_they_are_drawn_from_all_parts_of_the_table_alike(path):
    shares = np.histogram(read_excerpt(path).rows, bins=4, range=(0, N_ROWS))[0]
    assert shares.min() > 30


def test_blocks_hold_every_row_once_and_in_order(path, frame):
    blocks = list(read_excerpt(path).blocks())
    assert max(len(block) for _, block in blocks) <= 70
    ends = np.cumsum([len(block) for _, block in blocks]).tolist()
    assert [start for start, _ in blocks] == [0, *ends[:-1]]
    assert [name for _, block in blocks for name in block["patient"]] == frame["patient"].tolist()


def test_the_same_table_has_the_same_rows_and_mark_and_another_has_not(path, frame):
    first, again = read_excerpt(path), read_excerpt(path)
    assert first.mark == again.mark
    assert first.rows.tolist() == again.rows.tolist()
    save(frame.assign(stage=frame["stage"].replace(1, 2)), path)
    assert read_excerpt(path).mark != first.mark


def test_rows_that_were_seen_before_are_held_too(path, frame):
    found = read_excerpt(path)
    absent = np.setdiff1d(np.arange(N_ROWS), found.rows)[[0, 5, -1]].tolist()
    wider = found.including([*absent, int(found.rows[3])])
    assert wider.rows.tolist() == sorted([*found.rows.tolist(), *absent])
    assert wider.frame["patient"].tolist() == frame["patient"].iloc[wider.rows].tolist()
    assert found.including(found.rows[:5].tolist()) is found


def test_a_table_that_grew_while_it_was_open_is_not_taken_for_the_same(path, frame):
    found = read_excerpt(path)
    save(pd.concat([frame, frame.head(70)]), path)
    with pytest.raises(TableProblem, match="the table has 1,070 rows now and had 1,000"):
        list(found.blocks())


def test_a_local_cluster_reads_a_folder_as_this_process_does(tmp_path, frame):
    here = read_excerpt(save(frame, tmp_path))
    there = read_excerpt(tmp_path, "local")
    assert there.mark == here.mark
    pd.testing.assert_frame_equal(there.frame, here.frame)


def test_a_small_table_is_held_whole(tmp_path, frame, monkeypatch):
    monkeypatch.setattr(reading, "_LARGE_TEXT", 10**9)
    path = save(frame, tmp_path / "table.csv")
    found, whole = read_excerpt(path), Excerpt.of(read_table(path))
    assert found.frame.equals(whole.frame)
    assert (found.mark, found.files) == (whole.mark, ())
    assert [start for start, _ in found.blocks()] == list(range(0, N_ROWS, 70))


def test_a_small_table_in_parts_is_held_whole_and_stays_in_parts(tmp_path, frame, monkeypatch):
    monkeypatch.setattr(excerpt, "SMALL_CELLS", 10**9)
    found = read_excerpt(save(frame, tmp_path))
    assert found.rows.tolist() == list(range(N_ROWS))
    assert len(found.files) == 7


def test_what_is_wrong_with_a_folder_is_said_in_a_sentence(tmp_path, frame):
    with pytest.raises(TableProblem, match="a folder without Parquet files"):
        read_excerpt(tmp_path)
    save(frame, tmp_path)
    frame.drop(columns="stage").to_parquet(tmp_path / "part-3.parquet")
    with pytest.raises(TableProblem, match=r"part-3\.parquet has other columns than part-0\.parquet"):
        read_excerpt(tmp_path)
    (tmp_path / "part-3.parquet").write_text("hello")
    with pytest.raises(TableProblem, match=r"part-3\.parquet is no Parquet file"):
        read_excerpt(tmp_path)


def test_records_have_their_names_or_their_place(path, frame):
    found = read_excerpt(path)
    rows = found.rows[[0, 7]]
    assert found.names(rows, "patient") == frame["patient"].iloc[rows].tolist()
    assert found.names(rows, None) == [f"row {row + 1}" for row in rows]
