"""A language model's answers, from a server that speaks the protocol, fails, limits, or talks nonsense."""

import json
import threading
import time

import pytest

from sameornot import Answer
from sameornot.annotator.client import AnnotatorError, Endpoint, Retries
from sameornot.annotator.language_model import AnswerCache, Budget, BudgetSpent, LanguageModel, read_reply

SAME, DIFFERENT, UNSURE = Answer.SAME, Answer.DIFFERENT, Answer.UNSURE
A, B, C = ({"kind": kind, "size": size} for kind, size in (("x", "1"), ("x", "2"), ("y", "1")))
FAST = Retries(n_tries=3, first=0.01, longest=0.05, timeout=0.3)


def model_at(server, **settings):
    endpoint = Endpoint(server.url, "tiny", settings.pop("key", None), settings.pop("retries", FAST))
    return LanguageModel(endpoint, **settings)


def test_pairs_are_answered_in_one_call_and_once(chat):
    model = model_at(chat)
    assert model.answer([(A, B), (A, C), (B, A)]) == [SAME, DIFFERENT, SAME]
    assert model.answer([(C, A), (B, A)]) == [DIFFERENT, SAME]
    assert len(chat.requests) == 1
    assert len(json.loads(chat.requests[0]["messages"][1]["content"])) == 2
    assert (model.budget.n_calls, model.budget.n_tokens) == (1, 100)


def test_many_pairs_are_sent_in_batches(chat):
    pairs = [({"kind": "x", "n": str(n)}, {"kind": "y", "n": str(n)}) for n in range(7)]
    assert model_at(chat, n_pairs=3).answer(pairs) == [DIFFERENT] * 7
    assert len(chat.requests) == 3


def test_cache_outlives_the_process_and_holds_no_content(chat, tmp_path):
    path = tmp_path / "cache" / "answers"
    model_at(chat, cache=AnswerCache(path)).answer([(A, C)])
    assert model_at(chat, cache=AnswerCache(path)).answer([(C, A)]) == [DIFFERENT]
    assert len(chat.requests) == 1
    assert path.read_text().split()[1:] == ["different"]
    assert model_at(chat, cache=AnswerCache(path), task="of one size").answer([(A, C)]) == [DIFFERENT]
    assert len(chat.requests) == 2


def test_damaged_cache_is_no_harm(chat, tmp_path):
    (tmp_path / "cache").write_bytes(b"\xff\x00 same\nx\n\n" + b"y maybe\n")
    assert model_at(chat, cache=AnswerCache(tmp_path / "cache")).answer([(A, B)]) == [SAME]


@pytest.mark.parametrize(
    "failure", [429, 500, 503, "hang", "drip", "close", b"", b"<html>", b"[" * 5000, b"{}"]
)
def test_passing_failure_is_tried_again(chat, failure):
    chat.plan = [failure]
    assert model_at(chat).answer([(A, B)]) == [SAME]
    assert len(chat.requests) == 2


@pytest.mark.parametrize("failure", [503, "hang", b'{"choices": []}'])
def test_failure_that_stays_is_reported_in_one_sentence(chat, failure):
    chat.plan = [failure] * 5
    model = model_at(chat)
    with pytest.raises(AnnotatorError, match=r"^the annotator at 127\.0\.0\.1:\d+ did not answer: \S.*$"):
        model.answer([(A, B)])
    assert len(chat.requests) == model.budget.n_calls == FAST.n_tries


@pytest.mark.parametrize(
    ("status", "hint"), [(401, "check the key"), (404, "the name of the model"), (400, "")]
)
def test_refusal_is_not_tried_again(chat, status, hint):
    chat.plan = [status]
    with pytest.raises(AnnotatorError, match=rf"refuses requests \(HTTP {status}\): .*{hint}"):
        model_at(chat, key="secret-key").answer([(A, B)])
    assert len(chat.requests) == 1


def test_redirect_is_not_followed_with_the_key(chat):
    chat.plan = [307]
    with pytest.raises(AnnotatorError) as caught:
        model_at(chat, key="secret-key").answer([(A, B)])
    assert "secret-key" not in str(caught.value)
    assert chat.headers[0]["Authorization"] == "Bearer secret-key"


