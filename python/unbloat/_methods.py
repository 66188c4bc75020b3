"""Methods of algorithms in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def method(owner: object, name: str) -> Callable[..., Any]:
    """The method of this object; `TypeError` if it is none."""
    found: object = getattr(owner, name)
    if not callable(found):
        raise TypeError(f"{type(owner).__name__}.{name} is {found!r}; it is a method")
    return found


def lacking(owner: object, name: str, *late: str) -> AttributeError:
    """The error for an attribute that an object lacks. In a run, it has the `late` ones."""
    kind = type(owner).__name__
    why = f"{kind!r} object has no attribute {name!r}"
    if name in late:
        why = f"{kind}.{name} is not there yet: a run gives it after __init__ and before the first packet"
    return AttributeError(why, name=name, obj=owner)


def own(owner: object, name: str, inherited: Callable[..., Any]) -> Callable[..., Any] | None:
    """The method; None if it is the inherited one, which the simulator need not call."""
    found = method(owner, name)
    return None if getattr(found, "__func__", None) is inherited else found
