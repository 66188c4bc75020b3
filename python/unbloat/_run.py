"""One run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbloat import _congestion, _queues
from unbloat._arguments import check, check_function
from unbloat._congestion import CongestionControl
from unbloat._queues import Queues
from unbloat._result import Result
from unbloat._scenario import Override, ScenarioLike, checked_of


def run(
    scenario: ScenarioLike,
    overrides: Mapping[str, Override] | None = None,
    /,
    *,
    series: str | None = None,
    packets: bool = False,
    progress: Callable[[float], object] | None = None,
    queues: Queues | None = None,
    congestion: Mapping[str, Callable[[], CongestionControl]] | None = None,
    **fields: Override,
) -> Result:
    """Simulates a scenario.

    `scenario` is the path of a file, its text, a mapping, or a `Scenario`. `overrides` replaces fields by
    their paths (``{"link.uplink.queue": "codel"}``), and further keywords those at the top
    (``seed=3, duration="20s"``).

    `series` is the time from one row of `Result.series` to the next (``"100ms"``), and `packets` keeps the
    fate of each packet for `Result.packets`; without them, nothing is recorded. `progress` is called now
    and then with the part that is done, from 0 to 1, and at the end with 1.

    `queues` replaces the queues of directions (``"uplink"``, ``"uplink.reverse"``) by queues in Python:
    subclasses of `Aqm` or `Qdisc`, or functions without arguments that return an object of one. Each is
    called once, so that no run depends on an earlier one.

    `congestion` replaces the congestion controls of flows (``"backup"``) by those in Python: subclasses of
    `CongestionControl`, or functions without arguments that return one. Each is called once for each sender,
    at its first acknowledgement.

    An exception of an algorithm in Python ends the run and is raised here. Other threads of Python go on
    during the run, and Ctrl-C ends it.

    Raises `ValueError` or `TypeError` for a wrong argument, which it names, `ScenarioError` for a mistake in
    the scenario and `RunError` if the run cannot be done.
    """
    check_function("progress", progress)
    check_records(series, packets)
    checked = checked_of("run", scenario, overrides, fields)
    parts = _queues.attached(queues), _congestion.attached(congestion)
    result = Result(checked.run(series, packets, progress, *parts))
    if progress is not None:
        progress(1.0)
    return result


def check_records(series: object, packets: object) -> None:
    """Raises `TypeError` for a wrong kind of what a run is to record."""
    check("series", series, str | None, 'a time from one row to the next, such as "100ms"')
    check("packets", packets, bool, "True or False")
