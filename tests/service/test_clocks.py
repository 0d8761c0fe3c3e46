"""Who is here does not depend on the clocks of computers: neither servers that disagree nor one set back."""

from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from sameornot.service import LabellingService, Options
from sameornot.store import open_store

TABLE = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 2)), columns=["a", "b"])
ANA, BEA = "a" * 16, "b" * 16


def store_with_clock(path, offset):
    """A store on a computer whose clock is ahead by `offset`, which can be changed."""
    store = open_store(path)
    store._backend = replace(
        store._backend, clock=lambda connection: datetime.now(UTC) + timedelta(minutes=offset[0])
    )
    return store


def serve(path, offset):
    return closing(
        LabellingService.open(
            store_with_clock(path, offset), TABLE, title="t", options=Options(), ahead=False
        )
    )


def rows_asked(step):
    return {step["question"]["left"]["row"], step["question"]["right"]["row"]}


@pytest.mark.parametrize("minutes", [-12, 12, -60 * 24 * 365])
def test_two_servers_whose_clocks_differ_ask_nobody_what_another_looks_at(tmp_path, minutes):
    path = tmp_path / "s.sqlite"
    with serve(path, [0]) as here, serve(path, [minutes]) as there:
        first = here.state(ANA)
        second = there.state(BEA)
        assert first["question"]["left"]["row"] != second["question"]["left"]["row"]
        assert [person["looking"] for person in there.progress(BEA)["people"]] == [True, True]
        here.answer(ANA, first["question"]["id"], "same")
        assert len(there.history(BEA)["answers"]) == 1
        assert len(here.progress(ANA)["people"]) == 2


@pytest.mark.parametrize("minutes", [-90, 90])
def test_clock_that_is_set_while_people_work_changes_nobody(tmp_path, minutes):
    offset = [0]
    with serve(tmp_path / "s.sqlite", offset) as service:
        ana, bea = service.state(ANA), service.state(BEA)
        offset[0] = minutes
        step = service.answer(ANA, ana["question"]["id"], "different")
        assert step["question"]["left"]["row"] != bea["question"]["left"]["row"]
        assert len(service.progress(BEA)["people"]) == 2
        assert service.state(BEA)["question"]["id"] == bea["question"]["id"]


def test_after_a_restart_those_who_were_quiet_for_long_are_away(tmp_path):
    path = tmp_path / "s.sqlite"
    with serve(path, [-12]) as service:
        asked = rows_asked(service.state(ANA))
    with serve(path, [0]) as service:
        assert rows_asked(service.state(BEA)) == asked
        assert len(service.progress(BEA)["people"]) == 1
