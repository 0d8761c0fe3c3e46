"""The loaders read the files of UCI, whatever their names, and report what is wrong with others.

The files here are made up, in the format of the real ones: no real data is in this repository.
"""

import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, HTTPServer
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd
import pytest

from sameornot.datasets import load_breast_cancer, load_meu_mobile, load_urban_land_cover, real

CLASSES = ["asphalt", "building", "car", "concrete", "grass", "pool", "shadow", "soil", "tree"]


def land_cover(n_rows, seed):
    """Make a table of the CSV files' format: a class with a stray space, then 21 features at 7 scales."""
    rng = np.random.default_rng(seed)
    names = [f"F{k}{scale}" for scale in ["", *(f"_{s}" for s in range(40, 160, 20))] for k in range(21)]
    table = pd.DataFrame(rng.normal(size=(n_rows, 147)).round(2), columns=names)
    table["F1"] = rng.integers(1000, size=n_rows)
    table.insert(0, "class", [f"{CLASSES[row % 9]} " for row in range(n_rows)])
    return table


def write_land_cover(folder, training=None, testing=None):
    folder.mkdir(parents=True, exist_ok=True)
    (land_cover(168, 0) if training is None else training).to_csv(folder / "training.csv", index=False)
    (land_cover(507, 1) if testing is None else testing).to_csv(folder / "testing.csv", index=False)
    return folder


def keystrokes(n_subjects=11, n_features=71):
    """Make rows of the sheet's format: a header twice, 51 rows a subject, a blank row after each."""
    rng = np.random.default_rng(0)
    features = ["Hold Shift", "Hold 5", "Hold Shift", *(f"DD {k}" for k in range(n_features - 3))]
    rows = [["Subject", *features]]
    for subject in range(1, n_subjects + 1):
        rows += [[subject, *values] for values in rng.normal(size=(51, n_features)).tolist()]
        rows.append([])
    return rows


