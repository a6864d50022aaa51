"""Denominator: from the rollouts that were expected to those that count, with every loss named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from blade.document import Block, Fact, Heading, Paragraph, Sentence, Table, say
from blade.model import Analysis, RunAnalysis, Status, Task
from blade.stats.weighted_draws import weight_p
from blade.summary.run_summary import is_translated, unfinished
from blade.wording import amount, count, fact, listed, name, span

TITLE = "Denominator"
ORDER = 37
SHARE = 0.00
OTHERS = "rarer reasons"
TOGETHER = "Each of these runs"
MOST_HOLES = 12
"""Tasks of which some rollouts are missing: more of them are no list to be looked for."""
FEWEST_MISSING = 5
UNEVEN = 0.05
STAGES = ("expected", "started", "finished", "graded", "counted")
OF_ROWS = {"started": "rows and recorded failures", "finished": "rows", "graded": "rows with a score"}
"""What is counted, in the words for runs of which some rows are no attempt."""


def build(analysis: Analysis) -> list[Block]:
    blocks: list[Block] = [_chain(analysis.runs)]
    blocks.extend(Paragraph(tuple(words)) for words in _by_run(analysis.runs))
    missing = list(_missing(analysis.runs, analysis.tasks))
    blocks += [Paragraph(tuple(missing))] if missing else []
    blocks += [Heading("What happened to the rollouts"), _statuses(analysis.runs)]
    reasons = _reasons(analysis.runs)
    if reasons.rows:
        blocks.append(reasons)
    late = [sentence for run in analysis.runs for sentence in _late_passes(run)]
    return [*blocks, Paragraph(tuple(late))] if late else blocks


def _missing(runs: Sequence[RunAnalysis], tasks: Sequence[Task]) -> Iterator[Sentence]:
    """Which rollouts of which run left no trace, the most first, where few enough to be looked for; and where they lie.

    One sentence tells of all runs: a list of some would hide the largest loss.
    """
    holes = {run.name: missing for run in runs if (run.metrics["k"] or 0) > 1 and (missing := _holes(run.name, tasks))}
    holes = {run: missing for run, missing in holes.items() if len(missing) <= MOST_HOLES}
    if not holes:
        return
    ordered = sorted(holes.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    totals = [sum(missing.values()) for _, missing in ordered]
    amounts = [count(totals[0], "rollout"), *(f"{rollouts:,}" for rollouts in totals[1:])]
    parts = [f"{amounts[n]} in {{run{n}}} ({_hole_words(missing)})" for n, (_, missing) in enumerate(ordered)]
    yield say(
        f"Missing without a trace: {listed(parts)}.",
        **{f"run{n}": name(run) for n, (run, _) in enumerate(ordered)},
    )
    yield from _concentration(holes, tasks)


def _holes(run: str, tasks: Sequence[Task]) -> dict[str, int]:
    """The tasks of which some rollouts are missing while others are there, and how many."""
    results = [(task.task, task.runs[run]) for task in tasks if run in task.runs]
    return {
        task: missing_rows
        for task, result in results
        if result.attempts and (missing_rows := result.outcomes.count("m"))
    }


def _hole_words(missing: Mapping[str, int]) -> str:
    return listed([f"{missing_rows:,} of task {task}" for task, missing_rows in missing.items()])


def _concentration(holes: Mapping[str, Mapping[str, int]], tasks: Sequence[Task]) -> Iterator[Sentence]:
    """The part of the tasks that holds more of the missing rollouts than chance would, tasks drawn and not rollouts."""
    missing: Counter[str] = Counter()
    for of_run in holes.values():
        missing.update(of_run)
    if missing.total() < FEWEST_MISSING:
        return
    levels: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for task in tasks:
        for field, level in task.slices.items():
            levels[field, level].add(task.task)
    parts: dict[frozenset[str], tuple[str, str]] = {}
    for place, names in levels.items():
        if FEWEST_MISSING <= len(names) < len(tasks):
            parts.setdefault(frozenset(names), place)
    tested = [
        (
            weight_p(list(missing.values()), missing_inside, len(members), len(tasks)) * len(parts),
            missing_inside,
            members,
        )
        for members in parts
        if (missing_inside := sum(missing_rows for task, missing_rows in missing.items() if task in members))
    ]
    if not tested:
        return
    p, missing_inside, members = min(tested, key=lambda entry: (entry[0], len(entry[2])))
    if p > UNEVEN:
        return
    field, level = parts[members]
    yield say(
        "{inside} of the {missing} missing rollouts lie where {field} is {level}, {part} of all {tasks} tasks (exact "
        "test over tasks, corrected for all parts, p = {p}): what was lost is no fair sample.",
        inside=f"{missing_inside:,}",
        missing=f"{missing.total():,}",
        field=field,
        level=level,
        part=f"{len(members):,}",
        tasks=f"{len(tasks):,}",
        p=f"{p:.2g}",
    )


def _late_passes(run: RunAnalysis) -> Iterator[Sentence]:
    """Passes that met a limit all the same: they are ordinary rows, and the limit cannot be what fails the others."""
    for place, item in enumerate(run.reasons):
        late_passes = item["passed_all_the_same"]
        if late_passes:
            passes = late_passes + (item["passed"] or 0)
            yield say(
                "{more} of {run} {say} “{reason}”, too, and still {pass_}: {passes} of {all} with this label. By "
                "itself it does not explain a failure.",
                more=fact(
                    count(late_passes, "more rollout"),
                    late_passes,
                    "runs",
                    run.name,
                    "reasons",
                    place,
                    "passed_all_the_same",
                ),
                run=name(run.name),
                say="says" if late_passes == 1 else "say",
                reason=item["reason"].partition(": ")[2],
                pass_="passes" if late_passes == 1 else "pass",
                passes=f"{passes:,}",
                all=f"{item['rollouts'] + late_passes:,}",
            )


def _chain(runs: Sequence[RunAnalysis]) -> Table:
    rows = []
    words = OF_ROWS if any(_never_ran(run) for run in runs) else {}
    for stage in STAGES:
        cells: list[str | Fact] = []
        for run in runs:
            value = getattr(run.denominator, stage)
            cells.append("unknown" if value is None else amount(value, "runs", run.name, "denominator", stage))
        rows.append((words.get(stage, stage), *cells))
        if stage == "graded" and any(_unjudged(run) for run in runs):
            rows.append(("judged", *(_judged_cell(run) for run in runs)))
    return Table(("Rollouts", *(f">{run.name}" for run in runs)), tuple(rows))


def _judged_cell(run: RunAnalysis) -> Fact:
    return amount(run.metrics["evaluable"]["rollouts"], "runs", run.name, "metrics", "evaluable", "rollouts")


def _by_run(runs: Sequence[RunAnalysis]) -> Iterator[list[Sentence]]:
    """What is to be said of each run; runs of which the same is to be said are told together."""
    alike: dict[tuple[str, ...], list[RunAnalysis]] = {}
    for run in runs:
        alike.setdefault(tuple(sentence.text for sentence in _words(run, "", "")), []).append(run)
    for runs_alike in alike.values():
        single = len(runs_alike) == 1
        run_names = name(runs_alike[0].name) if single else listed([run.name for run in runs_alike])
        yield _words(runs_alike[0], run_names, "The run" if single else TOGETHER)


def _words(run: RunAnalysis, named: str | Fact, subject: str) -> list[Sentence]:
    """The sentences about a run, or about several that are told together: `named` at the beginning, then `subject`."""
    chain = run.denominator
    own_files = "its files" if subject != TOGETHER else "their files"
    told_by = own_files if is_translated(run) else "the materialized inputs"
    sources = {
        "manifest": f"the expected number comes from {told_by}",
        "inferred": f"the expected number is inferred ({chain.expected_note})",
        "unknown": f"the expected number is unknown ({chain.expected_note})",
    }
    sentences = [say("{run}: {source}.", run=named, source=sources[chain.expected_source])]
    if chain.losses:
        loss_list = listed([f"{loss.rollouts:,} {loss.reason}" for loss in chain.losses])
        sentences.append(say("Lost on the way: {lost}.", lost=loss_list))
    elif chain.expected is not None:
        unjudged = _unjudged(run)
        start = "" if chain.expected_source == "manifest" else "as far as the rows show, "
        complete = "no rollout was lost" if not unjudged else "every expected rollout has a row"
        sentences.append(say((start + complete)[:1].upper() + (start + complete)[1:] + "."))
    sentences += _never_judged(run)
    sentences += _never_ran(run)
    if left := unfinished(run):
        sentences.append(say("{subject} {left}.", subject=subject, left=left))
    copies = run.rollouts - chain.finished if not chain.losses else 0
    if copies > 0:
        sentences.append(
            say("{copies} in the file repeat another row and are not counted.", copies=count(copies, "row"))
        )
    if chain.bounds is not None and chain.losses:
        sentences.append(
            say(
                "If all lost rollouts failed, or all passed, the score would be {bounds}.",
                bounds=fact(span(chain.bounds), list(chain.bounds), "runs", run.name, "denominator", "bounds"),
            ),
        )
    return sentences


def _never_ran(run: RunAnalysis) -> list[Sentence]:
    """Rows that count here and are no attempt of the model, by the audit."""
    fates = {"never ran": run.audit.get("no_trial", 0), "never started the agent": run.audit.get("not_started", 0)}
    parts = [f"{rows:,} {words}" for words, rows in fates.items() if rows]
    if not parts:
        return []
    return [say("These counts are of rows; as attempts of the model {told} (see What Really Ran).", told=listed(parts))]


def _unjudged(run: RunAnalysis) -> list[tuple[Status, int]]:
    """Rows that bear a score which says nothing about the model, as nobody judged what it did."""
    statuses = (Status.INFRASTRUCTURE, Status.VERIFIER_ERROR)
    return [(status, run.statuses[status.value]) for status in statuses if run.statuses.get(status.value)]


def _never_judged(run: RunAnalysis) -> list[Sentence]:
    words = {
        Status.INFRASTRUCTURE: "broken by infrastructure",
        Status.VERIFIER_ERROR: "without a verdict",
    }
    unjudged = _unjudged(run)
    if not unjudged:
        return []
    total = sum(rows for _, rows in unjudged)
    return [
        say(
            "{many} of {all} {were} not judged ({how}): the score of such a row does not measure the model.",
            many=f"{total:,}",
            all=count(sum(rows for status, rows in run.statuses.items() if status != Status.MISSING.value), "rollout"),
            were="was" if total == 1 else "were",
            how=listed([f"{rows:,} {words[status]}" for status, rows in unjudged]),
        )
    ]


def _statuses(runs: Sequence[RunAnalysis]) -> Table:
    statuses = [status.value for status in Status if any(run.statuses.get(status.value) for run in runs)]
    rows = tuple((status.replace("_", " "), *(_status_cell(run, status) for run in runs)) for status in statuses)
    return Table(("Status", *(f">{run.name}" for run in runs)), rows)


def _status_cell(run: RunAnalysis, status: str) -> str | Fact:
    rows = run.statuses.get(status)
    return amount(rows, "runs", run.name, "statuses", status) if rows else "0"


def _not_shown(run: RunAnalysis) -> Iterator[tuple[str, int]]:
    """Statuses of which rarer reasons are not kept, and the rollouts of those."""
    rollouts_shown: Counter[str] = Counter()
    for item in run.reasons:
        rollouts_shown[item["status"]] += item["rollouts"]
    for status, rollouts in rollouts_shown.items():
        if status not in {Status.MISSING.value, Status.OK.value} and run.statuses.get(status, 0) > rollouts:
            yield status, run.statuses[status] - rollouts


def _reasons(runs: Sequence[RunAnalysis]) -> Table:
    """What the rows themselves say."""
    rows: list[tuple[str | Fact, ...]] = []
    for run in runs:
        for place, item in enumerate(run.reasons):
            rollouts = amount(item["rollouts"], "runs", run.name, "reasons", place, "rollouts")
            passed = "" if item["passed"] is None else f"{item['passed']:,}"
            rows.append((run.name, item["status"].replace("_", " "), rollouts, passed, item["reason"] or ""))
        rows += [
            (run.name, status.replace("_", " "), f"{rollouts:,}", "", OTHERS) for status, rollouts in _not_shown(run)
        ]
    return Table(("Run", "Status", ">Rollouts", ">Passed", "What the rows say"), tuple(rows))
