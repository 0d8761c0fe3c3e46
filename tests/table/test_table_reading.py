import gzip
import zipfile
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sameornot.table import TableEncoder, TableError, read_blocks, read_table


def written(folder, name, contents):
    path = folder / name
    path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return path


def write_sheet(path, rows):
    """Write one sheet as a minimal Excel workbook."""
    office = "http://schemas.openxmlformats.org"
    relations = f"{office}/officeDocument/2006/relationships"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    link = '<Relationships xmlns="{0}/package/2006/relationships">{1}</Relationships>'
    to = '<Relationship Id="a" Type="{0}/{1}" Target="{2}"/>'
    lines = "".join(f"<row>{''.join(sheet_cell(value) for value in row)}</row>" for row in rows)
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/xl/sheet.xml" ContentType="{types}.worksheet+xml"/></Types>',
        "_rels/.rels": link.format(office, to.format(relations, "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": f'<workbook xmlns="{office}/spreadsheetml/2006/main" xmlns:r="{relations}">'
        '<sheets><sheet name="s" sheetId="1" r:id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": link.format(office, to.format(relations, "worksheet", "sheet.xml")),
        "xl/sheet.xml": f'<worksheet xmlns="{office}/spreadsheetml/2006/main">'
        f"<sheetData>{lines}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, xml in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{xml}')
    return path


def sheet_cell(value):
    if value is None:
        return "<c/>"
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f"<c><v>{value!r}</v></c>"


def mixed(n_rows=300):
    rng = np.random.default_rng(3)
    words = np.array(["cough", "fever", "rash", "mild", "severe", "knee"])
    return pd.DataFrame(
        {
            "patient": [f"P{row}" for row in range(n_rows)],
            "size": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows) * 1e-7),
            "count": rng.integers(0, 50, n_rows),
            "level": rng.choice(["01", "1", "x", ""], n_rows),
            "agreed": rng.choice(["TRUE", "False"], n_rows),
            "seen": (
                pd.Timestamp("2019-05-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), unit="D")
            ).strftime("%d.%m.%Y"),
            "note": [
                " ".join(row) + f" {number}" for number, row in enumerate(rng.choice(words, (n_rows, 4)))
            ],
        }
    )


@pytest.mark.parametrize(
    ("name", "contents"),
    [
        ("t.csv", "a,b\n1,ä\n2,y\n"),
        ("t.csv", "a;b\r\n1;ä\r\n2;y\r\n"),
        ("t.csv", "\n\na,b\n1,ä\n2,y\n"),
        ("t.csv", "a,b\n1,ä\n2,y\n".encode("utf-8-sig")),
        ("t.csv", "a,b\n1,ä\n2,y\n".encode("utf-16")),
        ("t.csv", "a,b\n1,ä\n2,y\n".encode("cp1252")),
        ("t.CSV", "a,b\n1,ä\n2,y\n"),
        ("t.tsv", "a\tb\n1\tä\n2\ty\n"),
        ("t.txt", "a|b\n1|ä\n2|y\n"),
        ("t.csv.gz", gzip.compress("a,b\n1,ä\n2,y\n".encode(), mtime=0)),
    ],
)
def test_every_file_format_gives_the_same_cells(tmp_path, name, contents):
    path = written(tmp_path, name, contents)
    frame = read_table(path)
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["ä", "y"]}
    assert pd.concat(read_blocks(path, 1)).to_dict("list") == {"a": ["1", "2"], "b": ["ä", "y"]}


@pytest.mark.parametrize(("byte", "encoding"), [(b"\x80", "cp1252"), (b"\x81", "latin-1")])
def test_file_that_is_not_utf_8_is_read_with_a_notice(tmp_path, byte, encoding):
    frame = read_table(written(tmp_path, "t.csv", b"a,b\n1," + byte + b"\n2,y\n"))
    assert frame["b"].tolist() == [byte.decode(encoding), "y"]
    assert encoding in TableEncoder.fit(frame[["a"]]).notices[0]


def test_invalid_byte_late_in_the_file_is_found_before_reading(tmp_path):
    path = written(tmp_path, "t.csv", b"a,b\n" + b"1,x\n" * 2_000_000 + b"2,\xe4\n")
    assert read_table(path)["b"].iloc[-1] == "ä"


