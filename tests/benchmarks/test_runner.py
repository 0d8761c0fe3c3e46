"""The runner does what is missing, once, in any number of processes, here or on a cluster."""

import os
import signal

import pandas as pd
import pytest

from reproduction import experiments, tables
from reproduction.experiment import Experiment
from reproduction.methods import rivals
from reproduction.registry import EXPERIMENTS
from reproduction.rows import RowFile, versions
from reproduction.runner import Replication, choose_runs, find_experiment, find_parts, missing, run_all
from sameornot.engine import connect

RUN = "separable without augmentation"


def toy_run(run, seed, _):
    if seed == 3:
        raise OSError("the data set is not there: pass its folder")
    return [{"run": run, "seed": seed, "method": run, "checkpoint": q, "ari": seed / 10} for q in (1, 2)]


@pytest.fixture
def toy(monkeypatch):
    found = Experiment("Toy", ("A", "B"), toy_run, replications=2, extras=("B (raw)",), extra_replications=1)
    monkeypatch.setitem(EXPERIMENTS, "toy", found)
    return found


def comparable(rows):
    return (
        rows.read().drop(columns="seconds").sort_values(["seed", "method", "checkpoint"], ignore_index=True)
    )


def test_nothing_is_done_twice(toy, tmp_path):
    rows = RowFile(tmp_path / "toy.csv")
    seen = []
    todo = missing("toy", toy.runs, None, rows)
    run_all(todo[:3], rows, n_jobs=1, progress=seen.append)
    assert seen == [Replication("toy", run, seed, None) for run, seed in [("A", 0), ("B", 0), ("A", 1)]]
    assert missing("toy", toy.runs, None, rows) == [Replication("toy", "B", 1, None)]
    run_all(missing("toy", toy.runs, None, rows), rows, n_jobs=1)
    assert missing("toy", toy.runs, None, rows) == []
    run_all([], rows, n_jobs=1)
    assert len(rows.read()) == 8
    assert set(rows.read().versions) == {versions()}


def test_extras_have_fewer_replications_unless_a_number_is_given(toy, tmp_path):
    rows = RowFile(tmp_path / "toy.csv")
    assert [r[1:3] for r in missing("toy", ("A", "B (raw)"), None, rows)] == [
        ("A", 0),
        ("B (raw)", 0),
        ("A", 1),
    ]
    assert len(missing("toy", ("B (raw)",), 5, rows)) == 5


def test_what_was_finished_before_an_error_stays(toy, tmp_path):
    rows = RowFile(tmp_path / "toy.csv")
    with pytest.raises(OSError, match="the data set is not there"):
        run_all(missing("toy", ("A",), 5, rows), rows, n_jobs=1)
    assert rows.done() == {("A", 0), ("A", 1), ("A", 2)}


def test_methods_are_chosen_by_name_or_a_part_of_it(toy):
    assert choose_runs(toy, None) == ("A", "B")
    assert choose_runs(toy, ["b"]) == ("B",)
    assert choose_runs(toy, ["raw", "a"]) == ("A", "B (raw)")
    assert choose_runs(toy, ["all"]) == ("A", "B", "B (raw)")
    with pytest.raises(ValueError, match=r"no method is named 'C': choose from A, B, B \(raw\)"):
        choose_runs(toy, ["A", "C"])


def test_words_of_the_command_line_stand_for_experiments():
    assert find_parts("table1") == ["table1"]
    assert find_parts("figure3") == ["figure3-cancer", "figure3-meu", "figure3-urban"]
    assert find_parts("report") == find_parts("figure1") == []
    assert find_parts("all") == list(experiments.EXPERIMENTS)  # the paper's
    assert find_parts("questions") == [name for name in EXPERIMENTS if name.startswith("questions-")]
    with pytest.raises(
        ValueError, match=r"no experiment 'table9': choose one of all, .*figure1, .*questions"
    ):
        find_parts("table9")
    with pytest.raises(ValueError, match="no experiment 'table9'"):
        find_experiment("table9")


