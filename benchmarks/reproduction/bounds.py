"""The bounds of §5 in numbers: Theorems 1 and 3, Corollary 1, and where they cannot hold.

    Theorem 1     P(e ≤ ê + ε) ≥ 1 − δ,   δ = 8 S(2 n_l) exp(−ε n_l / 2),   S(2 n_l) ≤ (2e n_l / D)^D
    Corollary 1   1 − P = O( n K^(2n) log K exp(−n (r/σ)^d) (β^n e^(−2βn) − α^n e^(−2αn)) )
    Theorem 3     E KL(active) − E KL(two-step) ≤ C1 √T − C2 T (1 − exp(−2T/K²)),   K² < T < K·n

n_l answered pairs, D the VC dimension, β and α = n/K the sizes of neighbourhoods and clusters.
"""

from collections.abc import Callable

import numpy as np
from scipy.optimize import brentq
from scipy.stats import binom, norm

DELTA = 0.05
AUGMENTED, LABELLED_ONLY = 8.0, 4.0  # the factors of δ and of δ_0
# Above this no number of answers or questions is looked for.
MOST = 10**15


def vc_dimensions(n_features: int) -> dict[str, int]:
    """VC dimensions of {z : zᵀ A z > 1}: the printed one, and those of diagonal and general A ⪰ 0.

    Examples
    --------
    >>> from reproduction.bounds import vc_dimensions
    >>> vc_dimensions(9)
    {'printed': 10, 'diagonal': 9, 'general': 45}
    """
    general = n_features * (n_features + 1) // 2
    return {"printed": n_features + 1, "diagonal": n_features, "general": general}


def log_growth(n_answers: float, dimension: int) -> float:
    """Logarithm of the bound on S(2 n_l): 2^(2 n_l) up to the VC dimension, (2e n_l / D)^D beyond."""
    if 2 * n_answers <= dimension:
        return 2 * n_answers * np.log(2.0)
    polynomial = dimension * np.log(2.0 * np.e * n_answers / dimension)
    return float(min(polynomial, 2 * n_answers * np.log(2.0)))


def log_delta(n_answers: float, excess: float, dimension: int, *, factor: float = AUGMENTED) -> float:
    """Logarithm of the theorem's δ for an excess ε of the error over the share of wrong answers."""
    return float(np.log(factor) + log_growth(n_answers, dimension) - excess * n_answers / 2)


def excess(n_answers: float, dimension: int, *, factor: float = AUGMENTED, delta: float = DELTA) -> float:
    """The smallest ε that Theorem 1 gives for δ.

    Examples
    --------
    >>> from reproduction.bounds import excess
    >>> round(excess(300, dimension=36), 3), round(excess(300, dimension=630), 3)
    (0.949, 2.806)
    """
    return float(2.0 / n_answers * (np.log(factor / delta) + log_growth(n_answers, dimension)))


def excess_with_errors(n_answers: float, dimension: int, *, delta: float = DELTA) -> float:
    """The ε of Vapnik and Chervonenkis (1971) for any ê: δ = 4 S(2 n_l) exp(−ε² n_l / 8)."""
    return float(np.sqrt(8.0 / n_answers * (np.log(4.0 / delta) + log_growth(n_answers, dimension))))


def first_below(bound: Callable[[int], float], level: float, *, start: int = 1) -> int | None:
    """The first number from `start` at which a falling bound is below a level; None if there is none."""
    low, high = start - 1, start
    while bound(high) >= level:
        low, high = high, 2 * high
        if high > MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) < level else (middle, high)
    return high


def least_excess_of_unlabelled(n_pairs: float, n_features: int, *, delta: float = DELTA) -> float:
    """The smallest ε for which so many independent pairs are enough, if the constant in the O is 1."""

    def missing(epsilon: float) -> float:
        needed = (n_features + 1) * np.log(1.0 / epsilon) + np.log(2.0 / delta)
        return float(needed / epsilon**2 - n_pairs)

    return 1.0 if missing(1.0) > 0 else float(brentq(missing, 1e-6, 1.0))


