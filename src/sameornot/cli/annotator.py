"""Options of a language model that answers beside people."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from sameornot.cli.common import check_at_least_one, fail, printable

if TYPE_CHECKING:
    from sameornot.annotator import LanguageModel
    from sameornot.service import LabellingService

KEY = "SAMEORNOT_ANNOTATOR_KEY"

AnnotatorOption = Annotated[
    str | None,
    typer.Option(
        "--annotator",
        help="Have a language model answer too: the https://… address of an OpenAI-compatible endpoint. "
        f"Records are then sent to it. The key, if one is needed, is read from {KEY}.",
    ),
]
ModelOption = Annotated[
    str | None, typer.Option("--annotator-model", help="Name of the model at that endpoint.")
]
TaskOption = Annotated[
    str | None,
    typer.Option("--annotator-task", help="What makes two records the same, in a few words for the model."),
]
CallsOption = Annotated[int, typer.Option("--annotator-calls", help="Most requests that are sent.")]
TokensOption = Annotated[int, typer.Option("--annotator-tokens", help="Most tokens that are spent.")]


@dataclass(frozen=True)
class AnnotatorOptions:
    """What the options say; nothing is sent anywhere without a `url`."""

    url: str | None
    model: str | None = None
    task: str | None = None
    calls: int = 200
    tokens: int = 200_000

    def read(self) -> "LanguageModel | None":
        """The model, None if no address is given; raises AnnotatorError, or exits with one sentence."""
        if self.url is None:
            if self.model or self.task:
                fail(
                    "--annotator-model and --annotator-task need --annotator with the address of an endpoint"
                )
            return None
        if not self.model:
            fail("--annotator needs --annotator-model with the name of the model there")
        check_at_least_one("--annotator-calls", self.calls)
        check_at_least_one("--annotator-tokens", self.tokens)
        from sameornot.annotator import Budget, Endpoint, LanguageModel
        from sameornot.annotator.language_model import TASK, AnswerCache
        from sameornot.store import default_store

        endpoint = Endpoint(self.url, self.model, os.environ.get(KEY) or None)
        cache = AnswerCache(default_store().with_name("annotator-answers.txt"))
        return LanguageModel(endpoint, self.task or TASK, Budget(self.calls, self.tokens), cache)


@contextmanager
def annotating(service: "LabellingService", model: "LanguageModel | None") -> Iterator[None]:
    """Have the model, if any, answer questions of the session until the end of the block."""
    if model is None:
        yield
        return
    from sameornot.annotator import AnnotatorWorker

    def report(sentence: str) -> None:
        typer.echo(printable(sentence), err=True)

    report(model.notice)
    worker = AnnotatorWorker(service, model, report).start()
    try:
        yield
    finally:
        worker.close()
