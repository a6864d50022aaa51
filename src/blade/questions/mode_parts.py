"""In which part of the tasks does a failure mode concentrate, and how much of it is at tasks that nobody passes?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import RULE, features
from blade.diagnosis.recovery import unpassed_tasks
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import MOST_LEVELS, SURE, by_task, judged, task_levels
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rank_sum import kruskal_p
from blade.stats.rounding import WRITTEN, significant
from blade.wording import amount, count, fact, percent

TITLE = "Parts of the tasks in which a failure mode concentrates"
ORDER = 27
WEIGHT = 0.8
FEWEST_FAILURES = 20
FEWEST_TASKS = 10
"""Inside and outside a part."""
HALF = 0.5
TWICE = 2.0
MOST = 4


@dataclass(frozen=True, slots=True)
class _ModePart:
    """The failures with a sign, and the tasks inside and outside one level of a field."""

    sign: str
    failures: frozenset[int]
    passes: int
    """Rollouts that show the sign and pass."""
    field: str
    level: str
    inside: Mapping[str, Sequence[Case]]
    outside: Mapping[str, Sequence[Case]]

    def p(self) -> float:
        """Ranks of the tasks' shares: attempts at one task are no independent draws."""
        return kruskal_p([[self._share(cases) for cases in tasks.values()] for tasks in (self.inside, self.outside)])

    def _share(self, cases: Sequence[Case]) -> float:
        return sum(id(case) in self.failures for case in cases) / len(cases)

    def counts(self, tasks: Mapping[str, Sequence[Case]]) -> tuple[int, int]:
        """The failures with the sign among the rollouts at some tasks, and these."""
        rollouts = [case for cases in tasks.values() for case in cases]
        return sum(id(case) in self.failures for case in rollouts), len(rollouts)

    def concentrates(self) -> bool:
        """Whether most of the failures are inside, and far more often there than elsewhere."""
        (part_failures, rollouts), (other_failures, other_rollouts) = (
            self.counts(self.inside),
            self.counts(self.outside),
        )
        return (
            part_failures > HALF * (part_failures + other_failures)
            and part_failures / rollouts >= TWICE * other_failures / other_rollouts
        )


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Signs that go with failing, each with the part that holds most of its failures beyond chance."""
    cases = [case for run in runs for case in judged(run)]
    tasks = by_task(cases)
    parts = list(_parts(runs, cases, tasks))
    adjusted = benjamini_hochberg([part.p() for part in parts])
    best: dict[str, tuple[float, _ModePart]] = {}
    for part, p in zip(parts, adjusted, strict=True):
        if p <= SURE and part.concentrates() and (part.sign not in best or p < best[part.sign][0]):
            best[part.sign] = (p, part)
    if not best:
        return None
    unpassed = unpassed_tasks(runs)
    entries = [_entry(part, p, tasks, unpassed) for p, part in best.values()]
    entries.sort(key=lambda entry: (-entry["failures"], entry["sign"]))
    return {"signs": entries[:MOST]}


def _parts(runs: Sequence[RunCases], cases: Sequence[Case], tasks: Mapping[str, Sequence[Case]]) -> Iterator[_ModePart]:
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    failed = {id(case) for case in cases if not case.passed}
    signs = {
        name: (frozenset(holders & failed), len(holders - failed))
        for (kind, name), holders in features(runs).items()
        if kind == RULE and _goes_with_failing(holders, failed, len(cases))
    }
    for field in sorted({field for of_task in levels.values() for field in of_task}):
        groups: defaultdict[str, dict[str, Sequence[Case]]] = defaultdict(dict)
        for key, cases_of_task in tasks.items():
            if (level := levels.get(key, {}).get(field)) is not None:
                groups[level][key] = cases_of_task
        if not 1 < len(groups) <= MOST_LEVELS or sum(map(len, groups.values())) < len(tasks):
            continue
        for level, part_tasks in sorted(groups.items()):
            other_tasks = {key: cases_of_task for key, cases_of_task in tasks.items() if key not in part_tasks}
            if min(len(part_tasks), len(other_tasks)) >= FEWEST_TASKS:
                for sign, (failures, passes) in sorted(signs.items()):
                    yield _ModePart(sign, failures, passes, field, level, part_tasks, other_tasks)


def _goes_with_failing(holders: set[int], failed: set[int], rollouts: int) -> bool:
    """Whether enough failures show it, and those who show it fail more often than all do."""
    failures = len(holders & failed)
    return failures >= FEWEST_FAILURES and failures / len(holders) > len(failed) / rollouts


def _entry(part: _ModePart, p: float, tasks: Mapping[str, Sequence[Case]], unpassed: frozenset[str]) -> dict[str, Any]:
    (part_failures, rollouts), (other_failures, other_rollouts) = part.counts(part.inside), part.counts(part.outside)
    return {
        "sign": part.sign,
        "field": part.field,
        "level": part.level,
        "failures": len(part.failures),
        "passes": part.passes,
        "inside": part_failures,
        "rollouts": rollouts,
        "outside": other_failures,
        "other_rollouts": other_rollouts,
        "unpassed": sum(id(case) in part.failures for key in unpassed for case in tasks[key]),
        "p": significant(p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    return [Bullets(tuple(Paragraph(tuple(_words(place, entry))) for place, entry in enumerate(answer["signs"])))]


def _words(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    path = ("investigation", "mode_parts", "signs", place)
    yield say(
        "Of {failures} (and {passes}) with the sign “{sign}”, {inside} of the failures are where {field} is {level}: "
        "in {share} of {rollouts} there, elsewhere in {other_share} of {others} (rank test over tasks p = {p}).",
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *path, "failures"),
        passes=fact(count(entry["passes"], "pass", "passes"), entry["passes"], *path, "passes"),
        sign=entry["sign"],
        inside=amount(entry["inside"], *path, "inside"),
        field=entry["field"],
        level=entry["level"],
        share=percent(entry["inside"] / entry["rollouts"]),
        rollouts=fact(count(entry["rollouts"], "rollout"), entry["rollouts"], *path, "rollouts"),
        other_share=percent(entry["outside"] / entry["other_rollouts"]),
        others=amount(entry["other_rollouts"], *path, "other_rollouts"),
        p=fact(f"{entry['p']:.2g}", entry["p"], *path, "p"),
    )
    if entry["unpassed"]:
        yield say(
            "{unpassed} of them {are} at tasks that no run passes: mending this need not pass them.",
            unpassed=amount(entry["unpassed"], *path, "unpassed"),
            are="is" if entry["unpassed"] == 1 else "are",
        )
