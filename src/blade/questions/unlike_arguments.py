"""In which arguments do the calls of failures differ from the expected ones, and which value do they share against it?

Not only the first difference counts: an amount that follows from another argument is often written before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.circumstances import ID
from blade.questions import by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, listed, printable

TITLE = "Arguments that differ from the key"
ORDER = 43
WEIGHT = 0.4
FEWEST = 3
FEWEST_ALIKE = 3
MOST_ARGUMENTS, MOST_TASKS, MOST_VALUES, MOST_CONSTANTS = 6, 8, 3, 2
Entry = Sequence[Any]
"""Tool, argument, value given, value expected, whether the expected one was shown, digest of the expected change."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Failures by the arguments that differ, those with a single difference, and tasks whose failures agree.

    A change that the environment refuses is not expected of anybody.
    """
    failures = [case for run in runs for case in judged(run) if not case.passed]
    refused = refused_changes(runs)
    unlike = {
        id(case): entries
        for case in failures
        if (entries := [entry for entry in case.observed.get("unlike", ()) if entry[5] not in refused])
    }
    if len(unlike) < FEWEST:
        return None
    by_argument: defaultdict[str, list[tuple[Case, bool]]] = defaultdict(list)
    for case in failures:
        entries = unlike.get(id(case), [])
        for name in {_name(entry) for entry in entries}:
            by_argument[name].append((case, len(entries) == 1))
    arguments = [_argument(name, rows) for name, rows in by_argument.items()]
    arguments.sort(key=lambda entry: (-entry["rollouts"], entry["argument"]))
    passes = Counter(case.key for run in runs for case in judged(run) if case.passed)
    tasks = [
        entry | {"passes": passes[key]}
        for key, cases in by_task(failures).items()
        if (entry := _task(cases, unlike)) is not None
    ]
    tasks.sort(key=lambda entry: (-entry["values"][0]["rollouts"], entry["task"]))
    return {
        "failures": len(unlike),
        "of": len(failures),
        "single": sum(len(entries) == 1 for entries in unlike.values()),
        "arguments": arguments[:MOST_ARGUMENTS],
        "tasks": tasks,
        "constants": _constants(runs, failures, unlike)[:MOST_CONSTANTS],
    }


def _constants(
    runs: Sequence[RunCases], failures: Sequence[Case], unlike: Mapping[int, Sequence[Entry]]
) -> list[dict[str, Any]]:
    """Identifiers that failures of several tasks write where the keys have different ones, and no pass ever writes."""
    rows: defaultdict[str, list[tuple[Case, Entry]]] = defaultdict(list)
    for case in failures:
        for entry in unlike.get(id(case), ()):
            if ID.fullmatch(str(entry[2])):
                rows[str(entry[2])].append((case, entry))
    right = [change[5] for run in runs for case in judged(run) if case.passed for change in _changes(case)]
    entries = []
    for value, pairs in rows.items():
        expected = {(case.key, entry[3]) for case, entry in pairs}
        distinct = min(len({key for key, _ in expected}), len({wanted for _, wanted in expected}))
        if distinct < FEWEST_ALIKE or any(value in text for text in right):
            continue
        cases = {id(case): case for case, _ in pairs}.values()
        arguments = {_name(entry) for _, entry in pairs}
        concerned = [case for case in failures if any(_name(entry) in arguments for entry in unlike.get(id(case), ()))]
        entries.append(
            {
                "value": value,
                "arguments": sorted(arguments),
                "keys": len({wanted for _, wanted in expected}),
                "rollouts": len(cases),
                "of": len(concerned),
                "tasks": in_order({case.label for case in cases}),
                "runs": dict(Counter(case.run for case in cases)),
            }
        )
    return sorted(entries, key=lambda entry: (-entry["rollouts"], entry["value"]))


def _changes(case: Case) -> Sequence[Sequence[Any]]:
    return [change for change in case.observed.get("changes", ()) if change[2]]


def _name(entry: Entry) -> str:
    """The argument itself, whatever part of it differs."""
    return str(entry[1]).partition(".")[0]


def _argument(name: str, rows: Sequence[tuple[Case, bool]]) -> dict[str, Any]:
    return {
        "argument": name,
        "rollouts": len(rows),
        "single": sum(single for _, single in rows),
        "tasks": in_order({case.label for case, _ in rows}),
    }


def _task(cases: Sequence[Case], unlike: Mapping[int, Sequence[Entry]]) -> dict[str, Any] | None:
    """The values against the key that several failures of a task give alike: three, or all that there are."""
    alike: defaultdict[tuple[str, ...], list[Entry]] = defaultdict(list)
    for case in cases:
        for entry in unlike.get(id(case), ()):
            alike[tuple(entry[:4])].append(entry)
    fewest = min(FEWEST_ALIKE, max(len(cases), 2))
    shared = [(value, entries) for value, entries in alike.items() if 2 * len(entries) > len(cases)]
    values: list[dict[str, Any]] = [
        {
            **dict(zip(("tool", "argument", "given", "expected"), value, strict=True)),
            "rollouts": len(entries),
            "nowhere": all(entry[4] == 0 for entry in entries),
        }
        for value, entries in shared
        if len(entries) >= fewest
    ]
    values.sort(key=lambda entry: -entry["rollouts"])
    return {"task": cases[0].label, "failures": len(cases), "values": values[:MOST_VALUES]} if values else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_overview(answer)))]
    items += [Paragraph((_constant_words(place, entry),)) for place, entry in enumerate(answer["constants"])]
    items += [Paragraph((_task_words(place, entry),)) for place, entry in enumerate(answer["tasks"][:MOST_TASKS])]
    blocks: list[Block] = [Bullets(tuple(items))]
    left = [entry["task"] for entry in answer["tasks"][MOST_TASKS:]]
    if left:
        words = "The failures of {many} agree on such a value, too: {tasks}."
        blocks.append(Paragraph((say(words, many=count(len(left), "more task"), tasks=task_list(left)),)))
    return blocks


def _overview(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    parts = [
        f"“{entry['argument']}” in {{rollouts{place}}} ({task_list(entry['tasks'])})"
        for place, entry in enumerate(answer["arguments"])
    ]
    yield say(
        "{failures} of {of} make an expected change with other arguments, counted by all that differ: "
        + listed(parts)
        + ".",
        failures=amount(answer["failures"], *_AT, "failures"),
        of=fact(count(answer["of"], "judged failure"), answer["of"], *_AT, "of"),
        **{
            f"rollouts{place}": amount(entry["rollouts"], *_AT, "arguments", place, "rollouts")
            for place, entry in enumerate(answer["arguments"])
        },
    )
    if answer["single"]:
        single = [f"“{entry['argument']}” {entry['single']:,}" for entry in answer["arguments"] if entry["single"]]
        yield say(
            "In {single} a single value differs" + (": {names}." if single else "."),
            single=amount(answer["single"], *_AT, "single"),
            names=listed(single),
        )


def _constant_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "constants", place)
    runs = [f"{run} {rollouts:,}" for run, rollouts in entry["runs"].items()]
    return say(
        "In {rollouts} of the {of} with another value of {arguments} it is “{value}” ({runs}; {tasks}), where the keys "
        "have {keys} different ones, and no pass writes it: one constant, right in none of these tasks.",
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        of=fact(count(entry["of"], "failure"), entry["of"], *at, "of"),
        arguments=listed([f"“{argument}”" for argument in entry["arguments"]], "or"),
        value=printable(entry["value"]),
        runs=listed(runs),
        tasks=task_list(entry["tasks"]),
        keys=amount(entry["keys"], *at, "keys"),
    )


def _task_words(place: int, entry: Mapping[str, Any]) -> Sentence:
    first = entry["values"][0]
    many = "the one failure" if entry["failures"] == 1 else f"{{rollouts}} of {count(entry['failures'], 'failure')}"
    parts = []
    for value in entry["values"]:
        same = "" if value["rollouts"] == first["rollouts"] else f" in {value['rollouts']:,}"
        shown = ", which these rollouts were never shown" if value["nowhere"] else ""
        expected = f"“{printable(value['expected'])}”{shown}"
        parts.append(f"{value['argument']} of {value['tool']} is “{printable(value['given'])}”{same} (key: {expected})")
    return say(
        "Task {task}: in " + many + " {values}" + ("; {passes} of this task {pass_}." if entry["passes"] else "."),
        passes=fact(count(entry["passes"], "rollout"), entry["passes"], *_AT, "tasks", place, "passes"),
        task=entry["task"],
        pass_="passes" if entry["passes"] == 1 else "pass",
        rollouts=amount(first["rollouts"], *_AT, "tasks", place, "values", 0, "rollouts"),
        values=listed(parts),
    )


_AT = ("investigation", "unlike_arguments")
