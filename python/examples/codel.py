"""CoDel of RFC 8289 as a queue in Python: what it does to the delay of an upload at home.

python python/examples/codel.py
"""

import math

import unbloat

TARGET = 5_000_000  # ns: the sojourn that is acceptable for ever
INTERVAL = 100_000_000  # ns: about the longest round trip


class CoDel(unbloat.Aqm):
    def __init__(self) -> None:
        self.first_above_time = self.drop_next = self.count = self.lastcount = 0
        self.dropping = self.has_dropped = False

    def on_dequeue(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> unbloat.Verdict:
        ok = self.ok_to_drop(packet, queue, now_ns)
        if self.has_dropped and ok:  # section 5.5: a drop is followed by a look at the next packet
            self.drop_next = self.control_law(self.drop_next)
        self.has_dropped = False
        if self.dropping:
            self.dropping = ok
            if not ok or now_ns < self.drop_next:
                return None
            self.count += 1
            self.has_dropped = True
        elif ok:
            self.dropping = True
            delta = self.count - self.lastcount
            is_recent = delta > 1 and now_ns - self.drop_next < 16 * INTERVAL
            self.count = self.lastcount = delta if is_recent else 1
            self.drop_next = self.control_law(now_ns)
        return "drop" if ok else None

    def ok_to_drop(self, packet: unbloat.Packet, queue: unbloat.Queue, now_ns: int) -> bool:
        if packet.sojourn_ns < TARGET or queue.bytes <= queue.mtu:
            self.first_above_time = 0
        elif self.first_above_time == 0:
            self.first_above_time = now_ns + INTERVAL
        return 0 < self.first_above_time <= now_ns

    def control_law(self, from_ns: int) -> int:
        return from_ns + round(INTERVAL / math.sqrt(self.count))


if __name__ == "__main__":
    for queues in ({}, {"uplink": CoDel}):
        print(unbloat.run("scenarios/home-uplink.toml", queues=queues).verdict)
