"""What a caller hands to a session, read and checked."""

import operator
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import numpy as np

from sameornot._types import Answer, Pair, Reply
from sameornot._validation import check_count, check_option
from sameornot.cluster import METHODS, AugmentedSettings, Method
from sameornot.query import STRATEGIES


def choose_method(strategy: Any, clusterer: Any, settings: Iterable[str]) -> tuple[str, str]:
    """Strategy and clusterer: what was named, and what belongs with it; the panel's unless anything was.

    Settings that only the paper's clusterer has are a way to name it.
    """
    if clusterer is None and strategy is None:
        papers = {field.name for field in fields(AugmentedSettings)} & set(settings)
        return ("mee", "augmented") if papers else ("panel", "panel")
    if clusterer is None:
        strategy = check_option("strategy", strategy, STRATEGIES)
        return strategy, strategy if strategy in METHODS else "augmented"
    clusterer = check_option("clusterer", clusterer, METHODS)
    asks_itself = clusterer in STRATEGIES
    strategy = check_option("strategy", strategy or (clusterer if asks_itself else "mee"), STRATEGIES)
    if METHODS[clusterer].is_flow and clusterer != strategy:
        raise ValueError(
            f"clusterer={clusterer!r} groups by the answers to its own questions: "
            f"strategy={clusterer!r} is needed, not {strategy!r}"
        )
    if strategy == "panel" != clusterer:
        raise ValueError(
            f"strategy='panel' asks by what its panel holds: clusterer='panel' is needed, not {clusterer!r}"
        )
    return strategy, clusterer


def read_settings(clusterer: str, settings: dict[str, Any]) -> Method:
    """The settings of a clusterer, checked."""
    known = {field.name for field in fields(METHODS[clusterer])}  # type: ignore[arg-type]
    for name in settings:
        if name not in known:
            options = ", ".join(sorted(known))
            raise TypeError(f"{name!r} is no setting of clusterer={clusterer!r}, which has {options}")
    return METHODS[clusterer](**settings).check()


def read_log(answers: Iterable[Any]) -> list[Reply]:
    """Replies whose steps never go back, so that those of the last step are the end of the log."""
    log: list[Reply] = []
    for line in answers:
        try:
            pair, answer, *rest = line
            step, again = rest if len(rest) == 2 else (*rest, *((0, False) if not rest else (False,)))
            if isinstance(answer, int) or isinstance(pair, int):
                raise TypeError
        except (TypeError, ValueError):
            raise ValueError(f"answers hold {line!r} but (pair, answer) or a Reply is needed") from None
        step = max(check_count("step of an answer", step, at_least=0), log[-1].step if log else 0)
        log.append(Reply(read_pair(pair), read_answer(answer), step, bool(again)))
    return log


def read_pair(pair: Any) -> Pair:
    """Two row numbers."""
    try:
        left, right = (operator.index(point) for point in pair)
    except (TypeError, ValueError):
        raise ValueError(f"pair={pair!r} but two row numbers are needed") from None
    return Pair(left, right)


def read_answer(answer: Any) -> Answer:
    """An answer, or a word for one."""
    try:
        return Answer(answer)
    except ValueError:
        options = ", ".join(repr(option.value) for option in Answer)
        raise ValueError(f"answer={answer!r} but an Answer or one of {options} is needed") from None


def read_seed(random_state: Any) -> int:
    """The seed that was given, or one drawn."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    return check_count("random_state", random_state, at_least=0)
