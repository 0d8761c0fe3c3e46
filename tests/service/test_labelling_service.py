"""The service: the same session as in Python, for several people, with nothing lost and nothing twice."""

import threading

import numpy as np
import pandas as pd
import pytest

from sameornot import ActiveSession, Answer
from sameornot.datasets import make_gaussian
from sameornot.service import Conflict, LabellingService, Options, ServiceError
from sameornot.store import open_store

X, TRUTH = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
TABLE = pd.DataFrame(X, columns=[f"m{j}" for j in range(X.shape[1])])
K = len(np.unique(TRUTH))


@pytest.fixture
def reopen(tmp_path):
    """Open services on one store; those still open are closed at the end."""
    services = []

    def open_service(table=TABLE, clusters=K, *, ahead=False, **options):
        store = open_store(tmp_path / "sessions.sqlite")
        wanted = Options(clusters=clusters, **options)
        service = LabellingService.open(store, table, title="cells", options=wanted, ahead=ahead)
        services.append(service)
        return service

    yield open_service
    for service in services:
        service.close()


@pytest.fixture
def service(reopen):
    return reopen()


def right(question):
    """What an expert who knows the truth says."""
    same = TRUTH[question["left"]["row"]] == TRUTH[question["right"]["row"]]
    return "same" if same else "different"


def work(service, n_answers, person="ana", say=right):
    """Let a person answer her next questions; what she then sees."""
    step = service.state(person)
    for _ in range(n_answers):
        if step["question"] is None:
            break
        step = service.answer(person, step["question"]["id"], say(step["question"]), 2.0)
    return step


def pair_of(question):
    return question["left"]["row"], question["right"]["row"]


@pytest.mark.slow
@pytest.mark.parametrize("ahead", [False, True])
def test_the_service_asks_what_a_session_in_python_asks(reopen, ahead):
    service = reopen(ahead=ahead)
    session = ActiveSession(service.snapshot().X, K, standardize=False, random_state=0)
    step = service.state("ana")
    for _ in range(20):
        assert pair_of(step["question"]) == session.ask()
        session.tell(Answer(right(step["question"])))
        step = service.answer("ana", step["question"]["id"], right(step["question"]))
    assert (service.snapshot().result.labels == session.result().labels).all()


def test_a_reopened_session_is_where_it_was(service, reopen):
    work(service, 12)
    service.name("ana", "1", "quiet ones")
    before = service.state("ana")
    again = reopen()
    assert again.session == service.session
    after = again.state("ana")
    assert after["question"] == before["question"]
    assert after["progress"]["asked"] == 12
    assert again.groups() == service.groups()


def test_a_renamed_copy_of_the_table_is_the_same_session_and_a_changed_table_is_not(service, reopen):
    work(service, 3)
    assert reopen(TABLE.copy()).state("ana")["progress"]["asked"] == 3
    assert reopen(TABLE + 1.0).state("ana")["progress"]["asked"] == 0


def test_undo_equals_never_having_answered(service):
    steps = [service.state("ana")]
    for _ in range(10):
        question = steps[-1]["question"]
        steps.append(service.answer("ana", question["id"], right(question)))
    for earlier in reversed(steps[:-1]):
        undone = service.undo("ana")
        assert pair_of(undone["question"]) == pair_of(earlier["question"])
        assert undone["progress"]["asked"] == earlier["progress"]["asked"]
        assert undone["progress"]["moved"] == earlier["progress"]["moved"]
    with pytest.raises(ServiceError, match="no answer to undo"):
        service.undo("ana")


def test_an_answer_sent_twice_is_counted_once(service):
    question = service.state("ana")["question"]
    service.answer("ana", question["id"], "same")
    again = service.answer("ana", question["id"], "different")
    assert again["progress"]["asked"] == 1
    assert [line["answer"] for line in service.history("ana")["answers"]] == ["same"]


def test_a_contradiction_shows_the_chain_and_saves_nothing(service):
    service.say("ana", 0, 1, "same")
    service.say("ana", 1, 2, "same")
    with pytest.raises(Conflict) as conflict:
        service.say("ana", 0, 2, "different")
    payload = conflict.value.payload
    assert payload["kind"] == "contradiction"
    assert [(line["left"]["row"], line["right"]["row"]) for line in payload["chain"]] == [(0, 1), (1, 2)]
    assert payload["said"] == {"left": 0, "right": 2, "answer": "different", "question": None}
    assert payload["left"]["id"] == "row 1"
    assert service.state("ana")["progress"]["asked"] == 2


