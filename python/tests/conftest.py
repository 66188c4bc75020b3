"""What the tests share."""

from __future__ import annotations

import os
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
