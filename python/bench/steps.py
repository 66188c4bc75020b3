"""Steps of environments for a second of the processors, beside the lightest environment of Gymnasium.

    python python/bench/steps.py

`CartPole-v1` computes a few products a step and simulates no packet: it is about what Gymnasium itself costs.
The columns are one environment, Gymnasium's vector of eight, and ours on one thread and on two. With two, the
last column is the part of the time that the caller's thread works: the rest is on the other at the same time.
"""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import gymnasium
import numpy

import unbloat.gym

gymnasium.register_envs(unbloat.gym)

NAMES = ["CartPole-v1", "unbloat/CongestionControl-v0", "unbloat/Aqm-v0", "unbloat/Autorate-v0"]

#: The environments of a vector.
MANY = 8

#: The time of a measurement, in seconds; the best of several counts.
SECONDS, TIMES = 0.5, 5


class Cost(NamedTuple):
    """The steps for a second of the processors, and the part of that second on the caller's thread."""

    steps: float
    callers: float


def cost(step: Any, each: int) -> Cost:
    """The cost of steps, of which each call makes so many."""
    best = Cost(0, 1)
    for _ in range(TIMES):
        began, spent, own, calls = time.perf_counter(), time.process_time(), time.thread_time(), 0
        while time.perf_counter() - began < SECONDS:
            for _ in range(20):
                step()
            calls += 20
        spent = time.process_time() - spent
        best = max(best, Cost(each * calls / spent, (time.thread_time() - own) / spent))
    return best


def alone(name: str) -> Cost:
    env: Any = gymnasium.make(name)
    env.reset(seed=1)
    action = 0 if name == "CartPole-v1" else numpy.zeros(1, numpy.float32)

    def step() -> None:
        _, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            env.reset()

    return cost(step, 1)


def many(name: str, **arguments: Any) -> Cost:
    vector: Any = gymnasium.make_vec(name, num_envs=MANY, **arguments)
    vector.reset(seed=1)
    actions = numpy.zeros(vector.action_space.shape, vector.action_space.dtype)
    found = cost(lambda: vector.step(actions), MANY)
    vector.close()
    return found


def main() -> None:
    print(f"{'':30} {'one':>9} {'sync':>9} {'1 thread':>9} {'2':>9}  caller's part")
    for name in NAMES:
        shown = f"{name:30} {alone(name).steps:9,.0f} {many(name, vectorization_mode='sync').steps:9,.0f}"
        if name.startswith("unbloat/"):
            two = many(name, threads=2)
            shown += f" {many(name, threads=1).steps:9,.0f} {two.steps:9,.0f}  {two.callers:.2f}"
        print(shown)


if __name__ == "__main__":
    main()
