"""The picture of the theorems shows the means of the rows, and every panel once."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from reproduction.plots.style import save_png
from reproduction.plots.theory import NAMES, STYLES, draw_theory, theory_picture
from reproduction.theory_rows import theory_rows

SEEDS = range(4)


@pytest.fixture(scope="module")
def rows():
    settings = {"n_points": 5, "separations": [1.0, 2.5]}
    return pd.DataFrame([row for seed in SEEDS for row in theory_rows(seed, **settings)])


@pytest.fixture(scope="module")
def picture(rows):
    return theory_picture(rows)


@pytest.fixture(scope="module")
def figure(rows):
    return draw_theory(rows)


def select(rows, **values):
    for name, value in values.items():
        rows = rows[rows[name] == value]
    return rows


def test_curves_are_the_means_of_their_rows(rows, picture):
    (panel,) = (p for p in picture.panels if (p.n_clusters, p.separation) == (3, 2.5))
    assert (panel.n_points, picture.n_problems) == (5, len(SEEDS))
    for curve in panel.curves:
        its = select(
            rows,
            experiment="theorem3",
            method=curve.method,
            n_clusters=3,
            separation=2.5,
            strength=np.inf,
            neighbourhood_size=0,
        )
        table = its.pivot(index="seed", columns="questions", values="kl").to_numpy()
        assert curve.questions == tuple(range(11))
        np.testing.assert_allclose(curve.mean, table.mean(axis=0))
        np.testing.assert_allclose(curve.error, table.std(axis=0, ddof=1) / np.sqrt(len(SEEDS)))


def test_gains_are_what_a_random_choice_loses_against_the_active_one(rows, picture):
    (step,) = (s for s in picture.steps if (s.n_clusters, s.separation) == (2, 1.0))
    its = select(
        rows, experiment="theorem2", n_clusters=2, separation=1.0, strength=np.inf, neighbourhood_size=1
    )
    by_chance, by_choice = (select(its, method=method).kl.to_numpy() for method in ("random", "active"))
    assert step.gains == pytest.approx(by_chance - by_choice)
    assert step.holds == pytest.approx(its.holds.mean())


def test_another_strength_and_start_show_other_rows(rows, picture):
    other = theory_picture(rows, strength=1.0, start=1)
    assert len(other.panels) == len(picture.panels) == 4
    assert other.panels[0] != picture.panels[0]
    assert other.steps[0] != picture.steps[0]


def test_plot_data_holds_plain_values_only(picture):
    def leaves(value):
        if isinstance(value, dict | tuple):
            for item in value.values() if isinstance(value, dict) else value:
                yield from leaves(item)
        else:
            yield type(value)

    assert set(leaves(dataclasses.asdict(picture))) == {int, float, str}


def test_every_kind_of_problem_has_its_panel_and_the_legend_stands_once(figure, picture):
    assert len(figure.axes) == len(picture.panels) + 1
    (legend,) = figure.legends
    named = {text.get_text() for text in legend.get_texts()}
    assert set(NAMES.values()) < named
    assert not any(axes.get_legend() for axes in figure.axes)
    assert all(axes.get_ylabel() for axes in figure.axes)


def test_drawn_lines_are_those_of_the_data(figure, picture):
    axes = figure.axes[0]
    drawn = [tuple(line.get_ydata()) for line in axes.lines]
    assert drawn == [curve.mean for curve in picture.panels[0].curves]
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.lines}) == len(STYLES)


def test_one_problem_draws_without_a_spread(rows, tmp_path):
    save_png(draw_theory(rows[rows.seed == 0]), tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 0


def test_panels_do_not_overlap(figure):
    figure.draw_without_rendering()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
