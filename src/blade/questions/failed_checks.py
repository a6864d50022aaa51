"""Which of the verifier's checks fail most often, alone or with others, and in which run beyond chance?

A check of one name stands in many tasks where a verifier looks at the same things in each. How often it fails is
counted over all judged rollouts that have it; the runs are compared at the same tasks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Fact, Paragraph, Sentence, Table, say
from blade.questions import SURE, in_order, judged, task_list
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import exact_p
from blade.wording import amount, count, fact, p_value, percent

TITLE = "Which checks fail"
ORDER = 34
WEIGHT = 1.4
FEWEST_TASKS = 5
"""Checks of fewer tasks are told with these tasks."""
FEWEST_FAILING = 5
FEWEST_NAMES = 2
MOST_SHOWN = 10
MOST_TOLD = 4
FAR = 0.1
"""By so much of its rollouts more a run fails a check than the others do."""
MESSAGE = " - "
"""What parts the name of a check from the message that some runners write behind it."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per check of several tasks the judged rollouts that fail it, by run, and the run that fails it beyond chance."""
    holders = _holders(runs)
    names = [run.run.name for run in runs]
    entries = [entry for name, rows in holders.items() if (entry := _entry(name, rows, names)) is not None]
    if len(entries) < FEWEST_NAMES:
        return None
    entries.sort(key=lambda entry: (-entry["failing"], entry["check"]))
    _compare(entries, holders, names)
    return {"runs": names, "of_checks": len(entries), "checks": entries[:MOST_SHOWN], "apart": _apart(entries)}


def _holders(runs: Sequence[RunCases]) -> dict[str, list[tuple[Case, bool, bool]]]:
    """Check → the judged rollouts that have it, whether each fails it, and fails nothing else.

    A pass whose log does not name its checks has met all that other rollouts of its task name.
    """
    cases = [case for run in runs for case in judged(run)]
    checks = {
        id(case): {name.split(MESSAGE)[0]: bool(passed) for name, passed in case.checks.items()} for case in cases
    }
    of_task: defaultdict[str, set[str]] = defaultdict(set)
    for case in cases:
        of_task[case.key] |= checks[id(case)].keys()
    holders: defaultdict[str, list[tuple[Case, bool, int]]] = defaultdict(list)
    for case in cases:
        results = checks[id(case)] or (dict.fromkeys(of_task[case.key], True) if case.passed else {})
        missed = {name for name, passed in results.items() if not passed}
        for name in results:
            holders[name].append((case, name in missed, len(missed)))
    return _together(holders)


def _together(holders: Mapping[str, list[tuple[Case, bool, int]]]) -> dict[str, list[tuple[Case, bool, bool]]]:
    """The checks, those that fail in the very same rollouts as one, under the names of the first two.

    Each rollout comes with the number of checks that it fails; a check stands alone where no other fails with it.
    """
    alike: defaultdict[frozenset[tuple[int, bool]], list[str]] = defaultdict(list)
    for name, rows in holders.items():
        alike[frozenset((id(case), missed) for case, missed, _ in rows)].append(name)
    joined = {}
    for names in alike.values():
        more = f" and {len(names) - 2} more" if len(names) > 2 else ""
        rows = holders[names[0]]
        joined[", ".join(names[:2]) + more] = [
            (case, missed, missed and missed_checks == len(names)) for case, missed, missed_checks in rows
        ]
    return joined


def _entry(name: str, rows: Sequence[tuple[Case, bool, bool]], names: Sequence[str]) -> dict[str, Any] | None:
    failing = [(case, alone) for case, missed, alone in rows if missed]
    tasks = {case.key for case, _, _ in rows}
    if len(failing) < FEWEST_FAILING or len(tasks) < FEWEST_TASKS or len(failing) == len(rows):
        return None
    of_run = Counter(case.run for case, _, _ in rows)
    failing_of_run = Counter(case.run for case, _ in failing)
    alone_of_run = Counter(case.run for case, alone in failing if alone)
    return {
        "check": name,
        "failing": len(failing),
        "alone": alone_of_run.total(),
        "rollouts": len(rows),
        "of_tasks": len({case.key for case, _ in failing}),
        "runs": [
            {"run": run, "failing": failing_of_run[run], "alone": alone_of_run[run], "rollouts": of_run[run]}
            for run in names
        ],
    }


