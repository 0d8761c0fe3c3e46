"""Progress bars of long work: where a person is watching, or where one is asked for."""

import os
import select
import subprocess
import sys
import termios

import numpy as np
import pytest

from sameornot import ActiveSession, simulate
from sameornot._progress import progress_bar
from sameornot.session import result as session_result

Y = np.array([0, 1, 2] * 5)
X = np.random.default_rng(0).normal(size=(15, 3)) + 2.0 * np.eye(3)[Y]
QUICK = {"n_clusters": 3, "strategy": "random", "random_state": 0, "budget": 6}
LONG_WORK = """
import time
from sameornot._progress import progress_bar
with progress_bar(2, "questions") as bar:
    time.sleep(1.2)
    bar.update()
"""


@pytest.mark.parametrize("progress", [None, False])
def test_a_simulation_is_quiet_where_nobody_watches(capfd, progress):
    simulate(X, Y, progress=progress, **QUICK)
    assert capfd.readouterr() == ("", "")


def test_a_bar_that_is_asked_for_counts_the_questions(capfd):
    simulate(X, Y, progress=True, **QUICK)
    shown = capfd.readouterr().err
    assert "6/6" in shown
    assert "questions" in shown


def test_a_function_is_called_after_each_answer_instead(capfd):
    seen = []
    simulate(X, Y, progress=lambda session: seen.append(len(session.answers)), **QUICK)
    assert seen == [1, 2, 3, 4, 5, 6]
    assert capfd.readouterr().err == ""


def test_the_result_of_a_large_table_counts_its_rows(capfd, monkeypatch):
    monkeypatch.setattr(session_result, "BLOCK", 5)
    known = [((0, row), "same" if Y[row] == Y[0] else "different") for row in (1, 2, 3)]
    session = ActiveSession(X, 3, strategy="mee", pool=6, random_state=0, answers=known)
    labels = session.result(progress=True).labels
    assert "15/15" in capfd.readouterr().err
    assert session.result().labels is labels


@pytest.mark.slow
def test_a_person_at_a_terminal_sees_a_bar_of_work_that_takes_long():
    terminal, end = os.openpty()
    termios.tcsetwinsize(end, (24, 80))
    subprocess.run([sys.executable, "-c", LONG_WORK], stderr=end, check=True)
    is_shown, _, _ = select.select([terminal], [], [], 0.0)
    assert is_shown
    assert b"questions" in os.read(terminal, 10_000)
    os.close(end)
    os.close(terminal)


def test_without_tqdm_there_is_none_and_asking_for_one_says_what_to_install(monkeypatch, capfd):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr("sameornot._progress.find_spec", lambda name: None)
    simulate(X, Y, **QUICK)
    assert capfd.readouterr().err == ""
    with pytest.raises(ImportError, match=r"pip install 'sameornot\[notebook\]'"):
        simulate(X, Y, progress=True, **QUICK)


def test_another_value_is_refused():
    with (
        pytest.raises(ValueError, match="progress='yes' but True, False or None is needed"),
        progress_bar(1, "rows", "yes"),
    ):
        pass
