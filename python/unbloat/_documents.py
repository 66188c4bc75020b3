"""Documents of the program other than runs: measurements, captures, recorded arrivals, papers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self, cast

from unbloat import _unbloat
from unbloat._arguments import FILE, check, check_path, shortened, threads_of, whole
from unbloat._result import Result, frame, write_page

#: The overheads and the longest packets of a replay, as in the program.
_OVERHEADS, _MTUS = range(1001), range(68, (1 << 20) + 1)


class Shown:
    """A document of the program. `print` shows it as the program does."""

    def __init__(self, shown: _unbloat.Shown, /) -> None:
        check("shown", shown, _unbloat.Shown, "what the functions of unbloat make documents of")
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
        write_page(path, self._shown.html)

    def __reduce__(self) -> tuple[type[Self], tuple[_unbloat.Shown]]:
        # Without the parts of the document that are cached.
        return type(self), (self._shown,)

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

    def __repr__(self) -> str:
        grade = "no grade" if self.grade is None else f"grade {self.grade}"
        return f"<unbloat.Measurement of {self.document['server']}: {grade}>"


class Capture(Shown):
    """The connections of a capture: what `unbloat pcap` finds (`schema/capture.schema.json`)."""

    @property
    def connections(self) -> list[dict[str, Any]]:
        """The connections, in the order in which they began, each with its two ends."""
        connections: list[dict[str, Any]] = self.document["connections"]
        return connections

    def __repr__(self) -> str:
        return f"<unbloat.Capture of {self.document['file']}: {len(self.connections)} connections>"


class Reproduction(Shown):
    """The figures of a paper beside ours (`schema/reproduction.schema.json`)."""

    def __repr__(self) -> str:
        return f"<unbloat.Reproduction of {self.document['paper']}>"


class Paper(NamedTuple):
    """A paper whose experiments `reproduce` repeats."""

    name: str
    title: str
    parts: list[str]


class Replayed(NamedTuple):
    """The settings of a replay."""

    queue: str
    rate: str
    overhead: int
    mtu: int
    seed: int
    packets: bool


def read_measurement(path: str | os.PathLike[str]) -> Measurement:
    """Reads a measurement: JSON of `unbloat test`, observations of it, or a file of Flent or irtt.

    gzip may have packed the file. Observations (`unbloat test --observations`) are judged by the rules of
    this version. Raises `ValueError` for a file that is no measurement.
    """
    check_path("path", path, FILE)
    return Measurement(_unbloat.read_measurement(path))


def diagnose(document: Mapping[str, Any] | str) -> Measurement:
    """The diagnosis of a measurement in JSON: text or a mapping, of the kinds that `read_measurement` reads.

    Observations are judged by the rules of this version; other measurements have their findings already.
    """
    check("document", document, str | Mapping, "the text of a measurement in JSON, or a mapping")
    if isinstance(document, str) and document.strip() and document.lstrip()[0] not in "{[":
        raise ValueError(
            f"document is {shortened(document)}, which is not JSON; it is the text of a measurement in JSON, "
            "or a mapping (unbloat.read_measurement reads a file)"
        )
    return Measurement(_unbloat.diagnose(document if isinstance(document, str) else _json(document)))


def _json(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(document))
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"document: {error}") from None


def capture(path: str | os.PathLike[str]) -> Capture:
    """Follows all connections of a capture (pcap, pcapng and others, which gzip or zstd may have packed)."""
    check_path("path", path, FILE)
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
    packets: bool = False,
) -> Result:
    """Sends recorded arrivals (a CSV or a capture) through a queue before a link of this rate.

    The arguments are those of `unbloat replay`: `overhead` has the bytes that the link adds to each packet of
    a capture, and `mtu` is the longest packet. The link of the result is ``"replay"``. `packets` keeps the
    fate of each packet for `Result.packets`, with the columns that the program writes.
    """
    check_path("path", path, FILE)
    check("queue", queue, str, 'a queue with its options, such as "fq_codel"')
    check("rate", rate, str, 'a rate, such as "10mbit"')
    overhead = whole("overhead", overhead, _OVERHEADS, f"a number of bytes up to {_OVERHEADS[-1]}")
    mtu = whole("mtu", mtu, _MTUS, f"a number of bytes from {_MTUS[0]} to {_MTUS[-1]}")
    seed = whole("seed", seed, range(2**64), "a whole number from 0 to 2**64 - 1")
    check("packets", packets, bool, "True or False")
    return Result(_unbloat.replay(path, Replayed(queue, rate, overhead, mtu, seed, packets)))


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
    check("name", name, str, "the name of a paper")
    names = _texts("parts", parts), _texts("queues", queues)
    return Reproduction(_unbloat.reproduce(name, *names, threads_of(threads)))


def _texts(name: str, values: Sequence[str]) -> list[str]:
    """The texts; a single one is refused, which is a sequence of its letters."""
    if isinstance(values, str) or not isinstance(cast("object", values), Iterable):
        raise TypeError(f"{name} is {values!r}; it is a list of texts")
    for value in values:
        check(f"a value of {name}", value, str, "a text")
    return list(values)
