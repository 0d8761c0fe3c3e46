"""The identity of a log prefix: everything that a session state depends on.

    digest(prefix + reply) = hash(digest(prefix), reply)

Keys share their prefixes, so the key of one more answer costs the same after 10 answers as after 1,000. Two
logs with the same number of groups and the same replies have equal keys, whatever their history.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b

from sameornot._types import Reply
from sameornot.session.known import NOTHING, Known

DIGEST_BYTES = 16


@dataclass(frozen=True, eq=False, repr=False)
class LogKey:
    """A number of groups, what is known, and a sequence of replies; made by `LogKey.of` and `then`.

    `reply` is the last one and `parent` the key before it; both are None for the empty log.
    """

    clusters: int | None
    n_answers: int
    digest: bytes
    parent: "LogKey | None" = None
    reply: Reply | None = None
    known: Known = NOTHING

    @classmethod
    def of(cls, clusters: int | None, replies: Iterable[Reply] = (), known: Known = NOTHING) -> "LogKey":
        """The key of a whole log."""
        key = cls(clusters, 0, _hash(b"", f"{clusters}{repr(known) if known else ''}"), known=known)
        for reply in replies:
            key = key.then(reply)
        return key

    def then(self, reply: Reply) -> "LogKey":
        """The key after one more reply."""
        rows = " ".join(map(str, reply.rows))
        line = f"{rows} {reply.answer.value} {reply.step} {int(reply.is_recheck)} {reply.annotator}"
        return LogKey(self.clusters, self.n_answers + 1, _hash(self.digest, line), self, reply, self.known)

    def prefixes(self) -> Iterator["LogKey"]:
        """The key itself, the one before its last reply, and so on to the empty log."""
        key: LogKey | None = self
        while key is not None:
            yield key
            key = key.parent

    @property
    def replies(self) -> list[Reply]:
        """All replies in order."""
        return [key.reply for key in self.prefixes() if key.reply is not None][::-1]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogKey) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"LogKey({self.clusters} groups, {self.n_answers} answers, {self.digest.hex()[:8]})"


def _hash(before: bytes, line: str) -> bytes:
    return blake2b(before + line.encode(), digest_size=DIGEST_BYTES).digest()
