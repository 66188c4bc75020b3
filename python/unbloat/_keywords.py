"""Keywords that are neither arguments nor fields of a scenario."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager

from unbloat._errors import ScenarioError

#: The functions whose further keywords are fields of a scenario.
_FUNCTIONS = ("run", "Simulation", "sweep", "estimate")


@contextmanager
def fields_of(owner: str, fields: Iterable[str]) -> Generator[None]:
    """Names the argument that was meant where a scenario has no such field, with `TypeError`."""
    try:
        yield
    except (ScenarioError, TypeError) as error:
        why = _meant(owner, fields)
        if why is None:
            raise
        raise TypeError(why) from error


def _meant(owner: str, fields: Iterable[str]) -> str | None:
    from difflib import get_close_matches

    import unbloat

    known = list(unbloat.schema()["properties"])
    arguments = {name: _keywords(getattr(unbloat, name)) for name in _FUNCTIONS}
    for field in [field for field in fields if field not in known]:
        refused = f"{field} is no argument of unbloat.{owner}"
        for other in _FUNCTIONS:
            if field in arguments[other]:
                return f"{refused}; it is one of unbloat.{other}"
        own = arguments.get(owner, [])
        near = [name for name in get_close_matches(field, own + known, 1) if name in own]
        if near:
            return f"{refused} and no field of a scenario; did you mean {near[0]}?"
    return None


def _keywords(function: Callable[..., object]) -> list[str]:
    """The arguments that are keywords."""
    from inspect import Parameter, signature

    parameters = signature(function).parameters.values()
    return [argument.name for argument in parameters if argument.kind == Parameter.KEYWORD_ONLY]
