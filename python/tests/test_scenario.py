"""Scenarios as objects of Python."""

from __future__ import annotations

import ast
import json
import pickle
import shutil
import sys
import textwrap
import tomllib
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import jedi
import numpy
import pyarrow
import pytest
from conftest import ROOT
from test_run import SMALL

import unbloat
from unbloat import scenario
from unbloat._part import Part
from unbloat.scenario import Bulk, Burst, Change, Link, Ping, Reverse, Scenario

sys.path.append(str(ROOT / "python"))

import generate

FILES = sorted((ROOT / "scenarios").glob("*.toml"))


def home() -> Scenario:
    """The scenario of `scenarios/home-uplink.toml`."""
    return Scenario(
        title="One upload over a bloated uplink",
        duration="60s",
        warmup="10s",
        link=[
            Link(
                name="uplink",
                from_="home",
                to="isp",
                rate="2mbit",
                delay="5ms",
                queue="pfifo limit 300",
                reverse=Reverse(rate="20mbit"),
            ),
            Link(name="internet", from_="isp", to="server", rate="1gbit", delay="10ms"),
        ],
        flow=[
            Bulk(name="backup", from_="home", to="server"),
            Ping(name="ping", from_="home", to="server", interval="100ms"),
        ],
    )


def test_the_classes_are_those_of_the_schema() -> None:
    assert generate.CLASSES.read_text() == generate.generated(), "run `python python/generate.py`"
    assert unbloat.schema() == generate.schema(), "the schema is that of the program"


def built(kind: Any, value: Any) -> Any:
    """The value of a scenario file as objects of this type."""
    if isinstance(value, dict):
        classes = [
            one for one in (kind, *alternatives(kind)) if isinstance(one, type) and issubclass(one, Part)
        ]
        if "traffic" in value:
            classes = [one for one in classes if one.__name__.lower() == value["traffic"]]
        if not classes:
            return value
        hints = get_type_hints(classes[0])
        names = {field.name.rstrip("_"): field.name for field in fields(classes[0])}
        given = {names[key]: built(hints[names[key]], of) for key, of in value.items() if key != "traffic"}
        return classes[0](**given)
    if isinstance(value, list):
        items = [item for one in alternatives(kind) for item in get_args(one)] or get_args(kind)
        return [built(items[0] if items else Any, item) for item in value]
    return value


def alternatives(kind: Any) -> tuple[Any, ...]:
    return () if hasattr(kind, "__origin__") else get_args(kind)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_file_can_be_said_in_objects(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Traces are relative to the file, and to the current folder for an object.
    monkeypatch.chdir(file.parent)
    written = tomllib.loads(file.read_text())
    written.pop("$schema", None)
    written.setdefault("title", file.stem)
    objects = built(Scenario, written)
    assert all(isinstance(one, Link) for one in objects.link)
    checked = unbloat.CheckedScenario(objects)
    assert checked.to_dict() == unbloat.CheckedScenario(file, title=written["title"]).to_dict()


def test_an_object_has_the_bytes_of_its_file() -> None:
    file = ROOT / "scenarios" / "home-uplink.toml"
    assert unbloat.run(home()).json == unbloat.run(file).json
    codel = {"link.uplink.queue": "codel"}
    assert unbloat.run(home(), codel, seed=2).json == unbloat.run(file, codel, seed=2).json


def test_an_object_can_be_changed() -> None:
    changed = home()
    changed.duration = "15s"
    changed.link[0].queue = "codel"
    changed.change = [Change(at="2s", link="uplink", rate="1mbit")]
    overrides: dict[str, unbloat.Override] = {"link.uplink.queue": "codel", "change": changed.change}
    assert unbloat.run(changed).json == unbloat.run(home(), overrides, duration="15s").json


def test_objects_may_be_in_mappings_and_hold_values_of_numpy() -> None:
    objects = home()
    objects.seed = cast("int", numpy.int64(3))
    mapping = {**home().to_dict(), "seed": 3}
    assert unbloat.CheckedScenario(mapping).to_dict() == unbloat.CheckedScenario(objects).to_dict()


def test_a_sweep_takes_an_object(tmp_path: Path) -> None:
    file = tmp_path / "home.toml"
    file.write_text((ROOT / "scenarios" / "home-uplink.toml").read_text())
    sources: dict[str, unbloat.ScenarioLike] = {"file": file, "object": home()}
    of_file, of_object = (
        unbloat.sweep(source, {"seed": [1, 2]}, folder=tmp_path / name, duration="2s", warmup="0s")
        for name, source in sources.items()
    )
    assert of_file.table.columns == of_object.table.columns
    assert pyarrow.table(of_file.table).equals(pyarrow.table(of_object.table))


def test_only_what_is_set_is_shown() -> None:
    loss = Burst(rate="1%", burst=5)
    link = Link(name="uplink", from_="home", to="isp", loss=loss)
    assert repr(link) == "Link(name='uplink', from_='home', to='isp', loss=Burst(rate='1%', burst=5))"
    assert link.to_dict() == {
        "name": "uplink",
        "from": "home",
        "to": "isp",
        "loss": {"rate": "1%", "burst": 5},
    }
    assert repr(Bulk(name="b", from_="a", to="c")) == "Bulk(name='b', from_='a', to='c')"
    assert Bulk(name="b", from_="a", to="c").to_dict()["traffic"] == "bulk"
    assert link == Link(name="uplink", from_="home", to="isp", loss=Burst(rate="1%", burst=5))


def test_an_object_can_be_written_as_a_file() -> None:
    written = json.dumps(home().to_dict())
    assert unbloat.CheckedScenario(written).to_dict() == unbloat.CheckedScenario(home()).to_dict()


def test_mistakes_are_found_early() -> None:
    """The comments hold mypy to its errors: it refuses one that it does not need."""
    with pytest.raises(TypeError, match="rat"):
        Link(name="uplink", from_="home", to="isp", rat="2mbit")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="to"):
        Link(name="uplink", from_="home")  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="qeue"):
        home().link[0].qeue = "codel"  # type: ignore[attr-defined]
    wrong = home()
    wrong.link = [Link(name="uplink", from_="home", to="server", delay=5)]  # type: ignore[arg-type]
    with pytest.raises(unbloat.ScenarioError, match="`5` has no unit") as raised:
        unbloat.run(wrong)
    assert raised.value.field == "link.uplink.delay"
    wrong.flow = [Bulk(name="b", from_="a", to="c", congestion="cubik")]  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is no value of a scenario"):
        unbloat.run({**home().to_dict(), "seed": {1}})


