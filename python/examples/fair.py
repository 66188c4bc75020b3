"""The fair queueing of RFC 8290, without its CoDel, as a queue discipline in Python.

python python/examples/fair.py
"""

from collections import deque

import unbloat


class Flow:
    def __init__(self, quantum: int) -> None:
        self.packets: deque[unbloat.QueuedPacket] = deque()
        self.credits = quantum


class FairQueue(unbloat.Qdisc):
    """Flows take turns; a flow that had nothing waiting goes first."""

    quantum = 1514  # bytes of a turn (section 5.2.4)

    def __init__(self) -> None:
        self.listed: dict[tuple[str, int], Flow] = {}
        self.new: deque[tuple[str, int]] = deque()
        self.old: deque[tuple[str, int]] = deque()

    def enqueue(self, packet: unbloat.QueuedPacket, now_ns: int) -> None:
        key = packet.flow, packet.connection
        if key not in self.listed:
            self.listed[key] = Flow(self.quantum)
            self.new.append(key)
        self.listed[key].packets.append(packet)

    def dequeue(self, now_ns: int) -> unbloat.QueuedPacket | None:
        while turns := self.new or self.old:
            flow = self.listed[turns[0]]
            if flow.credits <= 0:  # the turn is over
                flow.credits += self.quantum
                self.old.append(turns.popleft())
            elif flow.packets:
                packet = flow.packets.popleft()
                flow.credits -= packet.bytes
                return packet
            elif turns is self.new and self.old:  # so that it is not new again after each packet
                self.old.append(turns.popleft())
            else:
                del self.listed[turns.popleft()]
        return None


if __name__ == "__main__":
    for queues in ({}, {"uplink": FairQueue}):
        print(unbloat.run("scenarios/home-uplink.toml", queues=queues).verdict)
