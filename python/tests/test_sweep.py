# pyright: standard
"""Sweeps, on threads, processes and a cluster."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from conftest import ROOT, assert_interrupted
from distributed import Client, LocalCluster
from test_run import SMALL

import unbloat
from unbloat import _sweep

sys.path.append(str(ROOT / "python" / "examples"))

import executors  # pyright: ignore[reportMissingImports]

VARY: dict[str, unbloat.Values] = {"link.uplink.queue": ["pfifo limit 100", "codel"], "seed": range(1, 6)}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the program."""
    folder = tmp_path_factory.mktemp("sweep")
    program = os.environ.get("UNBLOAT_PROGRAM", Path(__file__).parents[2] / "target" / "debug" / "unbloat")
    (folder / "scenario").write_text(SMALL)
    typed: list[str | Path] = [program, "sweep", "scenario", "--store", "runs", "-q", "--yes"]
    typed += ["--vary", "link.uplink.queue=pfifo limit 100,codel", "--vary", "seed=1..5"]
    subprocess.run(typed, check=True, capture_output=True, cwd=folder)
    return folder / "runs"


def frame(runs: unbloat.Runs) -> pandas.DataFrame:
    table: pandas.DataFrame = pandas.DataFrame.from_arrow(runs.table)  # type: ignore[attr-defined]
    return table


