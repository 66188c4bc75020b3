"""Many runs of one scenario, on one machine or on many."""

from __future__ import annotations

import json
import math
import os
import re
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias, cast, runtime_checkable

from unbloat import _unbloat
from unbloat._arguments import (
    FOLDER,
    check,
    check_function,
    check_names,
    check_path,
    check_text,
    real,
    threads_of,
)
from unbloat._keywords import fields_of
from unbloat._result import frame, write_page
from unbloat._scenario import Override, ScenarioLike, Written, changes_of, text_of, toml, written_of

#: The values of a varied field: a sequence, a mapping such as ``{"from": 1, "to": 10}``, or a text as
#: `unbloat sweep --vary` takes it (``"1mbit..64mbit step x2"``).
Values: TypeAlias = "str | Sequence[Override] | Mapping[str, Override]"

#: The time that a chunk of runs should take, in seconds: long beside what it costs to send it, short beside
#: what is lost with a worker.
_CHUNK_S = 5.0

#: The most runs of a chunk, which limits what the caller has in memory: the rows of a run are some kilobytes.
_MOST_RUNS = 1000

#: The most values of a list, which is in memory and is tried value by value. A range is neither.
_MOST_VALUES = 100_000

#: The chunks that wait for each worker, so that none is idle.
_AHEAD = 2

#: A text that means itself in `--vary`, without quotes.
_PLAIN = re.compile(r"[\w]([\w ]*[\w])?", re.ASCII)


@runtime_checkable
class Client(Protocol):
    """What is used of a `dask.distributed.Client`, which has no types of its own."""

    def get_executor(self) -> Any: ...
    def nthreads(self) -> Any: ...


#: What `executor` and `within_s` are, for errors.
_EXECUTOR = "a concurrent.futures.Executor or a dask.distributed.Client"
_WITHIN = "a time in seconds, at least 0"


@dataclass(frozen=True)
class _Sources:
    """What a worker needs to know of a sweep."""

    text: str
    name: str
    overrides: tuple[tuple[str, str], ...]
    vary: tuple[tuple[str, str], ...]
    traces: tuple[tuple[str, str], ...]
    build: str


class Runs:
    """The runs in a folder, which `unbloat sweep` and `unbloat report` read, too.

    The folder is read when something of it is asked for, and the table only once. `print(runs)` shows the
    groups of runs as `unbloat sweep` does.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        check_path("folder", folder, FOLDER)
        _unbloat.check_runs(folder)
        # It stays the same folder after a change of the current one.
        self.folder = Path(folder).absolute()

    @cached_property
    def _read(self) -> tuple[_unbloat.Table, list[tuple[int, str]]]:
        return _unbloat.read_runs(self.folder)

    @property
    def table(self) -> _unbloat.Table:
        """A row for each run that is done: ``run``, the varied fields as names, and the figures.

        The figures are those of the result document; the end of a name is its unit.
        """
        return self._read[0]

    @property
    def json(self) -> str:
        """The document as JSON, as `unbloat sweep --json` prints it, with the groups of the runs.

        The commands that repeat failed runs are empty: the folder does not know the file of the scenario.
        """
        return _unbloat.runs_json(self.folder)

    @property
    def document(self) -> dict[str, Any]:
        """The document; its fields are described in `schema/sweep.schema.json`."""
        document: dict[str, Any] = json.loads(self.json)
        return document

    @property
    def failed(self) -> dict[int, str]:
        """The runs that failed, with their errors."""
        return dict(self._read[1])

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page of the runs with their plots, as `unbloat report` draws the folder.

        Raises `ValueError` if no run is done.
        """
        write_page(path, lambda: _unbloat.runs_html(self.folder))

    def __len__(self) -> int:
        return len(self.table)

    def __str__(self) -> str:
        return _unbloat.runs_text(self.folder)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        return f"<unbloat.Runs in {self.folder}: {len(self)} runs{failed}>"

    def _repr_html_(self) -> str | None:
        # Without a run, a notebook shows the text.
        return frame(_unbloat.runs_html(self.folder)) if len(self) else None


