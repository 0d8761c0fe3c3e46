"""Parquet and Excel files that hold what pandas cannot represent: read, or refused in one sentence."""

import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sameornot.table import TableEncoder, TableError, read_blocks, read_table
from sameornot.table.formatting import display

N = 12
NUMBERS = [1.5 * row + row % 5 for row in range(N)]
DAY = 86_400


def days(first):
    return pa.array([first + 7 * row * row for row in range(N)], pa.int32()).cast(pa.date32())


ODD_COLUMNS = {
    "dates beyond year 9999": lambda: days(3_000_000),
    "dates before year 1": lambda: days(-1_000_000),
    "the last dates that fit": lambda: days(2**31 - 2000),
    "dates in milliseconds": lambda: days(3_000_000).cast(pa.date64()),
    "timestamps beyond year 9999": lambda: pa.array(
        [10**13 + DAY * row**2 for row in range(N)], pa.timestamp("s")
    ),
    "an unknown time zone": lambda: pa.array(
        [row**2 * 10**9 for row in range(N)], pa.timestamp("ms", "Mars/A")
    ),
    "an offset that no clock has": lambda: pa.array(range(N), pa.timestamp("ms", "+99:00")),
    "times in nanoseconds": lambda: pa.array([row**2 + 1 for row in range(N)], pa.time64("ns")),
    "durations of ages": lambda: pa.array([row**2 * 10**15 for row in range(N)], pa.duration("s")),
    "lists that are no vectors": lambda: pa.array([[1] * (row % 3 + 1) for row in range(N)]),
    "lists of texts": lambda: pa.array([["a"] * (row % 3) for row in range(N)]),
    "lists of lists": lambda: pa.array([[[1], [row % 3]] for row in range(N)]),
    "structs": lambda: pa.array([{"x": row % 3} for row in range(N)]),
    "maps": lambda: pa.array([[("k", row % 3)] for row in range(N)], pa.map_(pa.string(), pa.int64())),
    "wide decimals": lambda: pa.array(range(N), pa.int64()).cast(pa.decimal256(70, 10)),
    "bytes": lambda: pa.array([bytes([row, 255]) for row in range(N)]),
    "half floats": lambda: pa.array(np.arange(N, dtype=np.float16)),
    "large unsigned numbers": lambda: pa.array([2**64 - 1 - 3 * row for row in range(N)], pa.uint64()),
}


@pytest.mark.parametrize("name", ODD_COLUMNS)
def test_odd_parquet_column_is_read_whole_and_in_blocks(tmp_path, name):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": NUMBERS, "b": ODD_COLUMNS[name]()}), path)
    frame = read_table(path)
    encoder = TableEncoder.fit(frame)
    X = encoder.transform(frame)
    assert np.isfinite(X).all()
    assert all(isinstance(display(cell), str) for cell in frame["b"])
    parts = [encoder.transform(block) for block in read_blocks(path, 5)]
    np.testing.assert_array_equal(np.vstack(parts), X)


def test_dates_beyond_python_are_dates_and_shown_as_such(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": NUMBERS, "b": days(3_000_000), "c": days(-1_000_000)}), path)
    frame = read_table(path)
    assert [column.kind for column in TableEncoder.fit(frame).columns] == ["number", "date", "date"]
    assert display(frame["b"][0]) == "10183-09-21"
    assert display(frame["c"][0]) == "-768-02-04"


def test_text_dates_that_no_calendar_has_are_missing_dates_or_categories():
    frame = pd.DataFrame({"a": NUMBERS, "b": ["-1-01-01", "0000-01-01", "99999-01-01"] * 4})
    assert np.isfinite(TableEncoder.fit(frame).transform(frame)).all()


OFFICE = "http://schemas.openxmlformats.org"
RELATIONS = f"{OFFICE}/officeDocument/2006/relationships"


def write_book(path, cell_style, value, *, sheets=True):
    """A workbook whose second column holds `value` in cells of a number format."""
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    link = f'<Relationships xmlns="{OFFICE}/package/2006/relationships">{{}}</Relationships>'
    to = f'<Relationship Id="{{}}" Type="{RELATIONS}/{{}}" Target="{{}}"/>'
    main = f'xmlns="{OFFICE}/spreadsheetml/2006/main"'
    names = '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>'
    rows = "".join(f'<row><c><v>{a}</v></c><c s="1"><v>{value}</v></c></row>' for a in NUMBERS)
    sheet = '<sheet name="s" sheetId="1" r:id="a"/>' if sheets else ""
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{OFFICE}/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/></Types>',
        "_rels/.rels": link.format(to.format("a", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{RELATIONS}"><sheets>{sheet}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": link.format(
            to.format("a", "worksheet", "sheet.xml") + to.format("b", "styles", "styles.xml")
        ),
        "xl/styles.xml": f'<styleSheet {main}><numFmts><numFmt numFmtId="164" formatCode="{cell_style}"/>'
        '</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
        "xl/sheet.xml": f"<worksheet {main}><sheetData>{names}{rows}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, xml in parts.items():
            archive.writestr(name, f'<?xml version="1.0"?>{xml}')
    return path


def test_durations_and_dates_of_a_workbook_are_read(tmp_path):
    assert str(read_table(write_book(tmp_path / "d.xlsx", "[h]:mm:ss", 0.5))["b"][0]).endswith("12:00:00")
    assert str(read_table(write_book(tmp_path / "t.xlsx", "yyyy-mm-dd", 45000))["b"][0])[:10] == "2023-03-15"


@pytest.mark.parametrize("value", ["1e10", "-1e10", "1e300"])
def test_durations_that_python_cannot_hold_are_refused(tmp_path, value):
    path = write_book(tmp_path / "t.xlsx", "[h]:mm:ss", value)
    with pytest.raises(TableError, match=r"^t\.xlsx holds a date or duration that is too large: correct it"):
        read_table(path)


@pytest.mark.parametrize("value", ["1e10", "1e300"])
def test_dates_that_excel_cannot_show_are_numbers(tmp_path, value):
    assert float(read_table(write_book(tmp_path / "t.xlsx", "yyyy-mm-dd", value))["b"][0]) == float(value)


def test_workbook_without_sheets_is_refused(tmp_path):
    path = write_book(tmp_path / "t.xlsx", "0", 1, sheets=False)
    with pytest.raises(TableError, match=r"^t\.xlsx has no sheets: put the table on one$"):
        read_table(path)


def test_zip_file_without_a_workbook_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w") as archive:
        archive.writestr("notes.txt", "no workbook")
    with pytest.raises(TableError, match=r"^t\.xlsx is no Excel file, or a damaged or locked one"):
        read_table(tmp_path / "t.xlsx")
