"""Recommendations: what to repair first, what to change and what it would bring, most urgent first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from blade.diagnosis.definitions import INSUFFICIENT
from blade.diagnosis.evidence_needed import in_short
from blade.diagnosis.interventions import failing_totals, most_named, own_errors_words
from blade.diagnosis.labels import count_labels
from blade.diagnosis.readings import RULE
from blade.diagnosis.remedies import BENCHMARK, READING
from blade.document import Advice, Block, Bullets, Fact, Heading, Paragraph, Sentence, Table, say
from blade.findings import Intervention
from blade.model import Analysis, Bucket, Change, RunAnalysis, Task
from blade.stats.paired import FEWEST_TASKS
from blade.summary.advice import advised
from blade.summary.change_words import change_points, change_told
from blade.summary.failure_words import named_words
from blade.summary.limit_advice import limit_advice, more_room_words
from blade.summary.repair_advice import repair_advice
from blade.summary.what_if import what_if
from blade.wording import amount, count, difference, fact, listed, name

TITLE = "Recommendations"
ORDER = 100
SHARE = 0.02
FIRST = "What to do first"
PINNED = (FIRST, f"{FIRST}, over all runs")
"""Headings whose steps the short report keeps, in their order."""
SHOWN = 3
MOST = 6
MOST_READ = 20
MOST_ADVICE = 12
PAIR = 2
"""Of more runs none is the candidate: advice is given over all of them."""
OTHERS = "other_interventions"


def build(analysis: Analysis) -> list[Block]:
    first: list[Sentence] = []
    for run in analysis.runs:
        first += repair_advice(run, analysis)
    for place, change in enumerate(analysis.changes):
        first += _change(change, place, is_settled=len(analysis.runs) > PAIR and _are_repeats(analysis, change))
    last: list[Sentence] = []
    planned = bool(analysis.interventions)
    for run in analysis.runs:
        last += [] if planned and run is analysis.runs[-1] else limit_advice(run, analysis)
        last += _read(run, analysis.tasks)
    if len(analysis.runs) > PAIR:
        return [*_bullets(first), *_advice(analysis), *_labelled(analysis), *_of_all(analysis), *_bullets(last)]
    return [*_bullets(first), *_advice(analysis), *_plan(analysis), *_bullets(last), *what_if(analysis)]


def _bullets(sentences: list[Sentence]) -> list[Block]:
    return [Bullets(tuple(Paragraph((sentence,)) for sentence in sentences))] if sentences else []


def _advice(analysis: Analysis) -> Iterator[Block]:
    """What follows from the answers of the investigation, over all runs."""
    advice = advised(analysis)
    if not advice:
        return
    yield Heading(PINNED[len(analysis.runs) > 1])
    ranked = "What the investigation advises, by how many rollouts it concerns and how sure their cause is."
    yield Paragraph((say(ranked),))
    yield Bullets(tuple(_advice_words(item) for item in advice[:MOST_ADVICE]))
    if len(advice) > MOST_ADVICE:
        yield Paragraph((say("{more} with a smaller gain.", more=count(len(advice) - MOST_ADVICE, "more change")),))


def _advice_words(item: Advice) -> Paragraph:
    """What to change, then why: without a number, which a shortened report would take for a sentence of its own."""
    return Paragraph((say("{change} ({kind}).", change=item.change, kind=item.kind), item.because))


def _labelled(analysis: Analysis) -> Iterator[Block]:
    """The causes of the failed tasks of every run, by label."""
    counts = count_labels(analysis.labels)
    codes = [code for code in analysis.meanings if any(code in label_counts for label_counts in counts.values())]
    if not codes:
        return
    rows = [
        (
            run.name,
            *(
                amount(counts[run.name][code], "totals", "label_counts", run.name, code)
                if code in counts.get(run.name, {})
                else "0"
                for code in codes
            ),
        )
        for run in analysis.runs
    ]
    heads = [f">{code} ({analysis.meanings[code]['name']})" for code in codes]
    caption = "Tasks that fail at least once, by root cause (confidences are not calibrated):"
    yield Table(("Run", *heads), tuple(rows), caption)


def _of_all(analysis: Analysis) -> Iterator[Block]:
    """What else to change, each with all runs that it touches; what is only to be read comes last, in one line."""
    steps: dict[tuple[str, str], list[tuple[str, int, Intervention]]] = {}
    for listed_in, items in (("interventions", analysis.interventions), (OTHERS, analysis.other_interventions)):
        for place, item in enumerate(items):
            steps.setdefault((item.kind, item.change), []).append((listed_in, place, item))
    scales = {run.name: run.scale for run in analysis.runs}
    paragraphs = [
        _step_words(change, sorted(touched, key=lambda entry: (-entry[2].rollouts, entry[2].run)), scales)
        for (_, change), touched in sorted(steps.items(), key=lambda pair: -sum(item.rollouts for *_, item in pair[1]))
        if change != READING.change
    ]
    if paragraphs:
        yield Heading("What to change, by failure mode")
        yield Bullets(tuple(paragraphs))
    counts = count_labels(analysis.labels)
    unknown = {
        run.name: tasks_open for run in analysis.runs if (tasks_open := counts.get(run.name, {}).get(INSUFFICIENT))
    }
    shapes = any(change == READING.change for _, change in steps)
    if shapes and unknown:
        runs = sorted(unknown, key=lambda run: (-unknown[run], run))
        facts: dict[str, Fact | str] = {f"run{n}": run for n, run in enumerate(runs)}
        facts |= {
            f"many{n}": amount(unknown[run], "totals", "label_counts", run, INSUFFICIENT) for n, run in enumerate(runs)
        }
        words = ", ".join(f"{{run{n}}} {{many{n}}}" for n in range(len(runs)))
        yield Paragraph(
            (
                say(
                    f"Read ten failed tasks of each run with insufficient evidence (label {INSUFFICIENT}: {words}) "
                    "against the key: that shows whether the key, the simulated user or the model is at fault.",
                    **facts,
                ),
            )
        )


def _step_words(change: str, touched: Sequence[tuple[str, int, Intervention]], scales: Mapping[str, str]) -> Paragraph:
    words, facts = _run_amounts(touched)
    named = named_words(change, [item for *_, item in touched])
    ceilings = {
        f"most{n}": fact(difference(most, scales[item.run]), most, at, place, field)
        for n, (at, place, item) in enumerate(touched)
        for field, most in (_highest(item),)
    }
    run_names = {f"run{n}": item.run for n, (*_, item) in enumerate(touched)} if len(touched) > 1 else {}
    parts = ", ".join(f"{{run{n}}} {{most{n}}}" if run_names else f"{{most{n}}}" for n in range(len(touched)))
    room, room_facts = _room_of_runs(touched, scales)
    return Paragraph(
        (
            say(f"{{change}}{{named}}. Rollouts of this mode: {words}.", change=change, named=named, **facts),
            *_counted_elsewhere(touched),
            say(
                f"Ceiling, {_if_passed(sum(item.unpassed for *_, item in touched))}: {parts}{room}.",
                **run_names,
                **ceilings,
                **room_facts,
            ),
        )
    )


def _highest(item: Intervention) -> tuple[str, float | None]:
    """The ceiling and the field that holds it: on the tasks that some rollout passes, where others are hit, too."""
    return "most" if item.reachable is None else "reachable", item.highest


def _if_passed(unpassed: int) -> str:
    """What a ceiling is of, with the rollouts that it leaves out."""
    if not unpassed:
        return "if all of them had passed"
    return f"without the {unpassed:,} at tasks that no run passes"


def _room_of_runs(
    touched: Sequence[tuple[str, int, Intervention]], scales: Mapping[str, str]
) -> tuple[str, dict[str, Fact | str]]:
    """What twice the limit would bring each run, where a limit is to be raised."""
    facts: dict[str, Fact | str] = {}
    parts = []
    for n, (at, place, item) in enumerate(touched):
        if item.more_room:
            points = item.more_room.points
            told = fact(difference(points, scales[item.run]), points, at, place, "more_room", "points")
            facts |= {f"room_run{n}": item.run, f"room{n}": told}
            parts.append(f"{{room_run{n}}} {{room{n}}}" if len(touched) > 1 else f"{{room{n}}}")
    return (f"; estimate for twice the limit: {', '.join(parts)}" if parts else ""), facts


def _counted_elsewhere(touched: Sequence[tuple[str, int, Intervention]]) -> Iterator[Sentence]:
    """Why a way of failing has more rollouts than the change that answers it: each is counted under one change."""
    elsewhere = [(at, place, item) for at, place, item in touched if item.elsewhere]
    if elsewhere:
        facts: dict[str, Fact | str] = {}
        for n, (at, place, item) in enumerate(elsewhere):
            facts |= {f"run{n}": item.run, f"many{n}": amount(item.elsewhere, at, place, "elsewhere")}
        words = ", ".join(f"{{run{n}}} {{many{n}}}" for n in range(len(elsewhere)))
        yield say(f"Other such rollouts are counted under another change or have to be read first: {words}.", **facts)


def _run_amounts(touched: Sequence[tuple[str, int, Intervention]]) -> tuple[str, dict[str, Fact | str]]:
    facts: dict[str, Fact | str] = {}
    for n, (at, place, item) in enumerate(touched):
        facts |= {f"run{n}": item.run, f"many{n}": amount(item.rollouts, at, place, "rollouts")}
    return ", ".join(f"{{run{n}}} {{many{n}}}" for n in range(len(touched))), facts


def _plan(analysis: Analysis) -> Iterator[Block]:
    """The interventions: a table to see them at once, then one bullet each."""
    items = analysis.interventions[:MOST]
    labels = tuple(_labels(analysis))
    if not items and not labels:
        return
    yield Heading(f"What to change in {analysis.runs[-1].name}")
    if labels:
        yield Paragraph((*labels, say("Confidences are not calibrated.")))
    if not items:
        yield Paragraph((say("No change is proposed: no failure has a known remedy."),))
        return
    rows = [_row(place, item, analysis) for place, item in enumerate(items)]
    points = ">points of the change" if items[0].base else ">points"
    yield Table((">", "change", "kind", points, ">ceiling", ">rollouts", ">tasks"), tuple(rows))
    if len(analysis.interventions) > MOST:
        remainder = count(len(analysis.interventions) - MOST, "smaller change is", "smaller changes are")
        yield Paragraph((say("{more} in analysis.json.", more=remainder),))
    yield Bullets(
        tuple(Paragraph(tuple(_intervention_words(place, item, analysis))) for place, item in enumerate(items))
    )
    yield Paragraph(tuple(_left(analysis)))


def _labels(analysis: Analysis) -> Iterator[Sentence]:
    """Why the tasks of the run fail, by label, and how many cannot be told."""
    run = analysis.runs[-1].name
    counts = count_labels(analysis.labels).get(run, {})
    meanings = analysis.meanings
    parts: dict[str, Fact | str] = {
        code: amount(tasks_labelled, "totals", "label_counts", run, code)
        for code, tasks_labelled in counts.items()
        if code != INSUFFICIENT and code in meanings
    }
    if parts:
        words = ", ".join(
            f"{{{code}}} {code} ({meanings[code]['name']})" if code in meanings else f"{{{code}}} {code}"
            for code in parts
        )
        yield say(f"Tasks that fail at least once, by root cause: {words}.", **parts)
    read = sum(label.run == run and label.rule == RULE for label in analysis.labels)
    if read:
        labels = count(read, "of these labels was", "of these labels were")
        yield say("{labels} given by readers of the rollouts, the others by rules.", labels=labels)
    if INSUFFICIENT in counts:
        tasks_labelled = counts[INSUFFICIENT]
        yield say(
            "For {many} the evidence is insufficient (IE). What would settle {them}: {settle}.",
            them="it" if tasks_labelled == 1 else "most of them",
            many=fact(count(tasks_labelled, "task"), tasks_labelled, "totals", "label_counts", run, INSUFFICIENT),
            settle=listed(in_short(label.missing for label in analysis.labels if label.run == run)[:SHOWN]),
        )


def _left(analysis: Analysis) -> Iterator[Sentence]:
    """How much of the failing the changes speak of: the rest is said to be unknown."""
    run = analysis.runs[-1].name
    totals = failing_totals(analysis.modes, analysis.interventions)[run]
    failing_rollouts = totals["rollouts"]
    failing = fact(count(failing_rollouts, "failing rollout"), failing_rollouts, "totals", "failing", run, "rollouts")
    if totals["addressed"] == failing_rollouts:
        yield say("Together these changes cover all {failing} of {run}.", failing=failing, run=name(run))
        return
    yield say(
        "Together these changes cover {addressed} of the {failing} of {run}; no change is proposed for the others.",
        addressed=amount(totals["addressed"], "totals", "failing", run, "addressed"),
        failing=failing,
        run=name(run),
    )


def _row(place: int, item: Intervention, analysis: Analysis) -> tuple[str | Fact, ...]:
    path, scale = ("interventions", place), analysis.runs[-1].scale
    return (
        str(place + 1),
        item.change,
        item.kind,
        change_points(item, scale, *path) if item.base else _points(item, place, scale),
        fact(difference(item.highest, scale), item.highest, *path, _highest(item)[0]),
        amount(item.rollouts, *path, "rollouts"),
        amount(item.tasks_total, *path, "tasks_total"),
    )


def _points(item: Intervention, place: int, scale: str) -> str | Fact:
    if item.points is None:
        return "no points"
    return fact(difference(item.points, scale), item.points, "interventions", place, "points")


def _intervention_words(place: int, item: Intervention, analysis: Analysis) -> Iterator[Sentence]:
    path, scale = ("interventions", place), analysis.runs[-1].scale
    words, facts = _mode_words(place, item)
    yield say(
        f"{{change}}: {{rollouts}} of {{tasks}} ({words}; {{first}}).",
        change=item.change,
        first=_first(item),
        rollouts=fact(count(item.rollouts, "rollout"), item.rollouts, *path, "rollouts"),
        tasks=fact(count(item.tasks_total, "task"), item.tasks_total, *path, "tasks_total"),
        **facts,
    )
    if item.own_errors:
        yield say("{words}", words=own_errors_words(item.own_errors))
    if item.base:
        yield from change_told(item, analysis.changes, scale, *path)
    if not item.base or item.note:
        yield _worth(place, item, scale)
    yield _ceiling(place, item, scale)
    yield say("Try first: {test}", test=item.cheap_test[:1].lower() + item.cheap_test[1:])
    if not item.of:
        return
    now = amount(item.rollouts, *path, "rollouts")
    of = fact(count(item.of, "rollout"), item.of, *path, "of")
    if item.within is None:
        yield say(
            "If it works, none of {of} fails this way ({now} now); chance alone may do that, too.", of=of, now=now
        )
    elif not item.within:
        none = fact("none", item.within, *path, "within")
        yield say("If it works, {none} of {of} fail this way ({now} now).", none=none, of=of, now=now)
    else:
        within = amount(item.within, *path, "within")
        yield say(
            "If it works, at most {within} of {of} {fail} this way ({now} now); with more, chance may explain the "
            "drop.",
            within=within,
            fail="fails" if item.within == 1 else "fail",
            of=of,
            now=now,
        )


def _first(item: Intervention) -> str:
    """The tasks hit most; all of those that are to be read and quarantined."""
    if item.change == BENCHMARK.change and item.tasks_total <= MOST_READ:
        return listed(item.tasks)
    return f"first {'task' if len(item.tasks[:SHOWN]) == 1 else 'tasks'} {listed(item.tasks[:SHOWN])}"


def _mode_words(place: int, item: Intervention) -> tuple[str, dict[str, Fact | str]]:
    """The ways of failing, where there are several with their rollouts, and what most of the rollouts name."""
    path = ("interventions", place)
    words = []
    facts: dict[str, Fact | str] = {}
    for order, (mode, size) in enumerate(item.ways[:SHOWN]):
        facts[f"way{order}"] = mode
        words.append(f"{{way{order}}}")
        if len(item.ways) > 1:
            facts[f"many{order}"] = amount(size, *path, "ways", order, 1)
            words[-1] += f" ({{many{order}}})"
    others_left = len(item.ways) - SHOWN
    text = ", ".join(words) + (f" and {count(others_left, 'other mode')}" if others_left > 0 else "")
    named = most_named([item])
    for order, entry in enumerate(named):
        at = (*path, "named", item.named.index(entry))
        facts |= {f"value{order}": name(entry[1], *at, 1), f"times{order}": amount(entry[2], *at, 2)}
    if not named or named[0][2] == item.rollouts:
        return text + ("; {value0}" if named else ""), facts
    if len(named) == 1:
        return text + "; most often {value0}, {times0} times", facts
    return text + "; most often " + listed([f"{{value{n}}} ({{times{n}}})" for n in range(len(named))]), facts


def _worth(place: int, item: Intervention, scale: str) -> Sentence:
    note = f" ({item.note})" if item.note else ""
    points = _points(item, place, scale)
    if item.points is None:
        return say(f"No estimate of points{note}.")
    if item.interval is None:
        return say(f"Worth {{points}}{note}.", points=points)
    ends = [
        fact(difference(end, scale), end, "interventions", place, "interval", order)
        for order, end in enumerate(item.interval)
    ]
    return say(f"Worth about {{points}}, between {{low}} and {{high}}{note}.", points=points, low=ends[0], high=ends[1])


def _ceiling(place: int, item: Intervention, scale: str, listed_in: str = "interventions") -> Sentence:
    field, highest = _highest(item)
    ceiling = fact(difference(highest, scale), highest, listed_in, place, field)
    if item.exact:
        return say("Ceiling: {most}, certain once the stored outputs are scored again.", most=ceiling)
    words = say(f"Ceiling: {{most}}, {_if_passed(item.unpassed)}", most=ceiling)
    room = more_room_words(item, scale, listed_in, place)
    return Sentence((*words.parts, *(("; ", *room.parts) if room else ()), "."))


def _are_repeats(analysis: Analysis, change: Change) -> bool:
    """Whether two of several runs are repeats of one configuration: more attempts would only settle what is alike."""
    groups = (analysis.investigation.get("repeats") or {}).get("groups", ())
    return any({change.base, change.candidate} <= set(group["runs"]) for group in groups)


def _change(change: Change, place: int, *, is_settled: bool) -> Iterator[Sentence]:
    at = ("changes", place)
    moved = [flip["task"] for flip in change.flips if flip["beyond_noise"]]
    if moved:
        yield say(
            "Read the tasks whose change from {base} to {candidate} is beyond noise, first {tasks}.",
            base=name(change.base),
            candidate=name(change.candidate),
            tasks=listed(moved[:SHOWN]),
        )
    if change.verdict == "inconclusive" and change.repeats_needed and 0 < change.common_tasks < FEWEST_TASKS:
        yield say(
            "Run more tasks before the change from {base} to {candidate} is judged: it rests on {tasks}, and attempts "
            "at so few tell nothing of others.",
            base=name(change.base),
            candidate=name(change.candidate),
            tasks=fact(count(change.common_tasks, "common task"), change.common_tasks, *at, "common_tasks"),
        )
    elif change.verdict == "inconclusive" and change.repeats_needed and not is_settled:
        facts: dict[str, Fact | str] = {
            "base": name(change.base),
            "candidate": name(change.candidate),
            "many": fact(count(change.repeats_needed, "attempt"), change.repeats_needed, *at, "repeats_needed"),
        }
        text = "To settle the change from {base} to {candidate}, give each task about {many}."
        if change.tasks_needed and change.tasks_needed > change.common_tasks:  # repeats say nothing of other tasks
            tasks = count(change.tasks_needed, "task")
            facts["tasks"] = fact(tasks, change.tasks_needed, *at, "tasks_needed")
            text = (
                "To settle the change from {base} to {candidate} for tasks of this kind, run about {tasks}; for these "
                "tasks alone, about {many} each would do."
            )
        yield say(text, **facts)


def _read(run: RunAnalysis, tasks: tuple[Task, ...]) -> Iterator[Sentence]:
    """Tasks that pass now and then show most: the same task, done right and done wrong."""
    if not run.endings.keys() - {"nothing"}:
        return  # no row holds a transcript to read
    mixed = [task for task in tasks if run.name in task.runs and task.runs[run.name].bucket is Bucket.SOMETIMES]
    mixed.sort(key=lambda task: (abs((task.runs[run.name].mean or 0.0) - 0.5), task.task))
    if mixed:
        yield say(
            "Compare passing and failing attempts of {run} (blade show PATH TASK --attempt N), first {tasks}.",
            run=name(run.name),
            tasks=listed([task.task for task in mixed[:SHOWN]]),
        )
