"""`EnsembleClustering` is a scikit-learn estimator, and constraints hold in its result."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simulated import Simulation
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sameornot import ActiveSession, Constraints, Contradiction
from sameornot.cluster.base import Problem, State
from sameornot.datasets import make_gaussian
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.given_pairs import leaves_sets_open, pair_log_likelihood, place_sets
from sameornot.ensemble.graph import neighbour_graph
from sameornot.ensemble.learners import LEARNERS

X, Y = make_gaussian(n_samples=120, n_relevant=3, separation=4.0, random_state=0)
PARTIAL = np.where(np.arange(120) < 30, Y, -1)


# --- constraints ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_partial_labels_hold_and_the_other_rows_follow(n_clusters):
    model = EnsembleClustering(n_clusters, random_state=0).fit(X, PARTIAL)
    assert adjusted_rand_score(model.labels_[:30], Y[:30]) == 1
    assert adjusted_rand_score(model.labels_, Y) > 0.95


@pytest.mark.parametrize("container", [list, lambda words: pd.Series(words, dtype=object)])
def test_labels_may_be_words_beside_minus_one(container):
    words = [("ant", "bee", "cat")[label] if label >= 0 else -1 for label in PARTIAL]
    by_words = EnsembleClustering(3, random_state=0).fit(X, container(words))
    by_numbers = EnsembleClustering(3, random_state=0).fit(X, PARTIAL)
    np.testing.assert_array_equal(by_words.labels_, by_numbers.labels_)


def random_pairs(seed, n_pairs):
    """True pairs of random rows: most are outside of any set of groups that all were compared."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(40, 2, replace=False) for _ in range(n_pairs)])
    is_same = Y[pairs[:, 0]] == Y[pairs[:, 1]]
    return pairs[is_same], pairs[~is_same]


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 1000), st.integers(1, 25), st.sampled_from([None, 3]))
def test_must_link_pairs_share_a_group_and_cannot_link_pairs_do_not(seed, n_pairs, n_clusters):
    must_link, cannot_link = random_pairs(seed, n_pairs)
    model = EnsembleClustering(n_clusters, random_state=0)
    labels = model.fit(X[:40], must_link=must_link, cannot_link=cannot_link).labels_
    assert (labels[must_link[:, 0]] == labels[must_link[:, 1]]).all()
    assert (labels[cannot_link[:, 0]] != labels[cannot_link[:, 1]]).all()


def test_more_groups_than_there_may_be_are_no_error():
    rows = np.arange(4)
    apart = [(a, b) for a in rows for b in rows if a < b]
    assert set(EnsembleClustering(2, random_state=0).fit(X, cannot_link=apart).labels_) <= {0, 1}
    assert len(set(EnsembleClustering(random_state=0).fit(X, cannot_link=apart).labels_[rows])) == 4


def test_constraints_against_all_evidence_hold_too():
    """Labels at random: what the learners predict contradicts nearly all of them."""
    y = np.random.default_rng(0).integers(3, size=40)
    model = EnsembleClustering(3, random_state=0).fit(X[:40], np.r_[y[:30], np.full(10, -1)])
    assert adjusted_rand_score(model.labels_[:30], y[:30]) == 1


def test_contradictory_pairs_are_an_error():
    with pytest.raises(Contradiction):
        EnsembleClustering(3).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])


def test_without_constraints_there_are_as_many_groups_as_were_asked_for():
    model = EnsembleClustering(3, random_state=0).fit(X)
    assert set(model.labels_) == {0, 1, 2}
    blobs = np.repeat(np.eye(3) * 20, 20, axis=0) + np.random.default_rng(0).normal(size=(60, 3))
    found = EnsembleClustering(3, random_state=0).fit(blobs).labels_
    assert adjusted_rand_score(found, np.repeat([0, 1, 2], 20)) == 1


def test_where_no_number_is_given_it_is_estimated_from_the_rows():
    blobs = np.repeat(np.eye(4) * 20, 25, axis=0) + np.random.default_rng(0).normal(size=(100, 4))
    found = EnsembleClustering(random_state=0).fit(blobs).labels_
    assert adjusted_rand_score(found, np.repeat([0, 1, 2, 3], 25)) == 1


