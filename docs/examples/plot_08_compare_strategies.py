"""
Comparing strategies
====================

``simulate`` lets known labels answer. All methods get the same data, seeds and number of questions; bars
are standard errors over seeds. Use at least ten seeds for a comparison of your own: three are for a quick
picture.
"""

import matplotlib.pyplot as plt
import pandas as pd

from sameornot import NPU, MPCKMeans, simulate
from sameornot.datasets import make_opposite

METHODS = {
    "default": {},
    "AQM + MEE (the paper's)": {"strategy": "mee"},
    "MPCKMeans + NPU": {"strategy": NPU(), "clusterer": MPCKMeans(n_init=1)},
    "COBRAS": {"strategy": "cobras"},
    "random pairs, PCKMeans": {"strategy": "random", "clusterer": "pckmeans"},
}
SEEDS = range(3)


def curve(method, seed):
    """Agreement against questions, of one method on the data of one seed."""
    X, groups = make_opposite(n_samples=100, n_relevant=4, n_irrelevant=8, random_state=seed)
    return simulate(X, groups, 4, budget=36, checkpoints=[0, 12, 24, 36], random_state=seed, **method)


# %%
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, method in METHODS.items():
    runs = pd.concat(curve(method, seed) for seed in SEEDS).groupby("questions").ari
    ax.errorbar(runs.mean().index, runs.mean(), runs.sem(), capsize=3, marker="o", label=name)
ax.set(xlabel="questions", ylabel="agreement (ARI)")
ax.legend(fontsize="small")
plt.show()

# %%
# The benchmarks of this site are made the same way, on eleven tables: :doc:`/questions`.
