"""Themes, screen readers, a tablet and a small laptop."""

from pathlib import Path

import pytest
from kinds_table import write_table
from labeller import VIEWPORT, Labeller
from page_command import PageCommand
from playwright.sync_api import expect

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
VIEWS = ("question", "groups", "history", "download")
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}
# Elements that are wider than the screen, except in tables that scroll.
TOO_WIDE = """() => [...document.querySelectorAll("html, body, body *:not(.scroll *)")]
    .filter(element => element.checkVisibility() && !element.closest(".skip, .unseen"))
    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
    .map(element => `${element.tagName} ${element.className} ${element.id}`)"""
# Roles whose elements need a name in the accessibility tree.
NAMED = {"button", "link", "textbox", "searchbox", "spinbutton", "combobox", "checkbox", "image", "dialog"}


@pytest.fixture(scope="module")
def settled(chromium, tmp_path_factory):
    """A session with some answers, shared by the tests of this file."""
    home = tmp_path_factory.mktemp("settled")
    truth = write_table(home / "plants.csv")
    command = PageCommand(home, "label", home / "plants.csv", "--clusters", 3, "--id", "specimen").start()
    with chromium.new_context(viewport=VIEWPORT) as context:
        Labeller(context, command.address).answer_many(truth, 8)
    yield command
    command.stop()


def show_everything(person):
    """Open each view with its details, then a dialog."""
    for view in VIEWS:
        person.go(view)
        if view == "question":
            person["notices"].evaluate("notices => { notices.open = true; }")
        if view == "groups":
            if not person["member"].first.is_visible():
                person["group-members"].first.click()
            expect(person["member"].first).to_be_visible()
        yield view
    person["help"].click()
    yield "help"
    person.page.keyboard.press("Escape")


def background(person):
    return person.page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")


def test_both_themes_are_legible_and_follow_the_system_or_the_button(settled, visit):
    backgrounds = set()
    for scheme in ("light", "dark"):
        person = visit(settled, color_scheme=scheme)
        html = person.page.locator("html")
        expect(html).to_have_attribute("data-theme", scheme)
        backgrounds.add(background(person))
        for view in show_everything(person):
            found = person.page.evaluate(CONTRAST, 4.5)
            assert (view, found["faint"]) == (view, [])
            assert found["nSeen"] > 30
    assert len(backgrounds) == 2

    dark = background(person)
    person["theme"].click()
    expect(person["theme"]).to_have_text("Theme: light")
    expect(html).to_have_attribute("data-theme", "light")
    assert background(person) != dark
    person.page.reload()
    expect(html).to_have_attribute("data-theme", "light")
    person["theme"].click()
    expect(html).to_have_attribute("data-theme", "dark")
    person["theme"].click()
    expect(person["theme"]).to_have_text("Theme: auto")
    person.page.emulate_media(color_scheme="light")
    expect(html).to_have_attribute("data-theme", "light")
    person.wait_for_question()


def accessible(person):
    """The accessibility tree as a list of (role, name), without ignored nodes."""
    session = person.context.new_cdp_session(person.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"]
    ]


def test_screen_reader_gets_names_one_title_and_each_new_question(settled, visit):
    person = visit(settled)
    for view in show_everything(person):
        found = accessible(person)
        assert len(found) > 50 or view == "help"
        assert (view, [role for role, name in found if role in NAMED and name == ""]) == (view, [])
        expect(person.page.locator("h1")).to_have_count(1)

    person.go("question")
    spoken = person["spoken"]
    expect(spoken).to_have_attribute("aria-live", "polite")
    for key in ("u", "z"):
        left, right = person.pair
        announced = f"Question {person.asked + 1}. {left} and {right}: are these two the same kind?"
        expect(spoken).to_have_text(announced)
        person.press(key)
        expect(spoken).not_to_have_text(announced)


def test_focus_is_visible_and_returns_after_a_dialog(settled, visit):
    person = visit(settled)
    opener = person.tab_to(person["left-id"])
    outline = opener.evaluate("element => getComputedStyle(element).outlineStyle")
    assert outline != "none"
    person.page.keyboard.press("Enter")
    expect(person["record-dialog"]).to_be_visible()
    person.page.keyboard.press("Escape")
    expect(person["record-dialog"]).to_be_hidden()
    expect(opener).to_be_focused()

    same = person.tab_to(person["answer-same"])
    person.page.keyboard.press("?")
    expect(person["help-dialog"]).to_be_visible()
    question = person.question
    person.page.keyboard.press("s")  # ignored: a dialog covers the pair
    person.page.keyboard.press("Escape")
    expect(same).to_be_focused()
    assert person.question == question


def test_tablet_answers_by_touch_and_nothing_is_wider_than_the_screen(settled, visit):
    person = visit(settled, **TABLET)
    asked, question = person.asked, person.question
    person["answer-unsure"].tap()
    person.wait_for_question(after=question)
    assert person.asked == asked + 1
    question = person.question
    person["undo"].tap()
    person.wait_for_question(after=question)
    assert person.asked == asked
    for test_id in ("answer-same", "answer-different", "answer-unsure", "undo"):
        box = person[test_id].bounding_box()
        assert box["y"] + box["height"] <= 1180
        assert min(box["width"], box["height"]) >= 44
    for width in (820, 600):
        person.page.set_viewport_size({"width": width, "height": 1180})
        for view in show_everything(person):
            assert (view, person.page.evaluate(TOO_WIDE)) == (view, [])


def test_small_laptop_shows_the_buttons_and_ten_fields_without_scrolling(settled, visit):
    person = visit(settled)
    for test_id in ("answer-same", "answer-different", "answer-unsure"):
        expect(person[test_id]).to_be_in_viewport(ratio=1)
    rows = person.page.locator("#fields tr")
    bottom = person.page.locator("#compare").evaluate("box => box.getBoundingClientRect().bottom")
    ends = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().bottom)")
    assert sum(end <= bottom for end in ends) >= 10
    assert person.page.evaluate("document.documentElement.scrollHeight") == VIEWPORT["height"]


def test_the_checks_of_these_tests_notice_other_hosts_and_errors(settled, visit):
    person = visit(settled)
    person.page.evaluate("fetch('http://127.0.0.2:9/').catch(() => null)")
    person.page.evaluate("setTimeout(() => { throw new Error('on purpose'); })")
    person.page.evaluate("new Promise(done => setTimeout(done))")
    found = " ".join(person.errors)
    assert "Content Security Policy" in found
    assert "page error: on purpose" in found
    assert person.page.evaluate(CONTRAST, 21)["faint"] != []
    person.errors.clear()
    with pytest.raises(AssertionError, match="is not reached"):
        person.tab_to(person.page.locator("h1"))


def test_focus_returns_to_an_opener_that_was_redrawn_behind_the_dialog(settled, visit):
    person = visit(settled)
    person.history()
    opener = person["history-line"].first.get_by_role("button").first
    opener.click()
    expect(person["record-dialog"]).to_be_visible()
    person["history-filter"].evaluate(
        "field => field.dispatchEvent(new Event('input'))"
    )  # redraws the history
    person.page.keyboard.press("Escape")
    expect(opener).to_be_focused()
