"""What the service refuses, in words for the person who asked."""

from typing import Any


class ServiceError(ValueError):
    """A request that cannot be met as it is; the message is one sentence that says what to change."""


class Conflict(ValueError):
    """An answer or a change that contradicts the answers that are there; nothing was stored.

    `payload` has the earlier answers that it contradicts, and what can be done about it.
    """

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__(payload["sentence"])
        self.payload = payload
