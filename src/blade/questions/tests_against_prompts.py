"""Which tests want something else than the task's own text says of the same call?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Paragraph, Sentence, Table, say
from blade.findings import TaskFault
from blade.health import Item, item
from blade.questions import OF_THE_EVALUATION, by_task, judged, task_list
from blade.wording import amount, count, fact, listed, percent

TITLE = "Tests that contradict their task"
ORDER = 79
WEIGHT = OF_THE_EVALUATION
FEWEST = 2
LIKELY = 0.9
MOST = 12
_PATH = ("investigation", "tests_against_prompts")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks in which several failures return what the task's text calls right, and the test wants another value."""
    tasks = by_task([case for run in runs for case in judged(run)])
    entries = [entry for cases in tasks.values() if (entry := _of_task(cases)) is not None]
    if not entries:
        return None
    entries.sort(key=lambda entry: (-entry["rollouts"], entry["task"]))
    wrong = {entry["task"] for entry in entries}
    return {
        "tasks": entries,
        "rollouts": sum(entry["rollouts"] for entry in entries),
        "runs": [_without(run.run.name, judged(run), wrong) for run in runs],
    }


def _of_task(cases: Sequence[Case]) -> dict[str, Any] | None:
    contradictions = [
        tuple(case.observed["against_prompt"])
        for case in cases
        if not case.passed and "against_prompt" in case.observed
    ]
    if len(contradictions) < FEWEST:
        return None
    call, test_value, prompt_value = min(Counter(contradictions).items(), key=lambda pair: (-pair[1], pair[0]))[0]
    return {
        "task": cases[0].label,
        "call": call,
        "wanted": test_value,
        "said": prompt_value,
        "rollouts": len(contradictions),
        "judged": len(cases),
        "passes": sum(bool(case.passed) for case in cases),
    }


def _without(run: str, cases: Sequence[Case], wrong: set[str]) -> dict[str, Any]:
    others = [case for case in cases if case.label not in wrong]
    return {"run": run, "others": len(others), "passes": sum(bool(case.passed) for case in others)}


def faults(answer: Mapping[str, Any]) -> dict[str, TaskFault]:
    """Task → why its failures are not the model's."""
    return {entry["task"]: TaskFault(_reason(entry)) for entry in answer["tasks"]}


def _reason(entry: Mapping[str, Any]) -> str:
    return f"its test wants {entry['wanted']} of {entry['call']}, its text {entry['said']}"


def tell(answer: Mapping[str, Any]) -> list[Block]:
    head = ("Task", "The call", "Its test wants", "Its text says", ">do as the text says", ">judged", ">passes")
    rows = [
        (
            *(entry[name] for name in ("task", "call", "wanted", "said")),
            *(amount(entry[name], *_PATH, "tasks", place, name) for name in ("rollouts", "judged", "passes")),
        )
        for place, entry in enumerate(answer["tasks"][:MOST])
    ]
    left = [
        f"{entry['run']} passes {entry['passes']:,} of {others:,} ({percent(entry['passes'] / others)})"
        for entry in answer["runs"]
        if (others := entry["others"])
    ]
    them = "this task" if len(answer["tasks"]) == 1 else "these tasks"
    without = [Paragraph((say(f"Without {them} {{left}}.", left=listed(left)),))] if left else []
    return [
        Paragraph((_summary(answer),)),
        Table(head, tuple(rows), "What the tests want and what the task says"),
        *without,
    ]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _summary(answer)


def _summary(answer: Mapping[str, Any]) -> Sentence:
    tasks, first = answer["tasks"], answer["tasks"][0]
    return say(
        "In {tasks} ({names}) the test wants another value than the task's own text gives for the same call (in "
        "{first} {call} shall be {prompt_value}, and the test wants {test_value}): {rollouts} that do as the text says "
        "fail.",
        tasks=fact(count(len(tasks), "task"), len(tasks), *_PATH, "tasks"),
        names=task_list([entry["task"] for entry in tasks]),
        first=first["task"],
        call=first["call"],
        prompt_value=first["said"],
        test_value=first["wanted"],
        rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
    )


def health(answer: Mapping[str, Any]) -> Iterator[Item]:
    """Keys that contradict their own task."""
    names = [entry["task"] for entry in answer["tasks"]]
    words = f"The tests of {count(len(names), 'task')} want another value than the task's text gives for the same call."
    yield item("suspect_gold", "high", words, tasks=names)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    yield Advice(
        "data",
        "Correct the tests that contradict the text of their task, and judge these tasks again",
        say(
            "{rollouts} in {tasks} do as the text says, and fail.",
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
            tasks=count(len(answer["tasks"]), "task"),
        ),
        answer["rollouts"],
        LIKELY,
        before_scores=True,
    )
