"""The page of the reproduction says what the rows say, and a dash where they say nothing."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_rows import THEORY_ROWS

from reproduction import paper
from reproduction.factors import LEVELS
from reproduction.markdown import number
from reproduction.report import summary, write_report
from reproduction.rows import RowFile

Q = paper.QUESTIONS
COLUMNS = ("as printed", "as released", "ours", "our default")
VERSIONS = "sameornot 9.9 0123456789 python 3 numpy 2 scikit-learn 1"
HEADINGS = {
    "table1": "## Table 1: ",
    "table3": "## Table 3: ",
    "table3-released": "## Table 3 with the centres",
    "table1-unmixed": "## Table 1 as the text describes it",
    "figure2": "## Figure 2: ",
    "figure3-cancer": "### Figure 3, breast cancer",
    "figure4": "## Figure 4: ",
    "strategies-table1": "### MEE and NPU on Table 1",
    "rivals-table1": "### What makes PCKMeans + NPU weak or strong",
    "regrouped-meu": "### MEU-Mobile: the same answers",
    "loop": "## Seconds of one loop",
    "speed": "## Seconds per question",
    "theory": "## Theorems 2 and 3",
    "theorem1": "## Theorem 1 by simulation",
    "theorem1-classes": "## Theorem 1: what the classes",
    "corollary1": "## Theorem 2 and Corollary 1",
    "theorem3": "## Theorem 3: where",
}
RUNS = {
    "table1": ["AQM + MEE", "AQM + NPU", "COBRAS", "COBRA", "COBRAS (raw)"],
    "table3": ["AQM + MEE", "MPCKMeans + NPU", "COBRA"],
    "table3-released": ["AQM + MEE (as printed)", "MPCKMeans + NPU (as released)", "COBRA"],
    "table1-unmixed": ["AQM + MEE", "AQM + NPU"],
    "figure2": ["exact without augmentation", "separable without augmentation"],
    "figure3-cancer": ["AQM + MEE", "MPCKMeans + NPU", "COBRA"],
    "figure4": ["AQM + MEE", "MPCKMeans + NPU"],
    "strategies-table1": ["AQM + MEE", "AQM + NPU (sorted cost; random tie)"],
    "rivals-table1": [levels.name for levels in LEVELS[::2]],
    "regrouped-meu": ["AQM + MEE", "MPCKMeans + NPU"],
    "loop": ["AQM + MEE (as printed)", "Ensemble"],
    "speed": ["AQM + MEE", "COBRAS"],
    "theory": ["theory"],
    "theorem1": ["gaussian", "opposite", "opposite mixed"],
    "theorem1-classes": ["classes"],
    "corollary1": ["enumerated", "independent"],
    "theorem3": ["two-step"],
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
    if name in THEORY_ROWS:
        return [{"run": run, "seed": seed, **row} for row in THEORY_ROWS[name]]
    if name == "theory":
        kind = {"n_points": 8, "n_clusters": 2, "separation": 2.0, "strength": np.inf}
        second = {**at, **kind, "experiment": "theorem2", "neighbourhood_size": 1, "questions": 1, "kl": 1.0}
        third = {**second, "experiment": "theorem3", "neighbourhood_size": 0}
        return [{**second, "method": method, "holds": 0.75} for method in ("active", "random")] + [
            {**third, "method": method, "questions": T, "kl": 8 - T, "holds": np.nan}
            for method in ("active", "random")
            for T in (0, 4)
        ]
    if name == "loop":
        return loops(run, seed)
    rows = curve(run, seed, {q: 0.1 + q / 1000 for q in checkpoints})
    if "placed" in columns_of(name):
        rows = [{**row, "placed": 10} for row in rows]
    if name == "figure2":
        other = run.replace("without", "with")
        rows += curve(run, seed, dict.fromkeys(checkpoints, 0.5), method=other)
    return rows


def columns_of(name):
    """The columns of some experiments beyond those of a curve."""
    return {"placed"} if name.partition("-")[0] in ("strategies", "rivals", "regrouped") else set()


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


def by_questions(page, method):
    """The cells of a method's lines after "method" and "questions", by the number of questions; "n" too."""
    lines = lines_of(page, method)
    own = lines[: 1 + len(Q)]
    return {line[1]: line[2:] for line in own}


def verdict(page, claim):
    """The verdicts on a claim by column, from the table in short."""
    lines = lines_of(page, claim)
    return dict(zip(("paper", *COLUMNS), lines[0][1:], strict=True))


