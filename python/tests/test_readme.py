"""The examples of the package's README."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, program_path
from test_documents import FLENT, printed
from test_run import SMALL

TEXT = (ROOT / "python" / "README.md").read_text()
BLOCKS = [part.split("```")[0] for part in TEXT.split("```python\n")[1:]]
#: An example that needs what a clone does not have begins with this.
FRAGMENT = "# A fragment: "
WHOLE = [block for block in BLOCKS if not block.startswith(FRAGMENT)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the scenarios and with the files that the examples call the reader's own."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "scenarios").symlink_to(ROOT / "scenarios")
    (folder / "before.flent.gz").write_bytes(FLENT.read_bytes())
    (folder / "small.toml").write_text(SMALL)
    printed(program_path(), "sim", folder / "small.toml", "-q", "--pcap", folder / "upload.pcapng")
    return folder


@pytest.mark.parametrize(
    "block", WHOLE, ids=[f"line {TEXT[: TEXT.index(block)].count(chr(10))}" for block in WHOLE]
)
def test_an_example_runs_by_itself(block: str, clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    exec(compile(block, "README.md", "exec"), {"__name__": "example"})


def test_all_examples_run_one_after_the_other(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(clone)
    exec(compile("\n".join(WHOLE), "README.md", "exec"), {"__name__": "examples"})


def test_the_seed_of_the_sweep_matters(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = [block for block in WHOLE if "unbloat.sweep(" in block]
    monkeypatch.chdir(clone)
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block, "README.md", "exec"), names)
    figures = names["figures"].round(1)
    assert (figures["std"] > 0).all()
    told = [line.removeprefix("# ") for line in block.splitlines() if line.startswith("# ")]
    assert [line.split() for line in told] == [line.split() for line in str(figures).splitlines()]


def test_a_fragment_says_what_it_needs() -> None:
    fragments = [block for block in BLOCKS if block not in WHOLE]
    assert len(fragments) == 3 and all("\nimport unbloat\n" in block for block in fragments)
    for block in fragments:
        assert "it needs" in block.splitlines()[0]
        ast.parse(block)
