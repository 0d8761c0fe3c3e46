"""Where answers do not all hold: which rows the search for groups hears the learners about."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession
from sameornot.datasets import make_gaussian
from sameornot.ensemble import inconsistent
from sameornot.ensemble.inconsistent import N_SEARCHED, rows_searched
from sameornot.ensemble.posterior import LEARNERS, Foretold, mix_opinions, track_record
from sameornot.ensemble.preparation import survey
from sameornot.oracles import noisy, truth

X, Y = make_gaussian(n_samples=240, n_relevant=3, random_state=0)


def test_all_rows_of_a_small_table_are_heard_about():
    rng = np.random.default_rng(0)
    assert rows_searched(np.array([3, 7]), N_SEARCHED, rng).tolist() == list(range(N_SEARCHED))
    assert rng.bit_generator.state == np.random.default_rng(0).bit_generator.state


def test_of_a_larger_one_those_spoken_of_and_as_many_others_as_there_is_room_for():
    asked = np.arange(0, 5_000, 50)
    heard = rows_searched(asked, 5_000, np.random.default_rng(0))
    assert len(heard) == len(set(heard.tolist())) == N_SEARCHED
    assert set(asked) <= set(heard)
    many = np.arange(N_SEARCHED + 5)
    np.testing.assert_array_equal(rows_searched(many, 5_000, np.random.default_rng(0)), many)


def test_what_surrounds_all_rows_is_what_surrounds_them():
    around = survey(X, X.std(axis=0))
    same = around.of(np.arange(len(X)))
    np.testing.assert_array_equal(same.graph.toarray(), around.graph.toarray())
    np.testing.assert_array_equal(same.close, around.close)
    some = around.of(np.array([5, 9, 200, 201]))
    assert some.graph.shape == some.close.shape == (4, 4)
    np.testing.assert_array_equal(some.whitened, around.whitened[[5, 9, 200, 201]])


@pytest.mark.parametrize("n_searched", [60, N_SEARCHED])
def test_groups_are_found_in_spite_of_wrong_answers(monkeypatch, n_searched):
    monkeypatch.setattr(inconsistent, "N_SEARCHED", n_searched)
    session = ActiveSession(X, 3, random_state=0)
    expert = noisy(truth(Y), 0.1, np.random.default_rng(1))
    for _ in range(90):
        session.tell(expert(session.ask()))
    found = session.result()
    assert found.clustering.opinion.foretold.believed, "a question was answered both ways"
    assert adjusted_rand_score(Y, found.labels) > 0.9


def test_what_was_foretold_of_a_group_speaks_of_the_group_that_most_of_its_rows_are_in_now():
    """Row 0 was in the first group by mistake; rows 4 and 5 are those that were placed since."""
    odds = np.tile([[0.9, 0.1]], (1, 6, 1))
    told = Foretold([np.array([0, 1, 2]), np.array([3])], odds, [])
    now = [np.array([0, 3]), np.array([1, 2, 4, 5])]
    record = track_record([told], now, np.zeros((6, 2), dtype=bool), ("discriminant",))
    assert record.right.tolist() == [True, True]


def test_once_answers_do_not_hold_learners_are_judged_by_what_the_believed_groups_taught_them():
    session = ActiveSession(X, 3, random_state=0)
    expert = noisy(truth(Y), 0.1, np.random.default_rng(1))
    for _ in range(60):
        session.tell(expert(session.ask()))
    opinion = session.result().clustering.opinion
    assert [rows.tolist() for rows in opinion.foretold.groups] == [rows.tolist() for rows in opinion.groups]
    expected = mix_opinions(opinion.foretold.odds.astype(float), opinion.groups, opinion.record, LEARNERS)
    np.testing.assert_allclose(opinion.odds, expected, atol=1e-6)
