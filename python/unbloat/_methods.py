"""Methods of algorithms in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def own(method: Callable[..., Any], inherited: Callable[..., Any]) -> Callable[..., Any] | None:
    """The method; None if it is the inherited one, which the simulator need not call."""
    return None if getattr(method, "__func__", None) is inherited else method
