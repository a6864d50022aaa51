"""What in the code or the arguments of calls goes with passing or failing, at the same tasks?

Agents that write code differ in what their code does: which function it calls, what it sets, whether it loops or passes
over errors. All runs are asked together, tasks kept apart: what decides a task decides it in every run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.frozen import frozen
from blade.questions import SURE, by_task, cause, judged, pass_rate, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p, informative, risk_difference
from blade.wording import amount, count, fact, listed, p_value, printable

TITLE = "What the code of calls holds"
ORDER = 77
WEIGHT = 1.3
FEWEST, FEWEST_TASKS = 5, 3
"""Rollouts with it and without it, and tasks at which rollouts differ in it and in how they end."""
APART = 0.4
"""So much larger is the share of passes with it or without it, at these tasks."""
ALIKE = 0.8
"""Marks are one finding where so much of their rollouts are the same."""
HARDLY, MOSTLY = 1 / 3, 0.5
MOST_MEMBERS, MOST_SHOWN, MOST_CLAIMS = 3, 8, 2
_PATH = ("investigation", "code_in_calls", "findings")


@frozen
class _Mark:
    """A mark, the rollouts that hold it where tasks differ in it, and how sure it is."""

    name: str
    holding: frozenset[int]
    others: int
    """How many rollouts at these tasks do not hold it."""
    tasks: tuple[str, ...]
    effect: float
    p: float


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """The marks that separate passes from failures at the same tasks, those that occur together as one."""
    tasks = {
        key: cases
        for key, cases in by_task([case for run in runs for case in judged(run)]).items()
        if len({bool(case.passed) for case in cases}) > 1 and all("code_marks" in case.observed for case in cases)
    }
    tested = [mark for name in _names(tasks) if (mark := _tested(name, tasks)) is not None]
    adjusted = benjamini_hochberg([mark.p for mark in tested])
    sure = [mark for mark, q in zip(tested, adjusted, strict=True) if q <= SURE and abs(mark.effect) >= APART]
    groups: list[list[_Mark]] = []
    for mark in sorted(sure, key=lambda mark: (-abs(mark.effect), mark.p, mark.name)):  # the purest names a finding
        home = next((group for group in groups if _overlaps(group[0], mark)), None)
        if home is None:
            groups.append([mark])
        elif (home[0].effect < 0) == (mark.effect < 0) and _is_alike(home[0], mark):
            home.append(mark)
    groups.sort(key=lambda group: (group[0].p, -len(group[0].holding), group[0].name))
    if not groups:
        return None
    causes = [cause("BI", *_cause(group[0], tasks)) for group in groups]
    return {
        "causes": causes,
        "findings": [_entry(group, tasks) for group in groups[:MOST_SHOWN]],
        "left_out": max(len(groups) - MOST_SHOWN, 0),
    }


def _cause(mark: _Mark, tasks: Mapping[str, Sequence[Case]]) -> tuple[str, list[Case]]:
    """The side that fails, where hardly any of it passes and most of the other side do."""
    cases = [case for key in mark.tasks for case in tasks[key]]
    sides = [[case for case in cases if (id(case) in mark.holding) is holds] for holds in (True, False)]
    worse, better = sides if mark.effect < 0 else sides[::-1]
    verb = "hold" if mark.effect < 0 else "lack"
    reason = f"its calls {verb} “{printable(mark.name)}”, which parts failures from passes at the same tasks"
    return reason, worse if pass_rate(worse) <= HARDLY and pass_rate(better) >= MOSTLY else []


def _names(tasks: Mapping[str, Sequence[Case]]) -> list[str]:
    """Marks by which rollouts of several tasks differ."""
    differing: Counter[str] = Counter()
    for cases in tasks.values():
        rollouts = Counter(mark for case in cases for mark in case.observed["code_marks"])
        differing.update(mark for mark, many in rollouts.items() if many < len(cases))
    return [mark for mark, many in differing.items() if many >= FEWEST_TASKS]


def _tested(name: str, tasks: Mapping[str, Sequence[Case]]) -> _Mark | None:
    tables: dict[str, Table] = {}
    holding: set[int] = set()
    for key, cases in tasks.items():
        cells = [0, 0, 0, 0]
        holders = set()
        for case in cases:
            holds = name in case.observed["code_marks"]
            cells[(not holds) * 2 + (not case.passed)] += 1
            if holds:
                holders.add(id(case))
        table = (cells[0], cells[1], cells[2], cells[3])
        if informative(table):
            tables[key] = table
            holding |= holders
    with_it = sum(a + b for a, b, _, _ in tables.values())
    without = sum(c + d for _, _, c, d in tables.values())
    if len(tables) < FEWEST_TASKS or min(with_it, without) < FEWEST:
        return None
    p, effect = exact_p(list(tables.values())), risk_difference(list(tables.values()))
    return None if p is None or effect is None else _Mark(name, frozenset(holding), without, tuple(tables), effect, p)


def _overlaps(first: _Mark, second: _Mark) -> bool:
    """Whether two marks say one thing: nearly all rollouts of one hold the other, or those that do not."""
    shared = len(first.holding & second.holding)
    fewer = min(len(first.holding), len(second.holding))
    if (first.effect < 0) == (second.effect < 0):
        return shared >= ALIKE * fewer
    return shared <= (1 - ALIKE) * fewer and len(first.holding) >= ALIKE * second.others


def _is_alike(first: _Mark, second: _Mark) -> bool:
    """Whether two marks stand in much the same rollouts."""
    return len(first.holding & second.holding) >= ALIKE * len(first.holding | second.holding)


def _entry(group: Sequence[_Mark], tasks: Mapping[str, Sequence[Case]]) -> dict[str, Any]:
    first = group[0]
    cases = [case for key in first.tasks for case in tasks[key]]
    having = [case for case in cases if id(case) in first.holding]
    others = [case for case in cases if id(case) not in first.holding]
    by_run: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case in cases:
        by_run[case.run][(id(case) not in first.holding) * 2 + (not case.passed)] += 1
    return {
        "marks": [mark.name for mark in group[:MOST_MEMBERS]],
        "more_marks": max(len(group) - MOST_MEMBERS, 0),
        "rollouts": len(having),
        "passes": sum(bool(case.passed) for case in having),
        "others": len(others),
        "other_passes": sum(bool(case.passed) for case in others),
        "tasks": [tasks[key][0].label for key in first.tasks],
        "runs": [
            {"run": run, "passes": a, "rollouts": a + b, "other_passes": c, "others": c + d}
            for run, (a, b, c, d) in by_run.items()
        ],
        "p": significant(first.p, WRITTEN),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    head = say(
        "Counted at the tasks whose rollouts differ in it and in how they end, over all runs; in brackets each run, "
        "with it and without. It is a trace of how the work was done, and need not be its cause."
    )
    items = (Paragraph((_words(place, entry),)) for place, entry in enumerate(answer["findings"]))
    left = (
        [Paragraph((say("{left} in analysis.json.", left=count(answer["left_out"], "more finding")),))]
        if answer["left_out"]
        else []
    )
    return [Paragraph((head,)), Bullets(tuple(items)), *left]


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    for place, entry in enumerate(answer["findings"][:MOST_CLAIMS]):
        yield _words(place, entry)


def _words(place: int, entry: Mapping[str, Any]) -> Sentence:
    at = (*_PATH, place)
    more = [f"{entry['more_marks']:,} more"] if entry["more_marks"] else []
    return say(
        "Rollouts whose calls hold {marks} pass {passes} of {rollouts}, others at the same {tasks} {other_passes} of "
        "{others} ({runs}; {names}; exact test p {p}).",
        marks=listed([*(f"“{printable(mark)}”" for mark in entry["marks"]), *more]),
        passes=amount(entry["passes"], *at, "passes"),
        rollouts=amount(entry["rollouts"], *at, "rollouts"),
        tasks=fact(count(len(entry["tasks"]), "task"), len(entry["tasks"]), *at, "tasks"),
        other_passes=amount(entry["other_passes"], *at, "other_passes"),
        others=amount(entry["others"], *at, "others"),
        runs="; ".join(map(_run_words, entry["runs"])),
        names=task_list(entry["tasks"]),
        p=p_value(entry["p"], *at, "p"),
    )


def _run_words(run: Mapping[str, Any]) -> str:
    """Passes and rollouts of a run with it and without it."""
    with_it = f"{run['passes']:,} of {run['rollouts']:,}" if run["rollouts"] else "none"
    without = f"{run['other_passes']:,} of {run['others']:,}" if run["others"] else "none"
    return f"{run['run']} {with_it} and {without}"
