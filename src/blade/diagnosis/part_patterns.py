"""What comes back in the parts of many rollouts: rounded keys, exchanged keys, one wrong value, one side of the key."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median
from typing import Any

from blade.diagnosis.answer_parts import (
    AnswerPart,
    PartedCase,
    are_equal,
    decimals,
    number_of,
    relation_of,
    says_little,
    value_of,
    wrong_parts,
)
from blade.stats.binomial import sign_p
from blade.stats.multiple import benjamini_hochberg
from blade.stats.rounding import WRITTEN, significant
from blade.stats.strata import Table, exact_p

FEWEST_ROUNDED = 3
FEWEST_EXCHANGED, FEWEST_AGREEING, FEWEST_RUNS = 3, 5, 2
MOSTLY, NEARLY_ALL, HALF = 0.6, 0.8, 0.5
FEWEST_TASKS = 5
ONE_SIDE = 0.07
"""The sign test of five tasks of five; that the other runs are right there is tested besides."""
SURE = 0.01
AGREED_SHARE = 0.9
Tasks = Mapping[str, Sequence[PartedCase]]
Sides = tuple[str, str]


def by_key(rows: Sequence[PartedCase]) -> dict[str, list[PartedCase]]:
    """The rollouts by the key that their task has in all runs."""
    tasks: dict[str, list[PartedCase]] = {}
    for entry in rows:
        tasks.setdefault(entry.case.key, []).append(entry)
    return tasks


def run_counts(rows: Sequence[PartedCase]) -> list[dict[str, Any]]:
    """Run → how many of some rollouts are its."""
    return [{"run": run, "rollouts": number} for run, number in Counter(entry.case.run for entry in rows).items()]


def shown_part(entry: PartedCase, part: AnswerPart) -> dict[str, Any]:
    """An example: whose it is, and its values."""
    return {
        "task": entry.case.label,
        "run": entry.case.run,
        "attempt": entry.case.attempt,
        "part": part.name,
        "answer": part.answer,
        "expected": part.expected,
        "reading": part.reading,
    }


def rounded_keys(tasks: Tasks) -> dict[str, Any] | None:
    """Tasks in which failures hand in the key rounded, and nearly all passes give more decimals."""
    entries: list[dict[str, Any]] = []
    for rows in tasks.values():
        failures = [
            entry
            for entry in rows
            if entry.is_failure
            and all(part.is_rounded or part.is_equal for part in entry.wrong)
            and any(part.is_rounded for part in entry.wrong)
        ]
        if len(failures) < FEWEST_ROUNDED:
            continue
        places = _most_decimals(part for entry in failures for part in entry.wrong if part.is_rounded)
        passes = [entry for entry in rows if entry.case.passed]
        finer = sum(_is_finer(entry, places) for entry in passes)
        if finer >= NEARLY_ALL * len(passes):
            part = next(part for part in failures[0].wrong if part.is_rounded)
            entries.append(
                {
                    "task": failures[0].case.label,
                    "rollouts": len(failures),
                    "failures": sum(not entry.case.passed for entry in rows),
                    "passes": len(passes),
                    "finer": finer,
                    "runs": run_counts(failures),
                    "example": shown_part(failures[0], part),
                }
            )
    if not entries:
        return None
    return {
        **{name: sum(entry[name] for entry in entries) for name in ("rollouts", "passes", "finer")},
        "tasks": entries,
    }


def _most_decimals(parts: Iterator[AnswerPart]) -> dict[str, int]:
    places: dict[str, int] = {}
    for part in parts:
        places[part.name] = max(places.get(part.name, 0), decimals(part.answer or ""))
    return places


def _is_finer(entry: PartedCase, places: Mapping[str, int]) -> bool:
    return all(decimals(part.answer or "") > places[part.name] for part in entry.parts if part.name in places)


def exchanged_keys(tasks: Tasks) -> list[dict[str, Any]]:
    """Pairs of parts for which most rollouts of a task hand in each one's expected value for the other."""
    entries = []
    for rows in tasks.values():
        pairs: defaultdict[Sides, list[tuple[PartedCase, AnswerPart, AnswerPart]]] = defaultdict(list)
        for entry in rows:
            wrong = [part for part in entry.wrong if part.is_wrong and not part.is_equal]
            for first, second in combinations(wrong, 2):
                if _are_exchanged(first, second):
                    pairs[first.name, second.name].append((entry, first, second))
        for having in pairs.values():
            runs = {entry.case.run for entry, _, _ in having}
            if len(having) >= FEWEST_EXCHANGED and 2 * len(having) > len(rows) and len(runs) >= FEWEST_RUNS:
                _, first, second = having[0]
                entries.append(
                    {
                        "task": rows[0].case.label,
                        "parts": [first.name, second.name],
                        "keys": [first.expected, second.expected],
                        "rollouts": len(having),
                        "of": len(rows),
                        "of_runs": len(runs),
                        **_outcomes(rows),
                        "runs": run_counts([entry for entry, _, _ in having]),
                    }
                )
    return entries


def _outcomes(rows: Sequence[PartedCase]) -> dict[str, int]:
    passes = sum(bool(entry.case.passed) for entry in rows)
    return {"passes": passes, "failures": len(rows) - passes}