def same(one: Path, other: Path) -> bool:
    """True if both folders have the same runs, to the byte."""
    files = [{path.name: path.read_bytes() for path in folder.glob("runs*")} for folder in (one, other)]
    assert files[0]
    return files[0] == files[1]


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.parametrize("pool", [lambda: None, lambda: ThreadPoolExecutor(2), processes])
def test_the_program_and_each_executor_have_the_same_runs(pool: Any, expected: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    executor: Executor | None = pool()
    runs = unbloat.sweep(
        SMALL, VARY, folder=tmp_path / "runs", executor=executor, progress=lambda *at: told.append(at)
    )
    assert len(runs) == 10 and runs.failed == {}
    assert same(runs.folder, expected)
    assert told[-1] == (10, 10)
    means = frame(runs).groupby("link.uplink.queue", observed=True)["sojourn_ms.p95"].mean()
    assert means["codel"] < means["pfifo limit 100"] / 2


def test_the_program_reads_and_continues_a_folder(expected: Path, program: Path, tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text(SMALL)
    folder = tmp_path / "runs"

    def stop(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        unbloat.sweep(tmp_path / "scenario", VARY, folder=folder, threads=1, progress=stop)
    assert 4 <= len(unbloat.Runs(folder)) < 10
    typed: list[str | Path] = [program, "sweep", "scenario", "--store", "runs", "-q", "--yes"]
    typed += ["--vary", "link.uplink.queue=pfifo limit 100,codel", "--vary", "seed=1..5"]
    subprocess.run(typed, check=True, capture_output=True, cwd=tmp_path)
    assert same(folder, expected)


def test_ctrl_c_ends_the_threads_of_a_sweep(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    script = (
        "import threading, unbloat\n"
        "threading.Timer(1, print, ['begun'], {'flush': True}).start()\n"
        f"unbloat.sweep({SMALL!r}, {{'seed': range(1, 1000)}}, folder={str(folder)!r}, duration='2000s')\n"
    )
    assert_interrupted(script)
    assert len(unbloat.Runs(folder)) < 999


@pytest.mark.parametrize("kind", ["ThreadPoolExecutor", "ProcessPoolExecutor"])
def test_ctrl_c_ends_a_sweep_of_an_executor_beside_polars(kind: str, tmp_path: Path) -> None:
    """Polars has a handler of its own for the signal, and Ctrl-C goes to the workers, too.

    A signal while a worker is being forked is lost in Python's own code, so the workers have begun before. A
    worker that ends by it while it holds the lock of the results leaves the others waiting for ever, so the
    workers ignore it, as python/README.md advises.
    """
    ignoring = {
        "ThreadPoolExecutor": "",
        "ProcessPoolExecutor": ", initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)",
    }
    folder = tmp_path / "runs"
    (tmp_path / "study.py").write_text(
        "import concurrent.futures, signal, sys, polars, unbloat\n"
        "def tell(done, total):\n"
        "    if done > 0: print('begun', flush=True)\n"
        "if __name__ == '__main__':\n"
        f"    with concurrent.futures.{kind}(2{ignoring[kind]}) as pool:\n"
        f"        unbloat.sweep({SMALL!r}, {{'seed': range(1, 10**6)}}, folder={str(folder)!r},\n"
        "                      executor=pool, progress=tell)\n"
    )
    assert_interrupted(tmp_path / "study.py")
    assert len(unbloat.Runs(folder)) < 10**6 - 1


@pytest.mark.parametrize(
    "vary",
    [
        "{'seed': range(4 * 10**9)}",
        "{'seed': range(1, 4 * 10**9, 3)}",
        "{'seed': list(range(90_000))}",
        "{'seed': range(10**6), 'link.uplink.delay': [f'{us}us' for us in range(1, 90_000)]}",
    ],
)
def test_ctrl_c_ends_the_planning_of_a_huge_sweep(vary: str, tmp_path: Path) -> None:
    script = (
        "import threading, unbloat\n"
        "threading.Timer(0.1, print, ['begun'], {'flush': True}).start()\n"
        f"unbloat.sweep({SMALL!r}, {vary}, folder={str(tmp_path / 'runs')!r}, threads=1)\n"
    )
    began = time.monotonic()
    assert_interrupted(script)
    assert time.monotonic() - began < 30


def test_a_list_has_a_limited_number_of_values_and_a_range_has_not(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r'vary\["seed"\] has more than 100000 values; a range'):
        unbloat.estimate(SMALL, {"seed": list(range(100_001))})
    assert unbloat.estimate(SMALL, {"seed": range(0, 10**9, 3)}, within_s=0).runs == 333_333_334
    assert unbloat.estimate(SMALL, {"seed": range(9, 0, -3)}, within_s=0).runs == 3


@pytest.mark.parametrize("checked", [False, True])
def test_a_sweep_of_objects_goes_on(checked: bool, tmp_path: Path) -> None:
    trace = ROOT / "scenarios" / "mahimahi-trace.toml"

    def source() -> unbloat.ScenarioLike:
        short = unbloat.CheckedScenario(trace, duration="2s", warmup="0s")
        return short if checked else SMALL

    def stop(done: int, total: int) -> None:
        if done >= 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        unbloat.sweep(source(), {"seed": range(1, 6)}, folder=tmp_path, threads=1, progress=stop)
    assert 2 <= len(unbloat.Runs(tmp_path)) < 5
    told: list[tuple[int, int]] = []
    again = pickle.loads(pickle.dumps(source()))
    runs = unbloat.sweep(again, {"seed": range(1, 6)}, folder=tmp_path, progress=lambda *at: told.append(at))
    assert len(runs) == 5 and told[0][0] >= 2


def test_the_number_of_threads_is_checked(tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text(SMALL)
    for threads in [0, -1]:
        with pytest.raises(
            ValueError, match=f"threads is {threads}; it is a number of threads, from 1 to 2147483647"
        ):
            unbloat.sweep(tmp_path / "scenario", VARY, folder=tmp_path / "runs", threads=threads)
    runs = unbloat.sweep(tmp_path / "scenario", {"seed": [1, 2]}, folder=tmp_path / "runs", threads=10**6)
    assert len(runs) == 2


class Killer:
    """Kills the process of a worker, once."""

    def __init__(self, pid: int) -> None:
        self.pid: int | None = pid

    def __call__(self, done: int, total: int) -> None:
        if self.pid is not None and done >= 2:
            os.kill(self.pid, signal.SIGKILL)
            self.pid = None


def test_a_cluster_of_dask_loses_a_worker_and_no_run(expected: Path, tmp_path: Path) -> None:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        pids: Any = client.run(os.getpid)
        killer = Killer(next(iter(pids.values())))
        runs = unbloat.sweep(SMALL, VARY, folder=tmp_path / "runs", executor=client, progress=killer)
    assert killer.pid is None
    assert same(runs.folder, expected)


def test_a_worker_of_another_build_is_refused() -> None:
    sources = _sweep._Sources(SMALL, "scenario", (), (("seed", "1,2"),), (), "another")
    with pytest.raises(unbloat.RunError, match="the same one everywhere"):
        _sweep._simulate(sources, [0])


def test_what_is_done_is_kept_when_a_run_fails_on_its_way(tmp_path: Path) -> None:
    folder = tmp_path / "runs"

    class Broken(ThreadPoolExecutor):
        count = 0

        def submit(self, *arguments: Any, **named: Any) -> Any:
            Broken.count += 1
            if Broken.count > 2:
                raise RuntimeError("no more workers")
            return super().submit(*arguments, **named)

    with pytest.raises(RuntimeError, match="no more workers"):
        unbloat.sweep(SMALL, VARY, folder=folder, executor=Broken(1))
    assert 0 < len(unbloat.Runs(folder)) < 10
    assert len(unbloat.sweep(SMALL, VARY, folder=folder)) == 10


def test_the_example_of_executors_runs(capsys: pytest.CaptureFixture[str]) -> None:
    executors.main(["threads", "dask"])
    threads, dask = capsys.readouterr().out.splitlines()
    assert threads.startswith("threads: 200 runs") and dask.startswith("dask: 200 runs")
    assert threads.endswith("the same bytes") and dask.endswith("the same bytes")
    with pytest.raises(SystemExit, match="there is no executor foo; there are threads, processes"):
        executors.main(["threads", "foo"])


def test_the_cost_of_a_sweep_is_estimated() -> None:
    whole = unbloat.estimate(SMALL, VARY, within_s=60)
    assert (whole.runs, whole.tried) == (10, 10)
    part = unbloat.estimate(SMALL, {"seed": range(1, 10_001)}, within_s=0.2, duration="2s")
    assert part.runs == 10_000 and 1 <= part.tried < 10_000
    began = time.thread_time()
    unbloat.run(SMALL, duration="2s")
    assert 0.1 < part.cpu_s / 10_000 / (time.thread_time() - began) < 10
    with pytest.raises(unbloat.ScenarioError, match="qeue"):
        unbloat.estimate(SMALL, {"link.uplink.qeue": ["codel"]})


@pytest.mark.parametrize("count", [1, 2, 3, 10, 64, 1000])
def test_the_order_of_an_estimate_has_each_run_once(count: int) -> None:
    order = [_sweep._spread_out(index, count) for index in range(count)]
    assert sorted(order) == list(range(count))
    if count == 1000:
        gaps = [later - earlier for earlier, later in pairwise(sorted(order[:10]))]
        assert max(gaps) < 200


LOSS = {"rate": "1%", "burst": 5}


@pytest.mark.parametrize(
    ("vary", "expected"),
    [
        ({"title": ["one, two", 'a "b", [c', "1..3", "1-3", "", "[x, y]"]}, None),
        ({"link.uplink.loss": ["1%", LOSS]}, ["1%", '{ rate = "1%", burst = 5 }']),
        ({"seed": {"from": 1, "to": 3}}, ["1", "2", "3"]),
        ({"seed": range(1, 8, 3)}, ["1", "4", "7"]),
        ({"seed": (3, 1)}, ["3", "1"]),
        ({"link.uplink.rate,seed": [["1mbit", 1], ("2mbit", 2)]}, ["1mbit", "2mbit"]),
        ({"link.uplink.rate": [[["0s", "1mbit"], ["1s", "2mbit"]]]}, ['[["0s", "1mbit"], ["1s", "2mbit"]]']),
    ],
)
@pytest.mark.parametrize("pool", [lambda: None, lambda: ThreadPoolExecutor(1)])
def test_values_may_hold_commas(
    vary: dict[str, unbloat.Values], expected: list[str] | None, pool: Any, tmp_path: Path
) -> None:
    (path, values), *_ = vary.items()
    runs = unbloat.sweep(SMALL, vary, folder=tmp_path / "runs", duration="1s", executor=pool())
    assert runs.failed == {}
    done = pyarrow.table(runs.table)[path.split(",")[0]].to_pylist()
    wanted: list[Any] = expected if expected is not None else list(values)
    if path == "title":
        # What is no text by itself has quotes.
        done = [json.loads(text) if text.startswith('"') else text for text in done]
    assert done == wanted


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"vary": {"seed": 3}}, TypeError, r'vary\["seed"\] is 3; it is a sequence of values'),
        ({"vary": {"seed": {1, 2}}}, TypeError, r'vary\["seed"\] is {1, 2}; it is a sequence of values'),
        ({"vary": {"seed": []}}, ValueError, r'vary\["seed"\] has no value'),
        ({"vary": {"seed": [None]}}, TypeError, r'vary\["seed"\]: None is no value of a scenario'),
        ({"vary": {"seed": {"a": 1}}}, ValueError, r'vary\["seed"\] is .*; a mapping is a range'),
        ({"vary": {"seed,duration": ["1", "2"]}}, ValueError, "it is a list of 2 values, one a field"),
        ({"vary": ["seed"]}, TypeError, r"vary is \['seed'\]; it is a mapping of paths to values"),
        ({"vary": {3: [1]}}, TypeError, "a key of vary is 3"),
        ({"vary": None}, unbloat.ScenarioError, r'or write vary={"seed": "1..10"}'),
        ({"vary": {"seed": "1-3"}}, unbloat.ScenarioError, '--> vary={"seed": "1-3"}'),
        ({"seed": 3}, unbloat.ScenarioError, 'write vary={"seed": "3"}'),
        ({"executor": 3}, TypeError, "executor is 3; it is a concurrent.futures.Executor or a dask"),
        ({"progress": 3}, TypeError, "progress is 3; it is a function"),
        ({"folder": None}, TypeError, "folder is None; it is the path of a folder"),
        ({"threads": 1.5}, TypeError, "threads is 1.5; it is a number of threads"),
    ],
)
def test_a_wrong_argument_is_named(
    arguments: dict[str, Any], error: type[Exception], says: str, tmp_path: Path
) -> None:
    given = {"vary": {"seed": [1, 2]}, "folder": tmp_path / "runs", **arguments}
    with pytest.raises(error, match=says) as raised:
        unbloat.sweep(SMALL, given.pop("vary"), **given)
    assert "--vary" not in str(raised.value) and "--set" not in str(raised.value)


def test_progress_is_told_of_a_folder_that_is_done(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    for _ in range(2):
        told.clear()
        unbloat.sweep(SMALL, {"seed": [1, 2]}, folder=tmp_path / "runs", progress=lambda *at: told.append(at))
    assert told == [(2, 2)]


def test_a_chunk_has_a_limited_number_of_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_sweep, "_MOST_RUNS", 7)
    sizes: list[int] = []

    class Counting(ThreadPoolExecutor):
        def submit(self, *arguments: Any, **named: Any) -> Any:
            sizes.append(len(arguments[-1]))
            return super().submit(*arguments, **named)

    unbloat.sweep(SMALL, {"seed": range(1, 101)}, folder=tmp_path, executor=Counting(1), duration="1s")
    assert sum(sizes) == 100 and max(sizes) == 7


class OneByOne(Executor):
    """One worker, which ends a chunk when the next one waits, and takes no time."""

    def __init__(self, runs: int) -> None:
        self.left, self._max_workers = runs, 1
        self.chunks: list[int] = []
        self.waiting: list[tuple[Future[Any], Any]] = []

    def submit(self, work: Any, sources: Any, runs: list[int]) -> Future[Any]:  # type: ignore[override]
        future: Future[Any] = Future()
        self.chunks.append(len(runs))
        self.left -= len(runs)
        self.waiting.append((future, lambda: (work(sources, runs)[0], 0.0)))
        while len(self.waiting) > (self.left > 0):
            ended, rows = self.waiting.pop(0)
            ended.set_result(rows())
        return future


def test_the_last_chunks_are_small_so_that_all_workers_end_together(tmp_path: Path) -> None:
    executor = OneByOne(100)
    short: dict[str, Any] = {"duration": "1s", "warmup": "0s"}
    runs = unbloat.sweep(SMALL, {"seed": range(100)}, folder=tmp_path / "runs", executor=executor, **short)
    assert len(runs) == 100
    assert executor.chunks == [1, 1, 49, 25, 12, 6, 3, 2, 1]


@pytest.mark.parametrize("pool", [lambda: None, processes])
def test_a_checked_scenario_finds_its_trace(
    pool: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checked = unbloat.CheckedScenario(ROOT / "scenarios" / "mahimahi-trace.toml", duration="2s", warmup="0s")
    assert len(unbloat.sweep(checked, {"seed": [1, 2]}, folder="runs", executor=pool())) == 2


def test_mistakes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(unbloat.ScenarioError, match="qeue"):
        unbloat.sweep(SMALL, {"link.uplink.qeue": ["codel"]}, folder=tmp_path / "runs")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("")
    with pytest.raises(ValueError, match=r"not empty.*, or name another folder"):
        unbloat.sweep(SMALL, VARY, folder=tmp_path / "other")
    with pytest.raises(ValueError, match="no folder of runs"):
        unbloat.Runs(tmp_path / "other")
    unbloat.sweep(SMALL, {"seed": [1]}, folder=tmp_path / "begun", duration="2s", warmup="0s")
    with pytest.raises(ValueError, match="with duration=2s, warmup=0s, and this is with nothing overridden;"):
        unbloat.sweep(SMALL, {"seed": [1]}, folder=tmp_path / "begun")


def test_a_folder_of_runs_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runs = unbloat.sweep(SMALL, {"seed": [1, 2]}, folder="runs")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert runs.folder == tmp_path / "runs"
    assert len(runs) == 2 and "seed" in str(runs)


def test_varied_fields_become_numbers(tmp_path: Path) -> None:
    import pandas

    runs = unbloat.sweep(SMALL, {"seed": [1, 20]}, folder=tmp_path / "runs")
    frame = pandas.DataFrame.from_arrow(runs.table)  # type: ignore[attr-defined]
    assert frame.astype({"seed": int})["seed"].tolist() == [1, 20]
