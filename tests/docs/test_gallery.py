"""Every script of the gallery runs, without a warning, and draws at least one picture."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("plot_*.py"))
FEW_ROWS = "20000"


def test_there_are_at_least_eight_examples():
    assert len(EXAMPLES) >= 8


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws(path, monkeypatch):
    plt.switch_backend("Agg")
    monkeypatch.setenv("EXAMPLE_ROWS", FEW_ROWS)
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    runpy.run_path(str(path), run_name="__main__")
    plt.close("all")
    assert shown
    assert all(shown), "a picture is shown that was not drawn"
