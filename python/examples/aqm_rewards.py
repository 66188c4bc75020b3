"""What an agent in `unbloat/Aqm-v0` is to beat: the rewards of queues, and of constant probabilities.

python python/examples/aqm_rewards.py
"""

import gymnasium
import numpy as np

import unbloat.gym  # registers the environments  # noqa: F401

SEEDS = range(30)
ACTIONS = {"drops nothing": -1.0, "drops 1 %": 0.0, "drops 3 %": 0.25, "drops 10 %": 0.5}
QUEUES = ["pfifo limit 100", "pie", "codel", "fq_codel"]


def episode(seed: int, action: float, queue: str | None) -> list[float]:
    """Of an episode, the mean reward, sojourn in milliseconds, and used part of the link's rate."""
    env = gymnasium.make("unbloat/Aqm-v0", queue=queue)
    env.reset(seed=seed)
    steps = []
    over = False
    while not over:
        _, reward, _, over, info = env.step(np.array([action], np.float32))
        steps.append([float(reward), 1000 * info["sojourn_s"], info["utilisation"]])
    means: list[float] = np.mean(steps, axis=0).tolist()
    return means


def show(name: str, action: float = -1.0, queue: str | None = None) -> None:
    reward, sojourn_ms, used = np.mean([episode(seed, action, queue) for seed in SEEDS], axis=0)
    print(f"{name:16} {reward:7.2f} {sojourn_ms:8.1f} ms {100 * used:6.1f} %")


if __name__ == "__main__":
    for name, action in ACTIONS.items():
        show(name, action)
    for queue in QUEUES:
        show(queue, queue=queue)
