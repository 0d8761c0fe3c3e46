"""Equal logs have equal keys, and a key costs as much after many answers as after few."""

from hypothesis import given
from hypothesis import strategies as st

from sameornot._types import Answer, Pair, Reply
from sameornot.service.log_key import LogKey

replies = st.builds(
    Reply,
    st.builds(Pair, st.integers(0, 3), st.integers(0, 3)),
    st.sampled_from(Answer),
    st.integers(0, 2),
    st.booleans(),
)
logs = st.lists(replies, max_size=6)
clusters = st.sampled_from([None, 2, 3])


@given(clusters, logs, clusters, logs)
def test_keys_are_equal_if_and_only_if_the_logs_are(k, log, other_k, other):
    key, other_key = LogKey.of(k, log), LogKey.of(other_k, other)
    assert (key == other_key) == ((k, log) == (other_k, other))
    assert key != other_key or hash(key) == hash(other_key)


@given(clusters, logs)
def test_a_key_knows_its_replies_and_its_prefixes(k, log):
    key = LogKey.of(k, log)
    assert key.replies == log
    assert key.n_answers == len(log)
    assert list(key.prefixes()) == [LogKey.of(k, log[:n]) for n in range(len(log), -1, -1)]


def test_one_more_answer_shares_the_key_before_it():
    key = LogKey.of(3, [Reply(Pair(0, n + 1), Answer.SAME, 1) for n in range(5_000)])
    longer = key.then(Reply(Pair(1, 2), Answer.UNSURE, 1))
    assert longer.parent is key
    assert longer.n_answers == 5_001
