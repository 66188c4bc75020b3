"""Scenarios: from a file, a text, a mapping, or the objects of `unbloat.scenario`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from operator import index
from os import PathLike
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias, cast

from unbloat import _unbloat
from unbloat._part import Part

if TYPE_CHECKING:
    from unbloat.scenario import Scenario

#: A value that replaces one of the scenario, as `--set` takes it: a text such as ``"10mbit"``, a
#: number, a truth value, a list or mapping of such, or an object of `unbloat.scenario`.
Override: TypeAlias = "str | int | float | bool | Sequence[Override] | Mapping[str, Override] | Part"

#: What `run` takes for a scenario: the path of a file, its text in TOML (with at least one line end),
#: a mapping with the same fields, a `scenario.Scenario`, or a `CheckedScenario`.
ScenarioLike: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Scenario | CheckedScenario"


class CheckedScenario:
    """A scenario that has been read and checked.

    `CheckedScenario(source, overrides, seed=3, duration="20s")` reads `source`, and replaces the fields
    that are named: those at the top by keyword, all others by a path such as ``"link.uplink.queue"``.

    Raises `ScenarioError` for a mistake, with its field and its place, and `RunError` if the simulator
    lacks something that the scenario asks for.
    """

    __slots__ = ("checked",)

    def __init__(
        self,
        source: ScenarioLike,
        overrides: Mapping[str, Override] | None = None,
        /,
        **fields: Override,
    ) -> None:
        changes = [(path, text_of(value)) for path, value in {**(overrides or {}), **fields}.items()]
        self.checked = _read(source, changes)

    def to_dict(self) -> dict[str, Any]:
        """The scenario with all defaults spelled out."""
        fields: dict[str, Any] = json.loads(self.checked.json())
        return fields

    def __repr__(self) -> str:
        return f"<unbloat.CheckedScenario {self.to_dict().get('title', '')!r}>"


def schema() -> dict[str, Any]:
    """The JSON Schema of scenarios."""
    document: dict[str, Any] = json.loads(_unbloat.schema())
    return document


def _read(source: ScenarioLike, changes: list[tuple[str, str]]) -> _unbloat.Scenario:
    if isinstance(source, CheckedScenario) and not changes:
        return source.checked
    text = text_of_scenario(source)
    if text is None:
        return _unbloat.Scenario.load(cast("str | PathLike[str]", source), changes)
    return _unbloat.Scenario.parse(text, "scenario", changes)


def text_of_scenario(source: ScenarioLike) -> str | None:
    """The text of a scenario that is in no file; None for the path of a file."""
    if isinstance(source, CheckedScenario):
        return source.checked.json()
    if isinstance(source, Part | Mapping):
        return json.dumps(source, default=_plain)
    return source if isinstance(source, str) and "\n" in source else None


def _plain(value: object) -> object:
    """The value as JSON has it."""
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence):
        return list(cast("Sequence[object]", value))
    return _number(value)


def _number(value: object) -> int | float:
    """The number as Python has it: those of NumPy and of `decimal` are others."""
    if isinstance(value, SupportsIndex):
        return index(value)
    if isinstance(value, SupportsFloat):
        return float(value)
    raise TypeError(
        f"{value!r} is no value of a scenario; write a text such as '10mbit', a number, a truth value, "
        "or a list or mapping of such"
    )


def text_of(value: Override) -> str:
    """The value as `--set` takes it."""
    return value if isinstance(value, str) else _toml(value)


def _toml(value: Override) -> str:
    if isinstance(value, Part):
        return _toml(value.to_dict())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(key)} = {_toml(of)}" for key, of in value.items()) + "}"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(_number(value))


def _quoted(text: str) -> str:
    # JSON's escapes are those of TOML, but for characters in two halves.
    return json.dumps(text, ensure_ascii=False)