def test_each_way_out_of_a_contradiction_leads_to_answers_that_fit(service):
    service.say("ana", 0, 1, "same")
    service.say("ana", 1, 2, "same")
    with pytest.raises(Conflict) as conflict:
        service.say("ana", 0, 2, "different")
    option = conflict.value.payload["options"][1]
    assert option["label"] == "Answer 2 was wrong: row 2 and row 3 are different"
    service.resolve("ana", conflict.value.payload["said"], option["changes"])
    answers = [line["answer"] for line in service.history("ana")["answers"]]
    assert answers == ["same", "different", "different"]


def test_a_changed_answer_that_clashes_with_a_later_one_is_not_saved(service):
    service.say("ana", 0, 1, "same")
    service.say("ana", 1, 2, "different")
    service.say("ana", 0, 2, "different")
    seq = service.history("ana")["answers"][1]["seq"]
    with pytest.raises(Conflict) as conflict:
        service.change("ana", seq, "same")
    assert {line["n"] for line in conflict.value.payload["chain"]} == {1, 2, 3}
    assert all(option["changes"] for option in conflict.value.payload["options"])
    service.change("ana", seq, "remove")
    assert len(service.history("ana")["answers"]) == 2


def test_one_group_too_many_offers_to_have_one_more(service):
    def tell_apart(n):
        for i in range(n):
            for j in range(i):
                service.say("ana", i, j, "different")

    with pytest.raises(Conflict) as conflict:
        tell_apart(K + 1)
    payload = conflict.value.payload
    assert payload["kind"] == "too_many_groups"
    assert payload["clusters"] == K + 1
    option = payload["options"][0]
    step = service.resolve("ana", payload["said"], option["changes"], option["clusters"])
    assert step["progress"]["clusters"] == step["progress"]["groups"] == K + 1


def test_two_people_are_never_asked_the_same_pair_and_nothing_is_lost(service):
    ana, ben = service.state("ana"), service.state("ben")
    for turn in range(12):
        assert set(pair_of(ana["question"])) != set(pair_of(ben["question"]))
        if turn % 3:
            ana = service.answer("ana", ana["question"]["id"], right(ana["question"]))
        else:
            ben = service.answer("ben", ben["question"]["id"], right(ben["question"]))
    answers = service.history("ana")["answers"]
    assert len(answers) == 12
    assert sum(line["yours"] for line in answers) == 8
    people = service.progress("ben")["people"]
    assert [(one["answers"], one["you"]) for one in people] == [(8, False), (4, True)]


def test_a_person_who_leaves_gives_her_question_back(service):
    first = service.state("ana")["question"]
    assert pair_of(service.state("ben")["question"]) != pair_of(first)
    service.leave("ana")
    assert pair_of(service.state("cleo")["question"]) == pair_of(first)


def test_people_in_several_processes_see_each_other(service, reopen):
    """Two services on one store stand for two processes: they share nothing but the file."""
    other = reopen()
    first, second = service.state("ana"), other.state("ben")
    assert pair_of(first["question"]) != pair_of(second["question"])
    seen = service.version
    other.answer("ben", second["question"]["id"], right(second["question"]))
    assert service.wait(seen, timeout=5.0) > seen
    assert service.progress("ana")["asked"] == 1


