"""Figures of the report: their data, and drawings that a page can embed."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sameornot.plots import LearnedMap
from sameornot.plots.draw import COLOURS
from sameornot.plots.report import (
    MAX_VECTOR_POINTS,
    confidence_histogram,
    draw_churn,
    draw_report_map,
    group_colour,
    inline_svg,
    marker_polygon,
    value_ranges,
)


def map_of(n_rows):
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, n_rows)).tolist()
    placed = (np.arange(n_rows) % 10 == 0).tolist()
    group = (np.arange(n_rows) % 3).tolist()
    return LearnedMap(tuple(x), tuple(y), tuple(group), tuple(placed), (0.6, 0.3))


@given(
    arrays(float, 12, elements=st.floats(-1e6, 1e6) | st.just(np.nan)),
    arrays(bool, 12),
)
def test_ranges_are_ordered_positions_on_the_axis(values, members):
    found = value_ranges(values, members)
    known = np.isfinite(values)
    assert (found is None) == (not (known & members).any() or not (known & ~members).any())
    if found is not None:
        for marks in (found.inside, found.outside):
            assert 0.0 <= marks[0] <= marks[1] <= marks[2] <= 1.0


def test_ranges_of_a_column_worked_by_hand():
    values = np.arange(101.0)
    found = value_ranges(values, values <= 50)
    assert found.inside == pytest.approx(((5 - 1) / 98, (25 - 1) / 98, (45 - 1) / 98))


@given(arrays(float, st.integers(0, 30), elements=st.floats(0, 1)))
def test_each_row_is_in_one_bin(confidence):
    assert sum(confidence_histogram(confidence)) == len(confidence)


def test_high_confidence_is_in_the_last_bin():
    assert confidence_histogram(np.array([0.05, 0.95, 1.0])) == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)


def test_63_groups_have_different_colours_or_markers():
    assert len({(group_colour(n), marker_polygon(n)) for n in range(1, 64)}) == 63


def test_map_has_a_marker_for_each_row_in_the_colour_of_its_group():
    drawn = inline_svg(draw_report_map(map_of(30), [4, 2, 6]), "map")
    assert drawn.count("<use") == 30
    for number in (4, 2, 6):
        assert drawn.count(f"fill: {group_colour(number)}") == 10
    assert not any(colour.lower() in drawn for colour in COLOURS)


def test_map_of_many_rows_has_an_image_instead_of_markers():
    drawn = inline_svg(draw_report_map(map_of(MAX_VECTOR_POINTS + 1), [1, 2, 3]), "map")
    assert "data:image/png;base64," in drawn
    assert len(drawn) < 200_000


def test_drawing_is_self_contained_and_its_ids_are_unique():
    first = inline_svg(draw_report_map(map_of(30), [1, 2, 3]), "first")
    second = inline_svg(draw_report_map(map_of(30), [1, 2, 3]), "second")
    assert "http" not in first
    assert "<style" not in first
    ids = [re.findall(r' id="([^"]+)"', drawn) for drawn in (first, second)]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])


def test_churn_of_any_length_can_be_drawn():
    for moves in ([(10, 0.0)], [(10, 1.0), (11, 0.0)], [(n, 0.02) for n in range(10, 71)]):
        assert inline_svg(draw_churn(moves), "moves").endswith("</svg>\n")


@pytest.mark.parametrize("n_moves", [1, 2, 3, 61])
def test_axis_of_answers_has_integer_ticks(n_moves):
    axes = draw_churn([(n, 0.1) for n in range(10, 10 + n_moves)]).axes[0]
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
