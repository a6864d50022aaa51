"""Does a check fail in one stretch of time alone, where other attempts at the same tasks meet it?

Something outside of the work decides then: a clock that passes midnight, a service that was down, a full disk.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Advice, Block, Bullets, Paragraph, Sentence, say
from blade.questions import OF_THE_EVALUATION, by_task, in_order, judged, task_list
from blade.stats.rounding import WRITTEN, significant
from blade.stats.scan import scan_window
from blade.wording import amount, count, fact

TITLE = "Checks that fail in one stretch of time"
ORDER = 77
WEIGHT = OF_THE_EVALUATION
FEWEST_ROLLOUTS, FEWEST_TASKS = 12, 3
MOST_CHECKS = 40
INSIDE, OUTSIDE = 0.8, 0.1
HALF = 0.5
SURE = 0.01
LIKELY = 0.6
_PATH = ("investigation", "checks_in_time")
Timed = tuple[float, Case]


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run and check the stretch in which it nearly always fails, and hardly ever elsewhere."""
    attempts = by_task([case for run in runs for case in judged(run)])
    entries = [
        entry
        for run in runs
        for check, rows in _checked(run).items()
        if (entry := _entry(run.run.name, check, rows, attempts)) is not None
    ]
    return {"checks": sorted(entries, key=lambda entry: (entry["p"], -entry["failures"]))} if entries else None


def _checked(run: RunCases) -> dict[str, list[Timed]]:
    """The judged rollouts of a run in order of time, by each check that several tasks share."""
    times = run.run.graded["created_at"].to_list()
    if any(time is None for time in times) or len(set(times)) < FEWEST_ROLLOUTS:
        return {}
    own = {id(case) for case in judged(run)}
    timed = sorted(
        ((time, case) for time, case in zip(times, run.cases, strict=True) if id(case) in own), key=lambda row: row[0]
    )
    rows: defaultdict[str, list[Timed]] = defaultdict(list)
    for time, case in timed:
        for check in case.checks:
            rows[check].append((time, case))
    enough = [check for check, having in rows.items() if len(having) >= FEWEST_ROLLOUTS]
    return {check: rows[check] for check in enough[:MOST_CHECKS]}


def _entry(
    run: str, check: str, rows: Sequence[Timed], attempts: Mapping[str, Sequence[Case]]
) -> dict[str, Any] | None:
    failed = [not case.checks[check] for _, case in rows]
    window = scan_window(failed, side="higher")
    if window is None or window.p > SURE or window.inside < INSIDE or window.outside > OUTSIDE:
        return None
    stretch = rows[window.start : window.end]
    failing = [case for _, case in stretch if not case.checks[check]]
    keys = {case.key for case in failing}
    met_elsewhere = {key for key in keys if any(case.checks.get(check) for case in attempts[key])}
    if len(keys) < FEWEST_TASKS or len(met_elsewhere) < HALF * len(keys):
        return None
    return {
        "run": run,
        "check": check,
        "from": stretch[0][0],
        "to": stretch[-1][0],
        "failures": len(failing),
        "rollouts": len(stretch),
        "other_failures": sum(failed) - len(failing),
        "others": len(rows) - len(stretch),
        "alone": sum(all(met for name, met in case.checks.items() if name != check) for case in failing),
        "tasks": in_order(case.label for case in failing),
        "p": significant(window.p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["checks"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _words(0, answer["checks"][0])


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_PATH, "checks", place)
    return say(
        "“{check}” fails in {failures} of the {rollouts} of {run} between {start} and {end} ({tasks}), in {alone} of "
        "them as the only check, and in {other_failures} of its {others} others: what else happened then decides it.",
        check=entry["check"],
        failures=amount(entry["failures"], *path, "failures"),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        run=entry["run"],
        start=_clock(entry["from"]),
        end=_clock(entry["to"]),
        tasks=task_list(entry["tasks"]),
        alone=amount(entry["alone"], *path, "alone"),
        other_failures=amount(entry["other_failures"], *path, "other_failures"),
        others=amount(entry["others"], *path, "others"),
    )


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M")


def advise(answer: Mapping[str, Any]) -> Iterator[Advice]:
    for place, entry in enumerate(answer["checks"]):
        yield Advice(
            "verifier",
            f"Find out what changed for “{entry['check']}” at that time (a clock, a date, a service), take it out of "
            "the check, and judge these again",
            say(
                "{failures} fail it between {start} and {end}.",
                failures=fact(
                    count(entry["failures"], "rollout"), entry["failures"], *_PATH, "checks", place, "failures"
                ),
                start=_clock(entry["from"]),
                end=_clock(entry["to"]),
            ),
            entry["failures"],
            LIKELY,
            before_scores=True,
        )
