"""The three real tables of the paper (§7), each as a DataFrame of features and an array of classes.

Breast cancer is part of scikit-learn. The other two are read from a given folder, or downloaded once from the
UCI repository into a cache: $SAMEORNOT_DATA, by default ~/.cache/sameornot. Copies differ in their bytes and
file names, so the parsed contents are checked. Simulated data is in `simulated.py`.
"""

import contextlib
import os
import tempfile
from collections.abc import Callable
from fnmatch import fnmatchcase
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

import numpy as np
import pandas as pd

_UCI = "https://archive.ics.uci.edu"
_TIMEOUT = 60  # seconds without a byte; the archives are of a few megabytes at most

_Table = tuple[pd.DataFrame, np.ndarray]


class _Shape(NamedTuple):
    rows: int
    features: int
    classes: int

    def __str__(self) -> str:
        return f"{self.rows} rows of {self.features} features in {self.classes} classes"


class _Dataset(NamedTuple):
    """A dataset of the UCI repository: its number there, its archive, and the function that reads it."""

    name: str
    number: int
    archive: str
    read: Callable[[Path], _Table]


def load_breast_cancer() -> _Table:
    """Load the breast cancer diagnoses of scikit-learn: 569 rows, 30 features, 2 classes.

    Returns
    -------
    X : DataFrame of shape (569, 30)
        The features, measured on images of cell nuclei.
    y : ndarray of shape (569,)
        "malignant" or "benign".

    Examples
    --------
    >>> from sameornot.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer()
    >>> X.shape, int((y == "malignant").sum())
    ((569, 30), 212)
    """
    from sklearn.datasets import load_breast_cancer as load

    bunch = load(as_frame=True)
    return bunch.data, bunch.target_names[bunch.target]


def load_urban_land_cover(folder: str | os.PathLike[str] | None = None) -> _Table:
    """Load the urban land cover segments, training and testing together: 675 rows, 147 features, 9 classes.

    Parameters
    ----------
    folder : path or None
        Folder that contains ``training*.csv`` and ``testing*.csv``, at any depth. None is the cache, into
        which UCI dataset 295 is downloaded first if it is missing.

    Returns
    -------
    X : DataFrame of shape (675, 147)
        21 features at 7 scales; those of the coarser scales have a suffix, as in NDVI_40.
    y : ndarray of shape (675,)
        The names of the classes, without the spaces around them in the files.

    Raises
    ------
    OSError
        If the files are not in the folder, or cannot be downloaded.
    ValueError
        If the files have other contents.

    Examples
    --------
    >>> from sameornot.datasets import load_urban_land_cover
    >>> X, y = load_urban_land_cover("downloads/urban land cover")  # doctest: +SKIP
    >>> X.shape, sorted(set(y))[:3]  # doctest: +SKIP
    ((675, 147), ['asphalt', 'building', 'car'])
    """
    return _load(_Dataset("urban_land_cover", 295, "urban+land+cover.zip", _read_land_cover), folder)


