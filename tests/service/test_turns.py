"""Fits are made one at a time: people's in the order in which they came, prepared ones when nobody waits."""

import threading
from concurrent.futures import ThreadPoolExecutor

from sameornot.service.turns import Turns

WAIT = 30


class Line:
    """Threads that take a turn and note their names, started one after the other."""

    def __init__(self):
        self.turns, self.order = Turns(), []
        self.threads = []

    def join(self, name, turn):
        started = threading.Event()

        def work():
            started.set()
            with turn:
                self.order.append(name)

        self.threads.append(threading.Thread(target=work))
        self.threads[-1].start()
        assert started.wait(WAIT)

    def finish(self):
        for thread in self.threads:
            thread.join(WAIT)
            assert not thread.is_alive()
        return self.order


def test_people_have_their_turns_in_order_and_before_what_is_prepared():
    line = Line()
    with line.turns.now():
        line.join("ahead", line.turns.ahead())
        for n in range(4):
            line.join(n, line.turns.now())
            while len(line.turns._queue) <= n:
                pass
    assert line.finish() == [0, 1, 2, 3, "ahead"]


def test_what_somebody_waits_for_goes_before_the_others():
    line, awaited = Line(), threading.Event()
    with line.turns.now():
        line.join("ahead", line.turns.ahead(awaited.is_set))
        line.join("person", line.turns.now())
        while not line.turns._queue:
            pass
        awaited.set()
        line.turns.wake()
    assert set(line.finish()) == {"ahead", "person"}


def test_one_turn_at_a_time_by_many_threads():
    turns, inside = Turns(), []

    def work(n):
        for _ in range(20):
            with turns.now() if n % 2 else turns.ahead():
                inside.append(n)
                assert len(inside) == 1
                inside.clear()

    with ThreadPoolExecutor(8) as executor:
        list(executor.map(work, range(8)))


def test_a_failure_ends_its_turn():
    turns = Turns()
    for turn in (turns.now, turns.ahead):
        try:
            with turn():
                raise ValueError
        except ValueError:
            pass
    with turns.now():
        pass
