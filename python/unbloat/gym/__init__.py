"""Environments of Gymnasium on the simulator.

    import gymnasium, unbloat.gym

    env = gymnasium.make("unbloat/Aqm-v0")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

An episode is one run. `reset` draws its path from the ranges of the environment; ``options`` fixes what it
names, such as ``env.reset(seed=1, options={"rate_mbit": 10})``. With the same seed, the same actions have the
same observations and rewards, to the bit.
"""

from unbloat.gym._aqm import AqmEnv
from unbloat.gym._autorate import AutorateEnv
from unbloat.gym._congestion import CongestionControlEnv
from unbloat.gym._environment import Environment, Range
from unbloat.gym._registration import register

register()

__all__ = ["AqmEnv", "AutorateEnv", "CongestionControlEnv", "Environment", "Range"]