# --- an estimator among others --------------------------------------------------------------------------


def test_probabilities_are_distributions_and_do_not_depend_on_the_other_rows():
    model = EnsembleClustering(3, random_state=0).fit(X, PARTIAL)
    proba = model.predict_proba(X)
    assert proba.shape == (120, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.predict_proba(X[5:6]), proba[5:6], atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), proba.argmax(axis=1))
    np.testing.assert_allclose(model.clustering_.proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.clustering_.proba.argmax(axis=1), model.labels_)


def test_a_clone_and_a_pickle_give_the_same():
    model = EnsembleClustering(3, random_state=0).fit(X, PARTIAL)
    again = clone(model).fit(X, PARTIAL)
    np.testing.assert_array_equal(again.labels_, model.labels_)
    loaded = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_it_is_a_step_of_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), EnsembleClustering(3, random_state=0)).fit(X, PARTIAL)
    assert adjusted_rand_score(pipeline.predict(X), Y) > 0.9


def test_a_grid_search_compares_its_parameters():
    grid = {"n_clusters": [3, None], "learners": [LEARNERS, ("lda",)]}
    search = GridSearchCV(EnsembleClustering(random_state=0), grid, scoring="adjusted_rand_score", cv=2)
    assert search.fit(X, Y).best_score_ > 0.8


def test_feature_names_are_kept_and_checked():
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    model = EnsembleClustering(3, random_state=0).fit(frame, PARTIAL)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.feature_weights_.shape == (X.shape[1],)
    assert model.feature_weights_.sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])


def test_standardize_makes_units_irrelevant():
    units = 10.0 ** np.arange(X.shape[1])
    model = EnsembleClustering(3, random_state=0)
    np.testing.assert_array_equal(model.fit(X, PARTIAL).labels_, clone(model).fit(X * units, PARTIAL).labels_)


# --- parameters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learners": ()}, "learners=()"),
        ({"learners": "lda"}, "learners='lda'"),
        ({"learners": ("trees",)}, "extra_trees, least_squares are needed"),
        ({"config": 5}, "config=5"),
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 121}, "only 120 rows"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        EnsembleClustering(**parameters).fit(X)
    assert message in str(caught.value)


def test_the_config_reaches_the_learners():
    config = EnsembleConfig()
    other = replace(config, graph=replace(config.graph, n_neighbors=3))
    fits = [
        EnsembleClustering(3, config=way, random_state=0).fit(X, PARTIAL) for way in (config, other, None)
    ]
    first, second, default = (model.clustering_.posterior.prior for model in fits)
    assert np.abs(first - second).max() > 1e-6
    np.testing.assert_array_equal(first, default)


def test_checkpoints_are_a_quarter_apart():
    assert list(EnsembleClustering().checkpoints(20)) == [2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18]
    slow = EnsembleClustering(config=replace(EnsembleConfig(), checkpoint_growth=2.0))
    assert list(slow.checkpoints(20)) == [2, 4, 8, 16]


def test_more_rows_than_can_be_compared_are_refused_with_a_way_out():
    rows = np.zeros((10_001, 1))
    with pytest.raises(ValueError, match=r"10001 rows but the ensemble compares all pairs.*ActiveSession"):
        EnsembleClustering(2).fit(rows)


@pytest.mark.slow
def test_a_session_groups_all_rows_of_such_a_table_by_given_pairs():
    y = np.arange(10_500) % 3
    X = 8.0 * np.eye(3)[y] + np.random.default_rng(0).normal(size=(len(y), 3))
    pairs = [((row, row + 3), "same") for row in range(6)]
    pairs += [((0, 1), "different"), ((1, 2), "different"), ((0, 2), "different")]
    labels = ActiveSession(X, 3, answers=pairs, random_state=0).result().labels
    assert adjusted_rand_score(y, labels) > 0.99


@pytest.fixture(scope="module")
def simulation():
    """A simulated session of some steps, at its end."""
    found = Simulation(X, Y, 3)
    found.run(25)
    return found


