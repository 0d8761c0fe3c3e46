"""Experiments give the rows that they promise; data and budgets are small here."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from reproduction.answering import cobra_rows, curve_rows
from reproduction.experiments import EXPERIMENTS, curves
from reproduction.methods import Method, additional, rivals
from reproduction.single_runs import land_cover_weights, seconds_per_question, theorems
from reproduction.theory_rows import theory_rows
from sameornot import AugmentedClustering, MinimumExpectedEntropy, PCKMeans, RandomPairs
from sameornot.datasets import make_gaussian, make_opposite

MEE = MinimumExpectedEntropy()
VARIANTS = {
    "M (no penalty)": AugmentedClustering(penalty=None),
    "M (automatic)": AugmentedClustering(penalty="auto"),
}
PENALISED = AugmentedClustering(penalty=("auto", 2))
METHOD = Method(MEE, PENALISED)


@pytest.fixture(scope="module")
def data():
    return make_gaussian(n_samples=24, n_relevant=3, n_irrelevant=3, random_state=0)


def table(data, method, seed=0, checkpoints=(4, 9)):
    return pd.DataFrame(curve_rows(data, 3, checkpoints, {"M": method}, "M", seed))


@pytest.fixture(scope="module")
def found(data):
    return table(data, replace(METHOD, variants=VARIANTS))


def test_a_curve_has_a_row_for_each_method_and_checkpoint(found):
    assert [*zip(found.checkpoint, found.method, strict=True)] == [
        (q, method) for q in (4, 9) for method in ("M", *VARIANTS)
    ]
    assert set(found.run) == {"M"}
    assert set(found.seed) == {0}
    assert (found.asked == found.checkpoint).all()


def test_time_runs_on_from_checkpoint_to_checkpoint(found):
    first, last = found[found.method == "M"].seconds
    assert 0 < first < last


@pytest.mark.slow
def test_a_seed_gives_the_same_rows_again_and_another_gives_others(data, found):
    again = table(data, replace(METHOD, variants=VARIANTS))
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), found.drop(columns="seconds"))
    other = table(data, METHOD, seed=1)
    assert other.ari.tolist() != found[found.method == "M"].ari.tolist()


def test_regrouping_does_not_change_what_is_asked(data, found):
    alone = table(data, METHOD).drop(columns="seconds")
    kept = found[found.method == "M"].drop(columns="seconds").reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, kept)


def test_regrouping_is_as_if_those_answers_had_come_to_a_session_of_its_settings(data):
    """A variant that has the settings of the run itself has its groups too."""
    rows = table(data, replace(METHOD, variants={"again": clone(PENALISED)}))
    own, again = (rows[rows.method == method] for method in ("M", "again"))
    assert own.ari.tolist() == again.ari.tolist()
    assert own.asked.tolist() == again.asked.tolist()


def test_no_more_is_asked_than_there_is_to_ask():
    X, y = make_gaussian(n_samples=6, n_relevant=2, n_irrelevant=1, random_state=1)
    rows = table((X, y), Method(RandomPairs(), PCKMeans()), checkpoints=(2, 500))
    assert rows.asked.tolist()[0] == 2
    assert rows.asked.tolist()[1] <= 15  # pairs of six points
    assert rows.ari.tolist()[1] == 1.0


def test_cobra_with_as_many_super_instances_as_points_finds_the_truth(data):
    few, all_points = cobra_rows(data, (4, 24), "COBRA", 0)
    assert (few["checkpoint"], all_points["checkpoint"]) == (4, 24)
    assert few["asked"] < all_points["asked"]
    assert all_points["ari"] == 1.0
    assert set(few) == set(curve_rows(data, 3, [1], {"M": METHOD}, "M", 0)[0])


def test_rows_of_all_runs_of_a_table_have_the_same_columns_in_the_same_order(data):
    """They go into one file."""
    small = curves("T", lambda *_: data, 6, 3, 2, checkpoints=(2, 3), cobra=(3,))
    assert small.runs == EXPERIMENTS["table1"].runs
    columns = {tuple(row) for run in ("COBRA", "COBRAS", "AQM + NPU") for row in small.run(run, 0, None)}
    assert len(columns) == 1
    assert small.run("COBRA", 0, None)[0]["checkpoint"] == 3


def test_extras_differ_from_the_papers_runs_as_their_names_say():
    extras = additional(35, q=15)
    for name, method in rivals(35).items():
        assert method.standardize
        assert repr(extras[f"{name} (raw)"]) == repr(replace(method, standardize=False))
    assert rivals(35)["PCKMeans + NPU"].clusterer.weight == 1 / 35
    assert extras["PCKMeans + NPU (large weight)"].clusterer.weight == 1


@pytest.fixture
def land_cover():
    """Nine classes that the third feature alone separates."""
    rng = np.random.default_rng(0)
    y = np.repeat([f"class {k}" for k in range(9)], 4)
    X = pd.DataFrame(rng.normal(size=(36, 5)), columns=["A", "B", "NDVI", "C", "D"])
    X["NDVI"] = 30.0 * np.repeat(np.arange(9), 4) + rng.normal(size=36)
    X["B"] *= 1e6
    return X, y


def test_land_cover_weights_are_those_of_all_features_and_tried_on_k_means(land_cover):
    found = land_cover_weights("AQM + MEE", 0, None, load=lambda _: land_cover, n_questions=20)
    rows = pd.DataFrame(found).set_index("item").value
    weights = rows[rows.index.str.startswith("weight of ")]
    names = [f"weight of {m} {name}" for m, name in enumerate(land_cover[0], start=1)]
    assert weights.index.tolist() == names
    assert weights.idxmax() == "weight of 3 NDVI"
    size = int(rows["size of top group"])
    assert 1 <= size < 5
    assert rows["K-means, top group"] > rows["K-means, all"] > rows["K-means, all, raw"]


def test_seconds_are_timed_at_each_size_beside_a_forest():
    made = []

    def make(n_samples, seed):
        made.append(n_samples)
        return make_opposite(n_samples=40, mixing=True, random_state=seed)

    rows = pd.DataFrame(seconds_per_question("COBRAS", 0, None, make=make, sizes=(300, 1000), n_questions=2))
    assert rows.n.tolist() == made == [300, 1000]
    assert (rows[["seconds", "forest"]] > 0).all(axis=None)


def test_theorems_keep_what_the_page_shows():
    small = partial(theory_rows, n_points=5, n_clusters=[2], separations=[2.0])
    rows = pd.DataFrame(theorems("theory", 0, None, compute=small))
    assert set(rows.run) == {"theory"}
    second, third = (rows[rows.experiment == which] for which in ("theorem2", "theorem3"))
    assert set(second.neighbourhood_size) == {1}
    assert second.holds.between(0, 1).all()
    assert set(third.questions) == {0, 1, 2, 3, 4, 5, 6, 7, 8, 10}  # there are ten pairs
    assert set(third.method) == {"active", "random", "two-step", "two-step, skipping"}
    assert (rows.strength == np.inf).all()
