"""
A table of your own
===================

A table with numbers, words and dates, grouped by ten answers: what the page does, in ten lines of Python.

There are three kinds of customers. The columns ``age`` and ``region`` have nothing to do with them.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from sameornot import ActiveSession
from sameornot.oracles import truth
from sameornot.table import TableEncoder

rng = np.random.default_rng(0)
kind = rng.permutation(np.repeat([0, 1, 2], 50))
table = pd.DataFrame(
    {
        "age": rng.integers(18, 80, 150),
        "orders": rng.poisson(np.array([3, 12, 30])[kind]),
        "plan": np.array(["free", "basic", "team"])[(kind + (rng.random(150) < 0.15)) % 3],
        "region": rng.choice(["north", "south", "west"], 150),
        "joined": pd.Timestamp("2024-01-01") + pd.to_timedelta(400 * kind + rng.integers(0, 300, 150), "D"),
    }
)
print(table.head())

# %%
# Columns of any kind become numbers. Every column counts the same, however many features it becomes.

encoder = TableEncoder.fit(table)
X = pd.DataFrame(encoder.transform(table), columns=encoder.feature_names)
print(X.columns.tolist())

# %%
# Ten answers. Here the expert knows the kind; yours looks at ``table.iloc[list(question)]``.

session, expert = ActiveSession(X, n_clusters=3, random_state=0), truth(kind)
for _ in range(10):
    question = session.ask()
    session.tell(expert(question))

result = session.result()
print(result.agreement)
print(pd.crosstab(kind, result.labels))

# %%
# Which columns tell the groups apart, and where the groups are.

fig, (left_ax, right_ax) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
columns = [encoder.columns[owner].name for owner in encoder.owner]
shares = result.feature_weights.groupby(columns).sum().sort_values()
left_ax.barh(shares.index, shares)
left_ax.set(title="Share of each column")
for group in range(3):
    rows = table[result.labels == group]
    right_ax.scatter(rows.joined, rows.orders, label=f"group {group}")
right_ax.set(title="Groups", xlabel="joined", ylabel="orders")
right_ax.tick_params(axis="x", rotation=30)
right_ax.legend()
plt.show()
