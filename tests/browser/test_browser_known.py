"""Labels and pairs that are known before the first question, and embeddings beside the table."""

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect


@pytest.fixture
def known(label, truth, tmp_path):
    """The table with a column of twelve labels, and a file of pairs of which one contradicts them."""
    table = pd.read_csv(tmp_path / "plants.csv")
    ids = table["specimen"].tolist()
    table["kind"] = [truth[name] if row < 12 else None for row, name in enumerate(ids)]
    table.to_csv(tmp_path / "plants.csv", index=False)
    other = next(name for name in ids[:12] if truth[name] != truth[ids[0]])
    alike = [name for name in ids[20:] if truth[name] == truth[ids[0]]][:2]
    pairs = [(ids[0], other, "same"), (ids[0], alike[0], "same"), (alike[0], alike[1], "same")]
    pd.DataFrame(pairs, columns=["a", "b", "answer"]).to_csv(tmp_path / "pairs.csv", index=False)
    return label(
        *(tmp_path / "plants.csv", "--clusters", 3, "--id", "specimen"),
        *("--labels", "kind", "--pairs", tmp_path / "pairs.csv"),
    )


def test_what_is_known_is_listed_apart_left_out_and_put_back(known, visit, truth):
    command = known
    person = visit(command)
    assert person.asked == 0
    expect(person["known-before"]).to_have_text("14 rows known before")
    person.go("history")
    expect(person["history-line"]).to_have_count(0)
    sources = person["known-source"]
    expect(sources).to_have_count(2)
    expect(sources.nth(0).locator("summary")).to_have_text("Known before: column kind 12 labels")
    expect(sources.nth(1).locator("summary")).to_have_text("Known before: pairs.csv 3 pairs, 1 set aside")
    sources.nth(1).locator("summary").click()
    expect(sources.nth(1).get_by_test_id("known-item").nth(0)).to_contain_text("set aside: it contradicts")
    line = sources.nth(1).get_by_test_id("known-item").nth(2)
    line.get_by_role("button", name="Leave out").click()
    expect(person["known-before"]).to_have_text("13 rows known before")
    line.get_by_role("button", name="Put back").click()
    expect(person["known-before"]).to_have_text("14 rows known before")
    person.page.screenshot(path=command.home / "known.png")
    person.go("question")
    person.answer_many(truth, 3)
    assert person.asked == 3

    # Merging two groups that the labels tell apart: the page tells which labels, and leaves one out.
    person.go("groups")
    card = person.page.get_by_role("article", name="moss")
    card.get_by_test_id("merge-with").select_option(label="fern")
    card.get_by_test_id("merge").click()
    expect(person["conflict-known"].locator("li")).to_have_count(2)
    person.page.screenshot(path=command.home / "conflict.png")
    person["conflict-option"].filter(has_text="Leave out column kind").first.click()
    expect(person["known-before"]).to_have_text("13 rows known before")
    assert person.asked == 4


def test_a_table_is_shown_while_the_model_learns_from_vectors(label, visit, truth, tmp_path):
    kinds = sorted(set(truth.values()))
    code = np.array([kinds.index(kind) for kind in truth.values()])
    rng = np.random.default_rng(0)
    np.save(tmp_path / "emb.npy", rng.normal(size=(3, 80))[code] + 0.4 * rng.normal(size=(len(code), 80)))
    command = label(
        *(tmp_path / "plants.csv", "--clusters", 3, "--id", "specimen", "--features", tmp_path / "emb.npy")
    )
    person = visit(command)
    expect(person.page.locator("#ask")).to_contain_text("measure a")
    expect(person.page.locator("#ask")).not_to_contain_text("numbers)")
    person.answer_many(truth, 6)
    person.page.screenshot(path=command.home / "features.png")
    person.go("groups")
    expect(person.page.locator("#view-groups")).to_contain_text("measure")
    person.page.screenshot(path=command.home / "features-groups.png")