def test_a_table_shows_the_papers_number_beside_every_form(tmp_path):
    forms = {"AQM + MEE": 0.5, "AQM + MEE (as printed)": 0.4, "AQM + MEE (as released)": 0.3, "Ensemble": 0.9}
    for method, ari in forms.items():
        for seed in range(2 if method == "AQM + MEE" else 3):
            add(tmp_path, "table1", curve(method, seed, dict.fromkeys(Q, ari + seed / 10)))
    cells = by_questions(page_of(tmp_path), "AQM + MEE")
    assert cells["n"] == ["30", "3", "3", "2", "3"]
    # In standard errors √(.124² / 30 + .1² / 3): (1.0 − .474) / .062 = 8.5, above two
    assert cells["60"] == [".474 (.124)", ".500 (.100)", ".400 (.100)", ".550 (.071)", "1.000 (.100) ↑"]
    # (.4 − .921) / √(.078² / 30 + .1² / 3) < −2
    assert cells["300"][2] == ".400 (.100) ↓"


def test_a_rival_is_shown_as_released_and_ours(tmp_path):
    for method in ("MPCKMeans + NPU", "MPCKMeans + NPU (as released)", "COBRAS (raw)"):
        add(tmp_path, "table2", curve(method, 0, {60: 0.5}))
    page = page_of(tmp_path)
    assert by_questions(page, "MPCKMeans + NPU")["60"] == [".086 (.024)", ".500 (–)", ".500 (–)"]
    assert by_questions(page, "COBRAS")["60"] == [".064 (.031)", ".500 (–)", "–"]
    assert "\n\nOther runs:\n" not in page


def test_other_runs_are_listed_below(tmp_path):
    for method in ("AQM + MEE", "AQM + MEE (no penalty)", "PCKMeans + NPU (large weight)"):
        add(tmp_path, "table1", curve(method, 0, {60: 0.5}, method=method))
    page = page_of(tmp_path)
    assert "\n\nOther runs:\n" in page
    assert lines_of(page, "AQM + MEE (no penalty)")[0][1:4] == ["1", ".500 (–)", "–"]


@pytest.mark.parametrize("name", ["table1-unmixed", "table3-released"])
def test_other_data_are_compared_with_the_papers_table_too(tmp_path, name):
    add(tmp_path, name, curve("AQM + MEE", 0, {60: 0.5}))
    theirs = {"table1-unmixed": ".474 (.124)", "table3-released": ".384 (.045)"}[name]
    assert by_questions(page_of(tmp_path), "AQM + MEE")["60"] == [theirs, "–", "–", ".500 (–)", "–"]


def test_what_is_missing_is_a_dash(tmp_path):
    add(tmp_path, "table1", curve("AQM + MEE", 0, {60: 0.5}))
    add(tmp_path, "table1", curve("COBRA", 0, {10: 0.2}))
    page = page_of(tmp_path)
    cells = by_questions(page, "AQM + MEE")
    assert [cells[str(q)][3] for q in Q] == [".500 (–)", "–", "–", "–", "–"]
    assert lines_of(page, "10")[0] == ["10", "19 (3)", "–", "10 (–)", ".174 (.065)", "–", ".200 (–)"]


@pytest.mark.parametrize(
    ("distances", "word"),
    [
        ([1.9, -1.9, 0, 0, 0], "**level**: mean"),
        ([-2.2, -2.2, 0, 0, 0], "**lower** (2 of 5 cells): mean"),
        ([0, 0, 0, 0, 2.2], "**higher** (1 of 5 cells): mean"),
        ([-2.2, 2.2, 2.2, 0, 0], "**mixed** (1 lower, 2 higher): mean"),
    ],
)
def test_the_verdict_on_a_line_of_a_table(tmp_path, distances, word):
    for seed in range(2):  # the same in both seeds: the standard error is the paper's alone
        cells = {
            q: at_distance("table2", "AQM + MEE", d, "error")[q] for q, d in zip(Q, distances, strict=True)
        }
        add(tmp_path, "table2", curve("AQM + MEE (as printed)", seed, cells))
    found = verdict(page_of(tmp_path), "Table 2, AQM + MEE")
    assert found["paper"] == "mean .255"
    assert found["as printed"].startswith(word)
    low, high = (x / np.sqrt(paper.N_REPLICATIONS) for x in (min(distances), max(distances)))
    assert found["as printed"].endswith(f"{low:+.1f} to {high:+.1f} sd")
    assert (found["as released"], found["ours"], found["our default"]) == ("–", "–", "–")


def test_one_replication_is_too_little_for_a_verdict(tmp_path):
    add(tmp_path, "table3", curve("COBRAS", 0, dict.fromkeys(Q, 0.0)))
    assert verdict(page_of(tmp_path), "Table 3, COBRAS")["ours"] == "one seed: mean .000"


