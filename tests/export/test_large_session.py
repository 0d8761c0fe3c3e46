"""Sessions on a table too large to hold: questions about some rows, results for all of them."""

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.export import (
    label_parts,
    labels_csv_chunks,
    labels_table,
    write_csv,
    write_labels,
    write_report,
)
from sameornot.export.group_summary import count_rows
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import SampleLimits, read_sample
from sameornot.web.downloads import download_response

N_ROWS, N_HELD, N_POOL = 900, 200, 60


LIMITS = SampleLimits(text_bytes=1_000, whole_cells=0, sample_rows=N_HELD, min_rows=1, block_rows=70)


@pytest.fixture(scope="module")
def kinds():
    return np.random.default_rng(0).integers(0, 3, N_ROWS)


@pytest.fixture(params=["table.csv", "folder"])
def path(request, tmp_path, kinds):
    frame = pd.DataFrame(
        {
            "patient": [f"P{row:03}" for row in range(N_ROWS)],
            "size": 10.0 * kinds + np.random.default_rng(1).normal(size=N_ROWS),
            "ward": np.array(["north", "south", "west"])[kinds],
        }
    )
    place = tmp_path / request.param
    if request.param == "table.csv":
        frame.to_csv(place, index=False)
        return place
    place.mkdir()
    for nth, rows in enumerate(np.array_split(np.arange(N_ROWS), 4)):
        frame.iloc[rows].to_parquet(place / f"part-{nth}.parquet")
    return place


def open_service(path, tmp_path, limits=LIMITS):
    options = Options(clusters=3, id="patient", pool=N_POOL)
    store = open_store(tmp_path / "answers.db")
    table = read_sample(path, limits=limits)
    return LabellingService.open(store, table, title="t", path=path, options=options, ahead=False)


def answer(service, kinds, n):
    """Some questions, answered as an expert would."""
    step = service.state("ada")
    for _ in range(n):
        asked = step["question"]
        left, right = (asked[side]["row"] for side in ("left", "right"))
        said = "same" if kinds[left] == kinds[right] else "different"
        step = service.answer("ada", asked["id"], said)
    return step


@pytest.fixture
def service(path, tmp_path, kinds):
    service = open_service(path, tmp_path)
    answer(service, kinds, 12)
    yield service
    service.close()


def test_a_sample_is_held_and_all_rows_get_their_group(service, kinds):
    snapshot = service.snapshot()
    assert (len(snapshot.table.frame), len(snapshot.pool)) == (N_HELD, N_POOL)
    labels = labels_table(snapshot)
    assert labels["id"].tolist() == [f"P{row:03}" for row in range(N_ROWS)]
    assert pd.crosstab(labels["group"], kinds).max(axis=1).sum() == N_ROWS
    assert (labels["placed_by"] == "expert").sum() == sum(map(len, snapshot.result.neighbourhoods))


def test_rows_in_memory_get_the_final_labels_of_the_session(service):
    final = service.snapshot().final_labels
    assert len(final.rows) >= N_HELD
    labels = labels_table(service.snapshot()).iloc[final.rows]
    numbers = np.array([group.number for group in service.snapshot().groups])
    assert labels["group"].tolist() == numbers[final.labels].tolist()
    assert np.allclose(labels["confidence"], final.confidence)


def test_notices_say_how_many_rows_were_read(service):
    notices = service.state("ada")["notices"]
    assert any("learned from 200 of its rows" in notice for notice in notices)
    assert any(notice.startswith("Questions are about 60 of the 900 rows") for notice in notices)


def test_resumed_session_has_the_same_question_and_the_same_rows(service, path, tmp_path):
    question, pool = service.state("ada")["question"], service.snapshot().pool
    service.close()
    again = open_service(path, tmp_path)
    assert again.state("ada")["question"] == question
    assert again.snapshot().pool.tolist() == pool.tolist()
    again.close()


def test_rows_of_earlier_questions_stay_in_a_smaller_sample(service, path, tmp_path):
    answered = [(said.left, said.right) for said in service.snapshot().answers]
    service.close()
    again = open_service(path, tmp_path, replace(LIMITS, sample_rows=150))
    snapshot = again.snapshot()
    assert [(said.left, said.right) for said in snapshot.answers] == answered
    assert {row for pair in answered for row in pair} <= set(snapshot.pool.tolist())
    again.close()


