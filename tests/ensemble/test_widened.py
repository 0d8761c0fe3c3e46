"""The panel's word on more rows than questions are about."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession
from sameornot._pool import WHOLE_UP_TO, WIDE, WIDE_CELLS, Pool
from sameornot.datasets import make_gaussian
from sameornot.ensemble.clustering import PanelGrouping
from sameornot.ensemble.expansion import Widened, extend, widen
from sameornot.ensemble.posterior import LEARNERS, foretell
from sameornot.ensemble.preparation import lay_out
from sameornot.oracles import noisy, truth

X, Y = make_gaussian(n_samples=300, n_relevant=3, separation=4.0, random_state=0)
POOL = np.arange(0, 300, 5)


def pooled(n_answers, X=X, y=Y, n_clusters=3, noise=0.0, rows=POOL):
    """The grouping of a session on some rows only."""
    session = ActiveSession(X[rows], n_clusters, random_state=0)
    expert = noisy(truth(y[rows]), noise, np.random.default_rng(1)) if noise else truth(y[rows])
    while len(session.answers) < n_answers:
        session.tell(expert(session.ask()))
    return session.result()


@pytest.mark.parametrize(("n_answers", "noise"), [(0, 0.0), (1, 0.0), (20, 0.0), (40, 0.2)])
def test_rows_that_answers_placed_stay_where_they_are_and_all_others_get_a_group(n_answers, noise):
    found = pooled(n_answers, noise=noise)
    more = widen(found.clustering, X, POOL)
    assert isinstance(more, Widened)
    placed = np.concatenate([np.empty(0, dtype=np.intp), *found.neighbourhoods])
    assert np.array_equal(more.labels[POOL[placed]], found.labels[placed])
    assert np.array_equal(more.sure[POOL[placed]], found.confidence[placed])
    known_apart = found.clustering.opinion.memberships == 0
    assert not known_apart[np.arange(len(POOL)), more.labels[POOL]].any()
    assert set(more.labels.tolist()) <= {0, 1, 2}
    assert ((more.sure > 1 / 3 - 1e-9) & (more.sure <= 1)).all()


def test_one_group_is_that_of_all_rows():
    more = widen(pooled(0, n_clusters=1).clustering, X, POOL)
    assert not more.labels.any()
    assert (more.sure == 1).all()


def test_other_rows_are_judged_as_the_panel_judges_its_own():
    """Heard anew about its own rows, it says what it had said."""
    found = pooled(25, rows=np.arange(300))
    opinion = found.clustering.opinion
    said = widen(found.clustering, X, np.arange(300))
    assert said is not None
    assert adjusted_rand_score(said.labels, found.labels) > 0.95
    groups, nothing = opinion.groups, np.zeros((300, 3), dtype=bool)
    heard = foretell(lay_out(X, X.std(axis=0)), groups, nothing, np.random.default_rng(0), LEARNERS[:4])
    assert np.abs(heard - foretell(found.clustering.around, groups, nothing, None, LEARNERS[:4])).max() < 1e-6


def test_rows_beyond_are_judged_by_centres_found_among_the_wide_rows():
    found, wide = pooled(20), np.arange(0, 300, 2)
    wide = np.union1d(wide, POOL)
    grouping, labels, sure = extend(found.clustering, X, POOL, wide)
    assert isinstance(grouping, Widened)
    beyond = np.setdiff1d(np.arange(300), wide)
    assert np.array_equal(labels[beyond], grouping.predict(X[beyond]))
    assert np.array_equal(labels[wide], grouping.labels)
    assert sure.shape == (300,)
    assert adjusted_rand_score(Y, labels) > 0.9


def test_a_grouping_by_centres_alone_stays_what_it_is():
    session = ActiveSession(X, 3, strategy="mee", pool=60, random_state=0)
    for _ in range(12):
        session.tell(truth(Y)(session.ask()))
    assert widen(session.result().clustering, X, POOL) is None
    assert not isinstance(session.result().clustering, PanelGrouping)
    assert session.result().labels.shape == (300,)


def test_more_rows_are_drawn_as_their_columns_allow():
    pool = Pool(100_000, 50, seed=0)
    few, many = pool.widened(10), pool.widened(WIDE_CELLS // 100)
    assert np.isin(pool.rows, few.rows).all()
    assert WIDE - 50 <= len(few) <= WIDE
    assert 90 <= len(many) <= 100
    assert Pool(WHOLE_UP_TO, 50, seed=0).widened(10).is_all
    assert pool.widened(10**9) is pool
    assert np.array_equal(pool.widened(10).rows, few.rows)


def test_a_session_hears_the_panel_about_rows_outside_its_pool():
    session = ActiveSession(X, 3, pool=60, random_state=0)
    for _ in range(20):
        session.tell(truth(Y)(session.ask()))
    result = session.result()
    assert isinstance(result.clustering, Widened)
    assert np.array_equal(result.labels, result.clustering.labels)
    assert adjusted_rand_score(Y, result.labels) > 0.9
