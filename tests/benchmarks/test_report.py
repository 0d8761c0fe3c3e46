"""The page of the reproduction says what the rows say, and a dash where they say nothing."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reproduction import paper
from reproduction.markdown import number
from reproduction.report import summary, write_report
from reproduction.rows import RowFile

Q = paper.QUESTIONS
VERSIONS = "sameornot 9.9 0123456789 python 3 numpy 2 scikit-learn 1"
HEADINGS = {
    "table1": "## Table 1: ",
    "table3": "## Table 3: ",
    "table1-unmixed": "## Table 1 as the text describes it",
    "figure2": "## Figure 2: ",
    "figure3-cancer": "### Figure 3, breast cancer",
    "figure4": "## Figure 4: ",
    "speed": "## Seconds per question",
    "theory": "## Theorems 2 and 3",
}
RUNS = {
    "table1": ["AQM + MEE", "AQM + NPU", "COBRAS", "COBRA", "COBRAS (raw)"],
    "table3": ["AQM + MEE", "MPCKMeans + NPU", "COBRA"],
    "table1-unmixed": ["AQM + MEE", "AQM + NPU"],
    "figure2": ["exact without augmentation", "separable without augmentation"],
    "figure3-cancer": ["AQM + MEE", "MPCKMeans + NPU", "COBRA"],
    "figure4": ["AQM + MEE", "MPCKMeans + NPU"],
    "speed": ["AQM + MEE", "COBRAS"],
    "theory": ["theory"],
}


def curve(run, seed, aris, *, method=None, seconds=0.0):
    return [
        {"run": run, "seed": seed, "method": method or run, "checkpoint": q, "asked": q + seed, "ari": ari}
        | {"nmi": ari, "seconds": seconds}
        for q, ari in aris.items()
    ]


def replication(name, run, seed, checkpoints=Q):
    """The rows of an experiment, in the form that it gives them."""
    at = {"run": run, "seed": seed, "method": run}
    if name == "figure4":
        items = {"K-means, all": 0.4, "K-means, all, raw": 0.1, "K-means, top three": 0.3}
        items |= {"K-means, top group": 0.35, "size of top group": 2 + seed}
        items |= {"weight of 1 Area": 0.1, "weight of 2 NDVI": 0.7, "weight of 3 Round": 0.2}
        return [{**at, "item": item, "value": value} for item, value in items.items()]
    if name == "speed":
        return [{**at, "n": n, "seconds": n / 1000, "forest": n / 2000} for n in (300, 1000)]
    if name == "theory":
        kind = {"n_points": 8, "n_clusters": 2, "separation": 2.0, "strength": np.inf}
        second = {**at, **kind, "experiment": "theorem2", "neighbourhood_size": 1, "questions": 1, "kl": 1.0}
        third = {**second, "experiment": "theorem3", "neighbourhood_size": 0}
        return [{**second, "method": method, "holds": 0.75} for method in ("active", "random")] + [
            {**third, "method": method, "questions": T, "kl": 8 - T, "holds": np.nan}
            for method in ("active", "random")
            for T in (0, 4)
        ]
    rows = curve(run, seed, {q: 0.1 + q / 1000 for q in checkpoints})
    if name == "figure2":
        other = run.replace("without", "with")
        rows += curve(run, seed, dict.fromkeys(checkpoints, 0.5), method=other)
    return rows


def add(folder, name, rows):
    RowFile(folder / f"{name}.csv").append([{**row, "versions": VERSIONS} for row in rows])


def page_of(folder):
    page = folder / "docs" / "page.md"
    write_report(folder, page, images="pictures")
    return page.read_text("utf-8")


def at_distance(name, method, distance, unit="deviation"):
    """Agreements of a replication that lie so far from the paper's, in its deviations or standard errors."""
    cells = dict(zip(Q, paper.TABLES[name][method], strict=True))
    scale = 1.0 if unit == "deviation" else 1 / np.sqrt(paper.N_REPLICATIONS)
    return {q: cell.mean + distance * scale * cell.deviation for q, cell in cells.items()}