def test_decimal_commas_are_numbers_in_the_whole_file_and_in_blocks(tmp_path):
    path = written(tmp_path, "t.csv", 'a;b\n1,5;"2,5"\n-2,25;x\n3;7\n')
    whole, blocks = read_table(path), pd.concat(read_blocks(path, 2))
    assert whole["a"].tolist() == [1.5, -2.25, 3.0]
    assert whole["b"].tolist() == blocks["b"].tolist() == ["2.5", "x", "7"]
    assert blocks["a"].tolist() == ["1.5", "-2.25", "3"]


BAD_FILES = [
    ("t.csv", b"", "t.csv is empty: a line of column names and rows below it are needed"),
    ("t.csv", b"\n \n", "t.csv is empty: a line of column names and rows below it are needed"),
    ("t.csv", b"a,b\n", "t.csv has a line of column names but no rows below it: add some"),
    (
        "t.csv",
        b"a,b\n1,2,3\n",
        "line 2 of t.csv has 3 cells but the lines before it have 2: put quotation marks",
    ),
    ("t.csv", b"a,b\n1,2\n3\n1,2,3\n", "line 4 of t.csv has 3 cells but the lines before it have 2: put"),
    ("t.csv", b'a,b\n1,"2\n3,4\n', "a quotation mark opens in row 1 of t.csv and is never closed: close it"),
    ("t.csv", b"a,b\n1,\x00\n", "t.csv holds NUL bytes, which text does not: save it again as UTF-8 text"),
    ("t.csv", b"PK\x03\x04", "t.csv is an Excel or zip file by its contents: give it the suffix of one"),
    ("t.csv", b"PAR1", "t.csv is a Parquet file by its contents: give it the suffix of one"),
    ("t.csv", b"\xef\xbb\xbfa,b\n1,\xe4\n", "t.csv is marked as utf-8 but holds other bytes: save it again"),
    ("t.csv.gz", b"a,b\n1,2\n", "t.csv.gz is a damaged gzip file: copy or compress it again"),
    (
        "t.csv.gz",
        gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9],
        "t.csv.gz is a damaged gzip file: copy or compress it",
    ),
    ("t.parquet", b"a,b\n1,2\n", "t.parquet is no Parquet file, or a damaged one: write it again"),
    ("t.xlsx", b"a,b\n1,2\n", "t.xlsx is no Excel file, or a damaged or locked one: save it again"),
    ("t.docx", b"", "t.docx is of an unknown type: save the table as CSV (.csv), TSV (.tsv, .txt), Parquet"),
    ("table", b"", "table is of an unknown type: save the table as CSV (.csv), TSV (.tsv, .txt), Parquet"),
]


@pytest.mark.parametrize("read", [read_table, lambda path: list(read_blocks(path))], ids=["whole", "blocks"])
@pytest.mark.parametrize(("name", "contents", "sentence"), BAD_FILES)
def test_invalid_file_is_refused_in_one_sentence(tmp_path, read, name, contents, sentence):
    path = written(tmp_path, name, contents)
    with pytest.raises(TableError) as problem:
        read(path)
    assert str(problem.value).startswith(sentence)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("read", [read_table, lambda path: list(read_blocks(path))], ids=["whole", "blocks"])
def test_missing_file_and_folder_have_different_messages(tmp_path, read):
    with pytest.raises(TableError, match=r"there is no file .*t\.csv: check the name and the folder"):
        read(tmp_path / "t.csv")
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(TableError, match=r"t\.csv is a folder: give the table file that is in it"):
        read(tmp_path / "t.csv")


def test_short_lines_are_padded_with_missing_cells(tmp_path):
    frame = read_table(written(tmp_path, "t.csv", "a,b\n1,2\n3\n"))
    assert frame["b"].tolist()[0] == 2
    assert np.isnan(frame["b"].tolist()[1])


HEADER = ["x", "x", "x.1", "", "x"]
NAMES = ["x", "x.2", "x.1", "column 4", "x.3"]


