"""The former command `sameornot bench` says where the paper's experiments are run now."""

import pytest
from typer.testing import CliRunner

from sameornot.cli import app


@pytest.mark.parametrize("arguments", [[], ["table1", "--jobs", "2"], ["all", "--rows", "rows", "--quick"]])
def test_bench_points_to_the_source_tree(arguments):
    answer = CliRunner().invoke(app, ["bench", *arguments])
    assert answer.exit_code == 2
    assert answer.stdout == ""
    sentence = "The paper's experiments are run from the source tree: ./run reproduce"
    assert answer.stderr == f"sameornot: {sentence}\n"


def test_help_does_not_show_it():
    assert "bench" not in CliRunner().invoke(app, ["--help"]).stdout
