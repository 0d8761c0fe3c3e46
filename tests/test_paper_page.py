"""docs/paper.md, "formula or rule, file, argument, test", names what exists, and every printed argument."""

import ast
import re
from inspect import signature
from pathlib import Path

import pytest

import sameornot
from sameornot import ActiveSession, AugmentedClustering, MinimumExpectedEntropy, as_printed

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "paper.md").read_text("utf-8")
LINES = [
    line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| formula or rule")
]
CELLS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES]


def calls(text: str) -> list[ast.Call]:
    """The arguments that a cell names in backticks, as calls: of `f` where no class is named."""
    found = []
    for code in re.findall(r"`([^`]*=[^`]*)`", text):
        call = code if "(" in code.split("=")[0] else f"f({code})"
        try:
            tree = ast.parse(call, mode="eval").body
        except SyntaxError:  # a command, or a symbol of the paper
            continue
        found += [tree] if isinstance(tree, ast.Call) else []
    return found


def owner(call: ast.Call) -> type:
    name = getattr(call.func, "id", "")
    return AugmentedClustering if name == "f" else getattr(sameornot, name)


def arguments() -> dict[tuple[type, str], set[str]]:
    """Every argument in the column "as printed", with the values that it is shown with."""
    found: dict[tuple[type, str], set[str]] = {}
    for cells in CELLS:
        for call in calls(cells[2]):
            if getattr(call.func, "id", "") not in ("as_printed", "as_released"):
                for keyword in call.keywords:
                    found.setdefault((owner(call), str(keyword.arg)), set()).add(ast.unparse(keyword.value))
    return found


def test_every_line_has_a_file_and_a_test():
    for cells in CELLS:
        assert len(cells) == 5, cells[0]
        assert ".py" in cells[1], cells[0]
        assert cells[4].strip(" –"), cells[0]


def test_every_section_of_the_paper_has_lines():
    sections = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
    assert set(re.findall(r"§(\d)", " ".join(part.splitlines()[0] for part in sections))) == set("2345678")
    assert all(any(line in part for line in LINES) for part in sections)


def test_tests_that_the_page_names_exist():
    named = re.findall(r"\[`(test_\w+)`\]\(\.\./([\w/.]+)\)", PAGE)
    assert len(named) > 80
    for name, path in named:
        assert f"\ndef {name}(" in (ROOT / path).read_text("utf-8"), name


def test_arguments_that_the_page_names_exist():
    for of, name in arguments():
        assert name in signature(of).parameters, (of, name)


@pytest.mark.parametrize(
    ("of", "default", "printed"),
    [
        (AugmentedClustering, AugmentedClustering().get_params(), as_printed()["clusterer"].get_params()),
        (MinimumExpectedEntropy, vars(MinimumExpectedEntropy()), vars(as_printed()["strategy"])),
        (ActiveSession, {"infer_last": True}, as_printed()),
    ],
)
def test_the_page_has_every_argument_in_which_the_printed_method_deviates_from_the_default(
    of, default, printed
):
    shown = arguments()
    for name, value in default.items():
        if printed[name] != value:
            text = f"{printed[name]:g}" if isinstance(printed[name], float) else repr(printed[name])
            assert text in shown[of, name], name
