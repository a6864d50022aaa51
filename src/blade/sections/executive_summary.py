"""Executive Summary: is anything broken, is the change real, where it sits and what to do next, in at most ten claims.

Each claim names the section that proves it. What else a summary should hold stands below the claims.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from blade.change.clear_parts import beyond_chance, clear_parts, within_chance
from blade.change.mixed_settings import mixed_settings
from blade.counting.lost_rollouts import judged_rollouts, lost_much, mostly_lost
from blade.diagnosis.modes import SPENT
from blade.document import Block, Bullets, Fact, Heading, Paragraph, Sentence, say
from blade.model import Analysis, Change, Part, RunAnalysis, Status
from blade.questions import OF_THE_EVALUATION
from blade.registry import plugins
from blade.summary.change_words import (
    BLAMED,
    COUNTED,
    VERDICTS,
    all_told,
    behaviour_together,
    cause_words,
    corrected,
    gap,
    named_parts,
    no_chance,
    one_setting_told,
    points_span,
    prompt_behind,
    same_outputs,
    sureness,
    tested_and_counted,
    unexplained_told,
    verdict_words,
    weight,
)
from blade.summary.failure_words import commonest_words, failure_words
from blade.summary.lost_words import (
    LOST,
    ONLY_LOST,
    hangs_on_lost,
    judged_in_both,
    like_for_like,
    lost_as_zero,
    lost_parts,
    scored_over,
)
from blade.summary.moved_failures import moved_failures
from blade.summary.next_steps import STEPS_TOLD, next_steps
from blade.summary.run_summary import failing_symptoms, leaderboard, run_summary
from blade.summary.series_words import real_alone, series_words
from blade.wording import SAME, abridged, count, difference, fact, listed, name, score

TITLE = "Executive Summary"
DETAILS = "More details"
ORDER = 10
FEW_RUNS = 2
CLAIMS = 10
_CANCELLED = re.compile(r"\bcancel(?:l?ed|lation|s)?(?:error)?\b", re.IGNORECASE)
BROKEN, IN_DOUBT, SCORE, TREND = "Broken", "In doubt", "Score", "Trend"
DIFFERENCE, FAILURES = "Difference", "Failures"
DOUBT = "What is in doubt above may have a part in it."
"""What a claim of the first screen is about; what to do next begins with "Next"."""
LOST_TOLD = 2
FAULTS_TOLD = 3
CHANGES_TOLD = 6
ON_PAPER_TOLD = 2
MISLEADING = 0.03
"""A difference of scores that lost rollouts move so far is told beside that of what was judged."""
CAUSES_TOLD = 3
FINDINGS_TOLD = 6
MOSTLY = 0.5
"""Of the largest part: where failures worth so much only changed their mode, the parts are one shift."""


def build(analysis: Analysis) -> list[Block]:
    many = len(analysis.runs) > FEW_RUNS
    described = [] if many else [list(run_summary(run, _spent(run, analysis))) for run in analysis.runs]
    lost, all_steps = list(_lost(analysis)), next_steps(analysis)
    steps = all_steps[: STEPS_TOLD - many]
    faults, findings = _findings(analysis)
    audited = any(run.audit and any(run.audit[stage] for stage in LOST) for run in analysis.runs)
    place = "attempt_audit" if audited else "denominator"
    broken = [_claim((sentence,), place, lead=BROKEN) for sentence in lost[:LOST_TOLD]]
    broken += [_claim(described.pop(), "aggregate_results", lead=SCORE)] if len(analysis.runs) == 1 else []
    series = series_words(analysis, brief=True)
    differences = [_claim(series, "checkpoint_series", lead=TREND)] if series else []
    differences += [
        _claim(sentences, "score_change", lead=DIFFERENCE) for sentences in _changes(analysis, in_doubt=bool(faults))
    ]
    doubts, more_doubts = faults[:FAULTS_TOLD], faults[FAULTS_TOLD:]
    findings = [*findings, *more_doubts][:FINDINGS_TOLD]
    room = CLAIMS - len(broken) - len(doubts) - len(differences) - len(steps)
    where = [*commonest_words(analysis), *failing_symptoms(analysis)] if room > 0 else []
    failures = [_claim(where, "dominant_failure_modes", lead=FAILURES)] if where else []
    room = max(room - bool(where), 0)
    doubts += [claim for claim in findings[:room] if claim in more_doubts]
    failures += [claim for claim in findings[:room] if claim not in more_doubts]
    claims = [*broken, *doubts, *differences, *failures]
    steps = all_steps[: max(len(steps), CLAIMS - len(claims))]
    claims += [_claim((sentence,), "recommendations") for sentence in steps]
    details = [Paragraph((sentence,)) for sentence in lost[LOST_TOLD:]]
    details += findings[room:]
    details += [Paragraph(tuple(sentences)) for sentences in described]
    details += [Paragraph((sentence,)) for sentence in failure_words(analysis)]
    blocks: list[Block] = [leaderboard(analysis)] if len(analysis.runs) > 1 else []
    blocks += [Bullets(tuple(claims))] if claims else []
    return [*blocks, Heading(DETAILS), Bullets(tuple(details))] if details else blocks


def _claim(sentences: Sequence[Sentence], section: str, title: str = "", lead: str = "") -> Paragraph:
    """What is claimed, led by the question that it answers, and the section that proves it."""
    known = plugins("sections").get(section)
    title = title or (known.TITLE if known else section)
    first, *others = sentences
    first = Sentence((f"{lead}: ", *first.parts)) if lead else first
    return Paragraph((first, *others, say("(see {evidence})", evidence=Fact(title, "section", section))))


def _changes(analysis: Analysis, *, in_doubt: bool) -> Iterator[list[Sentence]]:
    """The change of two runs; of more, all runs against the baseline in one claim, and those that lost much apart.

    A real difference of scores is not yet one of what was evaluated, where the evaluation itself is in doubt.
    """
    scale = analysis.runs[0].scale if analysis.runs else "unit"
    lost = {run.name for run in analysis.runs if mostly_lost(run)}
    ranked = sorted(enumerate(analysis.changes), key=lambda pair: weight(pair[1]))
    matched = [pair for pair in ranked if pair[1].verdict != "not_comparable"]
    on_paper = [pair for pair in matched if lost & {pair[1].base, pair[1].candidate}]
    compared = [pair for pair in ranked if pair not in on_paper]
    if len(compared) == 1:
        place, change = compared[0]
        difference_words, *sureness = _change(analysis, change, place, scale)
        judged_words = list(like_for_like(analysis, change, MISLEADING)) or lost_as_zero(analysis, change)
        explained = tested_and_counted(named_parts(change)[0])[0]
        doubt = [say(DOUBT)] if in_doubt and change.verdict == "real" and not explained else []
        sureness = [] if hangs_on_lost(analysis, change) is not None else sureness
        yield [difference_words, *judged_words, *sureness, *doubt, *_causes(analysis, change, place, scale)]
    elif compared:
        yield list(_against_baseline(analysis, compared, scale))
    for place, change in on_paper[:ON_PAPER_TOLD]:
        yield list(_on_paper(analysis, change, place, scale))


def _against_baseline(analysis: Analysis, ranked: Sequence[tuple[int, Change]], scale: str) -> Iterator[Sentence]:
    """Which runs differ from the baseline, on these tasks and on new ones, and what is behind the largest change."""
    groups: dict[str, list[tuple[int, Change]]] = {}
    for pair in ranked:
        by_lost = hangs_on_lost(analysis, pair[1]) is not None
        words = HOLDS["lost" if by_lost else "alone"] if by_lost or real_alone(analysis, pair[1]) else _held(pair[1])
        groups.setdefault(words, []).append(pair)
    for words, pairs in sorted(groups.items(), key=lambda group: list(HOLDS.values()).index(group[0])):
        facts: dict[str, Fact | str] = {"base": name(analysis.runs[0].name)}
        parts = []
        for n, (place, change) in enumerate(pairs[:CHANGES_TOLD]):
            facts[f"run{n}"] = name(change.candidate)
            if change.verdict == "not_comparable":
                parts.append(f"{{run{n}}}")
                continue
            facts[f"points{n}"] = _points(change, place, scale)
            remark = " (every output is the same)" if same_outputs(change) else ""
            brackets, bracket_facts = _in_brackets(change, place, scale, n)
            facts |= bracket_facts
            alone = hangs_on_lost(analysis, change)
            if alone is not None:
                remark += f", over judged rollouts {difference(alone, scale)}, which chance may explain"
            parts.append(f"{{run{n}}} {{points{n}}}{brackets}{remark}")
        over = max((scored_over(analysis, change) for _, change in pairs), default="")
        yield say(f"{words}{', ' if over else ''}{over}: {listed(parts)}{_more(len(pairs))}.", **facts)
    place, change = ranked[0]
    causes = list(_causes(analysis, change, place, scale))
    if causes:
        yield say("Largest change ({run}):", run=name(change.candidate))
        yield from causes


def _in_brackets(change: Change, place: int, scale: str, number: int) -> tuple[str, dict[str, Fact | str]]:
    """The interval of a real change, behind the difference that it belongs to: that on common tasks."""
    if change.verdict != "real" or change.interval is None:
        return "", {}
    told = points_span(change.interval, scale)
    facts: dict[str, Fact | str] = {f"span{number}": fact(told, list(change.interval), "changes", place, "interval")}
    common, delta = change.delta_common, change.delta
    if common is None or delta is None or abs(common - delta) < SAME:
        return f" ({{span{number}}})", facts
    facts[f"common{number}"] = fact(difference(common, scale), common, "changes", place, "delta_common")
    return f" (on common tasks {{common{number}}}, {{span{number}}})", facts


def _more(pairs: int) -> str:
    return f"; and {pairs - CHANGES_TOLD} more" if pairs > CHANGES_TOLD else ""


def _metric(run: RunAnalysis, metric: str) -> Fact:
    value = run.metrics[metric]
    return fact(score(value, run.scale), value, "runs", run.name, "metrics", metric)


def _points(change: Change, place: int, scale: str) -> Fact:
    return fact(difference(change.delta, scale), change.delta, "changes", place, "delta")


def _held(change: Change) -> str:
    """Whether a change holds on these tasks and on new ones of the kind."""
    if change.verdict != "real":
        return HOLDS[change.verdict]
    low, high = change.interval or (0.0, 0.0)
    return HOLDS["these" if low <= 0 <= high and not no_chance(change) else "real"]


def _lost(analysis: Analysis) -> Iterator[Sentence]:
    """First of all: runs that lost much of what their score counts, with the line that most lost rollouts share."""
    quoted_lines: set[str] = set()
    for run in analysis.runs:
        judged, mean = judged_rollouts(run), run.metrics["evaluable"]["micro"]
        if not run.rollouts or not lost_much(run):
            continue
        if mean is None:
            yield _all_lost(run, quoted_lines)
            continue
        by_task = run.metrics["evaluable"]["score"]
        same = by_task is None or score(by_task, run.scale) == score(mean, run.scale)
        means = "{mean}" if same else f"{score(by_task, run.scale)} as a mean over tasks, {{mean}} over all {judged:,}"
        counts = run.denominator.graded > judged or run.metrics["score_zero_fill"] is None
        reported = (
            "Its reported score of {paper} does not measure the model"
            if mostly_lost(run)
            else "Its reported score of {paper} counts the lost ones"
            if counts
            else "Its score leaves out the lost ones (as 0: {paper})"
        )
        stages, facts = _lost_stages(run, run.rollouts - judged)
        why, line_facts = _commonest_line(run, quoted_lines)
        facts |= line_facts
        yield say(
            f"{{run}} lost {{lost}} of {{all}}{stages}; {{judged}} ran and were judged. {reported}; over judged "
            f"rollouts it is {means}.{why}",
            run=name(run.name),
            lost=f"{run.rollouts - judged:,}",
            judged=f"{judged:,}",
            all=fact(count(run.rollouts, "rollout"), run.rollouts, "runs", run.name, "rollouts"),
            mean=fact(score(mean, run.scale), mean, "runs", run.name, "metrics", "evaluable", "micro"),
            paper=_metric(run, "score" if counts else "score_zero_fill"),
            **facts,
        )


def _all_lost(run: RunAnalysis, quoted_lines: set[str]) -> Sentence:
    """That a run has no rollout that ran and was judged: it has no score."""
    if run.denominator.finished == run.rollouts and not any((run.audit or {}).get(stage) for stage in LOST):
        return say(
            "{run} has {all} and no verdict on any of them, so that it has no score.",
            run=name(run.name),
            all=fact(count(run.rollouts, "rollout"), run.rollouts, "runs", run.name, "rollouts"),
        )
    stages, facts = _lost_stages(run, run.rollouts)
    why, line_facts = _commonest_line(run, quoted_lines)
    return say(
        f"{{run}} lost all of its {{all}}{stages}: none ran and was judged, so that it has no score.{why}",
        run=name(run.name),
        all=fact(count(run.rollouts, "rollout"), run.rollouts, "runs", run.name, "rollouts"),
        **{**facts, **line_facts},
    )


def _lost_stages(run: RunAnalysis, lost: int) -> tuple[str, dict[str, Fact | str]]:
    """How many rollouts were lost at which stage, in brackets, where the stages account for all of them."""
    if not run.audit or sum(run.audit[stage] for stage in LOST) != lost:
        return "", {}
    parts, counts = lost_parts(run)
    return (f" ({listed(parts)})", {**counts}) if len(parts) > 1 else ("", {})


def _commonest_line(run: RunAnalysis, quoted_lines: set[str]) -> tuple[str, dict[str, Fact | str]]:
    """The line that most of the lost rollouts share, as a sentence of its own; once where runs share it."""
    found = [
        (line["rows"], place, number)
        for place, group in enumerate((run.audit or {}).get("groups", ()))
        for number, line in enumerate(group["lines"])
    ]
    if not found:
        return "", {}
    rows, place, number = max(found, key=lambda one: (one[0], -one[1], -one[2]))
    where = ("runs", run.name, "audit", "groups", place, "lines", number)
    line = run.audit["groups"][place]["lines"][number]["line"]
    if line in quoted_lines:
        return "", {}
    quoted_lines.add(line)
    told = fact(count(rows, "lost rollout shows", "lost rollouts show"), rows, *where, "rows")
    first = _before_a_cancellation(run, line)
    if first is None:
        return " {rows} “{line}”.", {"rows": told, "line": line}
    quoted_lines.add(first)
    cancelled = " {rows} “{line}”; they may have been cancelled when another failed: “{first}”."
    return cancelled, {"rows": told, "line": line, "first": first}


def _before_a_cancellation(run: RunAnalysis, line: str) -> str | None:
    """The error behind cancelled rollouts: the only line of lost rollouts that is no cancellation."""
    lines = [entry["line"] for group in run.audit["groups"] for entry in group["lines"]]
    errors = [entry for entry in lines if not _CANCELLED.search(entry)]
    return errors[0] if _CANCELLED.search(line) and len(errors) == 1 else None


def _spent(run: RunAnalysis, analysis: Analysis) -> int:
    """Rollouts that were cut only at a limit at which every failure ends."""
    shown = [mode.runs[run.name] for mode in analysis.modes if mode.id == SPENT.id and run.name in mode.runs]
    return min(sum(int(one["any_failed"]) for one in shown), run.statuses.get(Status.TRUNCATED.value, 0))


def _findings(analysis: Analysis) -> tuple[list[Paragraph], list[Paragraph]]:
    """The head of every answer of the investigation that has one: faults of the evaluation, and what else was found.

    Of the faults those come first whose repair concerns the most rollouts. What another question goes on to tell of the
    same rollouts stands with it.
    """
    modules = {
        question: module
        for question, module in sorted(plugins("questions").items(), key=lambda pair: (pair[1].ORDER, pair[0]))
        if question in analysis.investigation and hasattr(module, "brief")
    }
    concerned = {question: _concerned(module, analysis.investigation[question]) for question, module in modules.items()}
    going_on = {
        question: module.GOES_ON
        for question, module in modules.items()
        if concerned[question] and concerned.get(getattr(module, "GOES_ON", "")) == concerned[question]
    }
    faults, findings = list[tuple[int, list[Paragraph]]](), list[Paragraph]()
    for question, module in modules.items():
        if question in going_on:
            continue
        answer = analysis.investigation[question]
        doubtful = getattr(module, "WEIGHT", 1.0) >= OF_THE_EVALUATION
        sentences = [(head,) for head in module.brief(answer)]
        for later in (later for later, earlier in going_on.items() if earlier == question):
            sentences[-1] = (*sentences[-1], *modules[later].brief(analysis.investigation[later]))
        heads = [_claim(head, "investigation", module.TITLE, lead=IN_DOUBT if doubtful else "") for head in sentences]
        if doubtful:
            faults.append((concerned[question], heads))
        else:
            findings.extend(heads)
    faults.sort(key=lambda pair: -pair[0])
    return [head for _, heads in faults for head in heads], findings


def _concerned(module: Any, answer: Any) -> int:
    """How many rollouts the repair of what a question found concerns."""
    advised = (item.rollouts for item in module.advise(answer)) if hasattr(module, "advise") else ()
    return max(advised, default=0)


HOLDS = {
    "real": "Real against {base}, on these tasks and on new ones (95% intervals)",
    "these": "Real against {base} on these tasks, not shown on new ones (95% intervals)",
    "alone": "Real compared with {base} alone, but chance may explain it among so many pairs of checkpoints",
    "lost": "Apart from {base} by lost rollouts, not shown among those judged",
    "inconclusive": "Inconclusive against {base} (chance may explain it)",
    "noise": "Within noise of {base}",
    "not_comparable": "Not comparable with {base} task by task",
}


def _on_paper(analysis: Analysis, change: Change, place: int, scale: str) -> Iterator[Sentence]:
    """A run that lost many rollouts is not compared by its score: what was judged of both is."""
    text, facts = gap(change, place, scale)
    if change.delta is None:
        yield say(text + ": lost rollouts leave no score to compare.", **facts)
        return
    yield say("As reported, " + text + ", but lost rollouts make that no fair comparison.", **facts)
    yield from judged_in_both(analysis, change)
    named, _ = named_parts(change)
    if named:
        told = abridged([f"{difference(part.points, scale)} {_cause(part)}" for part in named], CAUSES_TOLD)
        tested = tested_and_counted(named)[0]
        yield say("Significant causes of the reported gap: {told}." if tested else COUNTED, told=told)


def _change(analysis: Analysis, change: Change, place: int, scale: str) -> Iterator[Sentence]:
    """The answer first: how far, is it real, what stands behind it."""
    at = ("changes", place)
    text, facts = gap(change, place, scale)
    if change.verdict == "not_comparable":
        yield say(text + "; the two cannot be compared task by task.", **facts)
        return
    facts["verdict"] = ONLY_LOST if hangs_on_lost(analysis, change) is not None else verdict_words(change, VERDICTS)
    common, delta = change.delta_common, change.delta
    if common is None or delta is None or abs(common - delta) < SAME:
        yield say(text + ": {verdict}" + ("; every output is the same" if same_outputs(change) else "") + ".", **facts)
    else:
        facts["common"] = fact(difference(common, scale), common, *at, "delta_common")
        yield say(text + "; on common tasks" + corrected(change) + " {common}: {verdict}.", **facts)
    yield from sureness(change, at, scale)


def _causes(analysis: Analysis, change: Change, place: int, scale: str) -> Iterator[Sentence]:
    """What stands behind a change, where the two runs can be compared."""
    at = ("changes", place)
    if change.verdict == "not_comparable":
        return
    named, unexplained = named_parts(change)
    tested, counted = tested_and_counted(named)
    yield from one_setting_told(analysis, change)
    for text, causes in (("Significant causes: {told}.", tested), (COUNTED, counted)):
        if causes:
            told = abridged([f"{difference(part.points, scale)} {_cause(part)}" for part in causes], CAUSES_TOLD)
            yield say(text, told=told)
    yield from unexplained_told(unexplained, scale, counts=False)
    if (
        not tested
        and not unexplained
        and change.verdict in {"real", "inconclusive"}
        and any(abs(part.points) >= SAME for part in change.parts)
    ):
        yield from _no_cause(change, scale)
    yield from prompt_behind(change, place, scale)
    yield from _largest(change, place, scale)
    whole = change.views.get("behaviour") if len(analysis.runs) <= FEW_RUNS else None
    if (
        change.verdict == "real"
        and whole is not None
        and abs(whole) >= SAME
        and not all_told(named + unexplained, whole)
    ):
        points = fact(difference(whole, scale), whole, *at, "views", "behaviour")
        yield behaviour_together(change, scale, points)
    if not change.separable and change.confounded_with:
        yield say("The cause cannot be isolated: {settings}.", settings=mixed_settings(change))


def _no_cause(change: Change, scale: str) -> Iterator[Sentence]:
    """That no cause is shown; where the intervals of parts leave out zero all the same, with the largest of them."""
    certain_parts, parts = beyond_chance(change), clear_parts(change)
    if certain_parts:
        text = "No cause is shown, but {subject} beyond chance, corrected for all parts: {told}."
        subject = "one part differs" if len(certain_parts) == 1 else "these parts differ"
        yield say(text, subject=subject, told=_parts_told(certain_parts, scale))
        return
    if not parts:
        yield say("No single cause is significant by itself.")
        return
    yield say(
        "No part is shown to be a cause among so many; beyond chance if each is taken by itself: {told}.",
        told=_parts_told(parts, scale),
    )
    yield from moved_failures(change, scale, MOSTLY * max(abs(part.points) for part in parts))


def _parts_told(parts: Sequence[Part], scale: str) -> str:
    return abridged(
        [
            f"{part.where.get('mode') or _cause(part).removeprefix('from ')} ({difference(part.points, scale)})"
            for part in parts
        ],
        CAUSES_TOLD,
    )


def _largest(change: Change, place: int, scale: str) -> Iterator[Sentence]:
    """The part that pulls most where it is not shown to be beyond chance: nobody should look for it in the table."""
    at, part = max(enumerate(change.parts), key=lambda pair: abs(pair[1].points), default=(0, None))
    along = part is not None and part.points * (change.delta or 0.0) > 0
    if change.verdict == "real" and part and along and not part.named and within_chance(part) and part.interval:
        yield say(
            "The largest part is not shown to be beyond chance: {cause}, {points} ({span}).",
            cause=cause_words(part),
            points=fact(difference(part.points, scale), part.points, "changes", place, "parts", at, "points"),
            span=points_span(part.interval, scale),
        )


def _cause(part: Part) -> str:
    if part.where.get("tool"):
        return f"from failing calls of {part.where['tool']}"
    alone = part.sub == "task_missing"
    words = {
        "verifier": "from the verifier",
        "composition": "from another set of tasks",
        "coverage": "from tasks with a score in only one of the two runs" if alone else "from missing rollouts",
    }
    text = words.get(part.cause, f"from {part.cause.replace('_', ' ')}")
    if part.cause == "behaviour":
        text = f"from {BLAMED[part.blame or 'unexplained']}"
    return f"{text} ({part.where['mode']})" if part.where.get("mode") else text
