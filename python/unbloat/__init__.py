"""Simulates, measures and explains bufferbloat.

    import unbloat

    result = unbloat.run("scenarios/home-uplink.toml", {"link.uplink.queue": "fq_codel"}, seed=3)
    print(result.verdict)
    result.flows["ping"]["rtt_ms"]["p95"]

A run is a function of the scenario and its seed: the same bytes come out on every machine, and the
program `unbloat` prints the same result.
"""

from unbloat._aqm import Aqm, Verdict
from unbloat._compare import Comparison, compare
from unbloat._congestion import Cause, CongestionControl
from unbloat._documents import (
    Capture,
    Measurement,
    Paper,
    Reproduction,
    capture,
    diagnose,
    papers,
    read_measurement,
    replay,
    reproduce,
)
from unbloat._errors import ScenarioError
from unbloat._qdisc import Qdisc
from unbloat._queues import Queues
from unbloat._result import Result
from unbloat._run import run
from unbloat._scenario import CheckedScenario, Override, ScenarioLike, schema
from unbloat._simulation import Simulation
from unbloat._sweep import Estimate, Runs, Values, estimate, sweep
from unbloat._unbloat import (
    Ack,
    Column,
    FlowState,
    LinkState,
    Packet,
    Queue,
    QueuedPacket,
    RunError,
    Table,
    Window,
    __version__,
)

__all__ = [
    "Ack",
    "Aqm",
    "Capture",
    "Cause",
    "CheckedScenario",
    "Column",
    "Comparison",
    "CongestionControl",
    "Estimate",
    "FlowState",
    "LinkState",
    "Measurement",
    "Override",
    "Packet",
    "Paper",
    "Qdisc",
    "Queue",
    "QueuedPacket",
    "Queues",
    "Reproduction",
    "Result",
    "RunError",
    "Runs",
    "ScenarioError",
    "ScenarioLike",
    "Simulation",
    "Table",
    "Values",
    "Verdict",
    "Window",
    "__version__",
    "capture",
    "compare",
    "diagnose",
    "estimate",
    "papers",
    "read_measurement",
    "replay",
    "reproduce",
    "run",
    "schema",
    "sweep",
]
