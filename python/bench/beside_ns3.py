"""unbloat beside ns-3, both as wheels of Python: install, import, a run, and the lines of a picture.

    python python/bench/beside_ns3.py WHEEL [--ns3 ns3==3.44.post0]

WHEEL is that of unbloat: `pip wheel . --no-deps`. Makes an environment for each in a temporary folder. The
times are seconds: those of the clock for an install, and those of the processor for all else, so that other
load on the machine counts little.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

HERE = Path(__file__).parent
#: The packets that S1 sends over the bottleneck in each: `bench peers` counts them.
PACKETS = 49_800


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("wheel")
    arguments.add_argument("--ns3", default="ns3==3.44.post0")
    given = arguments.parse_args()
    print(f"{'':24}{'unbloat':>10}{'ns-3':>10}{'times':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        sides = [
            Side(Path(scratch) / "unbloat", given.wheel, "import unbloat", HERE / "s1_unbloat.py"),
            Side(Path(scratch) / "ns3", given.ns3, "from ns import ns", HERE / "s1_ns3.py"),
        ]
        row("install, s", [side.install() for side in sides])
        row("installed, MB", [side.size_mb() - side.empty_mb for side in sides])
        row("import, CPU s", [side.least_s(side.import_) - side.least_s("") for side in sides])
        for side in sides:
            side.run(["-m", "pip", "install", "-q", "matplotlib"])
        runs = [side.s1_s() for side in sides]
        row("S1, CPU s", runs)
        row("a packet of S1, us", [1e6 * one / PACKETS for one in runs])
        row("S1 drawn, in all, CPU s", [side.cpu_s([str(side.script)]) for side in sides])
        row("lines of the picture", [float(lines(side.script)) for side in sides])


class Side:
    """An environment with one of the two simulators."""

    def __init__(self, folder: Path, package: str, import_: str, script: Path) -> None:
        self.folder, self.package, self.import_, self.script = folder, package, import_, script
        venv.create(folder, with_pip=True)
        self.empty_mb = self.size_mb()

    def install(self) -> float:
        began = time.perf_counter()
        self.run(["-m", "pip", "install", "-q", "--no-cache-dir", self.package])
        return time.perf_counter() - began

    def size_mb(self) -> float:
        files = [
            file for file in self.folder.rglob("*") if file.is_file() and "site-packages/pip" not in str(file)
        ]
        return sum(file.stat().st_size for file in files) / 1e6

    def s1_s(self) -> float:
        """The time of the run alone: that of the script without the picture, less that of its imports."""
        code = [line for line in self.script.read_text().splitlines() if not line.startswith("pyplot.")]
        imports = [line for line in code if line.startswith(("import ", "from "))]
        return self.least_s("\n".join(code)) - self.least_s("\n".join(imports))

    def least_s(self, code: str) -> float:
        return min(self.cpu_s(["-c", code]) for _ in range(3))

    def cpu_s(self, command: list[str]) -> float:
        before = children_s()
        self.run(command)
        return children_s() - before

    def run(self, command: list[str]) -> None:
        python = self.folder / "bin" / "python"
        subprocess.run([python, *command], check=True, cwd=self.folder, stderr=subprocess.DEVNULL)


def children_s() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def lines(script: Path) -> int:
    """The lines of a script that are neither empty nor its description."""
    return sum(bool(line.strip()) and not line.startswith('"""') for line in script.read_text().splitlines())


def row(name: str, figures: list[float]) -> None:
    ours, theirs = figures
    print(f"{name:24}{ours:10.3g}{theirs:10.3g}{theirs / ours:8.3g}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
