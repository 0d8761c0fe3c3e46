"""The programs of `benchmarks/` can be imported by the processes that tests start, too."""

import os
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Workers and scripts find `reproduction` as pytest does by its `pythonpath`."""
    found = [str(BENCHMARKS), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(found))
