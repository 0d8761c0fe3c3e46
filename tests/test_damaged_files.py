"""Odd tables and damaged files of models and sessions: each works, or is refused in one sentence.

`benchmarks/robustness.py` tries many more of them.
"""

import numpy as np
import pandas as pd
import pytest

import odd_files
from sameornot.export import Model
from sameornot.service import LabellingService, Options
from sameornot.store import open_store

TABLE = pd.DataFrame(
    {
        "size": np.arange(20) * 1.5 % 7,
        "colour": ["red", "blue"] * 10,
        "note": ["some words here", "other words there", "a third note", "stiff knee"] * 5,
    }
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The model and the store of a session with two answers."""
    path = tmp_path_factory.mktemp("made") / "s.sqlite"
    service = LabellingService.open(
        open_store(path), TABLE, title="t", options=Options(clusters=2), ahead=False
    )
    odd_files.use(service)
    model = Model.from_snapshot(service.snapshot()).dumps()
    service.close()
    return model, path.read_bytes()


def check_sentence(said):
    assert "\n" not in said
    assert len(said) < 700
    assert "Traceback" not in said


@pytest.mark.parametrize("seed", range(24))
def test_odd_table_works_or_is_refused(tmp_path, seed):
    check_sentence(odd_files.try_table(seed, tmp_path))


def test_damaged_model_works_or_is_refused(tmp_path, made):
    for seed in range(80):
        check_sentence(odd_files.try_model(seed, tmp_path, made[0], TABLE))


@pytest.mark.parametrize("seed", [*range(12), 24])
def test_damaged_session_works_or_is_refused(tmp_path, made, seed):
    check_sentence(odd_files.try_session(seed, tmp_path, made[1], TABLE))


@pytest.mark.parametrize("seconds", ["1" + "0" * 400, "1e308", "NaN", '"slow"', "[]", "-1"])
def test_answer_with_a_damaged_duration_holds(tmp_path, made, seconds):
    path = tmp_path / "s.sqlite"
    path.write_bytes(made[1])
    with odd_files.closing(odd_files.sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE sameornot_events SET data = replace(data, '\"seconds\": 1.0', ?)",
            (f'"seconds": {seconds}',),
        )
    service = LabellingService.open(open_store(path), TABLE, title="t", options=Options(), ahead=False)
    answers = service.history(odd_files.PERSON)["answers"]
    service.close()
    assert len(answers) >= 1
    assert all(answer["seconds"] is None for answer in answers)
