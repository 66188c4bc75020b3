"""What the environments have in common."""

from __future__ import annotations

import math
import sys
from abc import abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeAlias

import gymnasium
import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from unbloat import _unbloat
from unbloat._arguments import check, real
from unbloat._errors import ScenarioError
from unbloat._result import Result

#: The least and the greatest value of a quantity, which `reset` draws for each episode.
Range: TypeAlias = tuple[float, float]

Array: TypeAlias = NDArray[np.float32]


#: The shortest and the longest run of the simulator, in seconds.
DURATIONS: Range = (0.001, 604_800)

#: What `options` is, for errors.
OPTIONS = 'a mapping such as {"rate_mbit": 10}'

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

    #: The figures of ``info``. Those that are whole numbers have the type int.
    told: ClassVar[dict[str, type]]

    #: The length of an observation.
    length: int

    def __init__(self, ranges: dict[str, Range]) -> None:
        self._ranges = {name: _range(name, given) for name, given in ranges.items()}
        self._episode: _unbloat.Episode | None = None
        self.action_space = Box(-1, 1, (1,), np.float32)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins an episode. `options` has values of quantities that are not to be drawn.

        Raises `ValueError` or `TypeError` for a wrong option.
        """
        check("options", options, Mapping | None, OPTIONS)
        fixed = {name: self._fixed(name, value) for name, value in (options or {}).items()}
        super().reset(seed=seed)
        drawn = {name: self._draw(least, most) for name, (least, most) in self._ranges.items()}
        path = {**drawn, **fixed}
        self._episode = self._begin(path, int(self.np_random.integers(2**53)))
        return np.array(self._episode.observation(), np.float32), {"path": path}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Runs the simulator for a step with this action. The last step ends with the episode.

        Raises `ValueError` for an action out of the action space, and `gymnasium.error.ResetNeeded` after the
        end of the episode.
        """
        chosen, episode = chosen_of(action, (1,)), self.going_on()
        observation, numbers = np.empty(self.length, np.float32), np.empty(1 + len(self.told))
        with self.broken_by_errors():
            (is_over,) = _unbloat.step_episodes([episode], chosen, observation, numbers)
        reward, *told = numbers.tolist()
        return observation, reward, False, is_over, self.info(told)

    @contextmanager
    def broken_by_errors(self) -> Generator[None, None, None]:
        """Ends the episode if an exception leaves a step half done, such as that of Ctrl-C.

        A step that is refused because of another thread's has done nothing.
        """
        episode = self._episode
        try:
            yield
        except _unbloat.BusyError:
            raise
        except BaseException:
            if self._episode is episode:
                self._episode = None
            raise

    def result(self) -> Result:
        """The result of the episode up to now, which ends with this."""
        episode = self._begun()
        result = Result(episode.finish())
        self._episode = None
        return result

    def going_on(self) -> _unbloat.Episode:
        """The episode; `gymnasium.error.ResetNeeded` unless it has another step."""
        episode = self._begun()
        if episode.is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset() first")
        return episode

    def info(self, told: Sequence[float]) -> dict[str, Any]:
        """These figures with their names; None for one that is not there."""
        pairs = zip(self.told.items(), told, strict=True)
        return {name: None if math.isnan(number) else kind(number) for (name, kind), number in pairs}

    def close(self) -> None:
        """Ends the episode."""
        self._episode = None

    def check_part(self, name: str, value: str | None) -> None:
        """Raises `ValueError` unless episodes can have this part of the simulator, which is an argument."""
        if value is None:
            return
        try:
            self._begin({name: least for name, (least, _) in self._ranges.items()}, 0)
        except ScenarioError as error:
            raise ValueError(f"{name} is {value!r}: {error.message}") from None

    def _begun(self) -> _unbloat.Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("there is no episode: call reset() first")
        return self._episode

    def _fixed(self, name: str, value: object) -> float:
        """The value of an option."""
        if name not in self._ranges:
            raise ValueError(f"there is no option {name!r}; there are {', '.join(self._ranges)}")
        return number(f'options["{name}"]', value, *_BOUNDS[name])

    def _draw(self, least: float, most: float) -> float:
        """A number whose logarithm is uniform: each octave is as likely as each other one."""
        return float(least * (most / least) ** self.np_random.random())

    @abstractmethod
    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Episode:
        """The episode on this path."""


def _range(name: str, given: object) -> Range:
    """A range of a quantity."""
    least, most = _BOUNDS[name]
    wanted = f"a range of numbers, the least and the greatest, from {least} to {most}"
    try:
        if isinstance(given, (str, bytes)):
            raise TypeError
        low, high = map(float, given)  # type: ignore[call-overload] # pyright: ignore
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{name} is {given!r}; it is {wanted}") from None
    if not least <= low <= high <= most:
        raise ValueError(f"{name} is {given!r}; it is {wanted}")
    return low, high


def chosen_of(action: object, shape: tuple[int, ...]) -> list[float]:
    """The numbers of actions."""
    chosen: NDArray[Any] = np.asarray(action)
    # NaN is out of the range, too.
    if chosen.shape != shape or chosen.dtype.kind not in "fiu" or not (np.abs(chosen) <= 1).all():
        is_one = shape == (1,)
        wanted = "of one number" if is_one else f"of the shape {shape} of numbers"
        wrappers = "gymnasium.wrappers" if is_one else "gymnasium.wrappers.vector"
        raise ValueError(
            f"action is {action!r}; it is an array {wanted} from -1 to 1 ({wrappers}.ClipAction clips others)"
        )
    return list(map(float, chosen.flat))


def number(name: str, value: object, least: float, most: float = math.inf) -> float:
    """The number; an error unless it is in this range and finite."""
    wanted = f"a number of at least {least}" if most == math.inf else f"a number from {least} to {most}"
    # The largest double is what is finite.
    return real(name, value, least, min(most, sys.float_info.max), wanted)


def durations(step_s: float, duration_s: float) -> tuple[float, float]:
    """The times of a step and of an episode, in seconds."""
    step_s, duration_s = number("step_s", step_s, 0.001, 3600), number("duration_s", duration_s, *DURATIONS)
    if step_s > duration_s:
        raise ValueError(
            f"step_s is {step_s:g} and duration_s {duration_s:g}; a step is no longer than an episode"
        )
    return step_s, duration_s


def kbit(mbit: float) -> str:
    """A rate as a scenario has it."""
    return f"{max(1, round(mbit * 1000))}kbit"


def microseconds(seconds: float) -> str:
    """A time as a scenario has it."""
    return f"{round(seconds * 1e6)}us"
