"""The pictures of the reproduction are those that its page shows, of the methods that can be told apart."""

import re

import numpy as np
import pytest
from made_rows import THEORY_ROWS

from reproduction.columns import PROPOSED, RIVALS
from reproduction.experiments import EXPERIMENTS
from reproduction.plots.pictures import draw_pictures
from reproduction.report import write_report
from reproduction.rows import RowFile


def curve(run, seed, method=None, **more):
    place = {"run": run, "seed": seed, "method": method or run}
    return [{**place, "checkpoint": q, "asked": q, "ari": q / 400, **more} for q in (60, 120)]


def replication(name, run, seed):
    at = {"run": run, "seed": seed, "method": run}
    if name == "figure4":
        if run == "K-means":
            return [{**at, "item": "K-means, NDVI, raw", "value": 0.3}]
        items = dict.fromkeys(["all", "all, raw", "top three", "top group"], 0.3)
        values = {f"K-means, {key}": value for key, value in items.items()} | {"size of top group": 1}
        values |= {"weight of 1 Area": 0.1, "weight of 2 NDVI": 0.9}
        return [{**at, "item": item, "value": value} for item, value in values.items()]
    if name == "speed":
        return [{**at, "n": n, "seconds": 1.0, "forest": 1.0} for n in (300, 1000)]
    if name == "loop":
        return [{**at, "questions": 60, "loops": 20, "seconds": 1.0, "forest": 1.0}]
    if name == "theory":
        kind = {**at, "n_points": 4, "n_clusters": 2, "separation": 1.0, "strength": np.inf}
        return [
            {**kind, "experiment": which, "method": method, "neighbourhood_size": size, "questions": 1}
            | {"kl": 1.0, "holds": 0.5}
            for method in ("active", "random")
            for which, size in (("theorem2", 1), ("theorem3", 0))
        ]
    if name in THEORY_ROWS:
        return [{"method": run, **row, "run": run, "seed": seed} for row in THEORY_ROWS[name]]
    if name == "figure2":
        return curve(run, seed) + curve(run, seed, run.replace("without", "with"))
    return curve(run, seed, **({"placed": 20} if "-table" in name or "regrouped" in name else {}))


def add(folder, name, runs=None, n_seeds=2):
    rows = RowFile(folder / f"{name}.csv")
    for run in runs or EXPERIMENTS[name].runs:
        for seed in range(n_seeds):
            rows.append([{**row, "versions": "1"} for row in replication(name, run, seed)])


def drawn_methods(figure):
    (legend,) = figure.legends
    return {text.get_text() for text in legend.get_texts()} - {"hollow: the paper's value"}


def linked(folder):
    """The pictures that the page of these rows shows."""
    write_report(folder, folder / "page.md", images="images/reproduction")
    return re.findall(r"!\[.+?\]\(images/reproduction/(.+?)\.png\)", (folder / "page.md").read_text("utf-8"))


def test_without_rows_there_is_figure1_alone(tmp_path):
    assert [name for name, _ in draw_pictures(tmp_path)] == ["figure1"] == linked(tmp_path)


def test_the_page_shows_every_picture_once_and_no_other(tmp_path):
    for name in EXPERIMENTS:
        add(tmp_path, name, EXPERIMENTS[name].runs[:2], n_seeds=1)
    names = [name for name, _ in draw_pictures(tmp_path)]
    assert sorted(linked(tmp_path)) == sorted(names)
    tables = [name for name in EXPERIMENTS if name.startswith("table")]
    assert set(names) == {*tables, "figure1", "figure2", "figure3", "figure4", "theory", "theorem1"}


@pytest.mark.parametrize(
    "name",
    [
        *("table2-unmixed", "table3-released", "figure2", "figure3-meu", "figure4", "theory", "theorem1"),
        *("speed", "loop", "strategies-table1", "rivals-table1", "regrouped-meu"),
    ],
)
def test_a_picture_is_there_if_its_rows_are(tmp_path, name):
    add(tmp_path, name, n_seeds=1)
    found = [name for name, _ in draw_pictures(tmp_path)]
    plain = ("speed", "loop", "strategies-table1", "rivals-table1", "regrouped-meu")
    own = [] if name in plain else ["figure3" if name == "figure3-meu" else name]
    assert found == ["figure1", *own]
    assert sorted(linked(tmp_path)) == sorted(found)


def test_curves_are_of_the_papers_methods_and_of_what_they_are_held_against(tmp_path):
    everything = (*EXPERIMENTS["table1"].runs, *EXPERIMENTS["table1"].extras)
    for name in ("table1", "figure3-cancer"):
        add(tmp_path, name, (*everything, "AQM + MEE (no penalty)"), n_seeds=1)
    pictures = dict(draw_pictures(tmp_path))
    forms = {"AQM + MEE (as printed)", "AQM + MEE (as released)", "Ensemble"}
    expected = {*RIVALS, *PROPOSED, "COBRA", *forms}
    assert drawn_methods(pictures["table1"]) == drawn_methods(pictures["figure3"]) == expected
    assert len(expected) == 10


def test_variants_are_drawn_if_there_is_nothing_else(tmp_path):
    add(tmp_path, "figure3-cancer", ["COBRAS (raw)"])
    add(tmp_path, "figure3-urban", ["COBRAS", "COBRAS (raw)"])
    figure = dict(draw_pictures(tmp_path))["figure3"]
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Breast cancer", "Urban land cover"]
    assert [len(axes.lines) for axes in figure.axes] == [1, 1]
    assert drawn_methods(figure) == {"COBRAS (raw)", "COBRAS"}
