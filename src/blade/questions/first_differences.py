"""Where does the work of a failure first differ from the key: in an argument, by another tool, by what is missing?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.against_reference import EXTRA, MISSING, WRONG_ARGUMENT, WRONG_TOOL
from blade.extract.failure_shape import RIGHT
from blade.questions import MOST_TASKS, SURE, by_task, in_order, judged, run_p, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, printable

TITLE = "Where failures first differ from the key"
ORDER = 42
WEIGHT = 0.3
FEWEST = 2
FEWEST_TESTED = 8
FEWEST_ALIKE, MOSTLY = 3, 0.75
MOST = 8
MOST_RUNS, FEW_TASKS = 4, 6
"""Of more runs fewer tasks are named."""
Way = tuple[str, str, str]
"""The kind, what was expected and what was done instead; of an argument its name and nothing."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures grouped by their first difference; changes of the key that the environment refuses are left aside."""
    refused = refused_changes(runs)
    groups: defaultdict[Way, list[tuple[Case, list[Any]]]] = defaultdict(list)
    failures = aside = 0
    for run in runs:
        for case in judged(run):
            seen = case.observed
            deviation = seen.get("deviation") if not case.passed else None
            if deviation is not None and deviation[4] not in refused:
                failures += 1
                groups[_way(deviation)].append((case, deviation))
            elif not case.passed and effective_shape(seen, refused) not in {None, RIGHT}:
                aside += 1
    several = [_entry(group, rows) for group, rows in groups.items() if len(rows) >= FEWEST]
    _mark_runs(several, [rows for rows in groups.values() if len(rows) >= FEWEST], runs)
    several.sort(key=lambda entry: (-entry["rollouts"], entry["kind"], entry["expected"], entry["instead"]))
    if not several:
        return None
    return {
        "failures": failures,
        "aside": aside,
        "groups": several[:MOST],
        "left_out": len(groups) - len(several[:MOST]),
        "again": _again(judged(runs[0])) if len(runs) == 1 else [],
    }


def _mark_runs(
    entries: Sequence[dict[str, Any]], groups: Sequence[Sequence[tuple[Case, Any]]], runs: Sequence[RunCases]
) -> None:
    """Say of each difference which run has it beyond chance, compared with the others at the same tasks."""
    everyone = [case for run in runs for case in judged(run)]
    rollouts = Counter(case.run for case in everyone)
    tested = [
        (entry, p)
        for entry, rows in zip(entries, groups, strict=True)
        if len(rows) >= FEWEST_TESTED and (p := run_p(everyone, {id(case) for case, _ in rows})) is not None
    ]
    for (entry, _), p in zip(tested, benjamini_hochberg([p for _, p in tested]), strict=True):
        counts = {run: told["rollouts"] for run, told in entry["runs"].items()}
        most = max(sorted(counts), key=lambda run: counts[run] / rollouts[run])
        if p <= SURE:
            entry["mostly"] = {
                "run": most,
                "rollouts": counts[most],
                "of": rollouts[most],
                "other_run": next(run for run in rollouts if run != most) if len(rollouts) == 2 else "",
                "others": sum(counts.values()) - counts[most],
                "of_others": len(everyone) - rollouts[most],
                "p": significant(p, WRITTEN),
            }


