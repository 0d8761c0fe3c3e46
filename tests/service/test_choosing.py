"""Choices in the service: one line each, for several people, with undo, corrections and resuming."""

import re

import numpy as np
import pandas as pd
import pytest

from sameornot.export.labels import ANSWER_COLUMNS, answers_table
from sameornot.export.report import write_report
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.store import Draft, open_store

TRUTH = np.arange(72) % 6
TABLE = pd.DataFrame((np.random.default_rng(3).normal(size=(72, 6)) + 3.0 * np.eye(6)[TRUTH]).round(2))
TABLE.columns = [f"m{j}" for j in range(6)]
PAIRS = 1


@pytest.fixture
def place(tmp_path):
    return tmp_path / "sessions.sqlite"


@pytest.fixture
def reopen(place):
    """Open services on one store; they are closed at the end."""
    services = []

    def open_service(*, ahead=False, clusters=6):
        store = open_store(place)
        options = Options(clusters=clusters)
        services.append(LabellingService.open(store, TABLE, title="kinds", options=options, ahead=ahead))
        return services[-1]

    yield open_service
    for service in services:
        service.close()


@pytest.fixture
def service(reopen):
    return reopen()


def rows_of(question):
    """The row and the candidates of what is shown."""
    row, choice = question["left"]["row"], question.get("choice")
    return row, [c["row"] for c in choice] if choice else [question["right"]["row"]]


def respond(service, person, question):
    """Answer truthfully."""
    row, candidates = rows_of(question)
    fitting = [candidate for candidate in candidates if TRUTH[candidate] == TRUTH[row]]
    if "choice" not in question or len(fitting) > 1:
        said = "same" if TRUTH[question["right"]["row"]] == TRUTH[row] else "different"
        return service.answer(person, question["id"], said, 1.0)
    said = "same" if fitting else "different"
    return service.choose(person, question["id"], said, *fitting, seconds=1.0)


def work(service, n_screens, person="ana"):
    step = service.state(person)
    for _ in range(n_screens):
        step = respond(service, person, step["question"])
    return step


def work_until_choice(service, person="ana", n_candidates=2):
    step = service.state(person)
    while len(step["question"].get("choice", ())) < n_candidates:
        step = respond(service, person, step["question"])
    return step


def without_id(question):
    return {name: value for name, value in question.items() if name != "id"}


def test_with_four_known_groups_choices_are_shown_and_pairs_before(service):
    step, n_choices = service.state("ana"), 0
    for _ in range(30):
        has_choice = "choice" in step["question"]
        n_choices += has_choice
        assert not has_choice or step["progress"]["groups"] >= 4
        assert step["progress"]["can_choose"] == (step["progress"]["groups"] >= 4)
        step = respond(service, "ana", step["question"])
    assert n_choices > 10
    assert step["progress"]["asked"] == 30
    assert step["progress"]["pairs"] > 60


def test_a_choice_shows_the_group_and_the_fields_of_each_candidate(service):
    question = work_until_choice(service)["question"]
    first, *_ = question["choice"]
    assert (first["row"], first["id"]) == (question["right"]["row"], question["right"]["id"])
    labels = {line["label"]: line for line in service.groups()["groups"]}
    for candidate in question["choice"]:
        assert labels[candidate["group"]]["number"] == candidate["number"]
        assert candidate["n_known"] == labels[candidate["group"]]["placed"]
        assert 0.0 <= candidate["proba"] <= 1.0
        cells = [cell["right"] for cell in candidate["fields"]]
        assert cells == [str(TABLE.loc[candidate["row"], field["column"]]) for field in question["fields"]]
    assert f"is compared with {len(question['choice'])} groups at once" in question["why"]


def test_an_answer_to_a_choice_is_one_line_of_the_history(service):
    step = work_until_choice(service)
    row, candidates = rows_of(step["question"])
    before = step["progress"]
    after = service.choose("ana", step["question"]["id"], "same", candidates[1], 2.5)["progress"]
    assert (after["asked"], after["pairs"]) == (before["asked"] + 1, before["pairs"] + len(candidates))
    line = service.history("ana")["answers"][-1]
    assert (line["left"]["row"], line["right"]["row"], line["answer"]) == (row, candidates[1], "same")
    assert [candidate["row"] for candidate in line["candidates"]] == candidates


@pytest.mark.parametrize("said", ["same", "different", "unsure"])
def test_undo_shows_the_same_screen_again(service, said):
    step = work_until_choice(service)
    question = step["question"]
    row, candidates = rows_of(question)
    service.choose("ana", question["id"], said, candidates[-1] if said == "same" else None)
    undone = service.undo("ana")
    assert without_id(undone["question"]) == without_id(question)
    assert undone["progress"]["asked"] == step["progress"]["asked"]
    assert f"row {row + 1}" in undone["said"]


