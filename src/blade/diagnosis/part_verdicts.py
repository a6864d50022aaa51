"""Parts judged wrong though they equal the key, and parts that are left out while all that is handed in is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.answer_parts import PartedCase
from blade.diagnosis.cases import Case
from blade.diagnosis.part_patterns import by_key, run_counts, shown_part

ALL_RIGHT = 0.9
FEWEST_LEFT_OUT = 5


def equal_parts(rows: Sequence[PartedCase]) -> tuple[dict[str, Any] | None, list[Case]]:
    """What is told of failures with parts that are judged wrong though they equal the key; those that would pass.

    That they would is said only where rollouts without a wrong part pass.
    """
    having = [entry for entry in rows if not entry.case.passed and any(part.is_equal for part in entry.wrong)]
    if not having:
        return None, []
    examples = [shown_part(entry, part) for entry in having for part in entry.wrong if part.is_equal]
    lifted = [entry for entry in having if entry.is_failure and all(part.is_equal for part in entry.wrong)]
    whole = [entry.case.passed for entry in rows if not entry.wrong]
    passing = lifted if whole and sum(map(bool, whole)) >= ALL_RIGHT * len(whole) else []
    entry = {
        "parts": len(examples),
        "failures": len(having),
        "tasks": [entry.case.label for entry in having],
        "of_tasks": len({entry.case.key for entry in having}),
        "runs": run_counts(having),
        "example": max(examples, key=_telling),
        "passing": len(passing),
        "always": sorted(set(_always(rows, passing))),
    }
    return entry, [entry.case for entry in passing]


def _telling(example: Mapping[str, Any]) -> tuple[bool, bool]:
    """Best is an example that shows how the verifier read something else, and two writings that differ."""
    reading = example["reading"]
    return bool(reading) and reading != example["expected"], example["answer"] != example["expected"]


def _always(rows: Sequence[PartedCase], passing: Sequence[PartedCase]) -> Iterator[str]:
    """Tasks whose failures all would pass."""
    would_pass = {id(entry.case) for entry in passing}
    for of_task in by_key(rows).values():
        failures = [entry for entry in of_task if not entry.case.passed]
        if failures and all(id(entry.case) in would_pass for entry in failures):
            yield failures[0].case.label


def parts_left_out(rows: Sequence[PartedCase]) -> tuple[dict[str, Any] | None, list[Case]]:
    """What is told of failures that leave out parts while all that they hand in is right; all rollouts that do so."""
    having = [entry for entry in rows if _leaves_out(entry)]
    failures = [entry for entry in having if not entry.case.passed]
    if len(failures) < FEWEST_LEFT_OUT:
        return None, []
    missing = [len(entry.wrong) for entry in failures]
    entry = {
        "failures": len(failures),
        "passes": len(having) - len(failures),
        "tasks": [entry.case.label for entry in failures],
        "of_tasks": len({entry.case.key for entry in failures}),
        "fewest": min(missing),
        "most": max(missing),
        "last": sum(_leaves_out_the_last(entry) for entry in failures),
        "fewest_parts": min(len(entry.parts) for entry in failures),
        "fewest_of_all": min(len(entry.parts) for entry in rows),
        "runs": [_of_run(run, rows, failures) for run in dict.fromkeys(entry.case.run for entry in rows)],
        "example": _missing_names(failures[0]),
    }
    return entry, [entry.case for entry in having]


def _of_run(run: str, rows: Sequence[PartedCase], failures: Sequence[PartedCase]) -> dict[str, Any]:
    return {
        "run": run,
        "left_out": sum(entry.case.run == run for entry in failures),
        "failures": sum(entry.case.run == run and not entry.case.passed for entry in rows),
    }


def _leaves_out(entry: PartedCase) -> bool:
    return (
        entry.is_whole
        and bool(entry.wrong)
        and len(entry.wrong) < len(entry.parts)
        and all(part.is_left_out for part in entry.wrong)
    )


def _leaves_out_the_last(entry: PartedCase) -> bool:
    return all(part.is_left_out for part in entry.parts[-len(entry.wrong) :])


def _missing_names(entry: PartedCase) -> dict[str, Any]:
    names = [part.name for part in entry.wrong]
    return {"task": entry.case.label, "run": entry.case.run, "attempt": entry.case.attempt, "names": names}
