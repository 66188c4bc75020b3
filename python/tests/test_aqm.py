"""Queues in Python."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from conftest import ROOT
from test_run import SMALL

import unbloat

sys.path.append(str(ROOT / "python" / "examples"))

from codel import CoDel

#: Three uploads and a ping.
BUSY = SMALL.replace("2mbit", "12mbit").replace('traffic = "bulk"', 'traffic = "bulk", count = 3')


def dropped(result: unbloat.Result) -> list[tuple[object, ...]]:
    """The packets that an algorithm dropped: flow, length and time of arrival."""
    import polars

    packets = polars.DataFrame(result.packets)
    chosen = packets.filter(polars.col("fate") == "dropped_aqm", polars.col("direction") == "forward")
    return chosen.select("index", "flow", "bytes", "enqueued_s").rows()


@pytest.mark.parametrize("scenario", [str(ROOT / "scenarios" / "home-uplink.toml"), BUSY])
def test_codel_in_python_drops_the_same_packets(scenario: str) -> None:
    ours = unbloat.run(scenario, {"link.uplink.queue": "codel"}, packets=True, duration="40s")
    python = unbloat.run(scenario, packets=True, queues={"uplink": CoDel}, duration="40s")
    assert len(dropped(ours)) > 50
    assert dropped(python) == dropped(ours)
    named = {**ours.links["uplink"]["forward"], "queue": "CoDel"}
    assert python.links["uplink"]["forward"] == named
    assert python.flows == ours.flows


class EachTenth(unbloat.Aqm):
    """Judges each tenth packet that arrives."""

    limit = 20

    def __init__(self, verdict: unbloat.Verdict = "drop") -> None:
        self.verdict: unbloat.Verdict = verdict
        self.arrivals = 0

    def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
        self.arrivals += 1
        return self.verdict if self.arrivals % 10 == 0 else None


def test_drops_are_counted_everywhere() -> None:
    result = unbloat.run(SMALL, series="1s", packets=True, queues={"uplink": EachTenth})
    uplink = result.links["uplink"]["forward"]
    assert uplink["queue"] == "EachTenth" and "EachTenth" in str(result)
    assert uplink["drops"]["aqm"] == len(dropped(result)) > 10
    again = unbloat.run(SMALL, series="1s", packets=True, queues={"uplink": EachTenth})
    assert again.json == result.json


def test_the_other_direction_has_a_queue_too() -> None:
    links = unbloat.run(SMALL, queues={"uplink.reverse": EachTenth}).links["uplink"]
    assert links["reverse"]["queue"] == "EachTenth" and links["reverse"]["drops"]["aqm"] > 10
    assert links["forward"]["queue"].startswith("pfifo") and links["forward"]["drops"]["aqm"] == 0


def test_a_mark_is_a_drop_for_those_who_cannot_be_marked() -> None:
    def count(ecn: bool) -> tuple[int, int]:
        marking = {"uplink": lambda: EachTenth("mark")}
        uplink = unbloat.run(SMALL, {"flow.backup.ecn": ecn}, queues=marking).links["uplink"]["forward"]
        return uplink["marks"], uplink["drops"]["aqm"]

    marks, _ = count(True)
    assert marks > 10
    marks, drops = count(False)
    assert marks == 0 and drops > 10


def test_an_algorithm_is_told_of_packet_queue_and_time() -> None:
    told: list[tuple[int, int, int, int, int]] = []

    class Watch(unbloat.Aqm):
        def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            assert packet.sojourn_ns == 0 and not packet.ecn_capable and queue.mtu == 1500
            return None

        def on_dequeue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            told.append((packet.bytes, packet.sojourn_ns, queue.packets, queue.bytes, now_ns))
            return None

    result = unbloat.run(SMALL, packets=True, queues={"uplink": Watch})
    plain = unbloat.run(SMALL, packets=True)
    assert result.flows == plain.flows, "an algorithm that only looks changes nothing"
    assert len(told) >= result.links["uplink"]["forward"]["delivered_packets"] > 500
    times = [now for *_, now in told]
    assert times == sorted(times) and 4.9e9 < times[-1] < 5e9
    longest = max(sojourn for _, sojourn, *_ in told)
    assert longest / 1e6 == pytest.approx(result.links["uplink"]["forward"]["sojourn_ms"]["max"], rel=1e-6)
    assert max(told, key=lambda it: it[3])[2] > 50


class Red(unbloat.Aqm):
    """Drops one of twenty arrivals, at random."""

    def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
        return "drop" if self.random.random() < 0.05 else None


def test_chance_is_a_function_of_seed_and_direction() -> None:
    def run(seed: int) -> unbloat.Result:
        return unbloat.run(BUSY, packets=True, seed=seed, queues={"uplink": Red})

    once = run(7)
    uplink = once.links["uplink"]["forward"]
    arrivals = uplink["delivered_packets"] + uplink["drops"]["aqm"]
    assert 0.04 < uplink["drops"]["aqm"] / arrivals < 0.06
    with ThreadPoolExecutor(4) as pool:
        again = list(pool.map(run, [7, 8, 7, 8]))
    assert [result.json == once.json for result in again] == [True, False, True, False]
    assert dropped(again[0]) == dropped(once)
    numbers: list[float] = []

    class Told(Red):
        def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            numbers.append(self.random.random())
            return None

    unbloat.run(SMALL, duration="1s", queues={"uplink": Told, "uplink.reverse": Told})
    assert len(set(numbers)) == len(numbers) > 50, "each direction has its own"


def test_an_algorithm_keeps_its_own_random() -> None:
    class Own(Red):
        def __init__(self) -> None:
            self.random = Random(1)

    first, second = (unbloat.run(BUSY, packets=True, seed=seed, queues={"uplink": Own}) for seed in (7, 8))
    assert dropped(first) == dropped(second) != []


def test_an_exception_ends_the_run_and_comes_out() -> None:
    class Broken(EachTenth):
        def on_dequeue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough") as raised:
        unbloat.run(SMALL, duration="100h", queues={"uplink": Broken})
    assert raised.traceback[-1].name == "on_dequeue"


@pytest.mark.parametrize("answer", [True, 0, "keep", ["drop"]])
def test_a_wrong_answer_is_named(answer: Any) -> None:
    with pytest.raises(
        TypeError, match=r'EachTenth.on_enqueue returned .*; it returns None, "drop" or "mark"'
    ):
        unbloat.run(SMALL, queues={"uplink": lambda: EachTenth(answer)})


class Nothing(unbloat.Aqm):
    def on_deqeue(self) -> None: ...


class NoRoom(EachTenth):
    limit = 0


@pytest.mark.parametrize(
    ("queues", "error", "says"),
    [
        ({"downlink": EachTenth}, ValueError, '"downlink", .* there are uplink.forward, uplink.reverse'),
        ({"uplink": EachTenth, "uplink.forward": EachTenth}, ValueError, "uplink.forward twice"),
        ({"uplink": EachTenth()}, TypeError, "a subclass of unbloat.Aqm or unbloat.Qdisc, or a function"),
        ({"uplink": dict}, TypeError, "{}, which is no unbloat.Aqm"),
        ({"uplink": Nothing}, TypeError, "Nothing has neither on_enqueue nor on_dequeue"),
        ({"uplink": NoRoom}, ValueError, "NoRoom.limit is 0"),
        ({3: EachTenth}, TypeError, "a key of queues is 3"),
        ([EachTenth], TypeError, "queues is .*; it is a mapping of directions to queues"),
    ],
)
def test_wrong_queues_are_refused(queues: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        unbloat.run(SMALL, queues=queues)


def test_a_queue_in_python_has_no_settings_to_change() -> None:
    change = {"change": [{"at": "2s", "link": "uplink", "queue": "pfifo limit 10"}]}
    with pytest.raises(unbloat.RunError, match=r"changes the queue of uplink\.forward at 2s"):
        unbloat.run(SMALL, change, queues={"uplink": EachTenth})
