"""Wrong arguments, which errors name."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pytest
from distributed import Client, LocalCluster
from test_run import SMALL

import unbloat

HALF = "a\ud800"
PAIR = numpy.array([1, 2])


class Number(unbloat.Aqm):
    on_enqueue = 3  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


class Nothing(unbloat.Aqm):
    on_dequeue = None  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


class Words(unbloat.Qdisc):
    enqueue = "first"  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]
    dequeue = "last"  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


class Early(unbloat.Aqm):
    def __init__(self) -> None:
        self.first = self.random.random()


class Soon(unbloat.Qdisc):
    def __init__(self) -> None:
        self.quantum = self.mtu

    def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
        packet.drop()

    def dequeue(self, now_ns: int) -> None:
        return None


class Wrong(unbloat.Aqm):
    def __init__(self) -> None:
        self.first = self.randomness  # type: ignore[attr-defined] # pyright: ignore


class Constant(unbloat.CongestionControl):
    on_ack = 10  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]
    reduce = 5  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


def deep() -> list[Any]:
    """Lists within each other."""
    lists: list[Any] = []
    for _ in range(100_000):
        lists = [lists]
    return lists


def circle() -> dict[str, Any]:
    around: dict[str, Any] = {}
    around["around"] = around
    return around


def simulation() -> unbloat.Simulation:
    return unbloat.Simulation(SMALL)


WRONG: list[tuple[Callable[..., Any], type[Exception], str]] = [
    (lambda _: unbloat.reproduce("codel", 3), TypeError, "parts is 3; it is a list of texts"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.Runs(3), TypeError, "folder is 3; it is the path of a folder"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.Runs(""), ValueError, "folder is ''; it is the path of a folder"),
    (lambda _: unbloat.diagnose({"a": {1}}), TypeError, "document: Object of type set"),
    (lambda _: unbloat.diagnose(circle()), ValueError, "document: Circular reference"),
    (lambda _: unbloat.diagnose(HALF), ValueError, "document has half a character"),
    (lambda _: unbloat.capture(""), ValueError, "path is ''; it is the path of a file"),
    (lambda _: unbloat.run(SMALL, seed=PAIR), TypeError, r"seed: array\(\[1, 2\]\) is no value"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.run({"seed": PAIR}), TypeError, r"scenario.seed: array\(\[1, 2\]\) is no value"),
    (lambda _: unbloat.run({"seed": HALF}), ValueError, "scenario.seed has half a character"),
    (lambda _: unbloat.run({"link": [{HALF: 1}]}), ValueError, r"a key of scenario.link\[0\] has half a"),
    (lambda _: unbloat.run({"seed": math.nan}), ValueError, "scenario.seed is nan; it is a finite number"),
    (lambda _: unbloat.run({"seed": Decimal("inf")}), ValueError, "scenario.seed is inf; it is a finite"),
    (lambda _: unbloat.run({"flow": circle()}), ValueError, "^scenario contains itself"),
    (lambda _: unbloat.run(SMALL, flow=circle()), ValueError, "^flow contains itself"),
    (lambda _: unbloat.run(SMALL, {"flow": deep()}), ValueError, "^flow contains itself, or has too many"),
    (lambda _: unbloat.run(SMALL, seed=10**5000), ValueError, "seed is a whole number of 16610 bits; it has"),
    (lambda _: unbloat.run(SMALL, seed=10**400), ValueError, "seed is a whole number of 1329 bits; it has"),
    (lambda _: unbloat.run({"seed": [10**5000]}), ValueError, r"scenario.seed\[0\] is a whole number of"),
    (
        lambda at: unbloat.sweep(SMALL, {"seed": [10**5000]}, folder=at),
        ValueError,
        r'vary\["seed"\] is a whole number of 16610 bits',
    ),
    (
        lambda at: unbloat.sweep(SMALL, {"seed": [1]}, folder=at, threads=2**40),
        ValueError,
        "threads is 1099511627776; it is a number of threads, from 1 to 2147483647",
    ),
    (
        lambda at: unbloat.sweep(SMALL, {"seed": [1]}, folder=at, threads=2, executor=ThreadPoolExecutor(1)),
        ValueError,
        "threads is 2, and there is an executor",
    ),
    (lambda _: unbloat.run(SMALL + HALF), ValueError, "scenario has half a character, the lone surrogate"),
    (lambda _: unbloat.run(""), ValueError, "scenario is ''; it is the path of a file, its text"),
    (lambda _: unbloat.run(SMALL, title=HALF), ValueError, "title has half a character"),
    (lambda _: unbloat.run(SMALL, {HALF: 1}), ValueError, "a key of overrides has half a character"),
    (lambda _: unbloat.run(SMALL, series=HALF), ValueError, "series has half a character"),
    (lambda _: unbloat.run(SMALL, queues={"uplink": Number}), TypeError, "Number.on_enqueue is 3; it is a"),
    (lambda _: unbloat.run(SMALL, queues={"uplink": Nothing}), TypeError, "Nothing.on_dequeue is None"),
    (lambda _: unbloat.run(SMALL, queues={"uplink": Words}), TypeError, "Words.enqueue is 'first'"),
    (lambda _: unbloat.run(SMALL, congestion={"backup": Constant}), TypeError, "Constant.on_ack is 10"),
    (
        lambda _: unbloat.run(SMALL, packet=True),
        TypeError,
        r"packet is no argument .*; did you mean packets\?",
    ),
    (lambda _: unbloat.run(SMALL, threads=2), TypeError, "threads is no .* it is one of unbloat.sweep"),
    (lambda _: unbloat.run(SMALL, sead=2), unbloat.ScenarioError, "did you mean `seed`"),
    (lambda _: unbloat.Simulation(SMALL, progress=print), TypeError, "progress is no .* of unbloat.run"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.CheckedScenario(SMALL, series="1s"), TypeError, "series is no argument of"),
    (lambda _: simulation().advance(PAIR), TypeError, r"advance is array\(\[1, 2\]\); it is a time"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: simulation().advance(1e30), ValueError, "advance is 1e.30; .* from 1e-9 to 1e9"),
    (lambda _: unbloat.Result(3), TypeError, "done is 3; it is what unbloat.run"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.Comparison({"a": 1}), TypeError, r'results\["a"\] is 1; it is an'),  # type: ignore[dict-item] # pyright: ignore
    (
        lambda _: unbloat.run(SMALL, seed=2**70),
        unbloat.ScenarioError,
        "numbers are from .* to 1844674407370955",
    ),
    (
        lambda _: unbloat.run("small"),
        unbloat.ScenarioError,
        "small: no such file; a scenario as text has a line",
    ),
    (lambda _: unbloat.run("a=b.toml"), unbloat.ScenarioError, "a=b.toml: no such file"),
    (lambda _: unbloat.run('duration = "5s"'), unbloat.ScenarioError, "link"),
    (lambda _: unbloat.run(SMALL, queues={"uplink": Early}), AttributeError, "Early.random is not there yet"),
    (
        lambda _: unbloat.run(SMALL, queues={"uplink": Soon}),
        AttributeError,
        "Soon.mtu is not there yet: a run",
    ),
    (
        lambda _: unbloat.run(SMALL, queues={"uplink": Wrong}),
        AttributeError,
        "'Wrong' object has no attribute",
    ),
    (lambda _: simulation().link(HALF), ValueError, "name has half a character"),
    (lambda at: unbloat.sweep(SMALL, {"seed": HALF}, folder=at), ValueError, r'vary\["seed"\] has half a'),
    (lambda at: unbloat.sweep(SMALL, {"seed": [1]}, folder=at, foldr=1), TypeError, "did you mean folder"),
    (lambda at: unbloat.sweep(SMALL, {"seed": [PAIR]}, folder=at), TypeError, r'vary\["seed"\]: array'),  # type: ignore[list-item] # pyright: ignore
    (lambda _: unbloat.sweep(SMALL, {"seed": [1]}, folder=""), ValueError, "folder is ''; it is the path"),
    (lambda _: unbloat.sweep(SMALL, {"seed": [1]}, folder="a\0b"), ValueError, "folder is 'a.x00b'; it is"),
    (lambda at: unbloat.sweep(SMALL, {"seed": [1]}, folder=at, threads=PAIR), TypeError, "threads is array"),  # type: ignore[arg-type] # pyright: ignore
    (lambda _: unbloat.estimate(SMALL, {"seed": [1]}, within_s=PAIR), TypeError, "within_s is array"),  # type: ignore[arg-type] # pyright: ignore
]


@pytest.mark.parametrize(("call", "error", "says"), WRONG, ids=[says for _, _, says in WRONG])
def test_a_wrong_argument_is_named(call: Any, error: type[Exception], says: str, tmp_path: Any) -> None:
    with pytest.raises(error, match=says) as raised:
        call(tmp_path / "runs")
    assert type(raised.value) is error
    assert not (tmp_path / "runs").exists()


def test_numbers_of_numpy_are_numbers() -> None:
    result = unbloat.run(SMALL, seed=numpy.int64(3))  # type: ignore[arg-type] # pyright: ignore
    assert result.document["scenario"]["seed"] == 3
    assert unbloat.run(SMALL, seed=numpy.array(3)).json == result.json  # type: ignore[arg-type] # pyright: ignore


def test_an_asynchronous_client_is_refused(tmp_path: Any) -> None:
    with LocalCluster(  # type: ignore[no-untyped-call]
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:

        async def begin() -> None:
            async with Client(cluster.scheduler_address, asynchronous=True) as client:  # type: ignore[no-untyped-call]
                unbloat.sweep(SMALL, {"seed": [1, 2]}, folder=tmp_path / "runs", executor=client)

        with pytest.raises(ValueError, match="an asynchronous client; it is one with asynchronous=False"):
            asyncio.run(begin())
    assert not (tmp_path / "runs").exists()


def test_a_name_that_is_not_there_is_answered_with_those_that_are() -> None:
    result = unbloat.run(SMALL)
    with pytest.raises(KeyError, match=r"there is no 'pin'; did you mean 'ping'\? There are backup, ping"):
        _ = result.flows["pin"]
    with pytest.raises(KeyError, match=r"there is no 'forwards'; did you mean 'forward'"):
        _ = result.links["uplink"]["forwards"]
    with pytest.raises(KeyError, match=r"there is no 'x'; there are .*p95"):
        _ = result.flows["ping"]["rtt_ms"]["x"]
    assert result.flows.get("pin") is None and result.flows == result.document["flows"]
    assert json.dumps(result.links) == json.dumps(result.document["links"])


def test_a_closed_client_is_refused(tmp_path: Any) -> None:
    with LocalCluster(  # type: ignore[no-untyped-call]
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        client: Any = Client(cluster)  # type: ignore[no-untyped-call]
        client.close()
        with pytest.raises(ValueError, match=r"executor is <Client.*>; it is a client that is not closed"):
            unbloat.sweep(SMALL, {"seed": [1, 2]}, folder=tmp_path / "runs", executor=client)
    assert not (tmp_path / "runs").exists()


def test_a_scenario_error_has_its_fields() -> None:
    own = unbloat.ScenarioError("wrong")
    assert (str(own), own.message, own.field, own.file, own.line) == ("wrong", "wrong", "", "", None)
    with pytest.raises(unbloat.ScenarioError) as raised:
        unbloat.run(SMALL.replace("seed", "sead"))
    again = pickle.loads(pickle.dumps(raised.value))
    assert vars(again) == vars(raised.value) and str(again) == str(raised.value)
    assert (again.field, again.file) == ("sead", "scenario") and again.line > 1 and again.column == 1


@dataclass(frozen=True)
class Rare(unbloat.Aqm):
    """Drops some packets at random."""

    share: float = 0.01

    def on_enqueue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
        return "drop" if self.random.random() < self.share else None


@dataclass(frozen=True)
class Halving(unbloat.CongestionControl):
    """Halves the window, and grows it by chance."""

    share: float = 0.1

    def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
        window.cwnd += self.random.random() < self.share

    def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
        return max(window.cwnd // 2, 2)


def test_frozen_dataclasses_have_randomness() -> None:
    result = unbloat.run(SMALL, queues={"uplink": Rare}, congestion={"backup": Halving})
    link = result.links["uplink"]["forward"]
    assert link["queue"] == "Rare" and link["drops"]["aqm"] > 1


def test_a_cluster_is_answered_with_its_client(tmp_path: Path) -> None:
    with LocalCluster(n_workers=0, processes=False, dashboard_address=None) as cluster:  # type: ignore[no-untyped-call]
        says = r"a dask\.distributed\.Client; Client\(cluster\) makes one of a cluster$"
        with pytest.raises(TypeError, match=says):
            unbloat.sweep(SMALL, {"seed": [1]}, folder=tmp_path / "runs", executor=cluster)