def lines_of(page, start):
    """The lines of a table from the one whose first cell is `start`, as cells."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()]
    first = next(k for k, line in enumerate(lines) if line[0] == start)
    return lines[first:]


def test_a_table_shows_the_papers_number_ours_and_the_difference_in_its_deviations(tmp_path):
    for seed, ari in enumerate((0.5, 0.6)):
        add(tmp_path, "table1", curve("AQM + MEE", seed, dict.fromkeys(Q, ari)))
    theirs, ours, difference = lines_of(page_of(tmp_path), "AQM + MEE")[:3]
    assert theirs[1:4] == ["paper", "30", ".474 (.124)"]
    assert ours[1:4] == ["ours", "2", "**.550** (.071)"]
    # (0.55 − 0.474) / 0.124 = 0.61 and, at 300 questions, (0.55 − 0.921) / 0.078 = −4.76
    assert difference[1] == "difference"
    assert (difference[3], difference[-1]) == ("+0.6 sd", "-4.8 sd")


def test_one_replication_has_no_deviation(tmp_path):
    add(tmp_path, "table1", curve("AQM + MEE", 0, dict.fromkeys(Q, 0.5)))
    assert lines_of(page_of(tmp_path), "AQM + MEE")[1][1:4] == ["ours", "1", "**.500** (–)"]


def test_what_is_missing_is_a_dash(tmp_path):
    add(tmp_path, "table1", curve("AQM + MEE", 0, {60: 0.5}))
    add(tmp_path, "table1", curve("COBRA", 0, {10: 0.2}))
    page = page_of(tmp_path)
    assert [line[3:] for line in lines_of(page, "AQM + MEE")[1:3]] == [
        ["**.500** (–)", "–", "–", "–", "–"],
        ["+0.2 sd", "–", "–", "–", "–"],
    ]
    assert lines_of(page, "50")[0] == ["50", "102 (15)", "–", ".275 (.070)", "–", "–"]


@pytest.mark.parametrize(
    ("distances", "cells", "mean"),
    [
        ([0.1] * 5, "every cell within", "at or above"),
        ([-0.4] * 5, "every cell within", "BELOW"),
        ([-0.6] * 5, "5 cell(s) NOT within", "BELOW"),
        ([-0.6, 1, 1, 1, 1], "1 cell(s) NOT within", "at or above"),
    ],
)
def test_the_verdict_on_the_papers_method(tmp_path, distances, cells, mean):
    for seed in range(2):
        aris = {q: at_distance("table2", "AQM + MEE", d)[q] for q, d in zip(Q, distances, strict=True)}
        add(tmp_path, "table2", curve("AQM + MEE", seed, aris))
    (verdict,) = re.findall(r"^- \*\*table2, AQM \+ MEE\*\*: (.*)$", page_of(tmp_path), re.MULTILINE)
    assert verdict.startswith(cells)
    assert f"(lowest {min(distances):+.2f} sd)" in verdict
    assert f", {mean} the paper's .255 (n = 2)" in verdict


def test_rivals_that_are_two_standard_errors_below_are_named(tmp_path):
    distances = {"COBRAS": -2.2, "MPCKMeans + NPU": -1.8, "AQM + NPU": 5.0, "AQM + MEE": 0.0}
    for method, distance in distances.items():
        for seed in range(2):  # the same in both seeds: the standard error is the paper's alone
            aris = at_distance("table1", method, distance, unit="error")
            add(tmp_path, "table1", curve(method, seed, aris | {300: 0.1} if method == "COBRAS" else aris))
    page = page_of(tmp_path)
    below = "5 of 5 cells more than two standard errors below the paper's (worst: .100 for .417)"
    assert f"- table1, COBRAS: {below}" in page
    assert "- table1, MPCKMeans" not in page
    assert "- table1, AQM + NPU" not in page


def test_cobra_is_judged_as_the_other_rivals_are(tmp_path):
    for seed in range(2):
        add(tmp_path, "table1", curve("COBRA", seed, dict.fromkeys(paper.COBRA["table1"], 0.1)))
    assert "- table1, COBRA: 5 of 5 cells more than two standard errors below" in page_of(tmp_path)


def test_methods_with_too_few_rows_are_not_judged(tmp_path):
    add(tmp_path, "table3", curve("COBRAS", 0, dict.fromkeys(Q, 0.0)))
    for seed in range(2):
        add(tmp_path, "table3", curve("MPCKMeans + NPU", seed, dict.fromkeys(Q, 0.9)))
    page = page_of(tmp_path)
    assert "table3, COBRAS:" not in page
    (few,) = re.findall(r"^- table3, too few rows to tell: (.*)$", page, re.MULTILINE)
    assert few == "PCKMeans + NPU, COPKMeans + NPU, COBRAS, AQM + MEE, COBRA"


def test_cobra_has_a_table_of_its_own(tmp_path):
    for seed, ari in enumerate((0.2, 0.3)):
        add(tmp_path, "table1", curve("COBRA", seed, {10: ari, 50: ari}))
    page = page_of(tmp_path)
    assert "COBRA (2 seeds):" in page
    # Asked 10 and 11; (0.25 − 0.174) / 0.065 = 1.17
    assert lines_of(page, "10")[0] == ["10", "19 (3)", "10 (1)", ".174 (.065)", "**.250** (.071)", "+1.2 sd"]


def test_cobra_on_real_data_has_no_number_of_the_papers_beside_it(tmp_path):
    add(tmp_path, "figure3-cancer", curve("COBRA", 0, {25: 0.2}))
    assert lines_of(page_of(tmp_path), "25")[0] == ["25", "–", "25 (–)", "–", ".200 (–)", "–"]


def test_methods_are_paired_by_seed(tmp_path):
    for seed, (first, second) in enumerate([(0.5, 0.3), (0.6, 0.5), (0.7, 0.4), (0.9, None)]):
        add(tmp_path, "table2", curve("AQM + MEE", seed, {60: first, 120: first + 0.1}))
        if second is not None:
            add(tmp_path, "table2", curve("AQM + NPU", seed, {60: second, 120: second + 0.1}))
    page = page_of(tmp_path)
    (line,) = (line for line in lines_of(page, "table2") if line[0] == "table2")
    # Differences 0.2, 0.1, 0.3: mean 0.2, error 0.1 / √3
    assert line[1:4] == ["AQM + MEE − AQM + NPU", "3", "+0.200 ± 0.058"]
    assert line[-1] == "100%"


def test_one_common_seed_has_no_p_and_none_is_not_shown(tmp_path):
    add(tmp_path, "table1", curve("AQM + MEE", 0, {60: 0.5}))
    add(tmp_path, "table1", curve("AQM + NPU", 1, {60: 0.4}))
    assert "Paired by seed" not in page_of(tmp_path)
    add(tmp_path, "table1", curve("AQM + NPU", 0, {60: 0.4}))
    (line,) = (line for line in lines_of(page_of(tmp_path), "table1") if line[0] == "table1")
    assert line[2:] == ["1", "+0.100", "–", "–", "100%"]


@pytest.mark.parametrize("name", HEADINGS)
def test_a_section_is_there_if_its_rows_are(tmp_path, name):
    add(tmp_path, name, replication(name, RUNS[name][0], 0))
    page = page_of(tmp_path)
    assert HEADINGS[name] in page
    assert not [heading for other, heading in HEADINGS.items() if other != name and heading in page]


def test_a_page_without_rows_says_so(tmp_path):
    page = page_of(tmp_path)
    assert page.endswith("## How it was run\n\nThere are no rows yet.\n")
    assert "In short" not in page


def test_the_numbers_of_the_text_stand_beside_ours(tmp_path):
    for seed, ari in enumerate((0.9, 1.0)):
        add(tmp_path, "figure3-cancer", curve("AQM + MEE", seed, {70: 0.1, 80: ari}))
    assert "AQM + MEE after 80 questions: paper .928, ours .950 (.071)." in page_of(tmp_path)


def test_figure4_shows_the_heaviest_features_and_what_they_are_worth(tmp_path):
    for seed in range(2):
        add(tmp_path, "figure4", replication("figure4", "AQM + MEE", seed))
    paper_line, ours = lines_of(page_of(tmp_path), "paper")[:2]
    assert paper_line[2:] == ["19, 40, 61 (NDVI)", ".030", ".030", ".290", ".340", "28"]
    assert ours == ["AQM + MEE", "2", "2 NDVI, 3 Round, 1 Area", ".400", ".100", ".300", ".350", "2"]


def test_speed_is_in_seconds_and_in_forests(tmp_path):
    add(tmp_path, "speed", replication("speed", "COBRAS", 0))
    assert lines_of(page_of(tmp_path), "COBRAS")[0] == ["COBRAS", "1", "0.300 s (2.00)", "1.000 s (2.00)"]


def test_theory_shows_how_often_and_how_far(tmp_path):
    for seed in range(2):
        add(tmp_path, "theory", replication("theory", "theory", seed))
    page = page_of(tmp_path)
    active, random = lines_of(page, "K = 2, r/σ = 2")[:2]
    assert active[1:8] == ["75.0%", "active", "8.000", "–", "–", "–", "4.000"]
    assert random[1:3] == ["", "random"]
    assert "2 random problems of each kind" in page


some_rows = st.lists(
    st.tuples(
        st.sampled_from(sorted(RUNS)),
        st.integers(0, 4),
        st.integers(0, 2),
        st.sets(st.sampled_from([10, 50, *Q]), min_size=1),
    ),
    unique_by=lambda drawn: drawn[:3],
    max_size=8,
)


@pytest.mark.slow
@settings(max_examples=25)
@given(some_rows)
def test_rows_that_are_there_in_part_give_a_page_without_nan(tmp_path_factory, drawn):
    folder = tmp_path_factory.mktemp("rows")
    for name, which, seed, checkpoints in drawn:
        run = RUNS[name][which % len(RUNS[name])]
        if (run, seed) not in RowFile(folder / f"{name}.csv").done():
            add(folder, name, replication(name, run, seed, sorted(checkpoints)))
    page = page_of(folder)
    assert not re.search(r"\b(nan|inf|None)\b", page)
    for name, *_ in drawn:
        assert HEADINGS[name] in page
        assert not re.search(r"\b(nan|inf|None)\b", summary([name], folder))


def test_a_page_does_not_depend_on_which_replication_was_done_first(tmp_path):
    done = [(run, seed) for run in ("COBRAS (raw)", "AQM + MEE", "COBRAS") for seed in (0, 1)]
    for folder, order in ((tmp_path / "a", done), (tmp_path / "b", done[::-1])):
        for run, seed in order:
            add(folder, "table1", replication("table1", run, seed))
            add(folder, "figure3-cancer", replication("figure3-cancer", run, seed))
    assert page_of(tmp_path / "a") == page_of(tmp_path / "b")
    first = [line[0] for line in lines_of(page_of(tmp_path / "a"), "COBRAS")]
    assert first[:7:3] == ["COBRAS", "AQM + MEE", "COBRAS (raw)"]


def test_findings_are_taken_in_whole(tmp_path):
    add(tmp_path, "table1", curve("AQM + MEE", 0, {60: 0.5}))
    (tmp_path / "findings.md").write_text("## Why λ matters\n\nIt does.\n", "utf-8")
    assert "\n\n## Why λ matters\n\nIt does.\n\n## How it was run\n\n" in page_of(tmp_path)


def test_the_page_tells_what_the_rows_were_made_by_and_on(tmp_path):
    add(tmp_path, "table1", curve("COBRAS", 0, {60: 0.5, 120: 0.5}, seconds=3600.0))
    add(tmp_path, "table1", curve("COBRA", 0, {10: 0.5, 50: 0.5}, seconds=1800.0))
    add(tmp_path, "theory", replication("theory", "theory", 0))
    RowFile(tmp_path / "table1.csv").append([{**curve("COBRAS", 1, {60: 0.5})[0], "versions": "older"}])
    (tmp_path / "machines.txt").write_text("A fast one, 2 cores\nA slow one\n", "utf-8")
    page = page_of(tmp_path)
    # COBRAS goes on from 60 to 120 questions within its hour; COBRA's two sizes are half an hour each.
    assert "Rows: table1 5, theory 6. Asking took 2.0 hours of one core." in page
    assert f"- {VERSIONS}: table1, theory\n- older: table1\n" in page
    assert page.endswith("On:\n\n- A fast one, 2 cores\n- A slow one\n")


def test_the_summary_holds_what_was_asked_for(tmp_path):
    for name in ("table1", "figure2"):
        add(tmp_path, name, replication(name, RUNS[name][0], 0))
    text = summary(["figure2", "theory"], tmp_path)
    assert text.startswith("Figure 2: ")
    assert "exact with augmentation" in text
    assert "Table 1" not in text
    assert "Theorems" not in text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.4741, ".474"),
        (-0.0123, "-.012"),
        (0.0, ".000"),
        (1.0, "1.000"),
        (-1.0, "-1.000"),
        (0.9999, "1.000"),
        (2.5, "2.500"),
    ],
)
def test_numbers_lose_the_zero_before_the_point_and_nothing_else(value, text):
    assert number(value) == text
