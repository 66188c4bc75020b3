"""Algorithms in Python for queues of the simulator."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from unbloat._arguments import whole
from unbloat._methods import lacking, own
from unbloat._unbloat import Packet, Queue

#: What an algorithm answers: None to keep the packet, ``"drop"``, or ``"mark"`` to mark it with congestion
#: experienced, or to drop it if it is not ECN-capable (RFC 3168 section 5).
Verdict: TypeAlias = 'Literal["drop", "mark"] | None'


class Aqm:
    """An active queue management algorithm: a FIFO whose packets it judges.

    A subclass has `on_enqueue`, `on_dequeue` or both, and `unbloat.run(..., queues={"uplink": MyAqm})` makes
    one object of it for the run. All times are whole nanoseconds, and ``now_ns`` counts from the beginning of
    the run. Its drops are the ``aqm`` drops of the result.
    """

    #: The number of packets that may wait; arrivals beyond it are dropped. It is read as the run begins.
    limit: int = 1000

    #: Randomness for the algorithm: a stream that depends on the seed of the run and on the direction alone.
    #: It is there before the first packet, but not in ``__init__``; an object with its own `random` keeps it.
    random: Random

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise lacking(self, name, "random")

    def on_enqueue(self, packet: Packet, queue: Queue, now_ns: int, /) -> Verdict:
        """Judges a packet that arrives; `queue` is without it.

        A packet that finds no room is judged, too, and dropped in any case.
        """
        return None

    def on_dequeue(self, packet: Packet, queue: Queue, now_ns: int, /) -> Verdict:
        """Judges a packet that leaves; `queue` is what it leaves behind.

        After a drop, the next packet is judged at the same time.
        """
        return None


class AqmMethods(NamedTuple):
    """What the simulator asks of an algorithm."""

    limit: int
    on_enqueue: Callable[..., Any] | None
    on_dequeue: Callable[..., Any] | None


def aqm_methods(aqm: Aqm) -> AqmMethods:
    """What the simulator asks of this algorithm."""
    name = type(aqm).__name__
    on_enqueue = own(aqm, "on_enqueue", Aqm.on_enqueue)
    on_dequeue = own(aqm, "on_dequeue", Aqm.on_dequeue)
    if on_enqueue is None and on_dequeue is None:
        raise TypeError(f"{name} has neither on_enqueue nor on_dequeue")
    limit = whole(f"{name}.limit", aqm.limit, range(1, 2**63), "a number of packets, at least 1")
    return AqmMethods(limit, on_enqueue, on_dequeue)
