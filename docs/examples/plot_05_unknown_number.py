"""
An unknown number of groups
===========================

The number of groups is not given. It is estimated from the rows and the answers, with a 90 % interval.
The first questions, twelve at most, compare records that lie close together.
"""

import matplotlib.pyplot as plt
import numpy as np

from sameornot import ActiveSession
from sameornot.oracles import truth

rng = np.random.default_rng(1)
groups = np.repeat(np.arange(12), 20)
X = rng.normal(scale=4.0, size=(12, 6))[groups] + rng.normal(size=(240, 6))

session, expert = ActiveSession(X, random_state=0), truth(groups)
estimates, found = [], []
for _ in range(40):
    session.tell(expert(session.ask()))
    estimates.append(session.result().n_groups)
    found.append(len(session.known_groups()))
print(estimates[-1])

# %%
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
answers = np.arange(1, 41)
ax.fill_between(
    answers, [e.low for e in estimates], [e.high for e in estimates], alpha=0.25, label="90 % interval"
)
ax.plot(answers, [e.estimate for e in estimates], label="estimated number")
ax.plot(answers, found, "--", label="found so far")
ax.axhline(12, color="black", linewidth=0.8, label="true number")
ax.set(xlabel="answers", ylabel="groups")
ax.legend()
plt.show()
