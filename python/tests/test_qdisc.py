"""Whole queue disciplines in Python."""

from __future__ import annotations

import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars
import pytest
from conftest import ROOT
from test_aqm import BUSY
from test_run import SMALL

import unbloat
from unbloat.scenario import Bulk, Link, Page, Ping, Reverse, Scenario

sys.path.append(str(ROOT / "python" / "examples"))

from fair import FairQueue

#: Uploads, a page from the home, and a ping, in both directions.
CROWD = Scenario(
    duration="20s",
    link=[
        Link(
            name="uplink",
            from_="home",
            to="isp",
            rate="8mbit",
            delay="10ms",
            # CoDel that never drops.
            queue="fq_codel target 100s interval 200s noecn limit 20000 memory_limit 1GB",
            reverse=Reverse(queue="pfifo"),
        )
    ],
    flow=[
        Bulk(name="backup", from_="home", to="isp", count=3, pacing=True),
        Page(name="page", from_="home", to="isp", objects=["20kB", "100kB", "3kB"] * 4, pause="500ms"),
        Bulk(name="download", from_="isp", to="home"),
        Ping(name="ping", from_="home", to="isp", interval="20ms"),
    ],
)


class TailDrop(unbloat.Qdisc):
    """A FIFO of 50 packets."""

    def __init__(self) -> None:
        self.waiting: deque[unbloat.QueuedPacket] = deque()

    def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
        if len(self.waiting) < 50:
            self.waiting.append(packet)
        else:
            packet.drop("full")

    def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | int | None:
        return self.waiting.popleft() if self.waiting else None


def fates(result: unbloat.Result) -> list[tuple[object, ...]]:
    """What became of each packet, and when."""
    return polars.DataFrame(result.packets).rows()


def test_fair_queueing_in_python_sends_the_same_packets() -> None:
    ours = unbloat.run(CROWD, packets=True)
    python = unbloat.run(CROWD, packets=True, queues={"uplink": FairQueue})
    assert len(fates(ours)) > 15_000
    assert fates(python) == fates(ours)
    assert python.flows == ours.flows
    plain = unbloat.run(CROWD, {"link.uplink.queue": "pfifo"}, packets=True)
    assert fates(plain) != fates(ours), "the order of the packets matters here"


@pytest.mark.parametrize("scenario", [SMALL, BUSY])
def test_tail_drop_in_python_drops_the_same_packets(scenario: str) -> None:
    ours = unbloat.run(scenario, {"link.uplink.queue": "pfifo limit 50"}, packets=True)
    python = unbloat.run(scenario, packets=True, queues={"uplink": TailDrop})
    assert ours.links["uplink"]["forward"]["drops"]["full"] >= 3
    assert fates(python) == fates(ours)
    # Only the discipline knows whom it would send next, so nobody else can tell how long others wait.
    unknown = dict.fromkeys(("p50", "p95", "p99", "max"))
    differs = {"queue": "TailDrop", "others_wait_ms": unknown, "grade": None, "grade_reason": "not_measured"}
    assert python.links["uplink"]["forward"] == {**ours.links["uplink"]["forward"], **differs}
    assert python.flows == ours.flows and "TailDrop" in str(python)


def test_a_discipline_is_told_of_packets() -> None:
    told: list[unbloat.QueuedPacket] = []

    class Watch(TailDrop):
        def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
            assert packet.enqueued_ns == now_ns and self.mtu == 1500
            told.append(packet)
            super().enqueue(packet, now_ns)

    marked = unbloat.CheckedScenario(CROWD, {"flow.ping.dscp": "EF", "flow.backup.ecn": True})
    result = unbloat.run(marked, packets=True, queues={"uplink": Watch})
    assert [packet.number for packet in told] == list(range(len(told)))
    backups = {"backup[0]", "backup[1]", "backup[2]"}
    assert {packet.flow for packet in told} == {*backups, "page", "download", "ping"}
    assert {packet.dscp for packet in told if packet.flow == "ping"} == {46}
    assert {packet.dscp for packet in told if packet.flow == "page"} == {0}
    assert len({packet.connection for packet in told if packet.flow == "page"}) >= 6
    assert {packet.flow for packet in told if packet.ecn_capable} == backups
    assert {packet.bytes for packet in told if packet.flow == "ping"} == {84}
    assert repr(told[0]) == f"<unbloat.QueuedPacket 0 of {told[0].flow}: {told[0].bytes} bytes>"
    forward = polars.DataFrame(result.packets).filter(polars.col("direction") == "forward")
    assert sorted(packet.bytes for packet in told) == forward["bytes"].sort().to_list()


