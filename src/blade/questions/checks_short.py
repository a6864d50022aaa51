"""How many checks are failures short of a pass: all of them, some, or a single one?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact

TITLE = "How many checks short"
ORDER = 35
FEWEST = 5
SEVERAL = 2


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the judged failures in which some of several named checks fail, by how many of these do."""
    entries = [entry for run in runs if (entry := _of_run(run)) is not None]
    return {"runs": entries} if entries else None


def _of_run(run: RunCases) -> dict[str, Any] | None:
    failures = [case for case in judged(run) if not case.passed]
    met = [(case, *_met(case)) for case in failures if "check_sets" in case.observed]
    several = [(case, passed, total) for case, passed, total in met if total >= SEVERAL and passed < total]
    if len(several) < FEWEST:
        return None
    single = [case for case, passed, total in several if total - passed == 1]
    return {
        "run": run.run.name,
        "failures": len(several),
        "none_met": sum(not passed for _, passed, _ in several),
        "partly": sum(passed > 0 for _, passed, _ in several),
        "single": len(single),
        "single_tasks": in_order(case.label for case in single),
    }


def _met(case: Case) -> tuple[int, int]:
    """How many checks are met and how many there are, over all sets of the verdict."""
    passed, total = zip(*case.observed["check_sets"].values(), strict=True)
    return sum(passed), sum(total)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_sentence(place, entry),)) for place, entry in enumerate(answer["runs"])))]


def _sentence(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = ("investigation", "checks_short", "runs", place)
    tasks = f" ({task_list(entry['single_tasks'])})" if entry["single_tasks"] else ""
    return say(
        "{run}: of {failures} that miss some of several named checks, none is met in {none_met} and some "
        "in {partly}; a single check is missed in {single}{tasks}.",
        run=entry["run"],
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        none_met=amount(entry["none_met"], *at, "none_met"),
        partly=amount(entry["partly"], *at, "partly"),
        single=amount(entry["single"], *at, "single"),
        tasks=tasks,
    )
