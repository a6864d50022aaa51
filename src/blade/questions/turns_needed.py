"""How many turns do passes need, how many failures end at the limit, and do rollouts that go on long still pass?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.turn_limits import turn_limits
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import judged
from blade.wording import amount, count, fact, percent

TITLE = "Turns that passes need, and the limit"
ORDER = 102
FEWEST_PASSES = 5
FEWEST_FAILURES = 5
PART = 0.25
"""So many of a run's failures end at the limit, or it is not worth a word."""
HARDLY = 0.1
"""Of rollouts still going at half the limit so few pass in the other half that more turns would hardly help."""
FEWEST_GOING = 10


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run with a limit of turns at which failures heap."""
    rows = {run.run.name: [case for case in judged(run) if "turns" in case.observed] for run in runs}
    limits = turn_limits((name, case.observed) for name, cases in rows.items() for case in cases)
    found = [one for name, limit in limits.items() if (one := _entry(name, limit, rows[name])) is not None]
    return {"runs": found} if found else None


def _entry(run: str, limit: int, cases: Sequence[Case]) -> dict[str, Any] | None:
    passed = [case.observed["turns"] for case in cases if case.passed]
    failed = [case.observed["turns"] for case in cases if not case.passed]
    at_limit = sum(turns >= limit for turns in failed)
    if len(passed) < FEWEST_PASSES or at_limit < max(FEWEST_FAILURES, PART * len(failed)) or limit < 2:
        return None
    half = limit // 2
    late = sum(turns > half for turns in passed)
    return {
        "run": run,
        "limit": limit,
        "failures": len(failed),
        "failures_at_limit": at_limit,
        "passes": len(passed),
        "passes_at_limit": sum(turns >= limit for turns in passed),
        "median": median_low(passed),
        "at_median": sum(turns <= median_low(passed) for turns in passed),
        "most": max(passed),
        "half": half,
        "going_on": late + sum(turns > half for turns in failed),
        "pass_later": late,
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, one))) for place, one in enumerate(answer["runs"])))]


def _sentences(place: int, one: Mapping[str, Any]) -> Iterator[Sentence]:
    path = ("investigation", "turns_needed", "runs", place)
    yield say(
        "{run}: {failures} of {all} and {passes} of {all_passes} end at the limit of {limit}. Passes need {median} in "
        "the median ({many} of {passed} need no more) and {most} at most.",
        run=one["run"],
        failures=amount(one["failures_at_limit"], *path, "failures_at_limit"),
        all=fact(count(one["failures"], "failure"), one["failures"], *path, "failures"),
        passes=amount(one["passes_at_limit"], *path, "passes_at_limit"),
        all_passes=fact(count(one["passes"], "pass", "passes"), one["passes"], *path, "passes"),
        limit=fact(count(one["limit"], "turn"), one["limit"], *path, "limit"),
        median=fact(count(one["median"], "turn"), one["median"], *path, "median"),
        many=amount(one["at_median"], *path, "at_median"),
        passed=amount(one["passes"], *path, "passes"),
        most=amount(one["most"], *path, "most"),
    )
    if one["going_on"] < FEWEST_GOING:
        return
    few = one["pass_later"] < HARDLY * one["going_on"]
    yield say(
        "Of {going} still going after {half}, {later} ({rate}) {pass_word} before the limit"
        + (": a larger limit would hardly help." if few else "."),
        going=fact(count(one["going_on"], "rollout"), one["going_on"], *path, "going_on"),
        half=fact(count(one["half"], "turn"), one["half"], *path, "half"),
        later=amount(one["pass_later"], *path, "pass_later"),
        rate=percent(one["pass_later"] / one["going_on"]),
        pass_word="passes" if one["pass_later"] == 1 else "pass",
    )
