"""The theorems of §5 in numbers, as Markdown: from the rows, and the bounds beside them."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from reproduction.bounds import (
    bayes_error,
    enough_members,
    first_impossible,
    first_negative,
    log_tail,
    two_step_bound,
)
from reproduction.markdown import NONE, markdown, mean_and_error, number
from reproduction.single_runs import THEORY_QUESTIONS
from reproduction.theorem1_sections import classes_section, theorem1_section

# Corollary 1 and Theorem 3 are evaluated at these distances of the centres, r/σ.
SEPARATIONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
CLUSTERS = (2, 3, 5, 10)
# T = 300 in Tables 1 to 3: K, and the distance of the centres in standard deviations.
TABLES = {"Table 1": (5, 3 * np.sqrt(2)), "Table 2": (10, 3 * np.sqrt(2)), "Table 3": (5, 5 * np.sqrt(2))}


def theory_section(rows: pd.DataFrame) -> Iterator[str]:
    """How often Theorem 2 holds, and the loss of each strategy for growing T (Theorem 3)."""
    second, third = (rows[rows.experiment == f"theorem{which}"] for which in (2, 3))
    body = []
    for (n_clusters, separation), here in third.groupby(["n_clusters", "separation"]):
        one_step = second[(second.n_clusters == n_clusters) & (second.separation == separation)]
        holds = f"{one_step.holds.mean():.1%}" if len(one_step) else NONE
        for method in here.method.unique():
            mean = here[here.method == method].groupby("questions").kl.mean()
            cells = [f"{mean[T]:.3f}" if T in mean else NONE for T in THEORY_QUESTIONS]
            body.append([f"K = {n_clusters}, r/σ = {separation:g}", holds, method, *cells])
            holds = ""
    header = ["problem", "Theorem 2 holds", "strategy", *(f"T = {T}" for T in THEORY_QUESTIONS)]
    yield markdown(header, body)
    yield (
        f"{rows.seed.nunique()} random problems of each kind, all label vectors enumerated. Theorem 2: share "
        "of random placements after which the posterior is at least as far from the truth as after MEE's. "
        "Theorem 3: mean KL divergence from the truth after T questions."
    )


def corollary1_section(rows: pd.DataFrame) -> Iterator[str]:
    """How often Theorem 2 holds for each size of the neighbourhoods, beside the tail of Corollary 1."""
    sizes = sorted(rows.neighbourhood_size.unique().tolist())
    header = ["K", "n", "r/σ", "answers", *(f"β = {size}" for size in sizes)]
    header += ["most β − least", "1 − Bayes error", *(f"log10 tail, β = {size}" for size in sizes)]
    kinds = ["n_clusters", "n_points", "separation", "strength"]
    yield markdown(header, [size_line(here, sizes) for _, here in rows.groupby(kinds)])
    n_worlds = int(rows.drop_duplicates(["run", "seed"]).groupby("run").worlds.sum().max())
    members = ", ".join(f"{enough_members(K)} for K = {K}" for K in CLUSTERS)
    yield (
        "Share of random choices of another point than MEE's for which Theorem 2's inequality holds, ± "
        f"standard error; {n_worlds} random problems of each kind, the same points for every β. Answers are "
        "facts, or have the prior of §3.3. The tail is what stands in the O of Corollary 1, its bound on the "
        f"share of failures. Its condition exp(2β)/β > K² asks for neighbourhoods of {members}."
    )


def size_line(rows: pd.DataFrame, sizes: list[int]) -> list[str]:
    """One kind of problem: the share for each size, its change, its limit, and the tail."""
    first = rows.iloc[0]
    n, K, separation = int(first.n_points), int(first.n_clusters), float(first.separation)
    is_fact = bool(np.isinf(first.strength))
    holds = rows.pivot_table(index="seed", columns="neighbourhood_size", values="holds")
    measured = [mean_and_error(holds[size]) if size in holds else NONE for size in sizes]
    found = [size for size in sizes if size in holds]
    change = mean_and_error(holds[found[-1]] - holds[found[0]], signed=True)
    limit = number(1 - bayes_error(separation)) if K == 2 and is_fact else ""
    logs = [log_tail(n, K, size, separation) / np.log(10.0) if size in holds else -np.inf for size in sizes]
    tails = [f"{log:,.0f}" if np.isfinite(log) else NONE for log in logs]
    kind = [str(K), str(n), f"{separation:g}", "facts" if is_fact else "prior"]
    return [*kind, *measured, change, limit, *tails]


def theorem3_section(rows: pd.DataFrame) -> Iterator[str]:
    """Where Theorem 3's bound is negative, where it cannot hold, and the two-step strategy for K = 2."""
    distances = [f"r/σ = {r:g}" for r in SEPARATIONS]
    yield markdown(
        ["K", *distances], [[str(K), *(negative_cell(K, r) for r in SEPARATIONS)] for K in CLUSTERS]
    )
    yield (
        "The first T > K² at which the bound is below 0 and so says that the active strategy is ahead; in "
        "brackets the smallest n with T < K·n (σ = 1)."
    )
    yield markdown(
        ["T = 300", "K", "distance", "bound, σ = 1", "bound, σ = √2"],
        [table_line(name, *case) for name, case in TABLES.items()],
    )
    yield (
        "Distances of centres are in standard deviations. With the density of Condition I, σ is √2 of them. "
        "C1 = Kσ/√r depends on the unit of length: with σ and r in a larger unit, the same data have a "
        "smaller bound."
    )
    yield markdown(
        ["K", *distances], [[str(K), *(impossible_cell(K, r) for r in SEPARATIONS)] for K in CLUSTERS]
    )
    yield (
        "The smallest n (up to 100,000) at which the bound for T = K·n − 1 is below −n log K. The theorem is "
        "false there: no loss is below 0, and the mean loss of the two-step strategy is at most the entropy "
        "of the labels, n log K."
    )
    header = ["K = 2: n", "r/σ", "T", "loss before", "loss of two-step", "bound", ""]
    yield markdown(header, list(two_step_lines(rows)))
    yield (
        f"Exact loss (KL in nats) of the two-step strategy, mean ± standard error of {rows.seed.nunique()} "
        "seeds. The left side of the theorem is at least minus this loss, whatever the active strategy does. "
        "False: the bound is below that by more than five standard errors."
    )


