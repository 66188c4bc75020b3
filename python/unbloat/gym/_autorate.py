"""The rate of a shaper before a line that varies, for agents that learn."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from gymnasium.spaces import Box

from unbloat import _unbloat
from unbloat._scenario import CheckedScenario
from unbloat._simulation import nanoseconds
from unbloat.gym._environment import (
    Array,
    Environment,
    Range,
    delay_scale,
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
        self.observation_space = Box(0, 1, (3,), np.float32)

    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Simulation:
        self._usual, self._variation = path["rate_mbit"], path["variation"]
        self._shaper = self._line = self._usual
        self._empty_s, self._changed_ns = path["rtt_ms"] / 1000, 0
        limit = max(10, round(self._usual * 1e6 / 8 * 0.5 / 1500))
        flow = {"from": "home", "to": "far"}
        fields = {
            "title": "An episode of unbloat/Autorate-v0",
            "duration": microseconds(self.duration_s),
            "seed": seed,
            "link": [
                {"name": "shaper", "from": "home", "to": "modem", "queue": self._queue()},
                {
                    "name": "line",
                    "from": "modem",
                    "to": "far",
                    "rate": kbit(self._line),
                    "delay": microseconds(self._empty_s / 2),
                    "queue": f"pfifo limit {limit}",
                    "reverse": {"rate": "1gbit"},
                },
            ],
            "flow": [
                {"name": "upload", "traffic": "bulk", "count": 2, **flow},
                {"name": "ping", "traffic": "ping", "interval": microseconds(self.step_s), **flow},
            ],
        }
        run = CheckedScenario(fields).checked.begin()
        self._delivered = 0
        return run

    def _step(self, run: _unbloat.Simulation, action: float) -> tuple[Array, float, dict[str, Any]]:
        self._shaper = min(max(self._usual / 8, self._shaper * 1.25**action), self._usual * 4)
        run.change("shaper", queue=self._queue())
        self._vary(run)
        began_ns = run.now_ns
        run.advance(self._step_ns)
        delivered = run.link("line").delivered_bytes
        mbit = (delivered - self._delivered) * 8 / 1e6 / ((run.now_ns - began_ns) / 1e9)
        self._delivered = delivered
        rtt_ns = run.flow("ping").rtt_ns
        delay_s = 0.0 if rtt_ns is None else max(0.0, rtt_ns / 1e9 - self._empty_s)
        utilisation = min(1.0, mbit / self._line)
        reward = utilisation - self.delay_weight * delay_s
        told = {"shaper_mbit": self._shaper, "line_mbit": self._line, "delay_s": delay_s}
        told["utilisation"] = utilisation
        return self._seen(min(1.0, mbit / self._shaper), delay_s), reward, told

    def _vary(self, run: _unbloat.Simulation) -> None:
        """Changes the rate of the line, once a second."""
        if run.now_ns - self._changed_ns >= 1e9:
            self._changed_ns = run.now_ns
            factor = 2 ** float(self.np_random.uniform(-self._variation, self._variation))
            self._line = min(max(self._usual / 4, self._line * factor), self._usual * 2)
            run.change("line", rate=kbit(self._line))

    def _queue(self) -> str:
        return f"cake bandwidth {kbit(self._shaper)} besteffort"

    def _observe(self) -> Array:
        return self._seen(0.0, 0.0)

    def _seen(self, used: float, delay_s: float) -> Array:
        place = (math.log2(self._shaper / self._usual) + 3) / 5
        return np.array([min(1.0, max(0.0, place)), used, delay_scale(delay_s)], np.float32)
