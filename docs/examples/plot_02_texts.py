"""
Short texts
===========

Requests to a help desk, grouped by what they are about. Texts become numbers first: word frequencies,
reduced to 20 dimensions. Any other embedding of texts, such as that of a language model, takes its place.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

from sameornot import ActiveSession
from sameornot.oracles import truth

WORDS = {
    "card": [
        "my card was declined",
        "the card is blocked",
        "card stolen yesterday",
        "new card has not arrived",
    ],
    "login": [
        "cannot log in",
        "password reset link expired",
        "account locked after login",
        "forgot my password",
    ],
    "invoice": ["invoice shows a wrong amount", "please resend the invoice", "charged twice on the invoice"],
    "delivery": ["parcel has not arrived", "delivery came to the wrong address", "where is my parcel"],
}
ENDINGS = ["please help", "what can I do", "this is urgent", "thank you", "since Monday", "it happened again"]

rng = np.random.default_rng(0)
topics = rng.choice(list(WORDS), 160)
texts = [f"{rng.choice(WORDS[topic])}, {rng.choice(ENDINGS)}, {rng.choice(ENDINGS)}" for topic in topics]
print(*texts[:3], sep="\n")

embed = make_pipeline(TfidfVectorizer(), TruncatedSVD(20, random_state=0))
X = embed.fit_transform(texts)

# %%
# The endings say nothing about the topic, but make up most of the words. The answers find out. The number
# of topics is not given.

session, expert = ActiveSession(X, random_state=0), truth(topics)
agreement = [adjusted_rand_score(topics, session.result().labels)]
for _ in range(40):
    session.tell(expert(session.ask()))
    agreement.append(adjusted_rand_score(topics, session.result().labels))
result = session.result()
print(f"{len(set(result.labels))} groups; estimate {result.n_groups}")

# %%
# The most certain and the least certain request of each group:

for group in np.unique(result.labels):
    rows = np.flatnonzero(result.labels == group)
    order = rows[np.argsort(result.confidence[rows], kind="stable")]
    print(f"group {group} ({len(rows)}): {texts[order[-1]]!r}, …, {texts[order[0]]!r}")

# %%
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(agreement)
ax.set(xlabel="answers", ylabel="agreement with the topics (ARI)", ylim=(0, 1.02))
plt.show()
