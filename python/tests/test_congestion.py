"""Congestion controls in Python."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest
from conftest import ROOT
from test_run import SMALL

import unbloat

sys.path.append(str(ROOT / "python" / "examples"))

from reno import Reno

#: An upload that is marked and loses packets, and a pause of three seconds.
BUSY = SMALL.replace('"2mbit"', '"8mbit", loss = 0.003').replace('"pfifo"', '"codel"')
WEB = """
duration = "20s"
link = [{ name = "uplink", from = "home", to = "isp", rate = "5mbit", delay = "20ms", queue = "codel" }]
[[flow]]
name = "web"
from = "isp"
to = "home"
traffic = "page"
objects = { count = 30, bytes = "60kB" }
pause = "1s"
[[flow]]
name = "often"
from = "home"
to = "isp"
traffic = "periodic"
bytes = "500kB"
every = "2s"
count = 2
"""


def without_names(result: unbloat.Result) -> dict[str, Any]:
    """The document without the scenario, which names another congestion control, and without times."""
    return {**result.document, "scenario": None, "cost": result.document["cost"]["events"]}


@pytest.mark.parametrize(
    ("scenario", "flow", "overrides"),
    [
        (str(ROOT / "scenarios" / "home-uplink.toml"), "backup", {}),
        (BUSY, "backup", {"flow.backup.ecn": True, "flow.backup.count": 3}),
        (BUSY, "backup", {"flow.backup.pacing": True}),
        (WEB, "web", {}),
        (WEB, "often", {}),
    ],
)
def test_reno_in_python_sends_the_same_packets(scenario: str, flow: str, overrides: dict[str, Any]) -> None:
    ours = unbloat.run(scenario, {**overrides, f"flow.{flow}.congestion": "reno"}, packets=True)
    python = unbloat.run(scenario, overrides, packets=True, congestion={flow: Reno})
    assert without_names(python) == without_names(ours)
    assert len(python.packets) > 500
    import polars

    assert polars.DataFrame(python.packets).equals(polars.DataFrame(ours.packets))


class Fixed(unbloat.CongestionControl):
    """A window that never changes."""

    def __init__(self, segments: int = 10) -> None:
        self.segments = segments

    def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
        window.cwnd = self.segments

    def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
        return self.segments


def test_a_window_of_python_limits_the_flow() -> None:
    """Ten segments of 1500 bytes each 20 ms and what a segment needs at 100 Mbit/s."""
    result = unbloat.run(
        SMALL, {"link.uplink.rate": "100mbit"}, series="1s", congestion={"backup": lambda: Fixed(10)}
    )
    assert result.flows["backup"]["goodput_mbit"] == pytest.approx(10 * 1448 * 8 / 0.0202 / 1e6, rel=0.05)
    import numpy

    assert numpy.asarray(result.series["backup.cwnd_segments"]).tolist() == [10.0] * 5


def test_a_control_is_told_of_acknowledgements_and_reductions() -> None:
    acks: list[unbloat.Ack] = []
    told: list[tuple[str, int]] = []
    made = []

    class Watch(Reno):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
            acks.append(ack)
            super().on_ack(window, ack)
            if ack.falling:
                window.cwnd = 1000  # has no effect

        def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
            told.append((cause, now_ns))
            return super().reduce(window, cause, now_ns)

        def on_restart(self, idle_ns: int, now_ns: int) -> None:
            told.append(("restart", idle_ns))

    ours = unbloat.run(WEB, {"flow.often.congestion": "reno"})
    python = unbloat.run(WEB, congestion={"often": Watch})
    assert without_names(python) == without_names(ours)
    assert len(made) == 2, "one for each member of the flow, and none for an end that only receives"
    assert {cause for cause, _ in told} >= {"loss", "restart"}
    delivered = sum(python.flows[f"often[{member}]"]["delivered_bytes"] for member in range(2))
    # What is on its way at the end is delivered, and not acknowledged.
    assert 0 <= delivered - sum(ack.delivered for ack in acks) * 1448 < 100_000
    assert any(ack.falling for ack in acks) and any(ack.may_grow for ack in acks)
    trips = [ack.rtt_ns for ack in acks if ack.rtt_ns is not None]
    assert min(trips) > 40e6 and acks[-1].srtt_ns > 40e6
    assert acks[-1].next >= acks[-1].una and not acks[-1].paced and acks[-1].acked >= 1
    assert acks[-1].one_way_ms is not None and 0 < acks[-1].now_ns < 20e9


def test_an_exception_ends_the_run_and_comes_out() -> None:
    class Broken(Fixed):
        def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough") as raised:
        unbloat.run(BUSY, duration="100h", congestion={"backup": lambda: Broken(1000)})
    assert raised.traceback[-1].name == "reduce"


@pytest.mark.parametrize(
    ("segments", "error", "says"),
    [
        (0, ValueError, r"window.cwnd is 0; it is a whole number of segments from 1"),
        (-1, ValueError, r"window.cwnd is -1"),
        (2**40, ValueError, r"window.cwnd is 1099511627776"),
        (2**80, ValueError, r"window.cwnd is 1208925819614629174706176"),
        ("many", TypeError, r"window.cwnd is 'many'; it is a whole number of segments"),
        (1.5, TypeError, r"window.cwnd is 1.5; it is a whole number of segments"),
    ],
)
def test_a_wrong_window_is_named(segments: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        unbloat.run(SMALL, congestion={"backup": lambda: Fixed(segments)})


@pytest.mark.parametrize(
    ("threshold", "error", "says"),
    [
        (None, TypeError, r"Silent.reduce returned None; it is a whole number of segments"),
        (0, ValueError, r"Silent.reduce returned 0; it is a whole number of segments from 1"),
    ],
)
def test_a_wrong_threshold_is_named(threshold: Any, error: type[Exception], says: str) -> None:
    class Silent(Fixed):
        def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
            value: int = threshold
            return value

    with pytest.raises(error, match=says):
        unbloat.run(BUSY, congestion={"backup": lambda: Silent(100)})


@pytest.mark.parametrize("part", ["cwnd", "ssthresh"])
def test_a_window_is_set_in_on_ack_alone(part: str) -> None:
    class Late(Fixed):
        def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
            setattr(window, part, 100)

        def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
            setattr(window, part, 10)
            return 10

    with pytest.raises(AttributeError, match=f"window.{part} can be set in on_ack alone; reduce returns"):
        unbloat.run(BUSY, congestion={"backup": lambda: Late(100)})


class Unfinished(unbloat.CongestionControl):
    def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None: ...


@pytest.mark.parametrize(
    ("congestion", "error", "says"),
    [
        ({"upload": Reno}, ValueError, '"upload", which is no flow with TCP; there are backup'),
        ({"ping": Reno}, ValueError, '"ping", which is no flow with TCP; there are backup'),
        ({"backup": Reno()}, TypeError, "a subclass of unbloat.CongestionControl or a function"),
        ({"backup": dict}, TypeError, "{}, which is no unbloat.CongestionControl"),
        ({"backup": Unfinished}, TypeError, "abstract"),
        ({3: Reno}, TypeError, "a key of congestion is 3"),
        ([Reno], TypeError, "congestion is .*; it is a mapping of flows to congestion controls"),
    ],
)
def test_wrong_controls_are_refused(congestion: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        unbloat.run(SMALL, congestion=congestion)


def test_chance_is_a_function_of_seed_flow_and_sender() -> None:
    class Dice(Fixed):
        def __init__(self) -> None:
            self.segments = 10
            thrown.append(self)

        def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
            window.cwnd = self.random.randint(2, 40)

    class Own(Dice):
        random = Random(1)

    def windows(seed: int, kind: type[Dice]) -> list[float]:
        thrown.clear()
        flows = {"flow.backup.count": 3}
        result = unbloat.run(BUSY, flows, seed=seed, series="50ms", congestion={"backup": kind})
        return [float(value) for value in numpy.asarray(result.series["backup[0].cwnd_segments"])]

    import numpy

    thrown: list[Dice] = []
    once = windows(7, Dice)
    assert len(set(once)) > 10
    assert len({sender.random.random() for sender in thrown}) == 3, "each sender has its own"
    assert windows(7, Dice) == once
    assert windows(8, Dice) != once
    windows(7, Own)
    assert {id(sender.random) for sender in thrown} == {id(Own.random)}


def test_a_queue_and_a_congestion_control_in_one_run() -> None:
    from codel import CoDel

    both = unbloat.run(BUSY, queues={"uplink": CoDel}, congestion={"backup": Reno})
    ours = unbloat.run(BUSY, {"flow.backup.congestion": "reno"})
    assert both.flows == ours.flows
