"""
Digits as pictures
==================

Handwritten digits, where a person sees at once what no single pixel says. With ten groups, the person
chooses among up to five candidates instead of judging pair after pair.

On the page, ``sameornot label digits.csv --image picture`` shows the pictures themselves.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession

digits = load_digits()
X, images, kind = digits.data[:500], digits.images[:500], digits.target[:500]

session = ActiveSession(X, n_clusters=10, random_state=0)
for _ in range(40):
    choice = session.ask(choices=5)
    fitting = [row for row in choice.candidates if kind[row] == kind[choice.row]]
    session.tell(fitting[0] if fitting else None, choice)

result = session.result()
print(f"ARI {adjusted_rand_score(kind, result.labels):.2f} after {len(session.answers)} choices")

# %%
# What a choice looks like: the record on the left, candidates beside it, the likeliest first.

choice = session.ask(choices=5)
fig, axes = plt.subplots(1, 1 + len(choice.candidates), figsize=(7, 1.8), layout="constrained")
for n, (ax, row) in enumerate(zip(axes, [choice.row, *choice.candidates], strict=True)):
    ax.imshow(images[row], cmap="gray_r")
    ax.set_title("this one" if n == 0 else f"{n}: {choice.proba[n - 1]:.0%}")
    ax.axis("off")
plt.show()

# %%
# For each group, five certain members, and in the last three columns the least certain ones: those to look
# at.

fig, axes = plt.subplots(10, 8, figsize=(5, 6.5), layout="constrained")
for group, line in enumerate(axes):
    rows = np.flatnonzero(result.labels == group)
    order = rows[np.argsort(-result.confidence[rows], kind="stable")]
    for ax, row in zip(line, [*order[:5], *order[-3:]], strict=True):
        ax.imshow(images[row], cmap="gray_r")
        ax.axis("off")
plt.show()
