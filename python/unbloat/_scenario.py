"""Scenarios: from a file, a text, a mapping, or the objects of `unbloat.scenario`."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import index
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, SupportsIndex, TypeAlias, cast

from unbloat import _unbloat
from unbloat._arguments import check, check_names, check_path, check_text
from unbloat._errors import ScenarioError
from unbloat._keywords import fields_of
from unbloat._part import Part

if TYPE_CHECKING:
    from unbloat.scenario import Scenario

#: A value that replaces one of the scenario, as `--set` takes it: a text such as ``"10mbit"``, a
#: number, a truth value, a list or mapping of such, or an object of `unbloat.scenario`.
Override: TypeAlias = "str | int | float | bool | Sequence[Override] | Mapping[str, Override] | Part"

#: What `run` takes for a scenario: the path of a file, its text in TOML or JSON, a mapping with the same
#: fields, a `scenario.Scenario`, or a `CheckedScenario`. A text has a line end or a ``=``, or begins with
#: ``{``, and is not the path of a file.
ScenarioLike: TypeAlias = "str | PathLike[str] | Mapping[str, Any] | Scenario | CheckedScenario"


class CheckedScenario:
    """A scenario that has been read and checked.

    `CheckedScenario(source, overrides, seed=3, duration="20s")` reads `source`, and replaces the fields
    that are named: those at the top by keyword, all others by a path such as ``"link.uplink.queue"``.

    Raises `ScenarioError` for a mistake, with its field and its place, and `RunError` if the simulator
    lacks something that the scenario asks for.
    """

    __slots__ = ("checked",)

    checked: _unbloat.Scenario

    def __init__(
        self,
        source: ScenarioLike,
        overrides: Mapping[str, Override] | None = None,
        /,
        **fields: Override,
    ) -> None:
        self.checked = checked_of("CheckedScenario", source, overrides, fields)

    def __reduce__(self) -> tuple[Callable[[str, str], CheckedScenario], tuple[str, str]]:
        return _unpickled, (self.checked.json(), str(self.checked.folder))

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


def checked_of(
    owner: str,
    source: ScenarioLike,
    overrides: Mapping[str, Override] | None,
    fields: Mapping[str, Override],
) -> _unbloat.Scenario:
    """The scenario with its overrides and with the further keywords of this function."""
    with fields_of(owner, fields):
        changes = changes_of(overrides, fields)
        if isinstance(source, CheckedScenario) and not changes:
            return source.checked
        written = written_of(source)
        if isinstance(written, Written):
            return _unbloat.Scenario.parse(written.text, "scenario", changes, written.folder)
        return _unbloat.Scenario.load(written, changes)


def _unpickled(text: str, folder: str) -> CheckedScenario:
    scenario = CheckedScenario.__new__(CheckedScenario)
    scenario.checked = _unbloat.Scenario.parse(text, "scenario", [], folder)
    return scenario


class Written(NamedTuple):
    """A scenario that is in no file: its text, and the folder to which its traces are relative."""

    text: str
    folder: str | PathLike[str] = ""


def written_of(source: ScenarioLike) -> Written | str | PathLike[str]:
    """The scenario as a text; the path if it is that of a file."""
    if isinstance(source, CheckedScenario):
        return Written(source.checked.json(), source.checked.folder)
    if isinstance(source, Part | Mapping):
        check_value("scenario", source)
        return Written(json.dumps(source, default=_plain))
    if isinstance(source, str) and _is_text(source):
        check_text("scenario", source)
        return Written(source)
    wanted = "the path of a file, its text, a mapping, a Scenario or a CheckedScenario"
    check_path("scenario", source, wanted)
    if not os.path.exists(source):
        why = "no such file; a scenario as text has a line end or `=`, or begins with `{`"
        raise ScenarioError(f"{os.fspath(source)}: {why}", why, file=os.fspath(source))
    return source


def _is_text(source: str) -> bool:
    """True if this is a scenario itself, and not the path of one."""
    if "\n" in source or source.lstrip().startswith("{"):
        return True
    return "=" in source and not source.endswith((".toml", ".json")) and not os.path.exists(source)


def changes_of(
    overrides: Mapping[str, Override] | None, fields: Mapping[str, Override]
) -> list[tuple[str, str]]:
    """The fields that are replaced, and their new values as `--set` takes them."""
    if overrides is not None:
        check_names("overrides", overrides, 'a mapping of paths to values, such as {"seed": 3}')
    return [(path, text_of(path, value)) for path, value in {**(overrides or {}), **fields}.items()]


def check_value(name: str, value: object) -> None:
    """Raises `TypeError` or `ValueError` for what no scenario can have in it, with its place."""
    try:
        _check_value(name, value)
    except RecursionError:
        raise ValueError(f"{name} contains itself, or has too many values within each other") from None


def _check_value(name: str, value: object) -> None:
    if isinstance(value, Part):
        value = value.to_dict()
    if isinstance(value, str):
        check_text(name, value)
    elif isinstance(value, Mapping):
        for key, of in cast("Mapping[object, object]", value).items():
            check(f"a key of {name}", key, str, "a text")
            _check_value(f"{name}.{key}", of)
    elif isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        for place, of in enumerate(cast("Sequence[object]", value)):
            _check_value(f"{name}[{place}]", of)
    elif value is not None:
        _check_number(name, value)


def _check_number(name: str, value: object) -> None:
    try:
        number = _number(value)
    except TypeError as error:
        raise TypeError(f"{name}: {error}") from None
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"{name} is {number}; it is a finite number")
    if isinstance(number, int) and number.bit_length() > 128:
        raise ValueError(f"{name} is a whole number of {number.bit_length()} bits; it has at most 64")


def _plain(value: object) -> object:
    """The value as JSON has it."""
    if isinstance(value, Part):
        return value.to_dict()
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return list(cast("Sequence[object]", value))
    return _number(value)


def _number(value: object) -> int | float:
    """The number as Python has it: those of NumPy and of `decimal` are others."""
    # Arrays of NumPy have both methods, and refuse what is no single number.
    with suppress(TypeError):
        if isinstance(value, SupportsIndex):
            return index(value)
    with suppress(TypeError, ValueError):
        if isinstance(value, SupportsFloat):
            return float(value)
    raise TypeError(
        f"{value!r} is no value of a scenario; write a text such as '10mbit', a number, a truth value, "
        "or a list or mapping of such"
    )


def text_of(path: str, value: Override) -> str:
    """The value of this field as `--set` takes it."""
    check_value(path, value)
    try:
        return value if isinstance(value, str) else toml(value)
    except TypeError as error:
        raise TypeError(f"{path}: {error}") from None


def toml(value: Override) -> str:
    """The value in TOML."""
    if isinstance(value, Part):
        return toml(value.to_dict())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(key)} = {toml(of)}" for key, of in value.items()) + "}"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(_number(value))


def _quoted(text: str) -> str:
    # JSON's escapes are those of TOML, but for characters in two halves.
    return json.dumps(text, ensure_ascii=False)
