"""The widget without a browser: what it shows, and what it makes of what a person does."""

import base64
import re
import subprocess
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image

from made_sessions import Y, answer_all, table
from sameornot import ActiveSession, Answer
from sameornot.notebook import assets
from sameornot.notebook.shown_rows import data_url
from sameornot.oracles import truth
from sameornot.query import STRATEGIES

Y_MANY = np.arange(40) % 5
X_MANY = table(Y_MANY, n_features=5) + 4.0 * np.eye(5)[Y_MANY]


def press(widget, do="answer", **what):
    """What the frontend sends when a person acts on the question that she sees."""
    widget.action = {"do": do, "question": widget.view["id"], **what}


@pytest.fixture
def widget():
    return ActiveSession(table(), 3, random_state=0).label()


def test_it_shows_the_question_of_the_session_and_why(widget):
    shown, session = widget.view["question"], widget.session
    left, right = session.ask()
    assert (shown["left"]["row"], shown["candidates"][0]["row"]) == (left, right)
    assert shown["why"] == session.explain().text
    assert not shown["is_choice"]
    assert len(widget.picture["x"]) == len(session)


def test_where_widgets_cannot_be_shown_it_says_what_it_is(widget):
    press(widget, answer="same")
    assert repr(widget) == "<Labeller: 8 rows, 1 answers>"


def test_answers_go_to_the_session_and_undo_takes_them_back(widget):
    first = widget.session.ask()
    press(widget, answer="same")
    press(widget, answer="unsure")
    assert [reply.answer for reply in widget.session.answers] == [Answer.SAME, Answer.UNSURE]
    assert widget.session.answers[0].pair == first
    press(widget, "undo")
    press(widget, "undo")
    assert widget.session.answers == []
    assert widget.view["question"]["left"]["row"] == first.left


def test_an_answer_to_a_question_that_is_not_shown_any_more_changes_nothing(widget):
    late = widget.view["id"]
    press(widget, answer="same")
    widget.action = {"do": "answer", "answer": "same", "question": late}
    assert len(widget.session.answers) == 1


def test_if_the_session_was_changed_elsewhere_its_question_is_shown_first(widget):
    widget.session.tell("different")
    press(widget, answer="same")
    assert [reply.answer for reply in widget.session.answers] == [Answer.DIFFERENT]
    assert "changed elsewhere" in widget.view["message"]
    assert widget.view["question"]["left"]["row"] == widget.session.ask().left


def test_with_many_groups_it_asks_for_a_choice_and_takes_it():
    session = ActiveSession(X_MANY, 5, random_state=0)
    while len(session.known_groups()) < 5:
        session.tell(truth(Y_MANY)(session.ask()))
    widget = session.label()
    while not widget.view["question"]["is_choice"]:
        press(widget, answer=truth(Y_MANY)(session.ask()).value)
    question = widget.view["question"]
    row, candidates = question["left"]["row"], [line["row"] for line in question["candidates"]]
    labels = session.result().labels
    assert [line["group"] for line in question["candidates"]] == labels[candidates].tolist()
    fitting = [other for other in candidates if Y_MANY[other] == Y_MANY[row]]
    press(widget, answer=fitting[0] if fitting else "different")
    assert {row, *candidates} == set(session.answers[-1].rows)
    press(widget, "pairs", pairs=True)
    assert not widget.view["question"]["is_choice"]
    assert widget.view["progress"]["wants_pairs"]


def test_pairs_alone_are_asked_for_on_request():
    session = ActiveSession(X_MANY, 5, random_state=0)
    answer_all(session, truth(Y_MANY), limit=15)
    widget = session.label(choices=1)
    for _ in range(5):
        assert not widget.view["question"]["is_choice"]
        press(widget, answer=truth(Y_MANY)(session.ask()).value)
    assert not widget.view["progress"]["can_choose"]


def test_an_answer_that_cannot_be_true_is_explained_and_changes_nothing():
    session = ActiveSession(table(), 2, strategy="mee", infer_last=False, random_state=0)
    widget = session.label()
    for _ in range(3):
        assert widget.view["message"] == ""
        press(widget, answer="different")
    n_answers = len(session.answers)
    assert widget.view["message"].startswith("Nothing was changed: n_clusters=2 but with this answer rows ")
    press(widget, answer="same")
    assert len(session.answers) == n_answers + 1


def test_at_the_end_nothing_is_left_to_ask(widget):
    while widget.view["question"] is not None:
        press(widget, answer=truth(Y)(widget.session.ask()).value)
    assert widget.session.ask() is None
    press(widget, "undo")
    assert widget.view["question"] is not None


def test_records_are_shown_in_place_of_the_features():
    records = pd.DataFrame(
        {"text": ["a long text " * 9] * 8, "kind": list("aabbaabb"), "size": [1.0, None, 3, 4, 5, 6, 7, 8]},
        index=[f"r{n}" for n in range(8)],
    )
    question = ActiveSession(table(), 3, random_state=0).label(records=records).view["question"]
    left, right = (question[side] for side in ("left", "candidates"))
    assert left["name"] == f"r{left['row']} (row {left['row']})"
    fields = {field["column"]: field for field in question["fields"]}
    assert list(fields) == ["text", "kind", "size"]
    assert fields["text"]["left"] == records.text.iloc[left["row"]]
    kinds = records.kind.iloc[left["row"]], records.kind.iloc[right[0]["row"]]
    assert fields["kind"]["cells"][0]["gap"] == float(kinds[0] != kinds[1])
    assert fields["text"]["cells"][0]["gap"] == 0.0
    assert {field["weight"] for field in fields.values()} == {None}


