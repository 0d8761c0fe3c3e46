"""The picture of Theorem 1 shows the means of the rows and the bounds, once for every setting."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from reproduction.bounds import excess
from reproduction.plots.style import save_png
from reproduction.plots.theorem1 import BOUNDS, draw_theorem1, error_panels
from reproduction.theorem1 import METHODS, SETTINGS


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        [
            {"run": run, "seed": seed, "method": method, "answers": count, "different": 0.8}
            | {name: rng.random() for name in ("error", "empirical", "best_error", "best_empirical")}
            for run in SETTINGS
            for seed in range(4)
            for method in METHODS
            for count in (60, 300, 1200)
        ]
    )


def test_curves_are_the_means_of_their_rows(rows):
    panel = error_panels(rows)[1]
    (curve,) = (c for c in panel.curves if (c.method, c.limit) == ("without augmentation", "limit 1"))
    its = rows[(rows.run == "opposite") & (rows.method == "without augmentation")]
    table = its.pivot(index="seed", columns="answers", values="error").to_numpy()
    assert curve.answers == (60, 300, 1200)
    np.testing.assert_allclose(curve.mean, table.mean(axis=0))
    np.testing.assert_allclose(curve.error, table.std(axis=0, ddof=1) / 2)
    assert (panel.constant, panel.n_pairs, panel.n_replications) == (pytest.approx(0.2), 44850, 4)


def test_bounds_are_added_to_the_share_of_wrong_answers(rows):
    panel = error_panels(rows)[1]
    (bound,) = (b for b in panel.bounds if b.bound == "as printed")
    its = rows[(rows.run == "opposite") & (rows.method == "with augmentation")]
    wrong = its[its.answers == 60].best_empirical.mean()
    assert bound.answers[0] == pytest.approx(60)
    assert bound.answers[-1] == pytest.approx(12_000)
    assert bound.value[0] == pytest.approx(wrong + excess(60, 36))
    assert [b.bound for b in panel.bounds] == list(BOUNDS)


def test_plot_data_holds_plain_values_only(rows):
    def leaves(value):
        if isinstance(value, dict | tuple):
            for item in value.values() if isinstance(value, dict) else value:
                yield from leaves(item)
        else:
            yield type(value)

    found = [dataclasses.asdict(panel) for panel in error_panels(rows)]
    assert {kind for panel in found for kind in leaves(panel)} == {int, float, str}


def test_every_setting_has_its_panel_and_the_legend_stands_once(rows):
    figure = draw_theorem1(rows)
    assert len(figure.axes) == len(SETTINGS)
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 2 * len(METHODS) + len(BOUNDS) + 2
    figure.draw_without_rendering()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_one_seed_of_one_setting_draws(rows, tmp_path):
    save_png(draw_theorem1(rows[(rows.seed == 0) & (rows.run == "gaussian")]), tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 0
