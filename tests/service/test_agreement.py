"""Second opinions, kappa with its interval, disagreements to settle, and how reliable each person seems."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from sameornot import Answer
from sameornot._types import Pair
from sameornot.datasets import make_gaussian
from sameornot.service import LabellingService, Options
from sameornot.service.agreement import cohen_kappa, kappa_interval
from sameornot.service.events import Answered, Shown, draft
from sameornot.store import open_store

X, TRUTH = make_gaussian(n_samples=90, n_relevant=3, random_state=0)
TABLE = pd.DataFrame(X, columns=[f"m{j}" for j in range(X.shape[1])])
OPPOSITE = {"same": "different", "different": "same"}


@given(st.lists(st.tuples(st.sampled_from("sd"), st.sampled_from("sd")), min_size=1, max_size=30))
def test_kappa_is_that_of_scikit_learn(answers):
    table = np.array([[sum(pair == (a, b) for pair in answers) for b in "sd"] for a in "sd"])
    assume(len({answer for pair in answers for answer in pair}) > 1)
    expected = cohen_kappa_score(*zip(*answers, strict=True))
    assert cohen_kappa(table) == pytest.approx(expected)


def test_kappa_is_not_defined_where_both_always_say_the_same():
    assert cohen_kappa(np.array([[7, 0], [0, 0]])) is None


def test_interval_of_many_answers_is_the_asymptotic_one():
    # PROC FREQ of SAS says kappa 0.4842 with a standard error of 0.1380 for this table (n = 19). A hundred
    # times as many answers have a tenth of that.
    table = np.array([[0, 4, 1], [0, 8, 0], [0, 1, 5]])
    assert cohen_kappa(table) == pytest.approx(0.4842, abs=5e-5)
    low, high = kappa_interval(100 * table, level=0.95)
    assert (low, high) == pytest.approx((0.4842 - 1.96 * 0.0138, 0.4842 + 1.96 * 0.0138), abs=0.003)


@pytest.mark.parametrize(("n", "shares"), [(20, [0.42, 0.08, 0.05, 0.45]), (60, [0.2, 0.04, 0.04, 0.72])])
def test_interval_covers_the_true_kappa_as_often_as_it_says(n, shares):
    rng = np.random.default_rng(1)
    truth = cohen_kappa(np.reshape(shares, (2, 2)))
    tables = rng.multinomial(n, shares, size=300).reshape(-1, 2, 2)
    covered = [low <= truth <= high for low, high in map(kappa_interval, tables)]
    assert 0.85 <= np.mean(covered) <= 0.96  # 0.9, and 300 tables tell it to ±0.035


def test_interval_is_not_empty_where_people_have_never_disagreed():
    low, high = kappa_interval(np.array([[5, 0], [0, 5]]))
    assert low < 0.9 < high <= 1.0


class Team:
    """People who answer in turn, each with an error rate of her own."""

    def __init__(self, place, errors, overlap=None):
        self.rng = np.random.default_rng(0)
        self.errors, self.place = errors, place
        options = Options(clusters=3)
        self.service = LabellingService.open(
            open_store(place), TABLE, title="cells", options=options, ahead=False
        )
        if overlap is not None:
            self.service.set_overlap(overlap)
        for person in errors:
            self.service.introduce(person, person.title())

    def truth(self, question):
        same = TRUTH[question["left"]["row"]] == TRUTH[question["right"]["row"]]
        return "same" if same else "different"

    def work(self, n_answers):
        for n in range(n_answers):
            person = list(self.errors)[n % len(self.errors)]
            question = self.service.state(person)["question"]
            said = self.truth(question)
            if self.rng.random() < self.errors[person]:
                said = OPPOSITE[said]
            try:
                self.service.answer(person, question["id"], said)
            except ValueError:  # a contradiction: she thinks again
                self.service.answer(person, question["id"], self.truth(question))

    def events(self):
        store = open_store(self.place)
        found = store.read(self.service.session)
        store.close()
        return found

    @property
    def entries(self):
        return self.service._live.log.latest.entries


@pytest.fixture
def team(tmp_path):
    teams = []

    def start(overlap=None, **errors):
        teams.append(Team(tmp_path / f"{len(teams)}.sqlite", errors, overlap))
        return teams[-1]

    yield start
    for each in teams:
        each.service.close()


def pairs_of(entries, author):
    return [frozenset(entry.pair) for entry in entries if entry.author == author]


@pytest.mark.parametrize(("overlap", "n"), [(0.0, 8), (0.25, 20)])
def test_the_wanted_share_of_questions_goes_to_a_second_person(team, overlap, n):
    people = team(overlap, ana=0.0, ben=0.0)
    people.work(n)
    second = [entry for entry in people.entries if entry.is_second]
    assert len(second) == pytest.approx(overlap * n, abs=1)
    for entry in second:
        other = {"ana": "ben", "ben": "ana"}[entry.author]
        earlier = [one for one in people.entries if one.seq < entry.seq]
        assert frozenset(entry.pair) in pairs_of(earlier, other)
        assert frozenset(entry.pair) not in pairs_of(earlier, entry.author)
    assert people.service.team("ana")["second"] == len(second)


def test_the_share_is_kept_and_has_to_be_one(team):
    people = team(0.3, ana=0.0)
    people.service.set_overlap(0.3)
    assert people.service.team("ana")["overlap"] == 0.3
    assert sum(event.kind == "overlapped" for event in people.events()) == 1
    with pytest.raises(ValueError, match=r"the share of second opinions is 1\.5 but 0 to 1 is needed"):
        people.service.overlap("ana", 1.5)


def test_one_person_gets_no_second_opinions(team):
    people = team(1.0, ana=0.0)
    people.work(12)
    assert not any(entry.is_second for entry in people.entries)


def test_a_second_opinion_stays_on_the_screen_until_its_answer_is_taken_back(team):
    people = team(1.0, ana=0.0)
    people.work(6)
    service = people.service
    question = service.state("ben")["question"]
    assert service.state("ben")["question"]["id"] == question["id"]
    service.answer("ana", service.state("ana")["question"]["id"], "different")
    assert service.state("ben")["question"]["id"] == question["id"]
    pair = frozenset((question["left"]["row"], question["right"]["row"]))
    asked = next(entry for entry in people.entries if frozenset(entry.pair) == pair)
    service.change("ana", asked.seq, "remove")
    now = service.state("ben")["question"]
    assert frozenset((now["left"]["row"], now["right"]["row"])) != pair


def test_disagreements_are_listed_and_settled_and_kappa_keeps_what_people_said(team):
    people = team(1.0, ana=0.0)
    people.work(8)
    service = people.service
    question = service.state("ben")["question"]
    truth = people.truth(question)
    service.introduce("ben", "Ben")
    step = service.answer("ben", question["id"], OPPOSITE[truth])
    service.answer("ben", step["question"]["id"], people.truth(step["question"]))
    known = service.team("ana")
    [open_one] = known["disagreements"]
    assert {line["author"]: line["answer"] for line in open_one["answers"]} == {
        "Ana": truth,
        "Ben": OPPOSITE[truth],
    }
    [both] = known["agreement"]
    assert (both["people"], both["both"], both["equal"]) == (["Ana", "Ben"], 2, 1)

    rows = open_one["left"]["row"], open_one["right"]["row"]
    assert service.settle("ana", *rows, truth)["said"] == "Settled."
    after = service.team("ana")
    assert after["disagreements"] == []
    assert after["agreement"] == known["agreement"]
    assert [line["answer"] for line in service.history("ana")["answers"] if line["edited"]] == [truth]
    with pytest.raises(ValueError, match="nothing to settle about these two records"):
        service.settle("ana", *rows, truth)


def test_own_correction_counts_until_somebody_else_has_answered(team):
    people = team(1.0, ana=0.0)
    people.work(8)
    service = people.service
    question = service.state("ben")["question"]
    truth = people.truth(question)
    pair = {question["left"]["row"], question["right"]["row"]}
    first = next(entry for entry in people.entries if set(entry.pair) == pair)
    service.change("ana", first.seq, "unsure")
    service.change("ana", first.seq, truth)
    service.answer("ben", service.state("ben")["question"]["id"], OPPOSITE[truth])
    service.change("ben", people.entries[-1].seq, truth)
    [both] = service.team("ana")["agreement"]
    assert (both["both"], both["equal"]) == (1, 0)


def answers_of_three(n_rows=60):
    """Ana places rows, and Ben and Eve give second opinions on all of them; Eve errs in three of ten."""
    rng = np.random.default_rng(2)
    firsts = [int(np.flatnonzero(m == TRUTH)[0]) for m in range(3)]
    drafts = [draft("ana", Answered(Pair(a, b), Answer.DIFFERENT, 1)) for a, b in combinations(firsts, 2)]
    for row in [row for row in range(n_rows) if row not in firsts]:
        pair = Pair(row, int(rng.choice(firsts)))
        truth = Answer.SAME if TRUTH[row] == TRUTH[pair.right] else Answer.DIFFERENT
        drafts.append(draft("ana", Answered(pair, truth, 1)))
        for person, error in (("ben", 0.02), ("eve", 0.3)):
            said = Answer(OPPOSITE[truth.value]) if rng.random() < error else truth
            drafts.append(draft(person, Shown(pair, True, is_second=True)))
            question = len(drafts) + 1  # behind the event that opened the session
            drafts.append(draft(person, Answered(pair, said, 1, question, is_recheck=True)))
    return drafts


def test_a_careless_person_seems_less_reliable(tmp_path):
    store = open_store(tmp_path / "sessions.sqlite")
    service = LabellingService.open(store, TABLE, title="cells", options=Options(clusters=3), ahead=False)
    store.append(service.session, answers_of_three(), after=1)
    for person in ("ana", "ben", "eve"):
        service.introduce(person, person.title())
    team = service.team("ana")
    known = {each["name"]: each["reliability"] for each in team["annotators"]}
    for name, error in (("Ana", 0.0), ("Ben", 0.02), ("Eve", 0.3)):
        assert known[name]["estimate"] == pytest.approx(1.0 - error, abs=0.1)
        assert known[name]["low"] <= known[name]["estimate"] <= known[name]["high"]
    kappas = {frozenset(each["people"]): each["kappa"] for each in team["agreement"]}
    careful, careless = kappas[frozenset(("Ana", "Ben"))], kappas[frozenset(("Ana", "Eve"))]
    assert careful["low"] > careless["high"]
    assert team["n_disagreements"] > 10
    service.close()
