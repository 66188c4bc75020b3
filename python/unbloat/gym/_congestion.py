"""Congestion control, for agents that learn."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gymnasium.spaces import Box

from unbloat import _unbloat
from unbloat._arguments import check, whole
from unbloat._scenario import CheckedScenario
from unbloat._simulation import nanoseconds
from unbloat.gym._environment import DURATIONS, Environment, Range, kbit, microseconds, number


class CongestionControlEnv(Environment):
    """``unbloat/CongestionControl-v0``: the window of one upload.

    A step is one round trip of the empty path. The sender recovers from losses as TCP does, but its window is
    that of the agent alone.

    - **Action**, from -1 to 1: the window is multiplied by ``2 ** action``. It begins with 10 segments.
    - **Observation**: four numbers a step for the last `history` steps, the latest last, as a sender sees
      them: the mean round trip over the shortest mean so far, less 1, up to 10; the change of the mean round
      trip over the time of a step, -1 to 1; the part of sent segments that were sent again; the
      delivered segments over the most in a step so far. Aurora has similar ones (Jay et al., "A Deep
      Reinforcement Learning Perspective on Internet Congestion Control", 2019, section 3.1).
    - **Reward**: the part of the link's rate that was used, less `delay_weight` times the queueing delay in
      empty round trips, less `loss_weight` times the part of segments that were sent again.

    ``info`` has ``cwnd``, ``rtt_s`` (None without a sample), ``utilisation`` and ``retransmitted``.

    With a `congestion`, such as ``"cubic"``, the upload has that congestion control, and actions have no
    effect: the rewards are those of that congestion control on the same paths, with the same seeds.
    """

    told: ClassVar = {"cwnd": int, "rtt_s": float, "utilisation": float, "retransmitted": float}

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
        self.history, self.length = history, 4 * history
        for ms in self._ranges["rtt_ms"]:
            self._check_duration(ms)
        self.check_part("congestion", congestion)

    def _begin(self, path: dict[str, float], seed: int) -> _unbloat.Episode:
        self._check_duration(path["rtt_ms"])
        bytes_s, step_s = path["rate_mbit"] * 1e6 / 8, round(path["rtt_ms"] * 1000) / 1e6
        segments = bytes_s * step_s / 1500
        limit = min(max(5, round(path["buffer_bdp"] * segments)), 2**32 - 1)
        flow = {"from": "home", "to": "far"}
        congestion = "cubic" if self.congestion is None else self.congestion
        fields = {
            "title": "An episode of unbloat/CongestionControl-v0",
            "duration": microseconds(self.steps * step_s),
            "seed": seed,
            "link": [
                {
                    "name": "link",
                    "rate": kbit(path["rate_mbit"]),
                    "delay": microseconds(path["rtt_ms"] / 2000),
                    "loss": f"{path['loss']:.7f}",
                    "queue": f"pfifo limit {limit}",
                    "reverse": {"rate": "1gbit"},
                    **flow,
                }
            ],
            "flow": [{"name": "upload", "traffic": "bulk", "congestion": congestion, **flow}],
        }
        task = {
            "bytes_s": bytes_s,
            "step_ns": nanoseconds("rtt_ms / 1000", step_s),
            "history": self.history,
            "is_watched": self.congestion is not None,
            "delay_weight": self.delay_weight,
            "loss_weight": self.loss_weight,
        }
        return _unbloat.Episode.congestion(CheckedScenario(fields).checked, task)

    def _check_duration(self, rtt_ms: float) -> None:
        """Raises `ValueError` unless episodes on a path with this round trip have a possible duration."""
        least, most = DURATIONS
        if not least <= self.steps * rtt_ms / 1000 <= most:
            raise ValueError(
                f"steps is {self.steps} and rtt_ms {rtt_ms}; an episode of so many round trips lasts "
                f"from {least} s to {most} s"
            )
