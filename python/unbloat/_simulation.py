"""A run that its caller advances."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbloat import _congestion, _queues, _unbloat
from unbloat._arguments import check, real
from unbloat._congestion import CongestionControl
from unbloat._queues import Queues
from unbloat._result import Result
from unbloat._run import check_records
from unbloat._scenario import Override, ScenarioLike, checked_of


class Simulation:
    """A run that its caller advances: between two steps, the caller looks at it and changes it.

    The arguments are those of `run`. However a run is divided into steps, its result is that of `run`, unless
    the caller changes something.
    """

    def __init__(
        self,
        scenario: ScenarioLike,
        overrides: Mapping[str, Override] | None = None,
        /,
        *,
        series: str | None = None,
        packets: bool = False,
        queues: Queues | None = None,
        congestion: Mapping[str, Callable[[], CongestionControl]] | None = None,
        **fields: Override,
    ) -> None:
        check_records(series, packets)
        checked = checked_of("Simulation", scenario, overrides, fields)
        parts = _queues.attached(queues), _congestion.attached(congestion)
        self._run = checked.begin(series, packets, *parts)

    @property
    def now_s(self) -> float:
        """The time up to which the run has come, in seconds."""
        return self._run.now_ns / 1e9

    @property
    def is_over(self) -> bool:
        """True at the end of the scenario's duration."""
        return self._run.now_ns >= self._run.duration_ns

    def advance(self, seconds: float, /) -> None:
        """Advances the run by this time, or to its end if that is earlier.

        Other threads of Python go on meanwhile, unless there are parts in Python. An exception of such a part
        is raised here, and ends the run. Ctrl-C ends the step, after which the run can go on, unless it ended
        a method of a part in Python before its end: then the run is over.
        """
        self._run.advance(nanoseconds("advance", seconds))

    def link(self, name: str, /) -> _unbloat.LinkState:
        """The state of a direction (``"uplink"``, ``"uplink.reverse"``) now, and its counts up to now."""
        check("name", name, str, 'the name of a direction, such as "uplink" or "uplink.reverse"')
        return self._run.link(name)

    def flow(self, name: str, /) -> _unbloat.FlowState:
        """The state of a flow now, and its counts up to now."""
        check("name", name, str, "the name of a flow")
        return self._run.flow(name)

    def change(self, link: str, /, *, queue: str | None = None, rate: str | None = None) -> None:
        """Changes a direction as a ``[[change]]`` of the scenario does.

        `queue` names options of the queue that change (``"cake bandwidth 8mbit"``); `rate` is the rate of a
        direction that has a constant one. Raises `ValueError` for a change that is not possible.
        """
        check("link", link, str, 'the name of a direction, such as "uplink" or "uplink.reverse"')
        check("queue", queue, str | None, 'a queue with its options, such as "cake bandwidth 8mbit"')
        check("rate", rate, str | None, 'a rate, such as "10mbit"')
        if queue is None and rate is None:
            raise ValueError("change has neither queue nor rate; it changes at least one of them")
        self._run.change(link, queue, rate)

    def __repr__(self) -> str:
        try:
            return f"<unbloat.Simulation at {self.now_s:g} s>"
        except RuntimeError:
            return "<unbloat.Simulation that is over or being advanced>"

    def finish(self) -> Result:
        """The result up to now. The run cannot go on."""
        return Result(self._run.finish())


def nanoseconds(name: str, seconds: float) -> int:
    """The length of a step; `name` is its name in errors."""
    wanted = "a time in seconds, from 1e-9 to 1e9"
    return round(real(name, seconds, 1e-9, 1e9, wanted) * 1e9)
