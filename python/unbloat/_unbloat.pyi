from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import Any, Literal, SupportsIndex, final, overload

from unbloat import _congestion, _documents, _queues

__build__: str
__version__: str

class RunError(RuntimeError): ...
class BusyError(RuntimeError): ...

@final
class Scenario:
    @staticmethod
    def load(path: str | PathLike[str], overrides: list[tuple[str, str]]) -> Scenario: ...
    @staticmethod
    def parse(
        text: str, name: str, overrides: list[tuple[str, str]], folder: str | PathLike[str]
    ) -> Scenario: ...
    @property
    def folder(self) -> Path: ...
    def json(self) -> str: ...
    def run(
        self,
        series: str | None = None,
        packets: bool = False,
        progress: Callable[[float], object] | None = None,
        queues: list[_queues.Attached] = ...,
        congestion: list[_congestion.Attached] = ...,
    ) -> Run: ...
    def begin(
        self,
        series: str | None = None,
        packets: bool = False,
        queues: list[_queues.Attached] = ...,
        congestion: list[_congestion.Attached] = ...,
    ) -> Simulation: ...

@final
class Packet:
    """A packet that an `Aqm` judges."""

    @property
    def bytes(self) -> int:
        """The length as the queue counts it: with the link's overhead."""
    @property
    def ecn_capable(self) -> bool:
        """True if the packet can be marked."""
    @property
    def sojourn_ns(self) -> int:
        """The time for which the packet waited, in nanoseconds; 0 when it arrives."""

@final
class Queue:
    """The queue of an `Aqm`: one object for the whole run, which has the backlog of the moment."""

    @property
    def packets(self) -> int:
        """The packets that wait, without the one that is judged."""
    @property
    def bytes(self) -> int:
        """Their bytes."""
    @property
    def mtu(self) -> int:
        """The longest packet of the link, in bytes."""

@final
class QueuedPacket:
    """A packet in the queue of a `Qdisc`, from its arrival until it leaves."""

    @property
    def number(self) -> int:
        """The number of the packet in this queue: 0 for the first that arrived."""
    @property
    def bytes(self) -> int:
        """The length as the queue counts it: with the link's overhead."""
    @property
    def flow(self) -> str:
        """The name of the flow, as in the result. Data and acknowledgements have that of their flow."""
    @property
    def connection(self) -> int:
        """The number of the connection within the flow, of a page or a web load; otherwise 0."""
    @property
    def dscp(self) -> int:
        """The code point, from 0 to 63: 46 is EF."""
    @property
    def ecn_capable(self) -> bool:
        """True if the packet can be marked."""
    @property
    def enqueued_ns(self) -> int:
        """The time of arrival, in nanoseconds."""
    def drop(self, reason: Literal["aqm", "full"] = "aqm") -> None:
        """Drops the packet, which waits. The result counts drops by their reasons.

        Raises `ValueError` if the packet does not wait any more.
        """
    def mark(self) -> None:
        """Marks the packet, which waits, with congestion experienced (RFC 3168).

        Raises `ValueError` if the packet is not ECN-capable, or does not wait any more.
        """

@final
class Window:
    """The window of a sender, in segments. `CongestionControl.on_ack` sets its fields, at least 1."""

    cwnd: int
    """The congestion window."""
    ssthresh: int
    """The slow start threshold; 2**32 - 1 before the first congestion event."""

@final
class Ack:
    """The facts that one acknowledgement gave the sender."""

    @property
    def now_ns(self) -> int:
        """The time of the run, in nanoseconds."""
    @property
    def delivered(self) -> int:
        """The segments newly delivered, cumulatively or selectively."""
    @property
    def acked(self) -> int:
        """The segments newly acknowledged cumulatively."""
    @property
    def rtt_ns(self) -> int | None:
        """The round trip of this acknowledgement, in nanoseconds; None if it gives none."""
    @property
    def srtt_ns(self) -> int:
        """The smoothed round trip, in nanoseconds."""
    @property
    def una(self) -> int:
        """The first unacknowledged sequence number after this acknowledgement."""
    @property
    def next(self) -> int:
        """The next new sequence number to be sent."""
    @property
    def one_way_ms(self) -> int | None:
        """The delay of a segment to the peer by the timestamps of both ends, with an unknown constant offset.

        In milliseconds that wrap at 2**32; None if the acknowledgement gives none.
        """
    @property
    def may_grow(self) -> bool:
        """True if the window may grow: the sender is not in recovery, and the window limited it."""
    @property
    def falling(self) -> bool:
        """True while the sender lowers the window to its threshold."""
    @property
    def paced(self) -> bool:
        """True if the sender paces."""

@final
class LinkState:
    """A direction of a link at one time of a `Simulation`. The counts are those since the beginning."""

    @property
    def packets(self) -> int:
        """The packets that wait."""
    @property
    def bytes(self) -> int:
        """Their bytes."""
    @property
    def delivered_packets(self) -> int:
        """The packets that reached the far end."""
    @property
    def delivered_bytes(self) -> int:
        """Their bytes, with the link's overhead."""
    @property
    def dropped_packets(self) -> int:
        """The packets that were dropped or lost."""
    @property
    def marked_packets(self) -> int:
        """The packets that the queue marked."""
    @property
    def departed_packets(self) -> int:
        """The packets that left the queue."""
    @property
    def waited_ns(self) -> int:
        """The sum of their sojourns, in nanoseconds."""

