"""In a task that sometimes passes, which call do all passing attempts make and no failing one, or the reverse?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.deciding_steps import deciding_calls
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, listed

TITLE = "Calls that only passes, or only failures, of a task make"
ORDER = 78
WEIGHT = 1.3
MOST_SHOWN = 8


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks whose passing and failing attempts differ in a call that is rare elsewhere in the run."""
    tasks, chances = [], []
    for run in runs:
        found, likely = deciding_calls(run)
        tasks += [{name: value for name, value in entry.items() if name != "key"} for entry in found]
        chances += likely
    if not tasks:
        return None
    tasks.sort(
        key=lambda entry: (
            -min(len(entry["passing"]), len(entry["failing"])),
            entry["rarest"],
            entry["run"],
            entry["task"],
        )
    )
    return {
        "tasks": tasks[:MOST_SHOWN],
        "left_out": len(tasks[MOST_SHOWN:]),
        "asked": len(chances),
        "by_chance": significant(math.fsum(chances), WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Bullets(tuple(Paragraph((_sentence(entry),)) for entry in answer["tasks"]))]
    left = f" {count(answer['left_out'], 'more task')} of this kind in analysis.json." if answer["left_out"] else ""
    tasks = answer["asked"]
    by_chance = say(
        "If outcomes were random among the attempts at each task, {many} of {tasks} that sometimes "
        + ("passes" if tasks == 1 else "pass")
        + " would show such a call, too.",
        many=fact(f"about {answer['by_chance']:.2g}", answer["by_chance"], *_PATH, "by_chance"),
        tasks=fact(count(tasks, "task"), tasks, *_PATH, "asked"),
    )
    note = say("So few attempts prove nothing: read these first, but do not take them as causes.{left}", left=left)
    return [*blocks, Paragraph((note, by_chance))]


_PATH = ("investigation", "deciding_calls")


def _sentence(entry: Mapping[str, Any]) -> Sentence:
    passing, failing = (_attempts(entry[key]) for key in ("passing", "failing"))
    parts = []
    if entry["in_passes"]:
        parts.append(f"passing {passing} call {_calls(entry['in_passes'])}, failing {failing} do not")
    if entry["in_failures"]:
        parts.append(f"failing {failing} call {_calls(entry['in_failures'])}, passing {passing} do not")
    return say("{task} ({run}): {parts}.", task=entry["task"], run=entry["run"], parts="; ".join(parts))


def _attempts(numbers: Sequence[int]) -> str:
    return f"attempts {listed([str(number) for number in numbers])}"


def _calls(heads: Sequence[str]) -> str:
    return listed([f"“{head}”" for head in heads])
