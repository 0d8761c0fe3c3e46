"""
Given pairs in a Pipeline
=========================

Pairs are known already and nobody can be asked. Every clusterer takes ``must_link`` and ``cannot_link``,
and works in a scikit-learn ``Pipeline``. Only three of the fifteen features tell the groups apart. How
much do pairs help, and which clusterer makes most of them? Bars are standard errors over five random sets
of pairs. (Random pairs are a poor way to spend an expert: a session chooses better ones.)
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sameornot import AugmentedClustering, EnsembleClustering, PCKMeans
from sameornot.datasets import make_opposite

X, kind = make_opposite(n_samples=120, n_relevant=3, n_irrelevant=12, random_state=0)


def random_pairs(n_pairs, rng):
    """Pairs of rows whose relation is known, by what it is."""
    pairs = rng.integers(len(X), size=(n_pairs, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = kind[pairs[:, 0]] == kind[pairs[:, 1]]
    return {"must_link": pairs[same], "cannot_link": pairs[~same]}


def agreement(clusterer, pairs):
    """Fit a pipeline with pairs; they go to its last step."""
    pipeline = make_pipeline(StandardScaler(), clusterer)
    step = pipeline.steps[-1][0]
    pipeline.fit(X, **{f"{step}__{name}": rows for name, rows in pairs.items()})
    return adjusted_rand_score(kind, pipeline.predict(X))


# %%
numbers = [0, 30, 120]
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
for clusterer in (
    EnsembleClustering(n_clusters=3, random_state=0),
    AugmentedClustering(n_clusters=3, random_state=0),
    PCKMeans(n_clusters=3, random_state=0),
):
    scores = np.array(
        [
            [agreement(clusterer, random_pairs(n, np.random.default_rng(seed))) for seed in range(5)]
            for n in numbers
        ]
    )
    error = scores.std(axis=1, ddof=1) / np.sqrt(5)
    ax.errorbar(numbers, scores.mean(axis=1), error, capsize=3, marker="o", label=type(clusterer).__name__)
ax.set(xlabel="random pairs", ylabel="agreement (ARI)")
ax.legend()
plt.show()