def test_editors_complete_and_describe_fields() -> None:
    code = "from unbloat.scenario import Link\nlink = Link(name='a', from_='b', to='c')\n"
    completions = jedi.Script(code + "Link(que").complete()
    assert "queue=" in [one.name for one in completions]
    completions = jedi.Script(code + "link.del").complete()
    assert [one.name for one in completions] == ["delay"]


def test_each_field_is_described() -> None:
    tree = ast.parse(generate.CLASSES.read_text())
    for table in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        assert ast.get_docstring(table)
        for field, behind in pairwise([*table.body, ast.Pass()]):
            if isinstance(field, ast.AnnAssign) and ast.unparse(field.target) != "traffic":
                assert isinstance(behind, ast.Expr), f"{table.name}.{ast.unparse(field.target)}"


def test_the_examples_run() -> None:
    module = textwrap.dedent((scenario.__doc__ or "").split("keys.\n\n", 1)[1].split("\n\n`from_`")[0])
    readme = (ROOT / "python" / "README.md").read_text().split("## Scenarios as objects")[1]
    for example in module, readme.split("```python\n")[1].split("```")[0]:
        names: dict[str, Any] = {"unbloat": unbloat}
        exec(example, names)
        assert unbloat.run(names["scenario"]).flows["ping"]["rtt_ms"]["p50"] > 20


def test_a_checked_scenario_finds_its_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    traced = (ROOT / "scenarios" / "mahimahi-trace.toml").read_text().replace("traces/fading", "fading")
    (tmp_path / "home" / "traced.toml").write_text(traced)
    shutil.copy(ROOT / "scenarios" / "traces" / "fading.trace", tmp_path / "home")
    monkeypatch.chdir(tmp_path)
    sources = [unbloat.CheckedScenario(Path("home") / "traced.toml")]
    monkeypatch.chdir(tmp_path / "home")
    sources.append(unbloat.CheckedScenario(traced))
    sources.append(unbloat.CheckedScenario({**sources[0].to_dict()}))
    # The folder is kept when the current one changes.
    monkeypatch.chdir("/")
    wanted = unbloat.run(tmp_path / "home" / "traced.toml", duration="2s", warmup="0s", seed=4).flows
    for source in sources:
        changed = unbloat.CheckedScenario(source, duration="2s", warmup="0s")
        assert unbloat.run(changed, seed=4).flows == wanted
        assert unbloat.run(pickle.loads(pickle.dumps(changed)), seed=4).flows == wanted


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((3,), "scenario is 3; it is the path of a file, its text, a mapping"),
        ((None,), "scenario is None; it is the path of a file"),
        ((SMALL, ["a"]), r"overrides is \['a'\]; it is a mapping of paths to values"),
        ((SMALL, {3: 4}), "a key of overrides is 3"),
        ((SMALL, {"title": b"abc"}), "title: b'abc' is no value of a scenario"),
    ],
)
def test_a_wrong_argument_is_named(arguments: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        unbloat.CheckedScenario(*arguments)


def test_numbers_of_other_libraries_keep_their_values() -> None:
    wanted = unbloat.CheckedScenario(SMALL, {"link.uplink.loss": 0.5}).to_dict()["link"][0]["loss"]
    values: list[Any] = [Decimal("0.5"), Fraction(1, 2), numpy.float32(0.5), numpy.float64(0.5)]
    for value in values:
        checked = unbloat.CheckedScenario(SMALL, {"link.uplink.loss": value})
        assert checked.to_dict()["link"][0]["loss"] == wanted, value
    with pytest.raises(unbloat.ScenarioError):
        unbloat.CheckedScenario(SMALL, seed=cast("Any", Fraction(7, 2)))
    with pytest.raises(TypeError, match=r"link.uplink.rate: None is no value of a scenario; write a text"):
        unbloat.CheckedScenario(SMALL, {"link.uplink.rate": cast("Any", None)})
