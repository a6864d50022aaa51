"""A small complete package, made from two simulated runs by the functions behind the commands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from xxhash import xxh3_128_hexdigest

from blade import api
from blade.counting.run import Run
from blade.engine.files import Progress
from blade.model import Analysis
from blade.options import Options
from blade.package.contents import Contents, open_contents
from blade.package.golden import write_draft
from blade.package.init import init
from blade.package.layout import Layout
from blade.package.review import ALL, accept
from blade.package.shallow import shallow
from blade.package.stages import Stages
from blade.simulate import Scenario, cause, write_run

BASE = Scenario(seed=7, tasks=10, repeats=3, model="sim-a", skill=0.6)
OTHER = replace(BASE, model="sim-b", skill=0.45, causes=(cause("broken_tool", tool="shifts_search", start=0.4),))
NAMES = {"model_a": BASE, "model_b": OTHER}
DATE = "2031-01-01"

SKILL = """\
---
name: front-desk-analysis
description: Analyzes rollouts of the front desk benchmark. Use when a run of it has to be explained.
---

# Front desk

## Overview

An agent at the front desk of a simulated office gets one ticket per task: cancel or move bookings, hand members over,
mark invoices, enter shifts. It works with search and change tools. The reward is 1 if the state of the office at the
end equals the expected state, else 0; the verifier compares records, never wording.

## Input schema

| field | holds |
|---|---|
| `task_id` | the task, the same in every run |
| `_ng_rollout_index` | the attempt |
| `reward` | 1 or 0, given by the verifier |
| `response.output` | messages, calls and outputs of tools, in order |
| `category`, `difficulty` | slices that are constant per task |

Rows without a response are infrastructure losses and are told apart from wrong answers before anything is counted.

## Workflow funnel

1. started: the row is there
2. first action: the agent called any tool at all
3. core action: it called a tool that changes something
4. received feedback: the tool answered
5. submitted: it ended with a message of its own
6. passed: the verifier found the expected state

## Failure taxonomy

- missing action: an expected change was never made; compare the calls with the expected actions of the task
- wrong action: a change with other arguments than expected, often a record filtered by hand
- extra change: something was changed that the ticket did not ask for
- tool failure: a search answers with an error and the agent goes on as if it were empty
- loop: the same call again and again until the limit of turns

## Analysis workflow

1. Deterministic metrics first: score, pass@k, buckets, funnel, failure modes, with `blade analyze`.
2. Qualitative reading second: open the largest modes and the sometimes-pass tasks, read trajectories in order.
3. Causal synthesis third: say which change would gain how much, and cite the rollouts that show it.

## Report template

Executive Summary, Artifact Inventory, Aggregate Results, Workflow Funnel, Task Outcome Buckets, Dominant Failure Modes,
Sometimes-Pass Deep Dives, Never-Pass Deep Dives, Cross-Model Comparison, Recommendations, Reproducibility Notes. Every
claim names the tasks and rollouts that it was seen in, with a quote.
"""


def make_package(
    folder: Path, *, reviewed: bool = True, scenarios: Mapping[str, Scenario] = MappingProxyType(NAMES)
) -> Path:
    """Build `benchmarks/front_desk` below the folder: skill, two runs, golden report, sidecar, anchors, shallow."""
    runs = [str(write_run(scenario, folder / "runs" / name)) for name, scenario in scenarios.items()]
    place = folder / "benchmarks" / "front_desk"
    layout = init(place, runs).layout
    (place / "skill" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    report, _ = write_draft(contents_of(place), "model_a")
    layout.anchors_path("model_a").write_text(json.dumps(anchor_facts(place), indent=2), encoding="utf-8")
    layout.shallow_path("model_a").write_text(shallow(report.read_text(encoding="utf-8")), encoding="utf-8")
    if reviewed:
        accept(layout, layout.golden_of("model_a"), (ALL,), (ALL,), "a reviewer", DATE)
    return place


def contents_of(place: Path, phase: str = "all") -> Contents:
    """A package with its rollouts read; those that are byte for byte what they were are neither read nor counted anew.

    So a test that breaks the report alone spares the time for the runs.
    """
    return open_contents(Layout(place), remembering(), OPTIONS, phase)


def remembering() -> Stages:
    """What `blade.toolkit.stages` gives, with a memory."""
    return Stages(_read, _analyze, api.report)


OPTIONS = Options(cache=False)
TEXTS = {"skill", "golden_reports", "calibration"}
"""Parts of a package that reading its runs does not look at."""


def _read(*paths: str | Path, options: Options | None = None, progress: Progress | None = None) -> list[Run]:
    if options != OPTIONS or len(paths) != 1 or not (only := Path(paths[0])).is_dir():
        return api.read(*paths, options=options, progress=progress)
    folder = only.parent
    files = sorted(path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in TEXTS)
    contents = tuple((str(path), path.read_bytes()) for path in files if path.is_file())
    return list(_read_once(only, xxh3_128_hexdigest(repr(contents).encode())))


@lru_cache(maxsize=8)
def _read_once(path: Path, _: str) -> tuple[Run, ...]:
    return tuple(api.read(path, options=OPTIONS))


_COUNTED: dict[tuple[int, ...], tuple[tuple[Run, ...], Analysis]] = {}


def _analyze(runs: Sequence[Run], options: Options) -> Analysis:
    if options != OPTIONS:
        return api.analyze_runs(runs, options)
    key = tuple(map(id, runs))
    if key not in _COUNTED:  # the runs are kept with it, so that no other can have their places in memory
        _COUNTED[key] = (tuple(runs), api.analyze_runs(runs, options))
    return _COUNTED[key][1]


def anchor_facts(place: Path) -> dict[str, object]:
    """True facts about single tasks, read off the rollouts."""
    (run, *_) = contents_of(place).runs
    passes_by_task: dict[str, list[bool]] = {}
    for rollout in run.rollouts():
        passes_by_task.setdefault(rollout.task, []).append(rollout.passed is True)
    facts = [
        f"Task {task} passes in {sum(passes)} of {len(passes)} attempts of model_a."
        for task, passes in sorted(passes_by_task.items())
    ]
    return {
        "benchmark": "front_desk",
        "model": "model_a",
        "extraction_method": "read off the rollouts",
        "generated_at": f"{DATE}T00:00:00Z",
        "review_required": True,
        "anchor_facts": [
            {"id": f"B{place}", "fact": fact, "difficulty": "medium", "mean_score": None}
            for place, fact in enumerate(facts, start=1)
        ],
    }
