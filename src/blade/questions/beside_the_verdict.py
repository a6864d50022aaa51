"""Which recorded sub-checks do not decide the verdict: all met in some failures, and not all met in some passes?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.translate.rollout_row import NOT_IN_THE_REWARD
from blade.wording import amount, count, fact

TITLE = "Sub-checks that do not decide the verdict"
ORDER = 36
FEWEST = 3
SHOWN = 4


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per group of sub-checks the failures that meet all of it and the passes that do not; both kinds must be there.

    Where a share of the checks is enough for a pass, passes miss some of them, but no failure meets them all.
    """
    groups = [entry for name, full in _groups(runs).items() if (entry := _entry(name, full, runs)) is not None]
    return {"groups": groups} if groups else None


def _groups(runs: Sequence[RunCases]) -> dict[str, dict[int, bool]]:
    """Group → whether a rollout meets all of it: sets of named checks, and what the source leaves out of the reward."""
    groups: defaultdict[str, dict[int, bool]] = defaultdict(dict)
    for run in runs:
        names = [name for name in run.field_names() if name.rpartition(".")[0].endswith(f".{NOT_IN_THE_REWARD}")]
        for case, fields in zip(run.cases, run.fields(), strict=True):
            for name, (passed, total) in case.observed.get("check_sets", {}).items():
                groups[name][id(case)] = passed == total
            for name, value in fields.items() if names else ():
                if name in names and isinstance(value, (int, float)):
                    groups[name.rpartition(".")[2]][id(case)] = value >= 1
    return dict(sorted(groups.items()))


def _entry(name: str, full: Mapping[int, bool], runs: Sequence[RunCases]) -> dict[str, Any] | None:
    cases = [case for run in runs for case in judged(run) if id(case) in full]
    passes, failures = ([case for case in cases if case.passed is passed] for passed in (True, False))
    met = [case for case in failures if full[id(case)]]
    missed = [case for case in passes if not full[id(case)]]
    if not met or len(missed) < FEWEST:
        return None
    return {
        "name": name,
        "failures": len(failures),
        "met": len(met),
        "met_in": _by_run(met),
        "passes": len(passes),
        "missed": len(missed),
        "missed_in": _by_run(missed),
    }


def _by_run(cases: Sequence[Case]) -> dict[str, list[str]]:
    tasks: defaultdict[str, list[str]] = defaultdict(list)
    for case in cases:
        tasks[case.run].append(case.label)
    return {run: in_order(labels) for run, labels in tasks.items()}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = (Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["groups"][:SHOWN]))
    return [Bullets(tuple(items))]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "beside_the_verdict", "groups", place)
    yield say(
        "“{name}” does not decide the verdict: it is met in full in {met} of {failures} ({met_in}), and not in "
        "{missed} of {passes}.",
        name=str(entry["name"]),
        met=amount(entry["met"], *at, "met"),
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        met_in=_run_tasks(entry["met_in"]),
        missed=amount(entry["missed"], *at, "missed"),
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *at, "passes"),
    )


def _run_tasks(tasks: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{run}: {task_list(labels)}" for run, labels in tasks.items())
