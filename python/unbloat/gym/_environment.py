"""What the environments have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, SupportsFloat, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from unbloat import _unbloat
from unbloat._arguments import check
from unbloat._result import Result

#: The least and the greatest value of a quantity, which `reset` draws for each episode.
Range: TypeAlias = tuple[float, float]

Array: TypeAlias = NDArray[np.float32]


#: The least and the greatest value that a quantity can have.
_BOUNDS: dict[str, Range] = {
    "rate_mbit": (0.01, 100_000),
    "rtt_ms": (0.01, 100_000),
    "uploads": (1, 1000),
    "buffer_bdp": (0.001, 1000),
    "loss": (1e-7, 1),
    "variation": (0.001, 10),
}


class Environment(gymnasium.Env[Array, Array]):
    """An environment whose episodes are runs of the simulator."""

    def __init__(self, ranges: dict[str, Range]) -> None:
        self._ranges = {name: _range(name, given) for name, given in ranges.items()}
        self._run: _unbloat.Simulation | None = None
        self.action_space = Box(-1, 1, (1,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode. `options` has values of quantities that are not to be drawn.

        Raises `ValueError` or `TypeError` for a wrong option.
        """
        check("options", options, Mapping | None, 'a mapping such as {"rate_mbit": 10}')
        fixed = {name: self._fixed(name, value) for name, value in (options or {}).items()}
        super().reset(seed=seed)
        drawn = {name: self._draw(least, most) for name, (least, most) in self._ranges.items()}
        path = {**drawn, **fixed}
        self._run = self._begin(path, int(self.np_random.integers(2**53)))
        return self._observe(), {"path": path}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Runs the simulator for a step with this action. The last step ends with the episode.

        Raises `ValueError` for an action out of the action space, and `gymnasium.error.ResetNeeded` after the
        end of the episode.
        """
        chosen, run = _chosen(action), self._episode()
        if run.now_ns >= run.duration_ns:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() first")
        observation, reward, told = self._step(run, chosen)
        return observation, reward, False, run.now_ns >= run.duration_ns, told

    def result(self) -> Result:
        """The result of the episode up to now, which ends with this."""
        run, self._run = self._episode(), None
        return Result(run.finish())

    def _episode(self) -> _unbloat.Simulation:
        if self._run is None:
            raise gymnasium.error.ResetNeeded("there is no episode: call reset() first")
        return self._run

    def _fixed(self, name: str, value: object) -> float:
        """The value of an option."""
        if name not in self._ranges:
            raise ValueError(f"there is no option {name!r}; there are {', '.join(self._ranges)}")
        return number(f'options["{name}"]', value, *_BOUNDS[name])

    def _draw(self, least: float, most: float) -> float:
        """A number whose logarithm is uniform: each octave is as likely as each other one."""
        return float(least * (most / least) ** self.np_random.random())

    @abstractmethod
    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Simulation:
        """The run of an episode on this path."""

    @abstractmethod
    def _step(self, run: _unbloat.Simulation, action: float) -> tuple[Array, float, dict[str, Any]]:
        """A step with this action: what is seen, the reward, and the `info`."""

    @abstractmethod
    def _observe(self) -> Array:
        """What is seen before the first step."""


def _range(name: str, given: object) -> Range:
    """A range of a quantity."""
    least, most = _BOUNDS[name]
    wanted = f"a range of numbers, the least and the greatest, from {least} to {most}"
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        low, high = map(float, given)  # type: ignore[call-overload] # pyright: ignore
    except (TypeError, ValueError):
        raise TypeError(f"{name} is {given!r}; it is {wanted}") from None
    if not least <= low <= high <= most:
        raise ValueError(f"{name} is {given!r}; it is {wanted}")
    return low, high


def _chosen(action: object) -> float:
    """The number of an action."""
    chosen = np.asarray(action)
    # NaN is out of the range, too.
    if chosen.shape != (1,) or chosen.dtype.kind not in "fiu" or not -1 <= chosen[0] <= 1:
        raise ValueError(
            f"action is {action!r}; it is an array of one number from -1 to 1 "
            "(gymnasium.wrappers.ClipAction clips others)"
        )
    return float(chosen[0])


def number(name: str, value: object, least: float, most: float = math.inf) -> float:
    """The number; an error unless it is in this range and finite."""
    wanted = f"a number of at least {least}" if most == math.inf else f"a number from {least} to {most}"
    if isinstance(value, str | bytes) or not isinstance(value, SupportsFloat):
        raise TypeError(f"{name} is {value!r}; it is {wanted}")
    converted = float(value)
    if not least <= converted <= most or converted == math.inf:
        raise ValueError(f"{name} is {value!r}; it is {wanted}")
    return converted


def durations(step_s: float, duration_s: float) -> tuple[float, float]:
    """The times of a step and of an episode, in seconds."""
    step_s = number("step_s", step_s, 0.001, 3600)
    return step_s, number("duration_s", duration_s, step_s, 1e6)


def kbit(mbit: float) -> str:
    """A rate as a scenario has it."""
    return f"{max(1, round(mbit * 1000))}kbit"


def microseconds(seconds: float) -> str:
    """A time as a scenario has it."""
    return f"{round(seconds * 1e6)}us"


def delay_scale(seconds: float) -> float:
    """A delay as a number from 0 to 1: the logarithm of its milliseconds, up to a second."""
    return min(1.0, math.log10(1 + 1000 * max(0.0, seconds)) / math.log10(1001))
