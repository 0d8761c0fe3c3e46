"""Pictures of the report: their data, and drawings that a page can hold."""

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
    draw_moves,
    draw_report_map,
    group_paint,
    inline_svg,
    spread,
    sureness,
    swatch,
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
def test_spreads_lie_on_the_axis_in_order(values, members):
    found = spread(values, members)
    known = np.isfinite(values)
    assert (found is None) == (not (known & members).any() or not (known & ~members).any())
    if found is not None:
        for marks in (found.inside, found.outside):
            assert 0.0 <= marks[0] <= marks[1] <= marks[2] <= 1.0


def test_spread_of_a_column_by_hand():
    values = np.arange(101.0)
    found = spread(values, values <= 50)
    assert found.inside == pytest.approx(((5 - 1) / 98, (25 - 1) / 98, (45 - 1) / 98))


@given(arrays(float, st.integers(0, 30), elements=st.floats(0, 1)))
def test_every_row_is_in_one_bar(confidence):
    assert sum(sureness(confidence)) == len(confidence)


def test_the_sure_are_on_the_right():
    assert sureness(np.array([0.05, 0.95, 1.0])) == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)


def test_63_groups_look_different():
    assert len({(group_paint(n), swatch(n)) for n in range(1, 64)}) == 63


def test_a_map_has_a_mark_for_every_row_in_the_paint_of_its_group():
    drawn = inline_svg(draw_report_map(map_of(30), [4, 2, 6]), "map")
    assert drawn.count("<use") == 30
    for number in (4, 2, 6):
        assert drawn.count(f"fill: {group_paint(number)}") == 10
    assert not any(colour.lower() in drawn for colour in COLOURS)


def test_a_map_of_many_rows_holds_an_image_instead_of_marks():
    drawn = inline_svg(draw_report_map(map_of(MAX_VECTOR_POINTS + 1), [1, 2, 3]), "map")
    assert "data:image/png;base64," in drawn
    assert len(drawn) < 200_000


def test_a_drawing_names_nothing_outside_and_keeps_its_ids_to_itself():
    first = inline_svg(draw_report_map(map_of(30), [1, 2, 3]), "first")
    second = inline_svg(draw_report_map(map_of(30), [1, 2, 3]), "second")
    assert "http" not in first
    assert "<style" not in first
    ids = [re.findall(r' id="([^"]+)"', drawn) for drawn in (first, second)]
    assert ids[0]
    assert not set(ids[0]) & set(ids[1])


def test_moves_of_any_number_can_be_drawn():
    for moves in ([(10, 0.0)], [(10, 1.0), (11, 0.0)], [(n, 0.02) for n in range(10, 71)]):
        assert inline_svg(draw_moves(moves), "moves").endswith("</svg>\n")


@pytest.mark.parametrize("n_moves", [1, 2, 3, 61])
def test_answers_are_counted_in_whole_numbers(n_moves):
    axes = draw_moves([(n, 0.1) for n in range(10, 10 + n_moves)]).axes[0]
    assert all(float(tick).is_integer() for tick in axes.get_xticks())
