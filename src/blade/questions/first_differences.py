"""Where does the work of a failure first differ from the key: in an argument, by another tool, by what is missing?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.against_reference import EXTRA, MISSING, WRONG_ARGUMENT, WRONG_TOOL
from blade.questions import MOST_TASKS, in_order, judged, task_list
from blade.wording import count, fact, listed

TITLE = "Where failures first differ from the key"
ORDER = 42
FEWEST = 2
MOST = 8
MOST_RUNS, FEW_TASKS = 4, 6
"""Of more runs fewer tasks are named."""
Way = tuple[str, str, str]
"""The kind, what was expected and what was done instead; of an argument its name and nothing."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures grouped by their first difference; changes of the key that the environment refuses are left aside."""
    refused = refused_changes(runs)
    ways: defaultdict[Way, list[tuple[Case, list[Any]]]] = defaultdict(list)
    failures = 0
    for run in runs:
        for case in judged(run):
            found = case.observed.get("deviation") if not case.passed else None
            if found is not None and found[4] not in refused:
                failures += 1
                ways[_way(found)].append((case, found))
    several = [_entry(way, rows) for way, rows in ways.items() if len(rows) >= FEWEST]
    several.sort(key=lambda one: (-one["rollouts"], one["kind"], one["expected"], one["instead"]))
    if not several:
        return None
    return {"failures": failures, "ways": several[:MOST], "left_out": len(ways) - len(several[:MOST])}


def _way(found: Sequence[Any]) -> Way:
    kind, expected, made, argument, _ = found
    if kind == WRONG_ARGUMENT and argument:
        return kind, argument, ""
    return kind, expected, made


def _entry(way: Way, rows: Sequence[tuple[Case, list[Any]]]) -> dict[str, Any]:
    kind, expected, instead = way
    runs: defaultdict[str, list[str]] = defaultdict(list)
    for case, _ in rows:
        runs[case.run].append(case.label)
    return {
        "kind": kind,
        "expected": expected,
        "instead": instead,
        "tools": sorted({found[1] for _, found in rows}) if kind == WRONG_ARGUMENT else [],
        "rollouts": len(rows),
        "runs": {run: in_order(labels) for run, labels in sorted(runs.items(), key=lambda one: (-len(one[1]), one[0]))},
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    note = say(
        "Of {failures} that differ from the key in what they change, by the first difference of each. That is no "
        "cause: the key, the user or the model may be at fault.",
        failures=fact(count(answer["failures"], "failure"), answer["failures"], *_AT, "failures"),
    )
    return [Paragraph((note,)), Bullets(tuple(Paragraph((way,)) for way in _ways(answer)))]


def _ways(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, one in enumerate(answer["ways"]):
        most = MOST_TASKS if len(one["runs"]) <= MOST_RUNS else FEW_TASKS
        runs = [f"{run} {len(tasks):,} ({task_list(tasks, most)})" for run, tasks in one["runs"].items()]
        yield say(
            "{what} in {rollouts}: {runs}.",
            what=_words(one),
            rollouts=fact(count(one["rollouts"], "rollout"), one["rollouts"], *_AT, "ways", place, "rollouts"),
            runs=listed(runs),
        )


def _words(one: Mapping[str, Any]) -> str:
    if one["kind"] == WRONG_ARGUMENT:
        return f"Another value of “{one['expected']}” ({listed(one['tools'])})"
    if one["kind"] == WRONG_TOOL:
        return f"{one['instead']} where {one['expected']} was expected"
    if one["kind"] == MISSING:
        return f"{one['expected']} never made"
    return f"{one['instead']} beside all that was expected" if one["kind"] == EXTRA else str(one["kind"])


_AT = ("investigation", "first_differences")
