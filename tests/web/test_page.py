"""The page from Python, on a real desk and a real store: opened, answered, saved from, taken up again."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from web_client import Browser

from sameornot.export.model import Model
from sameornot.service import DeskProblem
from sameornot.web.downloads import DOWNLOADS, file_name
from sameornot.web.page import open_page
from sameornot.web.server import ServerProblem

Y = np.arange(24) % 2
SAYS = {True: "same", False: "different"}


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(24, 3)) + 5.0 * Y[:, None]
    names = [f"=cmd|'{row}'" if row == 3 else f"bird {row}" for row in range(24)]
    return pd.DataFrame(values, columns=["wing", "beak", "tail"]).assign(name=names)


@pytest.fixture
def opened(frame, tmp_path):
    """Open pages on one store; those that are still open are closed at the end."""
    pages = []

    def open_one(table=frame, **options):
        page = open_page(table, 2, tmp_path / "sessions.sqlite", id="name", **options)
        pages.append(page)
        return page

    yield open_one
    for page in pages:
        page.close()


def stand_before(page) -> Browser:
    """A browser that has not been let in."""
    return Browser(int(re.search(r":(\d+)/", page.address)[1]))


def visit(page, browser: Browser | None = None) -> Browser:
    """Open the page's address, as somebody new or in a browser that was there before."""
    here = stand_before(page)
    browser = browser or here
    browser.port = here.port
    browser.get("/" + page.address.rpartition("/")[2])
    return browser


def answer(browser: Browser, n_answers: int):
    step = browser.get("/api/state").json()
    for _ in range(n_answers):
        question = step["question"]
        is_same = Y[question["left"]["row"]] == Y[question["right"]["row"]]
        step = browser.post("answer", {"question": question["id"], "answer": SAYS[bool(is_same)]}).json()
    return step


def test_labels_come_back_from_the_page(opened):
    page = opened(title="birds")
    answer(visit(page), 6)
    labels = page.labels()
    assert list(labels.columns) == ["id", "row", "group", "name", "confidence", "placed_by"]
    assert len(set(zip(labels["group"], Y, strict=True))) == 2
    assert repr(page) == f"<Page 'birds' at {page.address}>"


def test_a_page_that_is_opened_again_goes_on(opened, frame):
    with opened() as page:
        browser = visit(page)
        step = answer(browser, 4)
    with opened(frame.copy()) as page:
        visit(page, browser)  # the same person, by her cookie
        again = browser.get("/api/state").json()
    assert again["progress"]["asked"] == 4
    left, right = step["question"]["left"]["row"], step["question"]["right"]["row"]
    assert (again["question"]["left"]["row"], again["question"]["right"]["row"]) == (left, right)
    with opened(new=True) as page:
        assert visit(page).get("/api/state").json()["progress"]["asked"] == 0


def test_a_page_on_a_file_is_called_after_it(opened, frame, tmp_path):
    frame.to_csv(tmp_path / "birds.csv", index=False)
    page = opened(str(tmp_path / "birds.csv"))
    state = visit(page).get("/api/state").json()
    assert (state["title"], state["rows"], state["clusters"]) == ("birds", 24, 2)


def test_a_closed_page_answers_no_longer_and_closing_twice_does_no_harm(opened):
    page = opened()
    browser = visit(page)
    assert browser.get("/").status == 200
    page.close()
    page.close()
    with pytest.raises(ConnectionError):
        browser.get("/")


@pytest.mark.parametrize("token", [None, "0123456789abcdef"])
def test_only_the_pages_address_lets_in(opened, token):
    page = opened(token=token)
    assert token is None or page.address.endswith(f"/?token={token}")
    browser = stand_before(page)
    assert browser.get("/api/state").status == 403
    assert visit(page, browser).get("/api/state").status == 200


def test_what_cannot_be_opened_leaves_nothing_open(opened, tmp_path):
    with pytest.raises(ServerProblem):
        opened(token="short")
    with pytest.raises(DeskProblem, match="show names the column 'feathers'"):
        opened(show=["feathers"])
    assert opened().labels()["group"].nunique() == 2


def test_people_in_two_processes_hear_of_each_other(opened):
    # Two desks on one store are to each other what two processes are.
    ana, ben = visit(opened()), visit(opened())
    ben.get("/")
    with ben.events() as lines:
        assert next(lines)["progress"]["asked"] == 0
        answer(ana, 1)
        # The version of a line may be older than its progress, never newer: then one more line follows.
        assert next(line for line in lines if line["progress"]["asked"] == 1 and line["version"] > 1)


@pytest.fixture
def saved(opened):
    """What a browser saves after a few answers."""
    page = opened(title="Vögel: Übersicht/2024")
    browser = visit(page)
    answer(browser, 6)
    group = browser.get("/api/groups").json()["groups"][0]
    browser.post("name", {"group": group["key"], "name": "=early"})
    return {name: browser.get(f"/download/{name}") for name in DOWNLOADS}


def test_every_download_is_a_file_with_a_plain_name(saved):
    for name, reply in saved.items():
        assert reply.status == 200
        assert reply.headers["content-disposition"] == f'attachment; filename="Vogel-Ubersicht-2024-{name}"'
    kinds = [reply.headers["content-type"].partition(";")[0] for reply in saved.values()]
    assert kinds == ["text/csv", "text/csv", "application/json", "text/html"]


def test_downloads_hold_the_labels_the_answers_the_model_and_the_report(saved, frame):
    labels = pd.read_csv(io.BytesIO(saved["labels.csv"].body))
    assert len(set(zip(labels["group"], Y, strict=True))) == 2
    answers = pd.read_csv(io.BytesIO(saved["answers.csv"].body))
    left, right = answers["left_row"] - 1, answers["right_row"] - 1  # people count from 1
    truth = [SAYS[bool(same)] for same in Y[left] == Y[right]]
    assert answers["answer"].tolist() == truth
    model = Model.from_json(json.loads(saved["model.json"].body))
    assert model.assign(frame)["group"].tolist() == labels["group"].tolist()
    assert saved["report.html"].text.lower().startswith("<!doctype html>")


def test_downloaded_cells_are_no_formulas(saved):
    cells = re.split(r"[,\n]", saved["labels.csv"].text)
    assert "'=early" in cells
    assert not [cell for cell in cells if cell.strip('"').startswith(("=", "+", "@"))]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("patients", "patients-x"),
        ("  a  b  ", "a-b-x"),
        ('"; filename="evil.exe', "filename-evil.exe-x"),
        ("a\r\nSet-Cookie: b", "a-Set-Cookie-b-x"),
        ("../../etc/passwd", "etc-passwd-x"),
        ("日本", "table-x"),
        ("", "table-x"),
        ("y" * 500, "y" * 60 + "-x"),
    ],
)
def test_a_title_becomes_a_name_that_every_system_takes(title, name):
    assert file_name(title, "x") == name