@pytest.mark.parametrize("ahead", [False, True])
def test_a_reopened_session_is_where_it_was(reopen, ahead):
    service = reopen(ahead=ahead)
    step = work(service, 25)
    again = reopen()
    assert again.state("ana")["question"] == step["question"]
    assert again.history("ana") == service.history("ana")
    assert again.groups() == service.groups()


def test_a_person_can_want_pairs_and_choices_again(service):
    question = work_until_choice(service)["question"]
    asked = service.prefer("ana", PAIRS)
    assert "choice" not in asked["question"]
    assert asked["progress"]["choices"] == PAIRS
    assert asked["question"]["right"] == question["right"]
    for _ in range(3):
        asked = respond(service, "ana", asked["question"])
        assert "choice" not in asked["question"]
    for _ in range(3):
        service.undo("ana")
    assert without_id(service.prefer("ana", None)["question"]) == without_id(question)
    assert len(service.prefer("ana", 3)["question"]["choice"]) <= 3


def test_a_wanted_number_of_choices_holds_also_for_few_groups(reopen):
    service = reopen(clusters=None)
    service.prefer("ana", 2)
    step = work_until_choice(service)
    assert step["progress"]["groups"] < 4
    assert len(step["question"]["choice"]) == 2


@pytest.mark.parametrize("choices", [0, 10])
def test_no_choices_and_too_many_are_refused(service, choices):
    with pytest.raises(ServiceError, match=f"choices is {choices} but 1 to 9 is needed"):
        service.prefer("ana", choices)


def test_the_preference_is_each_persons_own(service):
    work_until_choice(service)
    service.prefer("ana", PAIRS)
    assert "choice" not in service.state("ana")["question"]
    assert service.state("ben")["progress"]["choices"] is None


def test_an_answer_that_does_not_belong_to_the_choice_is_refused(service):
    question = work_until_choice(service)["question"]
    row, candidates = rows_of(question)
    for said, candidate in (("same", None), ("different", candidates[0]), ("same", row)):
        with pytest.raises(ServiceError):
            service.choose("ana", question["id"], said, candidate)
    assert service.state("ana")["question"] == question


def test_two_people_choose_about_different_rows_and_nothing_is_lost(service):
    work(service, 14)
    ana, ben = service.state("ana"), service.state("ben")
    n_choices = 0
    for turn in range(10):
        assert rows_of(ana["question"])[0] != rows_of(ben["question"])[0]
        n_choices += "choice" in ben["question"]
        if turn % 2:
            ana = respond(service, "ana", ana["question"])
        else:
            ben = respond(service, "ben", ben["question"])
    assert n_choices > 3
    assert len(service.history("ana")["answers"]) == 24


def test_an_answer_that_settles_a_candidate_changes_the_choice_of_the_other_person(service):
    question = work_until_choice(service, n_candidates=3)["question"]
    row, candidates = rows_of(question)
    service.say("ben", row, candidates[1], "different")
    shown = service.state("ana")["question"]
    assert candidates[1] not in rows_of(shown)[1]


def test_a_choice_that_contradicts_shows_the_chain_and_saves_nothing(service):
    question = work_until_choice(service, n_candidates=3)["question"]
    row, candidates = rows_of(question)
    service.say("ben", row, candidates[1], "same")
    n_before = len(service.history("ana")["answers"])
    with pytest.raises(Conflict) as conflict:
        service.choose("ana", question["id"], "different")
    payload = conflict.value.payload
    assert payload["sentence"].startswith("“None of these” cannot be true together with an earlier answer")
    assert [(line["left"]["row"], line["right"]["row"]) for line in payload["chain"]] == [
        (row, candidates[1])
    ]
    assert len(service.history("ana")["answers"]) == n_before
    service.resolve("ana", payload["said"], payload["options"][0]["changes"])
    last = service.history("ana")["answers"][-1]
    assert (last["answer"], [c["row"] for c in last["candidates"]]) == ("different", candidates)


def test_a_wrong_choice_can_be_corrected_to_the_candidate_that_a_later_answer_names(service):
    question = work_until_choice(service, n_candidates=3)["question"]
    row, candidates = rows_of(question)
    service.choose("ana", question["id"], "different")
    with pytest.raises(Conflict) as conflict:
        service.say("ana", row, candidates[2], "same")
    payload = conflict.value.payload
    (option,) = payload["options"]
    seq = service.history("ana")["answers"][-1]["seq"]
    (change,) = option["changes"]
    assert (change["seq"], change["to"], change["candidates"][0]) == (seq, "same", candidates[2])
    service.resolve("ana", payload["said"], option["changes"])
    corrected = service.history("ana")["answers"][-2]
    assert (corrected["right"]["row"], corrected["answer"]) == (candidates[2], "same")
    assert [c["row"] for c in corrected["candidates"]] == candidates


