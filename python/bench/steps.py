"""Steps of environments a second: one alone, and a vector of eight, beside the lightest of Gymnasium's own.

    python python/bench/steps.py

`CartPole-v1` computes a few products a step and simulates no packet: it is about what Gymnasium itself costs.
"""

from __future__ import annotations

import time
from typing import Any

import gymnasium
import numpy

import unbloat.gym

gymnasium.register_envs(unbloat.gym)

NAMES = ["CartPole-v1", "unbloat/CongestionControl-v0", "unbloat/Aqm-v0", "unbloat/Autorate-v0"]

#: The environments of a vector.
MANY = 8

#: The time of a measurement, in seconds; the best of several counts.
SECONDS, TIMES = 0.5, 5


def rate(step: Any, each: int) -> float:
    """Steps a second, of which each call makes so many."""
    best = 0.0
    for _ in range(TIMES):
        began, calls = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS:
            for _ in range(20):
                step()
            calls += 20
        best = max(best, each * calls / (time.perf_counter() - began))
    return best


def alone(name: str) -> float:
    env: Any = gymnasium.make(name)
    env.reset(seed=1)
    action = 0 if name == "CartPole-v1" else numpy.zeros(1, numpy.float32)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return rate(step, 1)


def many(name: str, **arguments: Any) -> float:
    vector: Any = gymnasium.make_vec(name, num_envs=MANY, **arguments)
    vector.reset(seed=1)
    actions = numpy.zeros(vector.action_space.shape, vector.action_space.dtype)
    steps = rate(lambda: vector.step(actions), MANY)
    vector.close()
    return steps


def main() -> None:
    floor = alone("CartPole-v1")
    print(f"{'steps a second':30} {'one':>9} {'sync':>9} {'vector':>9} {'1 thread':>9}  one beside CartPole's")
    for name in NAMES:
        one, sync, vector = alone(name), many(name, vectorization_mode="sync"), many(name)
        # The vector of CartPole is one computation with arrays.
        single = f"{many(name, threads=1):9,.0f}" if name.startswith("unbloat/") else " " * 9
        print(f"{name:30} {one:9,.0f} {sync:9,.0f} {vector:9,.0f} {single}  {one / floor:.2f}")


if __name__ == "__main__":
    main()
