"""Runs side by side, and the pages of sweeps."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest
from test_run import SMALL, without_cost

import unbloat

QUEUES = ["codel", "fq_codel", "pfifo limit 100"]


def results() -> dict[str, unbloat.Result]:
    return {queue: unbloat.run(SMALL, {"link.uplink.queue": queue}) for queue in QUEUES}


def printed(program: Path, folder: Path, *typed: str) -> str:
    # The program fits tables to its terminal.
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(
        [program, *typed], check=True, capture_output=True, text=True, cwd=folder, env=environment
    )
    return done.stdout


def test_a_comparison_is_that_of_the_program(program: Path, tmp_path: Path) -> None:
    # As the program does, in one direction alone.
    reverse = {"link.uplink.reverse": {"queue": "pfifo"}}
    found = {queue: unbloat.run(SMALL, {"link.uplink.queue": queue, **reverse}) for queue in QUEUES}
    comparison = unbloat.compare(found)
    (tmp_path / "scenario").write_text(SMALL)
    told = printed(program, tmp_path, "sim", "scenario", "-q", "--compare", *QUEUES)
    assert told == str(comparison) and "fq_codel" in told
    assert told.endswith("\nOnly the queue of uplink.forward differs.\n")
    files = [f"{name}.json" for name in QUEUES]
    for file, result in zip(files, comparison.results.values(), strict=True):
        (tmp_path / file).write_text(result.json)
    printed(program, tmp_path, "report", *files, "-q", "--out", "expected.html")
    comparison.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == (tmp_path / "expected.html").read_bytes()


def test_the_document_of_a_comparison_is_that_of_the_program(program: Path, tmp_path: Path) -> None:
    # As the program does, in one direction alone.
    reverse = {"link.uplink.reverse": {"queue": "pfifo"}}
    found = {queue: unbloat.run(SMALL, {"link.uplink.queue": queue, **reverse}) for queue in QUEUES}
    comparison = unbloat.compare(found)
    (tmp_path / "scenario").write_text(SMALL)
    theirs = json.loads(printed(program, tmp_path, "sim", "scenario", "-q", "--json", "--compare", *QUEUES))
    for document in (theirs, ours := comparison.document):
        for run in document["runs"]:
            without_cost(run["result"])
    assert json.dumps(ours) == json.dumps(theirs)
    assert ours["link"] == "uplink.forward" and comparison.json.startswith("{\n")
    assert pickle.loads(pickle.dumps(comparison)).json == comparison.json


def test_a_comparison_says_what_alone_differs() -> None:
    both = str(unbloat.compare(results()))
    assert both.endswith("\nOnly the queues of uplink.forward and uplink.reverse differ.\n")

    class Half(unbloat.CongestionControl):
        """Grows by nothing."""

        def on_ack(self, window: unbloat.Window, ack: unbloat.Ack) -> None:
            return None

        def reduce(self, window: unbloat.Window, cause: str, now_ns: int) -> int:
            return 2

    one = unbloat.run(SMALL, {"link.uplink.queue": "codel"}, congestion={"backup": Half})
    # The document does not know the congestion control.
    for result in (one, pickle.loads(pickle.dumps(one)), unbloat.run(SMALL, seed=8)):
        assert "Only the" not in str(unbloat.compare({"one": result, "other": unbloat.run(SMALL)}))


def test_a_run_without_the_compared_link_is_named() -> None:
    other = SMALL.replace("uplink", "line")
    comparison = unbloat.compare({"one": unbloat.run(SMALL), "other": unbloat.run(other, seed=2)})
    assert "There is no link uplink in other." in str(comparison)
    assert comparison.document["link"] == "uplink.forward"


def test_a_comparison_shows_itself_in_notebooks() -> None:
    comparison = unbloat.compare(results())
    assert comparison._repr_html_().startswith("<iframe srcdoc=")
    assert repr(comparison) == "<unbloat.Comparison: codel, fq_codel, pfifo limit 100>"
    assert list(comparison.results) == QUEUES


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ([1], TypeError, r"results is \[1\]; it is a mapping of labels to results"),
        ({3: 1}, TypeError, "a key of results is 3; it is a text"),
        ({"a": 1, "b": 2}, TypeError, r'results\["a"\] is 1; it is an unbloat.Result'),
        ({}, ValueError, "results has 0 of them; at least two are compared"),
    ],
)
def test_a_wrong_comparison_is_refused(given: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        unbloat.compare(given)


def test_runs_show_themselves_as_the_program_shows_them(program: Path, tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text(SMALL)
    typed = ["sweep", "scenario", "--vary", "link.uplink.queue=codel,pie", "--vary", "seed=1..3"]
    text = printed(program, tmp_path, *typed, "--store", "runs", "-q", "--yes")
    runs = unbloat.Runs(tmp_path / "runs")
    assert str(runs).replace(str(tmp_path / "runs"), "runs") == text
    printed(program, tmp_path, "report", "runs", "-q", "--out", "expected.html")
    runs.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page == (tmp_path / "expected.html").read_text()
    document = printed(program, tmp_path, *typed, "--store", "runs", "-q", "--yes", "--json")
    assert runs.json.replace(str(tmp_path / "runs"), "runs") == document
    assert runs.document["schema"] == "unbloat.sweep" and runs.document["done"] == 6
    shown = runs._repr_html_()
    assert shown is not None and shown.startswith("<iframe srcdoc=")


def test_runs_that_are_missing_are_told(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done >= limit:
            raise KeyboardInterrupt

    for limit in (0, 2):
        with pytest.raises(KeyboardInterrupt):
            unbloat.sweep(SMALL, {"seed": range(1, 5)}, folder=tmp_path, threads=1, progress=stop)
        runs = unbloat.Runs(tmp_path)
        if limit == 0:
            assert len(runs) == 0 and runs._repr_html_() is None
            with pytest.raises(ValueError, match="has no successful run yet"):
                runs.report(tmp_path / "page.html")
    runs.report(tmp_path / "page.html")
    assert "of the sweep's 4 runs" in (tmp_path / "page.html").read_text().lower()


def test_the_table_of_runs_is_read_once_and_late(tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    runs = unbloat.sweep(SMALL, {"seed": [1, 2]}, folder=folder)
    for file in folder.glob("runs*"):
        file.rename(tmp_path / file.name)
    assert len(unbloat.Runs(folder)) == 0
    for file in tmp_path.glob("runs-*"):
        file.rename(folder / file.name)
    assert len(runs) == 2, "nothing was read before"
    assert runs.table is runs.table


@pytest.mark.parametrize("path", [None, 3, ""])
def test_the_path_of_a_page_is_checked(path: Any, tmp_path: Path) -> None:
    found = results()
    runs = unbloat.sweep(SMALL, {"seed": [1]}, folder=tmp_path)
    pages: list[Any] = [found["codel"], unbloat.compare(found), runs, unbloat.reproduce("gettys")]
    for shown in pages:
        with pytest.raises((TypeError, ValueError), match=r"path is .*; it is the path of a file"):
            shown.report(path)
