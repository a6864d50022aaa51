"""Which rollouts does their own run mark as not to be used, and what is the score without them?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.extract.names import words
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, percent

TITLE = "Rollouts that the run itself leaves out"
ORDER = 7
WEIGHT = 1.5
MASKS = (("mask", "sample"), ("sample", "masked"), ("is", "masked"), ("masked",))
"""Words of the fields with which harnesses mark a rollout whose record or run was at fault."""
LARGE = 0.05


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged rollouts that such a field marks, wherever it stands, with both outcomes."""
    entries = []
    for run in runs:
        good = {id(case) for case in judged(run)}
        marked, others, names = list[Case](), list[Case](), dict[str, int]()
        masks = frozenset(name for name in run.field_names() if words(name) in MASKS)
        for case, fields in zip(run.cases, run.fields(), strict=True) if masks else ():
            if id(case) not in good:
                continue
            marks = [name for name, value in fields.items() if value is True and name in masks]
            (marked if marks else others).append(case)
            names |= {name: names.get(name, 0) + 1 for name in marks}
        if marked:
            entries.append(
                {
                    "run": run.run.name,
                    "field": max(sorted(names), key=lambda name: names[name]),
                    "rollouts": len(marked),
                    "passes": sum(bool(case.passed) for case in marked),
                    "others": len(others),
                    "other_passes": sum(bool(case.passed) for case in others),
                    "tasks": in_order(case.label for case in marked),
                }
            )
    return {"runs": entries} if entries else None


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_run(entry, place),)) for place, entry in enumerate(answer["runs"])))]


def _run(entry: Mapping[str, Any], place: int) -> Sentence:
    at = ("investigation", "masked_rows", "runs", place)
    rest = (
        "; without them it is {other_passes} of {others} ({rate})" if entry["others"] else "; no other rollout is left"
    )
    return say(
        "The run marks {rollouts} of {run} as not to be used (“{field}” is true; tasks {tasks}): {passes}"
        + rest
        + ". The score counts them.",
        rollouts=fact(count(entry["rollouts"], "judged rollout"), entry["rollouts"], *at, "rollouts"),
        run=entry["run"],
        field=entry["field"],
        tasks=task_list(entry["tasks"]),
        passes=fact(count(entry["passes"], "of them passes", "of them pass"), entry["passes"], *at, "passes"),
        other_passes=amount(entry["other_passes"], *at, "other_passes"),
        others=amount(entry["others"], *at, "others"),
        rate=percent(entry["other_passes"] / entry["others"]) if entry["others"] else "",
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Runs of which a good part is marked."""
    for place, entry in enumerate(answer["runs"]):
        if entry["rollouts"] >= LARGE * (entry["rollouts"] + entry["others"]):
            yield _run(entry, place)
