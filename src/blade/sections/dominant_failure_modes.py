"""Dominant Failure Modes: how failed rollouts failed, the commonest way first, each with a quote that shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.passing import UNIT
from blade.diagnosis.named_values import SHARE as SHARE_OF_MODE
from blade.diagnosis.recovery import FEWEST_TASKS
from blade.document import Block, Fact, Heading, Paragraph, Quote, Sentence, Table, say
from blade.extract.text import clip
from blade.findings import Finding, Mode, NamedValue
from blade.model import Analysis, RunAnalysis
from blade.summary.change_words import attributed_to, change_points
from blade.wording import (
    abridged,
    amount,
    at,
    count,
    difference,
    fact,
    listed,
    name,
    percent,
    printable,
    worth_quoting,
)

TITLE = "Dominant Failure Modes"
ORDER = 60
SHARE = 0.00
SHOWN = 12
MOST_PINNED = 8
"""Of a single run so many modes stand in the short report, whatever else has room: they say how it fails."""
TOLD = 6
TASKS_SHOWN = 5
VALUES_SHOWN = 3
RUNS_SHOWN = 3
TASKS_OF_VALUE = 3
UNEXPLAINED = "unexplained"
QUOTED = "verifier_message"
CEILING = "ceiling: what the score would gain if every such rollout had passed"
SIGNS_OF_MANY = (
    "Rollouts that show each symptom, passes included. In brackets, where it differs: failures counted under this "
    "mode, as the symptom nearest to a cause"
)
FEW_RUNS = 2
NOT_RECORDED = "not recorded"
BY_WORD = "by the rows' own label alone"
LONGEST_SAID = 120
PLAIN = (
    "A failed rollout counts once, under the symptom nearest to a cause. Compare runs by how many rollouts show a "
    "symptom at all, passes included ('with the symptom')."
)


def build(analysis: Analysis) -> list[Block]:
    if not analysis.modes:
        return []
    explained = [mode for mode in analysis.modes if mode.id != UNEXPLAINED]
    blocks: list[Block] = [Paragraph(tuple(_words(analysis))), _table(analysis)]
    for mode in explained[:TOLD]:
        blocks += _mode(analysis, mode)
    return blocks


def _quoted(analysis: Analysis, run: RunAnalysis) -> str:
    """How many failures are known by the verifier's own words alone: these name a shape, and no rule explains them."""
    quoted_failures = sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes if mode.detector == QUOTED)
    return (
        f", {quoted_failures:,} of them by the verifier's message alone, which says how they fail, not why"
        if quoted_failures
        else ""
    )


def _below(run: RunAnalysis) -> str:
    """What the rollouts of a run that has no passes are held against."""
    return " below a full score" if run.scale == UNIT else " below its best reward"


def _words(analysis: Analysis) -> Iterator[Sentence]:
    """How much of the failing is explained at all, and what changed between the runs."""
    for run in analysis.runs:
        failed = sum(mode.runs[run.name]["rollouts"] for mode in analysis.modes)
        if not failed:
            none = "No rollout of {run} failed." if run.denominator.counted else "No rollout of {run} was graded."
            yield say(none, run=name(run.name))
            continue
        place = next((i for i, mode in enumerate(analysis.modes) if mode.id == UNEXPLAINED), None)
        unknown = analysis.modes[place].runs[run.name] if place is not None else {}
        left = unknown.get("rollouts", 0)
        noun = "failed rollout" if run.score_threshold is not None else "rollout"
        below = "" if run.score_threshold is not None else _below(run)
        facts: dict[str, Fact | str] = {"run": name(run.name), "failed": count(failed, noun) + below}
        if not left or place is None:
            if len(analysis.runs) <= FEW_RUNS:
                yield say("{run} has {failed}, all classified" + _quoted(analysis, run) + ".", **facts)
            continue
        bare = unknown["without_sign"]
        words = count(bare, "of them shows", "of them show")
        facts["left"] = fact(words, bare, "modes", place, "runs", run.name, "without_sign")
        only = count(left - bare, "more shows", "more show") + " only symptoms that passes show as often"
        only_words = f"; {only}" if left > bare else ""
        alike, alike_facts = _ending_alike(analysis, run, unknown["examples"])
        facts |= alike_facts
        yield say("{run} has {failed}; {left} no known failure mode" + only_words + alike + ".", **facts)
    if len(analysis.runs) > FEW_RUNS:
        return
    if len(analysis.runs) == FEW_RUNS:
        yield say(PLAIN)
    for trend, words in (("new", "New in {run}"), ("gone", "Gone in {run}")):
        moved = [mode.name for mode in analysis.modes if mode.trend == trend and mode.id != UNEXPLAINED]
        if moved:
            remainder = f"; and {len(moved) - 4} more" if len(moved) > 4 else ""
            yield say(words + ": {modes}.", run=name(analysis.runs[-1].name), modes="; ".join(moved[:4]) + remainder)
    yield from _shifted(analysis)


