"""Unusual tables: each works from the first question to the report, or is refused.

A refusal is one clear sentence, comes before anything is stored, and keeps earlier answers.
"""

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from sameornot import cli
from sameornot.export import Model, answers_table, labels_table, write_csv, write_report
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.store import StoreError, open_store
from sameornot.table import TableError, read_table

N = 24
SCRIPT = "<script>alert('x')</script>"


def numbers(n_rows=N, n_columns=2):
    values = np.random.default_rng(0).normal(size=(n_rows, n_columns))
    return pd.DataFrame(values, columns=[f"m{j}" for j in range(n_columns)])


def words(n_rows=N):
    some = np.random.default_rng(1).choice(["knee", "cough", "fever", "stiff", "tired"], (n_rows, 4))
    return [" ".join(line) for line in some]


@pytest.fixture
def open_service(tmp_path):
    """Open services on one store; they are closed at the end."""
    services = []

    def begin(frame, path=None, **options):
        store = open_store(tmp_path / "sessions.sqlite")
        try:
            wanted = Options(**options)
            services.append(
                LabellingService.open(store, frame, title="hostile", path=path, options=wanted, ahead=False)
            )
        except BaseException:
            store.close()
            raise
        return services[-1]

    yield begin
    for service in services:
        service.close()


def work(service, answers=("different", "same")):
    """Answer some questions; returns all that was sent to the page."""
    step = service.state("ana")
    sent = [step]
    for answer in answers:
        if step["question"] is None:
            break
        try:
            step = service.answer("ana", step["question"]["id"], answer, 1.0)
        except Conflict as clash:
            first = clash.payload["options"][0]
            step = service.resolve("ana", clash.payload["said"], first["changes"], first.get("clusters"))
        sent.append(step)
    sent += [service.groups(), service.history("ana"), service.picture("ana")]
    sent += [service.members(group["key"], "typical") for group in service.groups()["groups"]]
    return [json.loads(json.dumps(said, allow_nan=False)) for said in sent]


def export_all(service):
    """Make the labels, the answers, the model (saved and loaded) and the report."""
    snapshot = service.snapshot()
    labels = labels_table(snapshot)
    assert len(labels) == len(snapshot.table)
    assert labels["confidence"].between(0, 1).all()
    model = Model.from_snapshot(snapshot)
    again = Model.from_json(json.loads(model.dumps()))
    assert again.assign(snapshot.table.frame).equals(model.assign(snapshot.table.frame))
    return {
        "labels.csv": write_csv(labels),
        "answers.csv": write_csv(answers_table(snapshot)),
        "report.html": write_report(snapshot),
    }


# All of these can be worked with

MIXED = [1, "x", None, True, 2.5, pd.Timestamp("2020-01-01"), [1, 2], {"a": 1}] * 3

WORKABLE = {
    "markup and formulas": lambda: numbers().assign(**{SCRIPT: [SCRIPT, "=1+1", "@x", "-2+3"] * 6}),
    "two rows": lambda: numbers(2),
    "one column": lambda: numbers(n_columns=1),
    "duplicate column names": lambda: numbers(n_columns=3).set_axis(["a", "a", "a.1"], axis=1),
    "names that are no text": lambda: numbers(n_columns=3).set_axis([1, 2.5, None], axis=1),
    "names that are tuples": lambda: numbers().set_axis(
        pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]), axis=1
    ),
    "names of JavaScript": lambda: numbers(n_columns=3).set_axis(["__proto__", "", "constructor"], axis=1),
    "an index that repeats": lambda: numbers().set_axis([0] * N, axis=0),
    "identical rows": lambda: pd.DataFrame({"a": [1, 2] * 12, "b": ["x", "y"] * 12}),
    "rows that are all but one identical": lambda: pd.DataFrame({"a": [1] * 23 + [2], "b": ["x"] * N}),
    "a cell of a megabyte": lambda: numbers().assign(note=["x " * 500_000, *words(N - 1)]),
    "infinite numbers": lambda: numbers().assign(a=[np.inf, -np.inf, np.nan] * 8),
    "hardly any value": lambda: numbers().assign(a=[1.0, 2.0] + [None] * 22),
    "the largest numbers there are": lambda: numbers().assign(a=[1.7e308, -1.7e308, 1e-308] * 8),
    "integers of any length": lambda: numbers().assign(a=[10**30 + j % 5 for j in range(N)]),
    "all types in one column": lambda: numbers().assign(m=pd.Series(MIXED, dtype=object)),
    "lists in cells": lambda: numbers().assign(m=pd.Series([[1], [2]] * 12, dtype=object)),
    "bytes in cells": lambda: numbers().assign(m=pd.Series([b"\xff\x00", "x"] * 12, dtype=object)),
    "half a character": lambda: numbers().assign(m=pd.Series(["\ud800", "x"] * 12, dtype=object)),
    "dates far away": lambda: numbers().assign(d=["0001-01-01", "9999-12-31", "2020-02-30"] * 8),
    "300 columns of text": lambda: pd.DataFrame({f"t{j}": np.roll(words(), j) for j in range(300)}),
    "10,000 columns": lambda: numbers(60, 10_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKABLE)
