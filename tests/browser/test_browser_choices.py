"""With many groups a person chooses among several at once: by key, by click, with undo, history and pairs."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect
from test_browser_looks import CONTRAST, TABLET, TOO_WIDE

N_KINDS = 6


@pytest.fixture
def kinds(tmp_path: Path) -> dict[str, str]:
    """Write a table of six kinds; returns the kind of each record by its id."""
    rng = np.random.default_rng(5)
    kind = np.arange(90) % N_KINDS
    X = rng.normal(size=(90, N_KINDS)) + 3.0 * np.eye(N_KINDS)[kind]
    table = pd.DataFrame(X.round(2), columns=[f"measure {letter}" for letter in "abcdef"])
    table.insert(0, "name", [f"K-{row:02}" for row in range(90)])
    table["place"] = np.take(["bog", "dune", "heath", "pond", "rock", "wood"], kind)
    table.loc[rng.choice(90, 10, replace=False), "place"] = None
    table.to_csv(tmp_path / "kinds.csv", index=False)
    return dict(zip(table["name"], map(str, kind), strict=True))


@pytest.fixture
def command(label, kinds, tmp_path):
    return label(tmp_path / "kinds.csv", "--clusters", N_KINDS, "--id", "name")


def answer_until_choice(person, truth):
    """Answer until a choice of three or more candidates is shown."""
    while not (person.is_choice and len(person.candidates[1]) >= 3):
        person.answer(truth)


def test_pairs_come_first_and_choices_once_four_groups_are_known(command, visit, kinds):
    person = visit(command)
    n_choices = 0
    for _ in range(20):
        n_groups = int(person["groups-found"].inner_text().split(" ")[0])
        assert n_groups >= 4 or not person.is_choice
        n_choices += person.is_choice
        person.answer(kinds)
    assert n_choices > 5
    assert person.asked == 20


def test_a_choice_is_answered_by_keys_and_undone(command, visit, kinds):
    person = visit(command)
    answer_until_choice(person, kinds)
    shown, n_answers = person.candidates, person.asked
    title = person.page.get_by_role("heading", name="Which of these is the same kind?")
    for key, n_said in (("2", "2"), ("0", "None"), ("u", "Unsure")):
        person.press(key)
        assert person.asked == n_answers + 1
        person.go("history")
        line = person["history-line"].first
        pressed = line.locator("[aria-pressed=true]")
        expect(pressed).to_have_text(n_said)
        expect(line).to_contain_text(shown[0])
        for candidate in shown[1]:
            expect(line.get_by_role("button", name=candidate, exact=True)).to_be_visible()
        person.go("question")
        person.press("z")
        assert person.candidates == shown
        assert person.asked == n_answers
        expect(title).to_be_visible()


def test_keys_of_pairs_and_of_candidates_that_are_not_there_do_nothing(command, visit, kinds):
    person = visit(command)
    answer_until_choice(person, kinds)
    question, n_answers = person.question, person.asked
    for key in ("s", "d", "7", "9"):
        person.page.keyboard.press(key)
    person.page.wait_for_timeout(300)
    assert (person.question, person.asked) == (question, n_answers)


def test_cards_are_clicked_and_named_for_screen_readers(command, visit, kinds):
    person = visit(command)
    answer_until_choice(person, kinds)
    record, candidates = person.candidates
    for n, (card, candidate) in enumerate(zip(person["pick"].all(), candidates, strict=True), start=1):
        name = card.get_attribute("aria-label")
        assert re.fullmatch(rf"{n}: the same kind as {candidate} of Group \d", name)
        assert card.get_attribute("aria-keyshortcuts") == str(n)
    expect(person["spoken"]).to_contain_text(f"{record}: which of these is the same kind? 1: Group")
    before = person.question
    person["pick"].nth(1).click()
    person.wait_for_question(after=before)
    person.press("z")
    person.tab_to(person["pick"].first)
    before = person.question
    person.page.keyboard.press("Enter")
    person.wait_for_question(after=before)
    person.press("z")
    before = person.question
    person["answer-none"].click()
    person.wait_for_question(after=before)


def test_a_candidate_opens_as_a_whole_record(command, visit, kinds):
    person = visit(command)
    answer_until_choice(person, kinds)
    _, candidates = person.candidates
    person["candidate-id"].nth(2).click()
    expect(person["record-dialog"].get_by_role("heading", name=candidates[2])).to_be_visible()
    person["record-close"].click()


def test_the_switch_goes_to_pairs_and_back(command, visit, kinds):
    person = visit(command)
    expect(person["mode-line"]).to_be_hidden()
    answer_until_choice(person, kinds)
    shown, before = person.candidates, person.question
    expect(person["mode-line"]).to_contain_text("Several groups at once take fewer questions.")
    person["mode"].click()
    person.wait_for_question(after=before)
    assert not person.is_choice
    assert person.pair == (shown[0], shown[1][0])
    expect(person["mode-line"]).to_contain_text("You asked for pairs.")
    person.answer(kinds)
    person.page.reload()
    person.wait_for_question()
    assert not person.is_choice
    person.press("z")
    before = person.question
    person["mode"].click()
    person.wait_for_question(after=before)
    assert person.candidates == shown


def test_in_the_history_another_candidate_is_chosen(command, visit, kinds):
    person = visit(command)
    answer_until_choice(person, kinds)
    person.press("0")
    person.go("history")
    line = person["history-line"].first
    line.get_by_test_id("history-candidate").nth(1).click()
    expect(line.get_by_test_id("history-candidate").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(line).to_contain_text("changed")
    line.get_by_test_id("history-different").click()
    expect(line.get_by_test_id("history-different")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [{}, TABLET], ids=["laptop", "tablet"])
def test_a_choice_is_legible_and_no_wider_than_the_screen(command, visit, kinds, scheme, size):
    person = visit(command, color_scheme=scheme, **size)
    answer_until_choice(person, kinds)
    found = person.page.evaluate(CONTRAST, 4.5)
    assert found["faint"] == []
    assert found["nSeen"] > 40
    assert person.page.evaluate(TOO_WIDE) == []
    for test_id in ("pick", "answer-none", "answer-unsure"):
        expect(person[test_id].first).to_be_in_viewport(ratio=1)
        if size:
            box = person[test_id].first.bounding_box()
            assert min(box["width"], box["height"]) >= 44
