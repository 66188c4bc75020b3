"""Runs that their caller advances."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
from conftest import ROOT, assert_interrupted
from test_aqm import BUSY, EachTenth
from test_run import SMALL

import unbloat

sys.path.append(str(ROOT / "python" / "examples"))

from reno import Reno

#: A shaper before a line.
SHAPED = """
duration = "20s"
link = [
    { name = "shaper", from = "home", to = "modem", queue = "cake bandwidth 8mbit besteffort" },
    { name = "line", from = "modem", to = "isp", rate = "10mbit", delay = "10ms" },
]
flow = [{ name = "upload", from = "home", to = "isp", traffic = "bulk" }]
"""


@pytest.mark.parametrize("seconds", [0.001, 0.123456789, 7])
def test_a_run_in_steps_has_the_same_result(seconds: float) -> None:
    simulation = unbloat.Simulation(BUSY, series="100ms", packets=True)
    steps = 0
    while not simulation.is_over:
        simulation.advance(seconds)
        steps += 1
    whole = unbloat.run(BUSY, series="100ms", packets=True)
    result = simulation.finish()
    assert steps == -(-5 // seconds)
    assert repr(simulation) == "<unbloat.Simulation that is over or being advanced>"
    assert result.json == whole.json
    import polars

    assert polars.DataFrame(result.packets).equals(polars.DataFrame(whole.packets))
    assert polars.DataFrame(result.series).equals(polars.DataFrame(whole.series))


def test_links_and_flows_are_seen_between_steps() -> None:
    simulation = unbloat.Simulation(SMALL, {"link.uplink.queue": "pfifo limit 30"})
    simulation.advance(3)
    uplink, backup = simulation.link("uplink"), simulation.flow("backup")
    assert simulation.now_s == 3 and not simulation.is_over
    assert repr(simulation) == "<unbloat.Simulation at 3 s>"
    assert 0 < uplink.packets <= 30 and 0 < uplink.bytes <= 30 * 1500
    assert uplink.delivered_bytes == pytest.approx(3 * 250_000, rel=0.05)
    assert uplink.departed_packets >= uplink.delivered_packets > 450
    assert 0.05 < uplink.waited_ns / uplink.departed_packets / 1e9 < 0.2
    assert uplink.dropped_packets > 0 and uplink.marked_packets == 0
    assert simulation.link("uplink.reverse").delivered_packets > 200
    assert 0 < backup.delivered_bytes < uplink.delivered_bytes
    assert backup.cwnd is not None and backup.cwnd > 2
    assert backup.rtt_ns is not None and 100e6 < backup.rtt_ns < 300e6
    assert backup.retransmitted_packets > 0
    ping = simulation.flow("ping")
    assert (ping.cwnd, ping.delivered_bytes) == (None, 0) and ping.rtt_ns is not None
    result = simulation.finish()
    assert result.document["interrupted_s"] == 3.0
    for use in (simulation.finish, lambda: simulation.advance(1), lambda: simulation.link("uplink")):
        with pytest.raises(RuntimeError, match="it has its result"):
            use()


def test_a_queue_and_a_rate_change_between_steps() -> None:
    simulation = unbloat.Simulation(SHAPED)
    simulation.advance(10)
    before = simulation.flow("upload").delivered_bytes
    simulation.change("shaper", queue="cake bandwidth 2mbit")
    simulation.advance(5)
    between = simulation.flow("upload").delivered_bytes
    simulation.change("line", rate="1mbit")
    simulation.advance(5)
    after = simulation.flow("upload").delivered_bytes
    rates = [before / 10, (between - before) / 5, (after - between) / 5]
    assert [rate * 8 / 1e6 for rate in rates] == pytest.approx([7.6, 1.9, 0.95], rel=0.06)


def test_a_change_in_steps_is_one_of_the_scenario() -> None:
    changes = [
        {"at": "2s", "link": "shaper", "queue": "cake bandwidth 3mbit"},
        {"at": "4s", "link": "shaper", "queue": "cake rtt 50ms"},
        {"at": "4s", "link": "line", "rate": "5mbit"},
    ]
    simulation = unbloat.Simulation(SHAPED)
    simulation.advance(2)
    simulation.change("shaper", queue="cake bandwidth 3mbit")
    simulation.advance(2)
    simulation.change("shaper", queue="cake rtt 50ms", rate=None)
    simulation.change("line", rate="5mbit")
    simulation.advance(100)
    whole = unbloat.run(SHAPED, {"change": changes})
    result = simulation.finish()
    assert result.flows == whole.flows
    assert result.document["scenario"] == whole.document["scenario"]


@pytest.mark.parametrize(
    ("link", "change", "says"),
    [
        ("shaper", {"queue": "cake bandwidth fast"}, 'queue "cake bandwidth fast": '),
        ("shaper", {"queue": "fq_codel target 9ms"}, "fq_codel"),
        ("shaper", {"rate": "1mbit"}, "shaper.forward has no constant rate"),
        ("line", {"rate": "1"}, 'rate "1": .*unit'),
        ("line", {"rate": "1bit"}, 'rate "1bit": write a rate from 100bit to '),
        ("lines", {"rate": "1mbit"}, 'change names "lines", .* there are shaper.forward, '),
        (
            "line.reverse",
            {"queue": "pfifo limit 10"},
            "the scenario itself changes the queue of line.reverse",
        ),
        ("line", {}, "change has neither queue nor rate"),
        ("line", {"queue": 3}, "queue is 3; it is a queue with its options"),
        ("line", {"rate": 3}, "rate is 3; it is a rate"),
        (3, {"rate": "1mbit"}, "link is 3; it is the name of a direction"),
    ],
)
def test_a_wrong_change_is_refused(link: str, change: dict[str, Any], says: str) -> None:
    changes = [{"at": "19s", "link": "line", "direction": "reverse", "queue": "pfifo limit 9"}]
    simulation = unbloat.Simulation(SHAPED, {"change": changes})
    with pytest.raises((ValueError, TypeError), match=says):
        simulation.change(link, **change)


def test_a_queue_in_python_has_no_settings() -> None:
    simulation = unbloat.Simulation(SMALL, queues={"uplink": EachTenth})
    with pytest.raises(ValueError, match=r"uplink\.forward has no settings"):
        simulation.change("uplink", queue="pfifo limit 10")


def test_parts_in_python_are_asked_in_steps() -> None:
    parts: Any = {"queues": {"uplink": EachTenth}, "congestion": {"backup": Reno}}
    simulation = unbloat.Simulation(SMALL, **parts)
    for _ in range(5):
        simulation.advance(1)
    assert simulation.finish().json == unbloat.run(SMALL, **parts).json


def test_an_exception_comes_out_of_the_step() -> None:
    class Late(EachTenth):
        def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            if now_ns > 2e9:
                raise LookupError("enough")
            return None

    simulation = unbloat.Simulation(SMALL, queues={"uplink": Late})
    simulation.advance(1.5)
    with pytest.raises(LookupError, match="enough"):
        simulation.advance(1.5)
    # What a run without the part would give is the result of no scenario.
    with pytest.raises(RuntimeError, match="raised an exception"):
        simulation.finish()


@pytest.mark.parametrize("seconds", [0, -1, 1e-10, float("nan"), float("inf")])
def test_a_step_is_a_time(seconds: float) -> None:
    with pytest.raises(ValueError, match="a time in seconds"):
        unbloat.Simulation(SMALL).advance(seconds)
    with pytest.raises(TypeError, match=r"advance is '1s'; it is a time in seconds"):
        unbloat.Simulation(SMALL).advance(cast("Any", "1s"))


def test_names_that_are_not_there_are_named() -> None:
    simulation = unbloat.Simulation(SMALL)
    with pytest.raises(ValueError, match='there is no flow "pong"; there are backup, ping'):
        simulation.flow("pong")
    with pytest.raises(ValueError, match=r'link names "down", .*; there are uplink.forward, uplink.reverse'):
        simulation.link("down")


def test_two_runs_go_on_at_the_same_time() -> None:
    def run(seed: int) -> str:
        simulation = unbloat.Simulation(BUSY, {"link.uplink.loss": 0.01}, seed=seed)
        while not simulation.is_over:
            simulation.advance(0.05)
        return simulation.finish().json

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(8))) == [run(seed) for seed in range(8)]


def test_a_step_has_one_owner() -> None:
    """Threads that look at a run or would advance it are refused, and the step goes on to its end."""
    simulation = unbloat.Simulation(BUSY, duration="40s")
    begun, is_over = threading.Event(), threading.Event()
    refused: list[str] = []

    def meddle(use: Callable[[], object]) -> None:
        begun.wait()
        while not is_over.is_set():
            try:
                use()
            except RuntimeError as error:
                refused.append(str(error))
            time.sleep(0)

    uses: list[Callable[[], object]] = [
        lambda: simulation.now_s,
        lambda: simulation.link("uplink"),
        lambda: simulation.flow("ping"),
    ]
    threads = [threading.Thread(target=meddle, args=(use,)) for use in uses]
    for thread in threads:
        thread.start()
    begun.set()
    # No step fails, whoever looks at the run.
    try:
        for _ in range(8):
            simulation.advance(5)
    finally:
        is_over.set()
        for thread in threads:
            thread.join()
    assert simulation.now_s == 40
    assert set(refused) == {"the run is being advanced, by another thread or by this one"}
    assert simulation.finish().json == unbloat.run(BUSY, duration="40s").json


def test_a_step_that_is_refused_moves_nothing() -> None:
    simulation = unbloat.Simulation(BUSY, duration="1000s")

    def advance(_: int) -> bool:
        try:
            simulation.advance(3)
        except RuntimeError:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        moved = sum(pool.map(advance, range(40)))
    assert 0 < moved < 40
    assert simulation.now_s == 3 * moved


def test_a_part_in_python_cannot_use_its_run() -> None:
    refused: list[str] = []

    class Curious(EachTenth):
        def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
            try:
                simulation.advance(1)
            except RuntimeError as error:
                refused.append(str(error))
            return super().on_enqueue(packet, queue, now_ns)

    simulation = unbloat.Simulation(SMALL, queues={"uplink": Curious})
    simulation.advance(1)
    assert set(refused) == {"the run is being advanced, by another thread or by this one"}
    assert simulation.now_s == 1


def test_an_end_just_after_the_warmup_is_told() -> None:
    simulation = unbloat.Simulation(SMALL, warmup="1s")
    simulation.advance(1.000001)
    verdict = simulation.finish().verdict
    assert verdict == "Nothing to judge: no link carried a packet after the warm-up of 1.00 s."


def test_states_show_their_figures() -> None:
    simulation = unbloat.Simulation(SMALL)
    assert repr(simulation.link("uplink")).startswith("<unbloat.LinkState: packets=0, bytes=0, delivered_")
    assert repr(simulation.flow("ping")) == (
        "<unbloat.FlowState: delivered_bytes=0, retransmitted_packets=0, cwnd=None, rtt_ns=None>"
    )


def test_ctrl_c_ends_a_step() -> None:
    script = (
        f"import unbloat\nsimulation = unbloat.Simulation('''{SMALL}''', duration='160h')\n"
        "print('begun', flush=True)\nsimulation.advance(5e5)\n"
    )
    assert_interrupted(script)


class Slow(EachTenth):
    """Is interrupted within its method."""

    def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
        if now_ns > 1e9:
            signal.raise_signal(signal.SIGINT)
        return None


def test_ctrl_c_within_a_part_in_python_ends_the_run_and_is_told() -> None:
    simulation = unbloat.Simulation(SMALL, queues={"uplink": Slow})
    with pytest.raises(KeyboardInterrupt):
        simulation.advance(5)
    for use in (simulation.finish, lambda: simulation.advance(1)):
        with pytest.raises(RuntimeError, match="Ctrl-C ended a method of a part in Python before its end"):
            use()


def test_after_ctrl_c_a_run_without_parts_in_python_goes_on() -> None:
    simulation = unbloat.Simulation(SMALL, duration="160h")
    main = threading.main_thread().ident
    assert main is not None
    threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        simulation.advance(5e5)
    simulation.advance(0.1)
    same = unbloat.Simulation(SMALL, duration="160h")
    same.advance(simulation.now_s)
    assert simulation.now_s < 5e5 and simulation.finish().json == same.finish().json


def test_an_exception_of_a_discipline_comes_out_of_the_step() -> None:
    class Stuck(unbloat.Qdisc):
        """Keeps packets and fails as it is asked for them."""

        def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
            return None

        def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | None:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        unbloat.Simulation(SMALL, queues={"uplink": Stuck}).advance(5)


def test_the_example_of_the_readme_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "python" / "README.md").read_text()
    example = text.split("## A run in steps")[1].split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(ROOT)
    exec(example, {"unbloat": unbloat})
    assert "ping" in capsys.readouterr().out
