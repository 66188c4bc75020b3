"""Environments of Gymnasium on the simulator.

    import gymnasium, unbloat.gym

    gymnasium.register_envs(unbloat.gym)
    env = gymnasium.make("unbloat/Aqm-v0")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

An episode is one run. `reset` draws its path from the ranges of the environment; ``options`` fixes what it
names, such as ``env.reset(seed=1, options={"rate_mbit": 10})``. With the same seed, the same actions have the
same observations and rewards, to the bit.
"""

import gymnasium

from unbloat.gym._aqm import AqmEnv
from unbloat.gym._autorate import AutorateEnv
from unbloat.gym._congestion import CongestionControlEnv
from unbloat.gym._environment import Environment, Range

for _name, _class in (
    ("unbloat/Aqm-v0", "AqmEnv"),
    ("unbloat/Autorate-v0", "AutorateEnv"),
    ("unbloat/CongestionControl-v0", "CongestionControlEnv"),
):
    gymnasium.register(_name, f"unbloat.gym:{_class}")  # pyright: ignore[reportUnknownMemberType]

__all__ = ["AqmEnv", "AutorateEnv", "CongestionControlEnv", "Environment", "Range"]
