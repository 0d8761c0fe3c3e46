"""A labelling service without an algorithm: it records calls, and raises on demand."""

import threading
from pathlib import Path
from typing import Any


class NoLinks:
    """The personal links of a session that has none."""

    def find(self, token):
        return None

    def is_closed(self, person):
        return False


class FakeService:
    """What the HTTP interface uses of a labelling service."""

    def __init__(self, folder: Path | None = None) -> None:
        self.title = "Birds & <bees>"
        self.folder = folder
        self.links = NoLinks()
        self.version = 1
        self._changed = threading.Condition()
        self.reset()

    def reset(self) -> None:
        """Return to the initial state."""
        self.calls: list[tuple[str, str | None, dict[str, Any]]] = []
        self.failure: Exception | None = None
        self.images: dict[int, Path] = {}
        self.gates: dict[str, threading.Event] = {}

    def invite(self, person, name, role, days=None):
        return self._do("invite", person, {"name": name, "role": role, "days": days})

    def revoke(self, person, link):
        return self._do("revoke", person, {"link": link})

    def team(self, person):
        return self._do("team", person, {})

    def overlap(self, person, share):
        return self._do("overlap", person, {"share": share})

    def settle(self, person, left, right, answer):
        return self._do("settle", person, {"left": left, "right": right, "answer": answer})

    def check_store(self):
        if self.failure is not None:
            raise self.failure

    def _do(self, name: str, person: str | None, said: dict[str, Any]) -> dict[str, Any]:
        if name in self.gates:
            self.gates[name].wait(30)
        if self.failure is not None:
            raise self.failure
        with self._changed:
            self.calls.append((name, person, said))
            self.version += 1
            self._changed.notify_all()
        return {"done": name, "version": self.version}

    def state(self, person):
        return self._do("state", person, {})

    def picture(self, person):
        return self._do("picture", person, {})

    def answer(self, person, question, answer, seconds=None):
        return self._do("answer", person, {"question": question, "answer": answer, "seconds": seconds})

    def choose(self, person, question, answer, candidate=None, seconds=None):
        said = {"question": question, "answer": answer, "candidate": candidate, "seconds": seconds}
        return self._do("choose", person, said)

    def prefer(self, person, choices):
        return self._do("prefer", person, {"choices": choices})

    def say(self, person, left, right, answer):
        return self._do("say", person, {"left": left, "right": right, "answer": answer})

    def undo(self, person):
        return self._do("undo", person, {})

    def leave(self, person):
        self._do("leave", person, {})

    def change(self, person, seq, to, candidates=()):
        return self._do("change", person, {"seq": seq, "to": to})

    def resolve(self, person, said, changes, clusters=None, disregard=()):
        arguments = {"said": said, "changes": changes, "clusters": clusters}
        return self._do("resolve", person, arguments | ({"disregard": disregard} if disregard else {}))

    def disregard(self, person, source, items):
        return self._do("disregard", person, {"source": source, "items": items})

    def ask_about(self, person, row):
        return self._do("ask_about", person, {"row": row})

    def wrong(self, person, row):
        return self._do("wrong", person, {"row": row})

    def merge(self, person, a, b, confirm=False):
        return self._do("merge", person, {"a": a, "b": b, "confirm": confirm})

    def name(self, person, group, name):
        return self._do("name", person, {"group": group, "name": name})

    def regroup(self, person, clusters):
        return self._do("regroup", person, {"clusters": clusters})

    def introduce(self, person, name):
        return self._do("introduce", person, {"name": name})

    def history(self, person):
        return self._do("history", person, {})

    def groups(self):
        return self._do("groups", None, {})

    def members(self, group, order, offset=0, limit=50):
        return self._do("members", None, {"group": group, "order": order, "offset": offset, "limit": limit})

    def record(self, row):
        return self._do("record", None, {"row": row})

    def snapshot(self):
        return self._do("snapshot", None, {})

    def image(self, row, number=0):
        return self.images.get(row) if number == 0 else None

    def progress(self, person):
        answers = [(name, who) for name, who, _ in self.calls if name == "answer"]
        return {"asked": len(answers), "yours": answers.count(("answer", person))}

    def wait(self, version, timeout):
        with self._changed:
            self._changed.wait_for(lambda: self.version > version, timeout)
            return self.version

    def close(self):
        pass
