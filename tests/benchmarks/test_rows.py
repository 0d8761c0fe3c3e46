"""Rows on disk: a replication is there as a whole or not at all, whatever happened to the writer."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reproduction.rows import RowFile, RowsNotSaved, fingerprint, versions


def replication(run, seed, n_rows=3):
    return [{"run": run, "seed": seed, "method": run, "checkpoint": q, "ari": q / 7} for q in range(n_rows)]


@pytest.fixture
def rows(tmp_path):
    return RowFile(tmp_path / "deep" / "table.csv")


def test_what_is_appended_is_read_back(rows):
    rows.append(replication("AQM + MEE (automatic λ and q)", 0))
    rows.append(replication("COBRAS", 4, n_rows=1))
    assert rows.done() == {("AQM + MEE (automatic λ and q)", 0), ("COBRAS", 4)}
    assert rows.read().checkpoint.tolist() == [0, 1, 2, 0]


def test_no_file_is_no_rows(rows):
    assert rows.done() == set()
    assert len(rows.read()) == 0


@pytest.mark.slow
@given(cut=st.integers(1, 200))
def test_a_replication_that_was_cut_short_is_as_if_it_had_never_been(tmp_path_factory, cut):
    rows = RowFile(tmp_path_factory.mktemp("rows") / "table.csv")
    rows.append(replication("A", 0))
    rows.append(replication("B", 0))
    size = rows.path.stat().st_size
    rows.append(replication("B", 1))
    end = rows.path.stat().st_size
    os.truncate(rows.path, max(end - cut, size))
    done = rows.done()
    assert ("A", 0) in done
    is_whole_line = rows.path.read_bytes().endswith(b"\n")
    assert ("B", 1) not in done or is_whole_line
    rows.append(replication("C", 0))
    after = rows.read()
    assert set(zip(after.run, after.seed, strict=True)) == done | {("C", 0)}
    assert all(len(group) == 3 for key, group in after.groupby(["run", "seed"]) if key != ("B", 1))


def test_a_full_disk_leaves_the_rows_as_they_were(tmp_path, monkeypatch):
    rows = RowFile(tmp_path / "table.csv")
    rows.append(replication("A", 0))
    before = rows.path.read_bytes()

    def no_space(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(RowsNotSaved, match=r"No space left on device.*already there are kept.*run the same"):
        rows.append(replication("B", 0))
    assert rows.path.read_bytes() == before


def test_a_disk_that_fills_up_half_way_keeps_what_was_there(tmp_path):
    """The limit is the system's own: the write stops in the middle of a row."""
    path = tmp_path / "table.csv"
    script = f"""
import resource
from pathlib import Path
from reproduction.rows import RowFile, RowsNotSaved
rows = RowFile(Path({str(path)!r}))
rows.append([{{"run": "A", "seed": 0, "checkpoint": 1}}])
size = rows.path.stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 30, size + 30))
try:
    rows.append([{{"run": "B", "seed": 0, "checkpoint": q}} for q in range(20)])
except RowsNotSaved as error:
    print(error)
assert rows.path.stat().st_size == size
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "rows already there are kept" in done.stdout
    assert RowFile(path).done() == {("A", 0)}


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(RowsNotSaved, match="choose another folder"):
        RowFile(tmp_path / "taken" / "table.csv").append(replication("A", 0))


def test_another_file_of_that_name_is_not_taken_for_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b\n"1,2\n')
    with pytest.raises(ValueError, match=r"is not a table of results.*move it away"):
        RowFile(path).read()


def test_columns_keep_their_place_whatever_the_order_of_the_keys(rows):
    rows.append([{"run": "A", "seed": 0, "ari": 0.5, "asked": 60}])
    rows.append([{"asked": 61, "ari": 0.6, "seed": 1, "run": "A"}])
    assert rows.read().asked.tolist() == [60, 61]
    with pytest.raises(ValueError, match="has the columns run, seed, ari, asked, not those of new rows"):
        rows.append([{"run": "A", "seed": 2, "kl": 0.1}])
    assert len(rows.read()) == 2


def test_a_table_of_something_else_is_not_taken_for_rows(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="no columns run and seed"):
        RowFile(path).read()


def test_rows_are_set_aside_and_never_overwritten(rows):
    assert rows.set_aside() is None
    for number in (1, 2):
        rows.append(replication("A", number))
        assert rows.set_aside().name == f"table.{number}.csv"
    assert not rows.path.exists()
    assert len(list(rows.path.parent.iterdir())) == 2


def test_a_killed_writer_leaves_whole_replications(tmp_path):
    path = tmp_path / "table.csv"
    script = f"""
from itertools import count
from pathlib import Path
from reproduction.rows import RowFile
rows = RowFile(Path({str(path)!r}))
for seed in count():
    rows.append([{{"run": "A", "seed": seed, "method": "A", "checkpoint": q}} for q in range(5)])
"""
    writer = subprocess.Popen([sys.executable, "-c", script])
    while not path.exists() or path.stat().st_size < 2000:
        assert writer.poll() is None
        time.sleep(0.01)
    writer.send_signal(signal.SIGKILL)
    writer.wait()
    found = RowFile(path).read()
    assert (found.groupby("seed").size() == 5).all()


@pytest.mark.slow
def test_writers_at_the_same_time_lose_nothing(tmp_path):
    path = tmp_path / "table.csv"
    script = """
import sys
from pathlib import Path
from reproduction.rows import RowFile
rows = RowFile(Path(sys.argv[1]))
for seed in range(60):
    rows.append([{"run": sys.argv[2], "seed": seed, "checkpoint": q} for q in range(4)])
"""
    command = [sys.executable, "-c", script, str(path)]
    writers = [subprocess.Popen([*command, run]) for run in "ABC"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    found = RowFile(path).read()
    assert RowFile(path).done() == {(run, seed) for run in "ABC" for seed in range(60)}
    assert len(found) == 3 * 60 * 4


def test_versions_name_code_and_packages():
    assert re.fullmatch(r"sameornot \S+ [0-9a-f]{10} python \S+ numpy \S+ scikit-learn \S+", versions())
    assert fingerprint() in versions()