@final
class FlowState:
    """A flow at one time of a `Simulation`. The counts are those since the beginning."""

    @property
    def delivered_bytes(self) -> int:
        """The application's bytes that were delivered; 0 for a ping."""
    @property
    def retransmitted_packets(self) -> int:
        """The segments that were retransmitted."""
    @property
    def cwnd(self) -> float | None:
        """The congestion window in segments; None without a connection."""
    @property
    def rtt_ns(self) -> int | None:
        """The latest round trip, smoothed for TCP, in nanoseconds; None before the first."""

@final
class Simulation:
    @property
    def now_ns(self) -> int: ...
    @property
    def duration_ns(self) -> int: ...
    def advance(self, by_ns: int) -> None: ...
    def link(self, name: str) -> LinkState: ...
    def flow(self, name: str) -> FlowState: ...
    def change(self, name: str, queue: str | None = None, rate: str | None = None) -> None: ...
    def finish(self) -> Run: ...

@final
class Episode:
    """A run with a part that an agent sets."""

    @staticmethod
    def congestion(scenario: Scenario, task: dict[str, float | int]) -> Episode: ...
    @staticmethod
    def aqm(scenario: Scenario, task: dict[str, float | int | None]) -> Episode: ...
    @staticmethod
    def autorate(scenario: Scenario, task: dict[str, float | int]) -> Episode: ...
    def observation(self) -> list[float]: ...
    @property
    def is_over(self) -> bool: ...
    def finish(self) -> Run: ...

@final
class Threads:
    def __new__(cls, number: int) -> Threads: ...

def step_episodes(
    episodes: list[Episode],
    actions: list[float],
    observations: object,
    numbers: object,
    threads: Threads | None = None,
) -> list[bool]: ...

@final
class Table:
    """A table of equally long columns with names, which other libraries read in place.

    `pyarrow.table`, `polars.DataFrame` and `pandas.DataFrame.from_arrow` take it as it is. A column is found
    by its name, or by the end of its name behind a dot if no other column ends with it:
    ``result.series["uplink.forward.backlog_packets"]``. `len(table)` is the number of rows. Iteration gives
    the names of the columns, and ``name in table`` says whether a column is found by a name.
    `dict(table)` has the columns by their names.
    """

    def __new__(cls, columns: list[tuple[str, tuple[str, bytes, list[str]]]]) -> Table: ...
    @property
    def columns(self) -> list[str]: ...
    def keys(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str) -> Column: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, name: object) -> bool: ...
    def select(self, *names: str) -> Table: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Column:
    """A column of a table. `numpy.asarray` reads its numbers in place; a missing one is NaN.

    Without another library, ``column[0]``, ``column[-10:]``, iteration and `to_list` give numbers and names
    as Python has them, and None for a missing one.
    """

    def __new__(cls, name: str, plain: tuple[str, bytes, list[str]]) -> Column: ...
    @property
    def name(self) -> str: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, rows: SupportsIndex, /) -> Any: ...
    @overload
    def __getitem__(self, rows: slice, /) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __reversed__(self) -> Iterator[Any]: ...
    def to_list(self) -> list[Any]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

@final
class Run:
    def __new__(
        cls, json: str, series: Table | None, packets: Table | None, replaced_congestion: bool
    ) -> Run: ...
    @property
    def series(self) -> Table | None: ...
    @property
    def packets(self) -> Table | None: ...
    def json(self) -> str: ...
    def text(self) -> str: ...
    def verdict(self) -> str: ...
    def html(self) -> str: ...

@final
class Plan:
    @staticmethod
    def load(
        path: str | PathLike[str], overrides: list[tuple[str, str]], vary: list[tuple[str, str]]
    ) -> Plan: ...
    @staticmethod
    def parse(
        text: str,
        name: str,
        overrides: list[tuple[str, str]],
        vary: list[tuple[str, str]],
        traces: dict[str, str],
        folder: str | PathLike[str],
    ) -> Plan: ...
    def sources(self) -> tuple[str, str, dict[str, str]]: ...
    def __len__(self) -> int: ...
    def rows(self, runs: list[int]) -> str: ...

@final
class Store:
    def __new__(cls, folder: str | PathLike[str], plan: Plan) -> Store: ...
    @property
    def missing(self) -> int: ...
    def take(self, most: int) -> list[int]: ...
    def keep(self, rows: str) -> int: ...
    def run(self, plan: Plan, threads: int, progress: Callable[[int], object] | None = None) -> None: ...
    def close(self) -> None: ...

def check_runs(folder: str | PathLike[str]) -> None: ...
def read_runs(folder: str | PathLike[str]) -> tuple[Table, list[tuple[int, str]]]: ...
def runs_text(folder: str | PathLike[str]) -> str: ...
def runs_json(folder: str | PathLike[str]) -> str: ...
def runs_html(folder: str | PathLike[str]) -> str: ...
def compare_text(runs: list[tuple[str, Run]]) -> str: ...
def compare_json(runs: list[tuple[str, Run]]) -> str: ...
def compare_html(runs: list[tuple[str, Run]]) -> str: ...
def schema() -> str: ...

@final
class Shown:
    def __new__(cls, json: str, text: str, html: str) -> Shown: ...
    def json(self) -> str: ...
    def text(self) -> str: ...
    def html(self) -> str: ...

def read_measurement(path: str | PathLike[str]) -> Shown: ...
def diagnose(text: str) -> Shown: ...
def capture(path: str | PathLike[str]) -> Shown: ...
def replay(path: str | PathLike[str], settings: _documents.Replayed) -> Run: ...
def papers() -> list[tuple[str, str, list[str]]]: ...
def reproduce(name: str, parts: list[str], queues: list[str], threads: int) -> Shown: ...
