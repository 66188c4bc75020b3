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


def assert_interrupted(script: str) -> None:
    """A script that prints `begun` ends by Ctrl-C after that, as Python's own would."""
    python = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert python.stdout is not None and python.stdout.readline() == "begun\n"
    python.send_signal(signal.SIGINT)
    _, errors = python.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert python.returncode != 0