def test_no_name_of_a_run_holds_a_comma():
    names = [run for found in EXPERIMENTS.values() for run in (*found.runs, *found.extras)]
    assert names
    assert not any("," in name for name in names)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    rows = RowFile(tmp_path_factory.mktemp("alone") / "figure2.csv")
    run_all(missing("figure2", (RUN,), 2, rows), rows, n_jobs=1)
    return comparable(rows)


@pytest.mark.slow
def test_two_processes_give_the_rows_of_one(alone, tmp_path):
    rows = RowFile(tmp_path / "figure2.csv")
    run_all(missing("figure2", (RUN,), 2, rows), rows, n_jobs=2)
    pd.testing.assert_frame_equal(comparable(rows), alone)


@pytest.fixture(scope="module")
def cluster():
    with connect("local") as found:
        yield found


def do_three(rows, **how):
    """The quickest replications there are, and enough for another to run when the first is done."""
    run_all(missing("table1", ("COBRAS",), 3, rows), rows, **how)


@pytest.fixture(scope="module")
def three(tmp_path_factory):
    rows = RowFile(tmp_path_factory.mktemp("three") / "table1.csv")
    do_three(rows, n_jobs=1)
    return comparable(rows)


@pytest.mark.dask
def test_a_dask_cluster_gives_the_rows_of_one_process(three, cluster, tmp_path):
    rows = RowFile(tmp_path / "table1.csv")
    do_three(rows, cluster=cluster)
    pd.testing.assert_frame_equal(comparable(rows), three, check_exact=True)


@pytest.mark.dask
def test_rows_of_a_cluster_are_on_disk_as_soon_as_their_replication_is_done(cluster, tmp_path):
    rows = RowFile(tmp_path / "table1.csv")
    seen = []
    do_three(rows, cluster=cluster, progress=lambda done: seen.append(rows.done() - {(done.run, done.seed)}))
    assert [len(others) for others in seen] == [0, 1, 2]
    assert missing("table1", ("COBRAS",), 3, rows) == []


@pytest.mark.dask
def test_a_worker_that_is_killed_in_mid_run_changes_no_row(three, cluster, tmp_path):
    rows = RowFile(tmp_path / "table1.csv")
    workers = list(cluster.client.run(os.getpid).values())

    def kill_once(_):
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            workers.clear()

    do_three(rows, cluster=cluster, progress=kill_once)
    pd.testing.assert_frame_equal(comparable(rows), three, check_exact=True)


@pytest.mark.dask
def test_data_that_a_worker_cannot_find_is_told_as_in_one_process(cluster, tmp_path):
    rows = RowFile(tmp_path / "figure3-urban.csv")
    todo = missing("figure3-urban", ("COBRAS",), 1, rows, tmp_path)
    with pytest.raises(OSError, match=r"holds no training\*.csv, one was expected"):
        run_all(todo, rows, cluster=cluster)
    assert rows.done() == set()


@pytest.mark.slow
def test_a_curve_has_a_row_for_each_method_and_checkpoint(alone):
    kinds = {RUN, "separable with augmentation"}
    assert set(alone.method) == kinds
    assert set(alone.run) == {RUN}
    checkpoints = alone.groupby(["method", "seed"]).checkpoint.agg(list)
    assert checkpoints.tolist() == 4 * [[*range(10, 101, 10)]]
    assert (alone.asked == alone.checkpoint).all()
    assert alone.ari.between(-1, 1).all()


def test_the_paper_terms_are_kept():
    """No counting to K, standardised rivals of ours, λ = 0.5 and the paper's q."""
    for name in TERMS:
        runs = {"AQM + MEE", "AQM + NPU", *rivals()}
        runs |= {
            f"AQM + {asked} ({form})" for asked in ("MEE", "NPU") for form in ("as printed", "as released")
        }
        assert {*runs, "Ensemble"} <= set(find_experiment(name).runs)
        assert find_experiment(name).replications == 30
    assert [terms.q for terms in TERMS.values()] == [15, 15, 200, 10, 10, 10]
    assert all(method.standardize for method in rivals().values())


TERMS = {
    "table1": tables.OPPOSITE_5,
    "table2": tables.OPPOSITE_10,
    "table3": tables.SPHERE,
    "figure3-cancer": tables.CANCER,
    "figure3-meu": tables.MEU,
    "figure3-urban": tables.URBAN,
}
