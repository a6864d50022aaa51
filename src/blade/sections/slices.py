"""Slices: how the run did on each level of the task properties that its data carries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from statistics import fmean
from typing import Any

from blade.document import Block, Fact, Heading, Paragraph, Sentence, Table, say
from blade.extract.names import words
from blade.model import Analysis, Change, RunAnalysis, Task
from blade.wording import count, fact, listed, name, score, span

TITLE = "Slices"
ORDER = 55
SHARE = 0.04
FIELDS_SHOWN = 6
LEVELS_SHOWN = 20
MOVED_TOLD = 3
"""So many of the levels that moved most are told, where there are more."""
TWO = 2
ANSWERS = ("yes", "no", "true", "false", "none")
FEWEST = 5
"""Tasks that a level needs to be spoken of by itself."""
JUDGED = "over judged rollouts"
PARTS = frozenset("benchmark benchmarks dataset datasets subset suite".split())
TASKS_ENOUGH = f"{FEWEST} tasks or more"


def build(analysis: Analysis) -> list[Block]:
    fields = sorted(
        {line["field"] for run in analysis.runs for line in run.slices},
        key=lambda field: (not _names_a_part(field), -_spread(analysis, field), field),
    )
    if not fields:
        return []
    blocks: list[Block] = [Paragraph((sentence,)) for sentence in _beyond_chance(analysis)]
    if any("judged" in line for run in analysis.runs for line in run.slices):
        blocks.append(Paragraph((say("Scores are over judged rollouts, here and in the tables."),)))
    for field in fields[:FIELDS_SHOWN]:
        sentences = (_meaning(analysis, field), *_without_idle_tasks(analysis, field))
        blocks += [Heading(field), Paragraph(sentences), _table(analysis, field)]
    if len(fields) > FIELDS_SHOWN:
        more = ", ".join(fields[FIELDS_SHOWN:])
        blocks.append(
            Paragraph(
                (
                    say(
                        "{count} in analysis.json: {more}.",
                        count=count(len(fields) - FIELDS_SHOWN, "more field"),
                        more=more,
                    ),
                )
            )
        )
    return blocks


def _names_a_part(field: str) -> bool:
    """Whether a field says which of several benchmarks a task is from: each has a score by itself."""
    return not PARTS.isdisjoint(words(field.rpartition(".")[2]))


def _beyond_chance(analysis: Analysis) -> Iterator[Sentence]:
    """What the search over all slices says of the change, so that nobody reads single lines as findings."""
    unchanged: list[Change] = []
    for change in analysis.changes:
        if change.verdict == "not_comparable":
            continue
        named = [" with ".join(found["where"]) for found in change.slices if found["named"]]
        if named:
            which = "this slice" if len(named) == 1 else "these slices"
            yield say(
                "From {base} to {candidate} {which} changed significantly more or less than the rest: {named}.",
                base=name(change.base),
                candidate=name(change.candidate),
                which=which,
                named=listed(named),
            )
        else:
            unchanged.append(change)
    if unchanged:
        yield say(
            "From {base} to {candidates} no slice changed significantly more or less than the rest.",
            base=name(unchanged[0].base),
            candidates=name(unchanged[0].candidate)
            if len(unchanged) == 1
            else f"each of {listed([change.candidate for change in unchanged])}",
        )


def _meaning(analysis: Analysis, field: str) -> Sentence:
    """What the table shows: the level that moved most between two runs, else the lowest and the highest."""
    runs = analysis.runs
    if len(runs) > TWO and (sentence := _over_runs(analysis, field)) is not None:
        return sentence
    first = {line["level"]: place for place, line in enumerate(runs[0].slices) if _counts(line, field)}
    last = {line["level"]: place for place, line in enumerate(runs[-1].slices) if _counts(line, field)}
    if len(last) < 2:
        return say("Few levels have {fewest}: no single row says much.", fewest=count(FEWEST, "task"))
    if len(runs) > 1 and first.keys() & last.keys():
        return _moves(
            runs[0], runs[-1], {level: (first[level], last[level]) for level in sorted(first.keys() & last.keys())}
        )
    low, high = (
        pick(sorted(last), key=lambda level: _judged(runs[-1].slices[last[level]])["score"]) for pick in (min, max)
    )
    return say(
        "{which} on {low} ({worst}), highest on {high} ({best}).",
        which=f"Of the levels with {TASKS_ENOUGH}: lowest" if _left_out(analysis, field, last) else "Lowest",
        low=_level(low), high=_level(high), worst=_score(runs[-1], last[low]), best=_score(runs[-1], last[high]),
    )  # fmt: skip


def _without_idle_tasks(analysis: Analysis, field: str) -> Iterator[Sentence]:
    """What two runs score on a level without its tasks that pass though the expected change is never made."""
    if len(analysis.runs) != TWO:
        return
    idle = set(analysis.investigation.get("needless_changes", {}).get("tasks", ()))
    first, last = analysis.runs
    levels: dict[str, list[Task]] = {}
    for task in analysis.tasks if idle else ():
        if field in task.slices:
            levels.setdefault(task.slices[field], []).append(task)
    for level, tasks in sorted(levels.items()):
        left_out = [task.task for task in tasks if task.task in idle]
        kept = [task.runs for task in tasks if task.task not in idle]
        means = [[runs[run.name].mean for runs in kept if run.name in runs] for run in (first, last)]
        scores = [[mean for mean in of_run if mean is not None] for of_run in means]
        if left_out and min(map(len, scores)) >= FEWEST:
            yield say(
                "Without {tasks}, where passes make no change, {level} is at {before} in {base} and {after} in "
                "{candidate}.",
                tasks=f"{'task' if len(left_out) == 1 else 'tasks'} {listed(left_out)}",
                level=_level(level),
                before=score(fmean(scores[0]), first.scale),
                after=score(fmean(scores[1]), last.scale),
                base=name(first.name),
                candidate=name(last.name),
            )


def _over_runs(analysis: Analysis, field: str) -> Sentence | None:
    """Of many runs the level that all together find hardest and easiest, and the one that parts them most."""
    scores: dict[str, list[tuple[float, str, Fact]]] = {}
    for run in analysis.runs:
        for place, line in enumerate(run.slices):
            if _counts(line, field):
                scores.setdefault(line["level"], []).append((_judged(line)["score"], run.name, _score(run, place)))
    common = sorted(level for level, entries in scores.items() if len(entries) == len(analysis.runs))
    if len(common) < TWO:
        return None
    means = {level: fmean(value for value, _, _ in scores[level]) for level in common}
    hardest, easiest = min(common, key=lambda level: means[level]), max(common, key=lambda level: means[level])
    ends = {level: (min(scores[level], key=_first), max(scores[level], key=_first)) for level in common}
    widest = max(common, key=lambda level: ends[level][1][0] - ends[level][0][0])
    low, high = ends[widest]
    scale = analysis.runs[0].scale
    return say(
        "Over all {runs} runs{judged}{which} {easiest} scores highest ({best}, the mean of the runs) and {hardest} "
        "lowest ({worst}); the runs lie furthest apart on {widest}: {low} in {low_run}, {high} in {high_run}.",
        runs=f"{len(analysis.runs):,}",
        judged=f" and {JUDGED}" if any("judged" in line for run in analysis.runs for line in run.slices) else "",
        which=f", of the levels with {TASKS_ENOUGH}," if _left_out(analysis, field, common) else "",
        easiest=_level(easiest),
        hardest=_level(hardest),
        widest=_level(widest),
        best=score(means[easiest], scale),
        worst=score(means[hardest], scale),
        low=low[2],
        low_run=name(low[1]),
        high=high[2],
        high_run=name(high[1]),
    )


def _left_out(analysis: Analysis, field: str, levels: Collection[str]) -> bool:
    """Whether the table of a field shows more levels than a sentence chooses among."""
    return any(line["field"] == field and line["level"] not in levels for run in analysis.runs for line in run.slices)


def _first(entry: tuple[float, str, Fact]) -> float:
    return entry[0]


def _level(level: str) -> str:
    """A level as a sentence names it: a bare yes, no, true or number is quoted."""
    return f"“{level}”" if level.lower() in ANSWERS or not any(map(str.isalpha, level)) else level


def _moves(base: RunAnalysis, candidate: RunAnalysis, places: Mapping[str, tuple[int, int]]) -> Sentence:
    """The levels that moved most between two runs, times their tasks, and the one that moved least."""
    lines = {level: (base.slices[before], candidate.slices[after]) for level, (before, after) in places.items()}
    tasks = {level: after["tasks"] for level, (_, after) in lines.items()}
    moved = {
        level: abs(_judged(after)["score"] - _judged(before)["score"]) * tasks[level]
        for level, (before, after) in lines.items()
    }
    ordered = sorted(moved, key=lambda level: -moved[level])
    facts = {level: (_score(base, before), _score(candidate, after)) for level, (before, after) in places.items()}
    before, after = facts[ordered[0]]
    farthest = max(moved, key=lambda level: moved[level] / tasks[level])
    conditions = [JUDGED] if any("judged" in line for pair in lines.values() for line in pair) else []
    conditions += [] if farthest == ordered[0] else ["weighed by tasks"]
    condition = f"{' and '.join(conditions)}, ".capitalize() if conditions else ""
    parts: list[str | Fact] = [f"{condition}{_level(ordered[0])} moved most: ", before, " in ", name(base.name)]
    parts += [", ", after, " in ", name(candidate.name)]
    others = [*ordered[1:MOVED_TOLD], ordered[-1]] if len(ordered) > MOVED_TOLD else ordered[1:]
    for place, level in enumerate(others):
        last = "; least " if len(ordered) > TWO else "; "
        opening = last if place == len(others) - 1 else " and " if place else "; then "
        parts += [f"{opening}{_level(level)} (", facts[level][0], " to ", facts[level][1], ")"]
    return Sentence((*parts, "."))


def _counts(line: Mapping[str, Any], field: str) -> bool:
    return line["field"] == field and _judged(line)["tasks"] >= FEWEST and _judged(line)["score"] is not None


def _judged(line: Mapping[str, Any]) -> Mapping[str, Any]:
    """A level over judged rollouts: a score that counts lost ones as 0 says nothing of the model there."""
    return line.get("judged", line)  # type: ignore[no-any-return]


def _score(run: RunAnalysis, place: int) -> Fact:
    line = run.slices[place]
    value = _judged(line)["score"]
    return fact(score(value, run.scale), value, "runs", run.name, "slices", place, *_within(line), "score")


def _within(line: Mapping[str, Any]) -> tuple[str, ...]:
    return ("judged",) if "judged" in line else ()


def _spread(analysis: Analysis, field: str) -> float:
    """Widest distance between two levels with tasks enough: the fields that part good from bad come first."""
    scores = [_judged(line)["score"] for run in analysis.runs for line in run.slices if _counts(line, field)]
    return max(scores) - min(scores) if scores else -1.0


def _table(analysis: Analysis, field: str) -> Table:
    levels = sorted({line["level"] for run in analysis.runs for line in run.slices if line["field"] == field})
    if len(analysis.runs) > 1:
        moved = {level: _moved(analysis, field, level) for level in levels}
        levels.sort(key=lambda level: -moved[level])
    many = len(analysis.runs) > TWO
    rows = []
    for level in levels[:LEVELS_SHOWN]:
        of_runs = [_cells(run, field, level) for run in analysis.runs]
        if many:  # intervals stand in analysis.json: of many runs they hide the scores
            of_runs = [[max((cells[2] for cells in of_runs), key=_number)], *([cells[0]] for cells in of_runs)]
        rows.append((level, *(cell for cells in of_runs for cell in cells)))
    titles = [title for run in analysis.runs for title in (f">{run.name}", ">95% interval", ">Tasks")]
    if many:
        titles = [">Tasks", *(f">{run.name}" for run in analysis.runs)]
    cut = len(levels) > LEVELS_SHOWN
    caption = f"The first {LEVELS_SHOWN} of {len(levels)} levels; the others are in analysis.json:" if cut else ""
    return Table(("Level", *titles), tuple(rows), caption=caption, ranked=len(analysis.runs) > 1)


def _moved(analysis: Analysis, field: str, level: str) -> float:
    """How far apart the runs lie on a level with tasks enough, of two runs times these; other levels come last."""
    lines = [line for run in analysis.runs for line in run.slices if line["level"] == level and _counts(line, field)]
    if len(lines) < TWO:
        return -1.0
    scores = [_judged(line)["score"] for line in lines]
    tasks = lines[-1]["tasks"] if len(analysis.runs) == TWO else 1
    return float((max(scores) - min(scores)) * tasks)


def _number(cell: str | Fact) -> int:
    text = cell if isinstance(cell, str) else cell.text
    return int(text.replace(",", "") or 0)


def _cells(run: RunAnalysis, field: str, level: str) -> list[str | Fact]:
    for place, line in enumerate(run.slices):
        if line["field"] == field and line["level"] == level:
            level_line = _judged(line)
            if level_line["score"] is None:
                return ["none judged", "", f"{line['tasks']:,}"]
            interval = span(level_line["interval"], run.scale) if level_line["interval"] else ""
            return [_score(run, place), interval, f"{line['tasks']:,}"]
    return ["", "", ""]
