"""Congestion controls in Python for flows of the simulator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from random import Random
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from unbloat._arguments import check_names
from unbloat._methods import lacking, method, own
from unbloat._unbloat import Ack, Window

#: Why the window must fall: segments were lost, the receiver echoed a congestion mark (RFC 3168), or the
#: retransmission timer ran out.
Cause: TypeAlias = Literal["loss", "ecn", "timeout"]


class CongestionControl(ABC):
    """A congestion control: how the window of a connection grows, and how far it falls.

    ``unbloat.run(..., congestion={"backup": MyControl})`` makes an object of a subclass for each sender. The
    sender decides when the window falls (loss detection, marks, timeouts), and lowers it over a round trip
    (RFC 9937) to the threshold that `reduce` returns. Windows are counted in segments. All times are whole
    nanoseconds, and count from the beginning of the run.
    """

    #: Randomness for the congestion control: a stream that depends on the seed of the run, on the flow's
    #: name, and on the number of the sender, in the order of the senders' first acknowledgements. It is there
    #: before the first acknowledgement, but not in ``__init__``; an object with its own `random` keeps it.
    random: Random

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            raise lacking(self, name, "random")

    @abstractmethod
    def on_ack(self, window: Window, ack: Ack, /) -> None:
        """Takes an acknowledgement, and sets ``window.cwnd``: usually only if ``ack.may_grow``.

        While ``ack.falling``, the sender lowers the window, and a change here has no effect.
        """

    @abstractmethod
    def reduce(self, window: Window, cause: Cause, now_ns: int, /) -> int:
        """Returns the slow start threshold after a congestion event: the window to which the sender falls.

        The sender sets the window itself; an `AttributeError` refuses to set it here.
        After a timeout, the sender begins with one segment, and grows to the threshold in slow start if
        `on_ack` lets it.
        """

    def on_restart(self, idle_ns: int, now_ns: int, /) -> None:
        """Takes notice that data is sent again, `idle_ns` after the last segment; nothing was in flight."""
        return None


class Methods(NamedTuple):
    """What the simulator asks of a congestion control."""

    name: str
    on_ack: Callable[..., Any]
    reduce: Callable[..., Any]
    on_restart: Callable[..., Any] | None


class Attached(NamedTuple):
    """The congestion control of a flow's connections, for the simulator."""

    flow: str
    make: Callable[[Random], Methods]


def attached(congestion: Mapping[str, Callable[[], CongestionControl]] | None) -> list[Attached]:
    """The makers of the flows' congestion controls."""
    if congestion is None:
        return []
    wanted = 'a mapping of flows to congestion controls, such as {"backup": MyControl}'
    check_names("congestion", congestion, wanted)
    return [_attached(flow, make) for flow, make in congestion.items()]


def _attached(flow: str, make: object) -> Attached:
    if not callable(make):
        raise TypeError(
            f'congestion["{flow}"] is {make!r}; it is a subclass of unbloat.CongestionControl or a function'
        )

    def methods(random: Random) -> Methods:
        control: object = make()
        if not isinstance(control, CongestionControl):
            raise TypeError(f'congestion["{flow}"] makes {control!r}, which is no unbloat.CongestionControl')
        if not hasattr(control, "random"):
            # A frozen dataclass can have it, too.
            object.__setattr__(control, "random", random)
        on_restart = own(control, "on_restart", CongestionControl.on_restart)
        name, on_ack, reduce = type(control).__name__, method(control, "on_ack"), method(control, "reduce")
        return Methods(name, on_ack, reduce, on_restart)

    return Attached(flow, methods)
