"""A small table of three kinds: numbers, a category, a date, a text, and cells without a value."""

from pathlib import Path

import numpy as np
import pandas as pd

KINDS = ("fern", "moss", "lichen")
N_ROWS = 81
TEXTS = {
    "fern": "Divided fronds that uncurl from the tip, with brown dots in two rows on the lower side",
    "moss": "A low cushion of thin leafy stems, soft and wet, with stalked capsules above the leaves",
    "lichen": "A grey crust with pale edges on bare rock, brittle when dry, that nothing else grows on",
}
PLACES = ("north bank", "old wall", "dry slope")


def write_table(path: Path) -> dict[str, str]:
    """Write the table; returns the kind of each record by its id, which is in no column."""
    rng = np.random.default_rng(4)
    kinds = np.repeat(np.arange(3), N_ROWS // 3)
    rng.shuffle(kinds)
    columns = {f"measure {letter}": _measure(kinds, rng, n) for n, letter in enumerate("abcdefgh")}
    kept = rng.random(N_ROWS) < 0.8
    table = pd.DataFrame(
        {
            "specimen": [f"S-{n:03d}" for n in range(1, N_ROWS + 1)],
            **columns,
            "place": np.where(kept, np.take(PLACES, kinds), rng.choice(PLACES, N_ROWS)),
            "found": pd.Timestamp("2024-03-01") + pd.to_timedelta(rng.integers(0, 90, N_ROWS), unit="D"),
            "notes": [f"{TEXTS[KINDS[kind]]}; sheet {rng.integers(1, 9)}." for kind in kinds],
        }
    )
    for column in ("measure b", "measure f", "place"):
        table.loc[rng.choice(N_ROWS, 8, replace=False), column] = None
    table.to_csv(path, index=False)
    return dict(zip(table["specimen"], np.take(KINDS, kinds), strict=True))


def _measure(kinds: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    """Even columns separate the kinds, each in another order; odd ones are irrelevant."""
    means = np.roll([2.0, 6.0, 10.0], n)[kinds] if n % 2 == 0 else np.full(N_ROWS, 5.0)
    return np.round(rng.normal(means, 1.0), 2)