def test_in_the_history_another_candidate_can_be_chosen(service, reopen):
    step = work_until_choice(service)
    row, candidates = rows_of(step["question"])
    service.choose("ana", step["question"]["id"], "same", candidates[0])
    seq = service.history("ana")["answers"][-1]["seq"]
    service.change("ana", seq, "same", [candidates[1], candidates[0], *candidates[2:]])
    line = reopen().history("ana")["answers"][-1]
    assert (line["right"]["row"], line["answer"], line["edited"]) == (candidates[1], "same", True)
    service.change("ana", seq, "different")
    assert service.history("ana")["answers"][-1]["answer"] == "different"
    assert [c["row"] for c in service.history("ana")["answers"][-1]["candidates"]] == candidates
    with pytest.raises(ServiceError, match="is not about all of the rows"):
        service.change("ana", seq, "same", [row])


def test_merging_two_groups_changes_the_choices_that_tell_them_apart(service):
    question = work_until_choice(service, n_candidates=3)["question"]
    _, candidates = rows_of(question)
    service.choose("ana", question["id"], "same", candidates[0])
    labels = {c["row"]: str(c["number"]) for c in question["choice"]}
    a, b = labels[candidates[0]], labels[candidates[1]]
    with pytest.raises(Conflict):
        service.merge("ana", a, b)
    service.merge("ana", a, b, confirm=True)
    constraints = service.snapshot().session.constraints
    assert constraints.relation(candidates[0], candidates[1]).value != "different"


def test_exports_hold_the_implied_pairs_and_the_report_one_line(service):
    step = work_until_choice(service)
    row, candidates = rows_of(step["question"])
    service.choose("ana", step["question"]["id"], "same", candidates[1], 2.5)
    snapshot = service.snapshot()
    answers = answers_table(snapshot)
    assert tuple(answers.columns) == (*ANSWER_COLUMNS[:-1], "screen")
    assert answers.n.tolist() == list(range(1, len(answers) + 1))
    assert answers.screen.max() == len(snapshot.answers) == step["progress"]["asked"] + 1
    last = answers[answers.screen == answers.screen.max()]
    assert last.left_row.tolist() == [row + 1] * len(candidates)
    others = [candidate + 1 for candidate in candidates if candidate != candidates[1]]
    assert last.right_row.tolist() == [candidates[1] + 1, *others]
    assert last.answer.tolist() == ["same"] + ["different"] * len(others)
    assert last.seconds.iloc[0] == 2.5
    assert last.seconds.iloc[1:].isna().all()
    report = write_report(snapshot)
    names = ", ".join(f"row {other}" for other in others)
    assert f"(not {names})" in report
    lines = re.findall(r'<tr><td class="number">(\d+)</td><td>row', report.partition("The answers</h2>")[2])
    assert lines == [str(n) for n in range(1, len(snapshot.answers) + 1)]


# --- the store ------------------------------------------------------------------------------------------


def events_of(place, service):
    store = open_store(place)
    events = store.read(service.session)
    store.close()
    return events


def test_only_events_of_choices_name_other_candidates(service, place):
    question = work_until_choice(service)["question"]
    _, candidates = rows_of(question)
    assert not any("others" in e.data for e in events_of(place, service) if e.kind == "answered")
    service.choose("ana", question["id"], "unsure")
    shown = next(e for e in events_of(place, service) if e.seq == question["id"])
    assert shown.data["others"] == candidates[1:]
    (answered,) = (e for e in events_of(place, service) if e.data.get("question") == question["id"])
    assert answered.data["others"] == candidates[1:]


@pytest.mark.parametrize("others", [[0], [1], [2, 2], [99], ["2"], 7, list(range(2, 12))])
def test_an_event_whose_candidates_cannot_be_is_skipped_and_noted(service, reopen, place, others):
    data = {"left": 0, "right": 1, "answer": "same", "step": 1, "question": None, "seconds": None}
    store = open_store(place)
    n_events = len(store.read(service.session))
    drafts = [Draft("ana", "answered", data | {"recheck": False, "others": others})]
    store.append(service.session, drafts, after=n_events)
    store.close()
    again = reopen()
    assert again.history("ana")["answers"] == []
    assert any("could not be read" in notice for notice in again.state("ana")["notices"])