def _ending_alike(analysis: Analysis, run: RunAnalysis, tasks: Collection[str]) -> tuple[str, dict[str, Fact | str]]:
    """The last call that most of the unknown failures share: no rule knows it, and yet it tells them apart."""
    for place, entry in enumerate(analysis.investigation.get("last_calls", {}).get("calls", ())):
        if entry["run"] == run.name and 2 * len({*tasks} & {*entry["tasks"]}) > len(tasks):
            path = ("investigation", "last_calls", "calls", place, "failures")
            alike = fact(count(entry["failures"], "failure"), entry["failures"], *path)
            call = f"{entry['tool']} {entry['arguments'] or ''}".rstrip()
            return ", but most of these are among {alike} that share their last call, {call}", {
                "alike": alike,
                "call": call,
            }
    return "", {}


def _shifted(analysis: Analysis) -> Iterator[Sentence]:
    """Ways of failing that became more or less common, whatever the score did."""
    moved = [(place, mode) for place, mode in enumerate(analysis.modes) if mode.shift and mode.shift["beyond_chance"]]
    for place, mode in moved[:TOLD]:
        before, after = (
            amount(mode.runs[run]["any_rollouts"], "modes", place, "runs", run, "any_rollouts")
            for run in (analysis.runs[0].name, analysis.runs[-1].name)
        )
        shift = mode.shift or {}
        words = "more common" if shift["more"] > shift["fewer"] else "less common"
        yield say(
            f"Significant: '{{mode}}' became {words}: {{before}} rollouts of {{base}} show it, {{after}} of {{last}}.",
            mode=mode.name,
            before=before,
            after=after,
            base=name(analysis.runs[0].name),
            last=name(analysis.runs[-1].name),
        )
    if len(moved) > TOLD:
        left = len(moved) - TOLD
        yield say("{left} changed significantly, too.", left=count(left, "more failure mode", "more failure modes"))


def _table(analysis: Analysis) -> Table:
    columns = ["Failure mode", "Attributed to"]
    many_runs = len(analysis.runs) > FEW_RUNS
    for run in analysis.runs:
        columns += (
            [f">{run.name}"] if many_runs else [f">{run.name}", ">of its failures", ">tasks", ">with the symptom"]
        )
    compared = _compared(analysis)
    columns += [] if many_runs else [">Points of the change" if compared else ">Points it costs", ">Ceiling"]
    scale = analysis.runs[-1].scale
    rows: list[tuple[str | Fact, ...]] = []
    for place, mode in enumerate(analysis.modes[:SHOWN]):
        cells: list[str | Fact] = [mode.name, attributed_to(mode)]
        for run in analysis.runs:
            line, at = mode.runs[run.name], ("modes", place, "runs", run.name)
            if many_runs:
                cells.append(_share_cell(line, *at, nearest=True))
                continue
            cells.append(amount(line["rollouts"], *at, "rollouts"))
            share = line["share_of_failures"]
            cells.append(fact(percent(share), share, *at, "share_of_failures"))
            cells.append(amount(line["tasks"], *at, "tasks"))
            cells.append(_share_cell(line, *at))
        if not many_runs:
            cells.append(change_points(mode, scale, "modes", place) if compared else _points(mode, place, analysis))
            cells.append(_ceiling(mode, place, analysis))
        rows.append(tuple(cells))
    left = len(analysis.modes) - SHOWN
    remainder = f" ({left} rarer modes are in analysis.json)" if left > 0 else ""
    if many_runs:
        return Table(tuple(columns), tuple(rows), caption=f"{SIGNS_OF_MANY}{remainder}:")
    caption = "Failure modes"
    if compared:
        change = analysis.changes[-1]
        caption = f"Points: part of the change from {change.base} to {change.candidate}"
    pinned = len(analysis.runs) == 1 and len(rows) <= MOST_PINNED
    return Table(tuple(columns), tuple(rows), caption=f"{caption}; {CEILING}{remainder}:", pinned=pinned)


