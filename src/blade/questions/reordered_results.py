"""Which failures have the right items, and only in another order than the verifier compares them with?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.counted_as_passes import by_run, counted_as_passes, run_counts
from blade.document import Advice, Block, Paragraph, Sentence, say
from blade.late_regex import late_regex
from blade.questions import OF_THE_EVALUATION, cause, fails_alone, in_order, judged, task_list, task_words
from blade.wording import amount, count, fact

TITLE = "Right items in another order"
ORDER = 71
WEIGHT = OF_THE_EVALUATION
FEWEST = 3
LIKELY = 0.6
_PATH = ("investigation", "reordered_results")
_OF_ORDER = late_regex(
    r"(?i)\b(?:order(?:ed|ing)?|sort(?:ed|ing)?|rank(?:ed|ing)?|ascending|descending|alphabetical(?:ly)?|"
    r"chronological(?:ly)?|sequence|(?:most|least|newest|oldest|highest|lowest|largest|smallest) (?:\w+ )?first)\b"
)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The failures whose compared items are the wanted ones, with the tasks whose prompts speak of an order."""
    failures = [case for run in runs for case in judged(run) if not case.passed and "reordered" in case.observed]
    if len(failures) < FEWEST:
        return None
    alone = [case for case in failures if not case.checks or fails_alone(case)]
    prompts = task_words(case.place for case in {case.key: case for case in failures}.values())
    of_order = {case.label for case in failures if _OF_ORDER.search(prompts.get(case.place, ""))}
    checks = Counter(name for case in alone for name, met in case.checks.items() if not met)
    first = failures[0]
    return {
        "rollouts": len(failures),
        "alone": len(alone),
        "tasks": in_order(case.label for case in failures),
        "of_order": in_order(of_order),
        "checks": [name for name, _ in checks.most_common(1)],
        "runs": run_counts(runs, failures),
        "runs_alone": run_counts(runs, alone),
        "causes": [
            cause(
                "TI",
                "has all items that are wanted, in another order than the check compares",
                _unordered(alone, of_order),
            )
        ],
        "example": {
            "run": first.run,
            "task": first.label,
            "attempt": first.attempt,
            "got": first.observed["reordered"][0],
            "wanted": first.observed["reordered"][1],
        },
    }


def _unordered(cases: Sequence[Case], of_order: Collection[str]) -> list[Case]:
    """Those of tasks whose prompt asks for no order."""
    return [case for case in cases if case.label not in of_order]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_sentences(answer)))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _summary(answer)


def _sentences(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _summary(answer)
    example = {name: str(value) for name, value in answer["example"].items()}
    yield say("For instance {got} against {wanted} ({run}, task {task}, attempt {attempt}).", **example)
    if not answer["of_order"]:
        yield say("No prompt of these tasks has a word like “order” or “sort”.")
    elif len(answer["of_order"]) < len(answer["tasks"]):
        yield say("Of these, only {tasks} have a word like “order” or “sort”.", tasks=task_list(answer["of_order"]))
    if answer["alone"]:
        yield counted_as_passes(answer["runs_alone"])


def _summary(answer: Mapping[str, Any]) -> Sentence:
    return say(
        "{rollouts} of {tasks} ({runs}; {names}) have the items that the verifier wants and fail for their order; "
        "{alone} of them fail nothing else.",
        rollouts=fact(count(answer["rollouts"], "judged failure"), answer["rollouts"], *_PATH, "rollouts"),
        tasks=fact(count(len(answer["tasks"]), "task"), len(answer["tasks"]), *_PATH, "tasks"),
        runs=by_run(answer["runs"]),
        names=task_list(answer["tasks"]),
        alone=amount(answer["alone"], *_PATH, "alone"),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """Order counts where the task asks for one."""
    unasked = [task for task in answer["tasks"] if task not in set(answer["of_order"])]
    if not unasked:
        return
    yield Advice(
        "verifier",
        f"Compare items without their order where the task asks for none ({task_list(unasked)}), and judge these again",
        say(
            "{rollouts} have the right items in another order.",
            rollouts=fact(count(answer["rollouts"], "failure"), answer["rollouts"], *_PATH, "rollouts"),
        ),
        answer["alone"],
        LIKELY,
        before_scores=True,
    )
