"""Advice on limits that many rollouts reach: too low, or the model goes in circles or finds no end, or only a label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from blade.diagnosis.interventions import failing_totals
from blade.diagnosis.usual_endings import FEWEST, USUAL
from blade.document import Sentence, say
from blade.findings import HARDLY, Intervention
from blade.model import Analysis, RunAnalysis
from blade.wording import amount, count, difference, fact, listed, name

MANY = 0.05
"""Of a run's rollouts: fewer at a limit are not worth a step."""
MOSTLY = 0.5


_OF_STEPS = re.compile(r"iteration|step|turn|message|round|cost|budget", re.IGNORECASE)

_OF_TIME = re.compile(r"\btime|\bseconds?\b|deadline", re.IGNORECASE)


def _late_text(run: RunAnalysis) -> str:
    """What rollouts ran out of: time, unless the words of their rows speak of steps or of costs alone."""
    reasons = [str(item["reason"]) for item in run.reasons if item["status"] == "timed_out"]
    of_steps = reasons and all(_OF_STEPS.search(reason) and not _OF_TIME.search(reason) for reason in reasons)
    return "reached a limit of steps or costs" if of_steps else "ran out of time"


def limit_advice(run: RunAnalysis, analysis: Analysis) -> Iterator[Sentence]:
    """Limits that many rollouts reach: too low, or the model does not come to an end."""
    at = ("runs", run.name, "statuses")
    failing = failing_totals(analysis.modes, analysis.interventions).get(run.name, {}).get("rollouts", 0)
    late = run.audit.get("late_words") if run.audit else None
    for status, text in (("truncated", "reached a length or turn limit"), ("timed_out", _late_text(run))):
        rollouts = run.statuses.get(status, 0)
        usual = rollouts >= max(USUAL * failing, FEWEST)
        doubtful = late and status == "timed_out" and late["rows"] > max(late["cut"], MANY * run.denominator.counted)
        idle = _hardly(run, analysis) if status == "truncated" and not usual else None
        looping = _looping(run, analysis) if not usual else None
        if late and doubtful and not usual:
            yield _late(run, late)
        elif looping and rollouts > MANY * run.denominator.counted:
            yield say(
                "Stop the loops of {run} before its limit is raised: {many} " + text + ", and {looping} of {cut} that "
                "a limit cut repeat themselves.",
                run=name(run.name),
                many=fact(count(rollouts, "rollout"), rollouts, *at, status),
                looping=f"{looping['looping']:,}",
                cut=f"{looping['cut']:,}",
            )
        elif idle and rollouts > MANY * run.denominator.counted:
            yield say(
                "A higher limit would hardly help {run}: {many} " + text + ", but of {working} still at work halfway "
                "to it {later} passed later.",
                run=name(run.name),
                many=fact(count(rollouts, "rollout"), rollouts, *at, status),
                working=f"{idle['working']:,}",
                later=f"{idle['later_passes']:,}" if idle["later_passes"] else "none",
            )
        elif rollouts > MANY * run.denominator.counted:
            yield say(
                "Nearly every failure of {run} ends this way: {many} "
                + text
                + ". What else these rollouts did says more than the limit."
                if usual
                else "Check whether the limit is too low for {run}: {many} " + text + _though(run, status) + ".",
                run=name(run.name),
                many=fact(count(rollouts, "rollout"), rollouts, *at, status),
            )


def more_room_words(item: Intervention, scale: str, *path: str | int) -> Sentence | None:
    """What raising a limit may bring, and how much of what it cut went in circles; nothing where that is not known."""
    room = item.more_room
    if room is None:
        return None
    at = (*path, "more_room")
    return say(
        "twice the limit would bring about {points}, an estimate (of {working} still at work halfway to it {later} "
        "passed later" + ("; {looping} of {cut} that it cut repeat themselves)" if room.looping else ")"),
        points=fact(difference(room.points, scale), room.points, *at, "points"),
        working=fact(count(room.working, "rollout"), room.working, *at, "working"),
        later=amount(room.later, *at, "later"),
        looping=amount(room.looping, *at, "looping"),
        cut=amount(room.cut, *at, "cut"),
    )


def _hardly(run: RunAnalysis, analysis: Analysis) -> Mapping[str, Any] | None:
    """What became of rollouts still at work halfway to the limit, where hardly one of them passed after that."""
    limit = _limit(run, analysis)
    beyond = limit["elsewhere"]["beyond"] if limit else 0  # other runs pass these tasks with more
    return limit if limit and not beyond and limit["later_passes"] < HARDLY * limit["working"] else None


def _looping(run: RunAnalysis, analysis: Analysis) -> Mapping[str, Any] | None:
    """What a limit cut, where most of it went in circles: more room would give more of the same."""
    limit = _limit(run, analysis)
    return limit if limit and limit["looping"] > MOSTLY * limit["cut"] else None


def _limit(run: RunAnalysis, analysis: Analysis) -> Mapping[str, Any] | None:
    entries = analysis.investigation.get("more_room", {}).get("runs", ())
    return next((entry["limit"] for entry in entries if entry["run"] == run.name), None)


def _late(run: RunAnalysis, late: Mapping[str, int]) -> Sentence:
    """What the rows' word for a time limit comes to: a limit that is too low, or a label."""
    at = ("runs", run.name, "audit", "late_words")
    facts = {key: amount(late[key], *at, key) for key in ("passed", "ended", "cut", "cut_passed", "unrecorded")}
    fates = [
        words
        for key, words in (
            ("ended", "{ended} had ended by themselves"),
            ("cut", "{cut} were cut, of which {cut_passed} pass"),
            ("unrecorded", "{unrecorded} do not record how they ended"),
        )
        if late[key]
    ]
    advice = "Check whether the limit is too low for {run}" if late["cut"] or late["unrecorded"] else "{run}"
    return say(
        advice + ": {rows} are labelled as timed out, {passed} of them passes; " + listed(fates) + ".",
        run=name(run.name),
        rows=fact(count(late["rows"], "rollout"), late["rows"], *at, "rows"),
        **facts,
    )


def _though(run: RunAnalysis, status: str) -> str:
    """Says that rollouts which a limit is said to have cut pass all the same: it is then a label before a cause."""
    passed, passing_words = (
        sum(item[key] or 0 for item in run.reasons if item["status"] == status)
        for key in ("passed", "passed_all_the_same")
    )
    if passing_words:
        return f" and fail, as their rows say, but {passing_words:,} more with the same label pass"
    return f", as their rows say, though {count(passed, 'of them passes', 'of them pass')}" if passed else ""
