"""What users should know about how their table was read: a few sentences, however many columns there are."""

from collections.abc import Mapping
from typing import Protocol

from sameornot.table.categorical import CategoricalCoder
from sameornot.table.errors import listed


class Filled(Protocol):
    """What the notices need to know of a column's encoder."""

    @property
    def n_missing(self) -> int:
        """Number of cells that were empty or could not be parsed."""

    @property
    def fill(self) -> str:
        """The value that replaces them."""


def fitting_notices(coders: Mapping[str, Filled], left_out: list[tuple[str, str]], n_rows: int) -> list[str]:
    """One sentence per topic: unused columns, filled cells, merged rare levels."""
    return [*_unused(left_out), *_filled(coders, n_rows), *_merged(coders)]


def _unused(left_out: list[tuple[str, str]]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out:
        reasons.setdefault(reason, []).append(name)
    return [f"Not used ({reason}): {listed(names)}." for reason, names in reasons.items()]


def _filled(coders: Mapping[str, Filled], n_rows: int) -> list[str]:
    gaps = {name: coder for name, coder in coders.items() if coder.n_missing}
    if not gaps:
        return []
    total = sum(coder.n_missing for coder in gaps.values())
    worst = sorted(gaps, key=lambda name: -gaps[name].n_missing)
    parts = [f"{name} ({gaps[name].n_missing:,} of {n_rows:,}, with {gaps[name].fill})" for name in worst]
    cells = "1 missing cell was" if total == 1 else f"{total:,} missing cells were"
    return [f"{cells} filled: {listed(parts)}."]


def _merged(coders: Mapping[str, Filled]) -> list[str]:
    merged = [
        f"{name} ({len(coder.levels)} of {coder.n_levels:,} levels kept)"
        for name, coder in coders.items()
        if isinstance(coder, CategoricalCoder) and coder.n_levels > len(coder.levels)
    ]
    return [f'Rare levels count as "other": {listed(merged)}.'] if merged else []
