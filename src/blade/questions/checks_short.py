"""How many checks are failures short of a pass: all of them, some, or a single one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from blade.diagnosis.cases import RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "How many checks short"
ORDER = 35
FEWEST = 5
SEVERAL = 2


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged failures with several named checks, by how many of these fail."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    checks = dict(zip(map(id, run.cases), run.run.graded["checks"].to_list(), strict=True))
    failures = [case for case in judged(run) if not case.passed]
    verdicts = [(case, list(orjson.loads(checks[id(case)]).values())) for case in failures if checks[id(case)]]
    several = [(case, values) for case, values in verdicts if len(values) >= SEVERAL]
    if len(several) < FEWEST:
        return None
    single = [case for case, values in several if sum(not value for value in values) == 1]
    return {
        "run": run.run.name,
        "failures": len(several),
        "none_met": sum(not any(values) for _, values in several),
        "partly": sum(any(values) and not all(values) for _, values in several),
        "single": len(single),
        "single_tasks": in_order(case.label for case in single),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_sentence(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def _sentence(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "checks_short", "runs", place)
    tasks = f" ({task_list(entry['single_tasks'])})" if entry["single_tasks"] else ""
    return say(
        "{run}: of {failures} with several named checks {none_met} meet none of them and {partly} meet some; {single} "
        "fall short by a single check{tasks}.",
        run=entry["run"],
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        none_met=amount(entry["none_met"], *at, "none_met"),
        partly=amount(entry["partly"], *at, "partly"),
        single=amount(entry["single"], *at, "single"),
        tasks=tasks,
    )
