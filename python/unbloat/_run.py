"""One run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unbloat._result import Result
from unbloat._scenario import Override, Scenario, ScenarioLike


def run(
    scenario: ScenarioLike,
    overrides: Mapping[str, Override] | None = None,
    /,
    *,
    series: str | None = None,
    packets: bool = False,
    progress: Callable[[float], object] | None = None,
    **fields: Override,
) -> Result:
    """Simulates a scenario.

    `scenario` is the path of a file, its text, a mapping, or a `Scenario`. `overrides` replaces fields by
    their paths (``{"link.uplink.queue": "codel"}``), and further keywords those at the top
    (``seed=3, duration="20s"``).

    `series` is the time from one row of `Result.series` to the next (``"100ms"``), and `packets` keeps the
    fate of each packet for `Result.packets`; without them, nothing is recorded. `progress` is called now
    and then with the part that is done, from 0 to 1.

    Other threads of Python go on during the run, and Ctrl-C ends it.

    Raises `ValueError` for a wrong `series`, `ScenarioError` for a mistake in the scenario and `RunError` if
    the run cannot be done.
    """
    return Result(Scenario(scenario, overrides, **fields).checked.run(series, packets, progress))