def test_cells_without_rows_are_left_out_of_the_papers_mean_too(tmp_path):
    for seed in range(2):
        add(tmp_path, "table1", curve("AQM + MEE", seed, {60: 0.48, 120: 0.64}))
        add(tmp_path, "table1", curve("AQM + NPU", seed, {60: 0.5, 120: 0.5}))
    page = page_of(tmp_path)
    assert "mean .560 for .552, " in verdict(page, "Table 1, AQM + MEE")["ours"]
    # (.474 − .443 + .630 − .587) / 2
    assert verdict(page, "Table 1, AQM + MEE − AQM + NPU")["ours"].endswith(" for +0.037")


def test_the_lead_of_a_method_is_paired_by_seed_within_a_form(tmp_path):
    for seed, level in enumerate((0.1, 0.5, 0.9)):
        add(tmp_path, "table1", curve("AQM + MEE (as released)", seed, {60: level + 0.05 + seed / 100}))
        add(tmp_path, "table1", curve("AQM + NPU (as released)", seed, {60: level}))
        add(tmp_path, "table1", curve("MPCKMeans + NPU (as released)", seed, {60: level + 0.1 + seed / 100}))
        add(tmp_path, "table1", curve("AQM + MEE", seed, {60: level + (seed - 1) / 100}))
        add(tmp_path, "table1", curve("AQM + NPU", seed, {60: level}))
    page = page_of(tmp_path)
    found = verdict(page, "Table 1, AQM + MEE − AQM + NPU")
    assert found["paper"] == "+0.050"
    assert found["as released"] == "**ahead**: +0.060 ± 0.006 for +0.031"
    assert found["ours"] == "**level**: +0.000 ± 0.006 for +0.031"
    assert found["as printed"] == "–"
    other = verdict(page, "Table 1, AQM + MEE − MPCKMeans + NPU")
    assert other["as released"].startswith("**behind**: -0.050")
    assert other["ours"] == "–"  # no rows of our MPCKMeans


def test_a_printed_form_is_compared_with_our_rival(tmp_path):
    for seed in range(2):
        add(tmp_path, "figure3-meu", curve("AQM + MEE (as printed)", seed, {300: 0.6 + seed / 100}))
        add(tmp_path, "figure3-meu", curve("MPCKMeans + NPU", seed, {300: 0.5 + seed / 100}))
    found = verdict(page_of(tmp_path), "Figure 3, MEU-Mobile, AQM + MEE over MPCKMeans + NPU after 300")
    assert (found["paper"], found["as printed"], found["as released"]) == ("+20%", "**level**: +19.8%", "–")


def test_the_numbers_of_the_text_stand_beside_ours(tmp_path):
    for seed, ari in enumerate((0.9, 1.0)):
        add(tmp_path, "figure3-cancer", curve("AQM + MEE", seed, {70: 0.1, 80: ari}))
        add(tmp_path, "figure3-cancer", curve("Ensemble", seed, {80: 0.99 + seed / 100}))
    found = verdict(page_of(tmp_path), "Figure 3, breast cancer, AQM + MEE after 80")
    assert (found["paper"], found["ours"]) == (".928", "**level**: .950 (.071)")
    assert found["our default"] == "**higher**: .995 (.007)"


def test_augmentation_is_judged_at_every_number_of_pairs(tmp_path):
    for seed in range(2):
        for way, gain in (("without", 0.0), ("with", 0.2 + seed / 100)):
            aris = {10: 0.5 + gain, 20: 0.5 + gain, 30: 0.5 - gain / 10}
            run = "printed without augmentation"
            add(tmp_path, "figure2", curve(run, seed, aris, method=f"printed {way} augmentation"))
    found = verdict(page_of(tmp_path), "Figure 2, gain by augmentation, grouped by formula (5)")
    assert found["as printed"].startswith("**ahead**: +0.1")
    assert found["as printed"].endswith("positive at 2 of 3 numbers of pairs")


def test_cobra_has_a_table_of_its_own(tmp_path):
    for seed, ari in enumerate((0.2, 0.3)):
        add(tmp_path, "table1", curve("COBRA", seed, {10: ari, 50: ari}))
        add(tmp_path, "table1", curve("COBRA (raw)", seed, {10: 0.9}))
    page = page_of(tmp_path)
    assert "COBRA (seeds: as released 2, ours 2):" in page
    # Asked 10 and 11; (0.25 − 0.174) / √(.065² / 30 + .071² / 2) = 1.5
    ours = [".174 (.065)", ".900 (.000) ↑", ".250 (.071)"]
    assert lines_of(page, "10")[0] == ["10", "19 (3)", "10 (1)", "10 (1)", *ours]