def _share_cell(line: Mapping[str, Any], *at: str | int, nearest: bool = False) -> str | Fact:
    """How many rollouts show a sign; where the run's rows cannot show it, that.

    `nearest` adds the failures that count under it, where these are fewer.
    """
    if line["by_word"] and line["any_rollouts"]:
        words = f"{line['any_rollouts']:,} {BY_WORD}"
        return fact(words, line["any_rollouts"], *at, "any_rollouts")
    if not line["recorded"]:
        return NOT_RECORDED
    if nearest and line["rollouts"] != line["any_rollouts"]:
        text = f"{line['any_rollouts']:,} ({line['rollouts']:,})"
        return fact(text, line["any_rollouts"], *at, "any_rollouts")
    return amount(line["any_rollouts"], *at, "any_rollouts")


def _compared(analysis: Analysis) -> bool:
    """Whether the last run is held against the first: the points of a mode are then those of its part."""
    return bool(analysis.changes) and analysis.changes[-1].verdict != "not_comparable"


def _ceiling(mode: Mode, place: int, analysis: Analysis) -> str | Fact:
    recoverable, last = mode.recoverable, analysis.runs[-1]
    if recoverable["run"] != last.name:
        return ""
    return fact(difference(recoverable["most"], last.scale), recoverable["most"], "modes", place, "recoverable", "most")


def _points(mode: Mode, place: int, analysis: Analysis) -> str | Fact:
    """What the mode costs: exact where outputs were scored again, with its interval elsewhere."""
    recoverable, last = mode.recoverable, analysis.runs[-1]
    if recoverable["run"] != last.name or mode.id == UNEXPLAINED:
        return ""
    if recoverable["points"] is None:
        return "nothing to compare" if recoverable["tasks"] >= FEWEST_TASKS else "too few tasks"
    text = difference(recoverable["points"], last.scale).lstrip("+")
    if recoverable["exact"]:
        text += " exactly"
    elif recoverable["interval"]:
        low, high = (difference(end, last.scale).lstrip("+") for end in recoverable["interval"])
        text += f" ({low} to {high})"
    return fact(text, recoverable["points"], "modes", place, "recoverable", "points")


def _mode(analysis: Analysis, mode: Mode) -> Iterator[Block]:
    findings = {finding.id: finding for finding in analysis.findings}
    example = next((findings[finding_id] for finding_id in mode.findings if finding_id in findings), None)
    stated_reasons = mode.where.get("said", ())
    if example is None and not stated_reasons:
        return
    yield Heading(mode.name)
    last_run = next((run for run in reversed(analysis.runs) if mode.runs[run.name]["rollouts"]), None)
    tasks = mode.runs[last_run.name]["examples"] if last_run else []
    hit = mode.runs[last_run.name]["tasks"] if last_run else 0
    yield Paragraph(
        (
            _by_status(analysis, mode)
            if stated_reasons or example is None
            else say("{statement}", statement=_statement(example)),
            *_composition(analysis, mode),
            say(
                "{affected} of {run}: {tasks}.",
                affected="Affected task"
                if hit == 1
                else "Affected tasks"
                if hit <= TASKS_SHOWN
                else "Most affected tasks",
                run=name(last_run.name),
                tasks=_first_tasks(tasks, hit),
            )
            if last_run
            else say(""),
        )
    )
    proof = example.evidence[0] if example is not None and not stated_reasons else None
    if example is not None and proof is not None and worth_quoting(proof.quote):
        place = next(place for place, finding in enumerate(analysis.findings) if finding is example)
        yield Quote(proof.quote, _place(example), at("findings", place, "evidence", 0, "quote"))


