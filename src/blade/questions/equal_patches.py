"""Are equal patches judged alike?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.extract.artefacts import PATCH_DIGEST
from blade.questions import OF_THE_EVALUATION, judged, patch_field, task_list
from blade.wording import abridged, amount, count, fact, listed

TITLE = "Equal patches with two verdicts"
ORDER = 75
WEIGHT = OF_THE_EVALUATION
MOST = 6
MOST_CHECKS = 3
LIKELY = 0.8
_PATH = ("investigation", "equal_patches")


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Tasks in which one patch, equal to the letter, passes and fails."""
    cases = [case for run in runs for case in judged(run)]
    field = patch_field(cases)
    groups: defaultdict[tuple[str, int], list[Case]] = defaultdict(list)
    for case in cases if field is not None else ():
        patch = case.observed.get("patches", {}).get(field)
        if patch:
            groups[case.key, patch[PATCH_DIGEST]].append(case)
    split = [
        group
        for group in groups.values()
        if any(case.passed for case in group) and not all(case.passed for case in group)
    ]
    if not split:
        return None
    entries = sorted((_entry(group) for group in split), key=lambda entry: (-entry["failures"], entry["task"]))
    return {
        "field": field,
        "failures": sum(entry["failures"] for entry in entries),
        "tasks": entries[:MOST],
        "left_out": len(entries[MOST:]),
    }


def _entry(group: Sequence[Case]) -> dict[str, Any]:
    failures = [case for case in group if not case.passed]
    checks = sorted({name for case in failures for name, state in case.checks.items() if not state})
    return {
        "task": group[0].label,
        "passes": len(group) - len(failures),
        "failures": len(failures),
        "failing": [{"run": case.run, "attempt": case.attempt} for case in failures],
        "checks": checks,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["tasks"])]
    blocks: list[Block] = [Bullets(tuple(items))]
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more task"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} of this kind.", left=left),)))
    return blocks


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield say(
        "{failures} in {tasks} {hand} in a patch that passes, equal to the letter, in other attempts: {names}.",
        hand="hands" if answer["failures"] == 1 else "hand",
        failures=fact(count(answer["failures"], "judged failure"), answer["failures"], *_PATH, "failures"),
        tasks=count(len(answer["tasks"]) + answer["left_out"], "task"),
        names=task_list(entry["task"] for entry in answer["tasks"]),
    )


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "tasks", place)
    failing = [f"attempt {case['attempt']} of {case['run']}" for case in entry["failing"]]
    return say(
        "Task {task}: one patch, equal to the letter, passes in {passes} and fails in {failures} ({failing})"
        + (", where {checks} fail" + ("s" if len(entry["checks"]) == 1 else "") if entry["checks"] else "")
        + ": the verdict does not depend on the patch alone.",
        task=entry["task"],
        passes=fact(count(entry["passes"], "attempt"), entry["passes"], *path, "passes"),
        failures=amount(entry["failures"], *path, "failures"),
        failing=listed(failing),
        checks=abridged([f"“{check}”" for check in entry["checks"]], MOST_CHECKS),
    )


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    """A test that does not depend on the patch is repeated or repaired."""
    yield Advice(
        "verifier",
        "Run the tests of these tasks several times on one patch, and repair or drop what does not repeat",
        say(
            "{failures} in {tasks} {hand} in a patch that passes in other attempts.",
            hand="hands" if answer["failures"] == 1 else "hand",
            failures=fact(count(answer["failures"], "judged failure"), answer["failures"], *_PATH, "failures"),
            tasks=count(len(answer["tasks"]) + answer["left_out"], "task"),
        ),
        answer["failures"],
        LIKELY,
        before_scores=True,
    )