def test_rate_limit_is_waited_for_as_asked():
    retries = Retries(first=1.0, longest=60.0)
    assert 30.0 <= retries.wait(1, 30.0) <= 37.5
    assert [1, 2, 4] <= [retries.wait(n, None) for n in (1, 2, 3)] <= [1.25, 2.5, 5]
    assert retries.wait(20, None) <= 75.0 >= retries.wait(1, 1e6)


def test_waiting_ends_when_the_worker_is_stopped(chat):
    chat.plan = [503] * 9
    stop = threading.Event()
    stop.set()
    began = time.monotonic()
    with pytest.raises(AnnotatorError, match="was stopped"):
        model_at(chat, retries=Retries(first=60.0)).answer([(A, B)], stop)
    assert time.monotonic() - began < 30


NONSENSE = [
    "",
    "I cannot compare records.",
    "same",
    '{"answers": "same"}',
    '{"answers": [{"pair": 1, "answer": "identical"}]}',
    '{"answers": [{"pair": 2, "answer": "same"}, {"pair": true, "answer": "same"}, {"pair": "1"}, 7, null]}',
    '{"answers": [{"pair": 1, "answer": "same"}, {"pair": 1, "answer": "different"}]}',
    "[" * 3000,
    '{"answers": [{"pair": 1, "answer": ["same"]}]}',
]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_unsure_and_not_remembered(chat, text):
    chat.plan = [text]
    model = model_at(chat)
    assert model.answer([(A, B)]) == [UNSURE]
    assert model.answer([(A, B)]) == [SAME]


def test_answers_are_found_between_other_words():
    text = 'Here: ```json\n[{"pair": 2, "answer": " Different "}, {"pair": 1, "answer": "SAME"}]\n``` done'
    assert read_reply(text, 3) == [SAME, DIFFERENT, UNSURE]


def test_nothing_is_sent_beyond_the_budget(chat):
    model = model_at(chat, budget=Budget(max_calls=2), n_pairs=1)
    with pytest.raises(BudgetSpent):
        model.answer([(A, B), (A, C), (B, C)])
    assert len(chat.requests) == 2
    model = model_at(chat, budget=Budget(max_tokens=150), n_pairs=1)
    assert model.answer([(A, B)]) == [SAME]
    with pytest.raises(BudgetSpent):
        model.answer([(A, C)])
    assert len(chat.requests) == 3


def test_failed_calls_are_part_of_the_budget(chat):
    chat.plan = [500] * 9
    model = model_at(chat, budget=Budget(max_calls=2))
    with pytest.raises(BudgetSpent):
        model.answer([(A, B)])
    assert len(chat.requests) == 2


def test_long_records_are_cut(chat):
    record = {"kind": "x", "note": "y" * 10_000, **{f"c{n}": "z" for n in range(100)}}
    model_at(chat).answer([(record, A)])
    sent = json.loads(chat.requests[0]["messages"][1]["content"])[0]["a"]
    assert len(sent) == 40
    assert max(map(len, sent.values())) <= 601


@pytest.mark.parametrize(
    ("url", "key", "sentence"),
    [
        ("ftp://host/v1", None, "but one like https://host/v1 is needed"),
        ("https://", None, "but one like https://host/v1 is needed"),
        ("https://[x/v1", None, "cannot be read"),
        ("https://host:99999/v1", None, "cannot be read"),
        ("https://user:pass@host/v1", None, "holds a password"),
        ("http://far.example/v1", "secret", "would be sent unencrypted to far.example"),
        ("https://host/v1", "two\nlines", "holds characters that no key has"),
    ],
)
def test_address_that_cannot_be_used_is_refused(url, key, sentence):
    with pytest.raises(AnnotatorError, match=sentence) as caught:
        Endpoint(url, "m", key)
    assert "pass@" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_key_is_never_shown():
    assert "secret" not in repr(Endpoint("https://host/v1", "m", "secret"))
