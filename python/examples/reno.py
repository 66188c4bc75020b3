"""Reno of RFC 5681 as a congestion control in Python, for an upload at home.

python python/examples/reno.py
"""

import unbloat


class Reno(unbloat.CongestionControl):
    def __init__(self) -> None:
        self.credit = 0  # segments delivered towards the next increment of the window

    def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
        if not ack.may_grow:
            return
        delivered = ack.delivered
        if window.cwnd < window.ssthresh:  # slow start: a segment for each that is delivered
            grown = min(window.cwnd + delivered, window.ssthresh)
            delivered -= grown - window.cwnd
            window.cwnd = grown
        if delivered > 0:  # congestion avoidance: a segment for each window that is delivered
            per = window.cwnd
            if self.credit >= per:
                self.credit = 0
                window.cwnd += 1
            self.credit += delivered
            window.cwnd += self.credit // per
            self.credit %= per

    def reduce(self, window: unbloat.Window, cause: unbloat.Cause, now_ns: int) -> int:
        self.credit = 0
        return max(window.cwnd // 2, 2)  # equation 4


if __name__ == "__main__":
    print(unbloat.run("scenarios/home-uplink.toml", congestion={"backup": Reno}))