def _are_exchanged(first: AnswerPart, second: AnswerPart) -> bool:
    return (
        not says_little(first.expected)
        and not says_little(second.expected)
        and not are_equal(first.expected, second.expected)
        and are_equal(first.answer or "", second.expected)
        and are_equal(second.answer or "", first.expected)
    )


def agreed_values(tasks: Tasks, exchanged: Collection[tuple[str, str]]) -> list[dict[str, Any]]:
    """Wrong values on which most rollouts of a task agree; not of parts, by task and name, whose keys are exchanged."""
    entries = []
    for rows in tasks.values():
        values: defaultdict[Sides, list[tuple[PartedCase, AnswerPart]]] = defaultdict(list)
        for entry, part in wrong_parts(rows):
            if (entry.case.label, part.name) not in exchanged and not says_little(part.answer or ""):
                values[part.name, value_of(part.answer or "")].append((entry, part))
        for having in values.values():
            runs = {entry.case.run for entry, _ in having}
            if len(having) >= max(FEWEST_AGREEING, MOSTLY * len(rows)) and len(runs) >= FEWEST_RUNS:
                _, part = having[0]
                entries.append(
                    {
                        "task": rows[0].case.label,
                        "part": part.name,
                        "answer": part.answer,
                        "expected": part.expected,
                        "relation": relation_of(part.answer or "", part.expected),
                        "rollouts": len(having),
                        "of": len(rows),
                        "of_runs": len(runs),
                        "sole": sum(len(entry.wrong) == 1 and len(entry.parts) > 1 for entry, _ in having),
                        **_outcomes(rows),
                        "runs": run_counts([entry for entry, _ in having]),
                    }
                )
    return sorted(
        entries,
        key=lambda entry: (not entry["relation"], -entry["sole"] / entry["of"], -entry["rollouts"] / entry["of"]),
    )


def one_sided_parts(tasks: Tasks) -> list[dict[str, Any]]:
    """Parts of which a run's wrong numbers lie on one side of the key where the other runs are mostly right.

    Each is tested twice: the sides of its tasks by their signs, and wrong against right by run inside tasks.
    """
    candidates = []
    for (run, name), errors in _errors(tasks).items():
        entry = _one_side(errors)
        tables = [_table(tasks[key], run, name) for key in errors]
        right, wrong = (sum(table[place] for table in tables) for place in (3, 2))
        p = exact_p(tables)
        if entry and p is not None and right > wrong:
            candidates.append((p, {"run": run, "part": name, **entry, "other_right": right, "others": right + wrong}))
    adjusted = benjamini_hochberg([p for p, _ in candidates])
    clear = [
        {**entry, "p": significant(p, WRITTEN)} for p, (_, entry) in zip(adjusted, candidates, strict=True) if p <= SURE
    ]
    return sorted(clear, key=lambda entry: (-entry["tasks"], entry["run"], entry["part"]))


Errors = dict[str, list[tuple[PartedCase, AnswerPart, float]]]


def _errors(tasks: Tasks) -> dict[Sides, Errors]:
    """Run and part → task → its wrong numbers and each one's share of the key."""
    errors: defaultdict[Sides, Errors] = defaultdict(lambda: defaultdict(list))
    for key, rows in tasks.items():
        for entry, part in ((case, part) for case in rows for part in case.wrong if part.is_wrong):
            value, wanted = number_of(part.answer or ""), number_of(part.expected)
            if value is not None and wanted and value != wanted:
                ratio = float(value / wanted) if abs(value) < abs(wanted) * 10**9 else float("inf")
                errors[entry.case.run, part.name][key].append((entry, part, ratio))
    return errors


def _one_side(errors: Errors) -> dict[str, Any] | None:
    """The side of the key on which nearly all tasks have all wrong numbers, with an example."""
    sides = {key: {_is_above(part) for _, part, _ in of_task} for key, of_task in errors.items()}
    above, below = (sum(side == {higher} for side in sides.values()) for higher in (True, False))
    tasks = max(above, below)
    p = sign_p(tasks, len(sides) - tasks)
    if tasks < FEWEST_TASKS or tasks < AGREED_SHARE * len(sides) or p > ONE_SIDE:
        return None
    on_side = [wrong for key, of_task in errors.items() if sides[key] == {above > below} for wrong in of_task]
    entry, part, _ = on_side[0]
    return {
        "side": "above" if above > below else "below",
        "tasks": tasks,
        "of_tasks": len(sides),
        "labels": sorted({entry.case.label for entry, _, _ in on_side}),
        "rollouts": len(on_side),
        "of": sum(map(len, errors.values())),
        "sign_p": significant(p, WRITTEN),
        "ratio": significant(median(ratio for _, _, ratio in on_side), WRITTEN),
        "example": shown_part(entry, part),
    }


def _is_above(part: AnswerPart) -> bool:
    value, key = number_of(part.answer or ""), number_of(part.expected)
    return value is not None and key is not None and value > key


def _table(rows: Sequence[PartedCase], run: str, name: str) -> Table:
    """Wrong and right of a part in one run, wrong and right in the others."""
    cells = [0, 0, 0, 0]
    for entry in rows:
        for part in entry.parts:
            if part.name == name:
                cells[2 * (entry.case.run != run) + part.counts] += 1
    return cells[0], cells[1], cells[2], cells[3]
