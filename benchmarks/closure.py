"""Closing 100,000 answers, beside the least that Python can do with them: putting the pairs into a set.

Random pairs of known groups in random order, half of them of one group. Claim: under a second.
"""

import statistics

import numpy as np

from machine import report, seconds, table
from sameornot import Answer, Constraints

N_ANSWERS = 100_000
N_POINTS = (20_000, 100_000)
REPEATS = 7
SMALL = 5  # points in a small group

Fact = tuple[tuple[int, int], Answer]


def main() -> None:
    rows = [
        [name, f"{n_points:,}", *measure(draw_facts(n_points, n_groups, np.random.default_rng(0)))]
        for n_points in N_POINTS
        for name, n_groups in {
            f"groups of {SMALL}": n_points // SMALL,
            "2 groups": 2,
            "10 groups": 10,
        }.items()
    ]
    header = ["truth", "points", '"same"', '"different"', "seconds", "closure / set of pairs"]
    about = __doc__.partition("\n\n")[2].strip()
    text = f"{about}\n\nMedians of {REPEATS} in turns.\n\n{table(header, rows)}"
    report("closure", f"Closing {N_ANSWERS:,} answers", text)


def measure(facts: list[Fact]) -> list[str]:
    taken = [(seconds(lambda: close(facts)), seconds(lambda: keep(facts))) for _ in range(REPEATS)]
    closing, keeping = (statistics.median(column) for column in zip(*taken, strict=True))
    n_same = sum(answer is Answer.SAME for _, answer in facts)
    return [f"{n_same:,}", f"{len(facts) - n_same:,}", f"{closing:.2f}", f"{closing / keeping:.0f}"]


def draw_facts(n_points: int, n_groups: int, rng: np.random.Generator) -> list[Fact]:
    """Half of the pairs at random, half of points of one group, in random order."""
    size = n_points // n_groups
    by_group = rng.permutation(n_points)  # the first `size` points are the first group, and so on
    rank = rng.integers(n_points, size=N_ANSWERS)
    mate = rank - rank % size + (rank + rng.integers(1, size, size=N_ANSWERS)) % size
    anyone = (rank + rng.integers(1, n_points, size=N_ANSWERS)) % n_points
    other = np.where(rng.random(N_ANSWERS) < 0.5, mate, anyone)
    same = rank // size == other // size
    pairs = np.column_stack([by_group[rank], by_group[other]])
    answers = [Answer.SAME if s else Answer.DIFFERENT for s in same.tolist()]
    return [((i, j), answer) for (i, j), answer in zip(pairs.tolist(), answers, strict=True)]


def close(facts: list[Fact]) -> None:
    constraints = Constraints(max(N_POINTS))
    for pair, answer in facts:
        constraints.add(pair, answer)


def keep(facts: list[Fact]) -> None:
    kept = set()
    for pair, _ in facts:
        kept.add(pair)


if __name__ == "__main__":
    main()
