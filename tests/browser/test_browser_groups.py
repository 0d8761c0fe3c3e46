"""The groups view: names, members, the number of groups, and merging."""

import re

from playwright.sync_api import expect


def shares(card) -> list[float]:
    """The confidence of each listed member; that of a placed one is 100%."""
    texts = card.get_by_test_id("member").locator("td:nth-child(2)").all_inner_texts()
    return [100.0 if text == "placed" else float(text.split("\u00a0")[0]) for text in texts]


def test_groups_are_named_browsed_corrected_counted_and_merged(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 8)
    person.go("groups")
    expect(person["group-card"]).to_have_count(3)
    card = person["group-card"].first
    name_it(person, card)
    browse(card)

    name, ask, wrong = open_member(person, card)
    question = person.question
    ask.click()
    person.wait_for_question(after=question)
    expect(person.page.locator("#view-question")).to_be_visible()
    assert name in person.pair

    person.go("groups")
    name, ask, wrong = open_member(person, card)
    wrong.click()
    expect(person["asked"]).to_have_text("9 of 90")
    newest = person.history()[0]
    assert newest["answer"] == "different"
    assert name in (newest["left"], newest["right"])

    person.go("groups")
    count(person)
    merge(person, card)


def name_it(person, card):
    card.get_by_test_id("group-rename").click()
    card.get_by_test_id("group-name").fill("  From the north bank ")
    card.get_by_test_id("group-name-save").click()
    expect(card.get_by_test_id("group-label")).to_have_text("From the north bank")
    expect(card.get_by_test_id("group-rename")).to_be_focused()
    expect(person.page.locator("#legend")).to_contain_text("From the north bank")
    person.page.reload()
    expect(card.get_by_test_id("group-label")).to_have_text("From the north bank")


def browse(card):
    """Typical members first, all of them on demand, then the least sure."""
    card.get_by_test_id("group-members").click()
    expect(card.get_by_test_id("members-typical")).to_have_attribute("aria-pressed", "true")
    expect(card.get_by_test_id("member")).to_have_count(8)
    card.get_by_text("Show more").click()
    expect(card.get_by_text("Show more")).to_be_hidden()
    everyone = set(card.get_by_test_id("member-open").all_inner_texts())
    card.get_by_test_id("members-unsure").click()
    expect(card.get_by_test_id("members-unsure")).to_have_attribute("aria-pressed", "true")
    expect(card.get_by_test_id("member")).to_have_count(8)
    assert shares(card) == sorted(shares(card))
    assert set(card.get_by_test_id("member-open").all_inner_texts()) < everyone


def open_member(person, card):
    """A listed member that no answer has placed, with its two buttons."""
    member = card.get_by_test_id("member").filter(has=person.page.get_by_test_id("member-ask")).first
    name = member.get_by_test_id("member-open").inner_text()
    return name, member.get_by_test_id("member-ask"), member.get_by_test_id("member-wrong")


def count(person):
    """The number of groups can change, but not below the number that the answers distinguish."""
    set_count(person, "4", "4 of 4")  # a rejected record forms a group then
    expect(person["group-card"]).to_have_count(4)
    person["group-members"].last.click()
    expect(person["group-card"].last.get_by_test_id("member").first).to_be_visible()
    # A group that was compared with one other only stays, provisionally; the number is estimated then.
    set_count(person, "", re.compile(r"^4 of about 4 \(\d+ to \d+\)$"))
    set_count(person, "3", "3 of 3")
    expect(person["group-card"]).to_have_count(3)
    person["clusters"].fill("1")
    person["clusters"].press("Enter")
    expect(person["conflict-sentence"]).to_contain_text("there would be 2 groups, and 1 is wanted")
    person["conflict-cancel"].click()
    expect(person["groups-found"]).to_have_text("3 of 3")


def set_count(person, number, found):
    person["clusters"].fill(number)
    person["clusters"].press("Enter")
    expect(person["groups-found"]).to_have_text(found)


def merge(person, card):
    """Merging changes the answers that separate two groups, once that is confirmed."""
    before = person.history()
    for choice in ("conflict-cancel", "conflict-option"):
        assert person.history() == before
        person.go("groups")
        card.get_by_test_id("merge").click()
        expect(person["conflict"]).to_contain_text("Merging changes earlier answers")
        person[choice].click()
    expect(person["groups-found"]).to_have_text("3 of 3")  # the rejected record is the third
    changed = [line for line in person.history() if line["edited"]]
    assert changed != []
    assert {line["answer"] for line in changed} == {"same"}