def sweep(
    scenario: ScenarioLike,
    vary: Mapping[str, Values] | None = None,
    overrides: Mapping[str, Override] | None = None,
    /,
    *,
    folder: str | os.PathLike[str],
    executor: Executor | Client | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **fields: Override,
) -> Runs:
    """Does all runs of a scenario whose fields vary, and keeps them in a folder.

    `vary` has the values of each field by its path, and adds to the ``[sweep]`` table of the scenario:
    ``{"link.uplink.queue": ["codel", "fq_codel"], "seed": range(1, 31)}``. Fields that vary together have
    one path, and a list for each step: ``{"link.up.rate,link.down.rate": [["1mbit", "8mbit"],
    ["5mbit", "40mbit"]]}``. `overrides` and further keywords replace fields in all runs, as for `run`.

    Without an `executor`, the runs are done on `threads` threads of this machine, by default one a processor.
    With one, which excludes `threads`, they are done in chunks where it has its workers: any
    `concurrent.futures.Executor`, or a `dask.distributed.Client`. The results are the same, to the byte.
    `progress` is called with the number of runs that are done, and with that of all: at the beginning, and
    after each run or chunk.

    The folder has the format of `unbloat sweep`. Each run that is done is kept at once, and with an
    executor each chunk: after an interrupt or a failure, the same call does what is missing. A worker
    that is lost costs its chunk.

    Raises `ScenarioError` for a mistake in the scenario or its values, `ValueError` or `TypeError` for
    another wrong argument, which it names, and `RunError` if a worker has another build of unbloat.
    """
    check_path("folder", folder, FOLDER)
    # A cluster of Dask has an address, and its client is the executor.
    hint = "; Client(cluster) makes one of a cluster" if hasattr(executor, "scheduler_address") else ""
    check("executor", executor, Executor | Client | None, _EXECUTOR + hint)
    if executor is not None and threads is not None:
        raise ValueError(f"threads is {threads!r}, and there is an executor, which has its own workers")
    if getattr(executor, "status", None) == "closed":
        raise ValueError(f"executor is {executor!r}; it is a client that is not closed")
    if getattr(executor, "asynchronous", False):
        raise ValueError(
            f"executor is {executor!r}, an asynchronous client; it is one with asynchronous=False"
        )
    check_function("progress", progress)
    threads = threads_of(threads)
    with fields_of("sweep", fields):
        changes, varied = changes_of(overrides, fields), _varied(vary)
        plan = _plan_of(scenario, changes, varied)
    store = _unbloat.Store(folder, plan)
    try:
        total = len(plan)
        kept = total - store.missing

        def tell(done: int) -> None:
            if progress is not None:
                progress(kept + done, total)

        tell(0)
        if executor is None:
            store.run(plan, threads, tell)
        else:
            text, name, traces = plan.sources()
            pairs = tuple(traces.items())
            sources = _Sources(text, name, tuple(changes), tuple(varied), pairs, _unbloat.__build__)
            _spread(store, sources, executor, tell)
    finally:
        store.close()
    return Runs(folder)


class Estimate(NamedTuple):
    """The estimated cost of a sweep."""

    #: The number of all runs.
    runs: int
    #: The number of runs that were tried.
    tried: int
    #: The time of a processor for all runs, in seconds.
    cpu_s: float


def estimate(
    scenario: ScenarioLike,
    vary: Mapping[str, Values] | None = None,
    overrides: Mapping[str, Override] | None = None,
    /,
    *,
    within_s: float = 2.0,
    **fields: Override,
) -> Estimate:
    """Estimates the cost of a sweep from some of its runs, which it does and does not keep.

    The arguments are those of `sweep`. The runs are spread over the whole sweep, one after the other, until
    `within_s` seconds have passed or all runs are done; at least one run is done.

    Raises `ScenarioError` for a mistake in the scenario or its values, and `ValueError` or `TypeError` for
    another wrong argument, which it names.
    """
    within_s = real("within_s", within_s, 0, math.inf, _WITHIN)
    with fields_of("estimate", fields):
        plan = _plan_of(scenario, changes_of(overrides, fields), _varied(vary))
    ends, began, tried = time.monotonic() + within_s, time.thread_time(), 0
    while tried < len(plan) and (tried == 0 or time.monotonic() < ends):
        plan.rows([_spread_out(tried, len(plan))])
        tried += 1
    return Estimate(len(plan), tried, (time.thread_time() - began) * len(plan) / tried)


def _spread_out(index: int, count: int) -> int:
    """The run of this index, in an order that has each run once and is spread out from its beginning.

    The steps of the golden ratio leave no large gaps.
    """
    step = max(1, round(count * (math.sqrt(5) - 1) / 2))
    while math.gcd(step, count) > 1:
        step += 1
    return index * step % count