def test_cobra_on_real_data_has_no_number_of_the_papers_beside_it(tmp_path):
    add(tmp_path, "figure3-cancer", curve("COBRA", 0, {25: 0.2}))
    assert lines_of(page_of(tmp_path), "25")[0] == ["25", "–", "–", "25 (–)", "–", "–", ".200 (–)"]


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


def test_figure4_shows_the_heaviest_features_and_what_they_are_worth(tmp_path):
    for seed in range(2):
        add(tmp_path, "figure4", replication("figure4", "AQM + MEE", seed))
    page = page_of(tmp_path)
    theirs, ours = lines_of(page[page.index("## Figure 4") :], "paper")[:2]
    assert theirs[2:] == ["19, 40, 61 (NDVI)", ".290", ".290", ".340", ".340", "28"]
    assert ours == ["AQM + MEE", "2", "2 NDVI, 3 Round, 1 Area", ".300", "–", ".350", "–", "2"]
    assert verdict(page, "Figure 4, heaviest features")["ours"] == "2 NDVI, 3 Round, 1 Area"
    assert verdict(page, "Figure 4, K-means on the top three")["ours"] == "scaled .300; raw –"
    assert "without any metric" not in page


def test_figure4_has_a_reference_without_any_metric(tmp_path):
    items = {
        "K-means, all": 0.4,
        "K-means, all, raw": 0.03,
        "K-means, NDVI, raw": 0.29,
        "K-means, random": 0.36,
    }
    at = {"run": "K-means", "method": "K-means"}
    for seed in range(2):
        rows = [{**at, "seed": seed, "item": item, "value": value} for item, value in items.items()]
        add(tmp_path, "figure4", rows)
    page = page_of(tmp_path)
    assert lines_of(page, "all 147, raw")[0] == ["all 147, raw", ".030", ".030"]
    assert lines_of(page, "19, 40, 61 (NDVI at three scales), raw")[0][1:] == [".290", ".290"]
    assert verdict(page, "Figure 4, K-means on all features")["ours"] == "raw .030; scaled .400"


def loops(run, seed):
    at = {"run": run, "seed": seed, "method": run, "forest": 0.05}
    return [{**at, "questions": q, "loops": n, "seconds": n / 100} for q, n in ((60, 20), (120, 10))]


def test_a_loop_is_timed_beside_the_papers_and_a_forest(tmp_path):
    for run in ("AQM + MEE (as printed)", "Ensemble"):
        add(tmp_path, "loop", loops(run, 0))
    page = page_of(tmp_path)
    # 20 loops of .2 s and 10 of .1 s
    line = ["AQM + MEE (as printed)", "1", "0.200 s", "0.100 s", "0.167 s", "0.050 s", "3.3"]
    assert lines_of(page, "AQM + MEE (as printed)")[0] == line
    found = verdict(page, "§4, one loop at n = 300, p = 35, K = 5")
    assert (found["paper"], found["as printed"], found["our default"]) == ("8 s", "0.17 s", "0.17 s")


def placed(run, seed, aris, n_placed=30, **more):
    return [{**row, "placed": n_placed} for row in curve(run, seed, aris, **more)]


def test_strategies_are_shown_with_the_rows_that_they_place(tmp_path):
    sorted_npu, unsorted_npu = "AQM + NPU (sorted cost; random tie)", "AQM + NPU (unsorted cost; random tie)"
    for seed in range(3):
        add(tmp_path, "strategies-table1", placed("AQM + MEE", seed, {60: 0.5}, n_placed=15 + seed / 4))
        add(tmp_path, "strategies-table1", placed(sorted_npu, seed, {60: 0.6}, n_placed=30))
        add(tmp_path, "strategies-table1", placed(unsorted_npu, seed, {60: 0.3 + seed / 100}))
    page = page_of(tmp_path)
    rates = page[page.index("Rows placed") :]
    assert lines_of(rates, "AQM + MEE")[0][1] == "0.25"  # 15 of 60, 15.25 of 61, 15.5 of 62
    assert lines_of(rates, sorted_npu)[0][1] == "0.49"
    assert lines_of(page, f"AQM + MEE − {sorted_npu}")[0][1:3] == ["3", "-0.100 ± 0.000"]
    # Sorting is a factor only with all four ways.
    assert "sorted cost − unsorted cost" not in page
    for way in ("sorted", "unsorted"):
        for seed in range(3):
            add(tmp_path, "strategies-table1", placed(f"AQM + NPU ({way} cost; first tie)", seed, {60: 0.2}))
    page = page_of(tmp_path)
    # (.6 − .31 + 0) / 2 on average
    assert lines_of(page, "sorted cost − unsorted cost")[0][1:3] == ["3", "+0.145 ± 0.003"]
    assert lines_of(page, "random tie − first tie")[0][2].startswith("+0.255")


