"""Environments of Gymnasium on the simulator.

    import gymnasium, unbloat.gym

    gymnasium.register_envs(unbloat.gym)
    env = gymnasium.make("unbloat/Aqm-v0")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())

An episode is one run. `reset` draws its path from the ranges of the environment; ``options`` fixes what it
names, such as ``env.reset(seed=1, options={"rate_mbit": 10})``. With the same seed, the same actions have the
same observations and rewards, to the bit. `gymnasium.make_vec` makes environments that step at the same time,
without Python's lock.
"""

try:
    import gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    why = "unbloat.gym needs Gymnasium: pip install '.[gym]' in the clone, or pip install gymnasium"
    raise ModuleNotFoundError(why, name="gymnasium") from None

from unbloat.gym._aqm import AqmEnv
from unbloat.gym._autorate import AutorateEnv
from unbloat.gym._congestion import CongestionControlEnv
from unbloat.gym._environment import Environment, Range
from unbloat.gym._vector import (
    AqmVectorEnv,
    AutorateVectorEnv,
    CongestionControlVectorEnv,
    VectorEnvironment,
)

for _name in ("Aqm", "Autorate", "CongestionControl"):
    gymnasium.register(  # pyright: ignore[reportUnknownMemberType]
        f"unbloat/{_name}-v0",
        f"unbloat.gym:{_name}Env",
        vector_entry_point=f"unbloat.gym:{_name}VectorEnv",
    )

__all__ = [
    "AqmEnv",
    "AqmVectorEnv",
    "AutorateEnv",
    "AutorateVectorEnv",
    "CongestionControlEnv",
    "CongestionControlVectorEnv",
    "Environment",
    "Range",
    "VectorEnvironment",
]