def _spread(
    store: _unbloat.Store,
    sources: _Sources,
    executor: Executor | Client,
    tell: Callable[[int], None],
) -> None:
    """Does the missing runs where the executor has its workers, in chunks that last alike."""
    pool, workers = _pool(executor)
    pending: set[Future[tuple[str, float]]] = set()
    # How long a run takes is not known before the first one.
    size, done = 1, 0
    # The runs that no worker has yet: the last of them are shared out in ever smaller chunks, so that all
    # workers end at about the same time.
    left = store.missing
    try:
        while True:
            while len(pending) < _AHEAD * workers and (runs := store.take(size)):
                left -= len(runs)
                pending.add(pool.submit(_simulate, sources, runs))
            if not pending:
                return
            ended, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in ended:
                rows, seconds = future.result()
                count = store.keep(rows)
                done += count
                share = -(-left // (_AHEAD * workers))
                size = max(1, min(int(_CHUNK_S * count / max(seconds, 1e-6)), share, _MOST_RUNS))
            tell(done)
    finally:
        for future in pending:
            future.cancel()


def _pool(executor: Executor | Client) -> tuple[Executor, int]:
    """The executor, and the number of its workers as far as it is known."""
    if isinstance(executor, Executor):
        return executor, cast("int | None", getattr(executor, "_max_workers", None)) or os.cpu_count() or 1
    return executor.get_executor(), max(1, sum(executor.nthreads().values()))


def _simulate(sources: _Sources, runs: list[int]) -> tuple[str, float]:
    """Does runs on a worker. Returns their rows, and the seconds that they took."""
    if sources.build != _unbloat.__build__:
        raise _unbloat.RunError(
            f"this worker has the build {_unbloat.__build__} of unbloat, and the caller {sources.build}: "
            "install the same one everywhere"
        )
    started = time.perf_counter()
    return _plan(sources).rows(runs), time.perf_counter() - started


@lru_cache(maxsize=4)
def _plan(sources: _Sources) -> _unbloat.Plan:
    overrides, vary = list(sources.overrides), list(sources.vary)
    return _unbloat.Plan.parse(sources.text, sources.name, overrides, vary, dict(sources.traces), "")


def _plan_of(
    source: ScenarioLike, changes: list[tuple[str, str]], varied: list[tuple[str, str]]
) -> _unbloat.Plan:
    written = written_of(source)
    if isinstance(written, Written):
        return _unbloat.Plan.parse(written.text, "scenario", changes, varied, {}, written.folder)
    return _unbloat.Plan.load(written, changes, varied)


def _varied(vary: Mapping[str, Values] | None) -> list[tuple[str, str]]:
    """The varied fields, and their values as `--vary` takes them."""
    if vary is None:
        return []
    check_names("vary", vary, 'a mapping of paths to values, such as {"seed": range(1, 11)}')
    return [(path, _values(path, values)) for path, values in vary.items()]


def _values(path: str, values: Values) -> str:
    name = f'vary["{path}"]'
    if isinstance(values, str):
        check_text(name, values)
        return values
    if isinstance(values, Mapping):
        if "from" not in values:
            raise ValueError(f'{name} is {values!r}; a mapping is a range, such as {{"from": 1, "to": 10}}')
        return toml(values)
    wanted = 'a sequence of values, or a range such as "1..10"'
    check(name, values, Iterable, wanted)
    # The order of a set is not the same in another process.
    if isinstance(values, bytes | Set):
        raise TypeError(f"{name} is {values!r}; it is {wanted}")
    if isinstance(values, range) and values.step > 0 and len(values) > 1:
        step = "" if values.step == 1 else f" step {values.step}"
        return f"{values[0]}..{values[-1]}{step}"
    texts = [_value(name, path.count(",") + 1, value) for value in islice(values, _MOST_VALUES + 1)]
    if not texts:
        raise ValueError(f"{name} has no value; at least one is needed")
    if len(texts) > _MOST_VALUES:
        raise ValueError(f"{name} has more than {_MOST_VALUES} values; a range, as of seeds, can have more")
    return ",".join(texts)


def _value(name: str, fields: int, value: Override) -> str:
    """A value of these fields in a list of `--vary`, where a comma divides values."""
    if fields > 1 and (isinstance(value, str) or not isinstance(value, Sequence) or len(value) != fields):
        raise ValueError(f"a value of {name} is {value!r}; it is a list of {fields} values, one a field")
    text = text_of(name, value)
    if not isinstance(value, str) or _PLAIN.fullmatch(text):
        return text
    try:
        tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return toml(text)
    return text
