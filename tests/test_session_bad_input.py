"""Bad input gets a ValueError that names the argument, what came and what was expected."""

import numpy as np
import pandas as pd
import pytest

from sameornot import COBRA, ActiveSession, AugmentedClustering, AugmentedMetric, PCKMeans, simulate
from sameornot.query import STRATEGIES
from sameornot.registry import CLUSTERERS

X = np.random.default_rng(0).normal(size=(8, 2))
Y = [0, 1, 0, 1, 0, 1, 0, 1]
STRATEGY_NAMES = ", ".join(repr(name) for name in sorted(STRATEGIES))
CLUSTERER_NAMES = ", ".join(repr(name) for name in sorted(CLUSTERERS))


def augmented(**parameters):
    return {"clusterer": AugmentedClustering(**parameters)}


BAD_TABLES = [
    (np.where(X > 1, np.nan, X), "X holds nan in row"),
    (np.where(X > 1, np.inf, X), "X holds inf in row"),
    (np.char.add(X.astype(str), "kg"), "X must hold numbers only.*kg"),
    (pd.DataFrame({"size": Y, "colour": list("rgbrgbrg")}), "X must hold numbers only.*'r'"),
    (np.empty((0, 2)), "X has 0 rows and 2 columns but needs at least one of each"),
    (np.empty((8, 0)), "X has 8 rows and 0 columns but needs at least one of each"),
    (X[:, 0], r"X has 1 dimension\(s\) but a table"),
    (
        X / abs(X).max() * 1.7e308,
        r"X holds numbers up to 1\.[67]\d*e\+308 but at most 1e\+100",
    ),
    (X[:, :, None], r"X has 3 dimension\(s\) but a table"),
]

BAD_ARGUMENTS = [
    ({"n_clusters": 9}, "n_clusters=9 but only 8 rows were given"),
    ({"n_clusters": 0}, "n_clusters=0 but at least 1 is needed"),
    ({"n_clusters": -2}, "n_clusters=-2 but at least 1 is needed"),
    ({"n_clusters": 2.5}, "n_clusters=2.5 but a whole number is needed"),
    ({"n_clusters": True}, "n_clusters=True but a whole number is needed"),
    ({"n_clusters": "two"}, "n_clusters='two' but a whole number is needed"),
    ({"strategy": "best"}, f"strategy='best' but an object or one of {STRATEGY_NAMES} is needed"),
    ({"strategy": 1}, f"strategy=1 but an object or one of {STRATEGY_NAMES} is needed"),
    ({"clusterer": "best"}, f"clusterer='best' but an object or one of {CLUSTERER_NAMES} is needed"),
    (
        {"strategy": "uncertainty", "clusterer": "pckmeans"},
        r"strategy=UncertaintySampling\(.*\) needs a clusterer that produces .*, not clusterer=PCKMeans\(\)",
    ),
    (
        {"strategy": "mee", "clusterer": COBRA(7)},
        r"clusterer=COBRA\(n_super_instances=7\) groups by the answers to its own questions: "
        r"leave the strategy out, instead of strategy=MinimumExpectedEntropy\(n_trees=50, .*\)",
    ),
    (
        augmented(metric="cosine"),
        "metric='cosine' but one of 'exact', 'full', 'full_exact', 'released', 'separable' is needed",
    ),
    (augmented(penalty=-1.0), "penalty=-1.0 but at least 0 is needed"),
    (augmented(penalty="strong"), "penalty='strong' but a finite number is needed"),
    (augmented(penalty=(1.0, 2, 3)), r"penalty=\(1.0, 2, 3\) but a finite number is needed"),
    (augmented(penalty=(1.0, -1)), "penalty's q=-1 but at least 0 is needed"),
    (augmented(penalty=(1.0, 0.5)), "penalty's q=0.5 but a whole number is needed"),
    (augmented(penalty=True), "penalty=True but a finite number is needed"),
    (augmented(separation=-0.1), "separation=-0.1 but at least 0 is needed"),
    (augmented(separation="auto"), "separation='auto' but a finite number is needed"),
    (augmented(weight=-1.0), "weight=-1.0 but at least 0 is needed"),
    (augmented(weight=np.inf), "weight=inf but a finite number is needed"),
    (augmented(n_init=0), "n_init=0 but at least 1 is needed"),
    (augmented(max_iter=1.5), "max_iter=1.5 but a whole number is needed"),
    ({"random_state": -1}, "random_state=-1 but at least 0 is needed"),
    ({"random_state": "seed"}, "random_state='seed' but a whole number is needed"),
    ({"random_state": 1.0}, "random_state=1.0 but a whole number is needed"),
    ({"answers": [3]}, "answers hold 3 but"),
    ({"answers": [(0, 1, "same", 2)]}, r"answers hold \(0, 1, 'same', 2\) but"),
    (
        {"answers": [((0, 1), "perhaps")]},
        "answer='perhaps' but an Answer or one of 'same', 'different', 'unsure'",
    ),
    ({"answers": [((0, 8), "same")]}, r"pair=\(0, 8\) but points run from 0 to 7"),
    ({"answers": [((0, 1), "same", -1)]}, "step of an answer=-1 but at least 0 is needed"),
    ({"answers": [((0, 1), "same"), ((0, 1), "different")]}, "contradicts earlier answers: 0 and 1 are same"),
]