@pytest.mark.slow
def test_many_hands_at_once_lose_nothing(reopen):
    services = [reopen(ahead=True), reopen()]
    n_each = 5

    def answer_some(service, person):
        work(service, n_each, person)

    hands = [threading.Thread(target=answer_some, args=(services[n % 2], f"person {n}")) for n in range(4)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()
    answers = services[0].history("nobody")["answers"]
    assert len(answers) == len(hands) * n_each
    assert len({line["seq"] for line in answers}) == len(answers)
    assert services[0].history("x") == services[1].history("x")


@pytest.mark.slow
def test_group_numbers_and_names_stay_while_groups_grow(service):
    work(service, 15)
    rows = {
        line["number"]: service.members(line["key"], "placed")["members"]
        for line in service.groups()["groups"]
    }
    service.name("ana", "2", "second")
    work(service, 15)
    for line in service.groups()["groups"]:
        placed_now = {m["row"] for m in service.members(line["key"], "placed", limit=200)["members"]}
        assert {member["row"] for member in rows.get(line["number"], [])} <= placed_now
    assert [line["name"] for line in service.groups()["groups"]] == ["", "second", ""]


def test_a_group_that_has_gone_has_no_members(service):
    work(service, 12)
    assert service.members("9", "typical") == {"members": [], "total": 0}
    with pytest.raises(ServiceError, match="order is 'random'"):
        service.members("9", "random")


def test_a_wrong_member_becomes_an_answer(service):
    work(service, 15)
    group = service.groups()["groups"][0]
    member = next(m for m in service.members(group["key"], "unsure")["members"] if not m["placed"])
    service.wrong("ana", member["row"])
    last = service.history("ana")["answers"][-1]
    assert (last["left"]["row"], last["answer"]) == (member["row"], "different")
    now = {m["row"] for m in service.members(group["key"], "typical", limit=200)["members"]}
    assert member["row"] not in now


def test_asking_about_a_member_makes_it_the_next_question(service):
    work(service, 15)
    member = next(m for m in service.members("1", "unsure")["members"] if not m["placed"])
    step = service.ask_about("ana", member["row"])
    assert step["question"]["left"]["row"] == member["row"]
    assert service.state("ana")["question"] == step["question"]


@pytest.mark.slow
def test_merging_groups_that_were_told_apart_changes_those_answers_once_confirmed(service):
    work(service, 20)
    with pytest.raises(Conflict) as conflict:
        service.merge("ana", "1", "2")
    payload = conflict.value.payload
    assert payload["kind"] == "merge"
    assert all(line["answer"] == "different" for line in payload["chain"])
    service.resolve("ana", None, payload["options"][0]["changes"])
    merged = {m["row"] for m in service.members("1", "placed", limit=200)["members"]}
    assert {row for line in payload["chain"] for row in (line["left"]["row"], line["right"]["row"])} <= merged


@pytest.mark.slow
def test_the_stop_hint_comes_when_nearly_all_rows_are_estimated_to_be_right(service):
    early = work(service, 9)["progress"]
    assert early["moved"] is None
    assert not early["can_stop"]
    late = work(service, 40)["progress"]
    assert late["agreement"]["low"] >= 0.9
    assert late["can_stop"]
    assert late["hint"].startswith("You can stop: an estimated ")
    assert 0 < late["held"] == late["repeats"]  # she is always right, and was asked again now and then
    assert [n for n, _ in late["moves"]] == list(range(10, late["asked"] + 1))


@pytest.mark.slow
def test_the_line_of_moves_is_there_again_after_a_restart(service, reopen):
    moves = work(service, 16)["progress"]["moves"]
    again = reopen(ahead=True)
    while len(again.progress("ana")["moves"]) < len(moves):
        pass
    assert again.progress("ana")["moves"] == moves


def test_time_left_follows_this_persons_pace(service):
    progress = work(service, 5)["progress"]
    assert progress["seconds_each"] == 2.0
    assert progress["seconds_left"] == 2.0 * (progress["budget"] - 5)
    assert service.progress("ben")["seconds_left"] is None


def test_a_question_says_why_and_orders_columns_by_weight(service):
    question = work(service, 20)["question"]
    assert "is compared with Group" in question["why"]
    weights = [field["weight"] for field in question["fields"]]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1.0)


def test_the_pool_is_bounded_and_the_page_says_so(reopen):
    service = reopen(pool=30)
    state = service.state("ana")
    assert state["pool"] == 30
    assert any("30 of the 60 rows" in notice for notice in state["notices"])
    work(service, 10)
    assert len(service.snapshot().result.labels) == 30


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"id": "nobody"}, "id names the column 'nobody'"),
        ({"ignore": ["m0", "zz"]}, "ignore names the column 'zz'"),
        ({"budget": 0}, "budget is 0"),
    ],
)
def test_options_that_do_not_fit_the_table_are_named(reopen, options, sentence):
    with pytest.raises(ServiceError, match=sentence):
        reopen(**options)


def test_more_groups_than_rows_is_said_at_once(reopen):
    with pytest.raises(ServiceError, match="99 groups are wanted but the table has 60 rows"):
        reopen(clusters=99)


def test_two_rows_leave_one_question(reopen):
    service = reopen(pd.DataFrame({"a": [1.0, 2.0]}), clusters=None)
    question = service.state("ana")["question"]
    step = service.answer("ana", question["id"], "same")
    assert step["question"] is None
    assert step["progress"]["asked"] == 1
