"""Does a run lack a whole part of the tasks that the others have, and all of them a number between two others?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.derived_slices import field_words
from blade.diagnosis.cases import RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.late_regex import late_regex
from blade.questions import in_order, task_levels, task_list
from blade.wording import amount, count, fact

TITLE = "Parts of the tasks that a run lacks"
ORDER = 12
OF_COPIES = True
WEIGHT = 1.5
LIKELY = 0.5
FEWEST = 5
SHARED = 0.5
FEWEST_NUMBERED = 30
NUMBERED = 0.95
"""So many tasks have one name and a number, and so many of the numbers between the first and the last are there."""
_NUMBERED = late_regex(r"(.*?)(\d{1,6})")
HARDLY_ANY = 0.25
"""Of all tasks: with fewer a run lacks nearly everything, and no part of it is worth a word."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the level of a field of which it has no rollout and others have several tasks, the largest first.

    A run whose tasks are mostly its own ran something else: it lacks no part of the others' tasks. One that has hardly
    any of their tasks lacks no part, but nearly everything. Where nothing lists the expected tasks, numbers that no
    task has are named as well.
    """
    labels = {case.key: case.label for run in runs for case in run.cases}
    parts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for run in runs:
        for key, levels in task_levels(run).items():
            for pair in levels.items():
                parts[pair].add(key)
    holders = Counter(key for run in runs for key in {case.key for case in run.cases})
    shared = [run for run in runs if _shares(run, holders)]
    entries = [entry for run in shared if (entry := _entry(run, labels, parts)) is not None]
    numbers = None if any(run.run.inputs.height or run.run.failed for run in runs) else _numbers(_every_label(runs))
    return {"runs": entries, "numbers": numbers} if entries or numbers else None


def _every_label(runs: Sequence[RunCases]) -> set[str]:
    """The tasks of all rows, counted or not."""
    return {str(label) for run in runs for label in run.run.facts["label"].unique().to_list()}


def _numbers(labels: Collection[str]) -> dict[str, Any] | None:
    """Numbers that no task has, where nearly all tasks are numbered without a gap."""
    parts = [match.groups() for label in labels if (match := _NUMBERED.fullmatch(label))]
    if not parts:
        return None
    (name, tasks), *_ = Counter(name for name, _ in parts).most_common(1)
    numbers = {int(number) for prefix, number in parts if prefix == name}
    first, last = min(numbers), max(numbers)
    absent = sorted({*range(first, last + 1)} - numbers) if last - first < 2 * len(numbers) else []
    if (
        tasks < max(FEWEST_NUMBERED, NUMBERED * len(labels))
        or not absent
        or len(numbers) < NUMBERED * (last - first + 1)
    ):
        return None
    padded = {number for prefix, number in parts if prefix == name and number.startswith("0") and len(number) > 1}
    if padded:
        return None  # the written form of an absent number is not known
    return {"first": f"{name}{first}", "last": f"{name}{last}", "absent": [f"{name}{number}" for number in absent]}


def _shares(run: RunCases, holders: Mapping[str, int]) -> bool:
    own = {case.key for case in run.cases}
    return sum(holders[key] > 1 for key in own) >= SHARED * len(own)


def _entry(
    run: RunCases, labels: Mapping[str, str], parts: Mapping[tuple[str, str], set[str]]
) -> dict[str, Any] | None:
    own = {case.key for case in run.cases}
    lacking = labels.keys() - own
    whole = [(keys, pair) for pair, keys in parts.items() if len(keys) >= FEWEST and keys <= lacking]
    if not whole or len(own) < HARDLY_ANY * len(labels):
        return None
    keys, (field, level) = min(whole, key=lambda entry: (-len(entry[0]), entry[1]))
    return {
        "run": run.run.name,
        "field": field,
        "level": level,
        "part": len(keys),
        "lacking": len(lacking),
        "tasks": in_order(labels[key] for key in keys),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [*brief(answer), *_number_words(answer["numbers"])]
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in items))]


def _number_words(numbers: Mapping[str, Any] | None) -> Iterator[Sentence]:
    if numbers:
        yield say(
            "Tasks are numbered from {first} to {last}, and no run has {absent}: nothing says why.",
            first=numbers["first"],
            last=numbers["last"],
            absent=task_list(numbers["absent"]),
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What each run lacks as a whole."""
    for place, entry in enumerate(answer["runs"]):
        path = ("investigation", "absent_parts", "runs", place)
        rest = "all that it lacks" if entry["part"] == entry["lacking"] else "{part} of {lacking} that it lacks"
        yield say(
            "{run} has no rollout of {tasks} where {field} is {level} ({names}), which is " + rest + ": its score "
            "covers other tasks than the scores of the runs that have them.",
            run=entry["run"],
            tasks=fact(count(entry["part"], "task"), entry["part"], *path, "part"),
            field=field_words(entry["field"]),
            level=entry["level"],
            names=task_list(entry["tasks"], 4),
            part=f"{entry['part']:,}",
            lacking=amount(entry["lacking"], *path, "lacking"),
        )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Compare like with like: the part that is missing, or the rest alone."""
    for place, entry in enumerate(answer["runs"]):
        yield Advice(
            "data",
            f"Run {entry['run']} on the tasks where {field_words(entry['field'])} is {entry['level']}, or compare the "
            "runs without them",
            say(
                "It has no rollout of {tasks} there.",
                tasks=fact(
                    count(entry["part"], "task"), entry["part"], "investigation", "absent_parts", "runs", place, "part"
                ),
            ),
            entry["part"],
            LIKELY,
        )