def log_failure_of_nothing(n_answers: int, different: float, excess: float) -> float:
    """Log probability that A = 0, which calls every pair "same", is a counterexample to Theorem 1.

    Its error is `different`, the share of different pairs; it fails if fewer than that minus ε of the answers
    are wrong. It is in every class that the theorem looks at: A = 0 has incompatibility 0.
    """
    most_wrong = int(np.ceil(n_answers * (different - excess))) - 1
    one_term = binom.logpmf(most_wrong, n_answers, different)  # a lower bound that does not underflow
    return float(max(one_term, binom.logcdf(most_wrong, n_answers, different)))


def first_counterexample(dimension: int, different: float, excess: float) -> int | None:
    """The first n_l from which A = 0 fails with a larger probability than δ; None if it never does.

    The one falls as exp(−n_l ε² / 2π(1 − π)), the other as exp(−n_l ε / 2): there is one if ε < π(1 − π).
    """

    def margin(n_answers: int) -> float:
        return log_delta(n_answers, excess, dimension) - log_failure_of_nothing(n_answers, different, excess)

    return first_below(margin, 0.0, start=int(1 / excess))


def log_tail(
    n_points: int, n_clusters: int, neighbourhood_size: float, separation: float, *, power: float = 2.0
) -> float:
    """Logarithm of what stands in the O of Corollary 1; −∞ if neighbourhoods are as large as clusters."""
    n, K = n_points, n_clusters
    cluster_size = n / K
    small, large = (n * (np.log(size) - 2.0 * size) for size in (neighbourhood_size, cluster_size))
    if large >= small:
        return -np.inf
    bracket = small + np.log1p(-np.exp(large - small))
    return float(np.log(n) + 2 * n * np.log(K) + np.log(np.log(K)) - n * separation**power + bracket)


def enough_members(n_clusters: int) -> int:
    """The smallest whole β with exp(2β)/β > K², the condition below Corollary 1."""
    sizes = np.arange(1, 100)
    return int(sizes[np.exp(2.0 * sizes) / sizes > n_clusters**2][0])


def bayes_error(separation: float) -> float:
    """The share of points that are nearer to the other of two known centres, for d = 2.

    For K = 2 and growing n, Theorem 2's inequality fails with this probability: the two chances of MEE's
    point tend to ½, and a random point tells more if the chance of its true cluster was below ½.
    """
    return float(norm.cdf(-separation / np.sqrt(2.0)))


def two_step_bound(
    n_questions: np.ndarray | float,
    n_clusters: int,
    separation: float,
    power: float = 2.0,
    *,
    sigma: float = 1.0,
) -> np.ndarray:
    """Theorem 3's bound; `separation` is r/σ, `sigma` the length of σ in the unit that r is measured in.

    Examples
    --------
    >>> import numpy as np
    >>> from reproduction.bounds import two_step_bound
    >>> two_step_bound(np.array([100, 200]), n_clusters=2, separation=1.0).round(2)
    array([ 1.61, -8.5 ])
    """
    asked = np.asarray(n_questions, dtype=np.float64)
    first = n_clusters * sigma / np.sqrt(separation * sigma)
    second = np.exp(-(separation**power)) * (n_clusters - 1) / n_clusters
    return np.asarray(first * np.sqrt(asked) - second * asked * (1.0 - np.exp(-2.0 * asked / n_clusters**2)))


def first_negative(n_clusters: int, separation: float, *, sigma: float = 1.0) -> int | None:
    """The first T > K² at which Theorem 3's bound is below 0; it stays there (bound / √T falls)."""

    def bound(asked: int) -> float:
        return float(two_step_bound(asked, n_clusters, separation, sigma=sigma) / np.sqrt(asked))

    return first_below(bound, 0.0, start=n_clusters**2 + 1)


def first_impossible(n_clusters: int, separation: float, *, most: int = 100_000) -> int | None:
    """The first n at which Theorem 3's bound for T = K·n − 1 is below −n log K; None up to `most`.

    No difference of expected losses is: KL(active) is at least 0, and KL(two-step) at most −log ρ^0(truth),
    whose mean is the entropy of the labels before any answer, at most n log K.
    """
    n_points = np.arange(n_clusters + 2, most + 1)  # K² < K·n − 1
    bound = two_step_bound(n_clusters * n_points - 1.0, n_clusters, separation)
    found = np.flatnonzero(bound < -n_points * np.log(n_clusters))
    return int(n_points[found[0]]) if len(found) else None
