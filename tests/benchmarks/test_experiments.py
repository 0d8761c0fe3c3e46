"""Experiments give the rows that they promise; data and budgets are small here."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from reproduction.answering import Curves, agreement_and_placed, cobra_rows, curve_rows
from reproduction.experiments import EXPERIMENTS
from reproduction.factors import FACTORS, LEVELS, factor_experiment, regroupings, rival_methods, strategies
from reproduction.methods import (
    Method,
    Terms,
    additional,
    extra_methods,
    main_methods,
    printed,
    proposed,
    released,
    released_rivals,
    rivals,
)
from reproduction.single_runs import WEIGHT_RUNS, land_cover_weights, random_pairs, theorems
from reproduction.tables import CANCER, OPPOSITE_5, SPHERE, Extent, curves
from reproduction.theory_rows import theory_rows
from reproduction.timing import LOOP_RUNS, seconds_per_loop, seconds_per_question
from sameornot import (
    NPU,
    ActiveSession,
    AugmentedClustering,
    MinimumExpectedEntropy,
    PCKMeans,
    RandomPairs,
    as_printed,
    as_released,
)
from sameornot.datasets import make_gaussian, make_opposite
from sameornot.oracles import truth

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
    return pd.DataFrame(curve_rows(data, Curves({"M": method}, 3, checkpoints), "M", seed))


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
    assert set(few) == set(table(data, METHOD, checkpoints=(1,)))


def small_table(data, **options):
    terms = Terms(q=2)
    extent = Extent((2, 3), (3,))
    return curves("T", lambda *_: data, 3, terms, extent=extent, quick=Extent((2,), (3,)), **options)


@pytest.mark.parametrize("measure", [{}, {"measure": agreement_and_placed}])
def test_rows_of_all_runs_of_a_table_have_the_same_columns_in_the_same_order(data, measure):
    """They go into one file, and so do those of a quick run into theirs."""
    small = small_table(data, **measure)
    assert small.runs == EXPERIMENTS["table1"].runs
    assert small.extras == EXPERIMENTS["table1"].extras
    some = ("COBRA", "COBRA (raw)", "COBRAS", "AQM + NPU")
    columns = {tuple(row) for run in some for row in small.run(run, 0, None)}
    columns |= {tuple(row) for row in small.quick.run("COBRAS", 0, None)}
    assert len(columns) == 1
    assert small.run("COBRA", 0, None)[0]["checkpoint"] == 3


def test_quick_rows_are_the_first_of_the_full_ones(data):
    small = small_table(data)
    full, quick = (pd.DataFrame(which.run("AQM + NPU", 0, None)) for which in (small, small.quick))
    first = full[full.checkpoint == 2].drop(columns="seconds")
    pd.testing.assert_frame_equal(quick.drop(columns="seconds"), first)


def same(first, second):
    return repr(first) == repr(second)


def test_printed_runs_are_the_preset_with_what_the_paper_sets():
    """Settings that the preset chooses by itself are fixed in the paper's simulations."""
    for terms in (OPPOSITE_5, CANCER):
        run = printed(terms)["AQM + MEE (as printed)"]
        preset = as_printed(penalty=("auto", terms.q), separation=terms.separation)
        assert same(run.strategy, preset["strategy"])
        assert same(run.clusterer, preset["clusterer"])
        assert run.standardize == preset["standardize"]
        assert not preset["infer_last"]
        by_elbow = run.variants["AQM + MEE (as printed, q by elbow)"]
        assert same(by_elbow, as_printed(separation=terms.separation)["clusterer"])
    assert same(run.variants["AQM + MEE (as printed, no penalty)"].set_params(penalty="auto"), by_elbow)


def test_released_runs_are_the_preset():
    runs = released(SPHERE)
    for name in ("mee", "npu"):
        run, preset = runs[f"AQM + {name.upper()} (as released)"], as_released(q=200, strategy=name)
        assert same(run.strategy, preset["strategy"])
        assert same(run.clusterer, preset["clusterer"].set_params(pair_weight=200.0))
        assert run.standardize == preset["standardize"]


def test_released_rivals_see_raw_features_at_price_1_with_the_packages_npu():
    runs = released_rivals()
    assert {same(run.strategy, NPU.as_released()) for run in runs.values()} == {True}
    assert not any(run.standardize for run in runs.values())
    pckmeans = runs["PCKMeans + NPU (as released)"].clusterer
    assert (pckmeans.weight, pckmeans.weight_unit, pckmeans.keep_answers) == (1.0, "metric", False)


def test_extras_differ_from_the_papers_runs_as_their_names_say():
    terms = OPPOSITE_5
    extras = additional(terms)
    assert all(method.standardize for method in rivals().values())
    assert same(extras["COBRAS (raw)"], replace(rivals()["COBRAS"], standardize=False))
    assert rivals()["PCKMeans + NPU"].clusterer.weight_unit == "metric"
    assert extras["PCKMeans + NPU (large weight)"].clusterer.weight_unit == "variance"


def test_no_two_methods_of_a_table_share_a_name():
    terms = OPPOSITE_5
    names = [*main_methods(terms), *extra_methods(terms)]
    names += [name for method in main_methods(terms).values() for name in method.variants]
    assert len(set(names)) == len(names)


