"""Where do close runs differ: in which tasks most, in which part of the benchmark, and what does one run alone fail?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from blade.counting.derived_slices import FAMILY, field_words
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, by_task, close_pairs, in_order, judged, pass_rate, task_levels, task_list
from blade.stats.binomial import sign_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.odds import Outcomes, odds_change_p
from blade.stats.rank_sum import rank_sum_p
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, listed

TITLE = "Where the runs differ"
ORDER = 11
OF_COPIES = True
WEIGHT = 1.2
MOST_PAIRS = 3
SEVERAL = 3
FEWEST_TASKS = 5
LARGE = 0.5
"""A task is told if the pass rates of two runs are so far apart in it."""
MOST_TASKS = 6
MOST_FAILED = 6
HALF, MORE = 0.5, 1.25
"""A part holds the difference if it has at least half of it, and so many times its share of the tasks."""
LEVEL = 0.05
"""Which part holds a difference is asked only where the runs differ by the sign test of the pair alone, and answered
where the tasks of a part moved further than the others, corrected for the number of parts."""
UNLIKE = 0.1
"""The share of false ones among the parts in which the difference is another than elsewhere."""
APART = 0.15
"""Rates must lie so much further apart in a part than elsewhere."""
MOST_PARTS = 2


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Of the closest pairs the tasks and the part that hold the difference; of several runs what one alone fails."""
    pairs = [pair for first, other in close_pairs(runs, MOST_PAIRS) if (pair := _pair(first, other)) is not None]
    alone = _failed_alone(runs)
    return {"pairs": pairs, "alone": alone} if pairs or alone else None


def _pair(first: RunCases, other: RunCases) -> dict[str, Any] | None:
    left, right = by_task(judged(first)), by_task(judged(other))
    common = [key for key in left if key in right]
    moved = {key: pass_rate(left[key]) - pass_rate(right[key]) for key in common}
    repeated = [key for key in common if min(len(left[key]), len(right[key])) >= SEVERAL and abs(moved[key]) >= LARGE]
    ranked = sorted(repeated, key=lambda key: (-abs(moved[key]), left[key][0].label))
    sides = [[_task(left[key], right[key]) for key in ranked if moved[key] * sign > 0] for sign in (1, -1)]
    opposite = _opposite(first, moved)
    part = _part(first, moved) if opposite is None else None
    parts = parts_apart(first, [(left[key], right[key]) for key in common])
    if not any(sides) and part is None and not parts and opposite is None:
        return None
    names = [first.run.name, other.run.name]
    return {"runs": names, "tasks": len(common), "better": sides, "part": part, "parts": parts, "opposite": opposite}


def _opposite(run: RunCases, moved: Mapping[str, float]) -> dict[str, Any] | None:
    """The part in which one run is ahead where everywhere else the other one is, each by the sign test of its tasks.

    The tests inside the parts are corrected for their number, and the rest is tested once the part is chosen: one score
    of all tasks hides such a difference.
    """
    levels = task_levels(run)
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for key in moved:
        for field_level in levels.get(key, {}).items():
            groups[field_level].append(key)
    candidates: list[tuple[dict[str, Any], tuple[int, int], tuple[int, int]]] = []
    for (name, level), keys in sorted(groups.items()):
        if min(len(keys), len(moved) - len(keys)) >= FEWEST_TASKS and len(keys) * 2 <= len(moved):
            part = frozenset(keys)
            inside = _ahead(moved[key] for key in keys)
            outside = _ahead(change for key, change in moved.items() if key not in part)
            candidates.append(({"field": name, "level": level, "tasks": len(keys)}, inside, outside))
    adjusted = benjamini_hochberg([sign_p(*inside) for _, inside, _ in candidates])
    clear: list[dict[str, Any]] = [
        {**entry, "in": [*inside], "out": [*outside], "p": [significant(p, WRITTEN), significant(rest, WRITTEN)]}
        for p, (entry, inside, outside) in zip(adjusted, candidates, strict=True)
        if (inside[0] - inside[1]) * (outside[0] - outside[1]) < 0 and p <= SURE and (rest := sign_p(*outside)) <= SURE
    ]
    return min(
        clear, key=lambda entry: (entry["p"][0], entry["field"] == FAMILY, entry["field"], entry["level"]), default=None
    )


