"""What a person sees when something fails, and that no answer is lost."""

import os
import resource
import sys
from contextlib import closing
from pathlib import Path

import pytest
from labeller import Labeller
from page_command import PageCommand
from playwright.sync_api import expect

from sameornot.store import open_store

sys.path.append(str(Path(__file__).parents[1] / "annotator"))
from chat_server import ChatServer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

UNAVAILABLE = r"status of 503"
PICTURES = os.environ.get("FAULT_PICTURES")  # a folder, to look at what these tests see


def picture(person: Labeller, name: str) -> None:
    """Save what the person sees, if wanted."""
    if PICTURES:
        person.page.screenshot(path=f"{PICTURES}/fault-{name}.png")


def stored_answers(where: object) -> int:
    with closing(open_store(where)) as store:
        return sum(line.n_answers for line in store.sessions())


def overwrite(path: Path, page: bytes) -> None:
    """Write the second page of a database in place."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(page)


def key_for(person: Labeller, truth: dict[str, str]) -> str:
    left, right = person.pair
    return "s" if truth[left] == truth[right] else "d"


def refused(person: Labeller, truth: dict[str, str], name: str) -> str:
    """Answer while the store fails; returns what the page says. The question stays."""
    question = person.question
    person.page.keyboard.press(key_for(person, truth))
    expect(person["error"]).to_be_visible()
    picture(person, name)
    assert person.question == question
    sentence = person["error"].inner_text()
    person["error"].get_by_role("button").click()
    expect(person["error"]).to_be_hidden()
    return sentence


def test_store_that_fails_says_so_and_the_same_answer_is_taken_when_it_works_again(plants, visit, truth):
    person = visit(plants)
    person.expect_message(UNAVAILABLE)
    person.answer_many(truth, 3)
    [path] = plants.home.rglob("*.sqlite")
    assert plants.process is not None

    no_limit = resource.prlimit(plants.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(plants.process.pid, resource.RLIMIT_FSIZE, (1024, no_limit[1]))
    assert "check its disk" in refused(person, truth, "full")
    resource.prlimit(plants.process.pid, resource.RLIMIT_FSIZE, no_limit)
    person.press(key_for(person, truth))

    page = path.read_bytes()[4096:8192]
    overwrite(path, bytes(4096))
    assert "is damaged" in refused(person, truth, "damaged")
    overwrite(path, page)
    person.press(key_for(person, truth))

    path.rename(path.with_name("away"))
    assert path.name in refused(person, truth, "gone")
    path.unlink(missing_ok=True)
    path.with_name("away").rename(path)
    person.press(key_for(person, truth))
    expect(person["asked"]).to_have_text("6 of 90")
    assert stored_answers(path) == 6


def test_browser_that_is_offline_keeps_the_answer_and_sends_it_later(plants, visit, truth):
    person = visit(plants)
    person.expect_message(r"net::ERR_")
    person.answer_many(truth, 2)
    question = person.question
    person.context.set_offline(True)
    person.page.keyboard.press(key_for(person, truth))
    expect(person["offline"]).to_contain_text("Your answer is kept here")
    picture(person, "offline")
    person.context.set_offline(False)
    person.wait_for_question(after=question)
    expect(person["offline"]).to_be_hidden()
    expect(person["asked"]).to_have_text("3 of 90")


@pytest.mark.postgres
def test_database_that_is_restarted_loses_nothing(label, visit, truth, tmp_path, postgres_server):
    where = postgres_server.empty()
    command = label(tmp_path / "plants.csv", "--clusters", 3, "--id", "specimen", "--store", where)
    person = visit(command)
    person.expect_message(UNAVAILABLE)
    person.answer_many(truth, 2)
    postgres_server.kill()
    try:
        assert "cannot be reached" in refused(person, truth, "database")
    finally:
        postgres_server.start()
    person.press(key_for(person, truth))
    expect(person["asked"]).to_have_text("3 of 90")
    assert stored_answers(where) == 3


def test_page_says_to_whom_records_are_sent(label, visit, truth, tmp_path):
    server = ChatServer(lambda a, b: "unsure")
    command: PageCommand
    try:
        command = label(
            *(tmp_path / "plants.csv", "--clusters", 3, "--id", "specimen", "--annotator", server.url),
            *("--annotator-model", "tiny", "--annotator-calls", 1),
        )
        person = visit(command)
        expect(person["sent-to"]).to_contain_text(
            f"are sent to {server.url.split('/')[2]}, where the model tiny"
        )
        picture(person, "annotator")
        assert len(server.requests) <= 1
        person.page.goto("about:blank")
        command.kill()  # it says the same on its error output, where a stop expects nothing
    finally:
        server.stop()
