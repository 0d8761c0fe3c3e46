"""Long texts, and records with pictures: one, several, or none."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from labeller import Truth
from page_command import PageCommand
from PIL import Image, ImageDraw
from playwright.sync_api import expect

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
KINDS = {
    "shirt": "Cotton shirt with long sleeves, washable and delivered within {} days",
    "kettle": "Steel kettle with a wooden handle, washable and delivered within {} days",
    "chair": "Oak chair with a woven seat, heavy to carry and delivered within {} days",
}
N_ROWS = 45


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> tuple[Path, Truth]:
    """Things for sale, whose title and pictures tell the kinds apart; the price does not."""
    folder = tmp_path_factory.mktemp("shop")
    rng = np.random.default_rng(2)
    kinds = np.arange(N_ROWS) % 3
    rows = []
    for row, kind in enumerate(kinds):
        names = [f"{row}.png", f"{row}-back.png"] if row % 2 else [f"{row}.png"]
        for name in names:
            draw_thing(kind, rng).save(folder / name)
        title = list(KINDS.values())[kind].format(row + 2)
        rows.append((f"T{row:02d}", title, "; ".join(names), rng.normal(20.0, 5.0)))
    pd.DataFrame(rows, columns=["article", "title", "photo", "price"]).to_csv(
        folder / "shop.csv", index=False
    )
    return folder / "shop.csv", {f"T{row:02d}": list(KINDS)[kind] for row, kind in enumerate(kinds)}


def draw_thing(kind: int, rng: np.random.Generator) -> Image.Image:
    picture = Image.new("RGB", (300, 200), "white")
    draw, (x, y) = ImageDraw.Draw(picture), rng.integers(10, 60, 2).tolist()
    shape = (draw.rectangle, draw.ellipse, draw.line)[kind]
    options = {"fill": ("#b04030", "#507090", "#806020")[kind]} | ({"width": 30} if kind == 2 else {})
    shape((x, y, x + 200, y + 120), **options)
    return picture


@pytest.fixture(scope="module")
def command(shop) -> Iterator[PageCommand]:
    """The page of the shop, shared by the tests of this file."""
    options = ("--clusters", 3, "--id", "article", "--image", "photo")
    command = PageCommand(shop[0].parent, "label", shop[0], *options).start()
    yield command
    command.stop()


def test_texts_are_marked_and_pictures_are_small_in_every_list(command, visit, shop):
    person = visit(command)
    expect(person["notices"]).to_contain_text(
        "Texts are compared by meaning, as wordllama embeds them: title."
    )
    expect(person["notices"]).to_contain_text("Pictures are compared by shapes and colours")
    for column in ("title", "photo", "price"):
        expect(person["weights"]).to_contain_text(column)

    while True:  # until two different kinds that share most words
        pair = person.pair
        if {shop[1][record] for record in pair} == {"shirt", "kettle"}:
            break
        person.answer(shop[1])
    texts = person["texts"].locator("td")
    assert [" ".join(text.split()[1:3]) for text in texts.all_inner_texts()] != ["", ""]
    marked = [" ".join(cell.locator("mark").all_inner_texts()) for cell in texts.all()]
    assert {mark.split()[0] for mark in marked} == {"Cotton", "Steel"}
    assert not any("delivered" in mark for mark in marked)
    sizes = texts.locator(".text").evaluate_all(
        "all => all.map(text => parseFloat(getComputedStyle(text).fontSize))"
    )
    assert min(sizes) >= 17

    n_shown = [1 + int(record[1:]) % 2 for record in pair]
    figures = person.page.locator("#images figure")
    for figure, n in zip(figures.all(), n_shown, strict=True):
        expect(figure.locator("img")).to_have_count(n)
        expect(figure.locator("img").first).to_have_js_property("naturalWidth", 300)
    person.answer(shop[1])

    person.go("history")
    small = person["history-line"].first.locator(".thumb")
    expect(small).to_have_count(2)
    expect(small.first).to_have_js_property("naturalWidth", 256)

    person.go("groups")
    person["group-members"].first.click()
    tiles = person.page.locator(".tile")
    expect(tiles.first.locator(".thumb").first).to_have_js_property("naturalWidth", 256)
    person["members-lines"].click()
    expect(person.page.locator(".lines .thumb").first).to_be_visible()
    expect(tiles).to_have_count(0)
    person["members-grid"].click()
    tiles.first.get_by_test_id("member-open").click()
    shown = person["record-dialog"].locator("img")
    expect(shown.first).to_have_js_property("naturalWidth", 300)
    person["record-close"].click()
    report = person.context.request.get(f"http://{person.host}/download/report.html").text()
    assert report.count('<img class="example" src="data:image/jpeg;base64,') >= 9


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marked_words_and_tiles_are_legible_in_both_themes(command, visit, shop, scheme):
    person = visit(command, color_scheme=scheme)
    while person["texts"].locator("mark").count() == 0:
        person.answer(shop[1])
    assert person.page.evaluate(CONTRAST, 4.5)["faint"] == []
    person.go("groups")
    person["group-members"].first.click()
    expect(person.page.locator(".tile").first).to_be_visible()
    assert person.page.evaluate(CONTRAST, 4.5)["faint"] == []


def test_table_of_pictures_alone_is_learned_from(label, visit, shop, tmp_path):
    pd.read_csv(shop[0])[["photo"]].to_csv(shop[0].with_name("photos.csv"), index=False)
    person = visit(label(shop[0].with_name("photos.csv"), "--clusters", 3, "--image", "photo"))
    expect(person["weights"]).to_contain_text("photo")
    truth = {f"row {row + 1}": kind for row, kind in enumerate(shop[1].values())}
    person.answer_many(truth, 6)
    expect(person.page.locator("#images img, #choice img").first).to_be_visible()
