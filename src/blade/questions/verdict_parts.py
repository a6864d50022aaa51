"""Which part of the verdict fails: of the scores or the sets of checks that make it up, which are not full?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from blade.diagnosis.cases import Case, RunCases
from blade.document import Block, Bullets, Paragraph, Sentence, say
from blade.questions import in_order, judged, task_list
from blade.wording import amount, count, fact, listed

TITLE = "The parts of the verdict"
ORDER = 34
FEWEST = 3
FEWEST_PARTS, MOST_PARTS = 2, 8
USUAL = 0.9
NEARLY_ALL = 0.98
SHOWN = 8
Parts = Mapping[str, float]
"""Part → how full it is, from 0 to 1."""


def ask(runs: Sequence[RunCases]) -> dict[str, Any] | None:
    """Per run the failures by the parts that are not full: of the first group of parts that explains the verdict."""
    best = None
    for field, candidates in _groups(runs):
        parts = _without_copies(_recorded_together(candidates))
        cases = [case for run in runs for case in judged(run) if id(case) in parts]
        share = _explained(cases, parts)
        if share and (best is None or share > best[0]):
            best = share, field, parts
    if best is None:
        return None
    _, field, parts = best
    names = sorted({name for values in parts.values() for name in values})
    return {
        "field": field,
        "parts": names,
        "runs": [entry for run in runs if (entry := _of_run(run, parts)) is not None],
    }


def _recorded_together(parts: Mapping[int, Parts]) -> dict[int, Parts]:
    """The parts that nearly every row has: where one is recorded for some tasks only, nothing tells of it elsewhere."""
    rows = Counter(name for values in parts.values() for name in values)
    usual = {name for name, many in rows.items() if many >= USUAL * len(parts)}
    return {case: {name: values[name] for name in values if name in usual} for case, values in parts.items()}


def _without_copies(parts: Mapping[int, Parts]) -> dict[int, Parts]:
    """Of parts that are the same on every row one is enough."""
    names = sorted({name for values in parts.values() for name in values})
    columns: dict[tuple[float | None, ...], str] = {}
    for name in names:
        columns.setdefault(tuple(values.get(name) for values in parts.values()), name)
    names_kept = set(columns.values())
    return {
        case: {name: value for name, value in values.items() if name in names_kept} for case, values in parts.items()
    }


def _groups(runs: Sequence[RunCases]) -> Iterator[tuple[str, Mapping[int, Parts]]]:
    """Sets of checks first, then numbers between 0 and 1 and flags that stand beside each other under one name."""
    sets = {
        id(case): {_last(name): passed / total for name, (passed, total) in case.observed["check_sets"].items()}
        for run in runs
        for case in run.observing("check_sets")
    }
    if sets:
        yield "the sets of checks", sets
    holders: defaultdict[str, dict[int, dict[str, float]]] = defaultdict(dict)
    for run in runs:
        judged_ids = {id(case) for case in judged(run)}
        for case, fields in zip(run.cases, run.fields(), strict=True):
            for name, value in fields.items() if id(case) in judged_ids else ():
                holder, _, last = name.rpartition(".")
                if holder and isinstance(value, (bool, int, float)) and 0 <= value <= 1:
                    holders[holder].setdefault(id(case), {})[last] = float(value)
    yield from sorted(holders.items(), key=lambda pair: (-len(pair[1]), -pair[0].count("."), pair[0]))


def _last(name: str) -> str:
    return name.rsplit(".", 1)[-1]


def _explained(cases: Sequence[Case], parts: Mapping[int, Parts]) -> float:
    """The share of the failures that miss a part, where passes miss none; 0 unless several parts are missed apart."""
    passes, failures = ([case for case in cases if case.passed is passed] for passed in (True, False))
    names = {name for case in cases for name in parts[id(case)]}
    if min(len(failures), len(passes)) < FEWEST or not FEWEST_PARTS <= len(names) <= MOST_PARTS:
        return 0
    full = sum(_is_full(parts[id(case)]) for case in passes)
    missed = [group for case in failures if (group := tuple(_not_full(parts[id(case)])))]
    explained = len(missed) / len(failures)
    apart = len(set(missed)) >= FEWEST_PARTS
    return explained if apart and full >= NEARLY_ALL * len(passes) and explained >= USUAL else 0


def _is_full(parts: Parts) -> bool:
    return all(value >= 1 for value in parts.values())


def _not_full(parts: Parts) -> list[str]:
    return sorted(name for name, value in parts.items() if value < 1)


def _of_run(run: RunCases, parts: Mapping[int, Parts]) -> dict[str, Any] | None:
    failures = [case for case in judged(run) if id(case) in parts and not case.passed]
    if not failures:
        return None
    groups: defaultdict[tuple[str, ...], list[Case]] = defaultdict(list)
    none: Counter[str] = Counter()
    graded = {name for values in parts.values() for name, value in values.items() if 0 < value < 1}
    for case in failures:
        missing = _not_full(parts[id(case)])
        groups[tuple(missing)].append(case)
        none.update(name for name in missing if parts[id(case)][name] == 0 and name in graded)
    ranked = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return {
        "run": run.run.name,
        "failures": len(failures),
        "unrecorded": sum(not case.passed for case in judged(run)) - len(failures),
        "groups": [
            {"parts": list(names), "rollouts": len(cases), "tasks": in_order(case.label for case in cases)}
            for names, cases in ranked[:SHOWN]
        ],
        "nothing": dict(sorted(none.items())),
    }


def tell(answer: Mapping[str, Any]) -> list[Block]:
    head = say(
        "The verdict is made of {parts} ({field}), and a pass has all of them full. Which of them the failures miss:",
        parts=listed([f"“{name}”" for name in answer["parts"]]),
        field=answer["field"],
    )
    runs = (Paragraph(tuple(_sentences(place, entry))) for place, entry in enumerate(answer["runs"]))
    return [Paragraph((head,)), Bullets(tuple(runs))]


def _sentences(place: int, entry: Mapping[str, Any]) -> Iterator[Sentence]:
    at = ("investigation", "verdict_parts", "runs", place)
    groups = [_group_words(group) for group in entry["groups"]]
    yield say(
        "{run}: of {failures}"
        + (" that record them ({unrecorded} do not)" if entry["unrecorded"] else "")
        + " {groups}.",
        run=entry["run"],
        unrecorded=amount(entry["unrecorded"], *at, "unrecorded"),
        failures=fact(count(entry["failures"], "judged failure"), entry["failures"], *at, "failures"),
        groups=listed(groups),
    )
    for name, rollouts in entry["nothing"].items():
        yield say(
            "Nothing at all of “{name}” is met in {rollouts} of them.",
            name=name,
            rollouts=amount(rollouts, *at, "nothing", name),
        )


def brief(answer: Mapping[str, Any]) -> Iterator[Sentence]:
    """Of a single run the commonest part that its failures miss, and how many meet nothing of it."""
    if len(answer["runs"]) != 1:
        return
    entry, at = answer["runs"][0], ("investigation", "verdict_parts", "runs", 0)
    group = entry["groups"][0]
    if not group["parts"]:
        return
    first, names = group["parts"][0], [f"“{name}”" for name in group["parts"]]
    nothing = entry["nothing"].get(first, 0)
    yield say(
        "Of {failures} whose parts of the verdict are recorded {rollouts} {parts}"
        + (", and {nothing} nothing at all of “{first}”." if nothing else "."),
        failures=fact(count(entry["failures"], "failure"), entry["failures"], *at, "failures"),
        rollouts=fact(count(group["rollouts"], "misses", "miss"), group["rollouts"], *at, "groups", 0, "rollouts"),
        parts=listed(names) + (" alone" if len(names) == 1 else ""),
        nothing=fact(count(nothing, "meets", "meet"), nothing, *at, "nothing", first) if nothing else "",
        first=first,
    )


def _group_words(group: Mapping[str, Any]) -> str:
    parts = [f"“{name}”" for name in group["parts"]]
    parts_words = f"{listed(parts)}{' alone' if len(parts) == 1 else ''}" if parts else "none of them"
    miss = "misses" if group["rollouts"] == 1 else "miss"
    return f"{group['rollouts']:,} {miss} {parts_words} ({task_list(group['tasks'])})"
