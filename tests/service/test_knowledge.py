"""What was known before the first question: folded, stored, left out, put back, and in conflicts."""

import json

import numpy as np
import pandas as pd
import pytest

from sameornot._types import Answer
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.service.events import Learned
from sameornot.service.knowledge import Knowledge, LabelItem, PairItem, Place, Source
from sameornot.service.known_files import read_labels, read_pairs
from sameornot.store import open_store
from sameornot.table import TableSample

RNG = np.random.default_rng(0)
N = 60
KIND = np.arange(N) % 3
TABLE = pd.DataFrame(
    {
        "who": [f"p{row}" for row in range(N)],
        "kind": [f"kind {k}" if row < 15 else None for row, k in enumerate(KIND)],
        "x": 5.0 * (KIND == 0) + RNG.normal(size=N),
        "y": 5.0 * (KIND == 1) + RNG.normal(size=N),
    }
)
SAMPLE = TableSample.of(TABLE)
SAME, DIFFERENT = Answer.SAME, Answer.DIFFERENT


@pytest.fixture
def open_service(tmp_path):
    store = open_store(str(tmp_path / "s.sqlite"))
    opened = []

    def make(**options):
        chosen = Options(**{"id": "who", "ignore": ["kind"], "clusters": 3, **options})
        service = LabellingService.open(store, SAMPLE, title="people", options=chosen, ahead=False)
        opened.append(service)
        return service

    yield make
    for service in opened:
        service.close()


def pairs(*lines):
    return Learned("pairs.csv", tuple(PairItem(*line, n) for n, line in enumerate(lines, start=2)))


def test_labels_are_not_counted_as_answers_and_name_their_groups(open_service):
    service = open_service()
    service.learn(read_labels(SAMPLE, "kind"))
    state = service.state("ana")
    assert state["progress"]["asked"] == 0
    assert state["progress"]["groups"] == 3
    assert state["progress"]["placed"] == 15
    assert sorted(group["label"] for group in service.groups()["groups"]) == ["kind 0", "kind 1", "kind 2"]
    (source,) = service.history("ana")["known"]
    assert (source["name"], source["n"], source["removed"]) == ("column kind", 15, [])
    assert source["items"][1]["text"] == "p1: kind 1"


def test_the_same_source_is_taken_in_once_and_survives_reopening(open_service):
    service = open_service()
    service.learn(read_labels(SAMPLE, "kind"))
    version = service.version
    service.learn(read_labels(SAMPLE, "kind"))
    assert service.version == version
    again = open_service()
    assert again.history("ana")["known"] == service.history("ana")["known"]
    assert again.state("ana")["question"] == service.state("ana")["question"]


def test_items_are_left_out_and_put_back(open_service):
    service = open_service()
    service.learn(read_labels(SAMPLE, "kind"))
    before = service.state("ana")
    (source,) = service.history("ana")["known"]
    step = service.disregard("ana", source["source"], list(range(15)))
    assert step["progress"]["placed"] == 0
    assert service.history("ana")["known"][0]["removed"] == list(range(15))
    service.disregard("ana", source["source"], [])
    assert service.state("ana")["progress"]["placed"] == before["progress"]["placed"]
    with pytest.raises(ServiceError, match="column kind has 15 items, and 99 is none of them"):
        service.disregard("ana", source["source"], [99])


def test_contradictions_in_a_file_are_listed_with_their_lines_and_nothing_is_lost(open_service):
    service = open_service()
    service.learn(pairs((20, 21, SAME), (21, 22, SAME), (20, 22, DIFFERENT), (30, 31, DIFFERENT)))
    notice = next(notice for notice in service.state("ana")["notices"] if "set aside" in notice)
    assert notice == (
        "Of pairs.csv, 1 of 4 contradict the others and are set aside: line 4, p20 and p22: different "
        "(against line 2, p20 and p21: same and line 3, p21 and p22: same). The history lists them."
    )
    (source,) = service.history("ana")["known"]
    assert source["n_aside"] == 1
    assert source["items"][2]["against"] == ["line 2, p20 and p21: same", "line 3, p21 and p22: same"]
    service.disregard("ana", source["source"], [1])
    assert service.history("ana")["known"][0]["n_aside"] == 0


def test_an_answer_that_contradicts_what_was_known_offers_to_leave_it_out(open_service):
    service = open_service()
    service.learn(pairs((20, 21, SAME), (21, 22, SAME)))
    with pytest.raises(Conflict) as caught:
        service.say("ana", 20, 22, "different")
    payload = caught.value.payload
    assert payload["known"] == [
        {"source": "pairs.csv", "text": "line 2, p20 and p21: same"},
        {"source": "pairs.csv", "text": "line 3, p21 and p22: same"},
    ]
    option = payload["options"][1]
    assert option["label"] == "Leave out pairs.csv, line 3, p21 and p22: same"
    service.resolve("ana", payload["said"], option["changes"], None, option["disregard"])
    assert service.history("ana")["known"][0]["removed"] == [1]
    assert service.progress("ana")["asked"] == 1


