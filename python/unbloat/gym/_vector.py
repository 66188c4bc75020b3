"""Many environments that step at the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from unbloat import _unbloat
from unbloat._arguments import check, threads_of, whole
from unbloat.gym._aqm import AqmEnv
from unbloat.gym._autorate import AutorateEnv
from unbloat.gym._congestion import CongestionControlEnv
from unbloat.gym._environment import OPTIONS, Array, Environment, chosen_of

Flags = NDArray[np.bool_]
Numbers = NDArray[np.float64]


class VectorEnvironment(VectorEnv[Array, Array, NDArray[Any]]):
    """Environments of one kind that step at the same time, on threads and without Python's lock.

    `gymnasium.make_vec` makes one. The further arguments are those of each environment. With the same seeds
    and the same actions, each has the observations and rewards that it would have alone, to the bit, on any
    number of threads.

    ``infos`` has an array for each figure, and one with an underscore before its name that says which
    environments tell it. A figure that an environment does not know is NaN; that of one which begins an
    episode is 0.
    """

    #: The class of each environment.
    environment: ClassVar[type[Environment]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        threads: int | None = None,
        **arguments: Any,
    ) -> None:
        self.num_envs = whole("num_envs", num_envs, range(1, 2**31), "a number of environments, at least 1")
        try:
            self._mode = AutoresetMode(autoreset_mode)
        except ValueError:
            names = ", ".join(mode.value for mode in AutoresetMode)
            raise ValueError(f"autoreset_mode is {autoreset_mode!r}; it is one of {names}") from None
        #: The environments.
        self.envs = [self.environment(**arguments) for _ in range(self.num_envs)]
        self._threads = _unbloat.Threads(min(threads_of(threads), self.num_envs))
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": self._mode}
        self.single_observation_space = self.envs[0].observation_space
        self.single_action_space = self.envs[0].action_space
        self.observation_space = batch_space(self.envs[0].observation_space, self.num_envs)
        self.action_space = batch_space(self.envs[0].action_space, self.num_envs)
        self._observations = np.zeros((self.num_envs, self.envs[0].length), np.float32)
        self._over: Flags = np.zeros(self.num_envs, np.bool_)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begins episodes: with the seed for the first environment, and the next numbers for the others.

        ``options["reset_mask"]`` says which environments begin a new one, all by default. The other options
        are those of each environment.
        """
        self._check_open()
        check("options", options, Mapping | None, OPTIONS)
        options = dict(options or {})
        mask = self._mask(options.pop("reset_mask", None))
        seeds = self._seeds(seed)
        infos: dict[str, Any] = {}
        for number in np.flatnonzero(mask).tolist():
            infos = self._begin(number, infos, seeds[number], options)
        return self._observations.copy(), infos

    def step(self, actions: Array) -> tuple[Array, Numbers, Flags, Flags, dict[str, Any]]:
        """Runs all environments for a step.

        Raises `ValueError` for actions out of the action space, and `gymnasium.error.ResetNeeded` if an
        environment has no episode.
        """
        self._check_open()
        chosen = chosen_of(actions, (self.num_envs, 1))
        renewed = self._over if self._mode is AutoresetMode.NEXT_STEP else np.zeros_like(self._over)
        stepping = np.flatnonzero(~renewed)
        episodes = [self.envs[number].going_on() for number in stepping.tolist()]
        observations = np.empty((len(episodes), self.envs[0].length), np.float32)
        numbers = np.empty((len(episodes), 1 + len(self.environment.told)))
        chosen = [chosen[number] for number in stepping.tolist()]
        with ExitStack() as stack:
            for environment in self.envs:
                stack.enter_context(environment.broken_by_errors())
            over = _unbloat.step_episodes(episodes, chosen, observations, numbers, self._threads)
        rewards = np.zeros(self.num_envs)
        rewards[stepping] = numbers[:, 0]
        self._observations[stepping] = observations
        truncated: Flags = np.zeros(self.num_envs, np.bool_)
        truncated[stepping] = over
        infos = self._infos(stepping, numbers[:, 1:])
        for number in np.flatnonzero(renewed).tolist():
            infos = self._begin(number, infos)
        self._over = truncated.copy()
        if self._mode is AutoresetMode.SAME_STEP:
            for number in np.flatnonzero(truncated).tolist():
                infos = self._renewed(number, infos)
        return self._observations.copy(), rewards, np.zeros_like(truncated), truncated, infos

    def call(self, name: str, *arguments: Any, **keywords: Any) -> tuple[Any, ...]:
        """Calls a method of each environment. Returns its results, or the attribute if it is no method."""
        found = self.get_attr(name)
        return tuple(one(*arguments, **keywords) if callable(one) else one for one in found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """The attribute of each environment."""
        return tuple(getattr(environment, name) for environment in self.envs)

    def set_attr(self, name: str, values: Any) -> None:
        """Sets an attribute of each environment: to its value in a list or tuple, or to the same value."""
        several = isinstance(values, list | tuple)
        given = cast("Sequence[Any]", values if several else [values] * self.num_envs)
        if len(given) != self.num_envs:
            raise ValueError(f"values has {len(given)} of them; there are {self.num_envs} environments")
        for environment, value in zip(self.envs, given, strict=True):
            setattr(environment, name, value)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override] # pyright: ignore
        """The random numbers of each environment."""
        return self.get_attr("np_random")

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override] # pyright: ignore
        """The seed of each environment; -1 if it is unknown."""
        return self.get_attr("np_random_seed")

    def close_extras(self, **_: Any) -> None:
        """Ends all episodes. Nothing can be done with the environments after that."""
        self.call("close")

    def _check_open(self) -> None:
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError("the environments are closed: make new ones")

    def _begin(
        self,
        number: int,
        infos: dict[str, Any],
        seed: int | None = None,
        options: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Begins an episode. Returns the infos with that of the environment."""
        self._observations[number], info = self.envs[number].reset(seed=seed, options=options)
        self._over[number] = False
        return self._add_info(infos, info, number)

    def _renewed(self, number: int, infos: dict[str, Any]) -> dict[str, Any]:
        """Begins an episode in the step that ended the one before, whose end is in the infos."""
        told = self.environment.told
        info = self.envs[number].info([infos[name][number] for name in told])
        for name in told:
            infos[name][number] = 0
            infos[f"_{name}"][number] = False
        final = {"final_obs": self._observations[number].copy(), "final_info": info}
        return self._begin(number, self._add_info(infos, final, number))

    def _infos(self, stepping: NDArray[np.intp], told: Numbers) -> dict[str, Any]:
        infos: dict[str, Any] = {}
        for (name, kind), column in zip(self.environment.told.items(), told.T, strict=True):
            infos[name], infos[f"_{name}"] = np.zeros(self.num_envs, kind), np.zeros(self.num_envs, np.bool_)
            infos[name][stepping], infos[f"_{name}"][stepping] = column, True
        return infos

    def _mask(self, mask: object) -> Flags:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        given = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            wanted = f"an array of {self.num_envs} truth values, of which one is true"
            raise ValueError(f'options["reset_mask"] is {mask!r}; it is {wanted}')
        return given

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, Sequence):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed has {len(seed)} of them; there are {self.num_envs} environments")
            return list(seed)
        wanted = "a whole number, at least 0, or a list with one for each environment"
        first = whole("seed", seed, range(2**63), wanted)
        return [first + number for number in range(self.num_envs)]


class AqmVectorEnv(VectorEnvironment):
    """``unbloat/Aqm-v0`` as a vector."""

    environment = AqmEnv


class AutorateVectorEnv(VectorEnvironment):
    """``unbloat/Autorate-v0`` as a vector."""

    environment = AutorateEnv


class CongestionControlVectorEnv(VectorEnvironment):
    """``unbloat/CongestionControl-v0`` as a vector."""

    environment = CongestionControlEnv
