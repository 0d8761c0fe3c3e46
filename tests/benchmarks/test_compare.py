"""Differences from the paper in its own units, and paired tests against scipy and by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from reproduction import paper
from reproduction.compare import factor_test, gap, paired_test, summarise


def table(**aris):
    return pd.DataFrame(
        [
            {"method": method, "seed": seed, "checkpoint": q, "ari": ari}
            for method, by_seed in aris.items()
            for seed, line in enumerate(by_seed)
            for q, ari in line.items()
        ]
    )


def test_gap_is_measured_in_the_papers_deviations_and_in_standard_errors():
    ours = pd.Series([0.5, 0.7])
    found = gap(ours, paper.Cell(0.5, 0.2))
    assert found.in_deviations == pytest.approx(0.5)
    assert found.in_errors == pytest.approx(0.1 / np.sqrt(0.04 / 30 + 0.02 / 2))


def test_a_single_replication_has_no_spread():
    assert summarise(pd.Series([0.3])) == paper.Cell(0.3, 0.0)


def test_paired_test_uses_the_seeds_that_both_have_and_the_mean_over_checkpoints():
    rng = np.random.default_rng(0)
    first = [{60: a, 120: b} for a, b in rng.random((12, 2))]
    second = [{60: a, 120: b} for a, b in rng.random((9, 2))]
    found = paired_test(table(first=first, second=second), "first", "second")
    means = [
        (np.mean(list(a.values())), np.mean(list(b.values()))) for a, b in zip(first, second, strict=False)
    ]
    a, b = np.array(means).T
    assert found.n_seeds == 9
    assert found.mean == pytest.approx((a - b).mean())
    assert found.p_t == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert found.p_wilcoxon == pytest.approx(stats.wilcoxon(a, b).pvalue)
    assert found.share_ahead == (a > b).mean()


def test_paired_test_at_one_checkpoint():
    rows = table(first=[{60: 0.5, 120: 0.0}, {60: 0.7, 120: 0.0}], second=[{60: 0.1}, {60: 0.2}])
    assert paired_test(rows, "first", "second", 60).mean == pytest.approx(0.45)


def test_equal_methods_do_not_differ():
    rows = table(first=[{60: 0.5}, {60: 0.7}], second=[{60: 0.5}, {60: 0.7}])
    found = paired_test(rows, "first", "second")
    assert (found.mean, found.p_t, found.p_wilcoxon, found.share_ahead) == (0.0, 1.0, 1.0, 0.0)


def test_a_method_without_rows_is_named():
    with pytest.raises(ValueError, match="no rows of 'first' and 'third'"):
        paired_test(table(first=[{60: 0.5}]), "first", "third")


def test_the_papers_tables_are_complete():
    assert {len(line) for table in paper.TABLES.values() for line in table.values()} == {5}
    assert paper.TABLES["table1"]["AQM + MEE"][0] == (0.474, 0.124)
    assert paper.TABLES["table3"]["AQM + MEE"][-1] == (0.906, 0.083)
    assert paper.COBRA["table2"][90].ari == (0.242, 0.031)


def test_a_factor_is_averaged_over_pairs_of_methods_and_tested_over_seeds():
    rows = table(
        a1=[{60: 0.5, 120: 0.7}, {60: 0.6, 120: 0.8}, {60: 0.4, 120: 0.4}],
        a2=[{60: 0.4, 120: 0.6}, {60: 0.4, 120: 0.6}],
        b1=[{60: 0.1, 120: 0.3}, {60: 0.1, 120: 0.3}, {60: 0.1, 120: 0.1}],
        b2=[{60: 0.3, 120: 0.3}, {60: 0.2, 120: 0.2}, {60: 0.0, 120: 0.0}],
    )
    found = factor_test(rows, {"a1": "b1", "a2": "b2"}, "a", "b")
    by_hand = np.array([(0.4 + 0.2) / 2, (0.5 + 0.3) / 2])  # of the seeds that all four have
    assert (found.first, found.second, found.n_seeds) == ("a", "b", 2)
    assert found.mean == pytest.approx(by_hand.mean())
    assert found.error == pytest.approx(by_hand.std(ddof=1) / np.sqrt(2))
    assert factor_test(rows, {"a1": "b1", "a2": "b3"}, "a", "b") is None


def test_differences_that_are_all_the_same_have_no_error():
    rows = table(first=[{60: 0.5}, {60: 0.7}, {60: 0.2}], second=[{60: 0.4}, {60: 0.6}, {60: 0.1}])
    found = paired_test(rows, "first", "second")
    assert (found.mean, found.error, found.p_t) == (pytest.approx(0.1), pytest.approx(0.0), 0.0)
