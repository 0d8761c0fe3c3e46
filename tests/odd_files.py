"""Odd tables, and damaged files of models and sessions, each made from a seed.

`try_table`, `try_model` and `try_session` use one as a person would: it works, or the outcome is the sentence
that is shown. Anything else that they raise is a fault.
"""

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sameornot.export import Model, labels_table
from sameornot.export.model_format import ModelError
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.store import StoreError, open_store
from sameornot.table import TableError, read_sample

SENTENCES = (ModelError, ServiceError, StoreError, TableError)
PERSON = "p" * 16
WORDS = [
    "knee",
    "Zürich",
    "",
    " ",
    "=1+1",
    "x;y",
    'a"b',
    "\u202eevil",
    "NaN",
    "-",
    "1e999",
    "true",
    "0x1F",
    "٣",
]
ODD_NUMBERS = [math.nan, math.inf, -math.inf, 1.7e308, -1.7e308, 5e-324, 0.0, -0.0, 2.0**63, 1e16]
DATES = ["0001-01-01", "9999-12-31", "-1-01-01", "10000-01-01", "2020-02-30", "31.12.1999", "1e5", "24:00"]
DATES += ["2020-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]


def odd_column(rng: Random, n: int) -> Any:
    """The cells of a column, of one odd kind."""
    kinds = {
        "numbers": lambda: [rng.gauss(0, 10 ** rng.randint(-300, 300)) for _ in range(n)],
        "odd numbers": lambda: rng.choices(ODD_NUMBERS, k=n),
        "integers": lambda: [rng.randint(-(2**63), 2**63 - 1) for _ in range(n)],
        "words": lambda: rng.choices(WORDS, k=n),
        "dates": lambda: rng.choices(DATES, k=n),
        "letters": lambda: ["".join(chr(rng.randrange(1, 0x3000)) for _ in range(9)) for _ in range(n)],
        "texts": lambda: [" ".join(rng.choices(WORDS, k=rng.randint(0, 40))) for _ in range(n)],
        "nothing": lambda: [None] * n,
        "one value": lambda: [rng.choice(WORDS)] * n,
        "flags": lambda: rng.choices([True, False, None], k=n),
        "few levels": lambda: [str(rng.randint(0, 3)) for _ in range(n)],
    }
    return kinds[rng.choice(sorted(kinds))]()


ARROW = {
    "list": lambda rng, n: pa.array([[rng.random()] * rng.randint(0, 3) for _ in range(n)]),
    "vector": lambda rng, n: pa.array([[rng.random(), rng.random()] for _ in range(n)]),
    "odd vector": lambda rng, n: pa.array([[rng.choice(ODD_NUMBERS), 1.0] for _ in range(n)]),
    "struct": lambda rng, n: pa.array([{"a": rng.randint(0, 3), "b": None} for _ in range(n)]),
    "date": lambda rng, n: pa.array([rng.randint(-(2**31), 2**31 - 1) for _ in range(n)], pa.int32()).cast(
        pa.date32()
    ),
    "timestamp": lambda rng, n: pa.array(
        [rng.randint(-(2**62), 2**62) for _ in range(n)], pa.timestamp(rng.choice(["us", "ns"]))
    ),
    "zone": lambda rng, n: pa.array(
        [rng.randint(0, 2**40) for _ in range(n)], pa.timestamp("ms", rng.choice(["UTC", "Mars/A", "+99:00"]))
    ),
    "time": lambda rng, n: pa.array([rng.randint(0, 10**13) for _ in range(n)], pa.time64("ns")),
    "duration": lambda rng, n: pa.array([rng.randint(-(2**62), 2**62) for _ in range(n)], pa.duration("s")),
    "decimal": lambda rng, n: pa.array([rng.randint(0, 9) for _ in range(n)]).cast(pa.decimal128(38, 9)),
    "bytes": lambda rng, n: pa.array([rng.randbytes(3) for _ in range(n)]),
    "levels": lambda rng, n: pa.array(rng.choices(WORDS, k=n)).dictionary_encode(),
    "half": lambda rng, n: pa.array(np.array([rng.gauss(0, 1e3) for _ in range(n)], np.float16)),
    "large": lambda rng, n: pa.array([rng.randint(0, 2**64 - 1) for _ in range(n)], pa.uint64()),
    "null": lambda rng, n: pa.nulls(n),
}


def write_odd_table(rng: Random, folder: Path) -> Path:
    """A table of odd columns as CSV, TSV or Parquet; some are damaged afterwards."""
    n = rng.choice([0, 1, 2, 3, 12, 25])
    names = [rng.choice([*WORDS, "a", "b", "id", "x" * 300]) for _ in range(rng.randint(0, 5))]
    if rng.random() < 0.5:
        columns = [ARROW[rng.choice(sorted(ARROW))](rng, n) for _ in names]
        path = folder / "t.parquet"
        pq.write_table(pa.Table.from_arrays(columns, names=names), path)
    else:
        path = folder / rng.choice(["t.csv", "t.tsv", "t.txt", "t.csv.gz"])
        frame = pd.DataFrame(dict(enumerate([odd_column(rng, n) for _ in names])))
        frame.columns = pd.Index(names, dtype=object)
        separator = rng.choice([",", ";", "\t", "|"])
        frame.to_csv(path, index=False, sep=separator, encoding=rng.choice(["utf-8", "utf-8-sig", "utf-16"]))
    if rng.random() < 0.35:
        damage(rng, path)
    return path


def damage(rng: Random, path: Path) -> None:
    """Cut a file, change some of its bytes, or put others in."""
    data = bytearray(path.read_bytes())
    how, at = rng.choice(["cut", "flip", "insert", "zero"]), rng.randrange(len(data) + 1)
    if how == "cut":
        del data[at:]
    elif how == "insert":
        data[at:at] = rng.choice([b"\0", b'"', b"\xff", b"\n", rng.randbytes(40)])
    else:
        for place in range(at, min(len(data), at + rng.choice([1, 8, 4096]))):
            data[place] = 0 if how == "zero" else rng.randrange(256)
    path.write_bytes(bytes(data))


def use(service: LabellingService) -> None:
    """Work with a session as a page does, and export it."""
    step = service.state(PERSON)
    for said in ("different", "same"):
        if step["question"] is None:
            break
        try:
            step = service.answer(PERSON, step["question"]["id"], said, 1.0)
        except Conflict:
            break
    shown = [step, service.groups(), service.history(PERSON), service.picture(PERSON)]
    json.dumps(shown, allow_nan=False)
    labels_table(service.snapshot())


def try_table(seed: int, folder: Path) -> str:
    """Label an odd table: "" if that works, or the sentence that it is refused with."""
    path = write_odd_table(Random(seed), folder)
    try:
        sample = read_sample(path)
        with closing(
            LabellingService.open(open_store(folder / "s.sqlite"), sample, title="t", path=path, ahead=False)
        ) as service:
            use(service)
    except SENTENCES as error:
        return str(error)
    return ""


ODD_JSON: list[Any] = [None, True, -1, 0, 10**400, 2**63, 1e308, -1e308, 5e-324, "", "\ud800", "x", [], {}]
ODD_JSON += [[[]], [None], {"": None}, [1e308] * 3, "NaN"]


def mutate(rng: Random, data: Any) -> Any:
    """JSON in which one value, at any depth, is another or missing."""
    if isinstance(data, dict | list) and data and rng.random() < 0.9:
        place = rng.choice(sorted(data) if isinstance(data, dict) else range(len(data)))
        copy = dict(data) if isinstance(data, dict) else list(data)
        if rng.random() < 0.1:
            del copy[place]
        else:
            copy[place] = mutate(rng, data[place])
        return copy
    return rng.choice(ODD_JSON)


def try_model(seed: int, folder: Path, model: str, table: pd.DataFrame) -> str:
    """Load a damaged model and assign rows: "" if that works, or the sentence."""
    rng, path = Random(seed), folder / "model.json"
    path.write_text(json.dumps(mutate(rng, json.loads(model))) if rng.random() < 0.8 else model)
    if path.read_text() == model:
        damage(rng, path)
    try:
        Model.load(path).assign(table)
    except SENTENCES as error:
        return str(error)
    return ""


def try_session(seed: int, folder: Path, store: bytes, table: pd.DataFrame) -> str:
    """Open a damaged session and work on: "" if that works, or the sentence."""
    rng, path = Random(seed), folder / "damaged.sqlite"
    path.write_bytes(store)
    if rng.random() < 0.5:
        damage(rng, path)
    else:
        _change_events(rng, path)
    try:
        opened = open_store(path)
        try:
            service = LabellingService.open(opened, table, title="t", options=Options(), ahead=False)
            use(service)
        finally:
            opened.close()
    except SENTENCES as error:
        return str(error)
    return ""


def _change_events(rng: Random, path: Path) -> None:
    """Change some cells of the table of events."""
    with closing(sqlite3.connect(path)) as connection, connection:
        events = connection.execute("SELECT seq, data FROM sameornot_events").fetchall()
        for seq, data in rng.sample(events, min(3, len(events))):
            column = rng.choice(["data", "data", "data", "kind", "author", "at", "DELETE"])
            if column == "DELETE":
                connection.execute("DELETE FROM sameornot_events WHERE seq = ?", (seq,))
                continue
            value = json.dumps(mutate(rng, json.loads(data))) if column == "data" else rng.choice(WORDS)
            connection.execute(f"UPDATE sameornot_events SET {column} = ? WHERE seq = ?", (value, seq))
