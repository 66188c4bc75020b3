"""What the program does besides runs: the same documents."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, assert_interrupted, program_path
from test_run import SMALL, without_cost

import unbloat

FLENT = ROOT / "crates/report/tests/files/ping.flent.gz"
IRTT = ROOT / "crates/report/tests/files/irtt.json.gz"
OBSERVATIONS = ROOT / "crates/unbloat/tests/files/six-busy-loops.json.gz"


def printed(program: Path, *arguments: str | Path) -> str:
    """What the program prints at a terminal of no known width."""
    typed = [program, *arguments]
    return subprocess.run(typed, check=True, capture_output=True, text=True, env={}).stdout


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A capture of an upload."""
    folder = tmp_path_factory.mktemp("captured")
    (folder / "small.toml").write_text(SMALL)
    printed(program_path(), "sim", folder / "small.toml", "-q", "--pcap", folder / "small.pcapng")
    return folder / "small.pcapng"


@pytest.mark.parametrize("file", [FLENT, IRTT, OBSERVATIONS])
def test_a_measurement_is_that_of_the_program(file: Path, program: Path, tmp_path: Path) -> None:
    measurement = unbloat.read_measurement(file)
    assert measurement.json == printed(program, "report", "--json", file)
    assert measurement.document["schema"] == "unbloat.measurement"
    page = tmp_path / "page.html"
    measurement.report(page)
    printed(program, "report", "-q", file, "--out", tmp_path / "printed.html")
    assert page.read_text() == (tmp_path / "printed.html").read_text()
    assert measurement._repr_html_().startswith("<iframe srcdoc=")
    text = gzip.decompress(file.read_bytes()).decode()
    for document in (text, json.loads(text), measurement.json):
        assert unbloat.diagnose(document).json == measurement.json


def test_a_measurement_has_a_grade_and_a_text() -> None:
    measurement = unbloat.read_measurement(FLENT)
    assert measurement.grade == measurement.document["grade"]
    assert "ping" in str(measurement).lower()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "it is empty; wanted is what `unbloat test HOST --json` prints"),
        ("{", "this JSON is broken: EOF .*; wanted is"),
        ("[]", "no measurement of unbloat, Flent or irtt"),
        ('{"schema": "unbloat.result"}', r"`unbloat\.result` is no measurement of a path"),
        ('{"schema": "unbloat.observations", "version": 9}', "only version 1 can be read"),
        ('{"schema": "unbloat.measurement"}', "this measurement cannot be read: missing field `version`"),
        ('{"x_values": 3}', "1:14: .* expected a list"),
    ],
)
def test_what_is_no_measurement_is_refused(text: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=says):
        unbloat.diagnose(text)
    with pytest.raises(ValueError, match=f"wrong.json: .*{says}"):
        unbloat.read_measurement(file)


def test_a_text_that_is_not_json_is_no_measurement(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader,")
    with pytest.raises(ValueError, match=r"letter.txt: it is not JSON; wanted is what `unbloat test"):
        unbloat.read_measurement(file)
    with pytest.raises(ValueError, match=r"document is 'before.json', .*read_measurement reads a file"):
        unbloat.diagnose("before.json")


def test_documents_have_names_and_travel(captured: Path) -> None:
    measurement, capture = unbloat.read_measurement(FLENT), unbloat.capture(captured)
    reproduction = unbloat.reproduce("gettys")
    assert repr(measurement) == f"<unbloat.Measurement of {measurement.document['server']}: no grade>"
    assert repr(capture) == f"<unbloat.Capture of {captured}: 1 connections>"
    assert repr(reproduction) == f"<unbloat.Reproduction of {reproduction.document['paper']}>"
    for one in (measurement, capture, reproduction):
        again = pickle.loads(pickle.dumps(one))
        assert type(again) is type(one) and again.document == one.document
        assert (str(again), again._repr_html_()) == (str(one), one._repr_html_())


@pytest.mark.parametrize("kind", [unbloat.Measurement, unbloat.Capture, unbloat.Reproduction])
def test_a_document_is_made_by_its_function(kind: Any) -> None:
    with pytest.raises(TypeError, match="shown is 3; it is what the functions of unbloat make"):
        kind(3)


def test_a_capture_is_that_of_the_program(captured: Path, program: Path, tmp_path: Path) -> None:
    capture = unbloat.capture(captured)
    assert capture.json == printed(program, "pcap", "-q", "--json", captured)
    assert str(capture).strip() == printed(program, "pcap", "-q", captured).strip()
    [connection] = capture.connections
    assert connection["ends"][0]["data_bytes"] > 1_000_000
    printed(program, "pcap", "-q", captured, "--report", tmp_path / "printed.html")
    capture.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == (tmp_path / "printed.html").read_text()


def test_a_packed_capture_is_read_as_far_as_it_goes(captured: Path, tmp_path: Path) -> None:
    packed = tmp_path / "small.pcapng.gz"
    packed.write_bytes(gzip.compress(captured.read_bytes()))
    whole = unbloat.capture(captured).document
    assert unbloat.capture(packed).document == {**whole, "file": str(packed)}
    packed.write_bytes(gzip.compress(captured.read_bytes())[:-20_000])
    assert 0 < unbloat.capture(packed).document["packets"] < whole["packets"]


def test_a_replay_is_that_of_the_program(captured: Path, program: Path) -> None:
    typed = ["--queue", "fq_codel", "--rate", "1mbit", "--overhead", "14", "--seed", "7", "--json", "-q"]
    result = unbloat.replay(captured, queue="fq_codel", rate="1mbit", overhead=14, seed=7)
    assert without_cost(json.loads(result.json)) == without_cost(
        json.loads(printed(program, "replay", captured, *typed))
    )
    assert result.links["replay"]["forward"]["delivered_packets"] > 500
    assert result.links["replay"]["forward"]["sojourn_ms"]["p95"] > 5


def test_the_packets_of_a_replay_are_those_of_the_program(captured: Path, program: Path) -> None:
    typed = ["--queue", "fq_codel limit 20", "--rate", "1mbit", "-q"]
    rows = list(csv.DictReader(printed(program, "replay", captured, *typed).splitlines()))
    table = unbloat.replay(captured, queue="fq_codel limit 20", rate="1mbit", packets=True).packets
    assert table.columns == list(rows[0]) and len(table) == len(rows) > 500
    assert {"delivered", "dropped_full"} <= set(table["fate"])
    for name in table:
        for value, row in zip(table[name], rows, strict=True):
            if isinstance(value, str) or value is None:
                assert (value or "") == row[name], name
            else:
                assert value == pytest.approx(float(row[name]), rel=1e-12), name
    with pytest.raises(
        ValueError, match="this result has no packets; one of a run or replay with packets=True"
    ):
        _ = unbloat.replay(captured, queue="codel", rate="1mbit").packets


def test_arrivals_are_rows_of_a_table(tmp_path: Path) -> None:
    file = tmp_path / "arrivals.csv"
    file.write_text("time_s,bytes\n0,1250\n0,1250\n0.0005,1250\n")
    link = unbloat.replay(file, queue="pfifo limit 1", rate="10mbit").links["replay"]["forward"]
    assert (link["delivered_packets"], link["drops"]["full"], link["sojourn_ms"]["max"]) == (2, 1, 1.0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"queue": "coddel"}, 'queue "coddel": '),
        ({"queue": "cake nat"}, "write `nonat`"),
        ({"rate": "10"}, 'rate "10": .*unit'),
        ({"rate": "9tbit"}, "too fast"),
        ({"overhead": -1}, "overhead is -1; it is a number of bytes up to 1000"),
        ({"mtu": 20}, "mtu is 20; it is a number of bytes from 68 to 1048576"),
        ({"mtu": 68.5}, "mtu is 68.5; it is a number of bytes"),
        ({"seed": -1}, "seed is -1; it is a whole number"),
        ({"queue": 3}, "queue is 3; it is a queue with its options"),
        ({"rate": 3}, "rate is 3; it is a rate"),
        ({"packets": 1}, "packets is 1; it is True or False"),
    ],
)
def test_a_wrong_replay_is_refused(arguments: dict[str, Any], says: str, captured: Path) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        unbloat.replay(captured, **{"queue": "codel", "rate": "1mbit", **arguments})


