"""Checks of arguments, with their names in errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from types import UnionType
from typing import cast


def check(name: str, value: object, kind: type | UnionType, wanted: str) -> None:
    """Raises `TypeError` unless the value is of this kind."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}; it is {wanted}")


def check_function(name: str, value: object) -> None:
    """Raises `TypeError` unless the value is a function or None."""
    if value is not None and not callable(value):
        raise TypeError(f"{name} is {value!r}; it is a function")


def check_names(name: str, value: object, wanted: str) -> None:
    """Raises `TypeError` unless the value is a mapping whose keys are texts."""
    check(name, value, Mapping, wanted)
    for key in cast("Mapping[object, object]", value):
        check(f"a key of {name}", key, str, "a text")


def whole(name: str, value: object, numbers: range, wanted: str) -> int:
    """The whole number; an error unless it is one of these."""
    try:
        number = index(value)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it is {wanted}") from None
    if number not in numbers:
        raise ValueError(f"{name} is {value!r}; it is {wanted}")
    return number


def threads_of(threads: int | None) -> int:
    """The number of threads, by default one for each processor."""
    if threads is None:
        return os.cpu_count() or 1
    return whole("threads", threads, range(1, 2**31), "a number of threads, at least 1")