def test_strategies_differ_in_one_thing_at_a_time():
    runs = strategies()
    assert len(runs) == 6
    assert len({repr(run.clusterer) for run in runs.values()}) == 1
    assert len({repr(run.strategy) for run in runs.values()}) == 6
    assert same(runs["AQM + NPU (sorted cost; random tie)"].strategy, NPU())
    assert same(runs["AQM + NPU (unsorted cost; first tie)"].strategy, NPU(sort_cost=False, ties="first"))
    assert same(runs["AQM + MEE"].strategy, MinimumExpectedEntropy())


def test_rivals_have_every_combination_of_the_factors():
    runs = rival_methods()
    names = {name for run, method in runs.items() for name in (run, *method.variants)}
    assert names == {levels.name for levels in LEVELS}
    assert len(names) == 2 ** len(FACTORS) == 16
    for name, method in runs.items():
        (other,) = method.variants.values()
        assert same(other, clone(method.clusterer).set_params(keep_answers=False))
        assert method.standardize == ("standardised" in name)
        assert method.strategy.sort_cost == ("unsorted" not in name)
        assert (method.clusterer.weight_unit == "metric") == ("price in units" in name)


def test_regrouping_covers_three_clusterers_on_either_answers():
    runs = regroupings(CANCER)
    for run, method in runs.items():
        kinds = {type(clusterer).__name__ for clusterer in (method.clusterer, *method.variants.values())}
        assert kinds == {"AugmentedClustering", "PCKMeans", "MPCKMeans"}
        assert same(method.strategy, (proposed(CANCER) | rivals())[run].strategy)


def test_rows_placed_are_those_in_a_known_group(data):
    X, y = data
    small = factor_experiment("T", lambda *_: data, 3, {"M": METHOD}, checkpoints=(9,), quick=(4,))
    (row,) = small.run("M", 0, None)
    session = METHOD.session(X, 3, infer_last=False, random_state=0)
    answer = truth(y)
    for _ in range(9):
        session.tell(answer(session.ask()))
    assert row["placed"] == sum(len(members) for members in session.known_groups()) > 3
    assert small.quick.run("M", 0, None)[0]["checkpoint"] == 4


def test_regrouping_along_the_way_is_resuming_from_the_log(data):
    """One session goes on from checkpoint to checkpoint; its groups are those of a session of that log."""
    X, y = data
    rows = table(data, replace(METHOD, variants=VARIANTS), checkpoints=(4, 7, 9))
    session = METHOD.session(X, 3, infer_last=False, random_state=0)
    answer, options = truth(y), {"strategy": MEE, "infer_last": False, "random_state": 0}
    for checkpoint in (4, 7, 9):
        while len(session.answers) < checkpoint:
            session.tell(answer(session.ask()))
        for name, clusterer in VARIANTS.items():
            resumed = ActiveSession(X, 3, clusterer=clusterer, **options, answers=session.answers)
            (row,) = rows[(rows.checkpoint == checkpoint) & (rows.method == name)].itertuples()
            assert row.ari == adjusted_rand_score(y, resumed.result().labels)


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


def test_the_reference_of_figure4_needs_no_answer(land_cover):
    X, y = land_cover
    wide = pd.concat([X.add_suffix(f"_{k}") for k in range(13)], axis=1)  # the paper names feature 61
    rows = pd.DataFrame(land_cover_weights("K-means", 0, None, load=lambda _: (wide, y)))
    assert set(rows.item) == {
        *(f"K-means, {name}" for name in ("all", "all, raw", "NDVI", "NDVI, raw", "random"))
    }
    assert rows.value.between(-1, 1).all()
    assert "K-means" in WEIGHT_RUNS


@pytest.mark.parametrize("run", ["printed without augmentation", "separable without augmentation"])
def test_figure2_has_both_ways_of_each_objective(run):
    rows = pd.DataFrame(random_pairs(run, 0, None, checkpoints=(10, 20)))
    assert rows.checkpoint.tolist() == sorted(rows.checkpoint)
    kinds = {"printed", "printed K-means"} if "printed" in run else {"separable"}
    ways = ("without augmentation", "with augmentation")
    assert set(rows.method) == {f"{kind} {way}" for kind in kinds for way in ways}


def test_seconds_are_timed_at_each_size_beside_a_forest():
    made = []

    def make(n_samples, seed):
        made.append(n_samples)
        return make_opposite(n_samples=40, mixing=True, random_state=seed)

    rows = pd.DataFrame(seconds_per_question("COBRAS", 0, None, make=make, sizes=(300, 1000), n_questions=2))
    assert rows.n.tolist() == made == [300, 1000]
    assert (rows[["seconds", "forest"]] > 0).all(axis=None)


def test_loops_are_steps_of_the_session():
    assert set(LOOP_RUNS) >= {"AQM + MEE (as printed)", "AQM + MEE (as released)", "AQM + MEE", "Ensemble"}
    rows = pd.DataFrame(seconds_per_loop("AQM + MEE", 0, None, parts=(3, 6)))
    assert rows.questions.tolist() == [3, 6]
    assert (rows.loops >= 1).all()
    assert rows.loops.sum() <= 6
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
