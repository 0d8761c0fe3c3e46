"""
Wrong answers
=============

One answer in eight is wrong. Now and then the session asks an unlikely answer again. Once an answer has
been contradicted, all answers are evidence and not facts any more: the groups are the most probable ones,
given all answers and the rows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from sameornot import ActiveSession, Answer, Contradiction, TooManyGroups
from sameornot.oracles import noisy, truth

X, kind = load_iris(return_X_y=True)
right = truth(kind)
expert = noisy(right, 0.12, np.random.default_rng(1))

session = ActiveSession(X, n_clusters=3, random_state=0)
agreement, wrong, repeated = [], [], []
for n in range(1, 51):
    question = session.ask()
    answer = expert(question)
    try:
        session.tell(answer)
    except (Contradiction, TooManyGroups):  # a person would now say which answer is wrong
        session.tell(Answer.UNSURE)
    agreement.append(adjusted_rand_score(kind, session.result().labels))
    if answer is not right(question):
        wrong.append(n)
    if question.is_recheck:
        repeated.append(n)

# %%
fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
ax.plot(range(1, 51), agreement)
ax.plot(wrong, [agreement[n - 1] for n in wrong], "rx", markersize=9, label="wrong answer")
ax.plot(repeated, [agreement[n - 1] for n in repeated], "o", mfc="none", label="asked a second time")
ax.set(xlabel="answers", ylabel="agreement (ARI)")
ax.legend(loc="lower right")
plt.show()

# %%
# How likely each answer is to be right. Those with a low probability are worth a second look.

for pair, p in sorted(session.answer_proba().items(), key=lambda item: item[1])[:5]:
    print(f"rows {pair.left} and {pair.right}: {p:.2f}")