def _composition(analysis: Analysis, mode: Mode) -> Iterator[Sentence]:
    """What the rollouts of a mode name, where something recurs: one example would hide that."""
    named = mode.named
    if named is None or named.common[0].rollouts < SHARE_OF_MODE * named.rollouts:
        return
    place = next(place for place, listed_mode in enumerate(analysis.modes) if listed_mode is mode)
    path, shown = ("modes", place, "named"), named.common[:VALUES_SHOWN]
    facts: dict[str, Fact | str] = {}
    for order, value in enumerate(shown):
        facts[f"value{order}"] = name(printable(value.value), *path, "common", order, "value")
        facts[f"many{order}"] = amount(value.rollouts, *path, "common", order, "rollouts")
        passes = [f"also in {count(value.passes, 'pass', 'passes')}"] if value.passes else []
        extent = [*(_where(analysis, value) if order == 0 else ()), *passes]
        facts[f"extent{order}"] = f" ({'; '.join(extent)})" if extent else ""
    words = [f"{{value{order}}} in {{many{order}}}{{extent{order}}}" for order in range(len(shown))]
    if shown[0].rollouts == named.rollouts:
        words[0] = words[0].replace("in {many0}", "in all {many0}")
    else:
        facts["of"] = amount(named.rollouts, *path, "rollouts")
        words[0] = words[0].replace("{many0}", "{many0} of {of}")
    others = named.distinct - len(shown)
    if others:
        most = named.common[len(shown)].rollouts if len(named.common) > len(shown) else named.rarer
        words[-1] += f"; {count(others, 'other', 'others')} " + _times(most, others)
    noun = named.noun if named.distinct == 1 else f"{named.noun}s"
    yield say(f"Commonest {noun}: " + ", ".join(words) + ".", **facts)


def _times(most: int, values: int) -> str:
    """How often each of some values is named, of which none is named more often than this."""
    if values == 1:
        return "once" if most == 1 else f"in {most:,}"
    return "once each" if most == 1 else f"in at most {most:,} each"


def _where(analysis: Analysis, value: NamedValue) -> Iterator[str]:
    """The runs and the tasks in which a value is named."""
    runs = sorted(value.runs.items(), key=lambda pair: (-pair[1], pair[0]))
    if len(analysis.runs) > 1:
        yield abridged([f"{run} {rollouts:,}" for run, rollouts in runs], RUNS_SHOWN)
    tasks = list(value.tasks[:TASKS_OF_VALUE])
    left = value.tasks_total - len(tasks)
    yield ("task " if value.tasks_total == 1 else "tasks ") + (
        f"{', '.join(tasks)} and {left:,} more" if left else listed(tasks)
    )


def _first_tasks(tasks: Sequence[str], hit: int) -> str:
    """The first of the tasks that are kept, and how many more were hit, kept or not."""
    first = list(tasks[:TASKS_SHOWN])
    return ", ".join(first) + f" and {hit - len(first):,} more" if hit > len(first) else listed(first)


def _by_status(analysis: Analysis, mode: Mode) -> Sentence:
    """What the rows say of their end, with the rollouts that say it: one of them would speak for all."""
    place = next(place for place, listed_mode in enumerate(analysis.modes) if listed_mode is mode)
    words: list[str] = []
    facts: dict[str, Fact | str] = {}
    for number, (text, rollouts) in enumerate(mode.where["said"]):
        facts[f"many{number}"] = amount(rollouts, "modes", place, "where", "said", number, 1)
        words.append(f"“{{said{number}}}” in {{many{number}}}")
        facts[f"said{number}"] = clip(text, LONGEST_SAID)
    return say("The rows say " + ", ".join(words) + ".", **facts)


def _statement(finding: Finding) -> str:
    return f"In {finding.run}, task {finding.statement}"


def _place(finding: Finding) -> str:
    proof = finding.evidence[0]
    in_prompt = proof.item is not None and proof.item < 0
    at = "the prompt" if in_prompt else f"item {proof.item}" if proof.item is not None else proof.field
    return f"{finding.run}, task {finding.task}, attempt {finding.attempt}, {at}"
