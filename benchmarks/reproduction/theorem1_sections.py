"""Theorem 1 in numbers, as Markdown: errors from the rows, and what the bounds say beside them."""

from collections.abc import Callable, Iterator

import pandas as pd

from reproduction.bounds import (
    LABELLED_ONLY,
    excess,
    excess_with_errors,
    first_below,
    first_counterexample,
    least_excess_of_unlabelled,
    vc_dimensions,
)
from reproduction.labelings import OBSERVED
from reproduction.markdown import NONE, markdown, mean_and_error, number
from reproduction.theorem1 import METHODS, SETTINGS, Setting

EXCESS = 0.05  # ε of the counterexamples
WITH, WITHOUT = METHODS


def theorem1_section(rows: pd.DataFrame) -> Iterator[str]:
    """Errors against the number of answers with the bounds, and where the bounds say something."""
    found = {run: setting for run, setting in SETTINGS.items() if (rows.run == run).any()}
    for run, setting in found.items():
        mine = rows[rows.run == run]
        yield f"**{setting.title}** ({mine.seed.nunique()} seeds)"
        yield error_table(setting, mine)
    yield (
        "Share of pairs in error: e on fresh pairs, in brackets ê on the answered ones. A pair is called "
        "different if its distance is above the limit: 1, at the scale of (3), or the limit with the fewest "
        "errors on the answers. ε is what each bound adds to ê, for δ = .05: as printed, with D = p + 1; "
        "without augmentation, by δ_0; with the D of a general A; and by the bound of Vapnik and "
        "Chervonenkis (1971), which unlike the printed one holds for ê > 0."
    )
    yield markdown(
        ["data", "bound", "D", "ε < 1 from n_l =", "ε < e from n_l =", "pairs"],
        [line for run, setting in found.items() for line in bound_lines(setting, rows[rows.run == run])],
    )
    yield "e: with augmentation and the best limit, after the largest number of answers."
    yield markdown(
        ["data", "ε with all pairs", "ε with n/2 pairs", f"false for ε = {number(EXCESS)} from n_l ="],
        [assumption_line(setting) for setting in found.values()],
    )
    yield (
        "ε: the smallest for which the theorem has enough unlabelled pairs, with the constant 1 in its O, if "
        "all n(n − 1)/2 pairs are taken for independent, and with the n/2 that are. False: from this number "
        "of independent answers on, A = 0 has ê ≤ s and e > s + ε with a probability above δ (with the D of "
        "a general A), for an s just below the share of different pairs minus ε. A = 0 has incompatibility "
        "0, so no t excludes it."
    )


def error_table(setting: Setting, rows: pd.DataFrame) -> str:
    """Errors, incompatibilities and bounds of one setting; columns are numbers of answers."""
    by_count = {count: rows[rows.answers == count] for count in sorted(rows.answers.unique().tolist())}
    body: list[list[str]] = []
    for limit, prefix in (("limit 1", ""), ("best limit", "best_")):
        for method in rows.method.unique():
            cells = [error_cell(here[here.method == method], prefix) for here in by_count.values()]
            body.append([f"e (ê), {limit}, {method}", *cells])
    body.append(["e, best limit, with − without", *map(paired, by_count.values())])
    constant = [number(float(1.0 - here.different.mean())) for here in by_count.values()]
    body.append(["e, every pair called different", *constant])
    for method in METHODS:
        found = [here.incompatibility[here.method == method].mean() for here in by_count.values()]
        body.append([f"ê_u, {method}", *(number(float(value)) for value in found)])
    for name, bound in bounds_of(setting).items():
        body.append([f"ε, {name}", *(f"{bound(count):.2f}" for count in by_count)])
    return markdown(["answers (n_l)", *map(str, by_count)], body)


def error_cell(rows: pd.DataFrame, prefix: str) -> str:
    """Mean error on fresh pairs, and on the answers."""
    if rows.empty:
        return NONE
    return f"{number(rows[f'{prefix}error'].mean())} ({number(rows[f'{prefix}empirical'].mean())})"


def paired(rows: pd.DataFrame) -> str:
    """Mean difference of the errors with the best limit, seed by seed."""
    by_seed = rows.pivot_table(index="seed", columns="method", values="best_error")
    if not {WITH, WITHOUT} <= set(by_seed):
        return NONE
    return mean_and_error(by_seed[WITH] - by_seed[WITHOUT], signed=True)


