"""Checks of arguments, with their names in errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from types import UnionType
from typing import SupportsFloat, cast

#: What a path is, for `check_path`.
FILE, FOLDER = "the path of a file", "the path of a folder"


def check(name: str, value: object, kind: type | UnionType, wanted: str) -> None:
    """Raises `TypeError` unless the value is of this kind, and `ValueError` for a text that is none."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}; it is {wanted}")
    if isinstance(value, str):
        check_text(name, value)


def check_text(name: str, text: str) -> None:
    """Raises `ValueError` for halves of characters, which no text has."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = f"the lone surrogate {text[error.start]!r} at index {error.start}"
        raise ValueError(f"{name} has half a character, {half}") from None


def shortened(text: str) -> str:
    """The text in quotes, as far as it fits into a message."""
    return repr(text) if len(text) <= 60 else f"{text[:60]!r}..."


def check_path(name: str, value: object, wanted: str) -> None:
    """Raises `TypeError` unless the value is a path, and `ValueError` for one that the system cannot have."""
    path = os.fspath(value) if isinstance(value, str | os.PathLike) else None  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(path, str):
        raise TypeError(f"{name} is {value!r}; it is {wanted}")
    try:
        encoded = os.fsencode(path)
    except UnicodeEncodeError:
        encoded = b""
    if not encoded or b"\0" in encoded:
        raise ValueError(f"{name} is {value!r}; it is {wanted}")


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


def real(name: str, value: object, least: float, most: float, wanted: str) -> float:
    """The number; an error unless it is in this range, which NaN is not."""
    try:
        if isinstance(value, str | bytes) or not isinstance(value, SupportsFloat):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        # Arrays and decimals have `__float__`, too, and refuse it for some values.
        raise TypeError(f"{name} is {value!r}; it is {wanted}") from None
    except OverflowError:
        raise ValueError(f"{name} is {value!r}; it is {wanted}") from None
    if not least <= number <= most:
        raise ValueError(f"{name} is {value!r}; it is {wanted}")
    return number


def threads_of(threads: int | None) -> int:
    """The number of threads, by default one for each processor."""
    if threads is None:
        return os.cpu_count() or 1
    return whole("threads", threads, range(1, 2**31), f"a number of threads, from 1 to {2**31 - 1}")
