"""Who takes a version out of the history of the repository, and do these rollouts pass more often?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import RunCases
from blade.diagnosis.counted_as_passes import by_run, run_counts
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "Versions taken out of the repository's history"
ORDER = 31
WEIGHT = OF_THE_EVALUATION
FEWEST, FEWEST_PASSES = 3, 3
MOSTLY = 0.8
LIKELY = 0.6
_PATH = ("investigation", "history_looks")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks in which rollouts take another version, nearly all of them pass, and others at these tasks pass less."""
    if not any(run.observing("history_look") for run in runs):
        return None
    everyone = [case for run in runs for case in judged(run)]
    tasks = {
        key: cases
        for key, cases in by_task(everyone).items()
        if any("history_look" in case.observed and case.passed for case in cases)
    }
    cases_there = [case for cases in tasks.values() for case in cases]
    taking = [case for case in cases_there if "history_look" in case.observed]
    other_cases = [case for case in cases_there if "history_look" not in case.observed]
    passes, other_passes = (sum(bool(case.passed) for case in cases) for cases in (taking, other_cases))
    is_better = passes >= MOSTLY * len(taking) and other_passes * len(taking) < passes * len(other_cases)
    if len(taking) < FEWEST or passes < FEWEST_PASSES or not is_better:
        return None
    item, command = taking[0].observed["history_look"]
    return {
        "rollouts": len(taking),
        "passes": passes,
        "others": len(other_cases),
        "other_passes": other_passes,
        "tasks": in_order(case.label for case in taking),
        "runs": run_counts(runs, taking),
        "example": {
            "run": taking[0].run,
            "task": taking[0].label,
            "attempt": taking[0].attempt,
            "item": item,
            "command": command,
        },
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield next(_sentences(answer))


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "{rollouts} of {tasks} ({runs}) take a version out of the repository's history that is not its present state, "
        "and {passes} of them pass; of the {others} others at these tasks {other_passes} {verb} ({names}).",
        verb="passes" if answer["other_passes"] == 1 else "pass",
        rollouts=fact(count(answer["rollouts"], "judged rollout"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        runs=by_run(answer["runs"]),
        passes=amount(answer["passes"], *_PATH, "passes"),
        others=amount(answer["others"], *_PATH, "others"),
        other_passes=amount(answer["other_passes"], *_PATH, "other_passes"),
        names=task_list(answer["tasks"]),
    )
    example = {name: str(value) for name, value in answer["example"].items()}
    yield say("For instance “{command}” ({run}, task {task}, attempt {attempt}, item {item}).", **example)


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """The history is to end where the task begins."""
    yield Advice(
        "environment",
        "Remove later commits and other branches from the repositories of these tasks, and look at these passes before "
        "they are counted",
        say(
            "{passes} of the {rollouts} that take another version pass.",
            passes=amount(answer["passes"], *_PATH, "passes"),
            rollouts=fact(count(answer["rollouts"], "rollout"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["passes"],
        LIKELY,
        before_scores=True,
    )
