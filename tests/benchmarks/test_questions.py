"""The comparison beyond the paper: runs under other conditions, and the page that their rows make."""

import numpy as np
import pandas as pd
import pytest

from reproduction import questions_report
from reproduction.questions import CONDITIONS, DEFAULT, RUNS, SETTINGS, VARIANTS, Setting, run_under
from reproduction.registry import EXPERIMENTS
from reproduction.rows import RowFile
from sameornot.datasets import make_gaussian


def tiny(seed, _):
    return make_gaussian(n_samples=40, n_relevant=3, separation=4.0, random_state=seed)


SETTING = Setting("tiny", tiny, 3, budget=30)
CHEAP = [
    DEFAULT,
    "Ensemble (10 % wrong)",
    "Ensemble (20 % unsure)",
    "Ensemble (number not given)",
    "Ensemble (ten at a time)",
]


@pytest.mark.slow
@pytest.mark.parametrize("run", [*CHEAP, "COBRAS", "Ensemble without extra_trees"])
def test_each_run_has_a_row_for_each_checkpoint_and_asks_no_more_than_that(run):
    rows = pd.DataFrame(run_under(SETTING, run, 0, None))
    assert rows.checkpoint.tolist() == list(range(0, 31, 2))
    assert (rows.asked <= rows.checkpoint).all()
    assert rows.ari.between(-1, 1).all()
    assert rows.right.between(0, 1).all()
    assert rows.low.notna().all() == (DEFAULT in run)


@pytest.mark.slow
def test_a_seed_gives_the_same_rows_again():
    first, again = (pd.DataFrame(run_under(SETTING, "Ensemble (10 % wrong)", 3, None)) for _ in range(2))
    pd.testing.assert_frame_equal(first.drop(columns="seconds"), again.drop(columns="seconds"))


def test_the_eleven_tables_are_experiments_with_every_rival():
    assert len(SETTINGS) == 11
    for name in SETTINGS:
        assert EXPERIMENTS[f"questions-{name}"].runs == tuple(RUNS)
        assert SETTINGS[name].checkpoints[-1] == SETTINGS[name].budget
    assert set(CONDITIONS) == {*RUNS, *VARIANTS}


def rows_of(run, seed, level):
    return [
        {
            **{
                "run": run,
                "seed": seed,
                "method": run,
                "checkpoint": q,
                "asked": q,
                "nmi": 1.0,
                "seconds": 1.0,
            },
            **{"ari": min(1.0, level + q / 1000), "groups": 5, "versions": "none"},
            **{"right": 0.8, "estimate": 0.8, "low": 0.7, "high": 0.9 if q < 200 else 0.75},
        }
        for q in SETTINGS["table1"].checkpoints
    ]


def test_the_page_says_what_the_rows_say(tmp_path):
    file = RowFile(tmp_path / "questions-table1.csv")
    for seed in range(2):
        file.append(rows_of(DEFAULT, seed, 0.75))
        file.append(rows_of("AQM + MEE (last asked)", seed, 0.6))
        file.append(rows_of("Ensemble without extra_trees", seed, 0.7))
        file.append(rows_of("Ensemble (ten at a time)", seed, 0.74))
    questions_report.write_page(tmp_path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    ours = np.trapezoid(np.minimum(1.0, 0.75 + np.arange(0, 301, 20) / 1000), dx=20) / 300
    theirs = np.trapezoid(np.minimum(1.0, 0.6 + np.arange(0, 301, 20) / 1000), dx=20) / 300
    assert f"**.{round(1000 * ours)}** (2)" in text
    assert f"{ours / theirs - 1:+.0%} on average over 1 tables" in text
    assert "0.53 of the best rival's" in text  # 160 questions for 300
    without = np.trapezoid(np.minimum(1.0, 0.7 + np.arange(0, 301, 20) / 1000), dx=20) / 300
    assert f"Table 1 {without - ours:+.3f}" in text
    assert "| 60%            |" in text  # of 15 checkpoints, nine are before 200


def test_without_rows_the_page_still_describes_the_method(tmp_path):
    questions_report.write_page(tmp_path, tmp_path / "page.md")
    assert (tmp_path / "page.md").read_text("utf-8").startswith("# How many questions the default needs")