def test_column_names_are_made_unique_in_the_same_way_by_every_reader(tmp_path):
    rows = [[1, 2.5, "a", 4, "b"], [6, 7.5, "c", 9, "d"], [1, 7.5, "c", 9, "d"]]
    arrays = [pa.array(list(column)) for column in zip(*rows, strict=True)]
    text = "\n".join(",".join(map(str, line)) for line in [HEADER, *rows])
    paths = [
        written(tmp_path, "t.csv", text),
        write_sheet(tmp_path / "t.xlsx", [[name or None for name in HEADER], *rows]),
        tmp_path / "t.parquet",
    ]
    pq.write_table(pa.table(arrays, names=HEADER), paths[2])
    tables = [read_table(path) for path in paths]
    tables.append(read_table(pd.DataFrame(rows, columns=HEADER)))
    for frame in tables:
        assert list(frame.columns) == NAMES
        assert frame.to_numpy().tolist() == rows
    for path in paths:
        assert [list(block.columns) for block in read_blocks(path, 2)] == [NAMES, NAMES]


def test_names_that_are_not_text_become_text():
    frame = pd.DataFrame([[1, 2, 3, 4]], columns=[7, ("a", 1), np.nan, "7"])
    assert list(read_table(frame).columns) == ["7", "('a', 1)", "column 3", "7.1"]


def test_given_frame_is_not_changed():
    frame = pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=["p", "q"])
    frame.columns = ["a", "a"]
    read_table(frame)
    assert list(frame.columns) == ["a", "a"]
    assert list(frame.index) == ["p", "q"]


@pytest.mark.parametrize("kind", ["csv", "tsv", "parquet", "xlsx"])
def test_blocks_are_encoded_like_the_whole_table(tmp_path, kind):
    frame, path = mixed(), tmp_path / f"t.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    elif kind == "xlsx":
        cells = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        write_sheet(path, [list(frame.columns), *cells])
    else:
        frame.to_csv(path, index=False, sep="\t" if kind == "tsv" else ",")
    whole = read_table(path)
    encoder = TableEncoder.fit(whole)
    assert [column.kind for column in encoder.columns] == [
        "number",
        "number",
        "category",
        "yes/no",
        "date",
        "text",
    ]
    blocks = list(read_blocks(path, 70))
    assert [len(block) for block in blocks] == [70, 70, 70, 70, 20]
    assert np.concatenate([block.index for block in blocks]).tolist() == list(range(300))
    assert (np.vstack([encoder.transform(block) for block in blocks]) == encoder.transform(whole)).all()


def test_word_among_numbers_in_a_later_block_is_a_missing_number(tmp_path):
    encoder = TableEncoder.fit(pd.DataFrame({"a": [1.0, 2.0, 6.0]}))
    path = written(tmp_path, "t.csv", "a\n1\n2\n3\n4\nbroken\n6\n")
    features = np.vstack([encoder.transform(block) for block in read_blocks(path, 2)])
    assert (features[4] == encoder.transform(pd.DataFrame({"a": [2.0]}))).all()
    assert (features[0] == encoder.transform(pd.DataFrame({"a": [1.0]}))).all()


def test_index_stored_in_parquet_is_a_column(tmp_path):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"a": [1, 2]}, index=pd.Index(["p", "q"], name="patient")).to_parquet(path)
    assert read_table(path).to_dict("list") == {"a": [1, 2], "patient": ["p", "q"]}


def test_empty_sheet_and_tables_without_rows_are_refused(tmp_path):
    with pytest.raises(TableError, match=r"the first sheet of t\.xlsx is empty: put the table there"):
        read_table(write_sheet(tmp_path / "t.xlsx", []))
    with pytest.raises(TableError, match=r"t\.xlsx has column names but no rows: add some"):
        read_table(write_sheet(tmp_path / "t.xlsx", [["a", "b"]]))
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "t.parquet")
    for read in (read_table, lambda path: list(read_blocks(path))):
        with pytest.raises(TableError, match=r"t\.parquet has column names but no rows: add some"):
            read(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="the table has column names but no rows"):
        read_table(pd.DataFrame({"a": []}))
    with pytest.raises(TableError, match="the table has no columns"):
        read_table(pd.DataFrame())


@pytest.mark.slow
def test_ten_thousand_columns_are_read_and_encoded(tmp_path):
    X = np.random.default_rng(0).normal(size=(3, 10_000))
    path = tmp_path / "t.csv"
    pd.DataFrame(X, columns=[f"measurement number {m}" for m in range(10_000)]).to_csv(path, index=False)
    encoder = TableEncoder.fit(read_table(path))
    assert encoder.n_features == 10_000
    assert np.allclose(encoder.transform(next(read_blocks(path))), X / X.std(axis=0))
