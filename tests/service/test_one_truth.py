"""Page, report, labels.csv and the session itself say the same about every row of a table.

Questions are about 2,000 of 4,000 rows. For those rows, what people saw on the page holds, although the
clustering that is expanded to all rows would put some of them in another group.
"""

import re

import numpy as np
import pandas as pd
import pytest

from sameornot import ActiveSession, Reply
from sameornot.export import labels_table, write_report
from sameornot.service import LabellingService, Options
from sameornot.store import open_store

N_ROWS, N_POOL, N_ANSWERS = 4_000, 2_000, 40
KIND = np.arange(N_ROWS) % 3
CENTERS = np.array([[0.0, 0.0], [2.6, 0.0], [0.0, 2.6]])


@pytest.fixture(scope="module")
def table():
    """Three kinds that overlap, and two columns of noise."""
    rng = np.random.default_rng(0)
    values = np.hstack([CENTERS[KIND] + rng.normal(size=(N_ROWS, 2)), rng.normal(size=(N_ROWS, 2))])
    frame = pd.DataFrame(values, columns=["width", "height", "noise", "more noise"])
    return frame.assign(called=[f"P{row}" for row in range(N_ROWS)])


@pytest.fixture(scope="module")
def service(table, tmp_path_factory):
    store = open_store(tmp_path_factory.mktemp("store") / "store.sqlite")
    options = Options(clusters=3, id="called")
    service = LabellingService.open(store, table, title="t", options=options, ahead=False)
    step = service.state("ana")
    for _ in range(N_ANSWERS):
        left, right = (step["question"][side]["row"] for side in ("left", "right"))
        answer = "same" if KIND[left] == KIND[right] else "different"
        step = service.answer("ana", step["question"]["id"], answer)
    yield service
    service.close()


@pytest.fixture(scope="module")
def page(service):
    """(group, confidence, placed) of each row that the page shows, by row."""
    found = {}
    for group in service.groups()["groups"]:
        n_members = 0
        while members := service.members(group["key"], "typical", n_members, 200)["members"]:
            n_members += len(members)
            for member in members:
                found[member["row"]] = group["number"], member["confidence"], member["placed"]
        assert n_members == group["size"]
    return found


@pytest.fixture(scope="module")
def labels(service):
    """labels.csv, by row."""
    return labels_table(service.snapshot()).set_index("row").rename(lambda row: row - 1)


@pytest.mark.slow
def test_the_page_and_the_labels_say_the_same_about_every_row_of_the_pool(page, labels):
    assert len(page) == N_POOL
    own = labels.loc[list(page)]
    assert own["group"].tolist() == [group for group, _, _ in page.values()]
    assert own["confidence"].to_numpy() == pytest.approx([share for _, share, _ in page.values()])
    assert (own["placed_by"] == "expert").tolist() == [placed for _, _, placed in page.values()]


def test_the_report_and_the_labels_say_the_same_about_every_group_and_example(service, labels):
    text = write_report(service.snapshot())
    sizes = re.findall(r'Group (\d+)</th><td class="number">([\d,]+)</td>', text)
    counts = labels["group"].value_counts().to_dict()
    assert {int(number): int(size.replace(",", "")) for number, size in sizes} == counts
    parts = re.split(r"<h3>.*?Group (\d+)</h3>", text)
    shown = 0
    for number, part in zip(parts[1::2], parts[2::2], strict=True):
        for row, share in re.findall(r'<th scope="row">P(\d+)</th><td class="number">(\w+)', part):
            line = labels.loc[int(row)]
            assert line["group"] == int(number)
            expected = "expert" if line["placed_by"] == "expert" else f"{100 * line['confidence']:.0f}"
            assert share == expected
            shown += 1
    assert shown >= 15


def test_the_session_and_the_labels_say_the_same_about_every_row(service, labels):
    snapshot = service.snapshot()
    result = snapshot.session.result()
    numbers = np.array([group.number for group in snapshot.groups])
    assert numbers[result.labels].tolist() == labels["group"].tolist()
    assert result.confidence == pytest.approx(labels["confidence"].to_numpy())
    placed = np.concatenate(result.neighbourhoods)
    assert sorted(placed.tolist()) == labels.index[labels["placed_by"] == "expert"].tolist()


@pytest.mark.slow
def test_a_session_in_python_with_the_same_answers_says_the_same(service, labels, table):
    snapshot = service.snapshot()
    session = ActiveSession(
        snapshot.encoder.transform(table),
        3,
        pool=N_POOL,
        standardize=False,
        random_state=0,
        answers=[Reply(*reply) for reply in snapshot.session.answers],
    )
    numbers = np.array([group.number for group in snapshot.groups])
    result = session.result()
    differ = np.flatnonzero(numbers[result.labels] != labels["group"].to_numpy())
    assert differ.tolist() == []
    assert result.confidence == pytest.approx(labels["confidence"].to_numpy())
