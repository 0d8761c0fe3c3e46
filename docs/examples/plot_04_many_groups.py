"""
Many groups: pairs or choices
=============================

With 20 groups, placing a record by pairs takes several questions. A choice shows the record and up to
five candidates, and counts as all pairs that it implies. The picture compares both after the same number
of screens.
"""

import matplotlib.pyplot as plt
import numpy as np

from sameornot import simulate

rng = np.random.default_rng(0)
groups = np.repeat(np.arange(20), 15)
X = rng.normal(scale=3.0, size=(20, 8))[groups] + rng.normal(scale=1.4, size=(300, 8))

shared = {"budget": 60, "checkpoints": [0, 20, 40, 60], "random_state": 0}
pairs = simulate(X, groups, 20, **shared)
choices = simulate(X, groups, 20, choices=5, **shared)
print(choices)

# %%
# ``pairs`` in the table above counts what the choices imply.

fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.plot(pairs.questions, pairs.ari, "o-", label="pairs")
ax.plot(choices.questions, choices.ari, "o-", label="choices of up to five")
ax.set(xlabel="screens answered", ylabel="agreement (ARI)")
ax.legend()
plt.show()
