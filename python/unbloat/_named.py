"""Parts of documents that are found by their names."""

from __future__ import annotations

from typing import Any, NoReturn, TypeAlias, cast


class Named(dict[str, Any]):
    """A mapping that names what it has where a name is missing."""

    def __missing__(self, name: object) -> NoReturn:
        from difflib import get_close_matches

        if not self:
            raise KeyError(f"there is no {name!r}; there is nothing")
        near = get_close_matches(name, self, 1) if isinstance(name, str) else []
        there = f"did you mean {near[0]!r}? There are" if near else "there are"
        raise KeyError(f"there is no {name!r}; {there} {', '.join(self)}")


#: Values by name, each of which is a `Named` if it has names itself.
NamedParts: TypeAlias = "dict[str, dict[str, Any]]"


def named(document: dict[str, Any]) -> NamedParts:
    """The document with mappings of this kind, at each depth."""
    return cast("NamedParts", _named(document))


def _named(value: Any) -> Any:
    if isinstance(value, dict):
        return Named((name, _named(of)) for name, of in cast("dict[str, Any]", value).items())
    return value