def test_unusual_table_works_from_the_first_question_to_the_report(open_service, name):
    service = open_service(WORKABLE[name]())
    work(service)
    assert service.history("ana")["answers"]
    export_all(service)


@pytest.mark.parametrize(
    "options",
    [
        {"clusters": 1},
        {"clusters": N // 2},
        {"pool": 2},
        {"show": ["m0", "m0"]},
        {"id": "m0", "image": "m0"},
        {"ignore": ["m0"], "show": ["m0"]},
    ],
    ids=str,
)
def test_unusual_options_work_from_the_first_question_to_the_report(open_service, options):
    service = open_service(numbers(), **options)
    work(service)
    export_all(service)


# All of these cannot, and say so

REFUSED = {
    "no columns": (pd.DataFrame, {}, "the table has no columns"),
    "no rows": (lambda: numbers().head(0), {}, "the table has column names but no rows"),
    "one row": (lambda: numbers(1), {}, "no column can be used to tell the rows apart"),
    "constants": (lambda: pd.DataFrame({"a": [1] * N, "b": "x"}), {}, "always the same value"),
    "nothing but gaps": (lambda: pd.DataFrame({"a": [None] * N, "b": np.nan}), {}, "no values"),
    "names only": (lambda: pd.DataFrame({"id": [f"x{j}" for j in range(N)]}), {}, "an identifier"),
    "all is ignored": (numbers, {"ignore": ["m0", "m1"]}, "ignored as asked"),
    "more groups than rows": (numbers, {"clusters": N + 1}, "25 groups are wanted but the table has 24 rows"),
    "a column that is not there": (numbers, {"id": "patient"}, "id names the column 'patient'"),
    "a seed below 0": (numbers, {"seed": -1}, "seed is -1 but 0 or more is needed"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_useless_table_is_refused_in_one_sentence_and_nothing_is_stored(open_service, tmp_path, name):
    make, options, reason = REFUSED[name]
    with pytest.raises((TableError, ServiceError, StoreError)) as problem:
        open_service(make(), **options)
    sentence = str(problem.value)
    assert reason in sentence
    assert "\n" not in sentence
    store = open_store(tmp_path / "sessions.sqlite")
    assert store.sessions() == []
    store.close()


def test_invalid_options_do_not_change_the_session_and_its_answers(open_service):
    before = open_service(numbers())
    work(before)
    with pytest.raises(TableError):
        open_service(numbers(), ignore=["m0", "m1"])
    after = open_service(numbers())
    assert after.history("ana") == before.history("ana")


def test_rows_of_earlier_questions_stay_in_a_new_pool(open_service):
    table = numbers(400)
    before = open_service(table, pool=20)
    work(before, ["different", "same", "unsure"])
    told = [(line["left"]["row"], line["right"]["row"]) for line in before.history("ana")["answers"]]
    after = open_service(table, seed=1)
    assert [(line["left"]["row"], line["right"]["row"]) for line in after.history("ana")["answers"]] == told
    work(after)
    export_all(after)


# What becomes of cells


def test_markup_reaches_the_page_as_text(open_service):
    service = open_service(numbers().assign(note=[SCRIPT, "=cmd|' /C calc'!A0"] * 12))
    question = work(service)[0]["question"]
    note = next(field for field in question["fields"] if field["column"] == "note")
    assert {note["left"], note["right"]} <= {SCRIPT, "=cmd|' /C calc'!A0"}
    assert "<script" not in export_all(service)["report.html"]


def test_record_names_that_look_like_formulas_are_exported_as_text(open_service):
    service = open_service(numbers().assign(name=[f"=HYPERLINK({row})" for row in range(N)]), id="name")
    work(service)
    files = export_all(service)
    for name in ("labels.csv", "answers.csv"):
        assert "'=HYPERLINK(" in files[name]
        assert not any(cell.startswith("=") for line in files[name].splitlines() for cell in line.split(","))


def test_records_with_equal_or_missing_names_stay_distinct(open_service):
    service = open_service(numbers().assign(name=["p", "p", None, ""] * 6), id="name")
    work(service)
    labels = labels_table(service.snapshot())
    assert labels["id"].tolist()[:4] == ["p", "p", "row 3", "row 4"]
    assert labels["row"].tolist() == list(range(1, N + 1))


# Files


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """Put a file in an empty folder and answer two questions about it in the terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(name, contents, *options):
        (tmp_path / name).write_bytes(contents)
        return CliRunner().invoke(cli.app, ["ask", name, *options], input="d\ns\nq\n")

    return run


ROWS = "".join(f"{j % 3},{j % 5},Zürich {j % 2}\n" for j in range(N))

READABLE = {
    "latin.csv": ("a,b,stadt\n" + ROWS).encode("latin-1"),
    "marked.csv": ("a,b,stadt\n" + ROWS).encode("utf-8-sig"),
    "sixteen.csv": ("a,b,stadt\n" + ROWS).encode("utf-16"),
    "twice.csv": ("a,a,\n" + ROWS).encode(),
    "proto.csv": ("__proto__,,constructor\n" + ROWS).encode(),
    "windows.csv": ("a,b,stadt\n" + ROWS).replace("\n", "\r\n").encode(),
    "semicolons.csv": ("a,b,stadt\n" + ROWS).replace(",", ";").encode(),
    "bytes.csv": b"a,b,c\n" + b"".join(b"%d,%d,\xff\xfe\x81%d\n" % (j, j % 4, j % 2) for j in range(N)),
    "infinite.csv": b"a,b\n"
    + b"".join(b"%d,%s\n" % (j % 5, [b"inf", b"nan", b"1"][j % 3]) for j in range(N)),
}


@pytest.mark.parametrize("name", READABLE)
def test_unusual_file_is_read_and_asked_about(ask, name):
    answer = ask(name, READABLE[name])
    assert answer.exit_code == 0, answer.output
    assert "3 of 100" in answer.stdout
    assert ("The file is not UTF-8" in answer.stdout) == (name in ("latin.csv", "bytes.csv"))


UNREADABLE = {
    "empty.csv": (b"", "empty.csv is empty"),
    "header.csv": (b"a,b,c\n", "header.csv has a line of column names but no rows below it"),
    "nul.csv": (b"a,b\n1,\x002\n", "nul.csv holds NUL bytes"),
    "ragged.csv": (b"a,b\n1,2\n3,4,5\n", "line 3 of ragged.csv has 3 cells"),
    "open.csv": (b'a,b\n1,"2\n3,4\n', "a quotation mark opens"),
    "excel.csv": (b"PK\x03\x04rest", "excel.csv is an Excel or zip file by its contents"),
    "text.xlsx": (b"a,b\n1,2\n", "text.xlsx is no Excel file"),
    "text.parquet": (b"a,b\n1,2\n", "text.parquet is no Parquet file"),
    "table.doc": (b"a,b\n1,2\n", "table.doc is of an unknown type"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_damaged_file_is_refused_in_one_sentence(ask, name):
    contents, reason = UNREADABLE[name]
    answer = ask(name, contents)
    assert (answer.exit_code, answer.stdout) == (2, "")
    assert answer.stderr.startswith(f"sameornot: {reason}")
    assert answer.stderr.count("\n") == 1


def test_parquet_file_with_lists_and_structs_is_asked_about(open_service, tmp_path):
    numbers().assign(visits=[[1, 2], [3]] * 12, place=[{"town": "Graz"}, {"town": "Linz"}] * 12).to_parquet(
        tmp_path / "nested.parquet"
    )
    service = open_service(read_table(tmp_path / "nested.parquet"), path=tmp_path / "nested.parquet")
    work(service)
    export_all(service)
