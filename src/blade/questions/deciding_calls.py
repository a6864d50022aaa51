"""In a task that sometimes passes, which call do all passing attempts make and no failing one, or the reverse?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import by_task, judged
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, listed

TITLE = "Calls that decide a task"
ORDER = 78
WEIGHT = 1.3
FEWEST = 2
"""So many passing and so many failing attempts at least."""
RARE = 0.1
"""A call that more of the run's other rollouts make is part of any work."""
MOST_SHOWN = 8
MOST_CALLS = 2


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks whose passing and failing attempts differ in a call that is rare elsewhere in the run."""
    tasks, chances = [], []
    for run in runs:
        found, likely = _of_run(run)
        tasks += found
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


def _of_run(run: RunCases) -> tuple[list[dict[str, Any]], list[float]]:
    """The tasks with such a call; and of every task that may have one the chance that it has one, outcomes shuffled."""
    cases = [case for case in judged(run) if not case.observed.get("midway")]  # these show no absence
    heads = {id(case): frozenset(case.observed.get("heads", ())) for case in cases}
    common = Counter(head for made in heads.values() for head in made)
    found, chances = [], []
    for group in by_task(cases).values():
        passing = [case for case in group if case.passed]
        failing = [case for case in group if not case.passed]
        if len(passing) < FEWEST or len(failing) < FEWEST or not all(heads[id(case)] for case in group):
            continue
        most = RARE * (len(cases) - len(group)) + len(group)
        in_passes = _only(passing, failing, heads, common, most)
        in_failures = _only(failing, passing, heads, common, most)
        made = [frozenset(head for head in heads[id(case)] if common[head] <= most) for case in group]
        chances.append(_chance(made, len(passing)))
        if in_passes or in_failures:
            found.append(
                {
                    "run": run.run.name,
                    "task": group[0].label,
                    "passing": [case.attempt for case in passing],
                    "failing": [case.attempt for case in failing],
                    "in_passes": in_passes[:MOST_CALLS],
                    "in_failures": in_failures[:MOST_CALLS],
                    "rarest": min(common[head] for head in (*in_passes, *in_failures)),
                }
            )
    return found, chances


def _chance(made: Sequence[frozenset[str]], passes: int) -> float:
    """Of all ways to choose the attempts that pass, the share in which all of one side and nobody else make a call."""
    everyone = frozenset(range(len(made)))
    makers = {
        frozenset(place for place, own in enumerate(made) if head in own) for head in frozenset[str]().union(*made)
    }
    sides = {side for some in makers for side in (some, everyone - some) if len(side) == passes}
    return len(sides) / math.comb(len(made), passes)


def _only(
    those: Sequence[Case],
    others: Sequence[Case],
    heads: Mapping[int, frozenset[str]],
    common: Counter[str],
    most: float,
) -> list[str]:
    """Calls of all of those and of none of the others, the rarest in the run first."""
    shared = frozenset.intersection(*(heads[id(case)] for case in those))
    shared -= frozenset.union(*(heads[id(case)] for case in others))
    return sorted((head for head in shared if common[head] <= most), key=lambda head: (common[head], head))


def tell(answer: Mapping[str, Any]) -> list[Block]:
    blocks: list[Block] = [Bullets(tuple(Paragraph((_sentence(entry),)) for entry in answer["tasks"]))]
    left = f" {count(answer['left_out'], 'more task')} of this kind in analysis.json." if answer["left_out"] else ""
    tasks = answer["asked"]
    by_chance = say(
        "Were the outcomes dealt out by chance among the attempts at each task, {many} of {tasks} that sometimes "
        + ("passes" if tasks == 1 else "pass")
        + " would show such a call, too.",
        many=fact(f"about {answer['by_chance']:.2g}", answer["by_chance"], *_PATH, "by_chance"),
        tasks=fact(count(tasks, "task"), tasks, *_PATH, "asked"),
    )
    note = say("So few attempts prove nothing: each is where to read first, not a cause.{left}", left=left)
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
