"""A whole session over HTTP gives the same labels as `simulate`."""

import io

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score
from web_client import Browser, serving

from sameornot import ActiveSession, simulate
from sameornot.datasets import load_breast_cancer
from sameornot.service import LabellingService, Options
from sameornot.store import open_store
from sameornot.table import TableEncoder

N_QUESTIONS = 60


def answer_all(browser: Browser, y: np.ndarray) -> None:
    """Answer by the true labels."""
    step = browser.get("/api/state").json()
    while step["progress"]["asked"] < N_QUESTIONS:
        question = step["question"]
        is_same = y[question["left"]["row"]] == y[question["right"]["row"]]
        said = {"question": question["id"], "answer": "same" if is_same else "different", "seconds": 1.0}
        step = browser.post("answer", said).json()


@pytest.mark.slow
def test_session_over_http_ends_with_the_labels_of_simulate(tmp_path):
    frame, y = load_breast_cancer()
    service = LabellingService.open(
        open_store(tmp_path / "sessions.sqlite"), frame, title="cancer", options=Options(clusters=2, seed=0)
    )
    with serving(service) as server:
        browser = Browser(server.port)
        answer_all(browser, y)
        found = pd.read_csv(io.BytesIO(browser.get("/download/labels.csv").body))
    service.close()

    sessions: list[ActiveSession] = []
    X = TableEncoder.fit(frame).transform(frame)
    curve = simulate(
        X,
        y,
        2,
        budget=N_QUESTIONS,
        checkpoints=[N_QUESTIONS],
        standardize=False,
        random_state=0,
        progress=sessions.append,
    )
    labels = sessions[-1].result().labels
    assert found["row"].tolist() == list(range(1, len(frame) + 1))
    assert (
        len(set(zip(found["group"], labels, strict=True)))
        == len(set(labels))
        == found["group"].nunique()
        == 2
    )
    assert adjusted_rand_score(y, found["group"]) == curve.ari.item()
    placed = {point for members in sessions[-1].result().neighbourhoods for point in members}
    assert set(np.flatnonzero(found["placed_by"] == "expert")) == placed


def test_a_number_of_groups_that_cannot_be_leaves_the_session_as_it_was(tmp_path):
    frame, _ = load_breast_cancer()
    options = Options(clusters=2, seed=0, pool=50)
    service = LabellingService.open(
        open_store(tmp_path / "sessions.sqlite"), frame, title="cancer", options=options, ahead=False
    )
    with serving(service) as server:
        browser = Browser(server.port)
        before = browser.get("/api/state").json()
        for clusters in (0, 51, 10**9):
            refused = browser.post("resolve", {"said": None, "changes": [], "clusters": clusters})
            assert refused.status == 400
            assert f"{clusters} groups are wanted but" in refused.json()["error"]
            assert browser.post("regroup", {"clusters": clusters}).status == 400
        after = browser.get("/api/state").json()
        assert (after["question"], after["clusters"], after["notices"]) == (
            before["question"],
            before["clusters"],
            before["notices"],
        )
        assert browser.get("/download/labels.csv").status == 200
    service.close()
