"""Model selection looks at the rows whose labels are known, and at no others."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.metrics import adjusted_rand_score, mean_absolute_error, normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV, KFold

from sameornot import PCKMeans, known_rows_scorer


class Told(BaseEstimator):
    """Predicts the numbers that are in the first column."""

    def predict(self, X):
        return np.asarray(X)[:, 0].astype(int)


def rows_that_predict(*groups):
    return np.array(groups, dtype=float)[:, None]


@pytest.mark.parametrize("metric", [adjusted_rand_score, normalized_mutual_info_score])
def test_the_score_is_the_metric_of_the_known_rows(metric):
    X, y = rows_that_predict(0, 0, 1, 1, 0, 2), np.array([5, 5, 7, 5, -1, -1])
    assert known_rows_scorer(metric)(Told(), X, y) == metric([5, 5, 7, 5], [0, 0, 1, 1])


def test_what_is_predicted_for_unknown_rows_does_not_matter():
    y = np.array([0, 0, 1, 1, -1, -1, -1])
    found = [rows_that_predict(0, 0, 1, 1, *rest) for rest in ((0, 0, 0), (1, 0, 2), (9, 9, 9))]
    assert [known_rows_scorer()(Told(), X, y) for X in found] == [1.0, 1.0, 1.0]
    assert len({adjusted_rand_score(y, Told().predict(X)) for X in found}) == 3  # what is done without it


def test_labels_may_be_words_beside_minus_one():
    y = ["ant", "ant", "bee", -1]
    assert known_rows_scorer()(Told(), rows_that_predict(0, 0, 1, 1), y) == 1.0


def test_an_error_counts_as_its_negative():
    def error(known, found):
        return mean_absolute_error(known.astype(int), found)

    scorer = known_rows_scorer(error, greater_is_better=False)
    assert scorer(Told(), rows_that_predict(1, 2, 3), [1, 0, -1]) == -1.0


def test_rows_without_any_known_label_are_refused():
    with pytest.raises(ValueError, match=r"no known label among 3 rows: shuffle"):
        known_rows_scorer()(Told(), rows_that_predict(0, 1, 2), [-1, -1, -1])


def test_a_metric_that_cannot_be_called_is_refused():
    with pytest.raises(ValueError, match="metric='ari'"):
        known_rows_scorer("ari")


def test_a_grid_search_finds_the_number_of_groups_although_most_labels_are_unknown():
    y = np.repeat([0, 1, 2], 30)
    X = 8.0 * np.eye(3)[y] + np.random.default_rng(0).normal(size=(90, 3))
    partial = np.where(np.arange(90) % 3 == 0, y, -1)
    search = GridSearchCV(
        PCKMeans(random_state=0),
        {"n_clusters": [2, 3, 6]},
        scoring=known_rows_scorer(),
        cv=KFold(3, shuffle=True, random_state=0),
    )
    assert search.fit(X, partial).best_params_ == {"n_clusters": 3}
    assert search.best_score_ == pytest.approx(1.0)


def test_its_text_says_what_it_is():
    assert repr(known_rows_scorer()) == "known_rows_scorer(adjusted_rand_score)"
