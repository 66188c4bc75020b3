"""What the tests share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def home() -> Path:
    """The scenario of an upload at home."""
    return ROOT / "scenarios" / "home-uplink.toml"


@pytest.fixture
def program() -> Path:
    """The program `unbloat`, of the same sources."""
    return program_path()


def program_path() -> Path:
    return Path(os.environ.get("UNBLOAT_PROGRAM", ROOT / "target" / "debug" / "unbloat"))


def turns_beside(run: Callable[[], object]) -> int:
    """How often another thread has had its turn during the run."""
    turns, ended = 0, threading.Event()

    def other() -> None:
        nonlocal turns
        while not ended.is_set():
            turns += 1
            time.sleep(0.001)

    thread = threading.Thread(target=other)
    thread.start()
    before = turns
    run()
    during = turns - before
    ended.set()
    thread.join()
    return during


def assert_interrupted(script: str | Path) -> None:
    """A script, or a file with one, that prints `begun` ends by Ctrl-C after that, as Python's own would."""
    typed = [sys.executable, str(script)] if isinstance(script, Path) else [sys.executable, "-c", script]
    # As at a terminal, all processes of the script get the signal.
    python = subprocess.Popen(
        typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert python.stdout is not None and python.stdout.readline() == "begun\n"
    os.killpg(python.pid, signal.SIGINT)
    _, errors = python.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert python.returncode != 0