def _compare(
    entries: Sequence[dict[str, Any]],
    holders: Mapping[str, Sequence[tuple[Case, bool, bool]]],
    names: Sequence[str],
) -> None:
    """Add to each check the run that fails it most, with the chance of so large a difference at the same tasks."""
    tested = []
    for entry in entries if len(names) > 1 else ():
        for line in entry["runs"]:
            failing, rollouts = entry["failing"] - line["failing"], entry["rollouts"] - line["rollouts"]
            if not line["rollouts"] or not rollouts:
                continue
            if line["failing"] / line["rollouts"] - failing / rollouts < FAR:
                continue
            p = exact_p(_tables(holders[entry["check"]], line["run"]))
            if p is not None:
                tested.append((p, entry, line))
    for (_, entry, line), p in zip(tested, benjamini_hochberg([p for p, _, _ in tested]), strict=True):
        if p <= SURE and p < entry.get("most", {}).get("p", 1.0):
            entry["most"] = {"run": line["run"], "p": significant(p, WRITTEN), "tasks": _tasks(holders, entry, line)}


def _tables(rows: Sequence[tuple[Case, bool, bool]], run: str) -> list[tuple[int, int, int, int]]:
    """Per task: failing and not failing the check, of the run and of all others."""
    tables: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for case, missed, _ in rows:
        tables[case.key][(0 if case.run == run else 2) + (not missed)] += 1
    return [(a, b, c, d) for a, b, c, d in tables.values()]


def _tasks(
    holders: Mapping[str, Sequence[tuple[Case, bool, bool]]], entry: Mapping[str, Any], line: Mapping[str, Any]
) -> list[str]:
    rows = holders[entry["check"]]
    return in_order(case.label for case, missed, _ in rows if missed and case.run == line["run"])


def _apart(entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Places of the checks that one run fails beyond chance, the surest first."""
    places = [place for place, entry in enumerate(entries[:MOST_SHOWN]) if "most" in entry]
    return sorted(places, key=lambda place: (entries[place]["most"]["p"], place))[:MOST_TOLD]


def tell(answer: Mapping[str, Any]) -> list[Block]:
    rows = []
    for place, entry in enumerate(answer["checks"]):
        at = (*_AT, "checks", place)
        cells: list[str | Fact] = [entry["check"]]
        cells += [_cell(line, *at, "runs", number) for number, line in enumerate(entry["runs"])]
        rows.append((*cells, amount(entry["of_tasks"], *at, "of_tasks")))
    caption = "Judged rollouts that fail a check, of those that have it; in brackets those that fail nothing else" + (
        f". The {len(rows)} that fail most, of {answer['of_checks']:,}" if answer["of_checks"] > len(rows) else ""
    )
    head = ("Check", *(f">{run}" for run in answer["runs"]), ">tasks")
    blocks: list[Block] = [Table(head, tuple(rows), caption)]
    items = tuple(Paragraph((_most(place, answer["checks"][place]),)) for place in answer["apart"])
    return [*blocks, Bullets(items)] if items else blocks


def _cell(line: Mapping[str, Any], *at: str | int) -> str | Fact:
    if not line["rollouts"]:
        return ""
    alone = f" ({line['alone']:,})" if line["alone"] else ""
    return fact(f"{line['failing']:,} of {line['rollouts']:,}{alone}", line["failing"], *at, "failing")


def _most(place: int, entry: Mapping[str, Any]) -> Sentence:
    """The run that fails a check more than the others do, and how often nothing else fails with it."""
    at = (*_AT, "checks", place)
    number, line = next((at, line) for at, line in enumerate(entry["runs"]) if line["run"] == entry["most"]["run"])
    other_lines = [entry_line for entry_line in entry["runs"] if entry_line is not line and entry_line["rollouts"]]
    failing, rollouts = (sum(entry_line[key] for entry_line in other_lines) for key in ("failing", "rollouts"))
    alone = "" if not line["alone"] else f", in {line['alone']:,} of them as the only check that fails"
    return say(
        "“{check}” fails in {failing} of {rollouts} of {run} ({share}; {tasks}){alone}; in {others} of {of_others} of "
        "the other {runs} (exact test by task p {p}).",
        check=entry["check"],
        failing=amount(line["failing"], *at, "runs", number, "failing"),
        rollouts=fact(count(line["rollouts"], "rollout"), line["rollouts"], *at, "runs", number, "rollouts"),
        run=line["run"],
        share=percent(line["failing"] / line["rollouts"]),
        tasks=task_list(entry["most"]["tasks"]),
        alone=alone,
        others=f"{failing:,}",
        of_others=f"{rollouts:,}",
        runs="run" if len(other_lines) == 1 else "runs",
        p=p_value(entry["most"]["p"], *at, "most", "p"),
    )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """The check that one run fails most surely beyond chance, with how often it alone stops a rollout."""
    for place in answer["apart"][:1]:
        yield _most(place, answer["checks"][place])


_AT = ("investigation", "failed_checks")
