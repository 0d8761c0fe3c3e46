"""The page "which estimator when" shows what its rows say."""

import pandas as pd

import estimators
import sameornot
from sameornot.registry import CLUSTERERS

PAGE = estimators.DOCS.read_text("utf-8")


def test_the_figures_of_the_page_are_those_of_the_rows():
    rows = pd.read_csv(estimators.RESULTS / "estimators.csv")
    assert not rows.duplicated(["table", "estimator", "pairs", "seed"]).any()
    assert estimators.measured(rows) in PAGE


def test_the_page_speaks_of_every_estimator():
    advice = PAGE.partition(estimators.BEGIN)[0]
    names = {clusterer.__name__ for clusterer in CLUSTERERS.values()}
    assert names <= set(vars(sameornot)["__all__"])
    assert [name for name in sorted(names) if f"`{name}" not in advice] == []
