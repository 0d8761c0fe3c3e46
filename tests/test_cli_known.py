"""`--labels`, `--pairs` and `export --pairs`: what is known goes in, and what was answered comes out."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot.cli import app

RNG = np.random.default_rng(0)
KIND = np.arange(60) % 3
STORE = ("--store", "s.sqlite")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    columns = {f"x{m}": 4.0 * (m == KIND) + RNG.normal(size=60) for m in range(3)}
    frame = pd.DataFrame({"who": [f"p{row}" for row in range(60)], **columns})
    frame["kind"] = [f"kind {k}" if row < 9 else None for row, k in enumerate(KIND)]
    frame.to_csv("people.csv", index=False)
    return tmp_path


def run(*arguments, input=None, exit_code=0):
    found = CliRunner().invoke(app, [*map(str, arguments)], input=input)
    assert found.exit_code == exit_code, found.output
    return found.output


def ask(*arguments, input="q\n", exit_code=0):
    return run(
        "ask",
        "people.csv",
        "--id",
        "who",
        "--clusters",
        3,
        *STORE,
        *arguments,
        input=input,
        exit_code=exit_code,
    )


def test_labels_and_pairs_go_in_and_are_no_answers():
    Path("pairs.csv").write_text("left,right,answer\np9,p12,same\np9,p10,different\np9,p99,same\n")
    shown = ask("--labels", "kind", "--pairs", "pairs.csv")
    assert "1 of 90 · 3 groups" in shown
    assert (
        "Line 4 ('p99') of pairs.csv names a record that the table does not have and had no effect." in shown
    )
    run("export", *STORE)
    labels = pd.read_csv("labels.csv").set_index("id")
    assert (labels.loc[[f"p{row}" for row in range(9)], "placed_by"] == "expert").all()
    assert labels.loc["p9", "group"] == labels.loc["p12", "group"] != labels.loc["p10", "group"]
    assert set(labels["name"]) == {"kind 0", "kind 1", "kind 2"}
    assert len(pd.read_csv("answers.csv")) == 0
    assert "x0" in json.loads(Path("model.json").read_text())["encoder"]["columns"][0]["name"]


@pytest.mark.parametrize(
    ("name", "form"), [("pairs.csv", None), ("labels.csv", "splink"), ("training.json", None)]
)
def test_answers_come_out_as_pairs_that_can_go_in_again(name, form, tmp_path):
    ask(input="u\ns\nq\n")
    (tmp_path / "out").mkdir()
    out = f"out/{name}"
    run("export", "--pairs", out, *(("--pairs-as", form) if form else ()), *STORE)
    shown = run(
        "ask",
        "people.csv",
        "--id",
        "who",
        "--clusters",
        3,
        "--pairs",
        out,
        "--store",
        "t.sqlite",
        input="q\n",
    )
    assert "1 of 90" in shown


def test_what_cannot_be_used_is_refused_in_one_sentence():
    assert "--labels names the column 'sort', and the table has who" in ask("--labels", "sort", exit_code=2)
    assert "there is no file" in ask("--pairs", "none.csv", exit_code=2).lower()
    ask()
    assert "the format of the pairs is 'x' but one of csv, splink, dedupe is needed" in run(
        "export", "--pairs", "p.csv", "--pairs-as", "x", *STORE, exit_code=2
    )
