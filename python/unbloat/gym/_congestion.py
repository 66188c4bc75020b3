"""Congestion control, for agents that learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box

from unbloat import _unbloat
from unbloat._arguments import check, whole
from unbloat._scenario import CheckedScenario
from unbloat._simulation import nanoseconds
from unbloat.gym._environment import Array, Environment, Range, kbit, microseconds, number

#: The greatest window, in segments.
_MOST = 100_000.0


class CongestionControlEnv(Environment):
    """``unbloat/CongestionControl-v0``: the window of one upload.

    A step is one round trip of the empty path. The sender recovers from losses as TCP does, but its window is
    that of the agent alone.

    - **Action**, from -1 to 1: the window is multiplied by ``2 ** action``. It begins with 10 segments.
    - **Observation**: four numbers a step for the last `history` steps, the latest last, as a sender sees
      them: the mean round trip over the shortest mean so far, less 1, up to 10; the change of the mean round
      trip over the time of a step, -1 to 1; the part of sent segments that were retransmissions; the
      delivered segments over the most in a step so far. Aurora has similar ones (Jay et al., "A Deep
      Reinforcement Learning Perspective on Internet Congestion Control", 2019, section 3.1).
    - **Reward**: the part of the link's rate that was used, less `delay_weight` times the queueing delay in
      empty round trips, less `loss_weight` times the part of segments that were retransmissions.

    ``info`` has ``cwnd``, ``rtt_s`` (None without a sample), ``utilisation`` and ``retransmitted``.

    With a `congestion`, such as ``"cubic"``, the upload has that congestion control, and actions have no
    effect: the rewards are those of that congestion control on the same paths, with the same seeds.
    """

    def __init__(
        self,
        *,
        rate_mbit: Range = (2, 50),
        rtt_ms: Range = (10, 100),
        buffer_bdp: Range = (0.5, 4),
        loss: Range = (0.00001, 0.001),
        congestion: str | None = None,
        history: int = 10,
        steps: int = 400,
        delay_weight: float = 0.5,
        loss_weight: float = 5,
    ) -> None:
        ranges = {"rate_mbit": rate_mbit, "rtt_ms": rtt_ms, "buffer_bdp": buffer_bdp, "loss": loss}
        super().__init__(ranges)
        check("congestion", congestion, str | None, 'a congestion control of the simulator, such as "cubic"')
        history = whole("history", history, range(1, 2**16), "a number of steps, at least 1")
        self.steps = whole("steps", steps, range(1, 2**32), "a number of steps, at least 1")
        self.congestion = congestion
        self.delay_weight = number("delay_weight", delay_weight, 0)
        self.loss_weight = number("loss_weight", loss_weight, 0)
        low, high = np.array([0, -1, 0, 0], np.float32), np.array([10, 1, 1, 1], np.float32)
        self.observation_space = Box(np.tile(low, history), np.tile(high, history))
        self._history = np.zeros((history, 4), np.float32)

    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Simulation:
        self._bytes_s = path["rate_mbit"] * 1e6 / 8
        self._step_s = round(path["rtt_ms"] * 1000) / 1e6
        # With the time that a segment needs on the link.
        self._empty_s = self._step_s + 1500 / self._bytes_s
        self._cwnd, self._most = 10.0, 1
        self._shortest_s: float | None = None
        self._rtt_s: float | None = None
        self._history[:] = 0
        self._steering = _unbloat.Steering(10 if self.congestion is None else None)
        segments = self._bytes_s * self._step_s / 1500
        flow = {"from": "home", "to": "far"}
        congestion = "cubic" if self.congestion is None else self.congestion
        fields = {
            "title": "An episode of unbloat/CongestionControl-v0",
            "duration": microseconds(self.steps * self._step_s),
            "seed": seed,
            "link": [
                {
                    "name": "link",
                    "rate": kbit(path["rate_mbit"]),
                    "delay": microseconds(path["rtt_ms"] / 2000),
                    "loss": f"{path['loss']:.7f}",
                    "queue": f"pfifo limit {max(5, round(path['buffer_bdp'] * segments))}",
                    "reverse": {"rate": "1gbit"},
                    **flow,
                }
            ],
            "flow": [{"name": "upload", "traffic": "bulk", "congestion": congestion, **flow}],
        }
        run = CheckedScenario(fields).checked.begin(steerings=[("upload", self._steering)])
        self._before, self._retransmitted = run.link("link"), 0
        return run

    def _step(self, run: _unbloat.Simulation, action: float) -> tuple[Array, float, dict[str, Any]]:
        self._cwnd = min(max(2.0, self._cwnd * 2**action), _MOST)
        self._steering.cwnd = round(self._cwnd)
        run.advance(nanoseconds("rtt_ms / 1000", self._step_s))
        delivered, rtt_ns = self._steering.take()
        link, upload = run.link("link"), run.flow("upload")
        used = (link.delivered_bytes - self._before.delivered_bytes) / (self._bytes_s * self._step_s)
        again = upload.retransmitted_packets - self._retransmitted
        self._before, self._retransmitted = link, upload.retransmitted_packets
        loss = again / (again + delivered) if again else 0.0
        queueing = self._note(None if rtt_ns is None else rtt_ns / 1e9, delivered, loss)
        utilisation = min(1.0, used)
        reward = utilisation - self.delay_weight * queueing - self.loss_weight * loss
        cwnd = self._cwnd if self.congestion is None else upload.cwnd
        told = {"cwnd": round(cwnd or 0), "rtt_s": self._rtt_s, "utilisation": utilisation}
        told["retransmitted"] = loss
        return self._observe(), reward, told

    def _note(self, rtt_s: float | None, delivered: int, loss: float) -> float:
        """Adds a step to the history. Returns the queueing delay in round trips of the empty path."""
        before = self._rtt_s
        # Without a sample, the round trip is taken to be what it was.
        self._rtt_s = rtt_s = before if rtt_s is None else rtt_s
        self._most = max(self._most, delivered)
        ratio = gradient = queueing = 0.0
        if rtt_s is not None:
            self._shortest_s = min(rtt_s, rtt_s if self._shortest_s is None else self._shortest_s)
            ratio = min(10.0, rtt_s / self._shortest_s - 1)
            gradient = 0.0 if before is None else max(-1.0, min(1.0, (rtt_s - before) / self._step_s))
            queueing = max(0.0, (rtt_s - self._empty_s) / self._empty_s)
        self._history[:-1] = self._history[1:]
        self._history[-1] = ratio, gradient, loss, delivered / self._most
        return queueing

    def _observe(self) -> Array:
        return self._history.flatten()
