"""A tool agent at the front desk of a small house: the verifier compares the records at the end."""

from __future__ import annotations

from blade.simulate.benchmark import SimulatedBenchmark
from blade.simulate.benchmarks.front_desk.requests import make_task
from blade.simulate.benchmarks.front_desk.scripted_agent import attempt
from blade.simulate.benchmarks.front_desk.verifier import verify

__all__ = ["BENCHMARK"]

BENCHMARK = SimulatedBenchmark(
    name="front_desk",
    agent="front_desk_simple_agent",
    task=make_task,
    attempt=attempt,
    verify=verify,
)
