"""Whole sessions in a real browser: by keyboard only, with a killed server, and with two people."""

import re

import pandas as pd
from labeller import say
from playwright.sync_api import expect

N_ANSWERS = 20


def test_session_by_keyboard_only_ends_with_the_right_labels(plants, visit, truth, tmp_path):
    person = visit(plants)
    keyboard = person.page.keyboard

    person.tab_to(person["person"]).press("Enter")
    expect(person["person-name"]).to_be_focused()
    keyboard.type("Ana")
    keyboard.press("Enter")
    expect(person["person"]).to_have_text("You: Ana")

    unsure_pair = person.pair
    person.press("u")
    while person.asked < N_ANSWERS:
        person.answer(truth)
    expect(person["asked"]).to_have_text(f"{N_ANSWERS} of 90")
    expect(person["groups-found"]).to_have_text("3 of 3")
    expect(person["churn"]).to_have_text(re.compile(r"^[\d.]+\s%$"))
    expect(person["time-left"]).to_have_text("under a minute")

    person.tab_to(person["tab-groups"]).press("Enter")
    expect(person["group-card"]).to_have_count(3)
    person.tab_to(person["group-rename"].first).press("Enter")
    expect(person["group-name"]).to_be_focused()
    keyboard.type("The first kind")
    keyboard.press("Enter")
    expect(person["group-label"].first).to_have_text("The first kind")
    facts = " ".join(person["group-card"].all_inner_texts())

    person.tab_to(person["tab-download"]).press("Enter")
    person.tab_to(person["download-labels"])
    with person.page.expect_download() as download:
        keyboard.press("Enter")
    download.value.save_as(tmp_path / "labels.csv")
    labels = pd.read_csv(tmp_path / "labels.csv")

    person.tab_to(person["download-answers"])
    with person.page.expect_download() as download:
        keyboard.press("Enter")
    download.value.save_as(tmp_path / "answers.csv")
    answers = pd.read_csv(tmp_path / "answers.csv")

    assert labels["id"].tolist() == list(truth)
    placed = labels[labels["placed_by"] == "expert"]
    assert len(placed) == sum(int(n) for n in re.findall(r"(\d+) placed by answers", facts))
    kinds = placed["id"].map(truth)
    assert len(set(zip(placed["group"], kinds, strict=True))) == kinds.nunique() == 3
    assert set(labels.loc[labels["group"] == 1, "name"]) == {"The first kind"}
    assert len(answers) == N_ANSWERS
    unsure = answers[answers["answer"] == "unsure"]
    assert [set(pair) for pair in unsure[["left", "right"]].to_numpy()] == [set(unsure_pair)]


def test_restarted_server_resumes_and_receives_the_answer_given_meanwhile(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 6)
    pair, question = person.pair, person.question
    person.expect_message(r"net::ERR_")  # Chromium logs that the server is gone

    plants.kill()
    expect(person["offline"]).to_be_visible()
    plants.start()
    expect(person["offline"]).to_be_hidden()
    person.page.reload()
    person.wait_for_question()
    assert (person.question, person.pair, person.asked) == (question, pair, 6)

    plants.kill()
    left, right = person.pair
    person.page.keyboard.press("s" if truth[left] == truth[right] else "d")
    expect(person["offline"]).to_contain_text("Your answer is kept here")
    plants.start()
    person.wait_for_question(after=question)
    expect(person["offline"]).to_be_hidden()
    expect(person["asked"]).to_have_text("7 of 90")
    newest = person.history()[0]
    assert {newest["left"], newest["right"]} == {left, right}


def test_two_people_share_a_session_and_no_answer_is_lost(plants, visit, truth):
    ana, ben = visit(plants), visit(plants)
    for person, name in ((ana, "Ana"), (ben, "Ben")):
        person["person"].click()
        person["person-name"].fill(name)
        person["person-save"].click()
    expect(ana["people"]).to_have_text("you 0 · Ben 0")
    assert set(ana.pair) != set(ben.pair)

    bens_question = ben.question
    ana.answer_many(truth, 3)
    expect(ben["asked"]).to_have_text("3 of 90")
    expect(ben["people"]).to_have_text("you 0 · Ana 3")
    assert ben.question == bens_question  # the question on his screen stays

    for _ in range(3):
        assert set(ana.pair) != set(ben.pair)
        ben.answer(truth)
        assert set(ana.pair) != set(ben.pair)
        ana.answer(truth)
    expect(ana["asked"]).to_have_text("9 of 90")
    expect(ben["asked"]).to_have_text("9 of 90")
    expect(ana["people"]).to_have_text("you 6 · Ben 3")
    lines = ben.history()
    assert sorted(line["by"] for line in lines) == ["Ana"] * 6 + ["you"] * 3
    asked = {
        by: {frozenset((line["left"], line["right"])) for line in lines if line["by"] == by}
        for by in ("Ana", "you")
    }
    assert len(asked["Ana"] & asked["you"]) <= 1  # either may be asked to repeat an early answer

    ben.go("question")
    (left, right), question = ben.pair, ben.question
    same = truth[left] == truth[right]
    say(ana, left, right, "same" if same else "different", list(truth))
    expect(ben["asked"]).to_have_text("10 of 90")
    ben.page.keyboard.press("d" if same else "s")
    statement = "are the same" if same else "are different"
    expect(ben["conflict-chain"]).to_contain_text(f"{left} and {right} {statement}. Ana")
    ben["conflict-cancel"].click()
    expect(ben["conflict"]).to_be_hidden()
    assert (ben.asked, ben.question) == (10, question)
