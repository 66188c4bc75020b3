"""Threads of Python: what they share, and builds of Python without a global lock."""

from __future__ import annotations

import gc
import sys
import sysconfig
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from conftest import ROOT
from test_run import SMALL

import unbloat

sys.path.append(str(ROOT / "python" / "examples"))

from codel import CoDel
from fair import FairQueue
from reno import Reno

SHARED = unbloat.CheckedScenario(SMALL)

RUNS: list[Callable[[], unbloat.Result]] = [
    lambda: unbloat.run(SHARED, series="100ms", packets=True),
    lambda: unbloat.run(SHARED, queues={"uplink": CoDel}),
    lambda: unbloat.run(SHARED, queues={"uplink": FairQueue}),
    lambda: unbloat.run(SHARED, congestion={"backup": Reno}),
]


@contextmanager
def collected() -> Iterator[None]:
    """The collector of garbage at work in another thread: without a lock, it stops all others."""
    ended = threading.Event()

    def collect() -> None:
        while not ended.wait(0.001):
            gc.collect()

    thread = threading.Thread(target=collect)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_runs_on_many_threads_have_the_same_bytes() -> None:
    expected = [run().json for run in RUNS]
    with collected(), ThreadPoolExecutor(8) as pool:
        repeated = [pool.submit(run) for _ in range(4) for run in RUNS]
        assert [one.result().json for one in repeated] == expected * 4


def test_many_threads_read_one_table() -> None:
    result = RUNS[0]()

    def read(_: int) -> tuple[list[float], list[str], str]:
        series, fates = result.series["backup.rtt_ms"].to_list(), result.packets["fate"].to_list()
        return series, fates, str(result)

    with ThreadPoolExecutor(8) as pool:
        first, *others = pool.map(read, range(16))
    assert first[0] and all(other == first for other in others)


def test_one_of_several_threads_drops_a_packet() -> None:
    dropped: list[int] = []

    class Raced(unbloat.Qdisc):
        def __init__(self) -> None:
            self.waiting: deque[unbloat.QueuedPacket] = deque()

        def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
            if packet.number % 50 != 49:
                self.waiting.append(packet)
                return
            with ThreadPoolExecutor(4) as pool:
                dropped.append(sum(pool.map(lambda _: drop(packet), range(4))))

        def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | None:
            return self.waiting.popleft() if self.waiting else None

    def drop(packet: unbloat.QueuedPacket) -> bool:
        try:
            packet.drop()
        except ValueError:
            return False
        return True

    result = unbloat.run(SHARED, queues={"uplink": Raced})
    assert len(dropped) > 5 and set(dropped) == {1}
    assert 0 < result.links["uplink"]["forward"]["drops"]["aqm"] <= len(dropped)


@pytest.mark.skipif(
    not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this build of Python has the global lock"
)
def test_the_global_lock_stays_off() -> None:
    # An extension that does not declare to need no lock turns it on.
    assert not getattr(sys, "_is_gil_enabled")()  # noqa: B009
