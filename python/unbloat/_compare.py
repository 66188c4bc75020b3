"""Runs side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from unbloat import _unbloat
from unbloat._arguments import check, check_names
from unbloat._result import Result, frame, write_page


class Comparison:
    """Runs side by side. `print(comparison)` shows them as `unbloat sim --compare` does.

    Its last line says which queues differ, if the runs differ in nothing else.
    """

    def __init__(self, results: Mapping[str, Result], /) -> None:
        wanted = 'a mapping of labels to results, such as {"tail drop": one, "CoDel": other}'
        check_names("results", results, wanted)
        for label, result in results.items():
            check(f'results["{label}"]', result, Result, "an unbloat.Result")
        if len(results) < 2:
            raise ValueError(f"results has {len(results)} of them; at least two are compared")
        self._results = dict(results)

    @property
    def json(self) -> str:
        """The document as JSON, as `unbloat sim --compare --json` prints it but for the cost of the runs."""
        return _unbloat.compare_json(self._runs())

    @property
    def document(self) -> dict[str, Any]:
        """The document; its fields are described in `schema/comparison.schema.json`.

        ``queue`` is the label of a run. ``link`` is the direction whose queue differs, or the one that the
        table is about if not exactly one differs; it is empty if no link carried a packet.
        """
        document: dict[str, Any] = json.loads(self.json)
        return document

    @property
    def results(self) -> dict[str, Result]:
        """The result of each run by its label."""
        return dict(self._results)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the runs with their plots, one file of HTML that needs nothing else.

        The page lacks the animation of packets in the queues, which `unbloat sim --report` has.
        """
        write_page(path, lambda: _unbloat.compare_html(self._runs()))

    def _runs(self) -> list[tuple[str, _unbloat.Run]]:
        return [(label, result._run) for label, result in self._results.items()]  # pyright: ignore[reportPrivateUsage]

    def __str__(self) -> str:
        return _unbloat.compare_text(self._runs())

    def __repr__(self) -> str:
        return f"<unbloat.Comparison: {', '.join(self._results)}>"

    def _repr_html_(self) -> str:
        return frame(_unbloat.compare_html(self._runs()))


def compare(results: Mapping[str, Result], /) -> Comparison:
    """Compares results: those of one scenario whose queues differ, or another part of it.

    `results` has the result of each run by its label, which says what differs:
    ``{"tail drop": one, "CoDel": other}``. The groups of a sweep are compared by `Runs`, which
    has a page of its own.
    """
    return Comparison(results)
