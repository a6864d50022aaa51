"""A small benchmark package with everything in it: skill, two runs, golden report, facts, review and baseline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.package.made_package import NAMES, make_package


def write(folder: Path) -> list[Path]:
    small = {name: replace(scenario, tasks=4, repeats=2) for name, scenario in NAMES.items()}
    return [make_package(folder, scenarios=small)]
