"""Which parts of the tasks, by a property that the data carries, are passed less often than the rest?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.counting.derived_slices import field_words, is_derived
from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import by_task, judged, pass_rate, task_levels
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rank_sum import kruskal_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, listed, percent

TITLE = "Parts of the tasks that are passed less often"
ORDER = 26
WEIGHT = 0.9
FEWEST = 10
"""Tasks inside and outside a part."""
LOWER = 0.2
"""The rate of passes is so much lower than on the other tasks."""
SURE_OF_PART = 0.02
"""Corrected for all parts that the data names, of which rows may carry dozens; a part must be far apart as well."""
MOST = 3
RUNS_TOLD = 4


@frozen
class _TaskPart:
    field: str
    level: str
    part_tasks: Mapping[str, Sequence[Case]]
    other_tasks: Mapping[str, Sequence[Case]]
    rates: Mapping[str, float]
    """Of every task, how often it passes."""

    @property
    def lower(self) -> float:
        return self._mean(self.other_tasks) - self._mean(self.part_tasks)

    def p(self) -> float:
        """Ranks of the tasks' rates: attempts at one task are no independent draws."""
        return kruskal_p([self._rates(self.part_tasks), self._rates(self.other_tasks)])

    def _rates(self, tasks: Mapping[str, Sequence[Case]]) -> list[float]:
        return [self.rates[key] for key in tasks]

    def _mean(self, tasks: Mapping[str, Sequence[Case]]) -> float:
        return sum(self._rates(tasks)) / len(tasks)


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Levels of recorded fields with a lower rate of passes over all runs, those with the most lost passes first."""
    tasks = by_task([case for run in runs for case in judged(run)])
    parts = list(_parts(runs, tasks))
    adjusted = benjamini_hochberg([part.p() for part in parts])
    sure = [(part, p) for part, p in zip(parts, adjusted, strict=True) if p <= SURE_OF_PART and part.lower >= LOWER]
    sure.sort(key=lambda pair: (-len(pair[0].part_tasks) * pair[0].lower, pair[0].field, pair[0].level))
    distinct = list(_distinct(sure))
    return {"parts": [_entry(part, p) for part, p in distinct[:MOST]]} if distinct else None


def _parts(runs: Sequence[RunCases], tasks: Mapping[str, Sequence[Case]]) -> Iterator[_TaskPart]:
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    rates = {key: pass_rate(cases) for key, cases in tasks.items()}
    for field in sorted({field for of_task in levels.values() for field in of_task if not is_derived(field)}):
        groups: defaultdict[str, dict[str, Sequence[Case]]] = defaultdict(dict)
        for key, cases in tasks.items():
            if (level := levels.get(key, {}).get(field)) is not None:
                groups[level][key] = cases
        all_tasks = {key: cases for group in groups.values() for key, cases in group.items()}
        for level, part_tasks in sorted(groups.items()):
            if min(len(part_tasks), len(all_tasks) - len(part_tasks)) >= FEWEST:
                other_tasks = {key: cases for key, cases in all_tasks.items() if key not in part_tasks}
                yield _TaskPart(field, level, part_tasks, other_tasks, rates)


def _distinct(parts: Sequence[tuple[_TaskPart, float]]) -> Iterator[tuple[_TaskPart, float]]:
    """Of several names for much the same tasks the first."""
    earlier_parts: list[set[str]] = []
    for part, p in parts:
        keys = set(part.part_tasks)
        if not any(2 * len(keys & earlier) > min(len(keys), len(earlier)) for earlier in earlier_parts):
            earlier_parts.append(keys)
            yield part, p


def _entry(part: _TaskPart, p: float) -> dict[str, Any]:
    part_cases, other_cases = (
        [case for cases in tasks.values() for case in cases] for tasks in (part.part_tasks, part.other_tasks)
    )
    return {
        "field": part.field,
        "level": part.level,
        "tasks": len(part.part_tasks),
        **_counts("inside", part_cases),
        **_counts("outside", other_cases),
        "runs": [
            {"run": run, **_counts("inside", run_cases), **_counts("outside", run_others)}
            for run in dict.fromkeys(case.run for case in part_cases)
            if (run_cases := [case for case in part_cases if case.run == run])
            and (run_others := [case for case in other_cases if case.run == run])
        ],
        "p": significant(p, WRITTEN),
    }


def _counts(name: str, cases: Sequence[Case]) -> dict[str, int]:
    return {name: len(cases), f"{name}_passes": sum(bool(case.passed) for case in cases)}


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_sentences(place, part))) for place, part in enumerate(answer["parts"])))]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The part with the most lost passes."""
    yield _where(0, answer["parts"][0])


def _sentences(place: int, part: Mapping[str, Any]) -> Iterator[Sentence]:
    yield _where(place, part)
    if len(part["runs"]) > 1:
        lower = [entry for entry in part["runs"] if _rate_of(entry, "inside") < _rate_of(entry, "outside")]
        shown = [
            f"{entry['run']} {percent(_rate_of(entry, 'inside'))} and {percent(_rate_of(entry, 'outside'))}"
            for entry in part["runs"][:RUNS_TOLD]
        ]
        more = count(len(part["runs"]) - RUNS_TOLD, "more run") if len(part["runs"]) > RUNS_TOLD else ""
        yield say(
            "It is lower there in {lower} of {runs}: {shown}.",
            lower=f"{len(lower):,}",
            runs=count(len(part["runs"]), "run"),
            shown=listed([*shown, more] if more else shown),
        )


def _rate_of(entry: Mapping[str, int], name: str) -> float:
    return entry[f"{name}_passes"] / entry[name]


def _where(place: int, part: Mapping[str, Any]) -> Sentence:
    path = ("investigation", "hard_parts", "parts", place)
    return say(
        "Where {field} is {level} ({tasks}), {inside_passes} of {inside} pass ({inside_rate}), elsewhere "
        "{outside_passes} of {outside} ({outside_rate}; rank test over tasks p = {p}).",
        field=field_words(part["field"]),
        level=part["level"],
        tasks=fact(count(part["tasks"], "task"), part["tasks"], *path, "tasks"),
        inside_passes=amount(part["inside_passes"], *path, "inside_passes"),
        inside=fact(count(part["inside"], "rollout"), part["inside"], *path, "inside"),
        inside_rate=percent(_rate_of(part, "inside")),
        outside_passes=amount(part["outside_passes"], *path, "outside_passes"),
        outside=amount(part["outside"], *path, "outside"),
        outside_rate=percent(_rate_of(part, "outside")),
        p=fact(f"{part['p']:.2g}", part["p"], *path, "p"),
    )
