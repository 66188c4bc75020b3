"""What the classes of `unbloat.scenario` share."""

from __future__ import annotations

from typing import Any, ClassVar


class Part:
    """A table of a scenario. Fields that are None are left out."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """The keys of the table that are set, as a scenario file names them."""
        values = ((name, getattr(self, name)) for name in self.__dataclass_fields__)
        return {name.rstrip("_"): value for name, value in values if value is not None}

    def __repr__(self) -> str:
        fields = self.__dataclass_fields__.values()
        values = ((field.name, getattr(self, field.name)) for field in fields if field.init)
        shown = (f"{name}={value!r}" for name, value in values if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"
