"""What the page looks like and how it is used: themes, screen readers, a tablet, a small laptop."""

from pathlib import Path

import pytest
from kinds_table import write_table
from labeller import VIEWPORT, Labeller
from page_command import PageCommand
from playwright.sync_api import expect

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
VIEWS = ("question", "groups", "history", "download")
TABLET = {"viewport": {"width": 820, "height": 1180}, "has_touch": True, "is_mobile": True}
# What is wider than the screen, but for tables that scroll on their own.
STICKING_OUT = """() => [...document.querySelectorAll("html, body, body *:not(.scroll *)")]
    .filter(element => element.checkVisibility() && !element.closest(".skip, .unseen"))
    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
    .map(element => `${element.tagName} ${element.className} ${element.id}`)"""
# What people can act on or have to be told about, by its name in the accessibility tree.
NAMED = {"button", "link", "textbox", "searchbox", "spinbutton", "combobox", "checkbox", "image", "dialog"}


@pytest.fixture(scope="module")
def settled(chromium, tmp_path_factory):
    """A session with some answers, which the tests of this file look at together."""
    home = tmp_path_factory.mktemp("settled")
    truth = write_table(home / "plants.csv")
    command = PageCommand(home, "label", home / "plants.csv", "--clusters", 3, "--id", "specimen").start()
    with chromium.new_context(viewport=VIEWPORT) as context:
        Labeller(context, command.address).answer_many(truth, 8)
    yield command
    command.stop()


def show_everything(person):
    """Each view with what can be opened in it, then a dialog."""
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


def ground(person):
    return person.page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")


def test_both_themes_are_legible_and_follow_the_system_or_the_button(settled, visit):
    grounds = set()
    for scheme in ("light", "dark"):
        person = visit(settled, color_scheme=scheme)
        html = person.page.locator("html")
        expect(html).to_have_attribute("data-theme", scheme)
        grounds.add(ground(person))
        for view in show_everything(person):
            found = person.page.evaluate(CONTRAST, 4.5)
            assert (view, found["faint"]) == (view, [])
            assert found["nSeen"] > 30
    assert len(grounds) == 2

    dark = ground(person)
    person["theme"].click()
    expect(person["theme"]).to_have_text("Theme: light")
    expect(html).to_have_attribute("data-theme", "light")
    assert ground(person) != dark
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
    """What the browser tells a screen reader: (role, name) of all that it does not leave out."""
    session = person.context.new_cdp_session(person.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    session.detach()
    return [
        (node["role"]["value"], node.get("name", {}).get("value", "").strip())
        for node in nodes
        if not node["ignored"]
    ]


def test_a_screen_reader_hears_names_one_title_and_each_new_question(settled, visit):
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


def test_the_focus_is_seen_and_comes_back_after_a_dialog(settled, visit):
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
    person.page.keyboard.press("s")  # meant for nothing: the pair is covered
    person.page.keyboard.press("Escape")
    expect(same).to_be_focused()
    assert person.question == question


def test_a_tablet_answers_by_touch_and_nothing_sticks_out(settled, visit):
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
            assert (view, person.page.evaluate(STICKING_OUT)) == (view, [])


def test_a_small_laptop_shows_the_answers_and_ten_fields_without_scrolling(settled, visit):
    person = visit(settled)
    for test_id in ("answer-same", "answer-different", "answer-unsure"):
        expect(person[test_id]).to_be_in_viewport(ratio=1)
    rows = person.page.locator("#fields tr")
    bottom = person.page.locator("#compare").evaluate("box => box.getBoundingClientRect().bottom")
    ends = rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().bottom)")
    assert sum(end <= bottom for end in ends) >= 10
    assert person.page.evaluate("document.documentElement.scrollHeight") == VIEWPORT["height"]


def test_the_watch_on_each_page_notices_other_hosts_and_errors(settled, visit):
    person = visit(settled)
    person.page.evaluate("fetch('http://127.0.0.2:9/').catch(() => null)")
    person.page.evaluate("setTimeout(() => { throw new Error('on purpose'); })")
    person.page.evaluate("new Promise(done => setTimeout(done))")
    found = " ".join(person.problems)
    assert "Content Security Policy" in found
    assert "page error: on purpose" in found
    assert person.page.evaluate(CONTRAST, 21)["faint"] != []
    person.problems.clear()
    with pytest.raises(AssertionError, match="is not reached"):
        person.tab_to(person.page.locator("h1"))