def load_meu_mobile(folder: str | os.PathLike[str] | None = None) -> _Table:
    """Load the MEU-Mobile keystrokes of subjects 1 to 9, 51 each: 459 rows, 71 features, 9 classes.

    Parameters
    ----------
    folder : path or None
        Folder that contains one ``*.xlsx``, at any depth. None is the cache, into which UCI dataset 399 is
        downloaded first if it is missing.

    Returns
    -------
    X : DataFrame of shape (459, 71)
        Times, pressures and finger areas while a password is typed; a repeated header ends in ``.1``.
    y : ndarray of shape (459,)
        The subject, 1 to 9.

    Raises
    ------
    ImportError
        If the package python-calamine is not installed.
    OSError
        If the file is not in the folder, or cannot be downloaded.
    ValueError
        If the file has other contents.

    Examples
    --------
    >>> from sameornot.datasets import load_meu_mobile
    >>> X, y = load_meu_mobile("downloads/meu mobile")  # doctest: +SKIP
    >>> X.shape, sorted(set(y.tolist()))  # doctest: +SKIP
    ((459, 71), [1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    _import_calamine()  # before a download that could not be read
    return _load(_Dataset("meu_mobile", 399, "meu+mobile+ksd.zip", _read_meu_mobile), folder)


def _read_land_cover(folder: Path) -> _Table:
    paths = [_find(folder, "training*.csv"), _find(folder, "testing*.csv")]
    table = pd.concat([_read_csv(path, label="class") for path in paths], ignore_index=True)
    classes = table.pop("class").str.strip()
    features = _check_contents(table, classes, _Shape(675, 147, 9), " + ".join(map(str, paths)))
    return features, np.array(classes.tolist(), dtype=str)


def _read_meu_mobile(folder: Path) -> _Table:
    path = _find(folder, "*.xlsx")
    table = _read_sheet(path, label="Subject")
    # Blank rows separate the subjects in the sheet; the paper uses 9 of the 56 subjects.
    table = table[table["Subject"].isin(range(1, 10))].reset_index(drop=True)
    subjects = table.pop("Subject").astype(int)
    return _check_contents(table, subjects, _Shape(459, 71, 9), str(path)), subjects.to_numpy()


def _load(dataset: _Dataset, folder: str | os.PathLike[str] | None) -> _Table:
    if folder is not None:
        return dataset.read(Path(folder))
    cache = Path(os.environ.get("SAMEORNOT_DATA") or "~/.cache/sameornot").expanduser()
    if (cache / dataset.name).is_dir():
        return dataset.read(cache / dataset.name)
    cache.mkdir(parents=True, exist_ok=True)
    return _download(dataset, cache)


def _download(dataset: _Dataset, cache: Path) -> _Table:
    """Download and read a dataset; it is moved to the cache, atomically, only if it can be read."""
    url = f"{_UCI}/static/public/{dataset.number}/{dataset.archive}"
    with tempfile.TemporaryDirectory(dir=cache) as temporary:
        unpacked = Path(temporary) / dataset.name
        try:
            with urlopen(url, timeout=_TIMEOUT) as response:
                _unpack(response.read(), unpacked)
            table = dataset.read(unpacked)
        except (OSError, HTTPException, BadZipFile, ValueError) as error:
            raise OSError(
                f"{url} could not be downloaded ({error}): download dataset {dataset.number} by hand from "
                f"{_UCI}/dataset/{dataset.number}, unpack it and pass the folder as folder="
            ) from error
        with contextlib.suppress(OSError):  # another process has downloaded it meanwhile
            unpacked.rename(cache / dataset.name)
    return table


def _unpack(archive: bytes, folder: Path) -> None:
    """Unpack an archive and nested ones: UCI puts some uploads into a second zip."""
    with ZipFile(BytesIO(archive)) as outer:
        outer.extractall(folder)
    for path in list(folder.rglob("*.zip")):
        with ZipFile(path) as inner:
            inner.extractall(path.with_suffix(""))


def _find(folder: Path, pattern: str) -> Path:
    """The only file in a folder, at any depth, that matches; case, hidden and lock files are ignored."""
    paths = [
        path
        for path in sorted(folder.rglob("*"))
        if fnmatchcase(path.name.lower(), pattern) and not path.name.startswith((".", "~$"))
    ]
    if not paths:
        raise FileNotFoundError(f"folder={str(folder)!r} holds no {pattern}, one was expected")
    if len(paths) > 1:
        names = ", ".join(str(path.relative_to(folder)) for path in paths)
        raise ValueError(
            f"folder={str(folder)!r} holds {len(paths)} files {pattern}, one was expected: {names}"
        )
    return paths[0]


def _read_csv(path: Path, label: str) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype={label: str})
    except ValueError as error:
        raise ValueError(f"{path} is not a CSV table as expected: {error}") from error
    return _check_label(table, label, path)


def _read_sheet(path: Path, label: str) -> pd.DataFrame:
    calamine = _import_calamine()
    try:
        table = pd.read_excel(path, engine="calamine")
    except calamine.CalamineError as error:
        raise ValueError(f"{path} is not an Excel workbook as expected: {error}") from error
    return _check_label(table, label, path)


def _import_calamine() -> ModuleType:
    try:
        import python_calamine
    except ImportError as error:
        raise ImportError(
            "reading MEU-Mobile's Excel workbook needs python-calamine: pip install python-calamine"
        ) from error
    return python_calamine


def _check_label(table: pd.DataFrame, label: str, path: Path) -> pd.DataFrame:
    if label not in table:
        raise ValueError(f"{path} has no column {label!r}, which was expected to name the classes")
    return table


def _check_contents(features: pd.DataFrame, labels: pd.Series, expected: _Shape, source: str) -> pd.DataFrame:
    """Return the features as floats, or raise if the contents are not those expected."""
    found = _Shape(*features.shape, labels.nunique())
    if found != expected:
        raise ValueError(f"{source}: found {found}, expected {expected}")
    numbers: pd.DataFrame = features.apply(pd.to_numeric, errors="coerce").astype(float)
    n_missing = int(labels.isna().sum() + (~np.isfinite(numbers.to_numpy())).sum())
    if n_missing:
        raise ValueError(f"{source}: {n_missing} values are missing or not finite numbers, expected none")
    return numbers
