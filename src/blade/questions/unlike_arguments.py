"""In which arguments do the calls of failures differ from the expected ones, and which value do they share against it?

Not only the first difference counts: an amount that follows from another argument is often written before it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import refused_changes
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.circumstances import ID
from blade.late_regex import late_regex
from blade.questions import by_task, in_order, judged, task_list
from blade.wording import amount, count, fact, listed, printable

TITLE = "Arguments that differ from the key"
ORDER = 43
WEIGHT = 0.4
FEWEST = 3
FEWEST_ALIKE = 3
LIKELY = 0.8
MOST_ARGUMENTS, MOST_TASKS, MOST_VALUES, MOST_CONSTANTS = 6, 8, 3, 2
_NUMBER = late_regex(r"[-+]?\d*\.?\d+")
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
        "written": _written_otherwise(failures, unlike),
    }


def _written_otherwise(failures: Sequence[Case], unlike: Mapping[int, Sequence[Entry]]) -> dict[str, Any] | None:
    """Failures in which a value has the letters and digits of the key, and other blanks, marks or letter cases."""
    rows = []
    for case in failures:
        entries = unlike.get(id(case), ())
        alike = [entry for entry in entries if _is_written_otherwise(str(entry[2]), str(entry[3]))]
        if alike:
            rows.append((case, alike[0], len(alike) == len(entries)))
    if len(rows) < FEWEST_ALIKE:
        return None
    _, example, _ = rows[0]
    return {
        "rollouts": len(rows),
        "nothing_else": sum(alone for *_, alone in rows),
        "tasks": in_order({case.label for case, *_ in rows}),
        "runs": dict(Counter(case.run for case, *_ in rows)),
        "arguments": sorted({_name(entry) for _, entry, _ in rows}),
        "example": {"task": rows[0][0].label, "given": example[2], "expected": example[3]},
    }


def _is_written_otherwise(given: str, expected: str) -> bool:
    """Whether two texts have the same letters and digits in the same order; a sign or a point makes another number."""
    letters = "".join(filter(str.isalnum, given)).casefold()
    if not letters or given == expected or letters != "".join(filter(str.isalnum, expected)).casefold():
        return False
    return not (_NUMBER.fullmatch(given) and _NUMBER.fullmatch(expected))


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
    if answer["written"]:
        items.append(Paragraph((_written_words(answer["written"]),)))
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


def _written_words(entry: Mapping[str, Any]) -> Sentence:
    at = (*_AT, "written")
    runs = [f"{run} {rollouts:,}" for run, rollouts in entry["runs"].items()]
    example = entry["example"]
    return say(
        "{rollouts} ({runs}; {tasks}) {write} the key's value of {arguments} with other blanks, marks or letter case "
        "(“{given}” for “{expected}” in task {task}); in {nothing_else} of them no other value differs: the verifier "
        "compares how it is written.",
        rollouts=fact(count(entry["rollouts"], "failure"), entry["rollouts"], *at, "rollouts"),
        runs=listed(runs),
        tasks=task_list(entry["tasks"]),
        write="write" if entry["rollouts"] > 1 else "writes",
        arguments=listed([f"“{argument}”" for argument in entry["arguments"]], "or"),
        given=printable(example["given"]),
        expected=printable(example["expected"]),
        task=example["task"],
        nothing_else=amount(entry["nothing_else"], *at, "nothing_else"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """What fails by the way in which a right value is written, before it is laid on the model."""
    if answer["written"]:
        yield _written_words(answer["written"])


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A verifier that compares values as the tool takes them."""
    written = answer["written"]
    if written:
        yield Advice(
            "verifier",
            f"Compare {listed([f'“{argument}”' for argument in written['arguments']])} without blanks, marks and "
            "letter case, as the tool takes it, and judge these again",
            say(
                "{rollouts} give the key's value in another form; in {nothing_else} no other value differs.",
                rollouts=fact(count(written["rollouts"], "failure"), written["rollouts"], *_AT, "written", "rollouts"),
                nothing_else=amount(written["nothing_else"], *_AT, "written", "nothing_else"),
            ),
            written["nothing_else"],
            LIKELY,
            before_scores=True,
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
