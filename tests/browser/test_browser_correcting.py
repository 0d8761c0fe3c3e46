"""Undo, changed answers, and answers that contradict earlier ones."""

import re
from collections import defaultdict

from labeller import say
from playwright.sync_api import expect

EARLIER = re.compile(r"Answer (\d+) was wrong: (\S+) and (\S+) are (the same|different)")


def test_undo_returns_to_each_earlier_question(plants, visit, truth):
    person = visit(plants)
    expect(person["undo"]).to_be_disabled()
    pairs = []
    for _ in range(6):
        pairs.append(person.pair)
        person.answer(truth)
    after_all = person.pair

    person.press("z")
    assert (person.pair, person.asked) == (pairs[5], 5)
    expect(person["said"]).to_contain_text("Undone: ")
    question = person.question
    person["undo"].click()
    person.wait_for_question(after=question)
    assert (person.pair, person.asked) == (pairs[4], 4)

    person.go("history")
    person["undo-number"].fill("3")
    person["undo-many"].click()
    expect(person["history-line"]).to_have_count(1)
    person.go("question")
    assert (person.pair, person.asked) == (pairs[1], 1)

    again = [person.pair, *[(person.answer(truth), person.pair)[1] for _ in range(5)]]
    assert again == [*pairs[1:], after_all]

    person.go("history")
    person["undo-number"].fill("99")
    person["undo-many"].click()
    expect(person["history-line"]).to_have_count(0)
    expect(person["undo-many"]).to_be_disabled()
    person.go("question")
    assert (person.pair, person.asked) == (pairs[0], 0)


def groups_of(lines):
    """The groups by "same" answers: one of its ids stands for each group."""
    called = {line[side]: line[side] for line in lines for side in ("left", "right")}
    for line in lines:
        if line["answer"] == "same":
            left, right = called[line["left"]], called[line["right"]]
            called |= {record: left for record, group in called.items() if group == right}
    return called


def two_equivalent_answers(lines):
    """The only two answers that separate the same two groups; None if there are none yet."""
    called, between = groups_of(lines), defaultdict(list)
    for line in lines:
        if line["answer"] == "different":
            between[frozenset((called[line["left"]], called[line["right"]]))].append(line)
    return next((found for found in between.values() if len(found) == 2), None)


def add_equivalent_answer(person, truth):
    """Answer about a new record, so that a second answer separates two groups that one separates already."""
    lines = person.history()
    line = next(line for line in lines if line["answer"] == "different")
    known = {record for line in lines for record in (line["left"], line["right"])}
    other = next(record for record in truth if record not in known and truth[record] == truth[line["left"]])
    say(person, other, line["left"], "same", list(truth))
    say(person, other, line["right"], "different", list(truth))
    expect(person["history-line"]).to_have_count(len(lines) + 2)


def test_changed_answer_that_contradicts_another_is_resolved_by_the_person(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 4)
    if two_equivalent_answers(person.history()) is None:
        add_equivalent_answer(person, truth)
    later, earlier = two_equivalent_answers(person.history())
    before = person.history()
    line = person.page.locator(f'[data-testid="history-line"][data-seq="{earlier["seq"]}"]')

    line.get_by_test_id("history-same").click()
    expect(person["conflict"]).to_be_visible()
    expect(person["conflict-sentence"]).to_contain_text("cannot all be true")
    expect(person["conflict-chain"]).to_contain_text(f"{later['left']} and {later['right']} are different")
    person["conflict-cancel"].click()
    expect(person["conflict"]).to_be_hidden()
    expect(line.get_by_test_id("history-same")).to_be_focused()
    assert person.history() == before

    line.get_by_test_id("history-same").click()
    option = person["conflict-option"].filter(has_text=f"Answer {later['n']} was wrong")
    expect(option).to_have_text(
        f"Answer {later['n']} was wrong: {later['left']} and {later['right']} are the same"
    )
    option.click()
    expect(person["conflict"]).to_be_hidden()
    expect(line).to_have_attribute("data-answer", "same")
    changed = {old["n"] for old, new in zip(before, person.history(), strict=True) if old != new}
    assert changed == {earlier["n"], later["n"]}
    assert {line["answer"] for line in person.history() if line["edited"]} == {"same"}
    expect(person["groups-found"]).to_have_text("2 of 3")


def test_rejecting_a_placed_member_shows_the_answers_that_placed_it(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 4)
    while not any(line["answer"] == "same" for line in person.history()):
        person.go("question")
        person.answer(truth)
    before = person.history()
    together = next(line for line in before if line["answer"] == "same")

    person.go("groups")
    card = (
        person["group-card"]
        .filter(has_text=re.compile(r"\b([2-9]|\d\d) placed by answers"))
        .filter(has=person.page.get_by_test_id("group-members"))
        .first
    )
    card.get_by_test_id("group-members").click()
    card.get_by_test_id("members-placed").click()
    expect(card.get_by_test_id("members-placed")).to_have_attribute("aria-pressed", "true")
    wrong = card.get_by_test_id("member-wrong").last
    wrong.click()
    expect(person["conflict"]).to_be_visible()
    expect(person["conflict-sentence"]).to_contain_text("“Different” cannot be true together with")
    expect(person["conflict-chain"].locator("li")).to_have_count(person["conflict-option"].count() + 1)
    person.page.keyboard.press("Escape")
    expect(person["conflict"]).to_be_hidden()
    assert person.history() == before

    person.go("groups")
    wrong.click()
    said = EARLIER.fullmatch(person["conflict-option"].first.inner_text())
    assert said is not None
    assert said[4] == "different"
    person["conflict-option"].first.click()
    expect(person["asked"]).to_have_text(f"{len(before) + 1} of 90")
    after = {line["n"]: line for line in person.history()}
    assert (after[int(said[1])]["answer"], after[int(said[1])]["edited"]) == ("different", True)
    assert after[len(after)]["answer"] == "different"
    assert together["n"] in after