def test_the_records_of_the_session_are_shown_unless_others_are_given():
    records = pd.DataFrame({"text": list("abcdefgh")})
    session = ActiveSession(table(), 3, records=records, random_state=0)
    assert [field["column"] for field in session.label().view["question"]["fields"]] == ["text"]
    others = session.label(records=records.rename(columns={"text": "words"}))
    assert [field["column"] for field in others.view["question"]["fields"]] == ["words"]


def test_columns_that_are_no_features_come_first():
    frame = pd.DataFrame(table(), columns=["a", "b", "c"])
    session = ActiveSession(frame, 3, random_state=0)
    question = session.label(records=frame.assign(note="seen")).view["question"]
    assert question["fields"][0]["column"] == "note"
    assert [field["weight"] is None for field in question["fields"]] == [True, False, False, False]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame(table(), columns=["a", "a", "a"]),
        pd.DataFrame(table()),
        np.full((8, 2), 0.1),
        table()[:2],
        pl.DataFrame({"a": [0.0, 1.0, 5.0], "b": [1.0, 1.0, 0.0]}),
    ],
    ids=["recurring names", "numbers as names", "constant", "two rows", "polars"],
)
def test_odd_tables_can_be_labelled(X):
    widget = ActiveSession(X, random_state=0).label(records=X if hasattr(X, "columns") else None)
    for _ in range(2):
        if widget.view["question"] is not None:
            press(widget, answer="different")
    assert widget.view["message"] == ""
    assert len(widget.session.answers) == (1 if len(X) == 2 else 2)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_can_be_answered(strategy):
    session = ActiveSession(table(), 3, strategy=strategy, random_state=0)
    widget = session.label()
    for _ in range(3):
        press(widget, answer=truth(Y)(session.ask()).value)
    assert (len(session.answers), widget.view["message"]) == (3, "")


def test_the_features_come_heaviest_first_with_how_far_apart_they_are():
    session = ActiveSession(X_MANY, 5, random_state=0)
    answer_all(session, truth(Y_MANY), limit=10)
    fields = session.label().view["question"]["fields"]
    weights = [field["weight"] for field in fields]
    assert weights == sorted(weights, reverse=True)
    assert weights == pytest.approx(session.result().feature_weights.sort_values(ascending=False).tolist())
    assert all(0.0 <= field["cells"][0]["gap"] <= 1.0 for field in fields)


def png():
    content = BytesIO()
    Image.fromarray(np.eye(4, dtype=np.uint8)).save(content, format="PNG")
    return content.getvalue()


@pytest.mark.parametrize("form", ["path", "bytes", "pillow", "grey", "colour"])
def test_images_are_shown_whatever_form_they_have(form, tmp_path):
    (tmp_path / "one.png").write_bytes(png())
    images = {
        "path": str(tmp_path / "one.png"),
        "bytes": png(),
        "pillow": Image.open(BytesIO(png())),
        "grey": np.eye(4),
        "colour": np.zeros((4, 4, 3), dtype=np.uint8),
    }
    head, _, content = (data_url(images[form]) or "").partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(BytesIO(base64.b64decode(content))).size == (4, 4)


@pytest.mark.parametrize("image", ["no-such-file.png", "", None, np.zeros(3), b"text", "\0", 5])
def test_what_is_no_image_is_none(image):
    assert data_url(image) is None


def test_a_column_of_images_is_no_field():
    records = pd.DataFrame({"scan": [png()] * 8, "kind": list("aabbaabb")})
    question = ActiveSession(table(), 3, random_state=0).label(records=records, image="scan").view["question"]
    assert question["left"]["image"].startswith("data:image/png")
    assert [field["column"] for field in question["fields"]] == ["kind"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"records": pd.DataFrame({"a": [1]})}, "records has 1 rows but X has 8: give one record"),
        ({"records": [1, 2]}, "records is a list but a DataFrame"),
        ({"image": "scan"}, "image='scan' but records has no such column"),
        ({"choices": 0}, "choices=0 but at least 1 is needed"),
        ({"budget": "ten"}, "budget='ten' but a whole number is needed"),
    ],
)
def test_wrong_options_are_named(options, complaint):
    with pytest.raises(ValueError, match=re.escape(complaint)):
        ActiveSession(table(), 3, random_state=0).label(**options)


def test_without_anywidget_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(ImportError, match=r"pip install 'sameornot\[notebook\]'"):
        ActiveSession(table(), 3, random_state=0).label()


def test_the_widget_is_one_module_without_imports_and_works_offline():
    script, style = assets.javascript(), assets.css()
    assert re.findall(r"^\s*import\b", script, re.MULTILINE) == []
    assert re.findall(r"^export .*", script, re.MULTILINE) == ['export default modules["labeller.js"];']
    assert ":root" not in style
    assert not re.search(r"https?://(?!www\.w3\.org)", script + style)


def test_the_widget_needs_nothing_of_the_page():
    code = "import sys, sameornot.notebook.labeller; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"sqlalchemy", "starlette", "jinja2", "typer", "matplotlib"} & set(loaded.split())
