"""Does the distance between two runs follow a value of the tasks: a number, a date, the length of the prompt?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.task_values import DATE, LENGTH, written_value
from blade.diagnosis.task_values import task_values as values_of_tasks
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import SURE, by_task, judged, pass_rate, task_levels
from blade.stats.best_cut import best_cut
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rate_trends import is_explained
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact

TITLE = "Where the distance between runs follows a value"
ORDER = 12
WEIGHT = 1.2
OF_COPIES = True
FEWEST_TASKS = 30
FEWEST_INSIDE = 8
MOST_RUNS = 6
"""With more runs each is held against the first alone."""
APART = 0.15
MOST = 4
_PATH = ("investigation", "gaps_by_value")

Tasks = Mapping[str, Sequence[Case]]


@frozen
class _Gap:
    """The tasks on one side of a cut of a value, where two runs lie further apart than on the other."""

    pair: tuple[str, str]
    kind: str
    field: str
    is_above: bool
    edge: float
    """The lowest value of the side if it is above the cut, else the highest."""
    inside: tuple[tuple[int, int], tuple[int, int]]
    """Passes and rollouts of each run at the tasks of the side."""
    outside: tuple[tuple[int, int], tuple[int, int]]
    keys: frozenset[str]
    """The tasks of the side."""
    differences: Mapping[str, float]
    """By task how much more often the first run passes."""
    tasks: tuple[int, int]
    gaps: tuple[float, float]
    """How much more often the first run passes, as means over the tasks: inside and outside."""
    p: float


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Of each pair of runs the value that parts its distances best."""
    if len(runs) < 2:
        return None
    values = values_of_tasks(runs)
    tasks = {run.run.name: by_task(judged(run)) for run in runs}
    names = list(tasks)
    pairs = combinations(names, 2) if len(names) <= MOST_RUNS else ((names[0], other) for other in names[1:])
    gaps = [gap for pair in pairs for gap in _gaps(pair, tasks, values)]
    adjusted = benjamini_hochberg([gap.p for gap in gaps])
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    clear = [
        (gap, p)
        for gap, p in zip(gaps, adjusted, strict=True)
        if p <= SURE and _is_apart(gap) and not _stands_for_a_field(gap, levels)
    ]
    clear.sort(key=lambda entry: (entry[1], -abs(entry[0].gaps[0] - entry[0].gaps[1]), entry[0].pair, entry[0].field))
    best: dict[tuple[str, str], tuple[_Gap, float]] = {}
    for gap, p in clear:
        best.setdefault(gap.pair, (gap, p))
    return {"gaps": [_entry(gap, p) for gap, p in list(best.values())[:MOST]]} if best else None


def _stands_for_a_field(gap: _Gap, levels: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether a field of the tasks tells as much: inside its levels the side lies no further apart than the rest."""
    sides = {key: float(key in gap.keys) for key in gap.differences}
    other_levels = {
        key: {field: level for field, level in levels.get(key, {}).items() if field != gap.field} for key in sides
    }
    return is_explained(gap.differences, sides, other_levels)


def _is_apart(gap: _Gap) -> bool:
    inside, outside = gap.gaps
    return abs(inside - outside) >= APART and abs(inside) > abs(outside)


def _gaps(
    pair: tuple[str, str], tasks: Mapping[str, Tasks], values: Mapping[tuple[str, str], Mapping[str, float]]
) -> Iterator[_Gap]:
    sides = [tasks[name] for name in pair]
    for (kind, field), of_task in sorted(values.items()):
        keys = sorted(
            (key for key in of_task if all(key in side for side in sides)), key=lambda key: (of_task[key], key)
        )
        if len(keys) < FEWEST_TASKS:
            continue
        differences = [pass_rate(sides[0][key]) - pass_rate(sides[1][key]) for key in keys]
        cut = best_cut([of_task[key] for key in keys], differences, FEWEST_INSIDE)
        if cut is None:
            continue
        halves = (keys[: cut.below], keys[cut.below :])
        means = [sum(part) / len(part) for part in (differences[: cut.below], differences[cut.below :])]
        is_above = abs(means[1]) >= abs(means[0])
        inside, outside = (halves[is_above], halves[not is_above])
        yield _Gap(
            pair,
            kind,
            field,
            is_above,
            of_task[inside[0] if is_above else inside[-1]],
            _passes(sides, inside),
            _passes(sides, outside),
            frozenset(inside),
            dict(zip(keys, differences, strict=True)),
            (len(inside), len(outside)),
            (means[is_above], means[not is_above]),
            cut.p,
        )


def _passes(sides: Sequence[Tasks], keys: Sequence[str]) -> tuple[tuple[int, int], tuple[int, int]]:
    first, second = (
        (sum(bool(case.passed) for key in keys for case in side[key]), sum(len(side[key]) for key in keys))
        for side in sides
    )
    return first, second


def _entry(gap: _Gap, p: float) -> dict[str, Any]:
    return {
        "runs": [
            {
                "run": run,
                "passes": inside[0],
                "rollouts": inside[1],
                "other_passes": outside[0],
                "other_rollouts": outside[1],
            }
            for run, inside, outside in zip(gap.pair, gap.inside, gap.outside, strict=True)
        ],
        "field": gap.field,
        "kind": gap.kind,
        "above": gap.is_above,
        "edge": written_value(gap.edge, gap.kind) + (" characters" if gap.kind == LENGTH else ""),
        "tasks": gap.tasks[0],
        "other_tasks": gap.tasks[1],
        "gap": significant(gap.gaps[0], WRITTEN),
        "other_gap": significant(gap.gaps[1], WRITTEN),
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["gaps"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The pair whose distance follows a value most surely: that is where the points are lost."""
    yield _words(0, answer["gaps"][0])


def _apart(gap: float) -> str:
    return f"{100 * gap:.1f} points"


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "gaps", place)
    first, second = entry["runs"]
    of_tasks, outside = (
        {
            f"{name}_{number}": fact(
                f"{run[passes]:,} of {run[rollouts]:,}", run[passes], *path, "runs", number, passes
            )
            for number, run in enumerate(entry["runs"])
        }
        for name, passes, rollouts in (("in", "passes", "rollouts"), ("out", "other_passes", "other_rollouts"))
    )
    more, less = ("later", "earlier") if entry["kind"] == DATE else ("more", "less")
    return say(
        "{first} and {second} lie {gap} apart in the {tasks} where {field} is {edge} {until} ({in_0} and {in_1} pass), "
        "and {other_gap} in the other {others} ({out_0} and {out_1}; the cut that parts the tasks best, tested by "
        "dealing the tasks anew and corrected for all values and pairs: p = {p}).",
        first=first["run"],
        second=second["run"],
        gap=_apart(abs(entry["gap"])),
        other_gap=_apart(abs(entry["other_gap"])) + (" the other way" if entry["gap"] * entry["other_gap"] < 0 else ""),
        tasks=fact(count(entry["tasks"], "task"), entry["tasks"], *path, "tasks"),
        others=fact(f"{entry['other_tasks']:,}", entry["other_tasks"], *path, "other_tasks"),
        field=entry["field"],
        edge=entry["edge"],
        until=f"or {more if entry['above'] else less}",
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        **of_tasks,
        **outside,
    )
