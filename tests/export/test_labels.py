"""Labels and answers as tables, and as CSV in which a spreadsheet finds no formulas."""

import csv
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_snapshots import cancer_snapshot, mixed_snapshot

from sameornot.export import Model, answers_table, labels_table, write_csv


@pytest.fixture(scope="module")
def whole():
    return mixed_snapshot()


@pytest.fixture(scope="module")
def pooled():
    return cancer_snapshot(n_answers=20, every=5)


def placed_in(snapshot):
    return {
        int(row): snapshot.groups[m]
        for m, members in enumerate(snapshot.result.neighbourhoods)
        for row in members
    }


def test_rows_placed_by_answers_are_the_experts_with_full_confidence(pooled):
    labels = labels_table(pooled).set_index("row")
    placed = placed_in(pooled)
    by_expert = labels[labels["placed_by"] == "expert"]
    assert placed
    assert set(by_expert.index) == {row + 1 for row in placed}
    assert (by_expert["confidence"] == 1.0).all()
    for row, group in placed.items():
        assert tuple(labels.loc[row + 1, ["group", "name"]]) == (group.number, group.name)


def test_rows_of_the_pool_have_the_groups_of_the_session(whole):
    labels = labels_table(whole)
    assert labels["group"].tolist() == [whole.groups[m].number for m in whole.result.labels]
    np.testing.assert_array_equal(labels["confidence"], whole.result.confidence)


def test_rows_outside_the_pool_are_labelled_by_the_model_whatever_the_blocks(pooled):
    pooled = replace(pooled, table=replace(pooled.table, block_rows=37))
    outside = np.setdiff1d(np.arange(len(pooled.table)), pooled.pool)
    labels = labels_table(pooled).iloc[outside]
    expected = Model.from_snapshot(pooled).assign(pooled.table.take(outside))
    assert set(labels["placed_by"]) == {"model"}
    assert labels["group"].tolist() == expected["group"].tolist()
    np.testing.assert_allclose(labels["confidence"], expected["confidence"], rtol=1e-12)


def test_labels_hold_each_row_once_in_order(pooled):
    labels = labels_table(pooled)
    assert list(labels.columns) == ["id", "row", "group", "name", "confidence", "placed_by"]
    assert labels["row"].tolist() == list(range(1, 570))
    assert labels["id"].tolist() == [f"row {row}" for row in range(1, 570)]


def test_answers_are_those_of_the_session(pooled):
    answers = answers_table(pooled)
    assert answers["n"].tolist() == list(range(1, 21))
    assert answers["answer"].tolist() == [said.answer for said in pooled.answers]
    assert answers["left"].tolist() == [f"row {said.left + 1}" for said in pooled.answers]
    assert answers["right_row"].tolist() == [said.right + 1 for said in pooled.answers]
    assert answers["at"].iat[1] == "2025-03-04T09:30:07+00:00"


def test_a_session_without_answers_has_tables_too():
    snapshot = mixed_snapshot(n_answers=0, clusters=None, names=())
    assert len(answers_table(snapshot)) == 0
    assert write_csv(answers_table(snapshot)).startswith("n,left,")
    assert set(labels_table(snapshot)["placed_by"]) == {"model"}


def cells_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    "cell",
    ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "-inf", "=", "-", "+49 170", '="a,b"\n'],
)
def test_cell_that_looks_like_a_formula_stays_text(cell):
    frame = pd.DataFrame({"id": [cell]})
    assert cells_of(write_csv(frame))[1] == ["'" + cell]


@pytest.mark.parametrize("cell", ["-5", "+3.5", "-1e-3", ".5", "plain", "a=b", "", "'quoted", "<b>", "患者"])
def test_other_cells_are_written_unchanged(cell):
    frame = pd.DataFrame({"id": [cell], "second": ["x"]})
    assert cells_of(write_csv(frame))[1] == [cell, "x"]


def test_numbers_are_written_unchanged():
    frame = pd.DataFrame({"a": [-1.5, np.nan], "b": [-2, 3], "c": [True, False]})
    assert write_csv(frame) == "a,b,c\r\n-1.5,-2,True\r\n,3,False\r\n"


@pytest.mark.parametrize("cell", ["x;=1+1", "x\t=1+1", "a; @b", "a|-2+3", "a;'=1"])
def test_formula_behind_another_separator_stays_inside_of_quotation_marks(cell):
    frame = pd.DataFrame({"a": [cell, "plain"], "b": [1, 2]})
    assert write_csv(frame).splitlines()[1] == f'"{cell}",1'
    assert f'"{cell}"' in write_csv(frame.rename(columns={"a": cell})).splitlines()[0]
    assert cells_of(write_csv(frame))[1:] == [[cell, "1"], ["plain", "2"]]


def test_headers_are_escaped_too():
    frame = pd.DataFrame([[1, 2]], columns=["=cmd()", "plain"])
    assert write_csv(frame) == "'=cmd(),plain\r\n1,2\r\n"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=5))
def test_escaping_only_adds_a_quote_before_formulas(texts):
    frame = pd.DataFrame({"id": texts, "end": 1})
    read = [line[0] for line in csv.reader(io.StringIO(write_csv(frame), newline=""))][1:]
    for text, cell in zip(texts, read, strict=True):
        assert cell in (text, "'" + text)
        assert cell == "'" + text or not cell.startswith(("=", "@")) or not text


def test_hostile_names_and_ids_are_escaped_in_the_labels():
    text = write_csv(labels_table(mixed_snapshot()))
    cells = [cell for line in cells_of(text)[1:] for cell in line]
    assert any(cell.startswith("'=cmd()") for cell in cells)
    assert any(cell.startswith("'=1+1") for cell in cells)
    assert not any(cell.startswith(("=", "@", "+", "-")) for cell in cells)
