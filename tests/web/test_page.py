"""The page from Python, on a real service and a real store: opened, answered, exported and resumed."""

import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from web_client import Browser

from sameornot.export.model import Model
from sameornot.service import ServiceError
from sameornot.web.address import ServerError
from sameornot.web.downloads import DOWNLOADS, file_name
from sameornot.web.page import open_page

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


def browser_without_token(page) -> Browser:
    """A browser that has not opened the address."""
    return Browser(int(re.search(r":(\d+)/", page.address)[1]))


def visit(page, browser: Browser | None = None) -> Browser:
    """Open the page's address, in a new browser or in a given one."""
    new = browser_without_token(page)
    browser = browser or new
    browser.port = new.port
    browser.get("/" + page.address.rpartition("/")[2])
    return browser


def answer(browser: Browser, n_answers: int):
    step = browser.get("/api/state").json()
    for _ in range(n_answers):
        question = step["question"]
        is_same = Y[question["left"]["row"]] == Y[question["right"]["row"]]
        step = browser.post("answer", {"question": question["id"], "answer": SAYS[bool(is_same)]}).json()
    return step


def test_page_returns_labels(opened):
    page = opened(title="birds")
    answer(visit(page), 6)
    labels = page.labels()
    assert list(labels.columns) == ["id", "row", "group", "name", "confidence", "placed_by"]
    assert len(set(zip(labels["group"], Y, strict=True))) == 2
    assert repr(page) == f"<Page 'birds' at {page.address}>"


@pytest.mark.slow
def test_page_that_is_opened_again_resumes(opened, frame):
    with opened() as page:
        browser = visit(page)
        step = answer(browser, 4)
    with opened(frame.copy()) as page:
        visit(page, browser)  # the cookie makes it the same person
        again = browser.get("/api/state").json()
    assert again["progress"]["asked"] == 4
    left, right = step["question"]["left"]["row"], step["question"]["right"]["row"]
    assert (again["question"]["left"]["row"], again["question"]["right"]["row"]) == (left, right)
    with opened(new=True) as page:
        assert visit(page).get("/api/state").json()["progress"]["asked"] == 0


def test_page_on_a_file_has_its_name_as_title(opened, frame, tmp_path):
    frame.to_csv(tmp_path / "birds.csv", index=False)
    page = opened(str(tmp_path / "birds.csv"))
    state = visit(page).get("/api/state").json()
    assert (state["title"], state["rows"], state["clusters"]) == ("birds", 24, 2)


def test_closed_page_no_longer_answers_and_can_be_closed_twice(opened):
    page = opened()
    browser = visit(page)
    assert browser.get("/").status == 200
    page.close()
    page.close()
    with pytest.raises(ConnectionError):
        browser.get("/")


@pytest.mark.parametrize("token", [None, "0123456789abcdef"])
def test_only_the_address_with_the_token_gives_access(opened, token):
    page = opened(token=token)
    assert token is None or page.address.endswith(f"/?token={token}")
    browser = browser_without_token(page)
    assert browser.get("/api/state").status == 403
    assert visit(page, browser).get("/api/state").status == 200


def test_failure_to_open_releases_the_store(opened, tmp_path):
    with pytest.raises(ServerError):
        opened(token="short")
    with pytest.raises(ServiceError, match="show names the column 'feathers'"):
        opened(show=["feathers"])
    assert opened().labels()["group"].nunique() == 2


@pytest.mark.slow
def test_people_in_two_processes_see_each_others_answers(opened):
    # Two services on one store are like two processes.
    ana, ben = visit(opened()), visit(opened())
    ben.get("/")
    with ben.events() as lines:
        assert next(lines)["progress"]["asked"] == 0
        answer(ana, 1)
        # The version of a line may be older than its progress, never newer: then one more line follows.
        assert next(line for line in lines if line["progress"]["asked"] == 1 and line["version"] > 1)


@pytest.fixture
def saved(opened):
    """The downloads after a few answers."""
    page = opened(title="Vögel: Übersicht/2024")
    browser = visit(page)
    answer(browser, 6)
    group = browser.get("/api/groups").json()["groups"][0]
    browser.post("name", {"group": group["key"], "name": "=early"})
    return {name: browser.get(f"/download/{name}") for name in DOWNLOADS}


def test_each_download_has_a_portable_file_name(saved):
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


def test_downloaded_cells_are_not_formulas(saved):
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
def test_title_becomes_a_portable_file_name(title, name):
    assert file_name(title, "x") == name
