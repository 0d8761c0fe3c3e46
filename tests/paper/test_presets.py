"""The presets name every parameter in which the printed and the released method differ from our defaults."""

from inspect import Parameter, signature

import pytest

import sameornot
from sameornot import NPU, ActiveSession, AugmentedClustering, MinimumExpectedEntropy, PCKMeans

# What the paper says, parameter by parameter.
CLUSTERING_AS_PRINTED = {
    "metric": "exact",  # formula (9)
    "penalty": "auto",  # §3.2; q by the elbow, γ by the Calinski–Harabasz index (§4)
    "separation": "cv",  # λ by 5-fold cross-validation (§4)
    "closure": True,  # S and D with all that follows (§3.3)
    "shared_memberships": False,  # λ summed over rows (formula 2)
    "augmentation": True,  # S~ and D~ (formula 3)
    "kernel": None,
    "prior_count": 0.0,  # formula (3) has no prior
    "max_pairs": None,  # all pairs
    "weight": 1.0,  # formula (5)
    "weight_unit": "metric",  # formula (5): under Â as it is
    "answered_row_weight": 1.0,  # centroids of formula (5)
    "keep_answers": False,  # the minimum of formula (5) is the result
    "standardize": False,
}
# Of these it says nothing: the problem, the search for a minimum, and a weight of the released code.
UNSAID = {"n_clusters", "n_init", "max_iter", "random_state", "pair_weight"}

MEE_AS_PRINTED = {
    "n_trees": 50,  # §4
    "representative": "random",  # "an instance" (Algorithm 1, step 1b)
    "exclude_ruled_out": False,  # R is the forest's alone (§4)
    "ties": "random",
    "per_question": False,  # formula (7)
}

SESSION_AS_PRINTED = {
    "infer_last": False,  # "repeat for the rest of the neighborhoods" (Algorithm 1, step 1c)
    "standardize": False,
}


def names(method) -> set[str]:
    return {name for name, p in signature(method).parameters.items() if p.kind is not Parameter.VAR_KEYWORD}


def test_every_parameter_of_the_clusterer_has_a_printed_value():
    assert names(AugmentedClustering) == CLUSTERING_AS_PRINTED.keys() | UNSAID
    printed = AugmentedClustering.as_printed(4).get_params()
    assert {name: printed[name] for name in CLUSTERING_AS_PRINTED} == CLUSTERING_AS_PRINTED
    assert printed["n_clusters"] == 4


def test_every_parameter_of_the_strategy_has_a_printed_value():
    assert names(MinimumExpectedEntropy) == MEE_AS_PRINTED.keys()
    assert vars(MinimumExpectedEntropy.as_printed()) == MEE_AS_PRINTED


def test_the_deviations_of_the_defaults_are_these_and_no_others():
    clusterer, strategy = AugmentedClustering().get_params(), vars(MinimumExpectedEntropy())
    assert {name for name, value in CLUSTERING_AS_PRINTED.items() if clusterer[name] != value} == {
        "metric",
        "penalty",
        "separation",
        "closure",
        "shared_memberships",
        "prior_count",
        "max_pairs",
        "weight_unit",
        "answered_row_weight",
        "keep_answers",
        "standardize",
    }
    assert {name for name, value in MEE_AS_PRINTED.items() if strategy[name] != value} == {
        "representative",
        "exclude_ruled_out",
    }
    session = signature(ActiveSession).parameters
    assert {name for name, value in SESSION_AS_PRINTED.items() if session[name].default != value} == {
        "infer_last",
        "standardize",
    }


def test_the_general_metric_differs_in_the_metric_alone():
    diagonal, full = (AugmentedClustering.as_printed(full=full).get_params() for full in (False, True))
    assert full["metric"] == "full_exact"
    assert full | {"metric": "exact"} == diagonal


def test_a_printed_parameter_can_be_changed_by_name():
    changed = AugmentedClustering.as_printed(3, separation=0.5, n_init=7)
    assert (changed.separation, changed.n_init, changed.closure) == (0.5, 7, True)
    with pytest.raises(TypeError):
        AugmentedClustering.as_printed(3, emphasis=1)


@pytest.mark.parametrize("full", [False, True])
def test_algorithm_1_is_one_line(full):
    options = sameornot.as_printed(full=full)
    assert options.keys() == {"strategy", "clusterer"} | SESSION_AS_PRINTED.keys()
    assert {name: options[name] for name in SESSION_AS_PRINTED} == SESSION_AS_PRINTED
    assert options["strategy"] == MinimumExpectedEntropy.as_printed()
    assert options["clusterer"].get_params() == AugmentedClustering.as_printed(full=full).get_params()
    assert options.keys() <= signature(ActiveSession).parameters.keys()


# The released code


def test_every_parameter_of_the_clusterer_has_a_released_value():
    released = AugmentedClustering.as_released(4, q=15).get_params()
    assert {name: released[name] for name in CLUSTERING_AS_PRINTED} == CLUSTERING_AS_PRINTED | {
        "metric": "released",
        "penalty": (100.0, 15),
        "separation": 0.0,  # the step of the penalty is left out
        "standardize": True,
    }
    assert released["pair_weight"] == 1000.0
    with pytest.raises(TypeError):
        AugmentedClustering.as_released(4)  # q has no default: it was set for each table


@pytest.mark.parametrize("strategy", [MinimumExpectedEntropy, NPU])
def test_the_released_strategies_take_the_first_member_and_the_first_of_ties(strategy):
    released = strategy.as_released()
    assert (released.n_trees, released.representative, released.ties) == (50, "first", "first")
    assert released.exclude_ruled_out is False


def test_the_released_npu_does_not_sort_before_it_counts_questions():
    assert NPU().sort_cost is True
    assert NPU.as_released().sort_cost is False


@pytest.mark.parametrize(("name", "strategy"), [("mee", MinimumExpectedEntropy), ("npu", NPU)])
def test_the_released_session_is_one_line(name, strategy):
    options = sameornot.as_released(q=3, strategy=name)
    assert options["strategy"] == strategy.as_released()
    assert options["clusterer"].get_params() == AugmentedClustering.as_released(q=3).get_params()
    assert options["infer_last"] is False
    assert options["standardize"] is True


def test_the_price_of_a_violation_has_the_same_unit_by_the_same_name_in_both_clusterers():
    for clusterer in (PCKMeans, AugmentedClustering):
        assert clusterer().get_params()["weight_unit"] == "variance"
        assert clusterer().get_params()["weight"] == 1.0
