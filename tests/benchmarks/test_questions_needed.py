"""The chart of the README: what "questions needed" means, seeds that do not get there included."""

import pandas as pd

from questions_needed import LABELS, Needed, draw, needed

CHECKPOINTS = [0, 20, 40]


def rows(run, *curves):
    lines = [
        (run, seed, checkpoint, ari)
        for seed, curve in enumerate(curves)
        for checkpoint, ari in zip(CHECKPOINTS, curve, strict=True)
    ]
    return pd.DataFrame(lines, columns=["run", "seed", "checkpoint", "ari"])


def test_the_first_checkpoint_at_the_level_is_averaged_over_seeds():
    found = needed(rows("A3S", [0.1, 0.8, 0.7], [0.1, 0.2, 0.9]), "A3S")
    assert found == Needed(mean=30.0, error=10.0, n_reached=2, n_seeds=2)


def test_a_seed_that_does_not_get_there_counts_with_all_its_questions():
    found = needed(rows("A3S", [0.9, 0.9, 0.9], [0.1, 0.2, 0.3]), "A3S")
    assert found == Needed(mean=20.0, error=20.0, n_reached=1, n_seeds=2)


def test_a_method_without_rows_has_no_mark():
    assert needed(rows("A3S", [0.1, 0.8, 0.7]), "COBRAS") is None


def test_marks_are_hollow_where_some_seed_does_not_get_there():
    table = pd.concat([rows("A3S", [0.1, 0.2, 0.3]), rows("COBRAS", [0.1, 0.8, 0.9])])
    axes = draw({"a table": table}).axes[0]
    faces = [line.get_markerfacecolor() for line in axes.lines if line.get_linestyle() == "None"]
    assert faces.count("white") == 1
    assert len(axes.get_legend().get_texts()) == len(LABELS)
