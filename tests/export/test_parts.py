"""Assigning a table in parts: the result of the whole table with any engine, and resumable."""

import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_snapshots import snapshot_of

from sameornot.export import EngineError, Model, assign_parts
from sameornot.export.writers import FINGERPRINT_KEY
from sameornot.table import TableError

N_PARTS, N_ROWS = 6, 500


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(2), 40)
    frame = pd.DataFrame(rows(rng, y), columns=list("wxyz"))
    return Model.from_snapshot(snapshot_of(frame, y, n_answers=15))


def rows(rng, y):
    return 2.0 * np.array([[-1, 0, 1, 0], [1, 1, 0, 0]])[y] + rng.normal(size=(len(y), 4))


@pytest.fixture
def table(tmp_path):
    folder = tmp_path / "table"
    folder.mkdir()
    rng = np.random.default_rng(1)
    for part in range(N_PARTS):
        frame = pd.DataFrame(rows(rng, rng.integers(0, 2, N_ROWS)), columns=list("wxyz"))
        frame.to_parquet(folder / f"part-{part}.parquet")
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "groups"


def whole(folder):
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.iterdir())], ignore_index=True)


def check(model, table, out):
    """Assert that the files hold the result of the whole table."""
    found, expected = whole(out), model.assign(whole(table))
    assert found["row"].tolist() == list(range(1, N_PARTS * N_ROWS + 1))
    assert found["group"].tolist() == expected["group"].tolist()
    np.testing.assert_allclose(found["confidence"], expected["confidence"], rtol=1e-9)


@pytest.mark.parametrize("engine", [None, "local"])
def test_parts_get_the_groups_of_the_whole_table(model, table, out, engine):
    seen = []
    assert assign_parts(model, table, out, engine=engine, progress=seen.append).sum() == N_PARTS * N_ROWS
    assert seen == [N_ROWS * nth for nth in range(1, N_PARTS + 1)]
    check(model, table, out)


def test_finished_parts_are_not_repeated(model, table, out):
    assign_parts(model, table, out)
    (out / "part-2.parquet").unlink()
    before = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    seen = []
    assert assign_parts(model, table, out, progress=seen.append).sum() == N_PARTS * N_ROWS
    assert seen == [N_PARTS * N_ROWS]
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before
    assert (
        assign_parts(model, table, out, engine="tcp://127.0.0.1:1").sum() == N_PARTS * N_ROWS
    )  # nothing to do
    check(model, table, out)


def test_another_model_repeats_all_parts(model, table, out):
    assign_parts(model, table, out)
    other = Model.from_json(model.to_json() | {"title": "another"})
    assign_parts(other, table, out)
    marks = {pq.read_metadata(path).metadata[FINGERPRINT_KEY].decode() for path in out.iterdir()}
    assert marks == {other.fingerprint} != {model.fingerprint}


def test_partial_files_of_dead_workers_are_removed(model, table, out):
    out.mkdir()
    (out / ".part-1.parquet.0123.part").write_text("half")
    (out / ".another.part").write_text("not ours")
    assign_parts(model, table, out)
    assert sorted(path.name for path in out.iterdir() if path.name.startswith(".")) == [".another.part"]


def test_part_that_grew_is_repeated(model, table, out):
    assign_parts(model, table, out)
    grown = table / "part-5.parquet"
    frame = pd.read_parquet(grown)
    pd.concat([frame, frame]).to_parquet(grown)
    assert assign_parts(model, table, out).sum() == (N_PARTS + 1) * N_ROWS
    assert len(pd.read_parquet(out / "part-5.parquet")) == 2 * N_ROWS


@pytest.mark.parametrize("engine", [None, "local"])
def test_unusable_part_is_named_and_the_run_can_be_resumed(model, table, out, engine):
    bad = table / "part-4.parquet"
    good = bad.read_bytes()
    pd.read_parquet(bad).drop(columns="x").to_parquet(bad)
    with pytest.raises(TableError, match=r"part-4.parquet: the table has no column 'x'"):
        assign_parts(model, table, out, engine=engine)
    bad.write_bytes(good)
    assign_parts(model, table, out, engine=engine)
    check(model, table, out)


def test_file_that_is_not_parquet_is_named(model, table, out):
    (table / "part-3.parquet").write_text("hello")
    with pytest.raises(TableError, match=r"part-3.parquet is no Parquet file"):
        assign_parts(model, table, out)


def test_empty_folder_and_the_table_itself_are_refused(model, table, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="a folder without Parquet files"):
        assign_parts(model, tmp_path / "empty", tmp_path / "out")
    with pytest.raises(TableError, match="is the table itself"):
        assign_parts(model, table, table)


def test_address_without_a_scheduler_is_reported_in_one_sentence(model, table, out):
    with pytest.raises(EngineError, match=r"no scheduler answers at http://127.0.0.1:1"):
        assign_parts(model, table, out, engine="http://127.0.0.1:1")


@pytest.fixture
def cluster(tmp_path):
    """A scheduler and two workers as processes that communicate over TCP."""
    file = tmp_path / "scheduler.json"
    script = [sys.executable, "-m", "distributed.cli.dask_{}", "--no-dashboard"]

    def start(kind, *options):
        command = [word.format(kind) for word in script] + ["--scheduler-file", str(file), *options]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    started = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    started += [start("worker", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1") for _ in range(2)]
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text().endswith("}")) and time.monotonic() < deadline:
        time.sleep(0.05)
    yield pd.read_json(file, typ="series")["address"], started
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_killed_worker_does_not_change_the_result(model, table, out, cluster):
    address, (_, worker, _) = cluster
    killed = []

    def kill_once(_):
        if not killed:
            worker.kill()
            killed.append(worker.wait())

    assign_parts(model, table, out, engine=address, progress=kill_once)
    assert killed
    check(model, table, out)


@pytest.mark.slow
def test_lost_scheduler_leaves_the_finished_parts(model, table, out, cluster):
    address, (scheduler, *_) = cluster
    done = []

    def kill_after_two(n_rows):
        done.append(n_rows)
        if len(done) == 2:
            scheduler.kill()
            scheduler.wait()

    with pytest.raises(EngineError, match=r"went away.*parts that are done are not repeated"):
        assign_parts(model, table, out, engine=address, progress=kill_after_two)
    before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.parquet")}
    assert len(before) >= 2
    assign_parts(model, table, out)
    assert {name: (out / name).stat().st_mtime_ns for name in before} == before
    check(model, table, out)
