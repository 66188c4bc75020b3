"""Active queue management, for agents that learn."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium.spaces import Box

from unbloat import _unbloat
from unbloat._arguments import check, whole
from unbloat._scenario import CheckedScenario
from unbloat._simulation import nanoseconds
from unbloat.gym._environment import (
    Environment,
    Range,
    durations,
    kbit,
    microseconds,
    number,
)


class AqmEnv(Environment):
    """``unbloat/Aqm-v0``: the probability with which a queue drops arrivals.

    The queue is a FIFO of `limit` packets before a link. `uploads` connections always have more to send,
    three others send now and then, and there is a ping.

    - **Action**, from -1 to 1: packets that arrive in the next step are dropped with the probability
      ``10 ** (2 * (action - 1))``, 0.0001 to 1; at -1, none is.
    - **Observation**, five numbers from 0 to 1: the mean sojourn of the packets that left in the step, and
      the time that the waiting ones need, both ``log10(1 + ms) / 3``; the part of the link's rate that was
      used; the part of arrivals that was dropped; the action.
    - **Reward**: the used part of the rate, less `delay_weight` for each second of the mean sojourn.

    ``info`` has ``sojourn_s``, ``utilisation``, ``dropped`` and ``probability``.

    With a `queue`, such as ``"codel"``, the link has that queue, and actions have no effect: the rewards are
    those of that queue on the same paths, with the same seeds.
    """

    told: ClassVar = {"sojourn_s": float, "utilisation": float, "dropped": float, "probability": float}

    def __init__(
        self,
        *,
        rate_mbit: Range = (2, 50),
        rtt_ms: Range = (10, 100),
        uploads: Range = (1, 8),
        limit: int = 1000,
        queue: str | None = None,
        step_s: float = 0.05,
        duration_s: float = 20,
        delay_weight: float = 10,
    ) -> None:
        super().__init__({"rate_mbit": rate_mbit, "rtt_ms": rtt_ms, "uploads": uploads})
        check("queue", queue, str | None, 'a queue of the simulator, such as "codel"')
        self.limit = whole("limit", limit, range(1, 2**32), "a number of packets, at least 1")
        self.queue, self.delay_weight = queue, number("delay_weight", delay_weight, 0)
        self.step_s, self.duration_s = durations(step_s, duration_s)
        self._step_ns = nanoseconds("step_s", self.step_s)
        self.length = 5
        self.observation_space = Box(0, 1, (self.length,), np.float32)
        self.check_part("queue", queue)

    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Episode:
        flow = {"from": "home", "to": "far"}
        fields = {
            "title": "An episode of unbloat/Aqm-v0",
            "duration": microseconds(self.duration_s),
            "seed": seed,
            "link": [
                {
                    "name": "link",
                    "rate": kbit(path["rate_mbit"]),
                    "delay": microseconds(path["rtt_ms"] / 2000),
                    "queue": "pfifo" if self.queue is None else self.queue,
                    "reverse": {"rate": "1gbit"},
                    **flow,
                }
            ],
            "flow": [
                {"name": "upload", "traffic": "bulk", "count": max(1, round(path["uploads"])), **flow},
                {"name": "now-and-then", "traffic": "periodic", "count": 3, **flow}
                | {"bytes": "300kB", "idle": ["500ms", "3s"]},
                {"name": "ping", "traffic": "ping", "interval": "100ms", **flow},
            ],
        }
        task = {
            "bytes_s": path["rate_mbit"] * 1e6 / 8,
            "step_ns": self._step_ns,
            "limit": self.limit if self.queue is None else None,
            "delay_weight": self.delay_weight,
        }
        return _unbloat.Episode.aqm(CheckedScenario(fields).checked, task)
