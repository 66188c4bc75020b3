"""What the classes of `unbloat.scenario` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast


class Part:
    """A table of a scenario. Fields that are None are left out."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The table as a scenario file has it: the keys that are set, and a mapping for each table within.

        `dataclasses.asdict` has the names of Python instead, and None for what is not set.
        """
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name.rstrip("_"): _plain(value) for name, value in values if value is not None}

    def __repr__(self) -> str:
        fields = self.__dataclass_fields__.values()
        values = ((field.name, getattr(self, field.name)) for field in fields if field.init)
        shown = (f"{name}={value!r}" for name, value in values if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"


def _plain(value: object) -> object:
    """The value without objects of the classes of `unbloat.scenario`."""
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(of) for key, of in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray):
        return [_plain(of) for of in cast("Sequence[object]", value)]
    return value
