"""A language model that answers questions beside people, at an endpoint that speaks OpenAI's protocol.

Nothing is sent anywhere unless an endpoint is given. `client.py` speaks HTTP, `language_model.py` turns
records into prompts and replies into answers, `worker.py` takes questions of a session and stores answers.
"""

from sameornot.annotator.client import AnnotatorError, Endpoint
from sameornot.annotator.language_model import Budget, LanguageModel
from sameornot.annotator.worker import AnnotatorWorker

__all__ = ["AnnotatorError", "AnnotatorWorker", "Budget", "Endpoint", "LanguageModel"]
