"""Two runs of the front desk to try BLADE on: a better model whose run had bad luck."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from blade.simulate.cause_context import Scenario
from blade.simulate.causes import cause
from blade.simulate.gym_files import write_run

__all__ = ["BASELINE", "CANDIDATE", "demo_pair"]

BASELINE = Scenario(seed=2, tasks=40, repeats=4, model="sim-medium-1", skill=0.55)
CANDIDATE = replace(
    BASELINE,
    model="sim-medium-2",
    skill=0.63,
    causes=(
        cause("outage", start=0.3, length=0.12),
        cause("broken_tool", tool="shifts_search", start=0.55),
    ),
)


def demo_pair(folder: str | Path) -> tuple[Path, Path]:
    """Write the baseline and the candidate below the folder; the paths of their rollouts come back.

    The candidate is the better model. An outage and, later, a broken tool take more away than it gains.
    """
    folder = Path(folder)
    return write_run(BASELINE, folder / "baseline"), write_run(CANDIDATE, folder / "candidate")
