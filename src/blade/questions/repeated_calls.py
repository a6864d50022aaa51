"""How many rollouts make the same call again, word for word, and how many do nothing else?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import SURE, judged, outcome_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact

TITLE = "The same call again"
ORDER = 101
WEIGHT = 0.4
FEWEST = 10
ONLY = 5
"""So many equal calls, and no other one, are a rollout that does one thing only."""
TIMES = (2, 5)
"""A call that is made once more may be a try after a failure; one that is made five times is not."""
MOST = 9


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Runs whose failures make equal calls more often than their passes."""
    entries = [
        entry for run in runs for times in TIMES if (entry := _entry(run.run.name, judged(run), times)) is not None
    ]
    adjusted = benjamini_hochberg([entry["p"] for entry in entries])
    for entry, p in zip(entries, adjusted, strict=True):
        entry["p"] = significant(p, WRITTEN)
    by_run: dict[str, dict[str, Any]] = {}
    for entry in entries:
        if entry["p"] <= SURE:
            by_run.setdefault(entry["run"], entry)
    told = list(by_run.values())
    told.sort(key=lambda entry: (-entry["failures"], entry["run"]))
    return {"runs": told[:MOST]} if told else None


def _entry(run: str, cases: Sequence[Case], times: int) -> dict[str, Any] | None:
    rows = [case for case in cases if "same" in case.observed]
    again = [case for case in rows if case.observed["same"][0] >= times]
    only = [case for case in rows if case.observed["same"][1] == 1 and case.observed["same"][0] >= ONLY]
    passes, all_passes = _passes(again), _passes(rows)
    failures, all_failures = len(again) - passes, len(rows) - all_passes
    if failures < FEWEST or failures * all_passes <= passes * all_failures:
        return None
    p = outcome_p(rows, {id(case) for case in again})
    return (
        None
        if p is None
        else {
            "run": run,
            "times": times,
            "failures": failures,
            "of_failures": all_failures,
            "passes": passes,
            "of_passes": all_passes,
            "only": len(only) - _passes(only),
            "only_passes": _passes(only),
            "p": p,
        }
    )


def _passes(cases: Sequence[Case]) -> int:
    return sum(bool(case.passed) for case in cases)


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = tuple(Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"]))
    note = "Longer rollouts have more calls to repeat; repetition shows where they are stuck, not why."
    return [Bullets(items), Paragraph((say(note),))]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = ("investigation", "repeated_calls", "runs", place)
    yield say(
        "{run}: {failures} of {all_failures} and {passes} of {all_passes} "
        + (
            "repeat a call with the same arguments"
            if entry["times"] == TIMES[0]
            else f"make one call with the same arguments {entry['times']} times or more"
        )
        + " (exact test p = {p}).",
        run=entry["run"],
        failures=amount(entry["failures"], *path, "failures"),
        all_failures=fact(count(entry["of_failures"], "failure"), entry["of_failures"], *path, "of_failures"),
        passes=amount(entry["passes"], *path, "passes"),
        all_passes=fact(count(entry["of_passes"], "pass", "passes"), entry["of_passes"], *path, "of_passes"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )
    if entry["only"] + entry["only_passes"]:
        yield say(
            "{only} and {passes} make the same call {times} times or more, and no other.",
            only=fact(count(entry["only"], "failure"), entry["only"], *path, "only"),
            passes=fact(count(entry["only_passes"], "pass", "passes"), entry["only_passes"], *path, "only_passes"),
            times=str(ONLY),
        )