def test_labels_file_equals_the_table_of_labels(service, tmp_path):
    snapshot, seen = service.snapshot(), []
    sizes = write_labels(snapshot, tmp_path / "labels.csv", progress=seen.append)
    expected = labels_table(snapshot)
    text = write_csv(expected)
    assert (tmp_path / "labels.csv").read_bytes().decode() == text
    assert "".join(labels_csv_chunks(snapshot)) == text
    assert (sizes.sum(), seen[-1]) == (N_ROWS, N_ROWS)
    assert max(np.diff([0, *seen])) <= 70
    write_labels(snapshot, tmp_path / "labels.parquet")
    found = pd.read_parquet(tmp_path / "labels.parquet")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


@pytest.mark.parametrize("path", ["folder"], indirect=True)
@pytest.mark.parametrize("engine", [None, "local"])
def test_labels_in_parts_equal_the_table_of_labels(service, tmp_path, engine):
    snapshot, out = service.snapshot(), tmp_path / "labels"
    sizes = label_parts(snapshot, out, engine=engine)
    expected = labels_table(snapshot)
    found = pd.concat([pd.read_parquet(part) for part in sorted(out.iterdir())], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    numbers = [group.number for group in snapshot.groups]
    assert dict(zip(numbers, sizes.tolist(), strict=True)) == expected["group"].value_counts().to_dict()


@pytest.mark.parametrize("path", ["folder"], indirect=True)
def test_another_answer_writes_all_parts_again(service, tmp_path, kinds):
    out = tmp_path / "labels"
    label_parts(service.snapshot(), out)
    before = {part.name: part.stat().st_mtime_ns for part in out.iterdir()}
    label_parts(service.snapshot(), out)
    assert {part.name: part.stat().st_mtime_ns for part in out.iterdir()} == before
    answer(service, kinds, 1)
    label_parts(service.snapshot(), out)
    assert all(part.stat().st_mtime_ns > before[part.name] for part in out.iterdir())


def test_report_is_about_all_rows(service):
    snapshot = service.snapshot()
    counts, labels = count_rows(snapshot), labels_table(snapshot)
    for m, group in enumerate(snapshot.groups):
        own = labels[labels["group"] == group.number]
        by_model = own.loc[own["placed_by"] == "model", "confidence"]
        assert (counts.sizes[m], counts.placed[m]) == (len(own), len(own) - len(by_model))
        assert counts.confidence_sums[m] == pytest.approx(by_model.sum())
        assert counts.histograms[m].sum() == len(by_model)
    numbers = np.array([group.number for group in snapshot.groups])
    assert numbers[counts.held_labels].tolist() == labels["group"].iloc[snapshot.table.rows].tolist()
    assert f"{N_ROWS:,} rows" in write_report(snapshot)


async def read_body(response):
    return b"".join([part if isinstance(part, bytes) else part.encode() async for part in response])


def test_large_download_is_sent_block_by_block(service):
    response = download_response(service, "labels.csv")
    with ThreadPoolExecutor(1) as other:  # this thread may have an event loop: that of the browser tests
        body = other.submit(asyncio.run, read_body(response.body_iterator)).result()
    assert body.decode() == write_csv(labels_table(service.snapshot()))


def call(*arguments, typed=""):
    answer = CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=typed)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
@pytest.mark.parametrize("path", ["folder"], indirect=True)
def test_commands_ask_about_a_folder_and_export_it(path, tmp_path, monkeypatch, engine):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr("sameornot.table.read_sample", partial(read_sample, limits=LIMITS))
    out = tmp_path / "home"
    said = call("ask", path, "--id", "patient", "--clusters", 3, *engine, typed="d\nd\nq\n")
    session = re.search(r"sameornot report (\S+)", said)[1]
    call("export", session, "--out", out, *engine)
    assert sorted(file.name for file in out.iterdir()) == ["answers.csv", "labels", "model.json"]
    assert sum(len(pd.read_parquet(part)) for part in (out / "labels").iterdir()) == N_ROWS
    call("report", session, "--out", tmp_path / "report.html")
    call("assign", out / "model.json", path, *engine)


@pytest.mark.parametrize("path", ["table.csv"], indirect=True)
def test_engine_for_a_single_file_is_refused(path):
    answer = CliRunner().invoke(cli.app, ["ask", str(path), "--engine", "local"])
    assert answer.exit_code == 2
    assert "--engine is for a folder of Parquet files" in answer.stderr
