"""Do tasks pass though the change that their key lists was never made: does it hold anyway, or is it not checked?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.idle_passes import idle_passes, idle_tasks
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "Passes without the expected change"
ORDER = 28
SURE = 0.8


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The tasks of such passes, and per run these passes and all passes with and without the tasks.

    Left out are changes that the environment refuses: who leaves one out has left out nothing. A pass with any other
    accepted change may have reached the state in another way.
    """
    idle, tasks = idle_passes(runs), idle_tasks(runs)
    if not tasks:
        return None
    entries = []
    for run in runs:
        cases = judged(run)
        others = [case for case in cases if case.key not in tasks]
        entries.append(
            {
                "run": run.run.name,
                "rollouts": len(idle[run.run.name]),
                "passes": sum(bool(case.passed) for case in cases),
                "judged": len(cases),
                "other_passes": sum(bool(case.passed) for case in others),
                "others": len(others),
            }
        )
    labels = in_order(set(tasks.values()))
    return {"rollouts": sum(entry["rollouts"] for entry in entries), "tasks": labels, "runs": entries}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph((_words(answer), _without_words(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """That some passes show nothing of the work."""
    yield Sentence((*_words(answer).parts, " ", *_without_words(answer).parts))


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Such a task tells no agent from one that does nothing."""
    yield Advice(
        "data",
        "Leave out, or change, the tasks that pass though the expected change is never made, and count again",
        say(
            "{rollouts}: {tasks}.", rollouts=count(answer["rollouts"], "such pass", "such passes"), tasks=_tasks(answer)
        ),
        answer["rollouts"],
        SURE,
        before_scores=True,
    )


def _words(answer: Mapping[str, Any]) -> Sentence:
    runs = [f"{entry['run']} {entry['rollouts']:,}" for entry in answer["runs"] if entry["rollouts"]]
    return say(
        "{rollouts} no change that was accepted, though the key lists one ({runs}; {tasks}): what is asked for there "
        "holds from the start, or nothing checks it.",
        rollouts=fact(count(answer["rollouts"], "pass makes", "passes make"), answer["rollouts"], *_AT, "rollouts"),
        runs=listed(runs),
        tasks=_tasks(answer),
    )


def _tasks(answer: Mapping[str, Any]) -> str:
    return f"{'task' if len(answer['tasks']) == 1 else 'tasks'} {task_list(answer['tasks'])}"


def _without_words(answer: Mapping[str, Any]) -> Sentence:
    parts: list[Any] = ["Without these tasks "]
    for place, entry in enumerate(answer["runs"]):
        path = (*_AT, "runs", place)
        parts += [
            f"{entry['run']} passes ",
            amount(entry["other_passes"], *path, "other_passes"),
            " of ",
            amount(entry["others"], *path, "others"),
            f" ({entry['passes']:,} of {entry['judged']:,} with them)",
            "; ",
        ]
    return Sentence((*parts[:-1], "."))


_AT = ("investigation", "needless_changes")