class Shaper(TailDrop):
    """Sends 1 Mbit/s."""

    free_ns = 0

    def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | int | None:
        if self.waiting and now_ns < self.free_ns:
            return self.free_ns
        if self.waiting:
            self.free_ns = now_ns + self.waiting[0].bytes * 8_000
        return super().dequeue(now_ns)


def test_a_discipline_can_hold_packets_back() -> None:
    uplink = unbloat.run(SMALL, queues={"uplink": Shaper}).links["uplink"]["forward"]
    assert uplink["delivered_bytes"] * 8 / 5e6 == pytest.approx(1, abs=0.01)
    reverse = unbloat.run(SMALL, queues={"uplink.reverse": Shaper}).links["uplink"]
    assert (reverse["reverse"]["queue"], reverse["forward"]["queue"][:5]) == ("Shaper", "pfifo")


class HeadDrop(TailDrop):
    """Drops the packet that has waited longest, or marks it."""

    def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
        self.waiting.append(packet)
        if len(self.waiting) > 20:
            if self.waiting[0].ecn_capable:
                self.waiting[0].mark()
            else:
                self.waiting.popleft().drop()


def test_waiting_packets_can_be_dropped_or_marked() -> None:
    def uplink(ecn: bool) -> dict[str, Any]:
        result = unbloat.run(SMALL, {"flow.backup.ecn": ecn}, queues={"uplink": HeadDrop})
        return dict(result.links["uplink"]["forward"])

    capable, plain = uplink(True), uplink(False)
    assert capable["marks"] > 5 and plain["marks"] == 0
    assert plain["drops"]["aqm"] > 5 and plain["drops"]["full"] == 0
    # A ping is not ECN-capable.
    assert capable["drops"]["aqm"] < plain["drops"]["aqm"]


def test_packets_that_are_dropped_as_they_leave_leave_nothing() -> None:
    class Never(TailDrop):
        def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | int | None:
            while self.waiting:
                self.waiting.popleft().drop()
            return None

    uplink = unbloat.run(SMALL, queues={"uplink": Never}).links["uplink"]["forward"]
    assert uplink["delivered_packets"] == 0 and uplink["drops"]["aqm"] >= 40


class Lottery(TailDrop):
    """Sends a packet at random."""

    def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | int | None:
        self.waiting.rotate(self.random.randrange(50))
        return super().dequeue(now_ns)


def test_chance_is_a_function_of_the_seed() -> None:
    with ThreadPoolExecutor(4) as pool:
        once, other, again = pool.map(
            lambda seed: unbloat.run(BUSY, packets=True, seed=seed, queues={"uplink": Lottery}), [7, 8, 7]
        )
    assert again.json == once.json != other.json
    assert fates(again) == fates(once)


def test_a_run_in_steps_has_the_same_result() -> None:
    simulation = unbloat.Simulation(SMALL, queues={"uplink": TailDrop})
    most = 0
    while not simulation.is_over:
        simulation.advance(0.1)
        most = max(most, simulation.link("uplink").packets)
    assert 40 < most <= 50
    assert simulation.finish().json == unbloat.run(SMALL, queues={"uplink": TailDrop}).json