def setting(simulation, step):
    """The problem and the state of a step."""
    kept = [simulation.kept[at] for at in simulation.model.checkpoints(step)]
    problem = Problem(X, simulation.answers, 3, simulation.scale, 0, step)
    return problem, State(simulation.prepared, kept)


def test_between_checkpoints_labels_spread_on_the_graphs_of_the_latest(simulation):
    fits = {step: simulation.model.cluster(*setting(simulation, step)) for step in (8, 9, 10)}
    latest = simulation.kept[8].graphs
    assert fits[9].posterior.checkpoint.graphs is latest
    for step in (8, 10):  # checkpoints themselves
        found = fits[step].posterior.checkpoint.graphs
        assert found is not latest
        rows = simulation.prepared.rows
        expected = neighbour_graph(rows * found.scale, 10), neighbour_graph(rows @ found.axes, 10)
        np.testing.assert_array_equal(found.weighted.toarray(), expected[0].toarray())
        np.testing.assert_array_equal(found.discriminant.toarray(), expected[1].toarray())


def test_a_checkpoint_is_what_is_remembered_of_the_whole_fit(simulation):
    step = 10
    model, (problem, state) = simulation.model, setting(simulation, step)
    alone, of_fit = model.checkpoint(problem, state), model.remember(model.cluster(problem, state))
    np.testing.assert_array_equal(alone.proba, of_fit.proba)
    assert [rows.tolist() for rows in alone.groups] == [rows.tolist() for rows in of_fit.groups]
    np.testing.assert_array_equal(alone.graphs.weighted.toarray(), of_fit.graphs.weighted.toarray())


# --- pairs that nobody chose ----------------------------------------------------------------------------


def drawn_pairs(y, n_pairs, seed):
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(len(y), size=2, replace=False) for _ in range(n_pairs)], dtype=int)
    pairs = pairs.reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


@pytest.mark.slow
def test_pairs_drawn_at_random_raise_the_agreement():
    found = {n_pairs: [] for n_pairs in (0, 50, 200)}
    for load in (load_iris, load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        for n_pairs, seed in [(0, 0), (50, 0), (50, 1), (200, 0), (200, 1)]:
            model = EnsembleClustering(len(set(y)), random_state=seed)
            labels = (
                model.fit_predict(X, **drawn_pairs(y, n_pairs, seed)) if n_pairs else model.fit_predict(X)
            )
            found[n_pairs].append(adjusted_rand_score(y, labels))
    without, few, many = (np.mean(found[n_pairs]) for n_pairs in (0, 50, 200))
    assert few > without
    assert many > without + 0.05


def test_sets_of_linked_rows_go_to_the_group_that_is_likeliest_and_allowed():
    proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2], [0.7, 0.3], [0.5, 0.5]])
    answers = Constraints.from_pairs(5, must_link=np.array([(0, 1)]), cannot_link=np.array([(2, 3)]))
    assert leaves_sets_open(answers, 2)
    placed = place_sets(proba, answers)
    assert [members.tolist() for members in placed.groups] == [[0, 1, 2], [3]]
    np.testing.assert_array_equal(placed.excluded[:, 0], [False, False, False, True, False])
    np.testing.assert_array_equal(placed.excluded[:, 1], [False, False, True, False, False])


def test_the_likelihood_of_pairs_is_that_of_two_independent_rows_and_leaves_out_what_was_seen():
    proba = np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2], [0.7, 0.3]])
    answers = Constraints.from_pairs(4, must_link=np.array([(0, 1)]), cannot_link=np.array([(2, 3)]))
    same, different = 0.9 * 0.6 + 0.1 * 0.4, 1.0 - (0.8 * 0.7 + 0.2 * 0.3)
    nothing, both = np.array([], dtype=int), np.array([0, 1])
    assert pair_log_likelihood(proba, answers, nothing) == pytest.approx(np.log(same * different))
    assert pair_log_likelihood(proba, answers, both) == pytest.approx(np.log(different))


def test_labels_leave_nothing_open():
    answers = Constraints.from_pairs(5, labels=np.array([0, 0, 1, -1, -1]))
    assert not leaves_sets_open(answers, 2)
    assert not leaves_sets_open(answers, None)
