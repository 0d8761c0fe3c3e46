"""The desk: one session on one table, for the people who answer it.

It knows the session and the store and holds no algorithm. Every method is safe to call from several threads;
what a method returns can be written as JSON. An answer is in the store before the next question is given out.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Self

import pandas as pd

from sameornot._types import Answer, Pair, Reply
from sameornot.constraints import Contradiction
from sameornot.service.clash import Change, DeskProblem, find_clash, merge_clash
from sameornot.service.groups import ORDERS
from sameornot.service.keeper import Case, Keeper, asked_again
from sameornot.service.log import REMOVE, EventError, Log, draft_changes
from sameornot.service.opening import Options, open_session
from sameornot.service.progress import Trail, describe_progress
from sameornot.service.snapshot import Snapshot
from sameornot.service.view import View
from sameornot.session import TooManyGroups
from sameornot.store import Draft, Store
from sameornot.table import Excerpt, read_table

LONGEST_NAME = 200
# Members that are sent at a time.
N_MEMBERS = 200


@dataclass(frozen=True)
class Said:
    """An answer on its way into the store; rows are those of the table."""

    pair: Pair
    answer: Answer
    question: int | None = None
    seconds: float | None = None

    def as_json(self) -> dict[str, Any]:
        """The answer as the page sends it back with a choice."""
        pair = {"left": self.pair.left, "right": self.pair.right}
        return {**pair, "answer": self.answer.value, "question": self.question}


class Desk:
    """Questions, answers and groups of one session; made by `Desk.open`."""

    def __init__(self, keeper: Keeper, opened: dict[str, Any]) -> None:
        self._keeper, self._sheet = keeper, keeper.sheet
        self._trail = Trail(keeper)
        keeper.do_later(self._recall)
        self.session = keeper.session
        self.title: str = opened["title"]
        self.budget: int = opened["budget"]
        self.folder = keeper.sheet.folder

    @classmethod
    def open(
        cls,
        store: Store,
        table: Excerpt | pd.DataFrame,
        *,
        title: str,
        path: Path | None = None,
        new: bool = False,
        session: str | None = None,
        options: Options | None = None,
        ahead: bool = True,
    ) -> Self:
        """Begin a session on a table, or take up the one that is in the store: the last, or that `session`.

        `ahead`: prepare the next question for each answer while a person reads.
        """
        begun = open_session(
            store,
            table if isinstance(table, Excerpt) else Excerpt.of(read_table(table)),
            title=title,
            path=None if path is None else path.resolve(),
            options=options or Options(),
            new=new,
            session=session,
        )
        seed = begun.opened["seed"]
        return cls(Keeper(store, begun.session, begun.sheet, seed, ahead=ahead), begun.opened)

    @property
    def version(self) -> int:
        """The last event that is known of."""
        return self._keeper.version

    def state(self, person: str) -> dict[str, Any]:
        """Everything that a page needs to begin with."""
        step = self._step(person)
        log = self._keeper.read()
        return {
            "title": self.title,
            "session": self.session,
            "rows": len(self._sheet),
            "pool": len(self._sheet.pool),
            "clusters": log.clusters,
            "budget": self.budget,
            "notices": [*self._sheet.notices, *self._complaints(log)],
            "person": {"id": person, "name": log.people.get(person, "")},
            "columns": len(self._sheet.encoder.columns),
            **step,
        }

    def progress(self, person: str) -> dict[str, Any]:
        """What is always in sight."""
        return self._progress(self._view(), person)

    def answer(self, person: str, question: int, answer: str, seconds: float | None = None) -> dict[str, Any]:
        """Take the answer to a question that was given out; once, however often it is sent."""
        log = self._keeper.read()
        pair = log.shown.get(question)
        if pair is None:
            raise DeskProblem(f"question {question} was not asked in this session: reload the page")
        if log.is_answered(question):
            return self._step(person, "This question had been answered already.")
        self._commit(person, Said(pair, _read_answer(answer), question, seconds))
        return self._step(person)

    def say(self, person: str, left: int, right: int, answer: str) -> dict[str, Any]:
        """Take an answer about a pair of the person's own choice."""
        if left == right:
            raise DeskProblem("two different records are needed")
        self._commit(person, Said(Pair(self._row(left), self._row(right)), _read_answer(answer)))
        return self._step(person)

    def undo(self, person: str) -> dict[str, Any]:
        """Take back the person's last answer and ask it again."""
        while True:
            view = self._view()
            last = view.log.last_of(person, _now())
            if last is None:
                raise DeskProblem("there is no answer to undo")
            changes = [(last.seq, REMOVE)]
            self._check(view, person, None, changes, None)
            drafts = [*draft_changes(person, changes), _draft_shown(person, last.pair)]
            if self._keeper.append(view.log, drafts):
                return self._step(person, f"Undone: {view.sentence(last.pair, last.answer)}")

    def change(self, person: str, seq: int, to: str) -> dict[str, Any]:
        """Correct an earlier answer, or remove it."""
        return self.resolve(person, None, [{"seq": seq, "to": to}])

    def resolve(
        self,
        person: str,
        said: dict[str, Any] | None,
        changes: Sequence[dict[str, Any]],
        clusters: int | None = None,
    ) -> dict[str, Any]:
        """Change earlier answers, the number of groups, and take a new answer: all or nothing."""
        wanted = [(int(change["seq"]), _read_change(change["to"])) for change in changes]
        new = None
        if said is not None:
            pair = Pair(self._row(said["left"]), self._row(said["right"]))
            new = Said(pair, _read_answer(said["answer"]), said.get("question"))
        self._commit(person, new, wanted, None if clusters is None else [clusters])
        return self._step(person, "Changed.")

    def ask_about(self, person: str, row: int) -> dict[str, Any]:
        """Ask next whether a record belongs with the group that it is in."""
        row = self._row(row)
        while True:
            view = self._view()
            if self._keeper.append(view.log, [_draft_shown(person, Pair(row, view.companion(row)))]):
                return self._step(person)

    def wrong(self, person: str, row: int) -> dict[str, Any]:
        """Take it as an answer that a record does not belong to the group that it is in."""
        return self.say(person, row, self._view().companion(self._row(row)), Answer.DIFFERENT.value)

    def merge(self, person: str, a: str, b: str, confirm: bool = False) -> dict[str, Any]:
        """Take it as answers that two groups are one; those that say otherwise are changed once confirmed."""
        view = self._view()
        first, second = view.label(a), view.label(b)
        if first == second:
            raise DeskProblem("two different groups are needed to merge")
        pair = Pair(view.groups.best_known(first)[0], view.groups.best_known(second)[0])
        apart = view.answers_between(pair)
        if not apart:
            return self.say(person, *pair, Answer.SAME.value)
        if not confirm:
            labels = view.groups.known[first].label, view.groups.known[second].label
            raise merge_clash(labels, apart, lambda entry: view.line(entry, person))
        return self.resolve(person, None, [{"seq": entry.seq, "to": "same"} for entry in apart])

    def name(self, person: str, group: str, name: str) -> dict[str, Any]:
        """Call a group by a name; an empty one takes the name away."""
        view = self._view()
        row = view.groups.best_known(view.label(group))[0]
        return self._note(person, "named", {"row": row, "name": _read_name(name)})

    def regroup(self, person: str, clusters: int | None) -> dict[str, Any]:
        """Set how many groups there are; None leaves it to the answers."""
        self._commit(person, None, clusters=[clusters])
        return self._step(person)

    def introduce(self, person: str, name: str) -> dict[str, Any]:
        """Set what a person is called."""
        return self._note(person, "introduced", {"name": _read_name(name)})

    def leave(self, person: str) -> None:
        """Let others have the question that a person was looking at: her page is gone."""
        while person in (log := self._keeper.read()).looks:
            if self._keeper.append(log, [Draft(person, "left", {})]):
                return

    def history(self, person: str) -> dict[str, Any]:
        """Every answer that holds, in the order in which they were given."""
        view = self._view()
        return {"answers": [view.line(entry, person) for entry in view.log.entries]}

    def groups(self) -> dict[str, Any]:
        """The groups as they are now."""
        return {"groups": self._view().groups.lines()}

    def members(self, group: str, order: str, offset: int = 0, limit: int = 50) -> dict[str, Any]:
        """Some members of a group: the most typical, the least sure, or those that were placed.

        A group that has just gone has none: a page may ask for it before it has heard of that.
        """
        if order not in ORDERS:
            raise DeskProblem(f"order is {order!r} but one of {', '.join(ORDERS)} is needed")
        view = self._view()
        if not any(known.key == group for known in view.groups.known):
            return {"members": [], "total": 0}
        found = view.groups.members(view.label(group), order)
        start = max(0, offset)
        some = found[start : start + min(max(0, limit), N_MEMBERS)]
        return {"members": [view.groups.member(int(at)) for at in some], "total": len(found)}

    def record(self, row: int) -> dict[str, Any]:
        """One record with all of its fields."""
        return self._view().record(self._row(row))

    def picture(self, person: str) -> dict[str, Any]:
        """The rows of the pool in the learned space, and the weight of each column."""
        return self._view().picture(person)

    def image(self, row: int) -> Path | None:
        """The picture of a record."""
        return self._sheet.image(row) if 0 <= row < len(self._sheet) else None

    def snapshot(self) -> Snapshot:
        """The session as it is now, to be handed over."""
        view = self._view()
        return Snapshot(
            title=self.title,
            table=self._sheet.table,
            id_column=self._sheet.id_column,
            encoder=self._sheet.encoder,
            X=self._sheet.X,
            pool=self._sheet.pool,
            result=view.standing.result,
            groups=view.groups.known,
            answers=[entry.as_answered(view.log.people) for entry in view.log.entries],
            moves=self._moves(view),
            clusters=view.log.clusters,
            made=_now(),
            wide=self._sheet.wide,
        )

    def wait(self, version: int, timeout: float) -> int:
        """Block until there is an event past `version`, or the time is over; the last event known then."""
        return self._keeper.wait(version, timeout)

    def close(self) -> None:
        """Stop working ahead, and let go of the store."""
        self._keeper.close()

    def _view(self) -> View:
        return View(self._sheet, *self._keeper.current())

    def _commit(
        self,
        person: str,
        said: Said | None,
        changes: Sequence[Change] = (),
        clusters: Sequence[int | None] | None = None,
    ) -> None:
        """Store an answer and what goes with it, if it all fits; a Clash, and nothing stored, if not.

        `clusters` holds the new number of groups; without it the number stays.
        """
        while True:
            view = self._view()
            if said is not None and said.question is not None and view.log.is_answered(said.question):
                return
            case = self._check(view, person, said, changes, clusters)
            drafts = draft_changes(person, changes)
            if clusters is not None:
                drafts.append(Draft(person, "regrouped", {"clusters": clusters[0]}))
            if said is not None:
                drafts.append(_draft_answer(person, said, view.standing.session.step))
            if self._keeper.append(view.log, [*drafts, *self._draft_next(view.log, drafts, case, person)]):
                if changes or clusters is not None:
                    self._keeper.do_later(self._recall)
                return

    def _draft_next(self, log: Log, drafts: Sequence[Draft], case: Case, person: str) -> list[Draft]:
        """The next question, if it is ready: one write to the disk then serves the answer and it."""
        standing = self._keeper.made(case)
        if standing is None:
            return []
        view = View(self._sheet, log.after(drafts, _now()), standing)
        pair, _ = self._choose(view, person)
        look = view.log.looks.get(person)
        return (
            [] if pair is None or (look is not None and look.pair == pair) else [_draft_shown(person, pair)]
        )

    def _check(
        self,
        view: View,
        person: str,
        said: Said | None,
        changes: Sequence[Change],
        clusters: Sequence[int | None] | None,
    ) -> Case:
        """The case that this leads to; a Clash if it could not all be true together."""
        for seq, _ in changes:
            if view.log.find(seq) is None:
                raise DeskProblem(f"there is no answer {seq} any more: look at the history again")
        entries = view.log.with_changes(changes)
        case = self._keeper.case(view.log, entries)
        if clusters is not None:
            case = replace(case, clusters=clusters[0])
        if said is not None:
            again = asked_again(entries, said.pair, said.question)
            pair, step = self._sheet.to_pool(said.pair), view.standing.session.step
            case = case.then(Reply(pair, said.answer, step, again))
        try:
            self._keeper.check(case, self._keeper.set_aside(view.log, view.standing))
        except EventError as error:
            raise DeskProblem(str(error)) from None
        except (Contradiction, TooManyGroups) as error:
            answer = None if said is None else said.as_json()
            line = partial(view.line, person=person)
            more = self._keeper.one_more(case)
            likely = {
                frozenset(self._sheet.to_table(pair)): chance
                for pair, chance in view.standing.session.credibility().items()
            }
            clash = find_clash(error, answer, entries, changes, line, self._sheet.to_table, more, likely)
            clash.payload |= {} if said is None else view.heads(said.pair)
            raise clash from None
        return case

    def _step(self, person: str, said: str | None = None) -> dict[str, Any]:
        """The person's next question, given out to her, and how far the work is."""
        while True:
            view = self._view()
            pair, waiting = self._choose(view, person)
            look = view.log.looks.get(person)
            if pair is not None and (look is None or look.pair != pair):
                if not self._keeper.append(view.log, [_draft_shown(person, pair)]):
                    continue
                view = self._view()
                look = view.log.looks.get(person)
            self._keeper.prepare(view.log, view.standing)
            step = {
                "question": None if pair is None or look is None else view.question(look),
                "progress": self._progress(view, person) | {"waiting": waiting},
                "version": view.log.version,
            }
            return step if said is None else step | {"said": said}

    def _choose(self, view: View, person: str) -> tuple[Pair | None, bool]:
        """The pair to show, in rows of the table, and whether others hold all that is left to ask."""
        look = view.log.looks.get(person)
        if look is not None and view.is_open(look.pair):
            return look.pair, False
        if view.standing.pair is None:
            return None, False
        held = [self._sheet.to_pool(other) for other in view.log.looks_of_others(person, _now())]
        pair = self._keeper.next_pair(self._keeper.case(view.log), held)
        return (None, True) if pair is None else (self._sheet.to_table(pair), False)

    def _progress(self, view: View, person: str) -> dict[str, Any]:
        told = describe_progress(view.log, view.standing, self._moves(view), person, self.budget, _now())
        return told | {"waiting": False}

    def _moves(self, view: View) -> list[tuple[int, float]]:
        return self._trail.moves(self._keeper.case(view.log), view.standing.result.labels)

    def _complaints(self, log: Log) -> list[str]:
        """What of the log could not be used."""
        complaints = []
        if log.skipped:
            complaints.append(
                f"{_count(len(log.skipped), 'event')} of this session could not be read and had no effect "
                f"(number {', '.join(map(str, log.skipped[:10]))}); nothing was removed from the store."
            )
        if unfit := self._keeper.set_aside(log, self._keeper.stand(self._keeper.case(log))):
            complaints.append(
                f"{_count(len(unfit), 'answer')} of this session cannot be true together with earlier ones "
                "and had no effect: change or remove them in the history."
            )
        return complaints

    def _recall(self) -> None:
        view = self._view()
        self._moves(view)
        self._trail.recall(self._keeper.case(view.log))

    def _note(self, person: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        """Store what has no bearing on the answers."""
        while not self._keeper.append(self._keeper.read(), [Draft(person, kind, data)]):
            pass
        return self._step(person)

    def _row(self, row: Any) -> int:
        if not isinstance(row, int) or isinstance(row, bool) or row not in self._sheet.position:
            raise DeskProblem(f"row {row!r} is none of those that can be asked about")
        return row


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _draft_shown(person: str, pair: Pair) -> Draft:
    return Draft(person, "shown", {"left": pair.left, "right": pair.right})


def _draft_answer(person: str, said: Said, step: int) -> Draft:
    return Draft(person, "answered", said.as_json() | {"step": step, "seconds": said.seconds})


def _read_answer(answer: Any) -> Answer:
    try:
        return Answer(answer)
    except ValueError:
        raise DeskProblem(f"the answer is {answer!r} but same, different or unsure is needed") from None


def _read_change(to: Any) -> str:
    return REMOVE if to == REMOVE else _read_answer(to).value


def _read_name(name: Any) -> str:
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise DeskProblem(f"a name of at most {LONGEST_NAME} characters is needed")
    whole = name.encode("utf-8", "ignore").decode()  # half a surrogate pair could not be written to a file
    return " ".join(whole.split())


def _now() -> datetime:
    return datetime.now(UTC)
