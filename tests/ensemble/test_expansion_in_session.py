"""Sessions on large tables: which rows the groups of the pool are expanded to."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession
from sameornot.datasets import make_gaussian
from sameornot.ensemble.expansion import ExpandedFit
from sameornot.oracles import truth
from sameornot.session.pool import WHOLE_UP_TO, WIDE, WIDE_CELLS, Pool

X, Y = make_gaussian(n_samples=300, n_relevant=3, separation=4.0, random_state=0)


def session_after(n_answers, strategy=None):
    session = ActiveSession(X, 3, strategy=strategy, pool=60, random_state=0)
    for _ in range(n_answers):
        session.tell(truth(Y)(session.ask()))
    return session


def test_a_clustering_by_centres_alone_is_not_expanded():
    session = session_after(12, strategy="mee")
    clustering = session.result().clustering
    assert clustering.expand(X, session.pool) is None
    assert not isinstance(clustering, ExpandedFit)
    assert session.result().labels.shape == (300,)


def test_more_rows_are_drawn_as_their_columns_allow():
    pool = Pool(100_000, 50, seed=0)
    few, many = pool.expanded(10), pool.expanded(WIDE_CELLS // 100)
    assert np.isin(pool.rows, few.rows).all()
    assert WIDE - 50 <= len(few) <= WIDE
    assert 90 <= len(many) <= 100
    assert Pool(WHOLE_UP_TO, 50, seed=0).expanded(10).is_all
    assert pool.expanded(10**9) is pool
    assert np.array_equal(pool.expanded(10).rows, few.rows)


def test_a_session_expands_its_groups_to_rows_outside_of_its_pool():
    session = session_after(20)
    result = session.result()
    assert isinstance(result.clustering, ExpandedFit)
    outside = np.setdiff1d(np.arange(300), session.pool)
    assert np.array_equal(result.labels[outside], result.clustering.labels[outside])
    assert adjusted_rand_score(Y, result.labels) > 0.9
