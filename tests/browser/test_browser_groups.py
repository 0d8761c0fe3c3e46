"""Groups on the page: their names, their members, how many there are, and two that are one."""

from playwright.sync_api import expect


def shares(card) -> list[float]:
    """How sure each listed member is; what an answer has placed is certain."""
    texts = card.get_by_test_id("member").locator("td:nth-child(2)").all_inner_texts()
    return [100.0 if text == "placed" else float(text.split("\u00a0")[0]) for text in texts]


def test_groups_are_named_browsed_counted_and_asked_about(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 8)
    person.go("groups")
    expect(person["group-card"]).to_have_count(3)
    card = person["group-card"].first

    card.get_by_test_id("group-rename").click()
    card.get_by_test_id("group-name").fill("  From the north bank ")
    card.get_by_test_id("group-name-save").click()
    expect(card.get_by_test_id("group-label")).to_have_text("From the north bank")
    expect(card.get_by_test_id("group-rename")).to_be_focused()
    expect(person.page.locator("#legend")).to_contain_text("From the north bank")
    person.page.reload()
    expect(card.get_by_test_id("group-label")).to_have_text("From the north bank")

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

    member = card.get_by_test_id("member").filter(has=person.page.get_by_test_id("member-ask")).first
    name = member.get_by_test_id("member-open").inner_text()
    question = person.question
    member.get_by_test_id("member-ask").click()
    person.wait_for_question(after=question)
    expect(person.page.locator("#view-question")).to_be_visible()
    assert name in person.pair

    person.go("groups")
    for number, found in (("4", "3 of 4"), ("", "3"), ("3", "3 of 3")):
        person["clusters"].fill(number)
        person["clusters"].press("Enter")
        expect(person["groups-found"]).to_have_text(found)
    person["clusters"].fill("2")
    person["clusters"].press("Enter")
    expect(person["clash-sentence"]).to_contain_text("there would be 3 groups, and 2 are wanted")
    person["clash-cancel"].click()
    expect(person["groups-found"]).to_have_text("3 of 3")


def test_a_member_that_does_not_belong_and_two_groups_that_are_one_become_answers(plants, visit, truth):
    person = visit(plants)
    person.answer_many(truth, 8)
    person.go("groups")
    card = person["group-card"].first
    card.get_by_test_id("group-members").click()
    card.get_by_test_id("members-unsure").click()
    expect(card.get_by_test_id("members-unsure")).to_have_attribute("aria-pressed", "true")
    member = card.get_by_test_id("member").filter(has=person.page.get_by_test_id("member-ask")).first
    name = member.get_by_test_id("member-open").inner_text()
    member.get_by_test_id("member-wrong").click()
    expect(person["asked"]).to_have_text("9 of 90")
    newest = person.history()[0]
    assert newest["answer"] == "different"
    assert name in (newest["left"], newest["right"])

    before = person.history()
    person.go("groups")
    card.get_by_test_id("merge").click()
    expect(person["clash"]).to_contain_text("Merging changes earlier answers")
    person["clash-cancel"].click()
    assert person.history() == before
    person.go("groups")
    card.get_by_test_id("merge").click()
    person["clash-option"].click()
    expect(person["groups-found"]).to_have_text("2 of 3")
    assert any(line["edited"] and line["answer"] == "same" for line in person.history())
