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


def own(owner: object, name: str, inherited: Callable[..., Any]) -> Callable[..., Any] | None:
    """The method; None if it is the inherited one, which the simulator need not call."""
    found = method(owner, name)
    return None if getattr(found, "__func__", None) is inherited else found
