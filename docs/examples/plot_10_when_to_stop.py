"""
When to stop
============

After each answer the session estimates how many rows are in the right group, with a 90 % interval. "You
can stop" appears on the page when the lower end is at 90 %. Here the truth is known, so that both can be
compared.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix

from sameornot import ActiveSession
from sameornot.oracles import truth

X, kind = load_iris(return_X_y=True)


def share_right(labels):
    """Share of rows in the right group, under the best matching of groups and kinds."""
    table = confusion_matrix(kind, labels)
    return table[linear_sum_assignment(-table)].sum() / len(kind)


session, expert = ActiveSession(X, n_clusters=3, random_state=0), truth(kind)
answers, estimates, right = [], [], []
while len(session.answers) < 40 and (question := session.ask()) is not None:
    session.tell(expert(question))
    result = session.result()
    if result.agreement is not None:
        answers.append(len(session.answers))
        estimates.append(result.agreement)
        right.append(share_right(result.labels))

# %%
low, high = np.array([e.low for e in estimates]), np.array([e.high for e in estimates])
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.fill_between(answers, low, high, alpha=0.25, label="90 % interval")
ax.plot(answers, [e.estimate for e in estimates], label="estimate")
ax.plot(answers, right, color="black", label="truth")
ax.axhline(0.9, linestyle=":", color="grey")
ax.set(xlabel="answers", ylabel="share of rows in the right group", ylim=(0.5, 1.01))
ax.legend(loc="lower right")
plt.show()

first = next((n for n, e in zip(answers, low, strict=True) if n >= 20 and e >= 0.9), None)
print(f"You can stop after {first} answers")
