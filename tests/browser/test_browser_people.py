"""The people view: personal links are made and taken back, and disagreements are settled."""

import re

from playwright.sync_api import expect


def open_link(visit, plants, address):
    """Open a personal link in a browser of its own."""
    owner_address, plants.address = plants.address, address
    try:
        return visit(plants)
    finally:
        plants.address = owner_address


def invite(owner, name, role="annotate"):
    """Make a link on the page; returns its address."""
    owner.go("people")
    owner["invite-name"].fill(name)
    owner["invite-role"].select_option(role)
    owner["invite-send"].click()
    expect(owner["link-made"]).to_contain_text(f"The link of {name}")
    return owner["link-address"].input_value()


def test_people_are_invited_answer_under_their_names_and_are_sent_away(plants, visit, truth):
    owner = visit(plants)
    address = invite(owner, "Ana")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
    ana = open_link(visit, plants, address)
    expect(ana["person"]).to_have_text("You: Ana")
    expect(ana["person"]).to_be_disabled()
    for tab in ("tab-people", "tab-download"):
        expect(ana[tab]).to_be_hidden()
    ana.answer_many(truth, 3)
    expect(owner["link"]).to_contain_text("Ana")
    owner["link-revoke"].click()
    expect(owner["link"]).to_contain_text("taken back")
    ana.expect_message("403")
    expect(ana["error"]).to_contain_text("the link of Ana was taken back: ask for a new one")
    owner.go("history")
    expect(owner["history-line"].first).to_contain_text("Ana")


def test_disagreement_is_seen_and_settled(plants, visit, truth):
    owner = visit(plants)
    owner.go("people")
    owner["overlap"].fill("100")
    owner["overlap"].press("Enter")
    owner.go("question")
    owner.answer_many(truth, 3)
    mia = open_link(visit, plants, invite(owner, "Mia", "manage"))
    left, right = mia.pair
    same = truth[left] == truth[right]
    mia.press("d" if same else "s")  # asked again of her, she says otherwise
    mia.go("people")
    expect(mia["dispute"]).to_contain_text(f"{left} and {right}")
    expect(mia["agreement"]).to_contain_text("0 of 1")
    expect(mia["reliability"].first).to_contain_text("too early to say")
    mia["settle-same" if same else "settle-different"].click()
    expect(mia["dispute"]).to_have_count(0)
    expect(mia["agreement"]).to_contain_text("0 of 1")  # what she said first counts
    assert sum(line["edited"] for line in mia.history()) == 1
