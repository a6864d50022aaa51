"""What does the model ask its user beside a call, where the tool answers next and the user has no turn?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Questions to the user beside a call"
ORDER = 92
WEIGHT = 1.3
FEWEST = 5
MUCH = 0.2
"""So much of a run's rollouts makes it a habit of the run; a question here and there is none."""
MOST = 4


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs that ask so in a good part of their judged rollouts, and how the other runs do; None where none does."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    entries.sort(key=lambda entry: (-entry["rollouts"] / entry["judged"], entry["run"]))
    habit = [entry for entry in entries if entry["rollouts"] >= max(FEWEST, MUCH * entry["judged"])]
    if not habit:
        return None
    return {"runs": habit[:MOST], "others": [entry for entry in entries if entry not in habit[:MOST]]}


def _of_run(run: RunCases) -> dict[str, Any] | None:
    """A run's rollouts with such a question; None where no user takes a turn in most of those that have one."""
    cases = judged(run)
    asking = [case for case in cases if "unheard_questions" in case.observed]
    records = [case.observed["unheard_questions"] for case in asking]
    if not cases or 2 * sum(spoken for *_, spoken in records) < len(records):
        return None
    first = next((case for case in asking if not case.passed), asking[0] if asking else None)
    return {
        "run": run.run.name,
        "judged": len(cases),
        "rollouts": len(asking),
        "questions": sum(record[0] for record in records),
        "calls_failed": sum(record[1] for record in records),
        "passes": _passes(asking),
        "passes_without": _passes(cases) - _passes(asking),
        "tasks": in_order(case.label for case in asking),
        "example": None if first is None else _example(first),
    }


def _example(case: Case) -> dict[str, Any]:
    _, _, item, question, tool, _ = case.observed["unheard_questions"]
    return {"task": case.label, "attempt": case.attempt, "item": item, "question": question, "tool": tool}


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    others = [f"{entry['run']} {entry['rollouts']:,} of {entry['judged']:,}" for entry in answer["others"]]
    if others:
        blocks.append(
            Paragraph((say("Rollouts of the other runs with such a question: {runs}.", runs=", ".join(others)),))
        )
    return blocks


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path, example = (*_PATH, place), entry["example"]
    yield say(
        "{run} asks its user something in the same turn as a call in {rollouts} of {judged} ({tasks}): the tool "
        "answers next and the user has no turn, so that these {questions} get no answer. For instance “{question}” "
        "beside a call of {tool} (task {task}, attempt {attempt}, item {item}).",
        **_numbers(place, entry),
        tasks=task_list(entry["tasks"]),
        questions=fact(count(entry["questions"], "question"), entry["questions"], *path, "questions"),
        question=example["question"],
        tool=example["tool"],
        task=example["task"],
        attempt=f"{example['attempt']:,}",
        item=f"{example['item']:,}",
    )
    yield say(
        "{failed} of the calls beside them {fail}. {passes} of these rollouts {pass_}, of the others {passes_without} "
        "of {rest}.",
        failed=amount(entry["calls_failed"], *path, "calls_failed"),
        fail="fails" if entry["calls_failed"] == 1 else "fail",
        passes=amount(entry["passes"], *path, "passes"),
        pass_="passes" if entry["passes"] == 1 else "pass",
        passes_without=amount(entry["passes_without"], *path, "passes_without"),
        rest=f"{entry['judged'] - entry['rollouts']:,}",
    )


def _numbers(place: int, entry: Mapping[str, Any]) -> dict[str, Any]:
    path = (*_PATH, place)
    return {
        "run": entry["run"],
        "rollouts": amount(entry["rollouts"], *path, "rollouts"),
        "judged": fact(count(entry["judged"], "judged rollout"), entry["judged"], *path, "judged"),
    }


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The run that does so most."""
    yield say(
        "{run} asks its user something beside a call, where the tool answers next and the user has no turn, in "
        "{rollouts} of {judged}.",
        **_numbers(0, answer["runs"][0]),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Let the question reach the user, or let the model know that it does not."""
    entries = answer["runs"]
    failures = sum(entry["rollouts"] - entry["passes"] for entry in entries)
    yield Advice(
        "prompt",
        "Say in the prompt that the user sees only messages without a call, or have the harness give the user a turn "
        "before the call is made",
        say(
            "{failures} ask their user something beside a call, and the tool answers: {runs}.",
            failures=count(failures, "failure"),
            runs=", ".join(f"{entry['run']} {entry['rollouts'] - entry['passes']:,}" for entry in entries),
        ),
        failures,
        0.2,
    )


_PATH = ("investigation", "unheard_questions", "runs")
