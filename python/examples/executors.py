"""One sweep with each kind of executor, and whether its files are those of threads, to the byte.

    python python/examples/executors.py threads processes joblib dask ray
    mpiexec -n 3 python -m mpi4py.futures python/examples/executors.py mpi

Each name but the first two needs its package: joblib, distributed, ray, mpi4py.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import unbloat
from unbloat.scenario import Bulk, Link, Ping, Scenario

HOME = Scenario(
    duration="10s",
    link=[Link(name="uplink", from_="home", to="isp", rate="5mbit", delay="15ms", loss="0.1%")],
    flow=[
        Bulk(name="backup", from_="home", to="isp", start=("0s", "2s")),
        Ping(name="ping", from_="home", to="isp", interval="100ms"),
    ],
)
VARY: dict[str, unbloat.Values] = {
    "link.uplink.queue": ["pfifo limit 100", "codel", "pie", "fq_codel"],
    "seed": range(1, 51),
}


class RayExecutor(Executor):
    """The workers of Ray, which has no executor of its own."""

    def __init__(self) -> None:
        import ray

        ray.init(ignore_reinit_error=True)
        self._ray, self._max_workers = ray, int(ray.cluster_resources()["CPU"])

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._ray.remote(fn).remote(*args, **kwargs).future()
        return future


@contextmanager
def dask() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,  # type: ignore[no-untyped-call]
        Client(cluster) as client,  # type: ignore[no-untyped-call]
    ):
        yield client


def joblib() -> Executor:
    from joblib.externals.loky import get_reusable_executor

    executor: Executor = get_reusable_executor(max_workers=2)
    return executor


def mpi() -> Executor:
    from mpi4py.futures import MPIPoolExecutor

    executor: Executor = MPIPoolExecutor()
    return executor


EXECUTORS: dict[str, Callable[[], Any]] = {
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: ProcessPoolExecutor(2),
    "joblib": joblib,
    "dask": dask,
    "ray": RayExecutor,
    "mpi": mpi,
}


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.glob("runs*"))}


def main(names: list[str]) -> None:
    strange = [name for name in names if name not in EXECUTORS]
    if strange:
        sys.exit(f"there is no executor {strange[0]}; there are {', '.join(EXECUTORS)}")
    with tempfile.TemporaryDirectory() as scratch:
        expected = files(unbloat.sweep(HOME, VARY, folder=f"{scratch}/alone").folder)
        for name in names:
            with EXECUTORS[name]() as executor:
                began = time.perf_counter()
                runs = unbloat.sweep(HOME, VARY, folder=f"{scratch}/{name}", executor=executor)
                seconds = time.perf_counter() - began
            same = "the same bytes" if files(runs.folder) == expected else "OTHER BYTES"
            print(f"{name}: {len(runs)} runs in {seconds:.1f} s, {same}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["threads", "processes"])
