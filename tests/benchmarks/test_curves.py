"""The pictures of the paper's figures show the means of the rows, one look a method, nothing cut off."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest

from reproduction import paper
from reproduction.columns import PROPOSED, RIVALS
from reproduction.experiments import EXPERIMENTS
from reproduction.plots.curves import draw_curves, mean_curves, paper_points
from reproduction.plots.figures import (
    KINDS,
    augmentation_panels,
    draw_figure1,
    draw_figure2,
    draw_figure4,
    selection_bars,
    weight_panels,
)
from reproduction.plots.style import LOOKS, look_of, save_png
from sameornot.datasets import make_gaussian

RIVALS_AND_PROPOSED = (*RIVALS, *PROPOSED, "COBRA")
EXTRAS = (
    "AQM + MEE (automatic λ and q)",
    "AQM + MEE (no penalty)",
    *(run for run in EXPERIMENTS["table1"].runs if run not in RIVALS_AND_PROPOSED),
    *EXPERIMENTS["table1"].extras,
)


def curve_rows(methods=RIVALS_AND_PROPOSED, n_seeds=4, checkpoints=paper.QUESTIONS):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "run": method,
            "seed": seed,
            "method": method,
            "checkpoint": checkpoint,
            "asked": 2 * checkpoint + seed if method == "COBRA" else checkpoint,
            "ari": rng.uniform(),
        }
        for method in methods
        for seed in range(n_seeds)
        for checkpoint in checkpoints
    )


def pair_rows(kinds=KINDS, n_seeds=5):
    ways = ("with augmentation", "without augmentation")
    methods = [f"{kind} {way}" for kind in kinds for way in ways]
    return curve_rows(methods, n_seeds, checkpoints=range(10, 101, 10))


WEIGHED = ("MPCKMeans + NPU", "AQM + MEE")
FORMS = (*WEIGHED, "AQM + MEE (as printed)", "AQM + MEE (as released)", "MPCKMeans + NPU (as released)")


def weight_rows(methods=WEIGHED, names=("Area", "NDVI", "Round", "NDVI_40"), size=2, reference=True):
    rng = np.random.default_rng(0)
    values = [
        {"K-means, all": 0.4, "K-means, top three": 0.3, "K-means, top group": 0.35}
        | {"K-means, all, raw": 0.1 * seed, "size of top group": size + seed}
        | {f"weight of {m + 1} {name}": rng.uniform() for m, name in enumerate(names)}
        for seed in range(2)
    ]
    plain = {"K-means, all": 0.4, "K-means, NDVI, raw": 0.29, "K-means, random": 0.36}
    runs = dict.fromkeys(methods, tuple(values)) | ({"K-means": [plain, plain]} if reference else {})
    return pd.DataFrame(
        {"run": method, "seed": seed, "method": method, "item": item, "value": value}
        for method, by_seed in runs.items()
        for seed in range(2)
        for item, value in by_seed[seed].items()
    )


def land_cover_names():
    return [f"{name}_{scale}" for scale in range(7) for name in ("NDVI", *(f"SD_NIR{k}" for k in range(20)))]


FIGURES = {
    "figure 1": lambda: draw_figure1(*make_gaussian(n_relevant=3, n_irrelevant=3, random_state=0)),
    "figure 2": lambda: draw_figure2(pair_rows()),
    "figure 2, one objective": lambda: draw_figure2(pair_rows(kinds=["separable"])),
    "one panel": lambda: draw_curves({EXPERIMENTS["table2"].title: curve_rows()}),
    "one panel, all": lambda: draw_curves({"A": curve_rows(RIVALS_AND_PROPOSED + EXTRAS)}, paper={"A": {}}),
    "three panels": lambda: draw_curves(
        {EXPERIMENTS[name].title: curve_rows() for name in ("table1", "table2", "table3")},
        paper={EXPERIMENTS["table2"].title: paper_points("table2")},
    ),
    "five panels": lambda: draw_curves({f"{'long title ' * 9}{k}": curve_rows() for k in range(5)}),
    "figure 4": lambda: draw_figure4(weight_rows(names=land_cover_names(), size=28)),
    "figure 4, large group": lambda: draw_figure4(weight_rows(names=land_cover_names()[:30], size=29)),
    "figure 4, one method": lambda: draw_figure4(weight_rows(["AQM + MEE"])),
    "figure 4, every form": lambda: draw_figure4(weight_rows(FORMS, names=land_cover_names(), size=28)),
    "figure 4, no method": lambda: draw_figure4(weight_rows([])),
    "figure 4, no reference": lambda: draw_figure4(weight_rows(reference=False)),
}


@pytest.fixture(scope="module", params=FIGURES)
def figure(request):
    figure = FIGURES[request.param]()
    figure.draw_without_rendering()
    return figure


def overlaps(boxes):
    return [(i, j) for i, a in enumerate(boxes) for j, b in enumerate(boxes[:i]) if a.overlaps(b)]


def test_nothing_is_cut_off(figure):
    width, height = figure.get_size_inches() * figure.dpi
    boxes = [part.get_tightbbox() for part in (*figure.axes, *figure.legends)]
    assert all(0 <= box.x0 < box.x1 <= width and 0 <= box.y0 < box.y1 <= height for box in boxes)


def test_panels_and_legend_do_not_overlap(figure):
    assert overlaps([part.get_tightbbox() for part in (*figure.axes, *figure.legends)]) == []


def test_labels_of_the_ticks_do_not_overlap(figure):
    for axes in figure.axes:
        shown = [label for label in axes.get_xticklabels() if label.get_text()]
        assert overlaps([label.get_window_extent() for label in shown]) == []


def test_what_is_written_in_a_panel_does_not_overlap(figure):
    for axes in figure.axes:
        legend = [axes.get_legend()] if axes.get_legend() else []
        written = [part for part in axes.texts if part.get_text()] + legend
        assert overlaps([part.get_window_extent() for part in written]) == []


def test_drawing_again_gives_the_same_bytes_and_leaves_no_figure_behind():
    from matplotlib import _pylab_helpers

    first, again = io.BytesIO(), io.BytesIO()
    for file in (first, again):
        save_png(FIGURES["one panel"](), file)
    assert first.getvalue() == again.getvalue()
    assert _pylab_helpers.Gcf.get_all_fig_managers() == []


def test_curves_are_means_and_standard_errors_over_seeds():
    rows = curve_rows()
    for curve in mean_curves(rows):
        table = rows[rows.method == curve.method].pivot(index="seed", columns="checkpoint", values="ari")
        np.testing.assert_allclose(curve.mean, table.mean())
        np.testing.assert_allclose(curve.error, table.std(ddof=1) / np.sqrt(4))
        assert curve.n_replications == 4


def test_cobra_stands_at_the_questions_it_took_and_others_at_those_allowed():
    found = {curve.method: curve.questions for curve in mean_curves(curve_rows())}
    assert found.pop("COBRA") == tuple(2 * n + 1.5 for n in paper.QUESTIONS)
    assert set(found.values()) == {paper.QUESTIONS}


def test_one_replication_has_a_curve_without_spread():
    assert all(set(curve.error) == {0.0} for curve in mean_curves(curve_rows(n_seeds=1)))


def test_the_papers_method_comes_first_and_each_variant_behind_its_method():
    methods = [curve.method for curve in mean_curves(curve_rows((*EXTRAS[::-1], *RIVALS_AND_PROPOSED)))]
    assert methods[:3] == ["Ensemble", "AQM + MEE", "AQM + MEE (as printed)"]
    assert [method for method in methods if method in LOOKS] == [m for m in LOOKS if m in methods]
    assert methods.index("COBRAS (raw)") == methods.index("COBRAS") + 1


def test_no_two_methods_look_alike_and_the_papers_is_strongest():
    methods = RIVALS_AND_PROPOSED + EXTRAS
    looks = [look_of(method) for method in methods]
    assert len(set(looks)) == len(methods)
    assert max(zip(looks, methods, strict=True), key=lambda pair: pair[0].width)[1] == "AQM + MEE"


def test_a_variant_keeps_the_colour_of_its_method_and_is_dashed():
    raw, plain = look_of("COBRAS (raw)"), look_of("COBRAS")
    assert (raw.colour, raw.marker) == (plain.colour, plain.marker)
    assert (raw.dash, plain.dash) == ("--", "-")


def test_a_method_nobody_knows_is_drawn_too():
    assert [curve.method for curve in mean_curves(curve_rows(["something new", "COBRA"]))][
        -1
    ] == "something new"
    draw_curves({"A": curve_rows(["something new"])}).draw_without_rendering()


def test_drawn_lines_are_the_curves_in_the_same_colour_in_every_panel():
    panels = {"A": curve_rows(), "B": curve_rows(RIVALS_AND_PROPOSED[::-1])}
    for axes, rows in zip(draw_curves(panels).axes, panels.values(), strict=True):
        drawn = {
            line.get_color(): tuple(line.get_ydata()) for line in axes.lines if line.get_linestyle() != "None"
        }
        curves = [curve for curve in mean_curves(rows) if curve.method != "COBRA"]
        assert drawn == {look_of(curve.method).colour: curve.mean for curve in curves}


def test_only_the_methods_asked_for_are_drawn_and_named():
    figure = draw_curves({"A": curve_rows()}, methods=["COBRAS", "AQM + MEE", "not run yet"])
    assert len(figure.axes[0].lines) == 2
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["AQM + MEE", "COBRAS"]


def test_the_legend_says_how_many_replications_there_are():
    rows = curve_rows(n_seeds=3)
    some = rows[(rows.method == "AQM + MEE") | (rows.seed < 2)]
    titles = [draw_curves({"A": r}).legends[0].get_title().get_text() for r in (rows, some)]
    assert titles[0].startswith("mean of 3 replications")
    assert titles[1].startswith("mean of 2 to 3 replications")


def test_the_papers_values_are_hollow_and_only_of_what_is_drawn():
    figure = draw_curves({"A": curve_rows()}, methods=["AQM + MEE"], paper={"A": paper_points("table1")})
    (hollow,) = (line for line in figure.axes[0].lines if line.get_markerfacecolor() == "none")
    assert hollow.get_ydata().tolist() == [0.474, 0.63, 0.725, 0.845, 0.921]
    assert [text.get_text() for text in figure.legends[0].get_texts()][-1] == "hollow: the paper's value"


def test_the_papers_points_are_those_of_its_tables():
    points = paper_points("table2")
    assert set(points) == {*paper.TABLES["table2"], "COBRA"}
    assert points["COBRA"][0] == (28.633, 0.076)
    assert paper_points("figure3-urban") == {}
    assert paper_points("table1-unmixed") == paper_points("table1")


def test_a_panel_without_rows_is_named():
    none_yet = pd.DataFrame(columns=["run", "seed"])
    with pytest.raises(ValueError, match=r"the panel 'B' has no rows of any method"):
        draw_curves({"A": curve_rows(), "B": none_yet})
    with pytest.raises(ValueError, match=r"the panel 'A' has no rows of \['FOSC'\]"):
        draw_curves({"A": curve_rows()}, methods=["FOSC"])
    with pytest.raises(ValueError, match="no panel was given"):
        draw_curves({})


@pytest.mark.parametrize(("draw", "name"), [(draw_figure2, "Figure 2"), (draw_figure4, "Figure 4")])
def test_a_figure_without_rows_is_named(draw, name):
    with pytest.raises(ValueError, match=f"no rows to draw {name} from"):
        draw(pd.DataFrame(columns=["run", "seed"]))


def test_figure1_shows_every_point_on_both_sides():
    X, y = make_gaussian(n_relevant=3, n_irrelevant=3, random_state=0)
    for axes, side in zip(draw_figure1(X, y).axes, (X[:, :3], X[:, 3:]), strict=True):
        drawn = [np.column_stack(cloud._offsets3d) for cloud in axes.collections]
        np.testing.assert_allclose(np.concatenate(drawn), side[np.argsort(y, kind="stable")])


def test_figure1_names_features_that_are_too_few():
    with pytest.raises(ValueError, match=r"X has shape \(60, 5\)"):
        draw_figure1(np.zeros((60, 5)), np.zeros(60))


def test_figure2_boxes_hold_the_replications_of_either_way():
    rows = pair_rows()
    for kind, panel in zip(KINDS, augmentation_panels(rows), strict=True):
        assert panel.n_pairs == tuple(range(10, 101, 10))
        for way, boxes in panel.agreement.items():
            its = rows[rows.method == f"{kind} {way}"]
            table = its.pivot(index="seed", columns="checkpoint", values="ari")
            np.testing.assert_array_equal(np.array(boxes).T, table)


def test_figure2_medians_are_drawn_side_by_side():
    rows = pair_rows(kinds=["exact"])
    (axes,) = draw_figure2(rows).axes
    medians = {
        float(np.mean(line.get_xdata())): line.get_ydata()[0]
        for line in axes.lines
        if line.get_linewidth() == 1.8
    }
    drawn = np.array([medians[place] for place in sorted(medians)]).reshape(10, 2)
    expected = rows.groupby(["checkpoint", "method"]).ari.median().unstack()
    columns = ["exact without augmentation", "exact with augmentation"]
    np.testing.assert_allclose(drawn, expected[columns])


def test_figure4_features_come_heaviest_first_on_average_with_the_papers_method_above():
    rows = weight_rows()
    mean = rows.groupby(["method", "item"]).value.mean()
    panels = weight_panels(rows)
    assert [panel.method for panel in panels] == ["AQM + MEE", "MPCKMeans + NPU"]
    for panel in panels:
        assert list(panel.weights) == sorted(panel.weights, reverse=True)
        assert [mean[panel.method, f"weight of {name}"] for name in panel.features] == list(panel.weights)
        assert [name for name, mark in zip(panel.features, panel.marked, strict=True) if mark] == [
            name for name in panel.features if "NDVI" in name
        ]
        assert panel.top_group == 2.5


def test_figure4_bars_are_means_beside_the_papers_numbers():
    bars = selection_bars(weight_rows())
    reference = {"all, raw": 0.05, "all, scaled": 0.4, "19, 40, 61, raw": 0.29, "28 at random": 0.36}
    assert [bar.features for bar in bars] == [*reference, "top three", "top group"]
    assert [bar.mean["K-means"] for bar in bars[:4]] == pytest.approx(list(reference.values()))
    assert [bar.mean["AQM + MEE"] for bar in bars[4:]] == pytest.approx([0.3, 0.35])
    assert [bar.paper for bar in bars] == [0.03, 0.03, 0.29, 0.34, 0.29, 0.34]


def test_figure4_draws_every_weight_and_names_the_three_heaviest():
    rows = weight_rows(names=land_cover_names())
    top, below, _ = draw_figure4(rows).axes
    for axes, panel in zip((top, below), weight_panels(rows), strict=True):
        heights = [bar.get_height() for bar in sorted(axes.patches, key=lambda bar: bar.get_x())]
        assert heights == pytest.approx(panel.weights)
        assert ", ".join(panel.features[:3]) in axes.texts[0].get_text()


def test_plot_data_holds_plain_values_only():
    def leaves(value):
        if isinstance(value, dict | tuple | list):
            for item in value.values() if isinstance(value, dict) else value:
                yield from leaves(item)
        else:
            yield type(value)

    rows = weight_rows()
    shown = (*mean_curves(curve_rows()), *augmentation_panels(pair_rows()), *weight_panels(rows))
    assert set(leaves([dataclasses.asdict(part) for part in (*shown, *selection_bars(rows))])) == {
        bool,
        float,
        int,
        str,
    }
