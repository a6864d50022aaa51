"""Real runs that causes are planted into: two halves of one run's attempts, or one run twice.

Rows are read where they lie and never copied into the project. Where a run has repeats, half of a task's attempts are
the base and the other half the candidate, so that the noise between them is real; where it has none, both are the same
rows and nothing but the plant differs.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = ["BASES", "CORPUS", "Base", "Halves", "detectable", "halves"]

CORPUS = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
DETECTABLE = 2.8016
MOST_TASKS = 100
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Base:
    """One real run. Fields are dotted; `flags` are what the verifier says besides the reward."""

    name: str
    files: tuple[str, ...]
    others: tuple[str, ...] = ()
    """Runs of other models on the same tasks, as donors of foreign rows."""
    category: str = ""
    key: str = ""
    answer: str = ""
    flags: tuple[str, ...] = ()
    complaint: str = ""
    """Where the verifier or the harness writes what went wrong."""
    makers: tuple[str, ...] = ("response.model",)
    repeats: bool = True
    transcripts: bool = True
    tools: bool = False


_MCPMARK = ("gpt-5-high", "claude-opus-4-5-high", "gpt-5-low", "grok-4", "claude-sonnet-4", "gpt-5-mini-high")
_LIVE = "gym-live/{}/{}/rollouts.jsonl"
BASES: Mapping[str, Base] = {
    base.name: base
    for base in (
        Base(
            "tau",
            ("real/tau_bench_airline/gpt-4o__tool-calling.jsonl",),
            key="verifier.expected_actions",
            flags=("verifier.reward_info.reward", "verifier.reward_info.info.r_actions"),
            complaint="verifier.error",
            tools=True,
        ),
        Base(
            "mcpmark",
            tuple(f"real/mcpmark/{name}.jsonl" for name in _MCPMARK),
            ("real/mcpmark/gpt-oss-120b.jsonl", "real/mcpmark/gpt-4-1.jsonl"),
            category="metadata.service",
            flags=("verifier.success",),
            complaint="verifier.error_message",
            makers=("response.model", "metadata.model"),
            transcripts=False,
        ),
        Base(
            "bfcl",
            (
                "real/bfcl/gpt-4-0125-preview__2024-07-20.jsonl",
                "real/bfcl/nvidia_nemotron-4-340b-instruct__2024-07-20.jsonl",
            ),
            category="metadata.category",
            key="verifier.possible_answer",
            flags=("verifier.valid",),
            complaint="verifier.error",
            repeats=False,
        ),
        Base(
            "livecodebench",
            ("real/livecodebench/O1-Preview-2024-09-12.jsonl", "real/livecodebench/O1-Mini-2024-09-12.jsonl"),
            category="metadata.difficulty",
            flags=("verifier.passed",),
            complaint="verifier.error",
            repeats=False,
        ),
        Base(
            "mcqa",
            (_LIVE.format("mcqa", "stub-strong"),),
            (_LIVE.format("mcqa", "stub-weak"),),
            key="expected_answer",
            answer="extracted_answer",
        ),
        Base(
            "reasoning",
            (_LIVE.format("reasoning_gym", "stub-strong"),),
            (_LIVE.format("reasoning_gym", "stub-weak"),),
            category="task_name",
            flags=("score",),
        ),
        Base(
            "workplace",
            (_LIVE.format("workplace_assistant", "stub-strong"),),
            (_LIVE.format("workplace_assistant", "stub-weak"),),
            tools=True,
        ),
        Base(
            "gsmplus",
            ("real/mast_ag2_gsmplus/gpt-4__impr_prompt_orig_topology.jsonl",),
            ("real/mast_ag2_gsmplus/gpt-4__orig_prompt_orig_topology.jsonl",),
            category="metadata.perturbation_type",
            key="verifier.expected",
            answer="verifier.extracted",
            flags=("verifier.correct",),
            complaint="verifier.error",
            makers=("response.model", "metadata.model", "metadata.config"),
        ),
    )
}


@dataclass(slots=True)
class Halves:
    """A pair without any change; `spare` are other rows of the same model, `donors` rows of another one, by task."""

    base: Base
    a: list[Row]
    b: list[Row]
    donors: dict[int, list[Row]] = field(default_factory=dict)


@lru_cache(maxsize=4)
def _lines(path: str) -> list[str]:
    return [line for line in (CORPUS / path).read_text(encoding="utf-8").splitlines() if line.strip()]


def _by_task(path: str) -> dict[int, list[str]]:
    found: defaultdict[int, list[str]] = defaultdict(list)
    for line in _lines(path):
        found[json.loads(line)["_ng_task_index"]].append(line)
    return dict(found)


def halves(name: str, rng: random.Random) -> Halves:
    """Two halves of a run, in an order of their own each, as rows finish in any order."""
    base = BASES[name]
    place = rng.randrange(len(base.files))
    tasks = _by_task(base.files[place])
    chosen = rng.sample(sorted(tasks), min(MOST_TASKS, len(tasks)))
    a: list[Row] = []
    b: list[Row] = []
    for task in chosen:
        rows = [json.loads(line) for line in tasks[task]]
        rng.shuffle(rows)
        half = len(rows) // 2
        sides = (
            (rows[:half], rows[half : 2 * half]) if base.repeats else (rows, [json.loads(one) for one in tasks[task]])
        )
        for side, kept in zip(sides, (a, b), strict=True):
            for attempt, row in enumerate(side):
                row["_ng_rollout_index"] = attempt
                kept.append(row)
    rng.shuffle(a)
    rng.shuffle(b)
    others = base.others or tuple(path for path in base.files if path != base.files[place])
    donors = _by_task(rng.choice(others)) if others else {}
    kept_donors = {task: [json.loads(line) for line in donors[task]] for task in chosen if task in donors}
    if rng.random() < 0.5:
        _date(a, rng)
        _date(b, rng)
    return Halves(base, a, b, kept_donors)


def _date(rows: list[Row], rng: random.Random) -> None:
    now = 1.76e9 + rng.randrange(10**6)
    for row in rows:
        now += rng.uniform(5, 60)
        row["response"]["created_at"] = round(now, 1)


def detectable(pair: Halves) -> float:
    """The change that so many rows could just detect, by the spread of both halves inside tasks."""
    rewards: defaultdict[int, list[float]] = defaultdict(list)
    for row in (*pair.a, *pair.b):
        rewards[row["_ng_task_index"]].append(row["reward"])
    if not pair.base.repeats:
        return 0.0
    variance = 0.0
    for values in rewards.values():
        mean, many = sum(values) / len(values), len(values)
        variance += sum((value - mean) ** 2 for value in values) / (many - 1) * 4 / many
    return float(DETECTABLE * variance**0.5 / len(rewards))
