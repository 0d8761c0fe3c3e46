"""`--features` in the commands: learn from vectors, show the table."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot.cli import app

RNG = np.random.default_rng(0)
KIND = np.arange(60) % 3
VECTORS = RNG.normal(size=(3, 32))[KIND] + 0.2 * RNG.normal(size=(60, 32))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(
        {
            "who": [f"p{row}" for row in range(60)],
            "says": [f"kind {k}" for k in KIND],
            "size": RNG.normal(size=60),
        }
    ).to_csv("people.csv", index=False)
    np.save("emb.npy", VECTORS)
    return tmp_path


def run(*arguments, input=None):
    found = CliRunner().invoke(app, [*map(str, arguments)], input=input)
    assert found.exit_code == 0, found.output
    return found.output


def test_a_session_on_vectors_is_asked_exported_reported_and_assigned(folder):
    store = ("--store", "s.sqlite")
    shown = run(
        "ask", "people.csv", "--features", "emb.npy", "--id", "who", "--clusters", 3, *store, input="q\n"
    )
    assert "The model learns from the vectors of emb; other columns are only shown." in shown
    assert "kind " in shown
    assert "numbers)" not in shown  # the vectors themselves are not
    run("export", *store)
    labels = pd.read_csv("labels.csv")
    assert labels.groupby(KIND)["group"].nunique().tolist() == [1, 1, 1]
    run("report", *store)
    page = (folder / "report.html").read_text()
    assert "says" in page
    assert "kind 0" in page
    np.save("new.npy", VECTORS[::-1])
    pd.read_csv("people.csv")[::-1].to_csv("new.csv", index=False)
    run("assign", "model.json", "new.csv", "--features", "new.npy", "--id", "who")
    assigned = pd.read_csv("new-groups.csv")
    assert assigned["group"].tolist() == labels["group"].tolist()[::-1]


def test_wrong_features_are_refused_in_one_sentence(folder):
    np.save("short.npy", VECTORS[1:])
    found = CliRunner().invoke(
        app, ["ask", "people.csv", "--features", "short.npy", "--store", "s.sqlite"], input="q\n"
    )
    assert found.exit_code == 2
    assert "short.npy has 59 vectors but people.csv has 60 rows: give one for each row" in found.output