def negative_cell(n_clusters: int, separation: float) -> str:
    """The first T with a negative bound, and the n that it needs."""
    first = first_negative(n_clusters, separation)
    return NONE if first is None else f"{first:,} ({first // n_clusters + 1:,})"


def impossible_cell(n_clusters: int, separation: float) -> str:
    """The first n for which the bound cannot hold."""
    first = first_impossible(n_clusters, separation)
    return NONE if first is None else f"{first:,}"


def table_line(name: str, n_clusters: int, distance: float) -> list[str]:
    """The bound on the data of a table."""
    unit = np.sqrt(2.0)  # the density exp(−(x/σ)²) has σ = √2 standard deviations
    values = (
        two_step_bound(300, n_clusters, distance),
        two_step_bound(300, n_clusters, distance / unit, sigma=unit),
    )
    return [name, str(n_clusters), f"{distance:.2f}", *(f"{float(value):+.0f}" for value in values)]


def two_step_lines(rows: pd.DataFrame) -> Iterator[list[str]]:
    """The loss of the two-step strategy and the bound."""
    for _, here in rows.groupby(["n_points", "separation", "questions"]):
        first, loss = here.iloc[0], here.kl.to_numpy(dtype=float)
        bound, n_seeds = float(first.bound), len(loss)
        error = float(loss.std(ddof=1)) / np.sqrt(n_seeds) if n_seeds > 1 else np.inf
        spread = f" ± {error:.1f}" if n_seeds > 1 else ""
        verdict = "false" if bound < -loss.mean() - 5 * error else ""
        place = [str(int(first.n_points)), f"{first.separation:g}", str(int(first.questions))]
        yield [*place, f"{here.start.mean():.1f}", f"{loss.mean():.1f}{spread}", f"{bound:+.1f}", verdict]


Section = Callable[[pd.DataFrame], Iterator[str]]
# In the order of the page.
THEORY_SECTIONS: dict[str, Section] = {
    "theorem1": theorem1_section,
    "theorem1-classes": classes_section,
    "corollary1": corollary1_section,
    "theory": theory_section,
    "theorem3": theorem3_section,
}
