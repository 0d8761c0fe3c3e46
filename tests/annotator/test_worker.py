"""A language model in a session: its answers are its own, people are asked what is doubtful, nobody waits."""

from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from chat_server import wait_until

from sameornot import Answer
from sameornot.annotator import AnnotatorWorker, Budget, Endpoint, LanguageModel
from sameornot.annotator.client import Retries
from sameornot.datasets import make_gaussian
from sameornot.export import answers_table
from sameornot.service import Conflict, LabellingService, Options
from sameornot.store import open_store

ANA = "a" * 16
N = 30
KINDS = np.array(["x", "y", "z"])[np.arange(N) % 3]
FAST = Retries(n_tries=2, first=0.01, longest=0.05, timeout=5.0)


@pytest.fixture
def service(tmp_path):
    values = np.random.default_rng(0).normal(size=(N, 2)) + 4 * (np.arange(N) % 3)[:, None]
    table = pd.DataFrame(values, columns=["a", "b"]).assign(kind=KINDS, id=[f"r{n}" for n in range(N)])
    service = LabellingService.open(
        open_store(tmp_path / "s.sqlite"), table, title="t", options=Options(id="id"), ahead=False
    )
    yield service
    service.close()


def worker_for(service, chat, **settings):
    model = LanguageModel(Endpoint(chat.url, "tiny", None, FAST), n_pairs=4, **settings)
    return AnnotatorWorker(service, model, pause=0.05, idle=0.05)


def answers_of(service):
    return service.history(ANA)["answers"]


def test_answers_are_right_and_signed_as_its_own(service, chat):
    worker = worker_for(service, chat)
    stored = worker.step() + worker.step()
    answers = answers_of(service)
    assert stored == len(answers) > 4
    assert {answer["author"] for answer in answers} == {"tiny (model)"}
    table = answers_table(service.snapshot())
    is_same = KINDS[table["left_row"] - 1] == KINDS[table["right_row"] - 1]
    assert (table["answer"] == np.where(is_same, "same", "different")).all()
    assert set(table["author"]) == {"tiny (model)"}


def test_page_says_to_whom_records_are_sent_and_nothing_is_sent_without_the_option(service, chat):
    assert service.state(ANA)["annotator"] is None
    assert chat.requests == []
    worker_for(service, chat)
    notice = service.state(ANA)["annotator"]
    assert notice.startswith(f"Records of this table are sent to {worker_host(chat)}, where the model tiny")
    assert chat.requests == []


def worker_host(chat):
    return chat.url.split("/")[2]


def test_nobody_is_asked_what_it_looks_at_and_the_other_way_round(service, chat):
    asked = service.state(ANA)["question"]
    worker = worker_for(service, chat)
    leases = worker.annotator.ask(4)
    rows = [asked["left"]["row"], *(lease.pair.left for lease in leases)]
    assert len(set(rows)) == len(rows) > 2
    bea = service.state("b" * 16)["question"]
    assert bea["left"]["row"] not in rows
    people = service.progress(ANA)["people"]
    assert sorted(person["name"] for person in people) == ["", "", "tiny (model)"]
    worker.annotator.release()
    assert worker.annotator.ask(1)


def test_people_are_asked_what_it_was_unsure_about(service, chat):
    chat.rule = lambda a, b: "unsure"
    worker = worker_for(service, chat)
    assert worker.step() > 0
    unsure = {frozenset((line["left"]["row"], line["right"]["row"])) for line in answers_of(service)}
    question = service.state(ANA)["question"]
    assert frozenset((question["left"]["row"], question["right"]["row"])) in unsure
    assert question["why"] == "tiny (model) was unsure about these two."
    step = service.answer(ANA, question["id"], "same")
    again = step["question"]
    assert frozenset((again["left"]["row"], again["right"]["row"])) in unsure - {
        frozenset((question["left"]["row"], question["right"]["row"]))
    }


def test_contradicting_answer_is_kept_as_a_vote_and_asked_of_people(service, chat):
    worker = worker_for(service, chat)
    lease = worker.annotator.ask(1)[0]
    left, right = lease.pair
    service.say(ANA, left, right, "different")
    other = next(row for row in range(N) if row not in (left, right))
    service.say(ANA, left, other, "same")
    before = len(answers_of(service))
    service_lease = type(lease)(lease.question, lease.pair, False, lease.at)
    assert worker.annotator.answer(service_lease, Answer.SAME)
    line = answers_of(service)[-1]
    assert (len(answers_of(service)), line["answer"], line["author"]) == (before + 1, "same", "tiny (model)")


@pytest.mark.slow
def test_people_are_asked_the_answers_that_are_wrong(tmp_path):
    X, kinds = make_gaussian(n_samples=100, n_relevant=3, random_state=1)
    with closing(
        LabellingService.open(
            open_store(tmp_path / "s.sqlite"),
            pd.DataFrame(X),
            title="t",
            options=Options(clusters=3, seed=1),
            ahead=False,
        )
    ) as service:
        annotator, wrong = service.automatic("annotator:m@host", "m"), set()
        while annotator.n_answers < 32:
            for lease in annotator.ask(4):
                is_same = kinds[lease.pair.left] == kinds[lease.pair.right]
                errs = annotator.n_answers % 4 == 3
                annotator.answer(lease, Answer.SAME if is_same != errs else Answer.DIFFERENT)
                wrong |= {frozenset(lease.pair)} if errs else set()
        doubted = doubted_pairs(service, kinds, 6)
    assert len(doubted) >= 4
    assert len(wrong & doubted) / len(doubted) > 2 * len(wrong) / 32  # twice as often as by chance


def doubted_pairs(service, kinds, n_wanted):
    """Pairs that a person is asked because of what the machine said, as she answers by the truth."""
    step, doubted = service.state(ANA), set()
    for _ in range(3 * n_wanted):
        if step["question"] is None or len(doubted) == n_wanted:
            break
        pair = [step["question"][side]["row"] for side in ("left", "right")]
        if step["question"]["why"].startswith("m said"):
            doubted.add(frozenset(pair))
        said = "same" if kinds[pair[0]] == kinds[pair[1]] else "different"
        try:
            step = service.answer(ANA, step["question"]["id"], said)
        except Conflict as conflict:
            option = conflict.payload["options"][0]
            step = service.resolve(ANA, conflict.payload["said"], option["changes"], option.get("clusters"))
    return doubted


def test_worker_stops_at_its_budget_and_says_so(service, chat):
    worker = worker_for(service, chat, budget=Budget(max_calls=2)).start()
    wait_until(lambda: "budget" in service.state(ANA)["annotator"])
    worker.close()
    assert len(chat.requests) == 2
    assert service.state(ANA)["question"] is not None


def test_failing_endpoint_is_reported_and_tried_again(service, chat):
    chat.plan = [503, 503]
    said = []
    worker = worker_for(service, chat)
    worker._report = said.append
    worker.start()
    wait_until(lambda: worker.annotator.n_answers > 0)
    worker.close()
    assert said[0].startswith(f"The annotator at {worker_host(chat)} did not answer: HTTP 503. It is tried")


def test_close_does_not_wait_for_a_back_off(service, chat):
    chat.plan = [503] * 100
    model = LanguageModel(Endpoint(chat.url, "tiny", None, Retries(first=30.0, timeout=1.0)))
    worker = AnnotatorWorker(service, model).start()
    wait_until(lambda: chat.requests)
    worker.close()
    assert not worker._thread.is_alive()
    assert service.state(ANA)["question"] is not None