def _ahead(changes: Iterable[float]) -> tuple[int, int]:
    """In how many tasks the first run passes more often, and in how many the second."""
    known = list(changes)
    return sum(change > 0 for change in known), sum(change < 0 for change in known)


def parts_apart(run: RunCases, tasks: Sequence[tuple[list[Case], list[Case]]]) -> list[dict[str, Any]]:
    """The parts of the benchmark in which two runs lie further apart than elsewhere, or the other way round."""
    levels = task_levels(run)
    tables = {left[0].key: (*_outcomes(left), *_outcomes(right)) for left, right in tasks}
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for key in tables:
        for field_level in levels.get(key, {}).items():
            groups[field_level].append(key)
    candidates: list[tuple[float, dict[str, Any]]] = []
    for (name, level), keys in sorted(groups.items()):
        if min(len(keys), len(tables) - len(keys)) < FEWEST_TASKS:
            continue
        p = exact_p([tables[key] for key in keys])
        if p is not None:
            part = frozenset(keys)
            others = [key for key in tables if key not in part]
            inside, outside = _total(tables[key] for key in keys), _total(tables[key] for key in others)
            candidates.append((p, {"field": name, "level": level, "tasks": len(keys), "in": inside, "out": outside}))
    adjusted = benjamini_hochberg([p for p, _ in candidates])
    elsewhere = benjamini_hochberg([odds_change_p(entry["in"], entry["out"]) for _, entry in candidates])
    clear = [
        {**entry, "p": significant(p, WRITTEN)}
        for p, unlike, (_, entry) in zip(adjusted, elsewhere, candidates, strict=True)
        if p <= SURE and unlike <= UNLIKE and _further_apart(entry["in"], entry["out"])
    ]
    clear.sort(key=lambda entry: (-abs(_gap(entry["in"])) * entry["tasks"], entry["field"], entry["level"]))
    distinct: dict[tuple[int, ...], dict[str, Any]] = {}
    for entry in clear:  # two names for the same tasks count once
        distinct.setdefault((*entry["in"],), entry)
    return list(distinct.values())[:MOST_PARTS]


def _outcomes(cases: Sequence[Case]) -> tuple[int, int]:
    passes = sum(bool(case.passed) for case in cases)
    return passes, len(cases) - passes


def _total(tables: Iterable[Outcomes]) -> Outcomes:
    passes, failures, other_passes, other_failures = (sum(cells) for cells in zip(*tables, strict=True))
    return passes, failures, other_passes, other_failures


def _gap(outcomes: Sequence[int]) -> float:
    passes, failures, other_passes, other_failures = outcomes
    return passes / (passes + failures) - other_passes / (other_passes + other_failures)


def _further_apart(inside: Sequence[int], outside: Sequence[int]) -> bool:
    return abs(_gap(inside) - _gap(outside)) >= APART and abs(_gap(inside)) > abs(_gap(outside))


def _task(left: Sequence[Case], right: Sequence[Case]) -> dict[str, Any]:
    passes = [[sum(bool(case.passed) for case in cases), len(cases)] for cases in (left, right)]
    return {"task": left[0].label, "passes": passes}


def _part(run: RunCases, moved: Mapping[str, float]) -> dict[str, Any] | None:
    """The part of the benchmark with most of the difference, if it holds more of it than of the tasks."""
    up, down = (sum(change * sign > 0 for change in moved.values()) for sign in (1, -1))
    net = sum(moved.values())
    if up <= down or net <= 0 or sign_p(up, down) > LEVEL:
        return None
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    levels = task_levels(run)
    for key in moved:
        for field_level in levels.get(key, {}).items():
            groups[field_level].append(key)
    parts = {part: keys for part, keys in groups.items() if FEWEST_TASKS <= len(keys) < len(moved)}
    held = {part: [moved[key] for key in keys] for part, keys in parts.items()}
    adjusted = benjamini_hochberg([_elsewhere_p(set(keys), moved) for keys in parts.values()])
    clear = [part for part, p in zip(held, adjusted, strict=True) if p <= LEVEL]
    best = max(clear, key=lambda part: (sum(held[part]), part), default=None)
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


