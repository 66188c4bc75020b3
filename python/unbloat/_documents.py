"""Documents of the program other than runs: measurements, captures, recorded arrivals, papers."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from unbloat import _unbloat
from unbloat._result import Result, frame

#: The most overhead and the longest packets of a replay, as in the program.
_MOST_OVERHEAD, _MTUS = 1000, range(68, (1 << 20) + 1)


class Shown:
    """A document of the program. `print` shows it as the program does."""

    def __init__(self, shown: _unbloat.Shown) -> None:
        self._shown = shown

    @cached_property
    def json(self) -> str:
        """The document as JSON, as the program prints it with `--json`."""
        return self._shown.json()

    @cached_property
    def document(self) -> dict[str, Any]:
        """The document; its fields are described in `schema/`."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the document, one file of HTML that needs nothing else."""
        Path(path).write_text(self._shown.html(), encoding="utf-8")

    def __str__(self) -> str:
        return self._shown.text()

    def _repr_html_(self) -> str:
        return frame(self._shown.html())


class Measurement(Shown):
    """The measurement of a path: what `unbloat test` finds (`schema/measurement.schema.json`)."""

    @property
    def grade(self) -> str | None:
        """The grade of the path, ``"A+"`` to ``"F"``; None if there is none."""
        grade: str | None = self.document["grade"]
        return grade


class Capture(Shown):
    """The connections of a capture: what `unbloat pcap` finds (`schema/capture.schema.json`)."""

    @property
    def connections(self) -> list[dict[str, Any]]:
        """The connections, in the order in which they began, each with its two ends."""
        connections: list[dict[str, Any]] = self.document["connections"]
        return connections


class Reproduction(Shown):
    """The figures of a paper beside ours (`schema/reproduction.schema.json`)."""


class Paper(NamedTuple):
    """A paper whose experiments `reproduce` repeats."""

    name: str
    title: str
    parts: list[str]


def read_measurement(path: str | os.PathLike[str]) -> Measurement:
    """Reads a measurement: JSON of `unbloat test`, observations of it, or a file of Flent or irtt.

    gzip may have packed the file. Observations (`unbloat test --observations`) are judged by the rules of
    this version. Raises `ValueError` for a file that is no measurement.
    """
    return Measurement(_unbloat.read_measurement(path))


def diagnose(document: Mapping[str, Any] | str) -> Measurement:
    """The diagnosis of a measurement in JSON: text or a mapping, of the kinds that `read_measurement` reads.

    Observations are judged by the rules of this version; other measurements have their findings already.
    """
    return Measurement(_unbloat.diagnose(document if isinstance(document, str) else json.dumps(document)))


def capture(path: str | os.PathLike[str]) -> Capture:
    """Follows all connections of a capture (pcap, pcapng and others, which gzip or zstd may have packed)."""
    return Capture(_unbloat.capture(path))


def replay(
    path: str | os.PathLike[str],
    /,
    *,
    queue: str,
    rate: str,
    overhead: int = 0,
    mtu: int = 1500,
    seed: int = 1,
) -> Result:
    """Sends recorded arrivals (a CSV or a capture) through a queue before a link of this rate.

    The arguments are those of `unbloat replay`: `overhead` has the bytes that the link adds to each packet of
    a capture, and `mtu` is the longest packet. The link of the result is ``"replay"``.
    """
    if not 0 <= overhead <= _MOST_OVERHEAD:
        raise ValueError(f"overhead is {overhead!r}; it is a number of bytes up to {_MOST_OVERHEAD}")
    if mtu not in _MTUS:
        raise ValueError(f"mtu is {mtu!r}; it is a number of bytes from {_MTUS[0]} to {_MTUS[-1]}")
    return Result(_unbloat.replay(path, queue, rate, overhead, mtu, seed))


def papers() -> list[Paper]:
    """The papers that `reproduce` knows."""
    return [Paper(*paper) for paper in _unbloat.papers()]


def reproduce(
    name: str,
    parts: Sequence[str] = (),
    *,
    queues: Sequence[str] = (),
    threads: int | None = None,
) -> Reproduction:
    """Repeats the experiments of a paper, all or those of some parts, on `threads` threads.

    `queues` are for ``"rfc7928"``, which judges any queue. By default there is a thread for each processor.
    """
    threads = threads or os.cpu_count() or 1
    return Reproduction(_unbloat.reproduce(name, list(parts), list(queues), threads))
