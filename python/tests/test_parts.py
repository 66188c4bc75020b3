"""What queues and congestion controls in Python have in common: threads, Ctrl-C, examples."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from conftest import ROOT, assert_interrupted, turns_beside
from test_aqm import BUSY
from test_run import SMALL

import unbloat

sys.path.append(str(ROOT / "python" / "examples"))

from codel import CoDel
from fair import FairQueue
from reno import Reno

EXAMPLES = ROOT / "python" / "examples"

PARTS: list[dict[str, Any]] = [
    {"queues": {"uplink": CoDel}},
    {"queues": {"uplink": FairQueue}},
    {"congestion": {"backup": Reno}},
]


@pytest.mark.parametrize("part", PARTS)
def test_other_threads_have_their_turns(part: dict[str, Any]) -> None:
    assert turns_beside(lambda: unbloat.run(BUSY, duration="120s", **part)) > 5


@pytest.mark.parametrize("part", ["queues={'uplink': CoDel}", "congestion={'backup': Reno}"])
def test_ctrl_c_ends_a_run(part: str) -> None:
    script = (
        f"import sys, unbloat\nsys.path.append({str(EXAMPLES)!r})\n"
        "from codel import CoDel\nfrom reno import Reno\nprint('begun', flush=True)\n"
        f"unbloat.run({SMALL!r}, duration='160h', {part})\n"
    )
    assert_interrupted(script)


@pytest.mark.parametrize(("name", "says"), [("codel", "CoDel"), ("fair", "FairQueue"), ("reno", "backup")])
def test_an_example_runs(
    name: str, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    source = (EXAMPLES / f"{name}.py").read_text()
    exec(compile(source, f"{name}.py", "exec"), {"__name__": "__main__"})
    assert says in capsys.readouterr().out


def of_readme(heading: str, monkeypatch: pytest.MonkeyPatch) -> unbloat.Result:
    """The result of the example below a heading of the README."""
    text = (ROOT / "python" / "README.md").read_text()
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(text.split(f"## {heading}\n")[1].split("```python\n")[1].split("```")[0], names)
    result: unbloat.Result = names["result"]
    return result


def test_the_examples_of_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    uplink = of_readme("A queue in Python", monkeypatch).links["uplink"]["forward"]
    assert uplink["queue"] == "DropLate" and uplink["drops"]["aqm"] > 10
    uplink = of_readme("A queue discipline in Python", monkeypatch).links["uplink"]["forward"]
    assert uplink["queue"] == "CallsFirst" and uplink["drops"]["full"] > 10
    vegas = of_readme("A congestion control in Python", monkeypatch).flows["backup"]
    assert vegas["rtt_ms"]["p95"] < 70
