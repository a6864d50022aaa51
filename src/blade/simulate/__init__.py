"""Makes finished evaluation runs with known, planted causes: for the demo and for tests."""

from __future__ import annotations

from blade.simulate.cause_context import PlantedCause, Scenario
from blade.simulate.causes import cause
from blade.simulate.demo import demo_pair
from blade.simulate.gym_files import stream_lines, stream_rows, write_run
from blade.simulate.run import SimulatedRun, expected_score, make_run, score
from blade.simulate.truth import truth_of

__all__ = [
    "PlantedCause",
    "Scenario",
    "SimulatedRun",
    "cause",
    "demo_pair",
    "expected_score",
    "make_run",
    "score",
    "stream_lines",
    "stream_rows",
    "truth_of",
    "write_run",
]