@pytest.mark.parametrize(("table", "message"), BAD_TABLES)
def test_a_bad_table_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        ActiveSession(table)
    with pytest.raises(ValueError, match=message):
        simulate(table, Y)


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_a_bad_argument_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        ActiveSession(X, **arguments)
    with pytest.raises(ValueError, match=message):
        simulate(X, Y, **arguments)


@pytest.mark.parametrize("start", [ActiveSession, lambda X, **options: simulate(X, Y, **options)])
def test_an_unknown_argument_is_named(start):
    with pytest.raises(TypeError, match="'n_cluster'"):
        start(X, n_cluster=2)


BAD_TELLS = [
    (("same", (0, 8)), r"pair=\(0, 8\) but points run from 0 to 7"),
    (("same", (-1, 0)), r"pair=\(-1, 0\) but points run from 0 to 7"),
    (("same", (3, 3)), r"pair=\(3, 3\) but two different points are needed"),
    (("same", (0.0, 1.0)), r"pair=\(0.0, 1.0\) but two row numbers are needed"),
    (("same", (0, 1, 2)), r"pair=\(0, 1, 2\) but two row numbers are needed"),
    (("same", (0,)), r"pair=\(0,\) but two row numbers are needed"),
    (("same", "ab"), "pair='ab' but two row numbers are needed"),
    (("same", 5), "pair=5 but two row numbers are needed"),
    (("unsure", (0, 8)), r"pair=\(0, 8\) but points run from 0 to 7"),
    (("maybe",), "answer='maybe' but an Answer or one of 'same', 'different', 'unsure' is needed"),
    (("SAME",), "answer='SAME' but an Answer or one of"),
    ((True,), "answer=True but an Answer or one of"),
    ((None,), "answer=None but an Answer or one of"),
    (("same", (1, 2)), "contradicts earlier answers: 1 and 0 are same, 0 and 2 are different"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_TELLS)
def test_a_bad_answer_is_refused_and_leaves_the_session_as_it_was(arguments, message):
    session = ActiveSession(X, n_clusters=3, strategy="random", random_state=0)
    session.tell("same", (0, 1))
    session.tell("different", (0, 2))
    question, answers, labels = session.ask(), session.answers, session.result().labels
    with pytest.raises(ValueError, match=message):
        session.tell(*arguments)
    assert session.ask() == question
    assert session.answers == answers
    assert len(session.constraints.groups()) == 2
    resumed = ActiveSession(X, n_clusters=3, strategy="random", random_state=0, answers=answers)
    assert resumed.ask() == question
    np.testing.assert_array_equal(session.result().labels, labels)


@pytest.mark.parametrize(
    ("n_answers", "message"),
    [
        (2, "n_answers=2 but only 1 were given"),
        (0, "n_answers=0 but at least 1 is needed"),
        (-1, "n_answers=-1 but at least 1 is needed"),
        (0.5, "n_answers=0.5 but a whole number is needed"),
    ],
)
def test_a_bad_undo_is_refused_and_undoes_nothing(n_answers, message):
    session = ActiveSession(X, strategy="random", random_state=0)
    session.tell("same", (0, 1))
    with pytest.raises(ValueError, match=message):
        session.undo(n_answers)
    assert len(session.answers) == 1


BAD_SIMULATIONS = [
    ({"y": Y[:-1]}, r"y has shape \(7,\) but X has 8 rows: one label a row is needed"),
    ({"y": [Y]}, r"y has shape \(1, 8\) but X has 8 rows"),
    ({"y": None}, r"y has shape \(\) but X has 8 rows"),
    ({"y": [*Y[:-1], np.nan]}, "y holds a missing label"),
    ({"y": [*"abababa", None]}, "y holds a missing label"),
    ({"budget": -1}, "budget=-1 but at least 0 is needed"),
    ({"budget": 2.5}, "budget=2.5 but a whole number is needed"),
    ({"budget": 10, "checkpoints": [5, 11]}, "checkpoints hold 11 but budget=10"),
    ({"checkpoints": [-1]}, "checkpoints=-1 but at least 0 is needed"),
    ({"checkpoints": [1.5]}, "checkpoints=1.5 but a whole number is needed"),
    ({"checkpoints": 5}, "checkpoints=5 but"),
]


@pytest.mark.parametrize(("changed", "message"), BAD_SIMULATIONS)
def test_a_bad_simulation_is_refused_before_anything_is_asked(changed, message):
    def nobody(pair):
        raise AssertionError(f"{pair} was asked")

    with pytest.raises(ValueError, match=message):
        simulate(X, **{"y": Y, "n_clusters": 2, "oracle": nobody, **changed})


def test_labels_that_need_more_groups_than_n_clusters_are_an_error_that_says_so():
    with pytest.raises(ValueError, match=r"n_clusters=2 but .* differ from each other, which makes 3 groups"):
        simulate(
            X, [0, 1, 2, 0, 1, 2, 0, 1], n_clusters=2, strategy="random", infer_last=False, random_state=0
        )


ESTIMATORS = {
    "PCKMeans": PCKMeans(n_clusters=2, random_state=0),
    "AugmentedClustering": AugmentedClustering(n_clusters=2, random_state=0),
    "AugmentedMetric": AugmentedMetric(n_clusters=2, random_state=0),
}

BAD_FITS = [
    ({"X": np.where(X > 1, np.nan, X)}, "Input X contains NaN"),
    ({"X": np.where(X > 1, np.inf, X)}, "Input X contains infinity"),
    ({"X": np.char.add(X.astype(str), "kg")}, "could not convert string to float.*kg"),
    ({"X": np.empty((0, 2))}, r"Found array with 0 sample\(s\) .* a minimum of 1 is required"),
    ({"X": np.empty((8, 0))}, r"Found array with 0 feature\(s\) .* a minimum of 1 is required"),
    ({"X": X[:, 0]}, "Expected 2D array, got 1D array"),
    ({"X": X[:, :, None]}, "Found array with dim 3"),
    ({"X": X / abs(X).max() * 1.7e308}, r"X holds numbers up to 1\.\d+e\+308 but at most 1e\+100"),
    ({"X": pd.DataFrame(X, columns=["a", "a"])}, "X has several columns named 'a': give each column a name"),
    ({"y": Y[:-1]}, r"y has shape \(7,\) but X has 8 rows"),
    ({"y": [*Y[:-1], np.nan]}, "y holds a missing label: write -1"),
    ({"must_link": [(0, 8)]}, r"must_link holds the pair \(0, 8\) but two different rows from 0 to 7"),
    ({"must_link": [(-1, 0)]}, r"must_link holds the pair \(-1, 0\) but two different rows from 0 to 7"),
    ({"cannot_link": [(3, 3)]}, r"cannot_link holds the pair \(3, 3\) but two different rows"),
    ({"cannot_link": [(0.0, 1.0)]}, "cannot_link .* type float64 but rows of two row numbers are needed"),
    ({"cannot_link": [(0, 1, 2)]}, r"cannot_link has shape \(1, 3\) .* rows of two row numbers are needed"),
    ({"must_link": (0, 1)}, r"must_link has shape \(2,\) .* rows of two row numbers are needed"),
    ({"must_link": [(0, 1)], "cannot_link": [(1, 0)]}, "contradicts earlier answers: 1 and 0 are same"),
    (
        {"y": Y, "must_link": [(0, 1)]},
        "answer='same' for 0 and 1 contradicts earlier answers: (0 and 1|1 and 0) are different",
    ),
]


@pytest.mark.parametrize(("changed", "message"), BAD_FITS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_refuse_what_they_cannot_fit(name, changed, message):
    with pytest.raises(ValueError, match=message):
        ESTIMATORS[name].fit(**{"X": X, **changed})


@pytest.mark.parametrize("name", ESTIMATORS)
def test_estimators_refuse_column_names_of_several_types(name):
    with pytest.raises(TypeError, match=r"the column names of X are of several types \(int, str\)"):
        ESTIMATORS[name].fit(pd.DataFrame(X, columns=["a", 1]))


BAD_PARAMETERS = [
    ({"n_clusters": 9}, "n_clusters=9 but only 8 rows were given"),
    ({"n_clusters": 0}, "n_clusters=0 but at least 1 is needed"),
    ({"n_clusters": 2.5}, "n_clusters=2.5 but a whole number is needed"),
    ({"n_clusters": True}, "n_clusters=True but a whole number is needed"),
    ({"weight": -1.0}, "weight=-1.0 but at least 0 is needed"),
    ({"n_init": 0}, "n_init=0 but at least 1 is needed"),
    ({"max_iter": 0}, "max_iter=0 but at least 1 is needed"),
    (
        {"metric": "cosine"},
        "metric='cosine' but one of 'exact', 'full', 'full_exact', 'released', 'separable' is needed",
    ),
    ({"penalty": "strong"}, "penalty='strong' but a finite number is needed"),
    ({"penalty": (1.0, 2, 3)}, r"penalty=\(1.0, 2, 3\) but a finite number is needed"),
    ({"separation": "auto"}, "separation='auto' but a finite number is needed"),
    ({"random_state": "seed"}, "'seed' cannot be used to seed"),
]


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        (name, changed, message)
        for name, estimator in ESTIMATORS.items()
        for changed, message in BAD_PARAMETERS
        if set(changed) <= set(estimator.get_params())
    ],
)
def test_estimators_refuse_bad_parameters_when_they_are_fitted(name, changed, message):
    estimator = type(ESTIMATORS[name])(**changed)
    with pytest.raises(ValueError, match=message):
        estimator.fit(X)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_rows_must_have_the_features_of_the_old(name):
    fitted = type(ESTIMATORS[name])(n_clusters=2, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* is expecting 2 features"):
        fitted.transform(np.zeros((4, 3)))
