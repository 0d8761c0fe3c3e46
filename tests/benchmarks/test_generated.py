"""No generated page or picture is older than its sources; how this is detected is tested on a small tree."""

import pytest

from generated import GROUPS, ROOT, Group, code_of, demo_session, problems, read_manifest, record

GROUP = Group(("docs/*.md",), ("src/*",), ("src/make.py",))


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A page that a program makes from a table, recorded."""
    monkeypatch.setitem(GROUPS, "toy", GROUP)
    for folder in ("docs", "src"):
        (tmp_path / folder).mkdir()
    (tmp_path / "src" / "make.py").write_text('"""Makes it."""\n\nprint(1)  # one\n')
    (tmp_path / "src" / "table.csv").write_text("a\n1\n")
    (tmp_path / "docs" / "page.md").write_text("1\n")
    record("toy", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", GROUPS)
def test_generated_files_are_those_that_their_sources_make(name):
    assert problems(name) == []


@pytest.mark.slow
def test_the_picture_of_the_demo_shows_what_the_demo_does_now():
    assert demo_session() == read_manifest(ROOT)["demo"]["session"]


def test_what_was_just_recorded_is_up_to_date(tree):
    assert problems("toy", tree) == []


def test_what_was_never_recorded_is_not(tree):
    (tree / "docs" / "generated.json").unlink()
    assert len(problems("toy", tree)) == 2  # the sources and the page


@pytest.mark.parametrize(
    ("name", "text"), [("make.py", "print(2)\n"), ("table.csv", "a\n2\n"), ("another.csv", "b\n")]
)
def test_a_changed_source_is_found(tree, name, text):
    (tree / "src" / name).write_text(text)
    (problem,) = problems("toy", tree)
    assert problem.startswith("toy: the sources have changed")
    assert problem.endswith("run `python benchmarks/generated.py toy`")


@pytest.mark.parametrize("name", ["page.md", "another.md"])
def test_a_page_that_was_edited_or_added_by_hand_is_found(tree, name):
    (tree / "docs" / name).write_text("edited\n")
    (problem,) = problems("toy", tree)
    assert problem.startswith(f"docs/{name} is not the file that was generated")


def test_comments_docstrings_and_layout_do_not_count(tree):
    (tree / "src" / "make.py").write_text('"""Makes the page."""\n\n\n# Once.\nprint(1)\n')
    assert problems("toy", tree) == []


def test_strings_that_are_no_docstrings_count():
    assert code_of('TEXT = """A # page."""\n') == 'TEXT = """A # page."""'


def test_a_group_without_files_is_an_error(tree):
    (tree / "docs" / "page.md").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file matches docs/\*.md"):
        problems("toy", tree)
