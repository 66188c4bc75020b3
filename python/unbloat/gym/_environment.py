"""What the environments have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from numpy.typing import NDArray

from unbloat import _unbloat
from unbloat._result import Result

#: The least and the greatest value of a quantity, which `reset` draws for each episode.
Range: TypeAlias = tuple[float, float]

Array: TypeAlias = NDArray[np.float32]


class Environment(gymnasium.Env[Array, Array]):
    """An environment whose episodes are runs of the simulator."""

    def __init__(self, ranges: dict[str, Range]) -> None:
        for name, (least, most) in ranges.items():
            if not 0 < least <= most < math.inf:
                raise ValueError(f"{name} is {(least, most)!r}; it is a range of numbers above 0")
        self._ranges = ranges
        self._run: _unbloat.Simulation | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode. `options` has values of quantities that are not to be drawn."""
        super().reset(seed=seed)
        fixed = options or {}
        for name in fixed:
            if name not in self._ranges:
                raise ValueError(f"there is no option {name!r}; there are {', '.join(self._ranges)}")
        drawn = {name: self._draw(least, most) for name, (least, most) in self._ranges.items()}
        path = {**drawn, **{name: float(value) for name, value in fixed.items()}}
        self._run = self._begin(path, int(self.np_random.integers(2**53)))
        return self._observe(), {"path": path}

    def result(self) -> Result:
        """The result of the episode up to now, which ends with this."""
        return Result(self._episode().finish())

    def _episode(self) -> _unbloat.Simulation:
        if self._run is None:
            raise gymnasium.error.ResetNeeded("call reset() first")
        return self._run

    def _draw(self, least: float, most: float) -> float:
        """A number whose logarithm is uniform: each octave is as likely as each other one."""
        return float(least * (most / least) ** self.np_random.random())

    @abstractmethod
    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Simulation:
        """The run of an episode on this path."""

    @abstractmethod
    def _observe(self) -> Array:
        """What is seen before the first step."""


def kbit(mbit: float) -> str:
    """A rate as a scenario has it."""
    return f"{max(1, round(mbit * 1000))}kbit"


def microseconds(seconds: float) -> str:
    """A time as a scenario has it."""
    return f"{round(seconds * 1e6)}us"


def delay_scale(seconds: float) -> float:
    """A delay as a number from 0 to 1: the logarithm of its milliseconds, up to a second."""
    return min(1.0, math.log10(1 + 1000 * max(0.0, seconds)) / math.log10(1001))
