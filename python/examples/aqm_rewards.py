"""What an agent in `unbloat/Aqm-v0` is to beat: the rewards of queues, and of constant probabilities.

python python/examples/aqm_rewards.py
"""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

import unbloat.gym

gymnasium.register_envs(unbloat.gym)

#: Paths that nobody trains on.
SEEDS = range(30)
ACTIONS = {"drops nothing": -1.0, "drops 1 %": 0.0, "drops 3 %": 0.25, "drops 10 %": 0.5}
#: The last two have the settings, of some that were tried, with the most reward on these paths.
QUEUES = [
    "pfifo limit 100",
    "pie",
    "codel",
    "fq_codel",
    "pie target 5ms tupdate 5ms",
    "codel target 2ms interval 30ms",
]

#: From an observation to an action.
Agent = Callable[[Any], Any]


def constant(action: float) -> Agent:
    return lambda _: np.array([action], np.float32)


def episode(seed: int, agent: Agent, queue: str | None, **ranges: Any) -> list[float]:
    """Of an episode, the mean reward, sojourn in milliseconds, and used part of the link's rate."""
    env = gymnasium.make("unbloat/Aqm-v0", queue=queue, **ranges)
    observation, _ = env.reset(seed=seed)
    steps = []
    over = False
    while not over:
        observation, reward, _, over, info = env.step(agent(observation))
        steps.append([float(reward), 1000 * info["sojourn_s"], info["utilisation"]])
    means: list[float] = np.mean(steps, axis=0).tolist()
    return means


def show(name: str, agent: Agent, queue: str | None = None, **ranges: Any) -> None:
    """Prints the means over all seeds, and the standard error of the mean reward."""
    episodes = np.array([episode(seed, agent, queue, **ranges) for seed in SEEDS])
    reward, sojourn_ms, used = episodes.mean(axis=0)
    error = episodes[:, 0].std(ddof=1) / len(SEEDS) ** 0.5
    print(f"{name:30} {reward:6.2f} ±{error:5.2f} {sojourn_ms:8.1f} ms {100 * used:6.1f} %", flush=True)


def show_all() -> None:
    for name, action in ACTIONS.items():
        show(name, constant(action))
    for queue in QUEUES:
        show(queue, constant(-1), queue)


if __name__ == "__main__":
    show_all()