def test_rivals_are_shown_by_their_factors_and_main_effects(tmp_path):
    worth = {"standardised": 0.1, "price in variances": 0.2, "sorted": 0.0, "kept": 0.3}
    for levels in LEVELS:
        run = levels._replace(answers="kept").name
        for seed in range(2):
            ari = 0.2 + seed / 100 + sum(worth.get(level, 0.0) for level in levels)
            # A variant is a method of the run whose answers it groups.
            add(tmp_path, "rivals-table1", placed(run, seed, {60: ari}, method=levels.name))
    page = page_of(tmp_path)
    assert lines_of(page, "standardised")[0][:6] == [*LEVELS[0], "2", ".805 (.007)"]
    assert lines_of(page, "kept − not kept")[0][2] == "+0.300 ± 0.000"
    assert lines_of(page, "price in variances − price in units")[0][2] == "+0.200 ± 0.000"
    assert lines_of(page, "sorted − unsorted; first tie")[0][2] in ("+0.000 ± 0.000", "-0.000 ± 0.000")


def test_regrouped_answers_are_listed_by_who_asked(tmp_path):
    at = {"run": "AQM + MEE", "seed": 0, "aris": {30: 0.4, 60: 0.5}}
    rows = placed(**at) + placed(**at, method="PCKMeans (answers of AQM + MEE)")
    add(tmp_path, "regrouped-meu", rows)
    page = page_of(tmp_path)
    first, second = lines_of(page, "AQM + MEE")[:2]
    assert (first[:3], second[:3]) == (["AQM + MEE", "AQM", "1"], ["AQM + MEE", "PCKMeans", "1"])
    assert second[3:] == [".400 (–)", ".500 (–)"]


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


def test_theorem_1_shows_errors_with_the_bounds_beside_them(tmp_path):
    for seed in range(2):
        add(tmp_path, "theorem1", replication("theorem1", "opposite", seed))
    page = page_of(tmp_path)
    assert lines_of(page, "e (ê), limit 1, with augmentation")[0][1:] == [".500 (.400)"] * 2
    assert lines_of(page, "e, best limit, with − without")[0][1:] == ["-.100 ± .000"] * 2
    assert lines_of(page, "e, every pair called different")[0][1:] == [".200"] * 2
    assert lines_of(page, "ε, as printed")[0][1:] == ["2.81", "0.95"]
    first = lines_of(page, "Table 1 without mixing")[0]
    assert first[1:] == ["as printed", "36", "280", "3,004", "44,850"]


def test_the_classes_of_theorem_1_show_shattering_and_what_is_left(tmp_path):
    add(tmp_path, "theorem1-classes", replication("theorem1-classes", "classes", 0))
    page = page_of(tmp_path)
    assert lines_of(page, "3")[0] == ["3", "3", "6", "6", "4", "3", "6"]
    assert lines_of(page, "one relevant")[0][1:] == ["41.0", "30.0", ".732", "1.46", ".488"]
    assert lines_of(page, "all nine")[0][1:] == ["–", "–", "1.000", "2.00", "–"]


def test_corollary_1_shows_shares_limit_and_tail(tmp_path):
    for seed in range(2):
        add(tmp_path, "corollary1", replication("corollary1", "independent", seed))
    first = lines_of(page_of(tmp_path), "2")[0]
    assert first[:4] == ["2", "30", "1", "facts"]
    assert first[4:8] == [".710 ± .000", ".720 ± .000", ".730 ± .000", "+.020 ± .000"]
    assert first[8:] == [".760", "-20", "-37", "-58"]


def test_theorem_3_is_false_where_its_bound_is_below_minus_the_loss(tmp_path):
    for seed in range(3):
        add(tmp_path, "theorem3", replication("theorem3", "two-step", seed))
    page = page_of(tmp_path)
    early, late = lines_of(page, "200")[:2]
    assert early[2:] == ["200", "97.0", "38.6 ± 0.0", "-8.5", ""]
    assert late[2:] == ["399", "97.0", "11.9 ± 0.0", "-33.4", "false"]
    assert lines_of(page, "Table 1")[0] == ["Table 1", "5", "4.24", "+42", "+59"]


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
    assert first[0] == "COBRAS"


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
