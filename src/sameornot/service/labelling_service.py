"""One labelling session on one table, for the people who answer it together.

It knows the session and the store and holds no algorithm. Every method is safe to call from several threads;
what a method returns can be written as JSON. An answer is in the store before the next question is given out.
A request reads the store once, at its beginning.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import pandas as pd

from sameornot._types import Answer, Pair
from sameornot.embedding import EmbeddingModels
from sameornot.service.automatic import AutomaticAnnotator
from sameornot.service.conflict import merge_conflict
from sameornot.service.entry import Change, Entry, Lease
from sameornot.service.errors import ServiceError
from sameornot.service.events import (
    MAX_OTHERS,
    Introduced,
    Learned,
    Left,
    Named,
    Overlapped,
    Preferred,
    Regrouped,
    Shown,
    draft,
)
from sameornot.service.groups import ORDERS
from sameornot.service.known_lines import source_lines
from sameornot.service.links import MANAGE, SIGNED
from sameornot.service.live_session import LiveSession, now
from sameornot.service.opening import OpenedSession, TableSource, open_session
from sameornot.service.options import Options
from sameornot.service.progress import Progress
from sameornot.service.proposal import NewAnswer, Proposal
from sameornot.service.requests import (
    read_answer,
    read_change,
    read_chosen,
    read_disregarded,
    read_more_disregarded,
    read_name,
    read_new_answer,
    read_row,
)
from sameornot.service.session_links import SessionLinks
from sameornot.service.snapshot import Described, Snapshot
from sameornot.service.team import Team
from sameornot.service.view import View
from sameornot.session.choice import MIN_GROUPS
from sameornot.store import Store
from sameornot.table import TableSample, read_table

# Members of a group that are sent at a time.
N_MEMBERS = 200


class LabellingService:
    """Questions, answers and groups of one session; made by `LabellingService.open`."""

    def __init__(self, store: Store, opened: OpenedSession, *, ahead: bool = True) -> None:
        self._live = LiveSession(store, opened, ahead=ahead)
        self.session = opened.session
        self.title: str = opened.options["title"]
        self.budget: int = opened.options["budget"]
        self.folder = opened.table_view.models.folder
        self.automatic_notice: str | None = None
        self.links = SessionLinks(self._live.log)

    @classmethod
    def open(
        cls,
        store: Store,
        table: TableSample | pd.DataFrame,
        *,
        title: str,
        path: Path | None = None,
        new: bool = False,
        session: str | None = None,
        options: Options | None = None,
        ahead: bool = True,
        models: EmbeddingModels | None = None,
    ) -> Self:
        """Begin a session on a table, or resume the one that is in the store: the last, or that `session`.

        `ahead`: prepare the next question for each answer while a person reads. `models`: functions that
        embed texts or pictures, the cache of their vectors, and how to report progress.
        """
        rows = table if isinstance(table, TableSample) else TableSample.of(read_table(table))
        source = TableSource(
            rows, title, None if path is None else path.resolve(), models or EmbeddingModels()
        )
        return cls(
            store, open_session(store, source, options or Options(), new=new, session=session), ahead=ahead
        )

    @property
    def version(self) -> int:
        """The last event that is known of."""
        return self._live.log.version

    def state(self, person: str) -> dict[str, Any]:
        """Everything that a page needs to begin with."""
        view = self._live.lease_next(person, self._live.view()).view
        return {
            "title": self.title,
            "session": self.session,
            "rows": len(view.table_view),
            "pool": len(view.state.rows),
            "clusters": view.log.clusters,
            "budget": self.budget,
            "notices": view.notices,
            "annotator": self.automatic_notice,
            "person": {
                "id": person,
                "name": view.log.people.get(person, ""),
                "role": self._role(person, view),
                "is_link": person.startswith(SIGNED),
            },
            "columns": len(view.table_view.encoder.columns),
            "has_images": bool(view.table_view.pictures.columns),
            **self._next(person, view),
        }

    def progress(self, person: str) -> dict[str, Any]:
        """What is always in sight."""
        return self._progress(self._live.view(), person)

    def answer(self, person: str, question: int, answer: str, seconds: float | None = None) -> dict[str, Any]:
        """Take the answer to a question that was given out; once, however often it is sent.

        Of a choice it is about the first candidate alone.
        """
        said = read_answer(answer)
        return self._answer(person, question, lambda lease: NewAnswer(lease.pair, said, question, seconds))

    def choose(
        self,
        person: str,
        question: int,
        answer: str,
        candidate: int | None = None,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Take the answer to a choice that was given out: "same" as a candidate, or as none ("different")."""
        said = read_answer(answer)
        return self._answer(person, question, lambda lease: read_chosen(lease, said, candidate, seconds))

    def prefer(self, person: str, choices: int | None) -> dict[str, Any]:
        """Set among how many groups a person wants to choose: 1 for pairs, None for what saves questions."""
        if choices is not None and not 1 <= choices <= MAX_OTHERS + 1:
            raise ServiceError(f"choices is {choices} but 1 to {MAX_OTHERS + 1} is needed")
        return self._next(person, self._live.note(person, lambda view: Preferred(choices)))

    def say(self, person: str, left: int, right: int, answer: str) -> dict[str, Any]:
        """Take an answer about a pair of the person's own choice."""
        if left == right:
            raise ServiceError("two different records are needed")
        said = read_answer(answer)
        return self._step(
            person,
            lambda view: Proposal(
                NewAnswer(Pair(read_row(left, view.state), read_row(right, view.state)), said)
            ),
        )

    def undo(self, person: str) -> dict[str, Any]:
        """Take back the person's last answer and ask it again."""
        undone: list[str] = []

        def propose(view: View) -> Proposal:
            last = view.log.last_of(person, self._live.log.now())
            if last is None:
                raise ServiceError("there is no answer to undo")
            undone[:] = [f"Undone: {view.sentence(last)}"]
            others = [entry for entry in view.log.entries if entry.seq != last.seq]
            was = last.as_shown(0)
            again = _is_about_any(was.pair, others)
            shown = Shown(was.pair, again, was.others, was.is_second and again)
            return Proposal(changes=(Change(last.seq, None),), shown=shown)

        return self._step(person, propose) | {"said": undone[0]}

    def change(self, person: str, seq: int, to: str, candidates: Sequence[int] = ()) -> dict[str, Any]:
        """Correct an earlier answer, or remove it; of a choice, to the first of these candidates."""
        return self.resolve(person, None, [{"seq": seq, "to": to, "candidates": candidates}])

    def resolve(
        self,
        person: str,
        said: dict[str, Any] | None,
        changes: Sequence[dict[str, Any]],
        clusters: int | None = None,
        disregard: Sequence[dict[str, Any]] = (),
    ) -> dict[str, Any]:
        """Change earlier answers, the number of groups, and take a new answer: all or nothing.

        `disregard` are items of what was known before that are left out from now on.
        """
        wanted = tuple(read_change(change) for change in changes)
        regrouped = None if clusters is None else Regrouped(clusters)

        def propose(view: View) -> Proposal:
            new = None if said is None else read_new_answer(said, view.state)
            return Proposal(new, wanted, regrouped, disregarded=read_more_disregarded(disregard, view.log))

        return self._step(person, propose, "Changed.")

    def ask_about(self, person: str, row: int) -> dict[str, Any]:
        """Ask next whether a record belongs with the group that it is in."""

        def propose(view: View) -> Proposal:
            pair = Pair(read_row(row, view.state), view.representative_for(row))
            return Proposal(shown=Shown(pair, _is_about_any(pair, view.log.entries)))

        return self._step(person, propose)

    def wrong(self, person: str, row: int) -> dict[str, Any]:
        """Take it as an answer that a record does not belong to the group that it is in."""

        def propose(view: View) -> Proposal:
            pair = Pair(read_row(row, view.state), view.representative_for(row))
            return Proposal(NewAnswer(pair, Answer.DIFFERENT))

        return self._step(person, propose)

    def merge(self, person: str, a: str, b: str, confirm: bool = False) -> dict[str, Any]:
        """Take it as answers that two groups are one; those that say otherwise are changed once confirmed."""

        def propose(view: View) -> Proposal:
            first, second = view.label(a), view.label(b)
            if first == second:
                raise ServiceError("two different groups are needed to merge")
            groups = view.groups
            pair = Pair(groups.representatives(first)[0], groups.representatives(second)[0])
            apart = view.answers_between(pair)
            if not apart:
                return Proposal(NewAnswer(pair, Answer.SAME))
            if not confirm:
                labels = groups.known[first].label, groups.known[second].label
                raise merge_conflict(labels, apart, partial(view.part, person=person))
            return Proposal(changes=tuple(part.joined() for part in apart))

        return self._step(person, propose, "Changed." if confirm else None)

    def name(self, person: str, group: str, name: str) -> dict[str, Any]:
        """Give a group a name; an empty one takes the name away."""
        called = read_name(name)
        noted = self._live.note(
            person, lambda view: Named(view.groups.representatives(view.label(group))[0], called)
        )
        return self._next(person, noted)

    def regroup(self, person: str, clusters: int | None) -> dict[str, Any]:
        """Set how many groups there are; None leaves it to the answers."""
        return self._step(person, lambda view: Proposal(regrouped=Regrouped(clusters)))

    def automatic(self, author: str, name: str) -> AutomaticAnnotator:
        """The part of an automatic annotator in the session."""
        return AutomaticAnnotator(self._live, author, name)

    def introduce(self, person: str, name: str) -> dict[str, Any]:
        """Set what a person is called; the name of a personal link is that of the invitation."""
        called = read_name(name)
        if person.startswith(SIGNED):
            raise ServiceError("your name is the one that your link was made for")
        return self._next(person, self._live.note(person, lambda view: Introduced(called)))

    def invite(self, person: str, name: str, role: str, days: float | None = None) -> dict[str, Any]:
        """Make a personal link."""
        return self.links.invite(person, name, role, days)

    def revoke(self, person: str, link: str) -> dict[str, Any]:
        """Take back a personal link."""
        return self.links.revoke(person, link)

    def team(self, person: str) -> dict[str, Any]:
        """The personal links, how far people agree, and what they disagree about."""
        view = self._live.view()
        return {"links": self.links.lines(), **Team(view).as_json(person)}

    def overlap(self, person: str, share: float) -> dict[str, Any]:
        """Set which share of the questions goes to a second person."""
        self.set_overlap(share, person)
        return self._next(person, self._live.view())

    def set_overlap(self, share: float, person: str = "") -> None:
        """Set it without a question for somebody."""
        if not 0.0 <= share <= 1.0:
            raise ServiceError(f"the share of second opinions is {share:g} but 0 to 1 is needed")
        if share != self._live.log.read().overlap:
            self._live.note(person, lambda view: Overlapped(share))

    def settle(self, person: str, left: int, right: int, answer: str) -> dict[str, Any]:
        """Decide a pair that people answered differently: the answers that say otherwise are corrected."""
        said = read_answer(answer)

        def propose(view: View) -> Proposal:
            parts = Team(view).parts_about(Pair(read_row(left, view.state), read_row(right, view.state)))
            if not parts or said is Answer.UNSURE:
                raise ServiceError("there is nothing to settle about these two records any more")
            return Proposal(changes=tuple(part.corrected(said) for part in parts if part.answer is not said))

        return self._step(person, propose, "Settled.")

    def check_store(self) -> None:
        """Raise a StoreError if the store cannot be read."""
        self._live.log.read()

    def leave(self, person: str) -> None:
        """Let others have the question that a person was looking at: her page is gone."""
        log = self._live.log
        while person in (now_known := log.read()).leases:
            if log.append(now_known, [draft(person, Left())]) is not None:
                return

    def history(self, person: str) -> dict[str, Any]:
        """Every answer that holds, in the order in which they were given."""
        view = self._live.view()
        return {
            "answers": [view.line(entry, person) for entry in view.log.entries],
            "known": source_lines(view.log.knowledge, view.table_view),
        }

    def learn(self, learned: Learned) -> None:
        """Take in what a column or a file says was known before; once, however often it is given.

        It takes the place of what the same source said before.
        """
        sources = self._live.view().log.knowledge.sources
        if any(source.name == learned.source and source.items == learned.items for source in sources):
            return
        self._live.learn(learned)

    def disregard(self, person: str, source: int, items: Sequence[int]) -> dict[str, Any]:
        """Leave out these items of what was known before, and no others of that source."""

        def propose(view: View) -> Proposal:
            return Proposal(disregarded=(read_disregarded(source, items, view.log),))

        return self._step(person, propose, "Changed.")

    def groups(self) -> dict[str, Any]:
        """The groups as they are now."""
        return {"groups": self._live.view().groups.lines()}

    def members(self, group: str, order: str, offset: int = 0, limit: int = 50) -> dict[str, Any]:
        """Some members of a group: the most typical, the least certain, or those that answers placed.

        A group that has just gone has none: a page may ask for it before it has heard of that.
        """
        if order not in ORDERS:
            raise ServiceError(f"order is {order!r} but one of {', '.join(ORDERS)} is needed")
        view = self._live.view()
        if not any(known.key == group for known in view.groups.known):
            return {"members": [], "total": 0}
        found = view.groups.members(view.label(group), order)
        start = max(0, offset)
        some = found[start : start + min(max(0, limit), N_MEMBERS)]
        return {"members": [view.groups.member(row) for row in some.tolist()], "total": len(found)}

    def record(self, row: int) -> dict[str, Any]:
        """One record with all of its fields."""
        view = self._live.view()
        return view.record(read_row(row, view.state))

    def picture(self, person: str) -> dict[str, Any]:
        """The rows of the pool in the learned space, and the weight of each column."""
        return self._live.view().picture(person)

    def image(self, row: int, number: int = 0) -> Path | None:
        """One of the pictures of a record."""
        table = self._live.table_view
        files = table.pictures.of(row) if row in table else []
        return files[number] if number < len(files) else None

    def snapshot(self) -> Snapshot:
        """The session as it is now, to be exported."""
        view = self._live.view()
        return Snapshot(
            title=self.title,
            table=view.table_view.table,
            id_column=view.table_view.id_column,
            encoder=view.table_view.encoder,
            X=view.state.session.features,
            pool=view.state.rows,
            result=view.state.result,
            groups=view.groups.known,
            answers=view.given_answers,
            churn=self._live.states.churn(view.state),
            clusters=view.log.clusters,
            made=now(),
            session=view.state.session,
            pictures=view.table_view.pictures,
            described=Described(
                view.table_view.described, view.table_view.described_weights(view.groups.weights)
            ),
            team=Team(view),
        )

    def wait(self, version: int, timeout: float) -> int:
        """Block until there is an event past `version`, or the time is over; the last event known then."""
        return self._live.log.wait(version, timeout)

    def close(self) -> None:
        """Stop working ahead, and let go of the store."""
        self._live.close()

    @staticmethod
    def _role(person: str, view: View) -> str:
        """What a person may do: all, but for those who came by a link for answering."""
        links = (link for link in view.log.links.values() if link.person == person)
        return next((link.role for link in links), MANAGE)

    def _answer(self, person: str, question: int, read: Callable[[Lease], NewAnswer]) -> dict[str, Any]:
        def propose(view: View) -> Proposal | None:
            lease = view.log.unanswered.get(question)
            if lease is None and not view.log.was_answered(question):
                raise ServiceError(f"question {question} was not asked in this session: reload the page")
            return None if lease is None else Proposal(read(lease))

        return self._step(person, propose)

    def _step(
        self, person: str, propose: Callable[[View], Proposal | None], said: str | None = None
    ) -> dict[str, Any]:
        """Store what is proposed; the person's next question, and how far the work is."""
        done = self._live.commit(person, propose)
        if done is None:
            return self._next(person, self._live.view(), "This question had been answered already.")
        return self._next(person, done.after, said)

    def _next(self, person: str, view: View, said: str | None = None) -> dict[str, Any]:
        """What a person's page shows: her next question, and how far the work is."""
        view, lease, waiting = self._live.lease_next(person, view)
        step = {
            "question": None if lease is None else view.question(lease),
            "progress": self._progress(view, person) | {"waiting": waiting},
            "version": view.log.version,
        }
        return step if said is None else step | {"said": said}

    def _progress(self, view: View, person: str) -> dict[str, Any]:
        progress = Progress(view.log, view.state, self._live.states.churn(view.state), self.budget)
        choices = {"choices": view.log.choices.get(person), "can_choose": progress.n_found >= MIN_GROUPS}
        return progress.describe(person, self._live.log.now()) | choices | {"waiting": False}


def _is_about_any(pair: Pair, entries: Sequence[Entry]) -> bool:
    """Whether one of the answers is "same" or "different" about this pair: asking it again is a recheck."""
    wanted = set(pair)
    facts = (fact for entry in entries for fact in entry.reply.facts)
    return any(set(asked) == wanted and answer is not Answer.UNSURE for asked, answer in facts)
