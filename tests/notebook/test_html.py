"""What a notebook shows of a session, a result and constraints."""

import subprocess
import sys

import pandas as pd

from made_sessions import DIFFERENT, SAME, UNSURE, Y, answer_all, table
from sameornot import ActiveSession, Constraints
from sameornot.oracles import truth

HOSTILE = "<script>alert(1)</script>"


def answered(X=None, n_answers=6):
    session = ActiveSession(table() if X is None else X, 3, random_state=0)
    answer_all(session, truth(Y), limit=n_answers)
    return session


def test_a_session_says_what_it_is_about_and_what_was_answered():
    session = answered()
    session.tell(UNSURE, (0, 7))
    shown = session._repr_html_()
    assert "7: " in shown
    assert "1 unsure" in shown
    assert "UncertaintySampling and EnsembleClustering" in shown
    assert "of the rows estimated right" in shown


def test_a_new_session_says_how_to_answer():
    assert "session.label()" in ActiveSession(table(), random_state=0)._repr_html_()


def test_a_result_lists_its_groups_with_what_makes_them_differ():
    result = answered().result()
    shown = result._repr_html_()
    for label, line in result.summary().iterrows():
        assert f">{label}</td>" in shown
        assert f">{line['size']} ({line['share']:.0%})</td>" in shown
        assert line["differs"] in shown


def test_constraints_list_the_groups_that_follow_from_them():
    known = Constraints(9)
    known.add((3, 5), SAME)
    known.add((5, 8), SAME)
    known.add((1, 8), DIFFERENT)
    known.add((0, 1), UNSURE)
    shown = known._repr_html_()
    assert "2 same, 1 different, 1 unsure" in shown
    assert "3: 3, 5, 8" in shown
    assert "contradictions" not in shown
    known.add_vote((3, 5), DIFFERENT)
    assert "answered both ways" in known._repr_html_()


def test_names_of_features_cannot_become_markup():
    session = answered(pd.DataFrame(table(), columns=[HOSTILE, "<b>", "&amp;"]))
    for shown in (session, session.result(), session.explain(), session.constraints):
        html = shown._repr_html_()
        assert "<script" not in html
        assert "<b>" not in html
    assert "&lt;script&gt;" in session._repr_html_()


def test_html_and_summary_need_no_optional_package():
    code = (
        "import sys\n"
        "from sameornot import ActiveSession\n"
        "session = ActiveSession([[0.0], [1.0], [5.0]], random_state=0)\n"
        "session.tell('same', (0, 1))\n"
        "session._repr_html_(), session.result()._repr_html_(), session.constraints._repr_html_()\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert not {"anywidget", "ipywidgets", "IPython", "matplotlib", "tqdm", "sqlalchemy"} & set(
        loaded.split()
    )
