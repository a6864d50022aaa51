"""In which part of the tasks does a failure mode concentrate, and how much of it is at tasks that nobody passes?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from blade.diagnosis.cases import Case, RunCases
from blade.diagnosis.features import RULE, features
from blade.diagnosis.recovery import unpassed_tasks
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
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


Counts = npt.NDArray[np.int64]
"""A number for each task."""


@frozen
class _Sign:
    """What some rollouts show: at each task how many fail with it, and how many passes show it."""

    name: str
    failures: Counts
    passes: int


@frozen
class _ModePart:
    """The failures with a sign, and which tasks are inside one level of a field."""

    sign: _Sign
    field: str
    level: str
    is_inside: npt.NDArray[np.bool_]
    rollouts: Counts

    def p(self) -> float:
        """Ranks of the tasks' shares: attempts at one task are no independent draws."""
        shares = self.sign.failures / self.rollouts
        return kruskal_p([shares[self.is_inside], shares[~self.is_inside]])

    def counts(self, tasks: npt.NDArray[np.bool_]) -> tuple[int, int]:
        """The failures with the sign among the rollouts at some tasks, and these."""
        return int(self.sign.failures[tasks].sum()), int(self.rollouts[tasks].sum())

    def concentrates(self) -> bool:
        """Whether most of the failures are inside, and far more often there than elsewhere."""
        (part_failures, rollouts), (other_failures, other_rollouts) = (
            self.counts(self.is_inside),
            self.counts(~self.is_inside),
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
        sign = part.sign.name
        if p <= SURE and (sign not in best or p < best[sign][0]) and part.concentrates():
            best[sign] = (p, part)
    if not best:
        return None
    unpassed = unpassed_tasks(runs)
    never_passed = np.array([key in unpassed for key in tasks])
    entries = [_entry(part, p, never_passed) for p, part in best.values()]
    entries.sort(key=lambda entry: (-entry["failures"], entry["sign"]))
    return {"signs": entries[:MOST]}


def _parts(runs: Sequence[RunCases], cases: Sequence[Case], tasks: Mapping[str, Sequence[Case]]) -> Iterator[_ModePart]:
    levels: dict[str, Mapping[str, str]] = {}
    for run in runs:
        levels = {**task_levels(run), **levels}
    failed = {id(case) for case in cases if not case.passed}
    place_of_task = {key: place for place, key in enumerate(tasks)}
    place_of_failure = {id(case): place_of_task[case.key] for case in cases if not case.passed}
    rollouts = np.array([len(cases_of_task) for cases_of_task in tasks.values()])
    signs = [
        _Sign(
            name,
            np.bincount([place_of_failure[holder] for holder in holders & failed], minlength=len(tasks)),
            len(holders - failed),
        )
        for (kind, name), holders in sorted(features(runs).items())
        if kind == RULE and _goes_with_failing(holders, failed, len(cases))
    ]
    for field in sorted({field for of_task in levels.values() for field in of_task}):
        level_of_task = [levels.get(key, {}).get(field) for key in tasks]
        sizes = Counter(level for level in level_of_task if level is not None)
        if not 1 < len(sizes) <= MOST_LEVELS or sizes.total() < len(tasks):
            continue
        for level, size in sorted(sizes.items()):
            if min(size, len(tasks) - size) >= FEWEST_TASKS:
                is_inside = np.array([other == level for other in level_of_task])
                for sign in signs:
                    yield _ModePart(sign, field, level, is_inside, rollouts)


def _goes_with_failing(holders: set[int], failed: set[int], rollouts: int) -> bool:
    """Whether enough failures show it, and those who show it fail more often than all do."""
    failures = len(holders & failed)
    return failures >= FEWEST_FAILURES and failures / len(holders) > len(failed) / rollouts


def _entry(part: _ModePart, p: float, never_passed: npt.NDArray[np.bool_]) -> dict[str, Any]:
    (part_failures, rollouts), (other_failures, other_rollouts) = map(part.counts, (part.is_inside, ~part.is_inside))
    return {
        "sign": part.sign.name,
        "field": part.field,
        "level": part.level,
        "failures": int(part.sign.failures.sum()),
        "passes": part.sign.passes,
        "inside": part_failures,
        "rollouts": rollouts,
        "outside": other_failures,
        "other_rollouts": other_rollouts,
        "unpassed": int(part.sign.failures[never_passed].sum()),
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
