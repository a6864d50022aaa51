"""The two runs of `blade demo`, made once for many tests."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import blade
from blade import api
from blade.counting.run import Run
from blade.simulate import demo_pair


@dataclass(frozen=True)
class Demo:
    """Read, analysed and written; not to be changed."""

    paths: tuple[Path, Path]
    runs: list[Run]
    analysis: blade.Analysis
    folder: Path
    """What one analysis leaves on disk."""


def make_demo(place: Path) -> Demo:
    options = blade.Options(cache=False)
    paths = demo_pair(place / "runs")
    runs = list(blade.read(*paths, options=options))
    analysis = blade.analyze_runs(runs, options)
    api.write(place / "report", runs, analysis)
    return Demo(paths, runs, analysis, place / "report")
