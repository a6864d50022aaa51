"""Which failures make every expected change and lack an expected answer, and what does the model say instead?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.effective_key import effective_shape, refused_changes
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.failure_shape import RIGHT
from blade.questions import by_task, judged
from blade.wording import amount, count, fact, listed

TITLE = "Every change right, an expected answer missing"
ORDER = 42
WEIGHT = 1.3
MOST = 6
MOST_QUOTES = 4


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged failures whose changes are all right and that never say an expected answer, by task."""
    if not any(run.observing("unsaid") for run in runs):
        return None
    refused = refused_changes(runs)
    every = by_task([case for run in runs for case in judged(run)])
    tasks = {
        key: lacking
        for key, cases in every.items()
        if (lacking := [entry for entry in cases if _lacks(entry, refused)])
    }
    if not tasks:
        return None
    told = sorted(tasks.items(), key=lambda entry: (-len(entry[1]), entry[1][0].label))
    return {
        "rollouts": sum(map(len, tasks.values())),
        "tasks": [_task(cases, every[key]) for key, cases in told[:MOST]],
        "left_out": len(told[MOST:]),
    }


def _lacks(case: Case, refused: Mapping[int, Any]) -> bool:
    seen = case.observed
    return not case.passed and "unsaid" in seen and effective_shape(seen, refused) == RIGHT


def _task(cases: Sequence[Case], every: Sequence[Case]) -> dict[str, Any]:
    missing = [entry for case in cases for entry in case.observed["unsaid"]]
    said = [
        {"run": case.run, "attempt": case.attempt, "sentence": sentence}
        for case in cases
        for sentence in [next((told for _, told in case.observed["unsaid"] if told), "")]
        if sentence
    ]
    return {
        "task": cases[0].label,
        "rollouts": len(cases),
        "judged": len(every),
        "passes": sum(bool(case.passed) for case in every),
        "missing": list(dict.fromkeys(answer for answer, _ in missing)),
        "said": said[:MOST_QUOTES],
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["tasks"])]
    lead = say(
        "In {many} every expected change was made, but no message of the model contains an expected answer: the "
        "answer or the verdict alone fails them.",
        many=fact(count(answer["rollouts"], "judged failure"), answer["rollouts"], *_PATH, "rollouts"),
    )
    blocks: list[Block] = [Paragraph((lead,)), Bullets(tuple(items))]
    if answer["left_out"]:
        left = fact(count(answer["left_out"], "more task"), answer["left_out"], *_PATH, "left_out")
        blocks.append(Paragraph((say("Left out here: {left} of this kind.", left=left),)))
    return blocks


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = (*_PATH, "tasks", place)
    yield say(
        "Task {task}: the expected {missing} is missing in {rollouts}; {passes} of {judged} "
        + ("passes." if entry["passes"] == 1 else "pass."),
        task=entry["task"],
        missing=" or ".join(f"“{answer}”" for answer in entry["missing"]),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        passes=amount(entry["passes"], *path, "passes"),
        judged=fact(count(entry["judged"], "judged rollout"), entry["judged"], *path, "judged"),
    )
    if entry["said"]:
        yield say(
            "Where it was asked for, {said}.",
            said=listed([f"{each['run']} says “{each['sentence']}”" for each in entry["said"]]),
        )


_PATH = ("investigation", "unsaid_answers")
