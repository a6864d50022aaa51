"""Is one attempt of a run far better or worse than its others in a part of the tasks?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from blade.counting.derived_slices import field_words
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import SURE, by_task, judged, task_levels
from blade.stats.multiple import benjamini_hochberg
from blade.stats.odds import odds_change
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p
from blade.wording import amount, count, fact

TITLE = "One attempt that differs in a part of the tasks"
ORDER = 70
OF_COPIES = True
WEIGHT = 1.3
FEWEST_TASKS = 8
MOST_ATTEMPTS = 10
MOST_LEVELS = 200
"""With more parts than this a benchmark has none that a reader would look at."""
APART = 0.2
FAR = 2.0
"""Inside the part the attempt lies so many times further from the others than it does elsewhere."""
OTHER_ODDS = 1.96
"""And its odds against the others lie so many standard errors apart inside and elsewhere."""
MOST = 4


@frozen
class _AttemptPart:
    """An attempt of a run at the tasks of one level of a field, against the other attempts there."""

    run: str
    field: str
    level: str
    attempt: int
    inside: Table
    """Passes and failures of the attempt, then of the others, at the tasks of the level."""
    outside: Table
    p: float

    @property
    def gap(self) -> float:
        return _gap(self.inside)

    def stands_out(self) -> bool:
        other_odds = abs(odds_change(self.inside, self.outside)) >= OTHER_ODDS
        return other_odds and abs(self.gap) >= max(APART, FAR * abs(_gap(self.outside)))


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The attempts that lie apart from the others of their run in a part of the tasks, and not elsewhere."""
    parts = [part for run in runs for part in _parts(run)]
    adjusted = benjamini_hochberg([part.p for part in parts])
    clear = [(part, p) for part, p in zip(parts, adjusted, strict=True) if p <= SURE and part.stands_out()]
    clear.sort(key=lambda pair: (pair[1], -abs(pair[0].gap), pair[0].run, pair[0].field, pair[0].level))
    clearest: dict[tuple[str, int], tuple[_AttemptPart, float]] = {}
    for part, p in clear:  # the clearest attempt of a part, which two fields may name
        clearest.setdefault((part.run, sum(part.inside)), (part, p))
    told = list(clearest.values())
    if not told:
        return None
    return {"parts": [_entry(part, p) for part, p in told[:MOST]], "left_out": len(told[MOST:])}


def _parts(run: RunCases) -> Iterator[_AttemptPart]:
    tasks = by_task(judged(run))
    attempts = sorted({case.attempt for cases in tasks.values() for case in cases})
    if not 1 < len(attempts) <= MOST_ATTEMPTS:
        return
    levels = task_levels(run)
    groups: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for key in tasks:
        for field_level in levels.get(key, {}).items():
            groups[field_level].append(key)
    if len(groups) > MOST_LEVELS:
        return
    outcomes = {attempt: {key: _outcomes(cases, attempt) for key, cases in tasks.items()} for attempt in attempts}
    everywhere = {attempt: _total(tables.values()) for attempt, tables in outcomes.items()}
    for (field, level), keys in sorted(groups.items()):
        if min(len(keys), len(tasks) - len(keys)) < FEWEST_TASKS:
            continue
        for attempt, tables in outcomes.items():
            inside = _total([tables[key] for key in keys])
            outside = _without(everywhere[attempt], inside)
            if _is_comparable(inside) and _is_comparable(outside):
                p = exact_p([tables[key] for key in keys])
                if p is not None:
                    yield _AttemptPart(run.run.name, field, level, attempt, inside, outside, p)


def _outcomes(cases: Sequence[Case], attempt: int) -> Table:
    """Passes and failures of the attempt, then of the others."""
    own = others = own_passes = other_passes = 0
    for case in cases:
        if case.attempt == attempt:
            own += 1
            own_passes += bool(case.passed)
        else:
            others += 1
            other_passes += bool(case.passed)
    return own_passes, own - own_passes, other_passes, others - other_passes


def _total(tables: Iterable[Table]) -> Table:
    passes, failures, other_passes, other_failures = (sum(cells) for cells in zip(*tables, strict=True))
    return passes, failures, other_passes, other_failures


def _without(everywhere: Table, inside: Table) -> Table:
    passes, failures, other_passes, other_failures = (
        total - part for total, part in zip(everywhere, inside, strict=True)
    )
    return passes, failures, other_passes, other_failures


def _is_comparable(table: Table) -> bool:
    """Whether the attempt and the others were judged often enough."""
    passes, failures, other_passes, other_failures = table
    return min(passes + failures, other_passes + other_failures) >= FEWEST_TASKS


def _gap(table: Table) -> float:
    passes, failures, other_passes, other_failures = table
    return passes / (passes + failures) - other_passes / (other_passes + other_failures)


def _entry(part: _AttemptPart, p: float) -> dict[str, Any]:
    own, others, outside, others_outside = (
        {"passes": passes, "of": passes + failures}
        for passes, failures in (part.inside[:2], part.inside[2:], part.outside[:2], part.outside[2:])
    )
    return {
        "run": part.run,
        "field": part.field,
        "level": part.level,
        "attempt": part.attempt,
        "inside": own,
        "others": others,
        "outside": outside,
        "others_outside": others_outside,
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    items = [Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["parts"])]
    if answer["left_out"]:
        items.append(Paragraph((say("{more} not shown.", more=count(answer["left_out"], "more part")),)))
    return [Bullets(tuple(items))]


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    path = (*_AT, "parts", place)
    shares = {
        name: fact(f"{entry[side]['passes']:,} of {entry[side]['of']:,}", entry[side]["passes"], *path, side, "passes")
        for name, side in (
            ("inside", "inside"),
            ("others", "others"),
            ("outside", "outside"),
            ("rest", "others_outside"),
        )
    }
    return say(
        "Attempt {attempt} of {run} passes {inside} where {field} is {level}, its other attempts {others} (exact test "
        "within tasks, corrected for all parts and attempts, p = {p}); at its other tasks {outside} and {rest}. The "
        "environment, a tool or the service of the model may have differed there between the attempts.",
        attempt=amount(entry["attempt"], *path, "attempt"),
        run=entry["run"],
        field=field_words(entry["field"]),
        level=entry["level"],
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
        **shares,
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The clearest of them: a run whose attempts differ measures more than the model."""
    yield _words(0, answer["parts"][0])


_AT = ("investigation", "attempt_parts")