class Wrong(TailDrop):
    """Answers wrongly once three packets wait."""

    def __init__(self, fault: str, stray: unbloat.QueuedPacket) -> None:
        super().__init__()
        self.fault, self.stray = fault, stray

    def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> Any:
        super().enqueue(packet, now_ns)
        if self.fault == "verdict":
            return "drop"
        if self.fault == "reason":
            packet.drop("late")  # type: ignore[arg-type]
        if self.fault == "no reason":
            packet.drop(None)  # type: ignore[arg-type]
        if self.fault == "dropped twice":
            packet.drop()
            packet.drop()
        if self.fault == "marked":
            packet.mark()
        return None

    def dequeue(self, now_ns: int) -> Any:
        if len(self.waiting) < 3:
            return super().dequeue(now_ns)
        if self.fault == "twice":
            self.waiting.append(self.waiting[0])
            return self.waiting.popleft()
        if self.fault == "dropped":
            self.waiting[0].drop()
        faults: dict[str, Any] = {
            "never": None,
            "past": now_ns,
            "negative": -1,
            "huge": 2**64,
            "truth": True,
            "number": self.waiting[0].number + 0.5,
            "other": self.stray,
        }
        if self.fault == "raises":
            raise LookupError("enough")
        if self.fault == "marked late":
            packet = self.waiting.popleft()
            packet.drop()
            packet.mark()
        return faults.get(self.fault, self.waiting[0])


@pytest.mark.parametrize(
    ("fault", "error", "says"),
    [
        (
            "twice",
            ValueError,
            r"returned a packet that does not wait: packet \d+ has left the queue",
        ),
        ("dropped", ValueError, r"a packet that does not wait: packet \d+ was dropped before"),
        ("other", ValueError, r"Wrong.dequeue returned packet \d+ of another queue"),
        ("never", ValueError, "Wrong.dequeue returned None while packets wait: 10; it returns one of them"),
        ("past", ValueError, r"Wrong.dequeue returned the time (\d+); it is later than \1, and below"),
        ("negative", ValueError, r"Wrong.dequeue returned the time -1; it is later than \d+, and below"),
        ("huge", ValueError, r"Wrong.dequeue returned the time 18446744073709551616; it is later than"),
        ("truth", TypeError, "Wrong.dequeue returned True; it returns a waiting packet, None, or a time"),
        ("number", TypeError, "Wrong.dequeue returned .*5; it returns a waiting packet"),
        ("raises", LookupError, "enough"),
        (
            "verdict",
            TypeError,
            r"Wrong.enqueue returned 'drop'; it returns None, and drops by",
        ),
        ("reason", ValueError, 'the reason of a drop is \'late\'; it is "aqm" or "full"'),
        ("no reason", TypeError, "the reason of a drop is None; it is"),
        ("dropped twice", ValueError, "drop: packet 0 was dropped before"),
        ("marked", ValueError, "mark: packet 0 is not ECN-capable"),
        ("marked late", ValueError, r"mark: packet \d+ was dropped before"),
    ],
)
def test_a_wrong_answer_is_named(fault: str, error: type[Exception], says: str) -> None:
    kept: list[unbloat.QueuedPacket] = []

    class Keep(TailDrop):
        def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
            kept.append(packet)
            super().enqueue(packet, now_ns)

    unbloat.run(SMALL, duration="1s", queues={"uplink": Keep})
    with pytest.raises(error, match=says):
        unbloat.run(SMALL, duration="100h", queues={"uplink": lambda: Wrong(fault, kept[0])})


def test_a_discipline_must_be_whole() -> None:
    class Half(unbloat.Qdisc):
        def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None: ...

    with pytest.raises(TypeError, match="dequeue"):
        unbloat.run(SMALL, queues={"uplink": Half})
    both: dict[str, Any] = {"uplink": TailDrop, "uplink.forward": FairQueue}
    with pytest.raises(ValueError, match=r"uplink\.forward twice"):
        unbloat.run(SMALL, queues=both)
    change = {"change": [{"at": "2s", "link": "uplink", "queue": "pfifo limit 10"}]}
    with pytest.raises(unbloat.RunError, match=r"changes the queue of uplink\.forward at 2s"):
        unbloat.run(SMALL, change, queues={"uplink": TailDrop})