def _elsewhere_p(part: Collection[str], moved: Mapping[str, float]) -> float:
    """The rank sum test of how far the tasks of a part moved against how far the others did."""
    inside = np.array([change for key, change in moved.items() if key in part])
    outside = np.array([change for key, change in moved.items() if key not in part])
    return rank_sum_p(inside, outside)


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
    if pair["opposite"]:
        yield _opposite_words(place, pair)
    for number, _ in enumerate(pair["parts"]):
        yield _part_words(place, number, pair)
    for (better, worse, order), tasks in zip(
        ((*pair["runs"], (0, 1)), (*pair["runs"][::-1], (1, 0))), pair["better"], strict=True
    ):
        if tasks:
            shown = [f"{task['task']} {_against(task['passes'], order)}" for task in tasks[:MOST_TASKS]]
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


def _opposite_words(place: int, pair: Mapping[str, Any]) -> Sentence:
    part, at = pair["opposite"], (*_AT, "pairs", place, "opposite")
    better = 0 if part["out"][0] > part["out"][1] else 1
    return say(
        "Two opposite differences stand behind the scores: where {field} is {level} ({tasks}), {behind} is ahead in "
        "{in_behind} and {ahead} in {in_ahead} (p = {p_in}); everywhere else {ahead} is ahead in {out_ahead} and "
        "{behind} in {out_behind} (p = {p_out}).",
        field=field_words(part["field"]),
        level=part["level"],
        tasks=fact(count(part["tasks"], "task"), part["tasks"], *at, "tasks"),
        ahead=pair["runs"][better],
        behind=pair["runs"][1 - better],
        in_ahead=amount(part["in"][better], *at, "in", better),
        in_behind=amount(part["in"][1 - better], *at, "in", 1 - better),
        out_ahead=amount(part["out"][better], *at, "out", better),
        out_behind=amount(part["out"][1 - better], *at, "out", 1 - better),
        p_in=fact(f"{part['p'][0]:.2g}", part["p"][0], *at, "p", 0),
        p_out=fact(f"{part['p'][1]:.2g}", part["p"][1], *at, "p", 1),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That one score of all tasks hides two opposite differences."""
    for place, pair in enumerate(answer["pairs"][:1]):
        if pair["opposite"]:
            yield _opposite_words(place, pair)


def _part_words(place: int, number: int, pair: Mapping[str, Any]) -> Sentence:
    part, at = pair["parts"][number], (*_AT, "pairs", place, "parts", number)
    shares = []
    for where in ("in", "out"):
        passes, failures, other_passes, other_failures = part[where]
        other = f"{other_passes:,} of {other_passes + other_failures:,}"
        shares.append((f"{passes:,} of {passes + failures:,}", other))
    return say(
        "Where {field} is {level} ({tasks}), {first} passes {inside} and {second} {inside_other}; elsewhere they pass "
        "{outside} and {outside_other} (exact test inside the part p = {p}).",
        field=field_words(part["field"]),
        level=part["level"],
        tasks=fact(count(part["tasks"], "task"), part["tasks"], *at, "tasks"),
        first=pair["runs"][0],
        second=pair["runs"][1],
        inside=fact(shares[0][0], part["in"][0], *at, "in", 0),
        inside_other=fact(shares[0][1], part["in"][2], *at, "in", 2),
        outside=fact(shares[1][0], part["out"][0], *at, "out", 0),
        outside_other=fact(shares[1][1], part["out"][2], *at, "out", 2),
        p=fact(f"{part['p']:.2g}", part["p"], *at, "p"),
    )


def _against(passes: Sequence[Sequence[int]], order: Sequence[int]) -> str:
    (first, of_first), (second, of_second) = (passes[side] for side in order)
    return f"({first:,} of {of_first:,} against {second:,} of {of_second:,})"


def _alone_words(entries: Sequence[Mapping[str, Any]]) -> Sentence:
    parts = [f"{entry['run']} {len(entry['tasks']):,} ({task_list(entry['tasks'], MOST_FAILED)})" for entry in entries]
    return say("Passed by every other run and never by this one: {parts}.", parts=listed(parts))


_AT = ("investigation", "where_runs_differ")