def write_workbook(path, rows):
    """Write one sheet as a minimal Excel workbook; None and [] leave cells and rows out."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    packages = "http://schemas.openxmlformats.org/package/2006"
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{packages}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{types}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{types}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{packages}/relationships">'
        f'<Relationship Id="rId1" Type="{relations}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relations}">'
        '<sheets><sheet name="KSD" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{packages}/relationships">'
        f'<Relationship Id="rId1" Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>'
        + "".join(sheet_row(number, row) for number, row in enumerate(rows, 1) if row)
        + "</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, xml in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{xml}')


def sheet_row(number, row):
    cells = "".join(
        f'<c r="{column_name(column)}{number}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        if isinstance(value, str)
        else f'<c r="{column_name(column)}{number}"><v>{value!r}</v></c>'
        for column, value in enumerate(row)
        if value is not None
    )
    return f'<row r="{number}">{cells}</row>'


def column_name(column):
    return (chr(64 + column // 26) if column >= 26 else "") + chr(65 + column % 26)


def zip_folder(folder, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"data/{file.name}")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SAMEORNOT_DATA", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def uci(tmp_path, monkeypatch):
    """Replace the repository by a folder of archives, which is returned."""
    root = tmp_path / "uci"
    monkeypatch.setattr(real, "_UCI", root.as_uri())
    return root / "static" / "public"


@pytest.fixture
def serve(monkeypatch):
    """Replace the repository by a local server with one given response."""
    servers = []
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    def start(status, body, length):
        class Reply(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        server = HTTPServer(("127.0.0.1", 0), Reply)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        monkeypatch.setattr(real, "_UCI", f"http://127.0.0.1:{server.server_port}")

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


def test_breast_cancer_keeps_names_of_features_and_classes():
    X, y = load_breast_cancer()
    assert X.shape == (569, 30)
    assert X.columns[0] == "mean radius"
    names, counts = np.unique(y, return_counts=True)
    assert dict(zip(names.tolist(), counts.tolist(), strict=True)) == {"benign": 357, "malignant": 212}
    assert X.loc[y == "malignant", "mean radius"].mean() > X.loc[y == "benign", "mean radius"].mean()


def test_land_cover_is_training_then_testing_with_class_names_stripped(tmp_path):
    X, y = load_urban_land_cover(str(write_land_cover(tmp_path)))
    expected = pd.concat([land_cover(168, 0), land_cover(507, 1)], ignore_index=True)
    pd.testing.assert_frame_equal(X, expected.drop(columns="class").astype(float))
    assert y.tolist() == [CLASSES[row % 9] for row in [*range(168), *range(507)]]
    assert y.dtype.kind == "U"


def test_land_cover_files_are_found_in_any_case_and_depth(tmp_path):
    folder = write_land_cover(tmp_path / "Urban Land Cover")
    X, _ = load_urban_land_cover(folder)
    (folder / "training.csv").rename(folder / "Training_raw.CSV")
    (folder / "testing.csv").rename(folder / "TESTING.csv")
    (folder / "._testing.csv").write_bytes(b"\x00\x05\x16\x07")  # as macOS leaves beside each file
    pd.testing.assert_frame_equal(load_urban_land_cover(tmp_path)[0], X)


def test_missing_file_is_named(tmp_path):
    write_land_cover(tmp_path)
    (tmp_path / "testing.csv").unlink()
    with pytest.raises(FileNotFoundError, match=r"holds no testing\*\.csv"):
        load_urban_land_cover(tmp_path)


def test_ambiguous_files_are_named(tmp_path):
    write_land_cover(tmp_path)
    write_land_cover(tmp_path / "old")
    with pytest.raises(
        ValueError, match=r"2 files training\*\.csv, one was expected: old.training.csv, training"
    ):
        load_urban_land_cover(tmp_path)


def with_cell(row, column, value):
    table = land_cover(507, 1).astype(object)
    table.iloc[row, column] = value
    return table


@pytest.mark.parametrize(
    ("testing", "message"),
    [
        (land_cover(506, 1), r"testing\.csv: found 674 rows of 147 features in 9 classes, expected 675 rows"),
        (land_cover(507, 1).iloc[:, :-1].assign(other=1.0), "found 675 rows of 148 features in 9 classes"),
        (with_cell(3, 0, "lawn"), "found 675 rows of 147 features in 10 classes"),
        (with_cell(3, 0, None), r"testing\.csv: 1 values are missing or not finite numbers"),
        (with_cell(3, 5, None), r"testing\.csv: 1 values are missing or not finite numbers"),
        (with_cell(3, 5, "inf"), r"testing\.csv: 1 values are missing or not finite numbers"),
        (with_cell(3, 5, "wide"), r"testing\.csv: 1 values are missing or not finite numbers"),
        (land_cover(507, 1).rename(columns={"class": "kind"}), r"testing\.csv has no column 'class'"),
    ],
)
def test_land_cover_with_other_contents_is_refused(tmp_path, testing, message):
    write_land_cover(tmp_path, testing=testing)
    with pytest.raises(ValueError, match=message):
        load_urban_land_cover(tmp_path)


def test_file_that_is_not_a_table_is_named(tmp_path):
    write_land_cover(tmp_path)
    (tmp_path / "training.csv").write_text("")
    with pytest.raises(ValueError, match=r"training\.csv is not a CSV table"):
        load_urban_land_cover(tmp_path)


def test_meu_mobile_is_the_first_nine_subjects_without_blank_rows(tmp_path):
    rows = keystrokes()
    write_workbook(tmp_path / "MEU-Mobile KSD 2016.XLSX", rows)
    (tmp_path / "~$MEU-Mobile KSD 2016.xlsx").write_bytes(b"")  # as Excel leaves while a file is open
    X, y = load_meu_mobile(tmp_path)
    kept = np.array([row for row in rows[1:] if row and row[0] <= 9])
    np.testing.assert_array_equal(X.to_numpy(), kept[:, 1:])
    np.testing.assert_array_equal(y, kept[:, 0])
    assert np.issubdtype(y.dtype, np.integer)
    assert X.columns[:3].tolist() == ["Hold Shift", "Hold 5", "Hold Shift.1"]
    assert X.index.tolist() == list(range(459))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            keystrokes(n_subjects=8),
            r"KSD\.xlsx: found 408 rows of 71 features in 8 classes, expected 459 rows",
        ),
        (keystrokes(n_features=70), r"KSD\.xlsx: found 459 rows of 70 features in 9 classes"),
        (
            [["Person", *row[1:]] if row and row[0] == "Subject" else row for row in keystrokes()],
            "no column 'Subject'",
        ),
        (
            [[*row[:5], None, *row[6:]] if row and row[0] == 4 else row for row in keystrokes()],
            "51 values are missing",
        ),
    ],
)
def test_meu_mobile_with_other_contents_is_refused(tmp_path, rows, message):
    write_workbook(tmp_path / "KSD.xlsx", rows)
    with pytest.raises(ValueError, match=message):
        load_meu_mobile(tmp_path)


def test_file_that_is_not_a_workbook_is_named(tmp_path):
    (tmp_path / "KSD.xlsx").write_text("<html>")
    with pytest.raises(ValueError, match=r"KSD\.xlsx is not an Excel workbook"):
        load_meu_mobile(tmp_path)


def test_missing_excel_reader_says_how_to_install_it(cache, uci, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(ImportError, match=r"pip install python-calamine"):
        load_meu_mobile()
    assert not cache.exists()


def test_download_happens_once(tmp_path, cache, uci):
    folder = write_land_cover(tmp_path / "made")
    zip_folder(folder, uci / "295" / "urban+land+cover.zip")
    X, y = load_urban_land_cover()
    pd.testing.assert_frame_equal(X, load_urban_land_cover(folder)[0])
    assert [path.name for path in cache.iterdir()] == ["urban_land_cover"]

    (uci / "295" / "urban+land+cover.zip").unlink()
    X_again, y_again = load_urban_land_cover()
    pd.testing.assert_frame_equal(X_again, X)
    np.testing.assert_array_equal(y_again, y)


def test_workbook_is_downloaded_next_to_the_other_dataset(tmp_path, cache, uci):
    (tmp_path / "made").mkdir()
    write_workbook(tmp_path / "made" / "KSD.xlsx", keystrokes())
    zip_folder(tmp_path / "made", uci / "399" / "meu+mobile+ksd.zip")
    (cache / "urban_land_cover").mkdir(parents=True)
    assert load_meu_mobile()[0].shape == (459, 71)
    assert sorted(path.name for path in cache.iterdir()) == ["meu_mobile", "urban_land_cover"]


def test_two_processes_may_download_at_once(tmp_path, cache, uci, monkeypatch):
    folder = write_land_cover(tmp_path / "made")
    zip_folder(folder, uci / "295" / "urban+land+cover.zip")
    unpack = real._unpack

    def unpack_while_another_finishes(archive, unpacked):
        unpack(archive, unpacked)
        unpack(archive, cache / "urban_land_cover")

    monkeypatch.setattr(real, "_unpack", unpack_while_another_finishes)
    pd.testing.assert_frame_equal(load_urban_land_cover()[0], load_urban_land_cover(folder)[0])
    assert [path.name for path in cache.iterdir()] == ["urban_land_cover"]


def test_nested_archive_is_unpacked(tmp_path, cache, uci):
    inner = tmp_path / "wrapped" / "Urban land cover.zip"
    zip_folder(write_land_cover(tmp_path / "made"), inner)
    zip_folder(inner.parent, uci / "295" / "urban+land+cover.zip")
    assert load_urban_land_cover()[0].shape == (675, 147)


def test_archive_is_downloaded_over_http(tmp_path, cache, serve):
    zip_folder(write_land_cover(tmp_path / "made"), tmp_path / "made.zip")
    body = (tmp_path / "made.zip").read_bytes()
    serve(200, body, len(body))
    assert load_urban_land_cover()[0].shape == (675, 147)


def test_cache_is_in_the_home_folder_by_default(tmp_path, uci, monkeypatch):
    monkeypatch.delenv("SAMEORNOT_DATA", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write_land_cover(tmp_path / ".cache" / "sameornot" / "urban_land_cover")
    assert load_urban_land_cover()[0].shape == (675, 147)


def test_unreachable_repository_says_what_to_do(cache, uci):
    with pytest.raises(
        OSError, match=r"download dataset 295 by hand from .*/dataset/295, .* pass .* folder="
    ):
        load_urban_land_cover()
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("status", "body", "length"),
    [(404, b"", 0), (200, b"PK\x03\x04", 1000), (200, b"<html>", 6)],
    ids=["not found", "cut off", "not an archive"],
)
def test_broken_download_leaves_nothing_behind(cache, serve, status, body, length):
    serve(status, body, length)
    with pytest.raises(OSError, match="download dataset 399 by hand"):
        load_meu_mobile()
    assert list(cache.iterdir()) == []


def test_archive_with_other_contents_leaves_nothing_behind(tmp_path, cache, uci):
    zip_folder(
        write_land_cover(tmp_path / "made", testing=land_cover(9, 1)), uci / "295" / "urban+land+cover.zip"
    )
    with pytest.raises(OSError, match=r"found 177 rows of 147 features .* download dataset 295 by hand"):
        load_urban_land_cover()
    assert list(cache.iterdir()) == []
