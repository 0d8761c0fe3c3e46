"""What users should know about how their table was read: a few sentences, however many columns there are."""

from collections.abc import Mapping
from typing import Protocol

from sameornot.embedding import EmbeddingModels
from sameornot.embedding.histograms import NAME as HISTOGRAMS
from sameornot.table.categorical import CategoricalCoder
from sameornot.table.embedded import EmbeddedCoder
from sameornot.table.errors import listed
from sameornot.table.text import TextCoder


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


def embedding_notices(coders: Mapping[str, object], models: EmbeddingModels) -> list[str]:
    """How texts and pictures are compared, and what would do better."""
    by_words = [name for name, coder in coders.items() if isinstance(coder, TextCoder)]
    by_model: dict[tuple[str, str], list[str]] = {}
    for name, coder in coders.items():
        if isinstance(coder, EmbeddedCoder):
            by_model.setdefault((coder.kind, coder.model), []).append(name)
    notices = [_embedded(kind, model, names) for (kind, model), names in by_model.items()]
    if by_words:
        hint = "" if models.text else " To compare them by meaning: pip install 'sameornot[text]'."
        notices.append(f"Texts are compared by the words that they share: {listed(by_words)}.{hint}")
    return notices


def _embedded(kind: str, model: str, names: list[str]) -> str:
    if kind == "text":
        return f"Texts are compared by meaning, as {model} embeds them: {listed(names)}."
    if model == HISTOGRAMS:
        return (
            f"Pictures are compared by shapes and colours, not by what they show: {listed(names)}. A model "
            "knows more: --image-model NAME, or embeddings of your own."
        )
    return f"Pictures are compared as {model} embeds them: {listed(names)}."


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
