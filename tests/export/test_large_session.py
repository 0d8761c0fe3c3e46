"""A session on a table too large to hold: asked about some rows, handed over for all of them."""

import re

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.export import label_parts, labels_table, labels_texts, write_csv, write_labels, write_report
from sameornot.export.groups import count_rows
from sameornot.service import Desk, Options
from sameornot.store import open_store
from sameornot.table import excerpt, read_excerpt, reading
from sameornot.web.downloads import download_response

N_ROWS, N_HELD, N_POOL = 900, 200, 60


@pytest.fixture(autouse=True)
def small_bounds(monkeypatch):
    monkeypatch.setattr(excerpt, "HELD_ROWS", N_HELD)
    monkeypatch.setattr(excerpt, "FEWEST_ROWS", 1)
    monkeypatch.setattr(excerpt, "SMALL_CELLS", 0)
    monkeypatch.setattr(excerpt, "BLOCK", 70)
    monkeypatch.setattr(reading, "_LARGE_TEXT", 1_000)


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


def open_desk(path, tmp_path, engine=None):
    options = Options(clusters=3, id="patient", pool=N_POOL)
    store = open_store(tmp_path / "answers.db")
    return Desk.open(store, read_excerpt(path, engine), title="t", path=path, options=options, ahead=False)


def answer(desk, kinds, n):
    """Some questions, answered as an expert would."""
    step = desk.state("ada")
    for _ in range(n):
        asked = step["question"]
        left, right = (asked[side]["row"] for side in ("left", "right"))
        said = "same" if kinds[left] == kinds[right] else "different"
        step = desk.answer("ada", asked["id"], said)
    return step


@pytest.fixture
def desk(path, tmp_path, kinds):
    desk = open_desk(path, tmp_path)
    answer(desk, kinds, 12)
    yield desk
    desk.close()


def test_only_some_rows_are_held_and_all_get_the_group_that_they_are_of(desk, kinds):
    snapshot = desk.snapshot()
    assert (len(snapshot.table.frame), len(snapshot.pool)) == (N_HELD, N_POOL)
    labels = labels_table(snapshot)
    assert labels["id"].tolist() == [f"P{row:03}" for row in range(N_ROWS)]
    assert pd.crosstab(labels["group"], kinds).max(axis=1).sum() == N_ROWS
    assert (labels["placed_by"] == "expert").sum() == sum(map(len, snapshot.result.neighbourhoods))


def test_rows_that_are_held_get_the_word_of_the_panel_itself(desk):
    word = desk.snapshot().word
    assert len(word.rows) >= N_HELD
    labels = labels_table(desk.snapshot()).iloc[word.rows]
    numbers = np.array([group.number for group in desk.snapshot().groups])
    assert labels["group"].tolist() == numbers[word.labels].tolist()
    assert np.allclose(labels["confidence"], word.confidence)


def test_the_person_is_told_how_many_rows_were_looked_at(desk):
    notices = desk.state("ada")["notices"]
    assert any("learned from 200 of its rows" in notice for notice in notices)
    assert any(notice.startswith("Questions are about 60 of the 900 rows") for notice in notices)


def test_a_session_goes_on_with_the_same_question_and_the_same_rows(desk, path, tmp_path):
    question, pool = desk.state("ada")["question"], desk.snapshot().pool
    desk.close()
    again = open_desk(path, tmp_path)
    assert again.state("ada")["question"] == question
    assert again.snapshot().pool.tolist() == pool.tolist()
    again.close()


def test_rows_asked_about_before_are_asked_about_still_if_others_are_held_now(
    desk, path, tmp_path, monkeypatch
):
    answered = [(said.left, said.right) for said in desk.snapshot().answers]
    desk.close()
    monkeypatch.setattr(excerpt, "HELD_ROWS", 150)
    again = open_desk(path, tmp_path)
    snapshot = again.snapshot()
    assert [(said.left, said.right) for said in snapshot.answers] == answered
    assert {row for pair in answered for row in pair} <= set(snapshot.pool.tolist())
    again.close()


