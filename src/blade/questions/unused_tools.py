"""Which tool do some rollouts never use where others of the same task do, and do those without it fail?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Fact, Paragraph, Sentence, say
from blade.extract.calls import changing_name
from blade.extract.workspace_actions import edits_files
from blade.frozen import frozen
from blade.questions import (
    SURE,
    by_task,
    common_part,
    counted_with_passes,
    disturbed_words,
    in_order,
    judged,
    outcome_p,
    pass_rate,
    run_p,
    task_list,
    undisturbed,
)
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, printable

TITLE = "Tools that are left unused"
ORDER = 17
WEIGHT = 1.4
FEWEST, FEWEST_TASKS = 8, 4
"""Rollouts with and without a tool, and tasks that have both."""
APART = 0.3
"""By so much more often those that use it pass."""
MOST, MOST_BRIEF = 3, 2
LIKELY = 0.5
_PATH = ("investigation", "unused_tools", "tools")


@frozen
class _Unused:
    """A tool, and the rollouts of the tasks at which some use it and some do not."""

    tool: str
    having: Sequence[Case]
    lacking: Sequence[Case]
    p: float


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tools that told some rollouts of a task something and others nothing, where the others pass far less often."""
    cases = [case for run in runs for case in undisturbed(run)]
    tested = [entry for tool, using in _using(cases).items() if (entry := _split(tool, cases, using)) is not None]
    adjusted = benjamini_hochberg([entry.p for entry in tested])
    sure = [(entry, p) for entry, p in zip(tested, adjusted, strict=True) if p <= SURE and _costs(entry)]
    sure.sort(key=lambda pair: (-_passes_missed(pair[0]), pair[1], pair[0].tool))
    disturbed = sum(len(judged(run)) for run in runs) - len(cases)
    return {"tools": [_entry(entry, p, runs) for entry, p in sure[:MOST]], "disturbed": disturbed} if sure else None


def _using(cases: Sequence[Case]) -> dict[str, set[int]]:
    """Each tool with the rollouts, by their identity, to which it told something."""
    using: defaultdict[str, set[int]] = defaultdict(set)
    for case in cases:
        for tool in set(case.observed.get("answered", ())) - set(case.observed.get("nothing", ())):
            using[tool].add(id(case))
    return dict(sorted(using.items()))


def _split(tool: str, cases: Sequence[Case], using: Collection[int]) -> _Unused | None:
    """The tasks with both kinds of rollouts; None where these are too few to be tested.

    Who calls a tool and is told nothing is neither: that is another matter.
    """
    clear = [case for case in cases if id(case) in using or tool not in case.tools]
    mixed = [rows for rows in by_task(clear).values() if 0 < sum(id(case) in using for case in rows) < len(rows)]
    rows = [case for task_rows in mixed for case in task_rows]
    having, lacking = ([case for case in rows if (id(case) in using) is used] for used in (True, False))
    if len(mixed) < FEWEST_TASKS or min(len(having), len(lacking)) < FEWEST:
        return None
    p = outcome_p(rows, {id(case) for case in lacking})
    return None if p is None else _Unused(tool, having, lacking, p)


def _costs(entry: _Unused) -> bool:
    return pass_rate(entry.having) - pass_rate(entry.lacking) >= APART


def _passes_missed(entry: _Unused) -> float:
    return len(entry.lacking) * (pass_rate(entry.having) - pass_rate(entry.lacking))


