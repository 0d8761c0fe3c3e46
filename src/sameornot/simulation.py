"""A session answered by known labels: agreement against the number of questions."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from sameornot import oracles
from sameornot._progress import progress_bar
from sameornot._types import Answer, Choice, Question
from sameornot._validation import check_count, check_labels, check_number
from sameornot.cluster.base import Clusterer
from sameornot.constraints import Contradiction
from sameornot.oracles import ChoiceOracle, Oracle, Pointed, truth
from sameornot.query import Strategy
from sameornot.session import ActiveSession, TooManyGroups


def simulate(
    X: Any,
    y: Any,
    n_clusters: int | None = None,
    *,
    strategy: Strategy | str | None = None,
    clusterer: Clusterer | str | None = None,
    choices: int | None = None,
    budget: int = 300,
    checkpoints: Sequence[int] | None = None,
    oracle: Oracle | None = None,
    noise: float = 0.0,
    unsure: float = 0.0,
    progress: bool | Callable[[ActiveSession], None] | None = None,
    **session: Any,
) -> pd.DataFrame:
    """Let an expert who knows `y` answer up to `budget` questions.

    Parameters
    ----------
    X, n_clusters, strategy, clusterer, **session
        As for `ActiveSession`; `session` takes infer_last, standardize, pool, random_state and answers.
    y : array of labels, one a row
    choices : int, optional
        Most groups that a question shows for the expert to choose from (see `ActiveSession.ask`); without it,
        questions are pairs.
    budget : int
        Most questions: with `choices`, a question is what is shown on one screen.
    checkpoints : numbers of questions, optional
        Where to compare the grouping with `y`; by default ten equal parts of the budget.
    oracle : function from Pair to Answer, optional
        Who answers; by default an expert who is always right (see `sameornot.oracles`).
    noise, unsure : float
        Share of the answers that are wrong, and share that are "unsure"; drawn with the session's seed. A
        wrong answer to a choice is a wrong candidate, or none of them.
    progress : bool or function of the session, optional
        True shows a progress bar, False none; by default there is one where a person is watching, in a
        terminal or a notebook, if tqdm is installed. A function is called after each answer instead.

    Returns
    -------
    DataFrame with the columns questions, pairs, ari, nmi, seconds
        One row a checkpoint; `pairs` are those that the answers imply: as many as questions, and more with
        `choices`. `seconds` is the time that the session itself took up to then. When nothing is
        left to ask, the remaining checkpoints show the grouping as it then stands.

    Examples
    --------
    >>> from sameornot import simulate
    >>> from sameornot.datasets import make_gaussian
    >>> X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    >>> curve = simulate(X, y, n_clusters=3, budget=40, checkpoints=[0, 40], random_state=0)
    >>> list(curve.columns)
    ['questions', 'pairs', 'ari', 'nmi', 'seconds']
    >>> float(curve.ari.iloc[-1])
    1.0
    """
    start = time.perf_counter()
    asking = ActiveSession(X, n_clusters, strategy=strategy, clusterer=clusterer, **session)
    labels = check_labels(y, len(asking))
    budget = check_count("budget", budget, at_least=0)
    n_candidates = None if choices is None else check_count("choices", choices)
    expert = _Expert.make(oracle or truth(labels), noise, unsure, asking.seed)
    rows = []
    stops = _check_checkpoints(checkpoints, budget)
    with _progress(progress, max(stops, default=0) - len(asking.answers)) as answered:
        for checkpoint in stops:
            while len(asking.answers) < checkpoint and (question := asking.ask()) is not None:
                shown = question if n_candidates is None else asking.choice(question, n_candidates)
                expert.answer(asking, shown)
                answered(asking)
            found = asking.result(progress=False).labels
            seconds = time.perf_counter() - start
            ari, nmi = adjusted_rand_score(labels, found), normalized_mutual_info_score(labels, found)
            pairs = sum(len(reply.facts) for reply in asking.answers)
            rows.append((checkpoint, pairs, ari, nmi, seconds))
    return pd.DataFrame(rows, columns=["questions", "pairs", "ari", "nmi", "seconds"])


@contextmanager
def _progress(
    wanted: bool | Callable[[ActiveSession], None] | None, n_questions: int
) -> Iterator[Callable[[ActiveSession], object]]:
    """What is to be called after each answer."""
    if callable(wanted):
        yield wanted
        return
    with progress_bar(max(0, n_questions), "questions", wanted) as bar:
        yield lambda session: bar.update()


@dataclass(frozen=True)
class _Expert:
    """Who answers: `oracle` without errors about pairs, `pair` and `choice` with them.

    One who errs answers "unsure" where an answer would contradict the others.
    """

    oracle: Oracle
    pair: Oracle
    choice: ChoiceOracle
    errs: bool

    @classmethod
    def make(cls, oracle: Oracle, noise: float, unsure: float, seed: int) -> "_Expert":
        rng = np.random.default_rng([seed, 1])
        pair, choice = oracle, oracles.choosing(oracle)
        if check_number("noise", noise, at_most=1.0):
            pair, choice = oracles.noisy(pair, noise, rng), oracles.noisy_choosing(choice, noise, rng)
        if check_number("unsure", unsure, at_most=1.0):
            pair, choice = oracles.unsure(pair, unsure, rng), oracles.unsure_choosing(choice, unsure, rng)
        return cls(oracle, pair, choice, noise > 0)

    def answer(self, asking: ActiveSession, shown: Question | Choice) -> None:
        """Answer what is shown."""
        if isinstance(shown, Choice):
            distinct = oracles.without_twins(shown, self.oracle)
            self._tell(partial(asking.tell, pair=distinct), self.choice(distinct))
        else:
            self._tell(asking.tell, self.pair(shown))

    def _tell(self, tell: Callable[[Any], None], said: Pointed) -> None:
        try:
            tell(said)
        except (Contradiction, TooManyGroups):
            if not self.errs:
                raise
            tell(Answer.UNSURE)


def _check_checkpoints(checkpoints: Sequence[int] | None, budget: int) -> list[int]:
    if checkpoints is None:
        return sorted({budget * part // 10 for part in range(1, 11)})
    if not np.iterable(checkpoints):
        raise ValueError(f"checkpoints={checkpoints!r} but a list of numbers of questions is needed")
    wanted = sorted({check_count("checkpoints", c, at_least=0) for c in checkpoints})
    if wanted and wanted[-1] > budget:
        raise ValueError(f"checkpoints hold {wanted[-1]} but budget={budget}")
    return wanted
