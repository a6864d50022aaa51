"""Does what the model says of its own work tell a failure from a pass?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Fact, Paragraph, Sentence, say
from blade.questions import outcome_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import count, fact, listed

TITLE = "What the model says of its own work"
ORDER = 87
WEIGHT = 0.8
FEWEST = 10
"""Failures that close with a message, and passes: fewer tell nothing of all."""
OFTEN = 0.6
"""Of the failures that close with a message."""
FAR = 0.2
"""The shares of failures and of passes are so far apart where the claim tells them apart."""
SURE = 0.01


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Judged rollouts that close with a message: how many claim without a reservation that the work is done."""
    closing = [case for run in runs for case in run.observing("claims_done")]
    failures, passes = _parted(closing)
    if min(len(failures), len(passes)) < FEWEST or _share(failures) < OFTEN:
        return None
    p = outcome_p(closing, {id(case) for case in closing if case.observed["claims_done"]})
    far = abs(_share(passes) - _share(failures)) >= FAR
    if far and (p is None or p > SURE):
        return None  # neither alike nor surely apart: the mix of tasks may explain it
    by_run = [(run.run.name, *_parted(run.observing("claims_done"))) for run in runs]
    return {
        "failures": len(failures),
        "claimed_failures": _claimed(failures),
        "passes": len(passes),
        "claimed_passes": _claimed(passes),
        "p": None if p is None else significant(p, WRITTEN),
        "tells": far,
        "runs": [{"run": name, "failures": len(lost), "claimed": _claimed(lost)} for name, lost, _ in by_run if lost],
    }


def _parted(cases: Sequence[Case]) -> tuple[list[Case], list[Case]]:
    return [case for case in cases if not case.passed], [case for case in cases if case.passed]


def _claimed(cases: Sequence[Case]) -> int:
    return sum(case.observed["claims_done"] for case in cases)


def _share(cases: Sequence[Case]) -> float:
    return _claimed(cases) / len(cases) if cases else 0.0


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Paragraph(tuple(_told(answer)))]


def _told(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    runs = [f"{entry['run']} {entry['claimed']:,} of {entry['failures']:,}" for entry in answer["runs"]]
    meaning = "such words do not tell them apart, so they are no check of the work"
    if answer["tells"]:
        more = _rate(answer, "passes") > _rate(answer, "failures")
        meaning = f"{'passes' if more else 'failures'} say so more often"
    yield say(
        "In {claimed} that make calls and close with a message the model says in plain words that the work is done and "
        "speaks of no trouble{by_run}; of {passes} of this kind {claimed_passes} do: {meaning}.",
        claimed=fact(
            f"{answer['claimed_failures']:,} of {count(answer['failures'], 'judged failure')}",
            answer["claimed_failures"],
            *_PATH,
            "claimed_failures",
        ),
        by_run=f" ({listed(runs)})" if len(runs) > 1 else "",
        passes=fact(count(answer["passes"], "pass", "passes"), answer["passes"], *_PATH, "passes"),
        claimed_passes=_claims_of_passes(answer),
        meaning=meaning,
    )


def _claims_of_passes(answer: Mapping[str, Any]) -> Fact:
    return fact(f"{answer['claimed_passes']:,}", answer["claimed_passes"], *_PATH, "claimed_passes")


def _rate(answer: Mapping[str, Any], kind: str) -> float:
    return float(answer[f"claimed_{kind}"] / answer[kind])


_PATH = ("investigation", "own_verdicts")