def test_of_labels_only_those_of_the_rows_in_question_are_named(open_service):
    service = open_service()
    service.learn(read_labels(SAMPLE, "kind"))
    service.say("ana", 40, 9, "same")
    with pytest.raises(Conflict) as caught:
        service.say("ana", 40, 13, "same")
    payload = caught.value.payload
    assert [known["text"] for known in payload["known"]] == ["p9: kind 0", "p13: kind 1"]
    assert [line["n"] for line in payload["chain"]] == [1]


def test_answers_given_before_lose_against_what_is_learned_later(open_service):
    service = open_service()
    service.say("ana", 0, 3, "different")
    service.learn(read_labels(SAMPLE, "kind"))
    assert any(
        "1 answer of this session cannot be true" in notice for notice in service.state("ana")["notices"]
    )


def test_labels_that_tell_too_many_groups_apart_are_refused(open_service):
    service = open_service(clusters=2)
    with pytest.raises(
        ServiceError, match="column kind tells 3 groups apart but 2 are wanted: give --clusters 3"
    ):
        service.learn(read_labels(SAMPLE, "kind"))
    assert service.history("ana")["known"] == []


def test_sources_add_up():
    knowledge = Knowledge(
        (
            Source(1, "a", (LabelItem(0, "x"), LabelItem(1, "x"), LabelItem(2, "y"))),
            Source(2, "b", (PairItem(1, 5, SAME, 2), PairItem(5, 2, SAME, 3))),
        ),
        9,
    )
    assert knowledge.known.groups == ((0, 1, 5), (2,))
    assert [aside.place for aside in knowledge.set_aside] == [Place(2, 1)]
    assert knowledge.without({2: [0]}).known.groups == ((0, 1), (2, 5))


def write(path, text):
    path.write_text(text)
    return path


FILES = {
    "own.csv": "left,right,answer\np1,p4,same\np1,p2,different\np3,p5,unsure\n",
    "three.csv": "first,second,verdict\np1,p4,yes\np1,p2,no\np3,p5,\n",
    "splink.csv": (
        "unique_id_l,unique_id_r,source,clerical_match_score\np1,p4,s,1.0\np1,p2,s,0.1\np3,p5,s,0.5\n"
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_of_pairs_is_read(name, tmp_path):
    found = read_pairs(write(tmp_path / name, FILES[name]), SAMPLE, "who")
    assert found.notices == []
    assert [item[:3] for item in found.learned.items] == [
        (1, 4, SAME),
        (1, 2, DIFFERENT),
        (3, 5, Answer.UNSURE),
    ]
    assert [item.line for item in found.learned.items] == [2, 3, 4]


def test_training_file_of_dedupe_is_read(tmp_path):
    def record(row):
        return {"who": f"P{row} ", "kind": TABLE["kind"][row]}

    data = {
        "distinct": [{"__class__": "tuple", "__value__": [record(1), record(2)]}],
        "match": [{"__class__": "tuple", "__value__": [record(1), record(4)]}],
    }
    found = read_pairs(write(tmp_path / "training.json", json.dumps(data)), SAMPLE, None)
    assert [item[:3] for item in found.learned.items] == [(1, 4, SAME), (1, 2, DIFFERENT)]


def test_lines_without_effect_are_named(tmp_path):
    path = write(tmp_path / "p.csv", "a,b,c\np1,p4,same\np1,p99,same\np1,p1,same\np1,p2,maybe\n")
    assert read_pairs(path, SAMPLE, "who").notices == [
        "Line 3 ('p99') of p.csv names a record that the table does not have and had no effect.",
        "Line 4 of p.csv names one record twice and had no effect.",
        "Line 5 ('maybe') of p.csv names an answer other than same, different or unsure and had no effect.",
    ]


REFUSALS = {
    "--labels names the column 'sort', and the table has who, kind, x, y": lambda folder: read_labels(
        SAMPLE, "sort"
    ),
    "p.csv has the columns a, b: two of identifiers and one of answers (same, different or unsure) are "
    "needed": (lambda folder: read_pairs(write(folder / "p.csv", "a,b\n1,2\n"), SAMPLE, "who")),
    "p.json is no training file of dedupe: JSON with “match” and “distinct” pairs is needed": (
        lambda folder: read_pairs(write(folder / "p.json", "[1"), SAMPLE, "who")
    ),
}


@pytest.mark.parametrize("sentence", REFUSALS)
def test_files_that_cannot_be_used_are_refused(sentence, tmp_path):
    with pytest.raises(ServiceError) as caught:
        REFUSALS[sentence](tmp_path)
    assert str(caught.value) == sentence