def bounds_of(setting: Setting) -> dict[str, Callable[[int], float]]:
    """ε as a function of the number of answers."""
    size = vc_dimensions(setting.n_features)
    return {
        "as printed": lambda n: excess(n, size["printed"]),
        "without augmentation": lambda n: excess(n, size["printed"], factor=LABELLED_ONLY),
        "general A": lambda n: excess(n, size["general"]),
        "if ê > 0": lambda n: excess_with_errors(n, size["printed"]),
        "if ê > 0, general A": lambda n: excess_with_errors(n, size["general"]),
    }


def bound_lines(setting: Setting, rows: pd.DataFrame) -> Iterator[list[str]]:
    """From which number of answers each bound is below 1, and below the observed error."""
    last = rows[(rows.answers == rows.answers.max()) & (rows.method == WITH)]
    size = vc_dimensions(setting.n_features)
    n_pairs = setting.n_points * (setting.n_points - 1) // 2
    title = setting.title.partition(":")[0]
    for name, bound in bounds_of(setting).items():
        first = [f"{first_below(bound, level):,}" for level in (1.0, float(last.best_error.mean()))]
        dimension = size["general" if "general" in name else "printed"]
        yield [title, name, str(dimension), *first, f"{n_pairs:,}"]
        title = ""


def assumption_line(setting: Setting) -> list[str]:
    """What the theorem needs and where it fails, for a setting."""
    n, size = setting.n_points, vc_dimensions(setting.n_features)
    enough = [least_excess_of_unlabelled(count, setting.n_features) for count in (n * (n - 1) / 2, n / 2)]
    first = first_counterexample(size["general"], 1 - 1 / setting.n_clusters, EXCESS)
    return [setting.title.partition(":")[0], *map(number, enough), f"{first:,}"]


def classes_section(rows: pd.DataFrame) -> Iterator[str]:
    """What is shattered, and how many labelings low incompatibility leaves."""
    shattered = rows[rows["item"] == "shattered"]
    most = shattered.groupby(["features", "method"]).value.max()
    body = []
    for p in sorted(shattered.features.unique(), key=int):
        found = [f"{most[p, kind]:.0f}" for kind in ("diagonal", "dominant", "symmetric")]
        size = vc_dimensions(int(p))
        body.append([p, *found, str(size["printed"]), str(size["diagonal"]), str(size["general"])])
    kinds = ["diagonal A", "diagonally dominant A", "symmetric A"]
    yield markdown(["p", *kinds, "printed: p + 1", "p", "p(p + 1)/2"], body)
    yield (
        "The largest number of random differences of two points that linear programming finds shattered, and "
        "the VC dimensions. A general A ⪰ 0 lies between the diagonally dominant and the symmetric ones."
    )
    header = ["features (§6.1)", "S", "S_χ: e_u < 0", "S_χ/S", "δ/δ_0", f"S_χ/S: e_u < {OBSERVED:g}"]
    yield markdown(header, list(labelings_lines(rows)))
    yield (
        "Labelings of 40 pairs (n_l = 20) that diagonal metrics can give, counted exactly, mean over "
        f"{rows.seed.nunique()} samples; for all nine features, the limit of S_χ/S for many pairs. The "
        "theorem's class, e_u ≤ t + 2ε with t, ε > 0, is larger than that of e_u < 0. δ < δ_0 needs "
        "S_χ/S < ½. The last column has a limit below 0, near the observed ê_u: the theorem's t is above 0."
    )


def labelings_lines(rows: pd.DataFrame) -> Iterator[list[str]]:
    """S and S_χ of each choice of features."""
    for name, here in rows[rows["item"] != "shattered"].groupby("features", sort=False):
        mean = here.groupby("item").value.mean()
        if "share" in mean:
            ratio, counts, observed = float(mean["share"]), [NONE, NONE], NONE
        else:
            ratio = float(mean["compatible"] / mean["labelings"])
            counts = [f"{mean[item]:.1f}" for item in ("labelings", "compatible")]
            observed = number(float(mean["observed"] / mean["labelings"]))
        yield [str(name), *counts, number(ratio), f"{2 * ratio:.2f}", observed]
