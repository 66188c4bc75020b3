"""Whole queue disciplines in Python for queues of the simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from unbloat._methods import lacking
from unbloat._unbloat import QueuedPacket


class Qdisc(ABC):
    """A queue discipline: it keeps the packets that arrive, and chooses the order in which they leave.

    ``unbloat.run(..., queues={"uplink": MyQdisc})`` makes one object of a subclass for the run. All times are
    whole nanoseconds, and ``now_ns`` counts from the beginning of the run.
    """

    #: Randomness for the discipline: a stream that depends on the seed of the run and on the direction alone.
    #: It is there before the first packet, but not in ``__init__``; an object with its own `random` keeps it.
    random: Random

    #: The longest packet of the link, in bytes. It is there before the first packet, but not in ``__init__``.
    mtu: int

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise lacking(self, name, "random", "mtu")

    @abstractmethod
    def enqueue(self, packet: QueuedPacket, now_ns: int, /) -> None:
        """Takes a packet that arrives: keeps it, or drops it by `packet.drop`.

        Other packets that wait can be dropped or marked here, too.
        """

    @abstractmethod
    def dequeue(self, now_ns: int, /) -> QueuedPacket | int | None:
        """Chooses a waiting packet to send, and returns it; None if no packet waits.

        It is asked whenever the link is free. A shaper returns a later time, in nanoseconds, if no packet may
        go before that time; it is asked again then, or when a packet arrives.
        """


class QdiscMethods(NamedTuple):
    """What the simulator asks of a discipline."""

    enqueue: Callable[..., Any]
    dequeue: Callable[..., Any]
