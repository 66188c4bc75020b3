"""The rate of a shaper before a line that varies, for agents that learn."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium.spaces import Box

from unbloat import _unbloat
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


class AutorateEnv(Environment):
    """``unbloat/Autorate-v0``: the rate of a shaper (CAKE) before a line whose rate varies.

    Behind the shaper is the queue of a modem, which holds half a second at the line's usual rate. Once a
    second of virtual time, the line's rate changes by a factor from ``2 ** -variation`` to
    ``2 ** variation``, within a quarter and twice the usual rate. Two uploads always have more to send, and a
    ping is sent each step.

    - **Action**, from -1 to 1: the shaper's rate is multiplied by ``1.25 ** action``, within an eighth and
      four times the usual rate. It begins with the usual rate.
    - **Observation**, three numbers from 0 to 1, which a router sees: the shaper's rate over the usual one,
      ``(log2 + 3) / 5``; the part of the shaper's rate that was used; the latest ping's round trip beyond
      that of the empty path, ``log10(1 + ms) / 3``.
    - **Reward**: the part of the line's rate that was used, less `delay_weight` for each second of that
      delay.

    ``info`` has ``shaper_mbit``, ``line_mbit``, ``delay_s`` and ``utilisation``.
    """

    told: ClassVar = {"shaper_mbit": float, "line_mbit": float, "delay_s": float, "utilisation": float}

    def __init__(
        self,
        *,
        rate_mbit: Range = (2, 50),
        rtt_ms: Range = (10, 100),
        variation: Range = (0.05, 0.5),
        step_s: float = 0.1,
        duration_s: float = 40,
        delay_weight: float = 10,
    ) -> None:
        super().__init__({"rate_mbit": rate_mbit, "rtt_ms": rtt_ms, "variation": variation})
        self.step_s, self.duration_s = durations(step_s, duration_s)
        self.delay_weight = number("delay_weight", delay_weight, 0)
        self._step_ns = nanoseconds("step_s", self.step_s)
        self.length = 3
        self.observation_space = Box(0, 1, (self.length,), np.float32)

    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Episode:
        mbit, empty_s = path["rate_mbit"], path["rtt_ms"] / 1000
        limit = max(10, round(mbit * 1e6 / 8 * 0.5 / 1500))
        queue = f"cake bandwidth {kbit(mbit)} besteffort"
        flow = {"from": "home", "to": "far"}
        fields = {
            "title": "An episode of unbloat/Autorate-v0",
            "duration": microseconds(self.duration_s),
            "seed": seed,
            "link": [
                {"name": "shaper", "from": "home", "to": "modem", "queue": queue},
                {
                    "name": "line",
                    "from": "modem",
                    "to": "far",
                    "rate": kbit(mbit),
                    "delay": microseconds(empty_s / 2),
                    "queue": f"pfifo limit {limit}",
                    "reverse": {"rate": "1gbit"},
                },
            ],
            "flow": [
                {"name": "upload", "traffic": "bulk", "count": 2, **flow},
                {"name": "ping", "traffic": "ping", "interval": microseconds(self.step_s), **flow},
            ],
        }
        task = {
            "mbit": mbit,
            "variation": path["variation"],
            "empty_s": empty_s,
            "step_ns": self._step_ns,
            "delay_weight": self.delay_weight,
        }
        return _unbloat.Episode.autorate(CheckedScenario(fields).checked, task)
