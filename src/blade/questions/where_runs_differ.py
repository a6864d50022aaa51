"""Where do close runs differ: in which tasks most, in which part of the benchmark, and what does one run alone fail?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import by_task, close_pairs, in_order, judged, task_levels, task_list
from blade.stats.binomial import sign_p
from blade.wording import amount, count, fact, listed

TITLE = "Where the runs differ"
ORDER = 11
WEIGHT = 1.2
MOST_PAIRS = 2
SEVERAL = 3
FEWEST_TASKS = 5
LARGE = 0.5
"""A task is told if the pass rates of two runs are so far apart in it."""
MOST_TASKS = 6
MOST_FAILED = 6
HALF, MORE = 0.5, 1.25
"""A part holds the difference if it has at least half of it, and so many times its share of the tasks."""
LEVEL = 0.05
"""Which part holds a difference is asked only where the runs differ by the sign test of the pair alone."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Of the closest pairs the tasks and the part that hold the difference; of several runs what one alone fails."""
    pairs = [pair for first, other in close_pairs(runs, MOST_PAIRS) if (pair := _pair(first, other)) is not None]
    alone = _failed_alone(runs)
    return {"pairs": pairs, "alone": alone} if pairs or alone else None


def _pair(first: RunCases, other: RunCases) -> dict[str, Any] | None:
    left, right = by_task(judged(first)), by_task(judged(other))
    common = [key for key in left if key in right]
    moved = {key: _rate(left[key]) - _rate(right[key]) for key in common}
    repeated = [key for key in common if min(len(left[key]), len(right[key])) >= SEVERAL and abs(moved[key]) >= LARGE]
    ranked = sorted(repeated, key=lambda key: (-abs(moved[key]), left[key][0].label))
    sides = [[_task(left[key], right[key]) for key in ranked if moved[key] * sign > 0] for sign in (1, -1)]
    part = _part(first, moved)
    if not any(sides) and part is None:
        return None
    return {"runs": [first.run.name, other.run.name], "tasks": len(common), "better": sides, "part": part}


def _rate(cases: Sequence[Case]) -> float:
    return sum(bool(case.passed) for case in cases) / len(cases)


def _task(left: Sequence[Case], right: Sequence[Case]) -> dict[str, Any]:
    passes = [[sum(bool(case.passed) for case in cases), len(cases)] for cases in (left, right)]
    return {"task": left[0].label, "passes": passes}


def _part(run: RunCases, moved: Mapping[str, float]) -> dict[str, Any] | None:
    """The part of the benchmark with most of the difference, if it holds more of it than of the tasks."""
    up, down = (sum(change * sign > 0 for change in moved.values()) for sign in (1, -1))
    net = sum(moved.values())
    if up <= down or net <= 0 or sign_p(up, down) > LEVEL:
        return None
    groups: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    levels = task_levels(run)
    for key, change in moved.items():
        for name, level in levels.get(key, {}).items():
            groups[name, level].append(change)
    held = {part: some for part, some in groups.items() if FEWEST_TASKS <= len(some) < len(moved)}
    best = max(held, key=lambda part: (sum(held[part]), part), default=None)
    if best is None or sum(held[best]) < net * max(HALF, MORE * len(held[best]) / len(moved)):
        return None
    return {
        "slice": f"{best[0]}={best[1]}",
        "tasks": len(held[best]),
        "first": sum(change > 0 for change in held[best]),
        "second": sum(change < 0 for change in held[best]),
        "all_first": up,
        "all_second": down,
    }


def _failed_alone(runs: Sequence[RunCases]) -> list[dict[str, Any]]:
    """Per run the tasks that it never passes, though every other run does in some attempt."""
    grouped = {run.run.name: by_task(judged(run)) for run in runs if judged(run)}
    if len(grouped) < SEVERAL:
        return []
    common = set.intersection(*(set(tasks) for tasks in grouped.values()))
    failed: defaultdict[str, list[str]] = defaultdict(list)
    for key in common:
        without = [name for name, tasks in grouped.items() if not any(case.passed for case in tasks[key])]
        if len(without) == 1:
            failed[without[0]].append(grouped[without[0]][key][0].label)
    return [{"run": name, "tasks": in_order(failed[name])} for name in grouped if failed[name]]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_pair_words(place, pair))) for place, pair in enumerate(answer["pairs"])]
    if answer["alone"]:
        items.append(Paragraph((_alone_words(answer["alone"]),)))
    return [Bullets(tuple(items))]


def _pair_words(place: int, pair: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_AT, "pairs", place)
    for (better, worse, order), tasks in zip(
        ((*pair["runs"], (0, 1)), (*pair["runs"][::-1], (1, 0))), pair["better"], strict=True
    ):
        if tasks:
            shown = [f"{one['task']} {_against(one['passes'], order)}" for one in tasks[:MOST_TASKS]]
            more = f" and {count(len(tasks) - MOST_TASKS, 'more task')}" if len(tasks) > MOST_TASKS else ""
            yield say(
                "{better} passes far more often than {worse} in {tasks}.",
                better=better,
                worse=worse,
                tasks=", ".join(shown) + more if more else listed(shown),
            )
    if pair["part"]:
        part, path = pair["part"], (*at, "part")
        yield say(
            "Of {up} that {first} passes more often than {second} {inside} lie in {slice} ({tasks} of {all}), and of "
            "{down} the other way {against}.",
            up=fact(count(part["all_first"], "task"), part["all_first"], *path, "all_first"),
            first=pair["runs"][0],
            second=pair["runs"][1],
            inside=amount(part["first"], *path, "first"),
            slice=part["slice"],
            tasks=amount(part["tasks"], *path, "tasks"),
            all=fact(count(pair["tasks"], "task"), pair["tasks"], *at, "tasks"),
            down=amount(part["all_second"], *path, "all_second"),
            against=amount(part["second"], *path, "second"),
        )


def _against(passes: Sequence[Sequence[int]], order: Sequence[int]) -> str:
    (first, of_first), (second, of_second) = (passes[side] for side in order)
    return f"({first:,} of {of_first:,} against {second:,} of {of_second:,})"


def _alone_words(entries: Sequence[Mapping[str, Any]]) -> Sentence:
    parts = [f"{entry['run']} {len(entry['tasks']):,} ({task_list(entry['tasks'], MOST_FAILED)})" for entry in entries]
    return say("Passed by every other run and never by this one: {parts}.", parts=listed(parts))


_AT = ("investigation", "where_runs_differ")
