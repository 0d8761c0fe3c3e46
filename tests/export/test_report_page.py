"""The report is one safe page that agrees with the session."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from made_snapshots import HOSTILE, cancer_snapshot, make_groups, mixed_snapshot, snapshot_of

from sameornot.export import labels_table, report, write_report
from sameornot.table import TableSample

# Elements that are never closed.
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Parses a page and checks that elements are closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.words, self.attributes, self.rows = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data.strip()

    @property
    def text(self):
        return " ".join(" ".join(self.words).split())


CASES = {
    "cancer": lambda: cancer_snapshot(n_answers=20, every=5),
    "mixed": mixed_snapshot,
    "one group": lambda: mixed_snapshot(n_rows=30, clusters=1, n_answers=0, names=()),
    "unknown number": lambda: mixed_snapshot(n_rows=60, clusters=None, n_answers=12, names=()),
    "no answers": lambda: mixed_snapshot(n_rows=30, clusters=None, n_answers=0, names=()),
    "no answers, two groups": lambda: mixed_snapshot(n_rows=30, clusters=2, n_answers=0, names=()),
}
written = {}


def page_of(name):
    if name not in written:
        written[name] = write_report(CASES[name]())
    return written[name]


@pytest.fixture(params=CASES)
def text(request):
    return page_of(request.param)


@pytest.fixture
def mixed():
    return mixed_snapshot()


def test_every_element_is_closed(text):
    page = Page(text)
    assert page.open == []
    assert page.tags.count("html") == page.tags.count("main") == page.tags.count("h1") == 1
    assert text.lstrip().startswith("<!DOCTYPE html>")


def test_nothing_runs(text):
    page = Page(text)
    assert not {"script", "iframe", "object", "embed", "form", "base", "link"} & set(page.tags)
    assert "<script" not in text.lower()
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_nothing_is_fetched(text):
    page = Page(text)
    references = [v for name, v in page.attributes if name in ("src", "href", "xlink:href", "action", "data")]
    references += re.findall(r"url\(\s*['\"]?([^'\")]*)", text)
    assert all(
        reference.startswith(("#", "data:image/png;base64,", "data:image/jpeg;base64,"))
        for reference in references
    )
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text


def test_ids_are_unique_and_references_resolve(text):
    page = Page(text)
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    used = [value[1:] for name, value in page.attributes if name == "xlink:href"]
    used += re.findall(r"url\(#([^)]*)\)", text)
    assert set(used) == set(ids)


def test_both_themes_and_print_are_styled(text):
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_the_same_snapshot_gives_the_same_bytes(mixed):
    assert write_report(mixed) == page_of("mixed")


def test_hostile_text_is_shown_as_text(mixed):
    page = Page(page_of("mixed"))
    shown = " ".join(page.words)
    for text in (mixed.title, mixed.groups[0].name, mixed.groups[1].name, "Größe <b>cm</b>", "=blue()"):
        assert text in shown
    assert "b" not in page.tags
    assert "img" not in page.tags
    answered = set(mixed.names([said.left for said in mixed.answers]))
    assert any(any(name.startswith(bad) for bad in HOSTILE) for name in answered)
    assert all(" ".join(name.split()) in shown for name in answered)


@pytest.mark.parametrize(
    "hostile", ["</style><script>", "\"'><svg onload=x>", "{{ 7*7 }}", "${x}", "&lt;b&gt;"]
)
def test_every_text_of_a_snapshot_is_escaped(mixed, hostile):
    frame = mixed.table.frame.assign(colour=hostile, **{"the record": hostile})
    answers = [replace(said, author=hostile) for said in mixed.answers]
    groups = [replace(group, name=hostile, label=hostile) for group in mixed.groups]
    page = Page(
        write_report(
            replace(mixed, title=hostile, table=TableSample.of(frame), answers=answers, groups=groups)
        )
    )
    assert page.open == []
    assert "script" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert " ".join(page.words).count(hostile) > len(answers)


def test_groups_have_the_sizes_of_the_labels(mixed):
    labels = labels_table(mixed)
    rows = {row[0]: row for row in Page(page_of("mixed")).rows if len(row) == 6}
    for group in mixed.groups:
        members = labels[labels["group"] == group.number]
        size, _, placed = rows[group.label][1:4]
        assert int(size) == len(members)
        assert int(placed) == (members["placed_by"] == "expert").sum()


def test_answers_are_counted_by_kind_and_person(mixed):
    text = Page(page_of("mixed")).text
    kinds = [said.answer for said in mixed.answers]
    assert (
        f"{kinds.count('same')} pairs were said to be the same, {kinds.count('different')} different" in text
    )
    assert "21 answers, given by Dr. Ada (14), Ben (7), from 2025-03-04 09:30 UTC" in text
    assert "1 answer was changed afterwards" in text


def test_typical_values_are_those_of_the_table(mixed):
    labels = labels_table(mixed)
    found = {}
    for row in Page(page_of("mixed")).rows:
        if len(row) == 5 and row[0] == "Größe <b>cm</b>":
            found[row[2]] = row[3]
    for group in mixed.groups:
        members = labels["group"] == group.number
        sizes = mixed.table.frame["Größe <b>cm</b>"]
        here, others = (sizes[part].quantile(0.5, interpolation="lower") for part in (members, ~members))
        assert float(found[f"{here:.4g}"]) == pytest.approx(others, rel=1e-3)


def test_left_out_and_filled_columns_are_listed(mixed):
    rows = Page(page_of("mixed")).rows
    assert ["always", "always the same value"] in rows
    assert ["colour", "5", "red"] in rows


def test_report_without_answers_says_so():
    text = Page(page_of("no answers")).text
    assert "Nobody has answered anything yet" in text
    assert "The number of groups was left open" in text


def test_churn_of_one_point_is_not_drawn(mixed):
    alone, two = (Page(write_report(replace(mixed, churn=[(20, 0.1), (21, 0.0)][:n]))).text for n in (1, 2))
    assert "There are too few answers to say." in alone
    assert "There are too few answers to say." not in two


def test_rows_outside_the_pool_are_mentioned():
    assert "Questions were chosen among 114 of the 569 rows" in Page(page_of("cancer")).text


def test_many_answers_columns_and_groups_are_bounded(mixed):
    n_rows = len(mixed.table)
    groups = make_groups(40, ())
    labels = np.arange(n_rows) % 40
    prototypes = mixed.result.clustering.as_centers()
    centers = np.repeat(prototypes.centers[:1], 40, 0)
    clustering = replace(prototypes, centers=centers, owners=np.arange(40))
    result = replace(mixed.result, labels=labels, neighbourhoods=[], clustering=clustering)
    many = replace(mixed, groups=groups, result=result, answers=mixed.answers * 100)
    text = write_report(many)
    page = Page(text)
    assert "And 1,900 more answers" in page.text
    assert "16 more groups are not shown" in page.text
    assert len(text) < 500_000


def test_many_columns_are_bounded():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(12, 60))).add_prefix("column ")
    frame.iloc[0, :] = np.nan
    snapshot = snapshot_of(frame, np.arange(12) % 2, n_answers=0)
    text = Page(write_report(snapshot)).text
    assert "30 other columns count less" in text
    assert "And 30 more columns" in text


@pytest.mark.parametrize(
    ("share", "shown"), [(1.0, "100%"), (0.9999, "99%"), (0.5, "50%"), (0.0, "0%"), (None, "–")]
)
def test_only_the_whole_is_shown_as_a_hundred_percent(share, shown):
    assert report.percent(share) == shown


def test_notices_of_reading_are_shown():
    snapshot = mixed_snapshot(n_rows=30, clusters=1, n_answers=0, names=())
    frame = snapshot.table.frame.copy()
    frame.attrs["notices"] = ["The file was read as <latin-1>."]
    assert (
        "The file was read as <latin-1>."
        in Page(write_report(replace(snapshot, table=TableSample.of(frame)))).text
    )