def _entry(entry: _Unused, p: float, runs: Sequence[RunCases]) -> dict[str, Any]:
    tasks = by_task(entry.lacking)
    never = [rows for rows in tasks.values() if not any(case.passed for case in rows)]
    always = [rows for rows in tasks.values() if all(case.passed for case in rows)]
    rows = [*entry.having, *entry.lacking]
    of_run = run_p(rows, {id(case) for case in entry.lacking})
    example = max(
        (case for case in entry.lacking if not case.passed), key=lambda case: (case.key in tasks, len(case.tools))
    )
    answer = example.observed.get("answer") or {}
    return {
        "tool": entry.tool,
        "tasks": in_order(case.label for case in rows),
        "part": common_part(runs, list(tasks)),
        **counted_with_passes("having", entry.having),
        **counted_with_passes("lacking", entry.lacking),
        "never": {
            "tasks": in_order(case.label for task_rows in never for case in task_rows),
            "rollouts": sum(map(len, never)),
        },
        "always": {
            "tasks": in_order(case.label for task_rows in always for case in task_rows),
            "rollouts": sum(map(len, always)),
        },
        "runs": [
            {
                "run": run.run.name,
                **counted_with_passes("having", [case for case in entry.having if case.run == run.run.name]),
                **counted_with_passes("lacking", [case for case in entry.lacking if case.run == run.run.name]),
            }
            for run in runs
        ],
        "p": significant(p, WRITTEN),
        "p_run": None if of_run is None else significant(of_run, WRITTEN),
        "example": {
            "place": f"{example.run}, task {example.label}, attempt {example.attempt}",
            "tools": list(dict.fromkeys(example.tools)),
            "answer": printable(str(answer.get("text", ""))),
            "key": printable(str((answer.get("key") or [""])[0])),
        },
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [
        Paragraph((_head(place, entry, answer["disturbed"]), *_details(place, entry)))
        for place, entry in enumerate(answer["tools"])
    ]
    return [Bullets(tuple(items))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The tools whose absence goes with the most failures, and in which run."""
    looked_up = [(place, entry) for place, entry in enumerate(answer["tools"]) if not _changes(entry["tool"])]
    for place, entry in looked_up[:MOST_BRIEF]:
        yield Sentence((*_head(place, entry, 0).parts, " ", *_by_run(place, entry).parts))


def _head(place: int, entry: Mapping[str, Any], disturbed: int) -> Sentence:
    at = (*_PATH, place)
    part = entry["part"]
    return say(
        "{lacking} of {all}{disturbed} never call {tool} at {tasks} at which others do{part} ({names}): "
        "{lacking_passes} of them pass, {having_passes} of the {having} others (exact test within tasks, corrected: "
        "p = {p}).",
        lacking=amount(entry["lacking"], *at, "lacking"),
        all=count(entry["lacking"] + entry["having"], "rollout"),
        disturbed=disturbed_words(disturbed),
        tool=entry["tool"],
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *at, "tasks"),
        part=f", nearly all of {part['field']}={part['level']}" if part else "",
        names=task_list(entry["tasks"]),
        lacking_passes=amount(entry["lacking_passes"], *at, "lacking_passes"),
        having_passes=amount(entry["having_passes"], *at, "having_passes"),
        having=amount(entry["having"], *at, "having"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *at, "p"),
    )


def _details(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = (*_PATH, place)
    yield _by_run(place, entry)
    never, always = entry["never"], entry["always"]
    if never["rollouts"] and always["rollouts"]:
        yield say(
            "At {never} none of the {fails} without it passes ({names}), at {always} all {passes} do: there "
            "what they had was enough.",
            never=fact(count(len(never["tasks"]), "task"), len(never["tasks"]), *at, "never", "tasks"),
            fails=amount(never["rollouts"], *at, "never", "rollouts"),
            names=task_list(never["tasks"]),
            always=fact(f"{len(always['tasks']):,}", len(always["tasks"]), *at, "always", "tasks"),
            passes=amount(always["rollouts"], *at, "always", "rollouts"),
        )
    example = entry["example"]
    if example["answer"] and example["key"]:
        called = f" after {', '.join(example['tools'])} alone" if example["tools"] else " without a call"
        yield say(
            "For instance {place} answers “{answer}”{called}; the key is “{key}”.",
            place=example["place"],
            answer=example["answer"],
            called=called,
            key=example["key"],
        )


def _by_run(place: int, entry: Mapping[str, Any]) -> Sentence:
    """What every run passes without the tool and with it, and which run leaves it out beyond chance."""
    parts: list[str | Fact] = []
    for number, run in enumerate(entry["runs"]):
        at = (*_PATH, place, "runs", number)
        parts += ["; " if parts else "", f"{run['run']} "]
        parts += [
            fact(f"{run['lacking_passes']:,} of {run['lacking']:,}", run["lacking_passes"], *at, "lacking_passes")
        ]
        parts += [" and "]
        parts += [fact(f"{run['having_passes']:,} of {run['having']:,}", run["having_passes"], *at, "having_passes")]
    often = ""
    if entry["p_run"] is not None and entry["p_run"] <= SURE:
        leader = max(entry["runs"], key=lambda run: run["lacking"] / max(run["lacking"] + run["having"], 1))
        often = f"; {leader['run']} leaves it out more often than the others, beyond chance"
    return Sentence(("Passes without it and with it: ", *parts, f"{often}."))


def _changes(tool: str) -> bool:
    """Whether a tool changes something: it is left out where nothing was done, or done with another tool."""
    return changing_name(tool) is True or edits_files(tool)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """What was found is to be opened before it is answered from."""
    for place, entry in enumerate(answer["tools"]):
        if _changes(entry["tool"]):
            continue
        failures = entry["lacking"] - entry["lacking_passes"]
        yield Advice(
            "prompt",
            f"Have the model use {entry['tool']} before it answers tasks such as {task_list(entry['tasks'], 3)}",
            say(
                "{failures} that never call it fail.",
                failures=fact(count(failures, "rollout"), entry["lacking_passes"], *_PATH, place, "lacking_passes"),
            ),
            failures,
            LIKELY,
        )
