"""Queues in Python, each in place of one of the scenario."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from unbloat._aqm import Aqm, AqmMethods, aqm_methods
from unbloat._arguments import check_names
from unbloat._methods import method
from unbloat._qdisc import Qdisc, QdiscMethods

#: The queues of directions by their names (``"uplink"``, ``"uplink.reverse"``): for each a subclass of `Aqm`
#: or `Qdisc`, or a function without arguments that returns an object of one.
Queues: TypeAlias = "Mapping[str, Callable[[], Aqm] | Callable[[], Qdisc]]"


class Attached(NamedTuple):
    """A queue and the direction that has it, for the simulator."""

    direction: str
    name: str
    queue: Aqm | Qdisc
    methods: AqmMethods | QdiscMethods


def attached(queues: Queues | None) -> list[Attached]:
    """A new queue for each of the directions."""
    if queues is None:
        return []
    check_names("queues", queues, 'a mapping of directions to queues, such as {"uplink": MyAqm}')
    return [_attached(direction, make) for direction, make in queues.items()]


def _attached(direction: str, make: object) -> Attached:
    if not callable(make):
        wanted = "a subclass of unbloat.Aqm or unbloat.Qdisc, or a function"
        raise TypeError(f'queues["{direction}"] is {make!r}; it is {wanted}')
    queue: object = make()
    name = type(queue).__name__
    if isinstance(queue, Aqm):
        return Attached(direction, name, queue, aqm_methods(queue))
    if isinstance(queue, Qdisc):
        methods = QdiscMethods(method(queue, "enqueue"), method(queue, "dequeue"))
        return Attached(direction, name, queue, methods)
    raise TypeError(f'queues["{direction}"] makes {queue!r}, which is no unbloat.Aqm or unbloat.Qdisc')
