"""Checks of arguments that several generators of data share."""

from numbers import Integral, Real

import numpy as np


def check_random_state(random_state: int | np.random.Generator | None) -> np.random.Generator:
    """The generator of a seed."""
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        expected = "None, a non-negative integer or a numpy.random.Generator"
        raise ValueError(f"random_state={random_state!r} but {expected} was expected") from error


def check_samples(n_samples: int, name: str, n_clusters: int) -> None:
    """Raise unless there is at least one sample per cluster; argument `name` is the number of clusters."""
    check_count("n_samples", n_samples, 1)
    if n_samples < n_clusters:
        raise ValueError(
            f"n_samples={n_samples} but at least {name}={n_clusters} was expected, one per cluster"
        )


def check_count(name: str, value: int, minimum: int) -> None:
    """Raise unless a value is an integer of at least `minimum`."""
    if not isinstance(value, Integral) or value < minimum:
        raise ValueError(f"{name}={value!r} but an integer of at least {minimum} was expected")


def check_length(name: str, value: float) -> None:
    """Raise unless a value is a finite number of at least 0."""
    if not isinstance(value, Real) or not 0 <= value < np.inf:
        raise ValueError(f"{name}={value!r} but a finite number of at least 0 was expected")
