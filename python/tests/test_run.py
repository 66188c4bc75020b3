"""Runs, their results, and how they end."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pytest
from conftest import ROOT, assert_interrupted

import unbloat

SMALL = """
title = "An upload and a ping"
duration = "5s"
seed = 7
link = [{ name = "uplink", from = "home", to = "isp", rate = "2mbit", delay = "10ms", queue = "pfifo" }]
flow = [
    { name = "backup", from = "home", to = "isp", traffic = "bulk" },
    { name = "ping", from = "home", to = "isp", traffic = "ping", interval = "100ms" },
]
"""


def without_cost(document: dict[str, Any]) -> str:
    """The document as JSON without what depends on the machine."""
    cost = document["cost"]
    for field in ("cpu_s", "packets_per_cpu_s", "peak_rss_mb"):
        cost[field] = None
    return json.dumps(document)


@pytest.mark.parametrize("queue", ["pfifo", "codel", "fq_codel", "cake bandwidth 2mbit"])
def test_the_program_has_the_same_result(home: Path, program: Path, queue: str) -> None:
    typed: list[str | Path] = [
        program,
        "sim",
        home,
        "--json",
        "--set",
        f"link.uplink.queue={queue}",
        "--seed",
        "9",
    ]
    printed = subprocess.run(typed, check=True, capture_output=True, text=True).stdout
    result = unbloat.run(home, {"link.uplink.queue": queue}, seed=9)
    assert without_cost(json.loads(result.json)) == without_cost(json.loads(printed))


def test_the_program_prints_the_same_text(home: Path, program: Path) -> None:
    typed: list[str | Path] = [program, "sim", home]
    # Without COLUMNS, which tells the width of somebody's terminal.
    printed = subprocess.run(typed, check=True, capture_output=True, text=True, env={}).stdout
    assert str(unbloat.run(home)) + "\n" == printed


def test_a_run_is_a_function_of_scenario_and_seed() -> None:
    assert unbloat.run(SMALL).json == unbloat.run(SMALL).json
    lossy = {"link.uplink.loss": 0.01}
    assert unbloat.run(SMALL, lossy).json != unbloat.run(SMALL, lossy, seed=8).json


def test_results_have_links_and_flows() -> None:
    result = unbloat.run(SMALL)
    assert list(result.flows) == ["backup", "ping"]
    assert 1.5 < result.flows["backup"]["goodput_mbit"] < 2
    assert result.links["uplink"]["forward"]["queue"].startswith("pfifo")
    assert result.verdict in repr(result)


def test_a_notebook_shows_the_page(tmp_path: Path) -> None:
    result = unbloat.run(SMALL)
    shown = result._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;html" in shown
    result.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_scenarios_come_as_text_file_mapping_or_object(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    scenario = unbloat.CheckedScenario(SMALL)
    sources: list[unbloat.ScenarioLike] = [SMALL, file, str(file), scenario, scenario.to_dict()]
    assert len({unbloat.run(source).json for source in sources}) == 1


def test_overrides_are_python_values() -> None:
    changed = unbloat.CheckedScenario(
        SMALL,
        {
            "link.uplink.queue": "codel",
            "link.uplink.loss": 0.25,
            "flow.backup.count": 3,
            "flow.backup.pacing": True,
            "change": [{"at": "2s", "link": "uplink", "rate": "1mbit"}],
        },
        duration="9s",
    ).to_dict()
    assert changed["duration"] == "9s"
    assert changed["link"][0]["loss"] == "0.25"
    assert changed["flow"][0]["count"] == 3
    assert changed["flow"][0]["pacing"] is True
    assert changed["change"][0]["rate"] == "1mbit"


def test_numbers_may_print_themselves_as_they_like() -> None:
    """As those of NumPy do."""

    class Share(float):
        def __repr__(self) -> str:
            return f"Share({float(self)})"

    changed = unbloat.CheckedScenario(SMALL, {"link.uplink.loss": Share(0.25), "title": "a queue, 😀"})
    assert changed.to_dict()["link"][0]["loss"] == "0.25"
    named = {"change": [{"at": "2s", "link": "uplink😀", "rate": "1mbit"}]}
    with pytest.raises(unbloat.ScenarioError, match="uplink😀"):
        unbloat.CheckedScenario(SMALL, named)


def test_a_mistake_tells_field_and_place(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(SMALL.replace("2mbit", "2mbps"))
    with pytest.raises(unbloat.ScenarioError) as raised:
        unbloat.run(file)
    error = raised.value
    assert (error.file, error.line, error.field) == (str(file), 5, "link.uplink.rate")
    assert error.column is not None
    assert "ambiguous" in error.message and "ambiguous" in str(error)
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("overrides", "says"),
    [
        ({"link.uplink.queue": "coddel"}, "did you mean `codel`"),
        ({"duratoin": "3s"}, "duration"),
        ({"link.downlink.rate": "1mbit"}, "there is no link `downlink`"),
        ({"duration": [1, "two", {"three": 3}]}, "duration"),
    ],
)
def test_a_wrong_override_is_named(overrides: dict[str, unbloat.Override], says: str) -> None:
    with pytest.raises(unbloat.ScenarioError, match=says) as raised:
        unbloat.run(SMALL, overrides)
    assert raised.value.line is None
    assert "--set" not in str(raised.value), "Python has no such option"


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(unbloat.ScenarioError, match=r"nowhere\.toml"):
        unbloat.run("nowhere.toml")


def test_progress_is_told_and_its_exceptions_end_the_run() -> None:
    told: list[float] = []
    unbloat.run(SMALL, {"link.uplink.rate": "100mbit"}, duration="30s", progress=told.append)
    assert len(told) > 2 and told == sorted(told) and told[0] > 0 and told[-1] == 1
    unbloat.run(SMALL, duration="1s", progress=told.append)
    assert told[-1] == 1, "a short run is told of, too"

    def refuse(_: float) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        unbloat.run(SMALL, duration="1h", progress=refuse)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"series": 1}, r"series is 1; it is a time"),
        ({"packets": "yes"}, r"packets is 'yes'; it is True or False"),
        ({"progress": 3}, r"progress is 3; it is a function"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        unbloat.run(SMALL, **arguments)


@pytest.mark.parametrize("recorded", [{}, {"series": "100ms", "packets": True}])
def test_a_result_travels_between_processes(recorded: dict[str, Any]) -> None:
    once = unbloat.run(SMALL, **recorded)
    assert once.document, "what is cached does not travel"
    for again in (pickle.loads(pickle.dumps(once)), copy.deepcopy(once)):
        assert (again.json, str(again), again._repr_html_()) == (once.json, str(once), once._repr_html_())
        for name in ("series", "packets") if recorded else ():
            table, other = (pyarrow.table(getattr(result, name)) for result in (once, again))
            assert table.equals(other) and table.schema.equals(other.schema)
    if recorded:
        values = numpy.asarray(pickle.loads(pickle.dumps(once.packets))["sojourn_ms"])
        assert numpy.array_equal(values, numpy.asarray(once.packets["sojourn_ms"]), equal_nan=True)


def test_runs_in_processes_are_those_of_here() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        scenario = unbloat.CheckedScenario(SMALL, {"link.uplink.queue": "codel"})
        there = pool.submit(unbloat.run, scenario, seed=3, packets=True).result()
        with pytest.raises(unbloat.ScenarioError, match="coddel") as raised:
            pool.submit(unbloat.run, scenario, {"link.uplink.queue": "coddel"}).result()
    assert there.json == unbloat.run(scenario, seed=3).json
    assert raised.value.field == "link.uplink.queue"


def test_other_threads_go_on() -> None:
    """Python itself does not switch between the threads here: only a run that lets others go on does."""
    begun, ended = threading.Event(), []
    # To read a scenario lets others go on, too.
    scenario = unbloat.CheckedScenario(SMALL, {"link.uplink.rate": "50mbit"}, duration="60s")

    def other() -> None:
        begun.wait()
        ended.append("other")

    thread = threading.Thread(target=other)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        begun.set()
        unbloat.run(scenario)
        ended.append("run")
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert ended == ["other", "run"]


def test_ctrl_c_ends_a_run() -> None:
    script = f"import unbloat\nprint('begun', flush=True)\nunbloat.run('''{SMALL}''', duration='160h')\n"
    assert_interrupted(script)


def cpu_s(script: str) -> float:
    """The time of a processor that a script takes in a new Python, without that of Python itself."""

    def once(script: str) -> float:
        before = os.times()
        subprocess.run([sys.executable, "-c", script], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    return min(once(script) for _ in range(3)) - min(once("") for _ in range(3))


def test_the_package_is_imported_quickly() -> None:
    assert cpu_s("import unbloat") < 0.1


def test_a_call_costs_little() -> None:
    scenario = unbloat.CheckedScenario(SMALL, duration="1ms")
    began = time.process_time()
    for _ in range(20):
        unbloat.run(scenario)
    assert (time.process_time() - began) / 20 < 0.001


def test_the_example_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "python" / "README.md").read_text()
    example = text.split("```python\n")[1].split("```")[0]
    (tmp_path / "scenarios").symlink_to(ROOT / "scenarios")
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert " ms\n" in capsys.readouterr().out
    assert (tmp_path / "run.html").exists()


def test_the_schema_describes_scenarios() -> None:
    assert {"link", "flow", "duration"} <= set(unbloat.schema()["properties"])


def test_the_examples_of_the_page_of_the_book_run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / "docs" / "python.md").read_text()
    monkeypatch.chdir(ROOT)
    for example in text.split("```python\n")[1:]:
        exec(example.split("```")[0], {})
    assert "fq_codel" in capsys.readouterr().out
