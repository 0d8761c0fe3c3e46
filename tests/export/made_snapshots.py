"""Snapshots made without a labelling service."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache

import numpy as np
import pandas as pd

from sameornot import ActiveSession
from sameornot.datasets import load_breast_cancer
from sameornot.oracles import truth, unsure
from sameornot.service.label_history import share_moved
from sameornot.service.snapshot import GivenAnswer, Group, Snapshot
from sameornot.table import TableEncoder, TableSample

START = datetime(2025, 3, 4, 9, 30, tzinfo=UTC)
HOSTILE = [
    "<script>alert(1)</script>",
    "=cmd()",
    "+1+1",
    "@SUM(A1)",
    "-2+3",
    'O\'Neil & "sons"',
    "\tTAB",
    "naïve 患者 ☃",
]


def snapshot_of(
    frame,
    y,
    *,
    clusters=2,
    n_answers=30,
    pool=None,
    ids=None,
    names=(),
    title="A table",
    keep_out=(),
    **options,
):
    """A session on (a pool of) a table, answered by the true labels."""
    pool = np.arange(len(frame)) if pool is None else np.asarray(pool)
    frame = frame if ids is None else frame.assign(**{"the record": ids})
    encoder = TableEncoder.fit(frame, keep_out=keep_out if ids is None else [*keep_out, "the record"])
    X = encoder.transform(frame.iloc[pool])
    session = ActiveSession(
        pd.DataFrame(X, columns=encoder.feature_names), clusters, random_state=0, **options
    )
    answer = unsure(truth(np.asarray(y)[pool]), 0.1, np.random.default_rng(1))
    churn = []
    before = None
    while len(session.answers) < n_answers and (pair := session.ask()) is not None:
        session.tell(answer(pair))
        if len(session.answers) % 10 == 0:
            now = session.result().labels
            if before is not None:
                churn.append((len(session.answers), share_moved(before, now)))
            before = now
    found = session.result()
    result = replace(found, neighbourhoods=[pool[members] for members in found.neighbourhoods])
    n_groups = int(result.labels.max()) + 1 if clusters is None else clusters
    return Snapshot(
        title=title,
        table=TableSample.of(frame),
        id_column=None if ids is None else "the record",
        encoder=encoder,
        X=X,
        pool=pool,
        result=result,
        groups=make_groups(n_groups, names),
        answers=make_answers(session.answers, pool),
        churn=churn,
        clusters=clusters,
        made=START + timedelta(hours=2),
    )


def make_groups(n_groups, names):
    """Group numbers differ from labels: a group keeps its number when labels change."""
    names = [*names, *[""] * n_groups][:n_groups]
    numbers = list(range(n_groups, 0, -1))
    return [
        Group(str(number), number, name, name or f"Group {number}")
        for number, name in zip(numbers, names, strict=True)
    ]


def make_answers(replies, pool):
    return [
        GivenAnswer(
            seq=2 * n + 3,
            left=int(pool[reply.pair.left]),
            right=int(pool[reply.pair.right]),
            answer=reply.answer.value,
            author="Dr. Ada" if n % 3 else "Ben",
            at=START + timedelta(seconds=7 * n),
            edited=n == 4,
            seconds=None if n == 0 else 2.0 + n % 5,
        )
        for n, reply in enumerate(replies)
    ]


@lru_cache
def cancer_snapshot(every=1, **options):
    X, y = load_breast_cancer()
    return snapshot_of(
        X, y, pool=np.arange(0, len(X), every), title="Breast tumours", names=("malignant",), **options
    )


def mixed_table(n_rows=120, seed=0):
    """Cells of all kinds, hostile ones too; the first two columns separate three kinds of rows."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n_rows)
    frame = pd.DataFrame(
        {
            "Größe <b>cm</b>": 170 + 12 * kind + rng.normal(0, 3, n_rows),
            "colour": np.array(["red", "green", "=blue()"])[np.where(rng.random(n_rows) < 0.9, kind, 0)],
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n_rows), "D"),
            "smokes": rng.random(n_rows) < 0.4,
            "remark": [f"{HOSTILE[i % len(HOSTILE)]} number {i * 7}" for i in rng.integers(0, 99, n_rows)],
            "always": "same",
            "$x^2$": rng.normal(size=n_rows),
        }
    )
    frame.loc[rng.choice(n_rows, 9, replace=False), "$x^2$"] = np.nan
    frame.loc[rng.choice(n_rows, 5, replace=False), "colour"] = None
    return frame, kind


@lru_cache
def mixed_snapshot(n_rows=120, **options):
    frame, kind = mixed_table(n_rows)
    ids = [f"{HOSTILE[row % len(HOSTILE)]} {row}" for row in range(n_rows)]
    options = {
        "clusters": 3,
        "n_answers": 21,
        "title": "Mixed <img src=x onerror=alert(2)> & “quoted”",
        "names": ("<script>alert(3)</script>", "=1+1 Größe 患者", ""),
        **options,
    }
    return snapshot_of(frame, kind, ids=ids, **options)
