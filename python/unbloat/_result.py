"""The result of a run."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from unbloat import _unbloat
from unbloat._arguments import FILE, check, check_path
from unbloat._named import named

#: The height of a result in a notebook, in pixels; the page scrolls within.
_HEIGHT = 720


class Result:
    """The result of a run, as `unbloat.run` returns it. `print(result)` shows it as `unbloat sim` does."""

    def __init__(self, done: _unbloat.Run, /) -> None:
        check("done", done, _unbloat.Run, "what unbloat.run, Simulation.finish and replay make results of")
        self._run = done

    @cached_property
    def json(self) -> str:
        """The result document as JSON, as `unbloat sim --json` prints it but for the cost of the run."""
        return self._run.json()

    @cached_property
    def document(self) -> dict[str, Any]:
        """The result document; its fields are described in `schema/result.schema.json` and `docs/sim.md`."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    @cached_property
    def links(self) -> dict[str, dict[str, Any]]:
        """The results of each link by name, with one entry a direction: ``"forward"``, ``"reverse"``.

        The `KeyError` of a name that is not there names those that are.
        """
        return named(self.document["links"])

    @cached_property
    def flows(self) -> dict[str, dict[str, Any]]:
        """The results of each flow by name; members of a `count` are ``"name[0]"`` and so on.

        The `KeyError` of a name that is not there names those that are.
        """
        return named(self.document["flows"])

    @property
    def series(self) -> _unbloat.Table:
        """The quantities of links and flows over time: ``time_s``, then the columns of `docs/sim.md`.

        All are doubles; the end of a name is its unit. Raises `ValueError` if the run recorded none.
        """
        if self._run.series is None:
            raise ValueError('this result has no series; a run with series="100ms" has, and a replay never')
        return self._run.series

    @property
    def packets(self) -> _unbloat.Table:
        """The fate of each packet on each link, in the order in which the fates were known.

        The columns are ``index``, ``link``, ``direction``, ``flow``, ``bytes``, ``enqueued_s``,
        ``departed_s``, ``sojourn_ms`` and ``fate``; a packet that its queue dropped has no departure and no
        sojourn. Of a replay, they are ``index``, ``arrived_s``, ``departed_s``, ``sojourn_ms`` and ``fate``,
        in the order of arrival. Raises `ValueError` if the run recorded none.
        """
        if self._run.packets is None:
            raise ValueError("this result has no packets; one of a run or replay with packets=True has")
        return self._run.packets

    @property
    def verdict(self) -> str:
        """What is to be said of the run, in sentences."""
        return self._run.verdict()

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the run with its plots, one file of HTML that needs nothing else.

        The page lacks the animation of packets in the queue, which `unbloat sim --report` has.
        """
        write_page(path, self._run.html)

    def __reduce__(self) -> tuple[type[Result], tuple[_unbloat.Run]]:
        # Without the parts of the document that are cached.
        return Result, (self._run,)

    def __str__(self) -> str:
        return self._run.text()

    def __repr__(self) -> str:
        return f"<unbloat.Result: {self.verdict}>"

    def _repr_html_(self) -> str:
        return frame(self._run.html())


def write_page(path: str | os.PathLike[str], page: Callable[[], str]) -> None:
    """Writes a page into a file."""
    check_path("path", path, FILE)
    Path(path).write_text(page(), encoding="utf-8")


def frame(page: str) -> str:
    """A page in a frame, for notebooks."""
    style = f"width:100%;height:{_HEIGHT}px;border:0"
    return f'<iframe srcdoc="{html.escape(page)}" style="{style}" title="Result of unbloat"></iframe>'
