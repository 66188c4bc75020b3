"""Queues in Python, each in place of one of the scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from unbloat._aqm import Aqm, AttachedAqm, attached_aqm
from unbloat._qdisc import AttachedQdisc, Qdisc, attached_qdisc

#: The queues of directions by their names (``"uplink"``, ``"uplink.reverse"``): for each a subclass of `Aqm`
#: or `Qdisc`, or a function without arguments that returns an object of one.
Queues: TypeAlias = "Mapping[str, Callable[[], Aqm] | Callable[[], Qdisc]]"

#: A queue and the direction that has it, for the simulator.
Attached: TypeAlias = AttachedAqm | AttachedQdisc


def attached(queues: Queues) -> list[Attached]:
    """A new queue for each of the directions."""
    return [_attached(direction, make) for direction, make in queues.items()]


def _attached(direction: str, make: object) -> Attached:
    if not callable(make):
        wanted = "a subclass of unbloat.Aqm or unbloat.Qdisc, or a function"
        raise TypeError(f'queues["{direction}"] is {make!r}; it is {wanted}')
    queue: object = make()
    if isinstance(queue, Aqm):
        return attached_aqm(direction, queue)
    if isinstance(queue, Qdisc):
        return attached_qdisc(direction, queue)
    raise TypeError(f'queues["{direction}"] makes {queue!r}, which is no unbloat.Aqm or unbloat.Qdisc')
