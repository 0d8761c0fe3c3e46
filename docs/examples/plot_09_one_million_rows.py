"""
One million rows
================

Questions are about 2,000 rows that are drawn from the table; all rows get a group. A question takes as
long as with 2,000 rows. (``EXAMPLE_ROWS`` sets another number of rows.)
"""

import os
import time

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession
from sameornot.oracles import truth

n_rows = int(os.environ.get("EXAMPLE_ROWS", "1000000"))
rng = np.random.default_rng(0)
groups = rng.integers(0, 5, n_rows)
X = rng.normal(scale=3.0, size=(5, 10)).astype("float32")[groups]
X += rng.standard_normal(X.shape, dtype="float32")

# %%
start = time.perf_counter()
session, expert = ActiveSession(X, n_clusters=5, random_state=0), truth(groups)
seconds = []
for _ in range(12):
    before = time.perf_counter()
    question = session.ask()
    seconds.append(time.perf_counter() - before)
    session.tell(expert(question))
labels = session.result().labels
print(f"{n_rows:,} rows: all groups after {time.perf_counter() - start:.0f} s")
print(f"ARI over all rows: {adjusted_rand_score(groups, labels):.3f}")

# %%
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.bar(range(1, 13), seconds)
ax.set(xlabel="question", ylabel="seconds until it is asked", title="The first one prepares the pool")
plt.show()
