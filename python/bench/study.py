"""A study of 100,000 runs: what a queue costs and saves on lines of all kinds.

    python python/bench/study.py FOLDER --seeds 1000 --workers 2 --picture study.svg

Five queues, four rates, five round trips, and seeds, which draw when two uploads begin and which packets the
line loses: 100,000 runs with 1,000 seeds. Prints the estimated and the used time of the processors. `--dask`
does the runs on a cluster of Dask on this machine.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

import unbloat
from unbloat.scenario import Bulk, Link, Ping, Reverse, Scenario

QUEUES = ["pfifo limit 300", "codel", "pie", "fq_codel", "cake"]
MBIT = [1, 4, 16, 64]
RTT_MS = [10, 20, 50, 100, 200]

LINE = Scenario(
    title="Two uploads and a ping on a line",
    duration="30s",
    warmup="5s",
    link=[Link(name="line", from_="home", to="isp", loss="0.02%", reverse=Reverse(queue="pfifo", loss="0%"))],
    flow=[
        Bulk(name="upload", from_="home", to="isp", count=2, start=("0s", "2s")),
        Ping(name="ping", from_="home", to="isp", interval="50ms"),
    ],
)


def vary(seeds: int) -> dict[str, unbloat.Values]:
    return {
        "link.line.queue": QUEUES,
        "link.line.rate": [f"{mbit}mbit" for mbit in MBIT],
        "link.line.delay": [f"{rtt * 500}us" for rtt in RTT_MS],
        "seed": range(1, seeds + 1),
    }


class Processes(ProcessPoolExecutor):
    """Processes that tell for how long they did runs: the rest of the time they waited for some."""

    busy_s = 0.0

    def submit(self, *arguments, **named):
        future = super().submit(*arguments, **named)
        future.add_done_callback(self.note)
        return future

    def note(self, future):
        _, seconds = future.result()
        self.busy_s += seconds


@contextmanager
def cluster(workers: int):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as workers_of,
        Client(workers_of) as client,
    ):
        yield client


def children_s() -> float:
    spent = os.times()
    return spent.children_user + spent.children_system


def draw(runs: unbloat.Runs, picture: str) -> None:
    import matplotlib
    import pandas

    matplotlib.use("svg")
    from matplotlib import pyplot

    frame = pandas.DataFrame.from_arrow(runs.table)
    frame["mbit"] = frame["link.line.rate"].astype(str).str.removesuffix("mbit").astype(float)
    frame["rtt"] = frame["link.line.delay"].astype(str).str.removesuffix("us").astype(float) / 500
    frame["added"] = frame["flow.ping.rtt_ms.p95"] - frame["rtt"]
    matplotlib.rcParams["svg.hashsalt"] = "unbloat"
    _, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4))
    for queue, mine in frame.groupby("link.line.queue", observed=True):
        added = mine.groupby("mbit")["added"]
        (line,) = left.plot(MBIT, added.median(), label=queue)
        left.fill_between(
            MBIT, added.quantile(0.05), added.quantile(0.95), alpha=0.15, color=line.get_color()
        )
        right.plot(MBIT, mine.groupby("mbit")["utilisation"].median())
    for place in left, right:
        place.set_xscale("log", base=2)
        place.set_xticks(MBIT, [f"{mbit}" for mbit in MBIT])
        place.set_xlabel("rate in Mbit/s")
    left.set_yscale("log")
    left.set_ylabel("ping, 95th percentile, above the empty line, ms")
    right.set_ylabel("used part of the rate")
    right.set_ylim(0, 1.02)
    left.legend()
    pyplot.tight_layout()
    pyplot.savefig(picture, metadata={"Date": None})
    print(frame.groupby("link.line.queue", observed=True)[["added", "utilisation"]].median().round(3))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder")
    arguments.add_argument("--seeds", type=int, default=1000)
    arguments.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    arguments.add_argument("--dask", action="store_true")
    arguments.add_argument("--picture")
    given = arguments.parse_args()
    whole = unbloat.estimate(LINE, vary(1000), within_s=5)
    ours = whole.cpu_s * given.seeds / 1000
    print(f"{whole.runs} runs: estimated {whole.cpu_s:.0f} CPU s; these: {ours:.0f} CPU s", flush=True)
    with (cluster if given.dask else Processes)(given.workers) as workers:
        began, caller = time.perf_counter(), time.process_time()
        runs = unbloat.sweep(LINE, vary(given.seeds), folder=given.folder, executor=workers)
        clock, caller = time.perf_counter() - began, time.process_time() - caller
    print(f"{len(runs)} runs, {given.workers} workers: {clock:.1f} s")
    print(f"{children_s():.1f} CPU s of the workers, {caller:.2f} CPU s of the caller")
    if not given.dask:
        print(f"the workers did runs for {workers.busy_s / clock / given.workers:.1%} of the time")
    if given.picture:
        draw(runs, given.picture)


if __name__ == "__main__":
    sys.exit(main())