def _again(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Changes outside the key that most attempts at a task make alike which never passes."""
    entries = []
    for attempts in by_task(cases).values():
        changes: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
        for case in attempts:
            outside = {change[1]: change for change in case.observed.get("changes", ()) if change[2] and not change[3]}
            for digest, change in outside.items():
                changes[digest].append(change)
        alike = max(changes.values(), key=len, default=[])
        enough = len(alike) >= max(FEWEST_ALIKE, MOSTLY * len(attempts))
        if enough and not any(case.passed for case in attempts):
            tool, _, _, _, _, arguments = alike[0]
            counts = {"attempts": len(alike), "of": len(attempts)}
            entries.append({"task": attempts[0].label, "tool": tool, "arguments": arguments, **counts})
    return sorted(entries, key=lambda entry: (-entry["attempts"], entry["task"]))[:MOST]


def _way(deviation: Sequence[Any]) -> Way:
    kind, expected, called, argument, _ = deviation
    if kind == WRONG_ARGUMENT and argument:
        return kind, argument, ""
    return kind, expected, called


def _entry(group: Way, rows: Sequence[tuple[Case, list[Any]]]) -> dict[str, Any]:
    kind, expected, instead = group
    runs: defaultdict[str, list[str]] = defaultdict(list)
    for case, _ in rows:
        runs[case.run].append(case.label)
    return {
        "kind": kind,
        "expected": expected,
        "instead": instead,
        "tools": sorted({deviation[1] for _, deviation in rows}) if kind == WRONG_ARGUMENT else [],
        "rollouts": len(rows),
        "runs": {
            run: {"rollouts": len(labels), "tasks": in_order(labels)}
            for run, labels in sorted(runs.items(), key=lambda pair: (-len(pair[1]), pair[0]))
        },
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    note = say(
        "Of {failures} that differ from the key in what they change, the commonest first differences (not causes: the "
        "key, the user or the model may be at fault):",
        failures=fact(count(answer["failures"], "failure"), answer["failures"], *_AT, "failures"),
    )
    aside = [Paragraph((_aside(answer),))] if answer["aside"] else []
    again = [Paragraph((_again_words(answer["again"]),))] if answer["again"] else []
    ways = Bullets(tuple(Paragraph((group, *mostly)) for group, mostly in _ways(answer)), ranked=True)
    return [Paragraph((note,)), ways, *aside, *again]


def _again_words(entries: Sequence[Mapping[str, Any]]) -> Sentence:
    parts = [
        f"task {entry['task']} ({entry['tool']} {printable(entry['arguments'])} in {entry['attempts']:,} of "
        f"{entry['of']:,})"
        for entry in entries
    ]
    return say(
        "Most attempts make the same change outside the key, word for word, and none passes: {parts}. Either the key "
        "is wrong there, or all of them misread the same thing.",
        parts="; ".join(parts),
    )


def _aside(answer: Mapping[str, Any]) -> Sentence:
    return say(
        "{aside} first in a change that the environment refuses: {them} not counted.",
        aside=fact(count(answer["aside"], "more differs", "more differ"), answer["aside"], *_AT, "aside"),
        them="it is" if answer["aside"] == 1 else "they are",
    )


def _ways(answer: Mapping[str, Any]) -> Iterator[tuple[Sentence, list[Sentence]]]:
    all_runs = {run for entry in answer["groups"] for run in entry["runs"]}
    for place, entry in enumerate(answer["groups"]):
        limit = MOST_TASKS if len(entry["runs"]) <= MOST_RUNS else FEW_TASKS
        runs = [
            f"{run} {counts['rollouts']:,} ({task_list(counts['tasks'], limit)})"
            for run, counts in entry["runs"].items()
        ]
        if len(all_runs) == 1:
            runs = [task_list(counts["tasks"], limit) for counts in entry["runs"].values()]
        yield (
            say(
                "{what} in {rollouts}" + (" ({runs})." if len(all_runs) == 1 else ": {runs}."),
                what=_words(entry),
                rollouts=fact(
                    count(entry["rollouts"], "rollout"), entry["rollouts"], *_AT, "groups", place, "rollouts"
                ),
                runs=listed(runs),
            ),
            _mostly(place, entry),
        )


def _mostly(place: int, entry: Mapping[str, Any]) -> list[Sentence]:
    """That one run has it beyond chance."""
    if "mostly" not in entry:
        return []
    told, path = entry["mostly"], (*_AT, "groups", place, "mostly")
    return [
        say(
            "{run} does so in {rollouts} of {of}, {other_runs} in {others} of {of_others} (p = {p}, by tasks).",
            other_runs=told["other_run"] or "the others",
            run=told["run"],
            rollouts=amount(told["rollouts"], *path, "rollouts"),
            of=fact(count(told["of"], "judged rollout"), told["of"], *path, "of"),
            others=amount(told["others"], *path, "others"),
            of_others=amount(told["of_others"], *path, "of_others"),
            p=f"{told['p']:.2g}",
        )
    ]


def _words(entry: Mapping[str, Any]) -> str:
    if entry["kind"] == WRONG_ARGUMENT:
        return f"Another value of “{entry['expected']}” ({listed(entry['tools'])})"
    if entry["kind"] == WRONG_TOOL:
        return f"{entry['instead']} where {entry['expected']} was expected"
    if entry["kind"] == MISSING:
        return f"An expected call of {entry['expected']} is missing"
    return f"{entry['instead']} on top of all that was expected" if entry["kind"] == EXTRA else str(entry["kind"])


_AT = ("investigation", "first_differences")
