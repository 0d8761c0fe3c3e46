"""A thread that has a language model answer questions of a session, as one annotator among people."""

import threading
from collections.abc import Callable

from sameornot.annotator.client import AnnotatorError
from sameornot.annotator.language_model import BudgetSpent, LanguageModel
from sameornot.service import LabellingService, ServiceError
from sameornot.store import StoreError

# Seconds until an endpoint that failed is tried again, and until it is looked whether there is more to ask.
PAUSE = 60.0
IDLE = 5.0


class AnnotatorWorker:
    """Asks a model about batches of questions until the budget is spent or nothing is left.

    Parameters
    ----------
    service : LabellingService
    model : LanguageModel
    report : callable, optional
        Called with a sentence when something changes for the user.
    pause, idle : float
        Seconds after a failure, and between two looks for more questions.
    """

    def __init__(
        self,
        service: LabellingService,
        model: LanguageModel,
        report: Callable[[str], None] = lambda sentence: None,
        *,
        pause: float = PAUSE,
        idle: float = IDLE,
    ) -> None:
        self.service, self.model, self._report = service, model, report
        self._pause, self._idle = pause, idle
        self._stop = threading.Event()
        author = f"annotator:{model.endpoint.model}@{model.endpoint.host}"[:150]
        self.annotator = service.automatic(author, model.name)
        service.automatic_notice = model.notice
        self._thread = threading.Thread(target=self._work, name="sameornot annotator", daemon=True)

    def start(self) -> "AnnotatorWorker":
        """Begin to answer."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop, at the latest after the request that is under way; its questions go to others."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(self.model.endpoint.retries.timeout + 5)

    def step(self) -> int:
        """Answer one batch; returns how many answers were stored."""
        leases = self.annotator.ask(self.model.n_pairs)
        if not leases:
            return 0
        try:
            answers = self.model.answer([self.annotator.records(lease) for lease in leases], self._stop)
            return sum(
                self.annotator.answer(lease, answer) for lease, answer in zip(leases, answers, strict=True)
            )
        finally:
            self.annotator.release()

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                if self.step() == 0:
                    self._stop.wait(self._idle)
            except BudgetSpent:
                budget = self.model.budget
                self._say(
                    f"The budget of the annotator is spent ({budget.n_calls:,} calls, {budget.n_tokens:,} "
                    "tokens): people answer the rest."
                )
                return
            except (AnnotatorError, ServiceError, StoreError) as error:
                if self._stop.is_set():
                    return
                self._say(
                    f"{str(error)[:1].upper()}{str(error)[1:]}. It is tried again in {self._pause:g} seconds."
                )
                self._stop.wait(self._pause)

    def _say(self, sentence: str) -> None:
        self.service.automatic_notice = f"{self.model.notice} {sentence}"
        self._report(sentence)