def replayed(path: Any) -> unbloat.Result:
    return unbloat.replay(path, queue="codel", rate="1mbit")


@pytest.mark.parametrize("read", [unbloat.capture, replayed])
def test_what_is_no_recording_is_refused(read: Any, tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader,\n")
    with pytest.raises(ValueError, match=r"letter\.txt: "):
        read(file)


@pytest.mark.parametrize("read", [unbloat.read_measurement, unbloat.capture, replayed])
def test_a_file_that_cannot_be_read_is_named(read: Any, tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    with pytest.raises(FileNotFoundError) as raised:
        read(missing)
    assert raised.value.filename == missing and missing in str(raised.value)
    with pytest.raises(IsADirectoryError) as is_folder:
        read(tmp_path)
    assert is_folder.value.filename == str(tmp_path)
    with pytest.raises(TypeError, match="path is 3; it is the path of a file"):
        read(3)


def test_a_reproduction_is_that_of_the_program(program: Path, tmp_path: Path) -> None:
    """The program uses all processors."""
    ours = unbloat.reproduce("gijsbers", threads=1)
    page = tmp_path / "printed.html"
    assert ours.json == printed(program, "reproduce", "gijsbers", "-q", "--json", "--report", page)
    ours.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.read_text()
    assert (
        str(unbloat.reproduce("gijsbers")).strip() == printed(program, "reproduce", "gijsbers", "-q").strip()
    )


def test_papers_are_those_of_the_program(program: Path) -> None:
    listed = json.loads(printed(program, "reproduce", "--json"))["papers"]
    assert [paper._asdict() for paper in unbloat.papers()] == listed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"name": "codell"}, "Did you mean `codel`"),
        ({"name": "gettys", "parts": ["one"]}, "gettys has no parts"),
        ({"name": "gettys", "queues": ["codel"]}, "queues of its own; rfc7928 takes others"),
        ({"name": "rfc7928", "queues": ["codell"]}, 'queue "codell": .* did you mean `codel`'),
        ({"name": "gettys", "threads": 0}, "threads is 0; it is a number of threads, from 1 to 2147483647"),
        ({"name": "gettys", "parts": "one"}, "parts is 'one'; it is a list of texts"),
        ({"name": "rfc7928", "queues": [3]}, "a value of queues is 3; it is a text"),
        ({"name": 3}, "name is 3; it is the name of a paper"),
    ],
)
def test_a_wrong_reproduction_is_refused(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises((ValueError, TypeError), match=says):
        unbloat.reproduce(**arguments)


def test_ctrl_c_ends_a_reproduction() -> None:
    script = "import unbloat\nprint('begun', flush=True)\nunbloat.reproduce('codel')\n"
    assert_interrupted(script)


def test_the_example_of_the_readme_runs(
    captured: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "before.flent.gz").write_bytes(FLENT.read_bytes())
    (tmp_path / "upload.pcapng").write_bytes(captured.read_bytes())
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "python" / "README.md").read_text()
    example = text.split("## Measurements, captures")[1].split("```python\n")[1].split("```")[0]
    exec(example, {"unbloat": unbloat})
    assert "10.0.0.1" in capsys.readouterr().out