def test_the_file_of_labels_is_the_table_of_labels(desk, tmp_path):
    snapshot, seen = desk.snapshot(), []
    sizes = write_labels(snapshot, tmp_path / "labels.csv", progress=seen.append)
    expected = labels_table(snapshot)
    text = write_csv(expected)
    assert (tmp_path / "labels.csv").read_bytes().decode() == text
    assert "".join(labels_texts(snapshot)) == text
    assert (sizes.sum(), seen[-1]) == (N_ROWS, N_ROWS)
    assert max(np.diff([0, *seen])) <= 70
    write_labels(snapshot, tmp_path / "labels.parquet")
    found = pd.read_parquet(tmp_path / "labels.parquet")
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


@pytest.mark.parametrize("path", ["folder"], indirect=True)
@pytest.mark.parametrize("engine", [None, "local"])
def test_labels_in_parts_are_the_table_of_labels_whoever_writes_them(desk, tmp_path, engine):
    snapshot, out = desk.snapshot(), tmp_path / "labels"
    sizes = label_parts(snapshot, out, engine=engine)
    expected = labels_table(snapshot)
    found = pd.concat([pd.read_parquet(part) for part in sorted(out.iterdir())], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    numbers = [group.number for group in snapshot.groups]
    assert dict(zip(numbers, sizes.tolist(), strict=True)) == expected["group"].value_counts().to_dict()


@pytest.mark.parametrize("path", ["folder"], indirect=True)
def test_one_more_answer_does_the_parts_again(desk, tmp_path, kinds):
    out = tmp_path / "labels"
    label_parts(desk.snapshot(), out)
    before = {part.name: part.stat().st_mtime_ns for part in out.iterdir()}
    label_parts(desk.snapshot(), out)
    assert {part.name: part.stat().st_mtime_ns for part in out.iterdir()} == before
    answer(desk, kinds, 1)
    label_parts(desk.snapshot(), out)
    assert all(part.stat().st_mtime_ns > before[part.name] for part in out.iterdir())


def test_the_report_speaks_of_all_rows(desk):
    snapshot = desk.snapshot()
    tally, labels = count_rows(snapshot), labels_table(snapshot)
    for m, group in enumerate(snapshot.groups):
        own = labels[labels["group"] == group.number]
        by_model = own.loc[own["placed_by"] == "model", "confidence"]
        assert (tally.sizes[m], tally.placed[m]) == (len(own), len(own) - len(by_model))
        assert tally.sure[m] == pytest.approx(by_model.sum())
        assert tally.bars[m].sum() == len(by_model)
    numbers = np.array([group.number for group in snapshot.groups])
    assert numbers[tally.held].tolist() == labels["group"].iloc[snapshot.table.rows].tolist()
    assert f"{N_ROWS:,} rows" in write_report(snapshot)


async def read_body(response):
    return b"".join([part if isinstance(part, bytes) else part.encode() async for part in response])


def test_a_download_of_many_rows_is_sent_block_by_block(desk):
    import asyncio

    response = download_response(desk, "labels.csv")
    assert asyncio.run(read_body(response.body_iterator)).decode() == write_csv(labels_table(desk.snapshot()))


def call(*arguments, typed=""):
    answer = CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=typed)
    assert answer.exit_code == 0, answer.output
    return answer.stdout


@pytest.mark.parametrize("engine", [(), ("--engine", "local")])
@pytest.mark.parametrize("path", ["folder"], indirect=True)
def test_a_folder_is_asked_about_and_exported_by_the_command(path, tmp_path, monkeypatch, engine):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    out = tmp_path / "home"
    said = call("ask", path, "--id", "patient", "--clusters", 3, *engine, typed="d\nd\nq\n")
    session = re.search(r"sameornot report (\S+)", said)[1]
    call("export", session, "--out", out, *engine)
    assert sorted(file.name for file in out.iterdir()) == ["answers.csv", "labels", "model.json"]
    assert sum(len(pd.read_parquet(part)) for part in (out / "labels").iterdir()) == N_ROWS
    call("report", session, "--out", tmp_path / "report.html")
    call("assign", out / "model.json", path, *engine)


@pytest.mark.parametrize("path", ["table.csv"], indirect=True)
def test_an_engine_is_for_a_folder(path):
    answer = CliRunner().invoke(cli.app, ["ask", str(path), "--engine", "local"])
    assert answer.exit_code == 2
    assert "--engine is for a folder of Parquet files" in answer.stderr
